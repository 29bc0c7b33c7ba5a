{
  lib,
  stdenv,
  fetchurl,
  installShellFiles,
}:

let
  sources = {
    x86_64-linux = {
      url = "{{url "linux/amd64"}}";
      hash = "{{sri "linux/amd64"}}";
    };
    aarch64-linux = {
      url = "{{url "linux/arm64"}}";
      hash = "{{sri "linux/arm64"}}";
    };
    riscv64-linux = {
      url = "{{url "linux/riscv64"}}";
      hash = "{{sri "linux/riscv64"}}";
    };
    x86_64-darwin = {
      url = "{{url "darwin/amd64"}}";
      hash = "{{sri "darwin/amd64"}}";
    };
    aarch64-darwin = {
      url = "{{url "darwin/arm64"}}";
      hash = "{{sri "darwin/arm64"}}";
    };
  };
  system = stdenv.hostPlatform.system;
in
stdenv.mkDerivation {
  pname = "lacuna";
  version = "{{.Version}}";

  src = fetchurl (sources.${system} or (throw "lacuna: there is no program for ${system}"));

  nativeBuildInputs = [ installShellFiles ];

  dontConfigure = true;
  dontBuild = true;

  installPhase = ''
    runHook preInstall
    install -Dm755 lacuna -t $out/bin
    installManPage man/*.1
    installShellCompletion --cmd lacuna --bash completions/lacuna.bash --zsh completions/_lacuna --fish completions/lacuna.fish
    install -Dm644 LICENSE NOTICE ThirdPartyNotices.txt LGPL-2.1.txt -t $out/share/doc/lacuna
    runHook postInstall
  '';

  meta = {
    description = "{{.Summary}}";
    homepage = "{{.Address}}";
    license = lib.licenses.asl20;
    mainProgram = "lacuna";
    platforms = builtins.attrNames sources;
    sourceProvenance = [ lib.sourceTypes.binaryNativeCode ];
  };
}
