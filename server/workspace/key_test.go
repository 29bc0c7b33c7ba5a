package workspace

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"lacuna/handlers/settings"
)

// TestMain lets the test program play the command that prints a key.
func TestMain(m *testing.M) {
	switch os.Getenv("LACUNA_TEST_KEY_COMMAND") {
	case "prints":
		os.Stdout.WriteString("sk-command " + strings.Join(os.Args[1:], "|") + "\nsecond line\n")
		os.Exit(0)
	case "fails":
		os.Stdout.WriteString("sk-leaked\n")
		os.Exit(3)
	case "nothing":
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestKeys(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "key")
	if err := os.WriteFile(file, []byte("sk-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	open := filepath.Join(dir, "open")
	if err := os.WriteFile(open, []byte("sk-open\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o644); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("LACUNA_TEST_KEY", " sk-env ")
	command := settings.Secret(`"` + self + `" read 'a key'`)
	for _, test := range []struct {
		name     string
		endpoint settings.Endpoint
		plays    string
		key, err string
	}{
		{"set", settings.Endpoint{APIKey: "sk", APIKeyEnv: "LACUNA_TEST_KEY"}, "", "sk", ""},
		{"environment", settings.Endpoint{APIKeyEnv: "LACUNA_TEST_KEY", APIKeyFile: file}, "", "sk-env", ""},
		{"no such variable", settings.Endpoint{APIKeyEnv: "LACUNA_TEST_NONE"}, "", "", "LACUNA_TEST_NONE is not set"},
		{"file", settings.Endpoint{APIKeyFile: file}, "", "sk-file", ""},
		{"no such file", settings.Endpoint{APIKeyFile: filepath.Join(dir, "none")}, "", "", "the key's file"},
		{"a folder", settings.Endpoint{APIKeyFile: dir}, "", "", "the key's file"},
		{"a file that others can read", settings.Endpoint{APIKeyFile: open}, "", "", "chmod 600"},
		{"command", settings.Endpoint{APIKeyCommand: command}, "prints", "sk-command read|a key", ""},
		{"a command that fails", settings.Endpoint{APIKeyCommand: command}, "fails", "", "exit status 3"},
		{"a command that prints nothing", settings.Endpoint{APIKeyCommand: command}, "nothing", "", "gave no key"},
		{"no such command", settings.Endpoint{APIKeyCommand: "lacuna-no-such-command"}, "", "", "lacuna-no-such-command"},
	} {
		if runtime.GOOS == "windows" && strings.Contains(test.name, "others") {
			continue
		}
		t.Setenv("LACUNA_TEST_KEY_COMMAND", test.plays)
		key, err := keyOf(test.endpoint)(t.Context())
		if key != test.key || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s: %q, %v; want %q, %q", test.name, key, err, test.key, test.err)
		}
		if err != nil && strings.Contains(err.Error(), "sk-") {
			t.Errorf("%s: the error holds a key: %v", test.name, err)
		}
	}
	if keyOf(settings.Endpoint{}) != nil {
		t.Error("a key where none is set")
	}
}

func TestAKeyCommandEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := keyFromCommand(ctx, "sleep 60"); err == nil {
		t.Error("no error")
	}
}

func TestSplit(t *testing.T) {
	for line, want := range map[string][]string{
		`pass show key`:           {"pass", "show", "key"},
		`op read "op://a b/c"`:    {"op", "read", "op://a b/c"},
		` a  'b "c"'d "" `:        {"a", `b "c"d`, ""},
		`C:\tools\key.exe $(x);y`: {`C:\tools\key.exe`, "$(x);y"},
	} {
		if got, err := split(line); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v; want %q", line, got, err, want)
		}
	}
	for _, line := range []string{"", "  ", `"" a`, `a 'b`} {
		if got, err := split(line); err == nil {
			t.Errorf("%q: %q", line, got)
		}
	}
}
