package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestDoctorMindsWhoCanChangeSettings: only a file that widens what is allowed has to be the user's
// alone. That of a workspace is writable by its group on many systems from the moment of the clone.
func TestDoctorMindsWhoCanChangeSettings(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no mode there")
	}
	dir := t.TempDir()
	isolate(t, dir)
	t.Chdir(dir)
	for name, text := range map[string]string{".lacuna.toml": "", "user.toml": "", "kb/asthma.md": "A reliever inhaler opens the airways.\n"} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		file  string
		fault bool
	}{{".lacuna.toml", false}, {"user.toml", true}} {
		if err := os.Chmod(tt.file, 0o664); err != nil {
			t.Fatal(err)
		}
		stdout, _, _ := runTyped(t, "doctor --config user.toml")
		if got := strings.Contains(stdout, "can be changed by others"); got != tt.fault {
			t.Errorf("%s writable by its group: fault %t, want %t\n%s", tt.file, got, tt.fault, stdout)
		}
		if err := os.Chmod(tt.file, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
