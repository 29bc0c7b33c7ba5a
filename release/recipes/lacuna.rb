class Lacuna < Formula
  desc "{{.Summary}}"
  homepage "{{.Address}}"
  version "{{.Version}}"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "{{url "darwin/arm64"}}"
      sha256 "{{sha256 "darwin/arm64"}}"
    end
    on_intel do
      url "{{url "darwin/amd64"}}"
      sha256 "{{sha256 "darwin/amd64"}}"
    end
  end

  on_linux do
    on_arm do
      url "{{url "linux/arm64"}}"
      sha256 "{{sha256 "linux/arm64"}}"
    end
    on_intel do
      url "{{url "linux/amd64"}}"
      sha256 "{{sha256 "linux/amd64"}}"
    end
  end

  def install
    bin.install "lacuna"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/lacuna.bash" => "lacuna"
    zsh_completion.install "completions/_lacuna"
    fish_completion.install "completions/lacuna.fish"
    doc.install "ThirdPartyNotices.txt", "LGPL-2.1.txt"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/lacuna version")
    (testpath/"kb/milk.md").write "# Milk\n\nMilk may stand outside the refrigerator for two hours.\n"
    assert_match "two hours", shell_output("#{bin}/lacuna ask 'How long may milk stand outside the refrigerator?'")
  end
end
