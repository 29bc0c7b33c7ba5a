package cli

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"lacuna/vecmath"
)

// TestMain gives every transcript the same program, whichever compiler made it and whichever processor
// runs it.
func TestMain(m *testing.M) {
	build = func() versionJSON {
		return versionJSON{
			Version: "1.2.3", Commit: "0123456", Time: "2026-01-02T03:04:05Z", Go: "go1.99", Platform: "os/arch", SIMD: "kernel",
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
