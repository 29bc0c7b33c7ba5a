package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// TestGuideOfInstalling runs the commands of docs/install.md, word for word, with the release in the folder LACUNA_RELEASE: in an empty
// home folder, and where dpkg is in an empty root, up to an answer with its citation from a document.
func TestGuideOfInstalling(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(repository, "docs", "install.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(strings.ReplaceAll(string(page), "\r\n", "\n"), -1)
	if len(blocks) != 3 {
		t.Fatalf("%d blocks of commands, want those for Debian, for archives, and for the first answer", len(blocks))
	}
	debian, archive, first := blocks[0][1], blocks[1][1], blocks[2][1]
	release := os.Getenv("LACUNA_RELEASE")
	if release == "" {
		t.Skip("LACUNA_RELEASE names no folder with a release")
	}
	const document = "# Milk\n\nMilk may stand outside the refrigerator for two hours at most.\n\n# Bread\n\nBread keeps for three days in a box of wood.\n"
	run := func(t *testing.T, file, install string, environment ...string) {
		t.Helper()
		home, downloads, documents := t.TempDir(), t.TempDir(), t.TempDir()
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for path, data := range map[string][]byte{filepath.Join(downloads, filepath.Base(file)): data, filepath.Join(documents, "kitchen.md"): []byte(document)} {
			if err := os.WriteFile(path, data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		command := exec.Command("sh", "-euc", install+"\ncd "+documents+"\n"+first)
		command.Dir = downloads
		command.Env = append([]string{"HOME=" + home, "PATH=" + filepath.Join(home, ".local", "bin") + ":/usr/sbin:/usr/bin:/sbin:/bin"}, environment...)
		text, err := command.CombinedOutput()
		if err != nil || !strings.Contains(string(text), "Milk may stand outside the refrigerator for two hours at most.") || !strings.Contains(string(text), "kitchen.md") {
			t.Errorf("%v: %s", err, text)
		}
	}
	only := func(t *testing.T, pattern string) string {
		t.Helper()
		files, err := filepath.Glob(filepath.Join(release, pattern))
		if err != nil || len(files) != 1 {
			t.Skipf("%s has %d files %s", release, len(files), pattern)
		}
		return files[0]
	}
	t.Run("archive", func(t *testing.T) {
		run(t, only(t, "lacuna-*-"+runtime.GOOS+"-"+runtime.GOARCH+".tar.gz"), archive)
	})
	t.Run("debian", func(t *testing.T) {
		if _, err := exec.LookPath("dpkg"); err != nil || os.Getuid() != 0 {
			t.Skip("needs dpkg, and root")
		}
		processor, err := output(".", "dpkg", "--print-architecture")
		if err != nil {
			t.Skip(err)
		}
		root := emptyRoot(t)
		// The words of the guide install into the empty root, not into this machine.
		asGuide := "sudo() { \"$@\"; }\ndpkg() { command dpkg --root=" + root + " \"$@\"; }\n" + debian
		run(t, only(t, "lacuna_*_"+processor+".deb"), asGuide, "PATH="+filepath.Join(root, "usr", "bin")+":/usr/sbin:/usr/bin:/sbin:/bin")
	})
}
