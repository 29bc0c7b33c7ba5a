package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"lacuna/knowledge/ingest/pdf"
	"lacuna/vecmath"
)

// TestMain gives every transcript the same program, whichever compiler made it and whichever processor
// runs it.
func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		pdf.Child()
		os.Exit(Main(os.Args[1:]))
	}
	patience = time.Hour
	build = func() versionJSON {
		return versionJSON{
			Version: "1.2.3", Release: true, Commit: "0123456", Time: "2026-01-02T03:04:05Z", Go: "go1.99", Platform: "os/arch", SIMD: "kernel",
			Packages: map[string]string{"github.com/viterin/vek": "v0.0.1"},
		}
	}
	os.Exit(m.Run())
}

func TestBuild(t *testing.T) {
	v := readBuild()
	for name, pair := range map[string][2]string{
		"version":  {v.Version, Version},
		"go":       {v.Go, runtime.Version()},
		"platform": {v.Platform, runtime.GOOS + "/" + runtime.GOARCH},
		"vectors":  {v.SIMD, vecmath.Instructions()},
	} {
		if pair[0] != pair[1] || pair[0] == "" {
			t.Errorf("%s: %q, want %q", name, pair[0], pair[1])
		}
	}
	for path, version := range v.Packages {
		if !strings.HasPrefix(version, "v") {
			t.Errorf("version of %s: %q", path, version)
		}
	}
}

func TestIsRelease(t *testing.T) {
	for version, want := range map[string]bool{
		"v0.1.0": true, "v1.20.3": true, "v1.0.0-rc.1": true,
		"": false, "(devel)": false, "v0.1": false, "nightly": false, "v0.1.0+dirty": false, // a tree with changes
		"v0.0.0-20261124020000-0123456789ab": false, "v0.1.1-0.20261124020000-0123456789ab": false, "v0.1.1-0.20261124020000-0123456789ab+dirty": false,
	} {
		if got := IsRelease(version); got != want {
			t.Errorf("%q: %v, want %v", version, got, want)
		}
	}
}

// TestVersionsAgree compares the version of the program with the ones that editors and readers see.
func TestVersionsAgree(t *testing.T) {
	for file, pattern := range map[string]string{
		"editors/vscode/package.json":      `(?m)^  "version": "([^"]+)"`,
		"editors/vscode/package-lock.json": `(?m)^  "version": "([^"]+)"`,
		"editors/emacs/lacuna.el":          `(?m)^;; Version: (\S+)`,
		"editors/zed/extension.toml":       `(?m)^version = "([^"]+)"`,
		"editors/zed/Cargo.toml":           `(?m)^version = "([^"]+)"`,
		"CHANGELOG.md":                     `(?m)^## (\d\S*)`,
	} {
		text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		if found := regexp.MustCompile(pattern).FindSubmatch(text); found == nil || string(found[1]) != Version {
			t.Errorf("%s has the version %q, the program %q", file, found, Version)
		}
	}
}

// TestPackagesNamed has the guide name the files that make vscode makes.
func TestPackagesNamed(t *testing.T) {
	guide, err := os.ReadFile(filepath.Join("..", "..", "docs", "vscode.md"))
	if err != nil {
		t.Fatal(err)
	}
	made := regexp.MustCompile(`make vscode(?: TARGET=(\S+))?\n\s+code --install-extension editors/vscode/(\S+)`).FindAllStringSubmatch(string(guide), -1)
	if len(made) != 2 {
		t.Fatalf("found %q", made)
	}
	for _, m := range made {
		want := "lacuna.vsix"
		if m[1] != "" {
			want = "lacuna-" + m[1] + ".vsix"
		}
		if m[2] != want {
			t.Errorf("make vscode TARGET=%s makes %s, and the guide installs %s", m[1], want, m[2])
		}
	}
}
