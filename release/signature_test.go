package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestSignatures runs the commands of docs/release.md with a key that is thrown away: what was signed is good, and no longer once a
// file, the list or the key is another.
func TestSignatures(t *testing.T) {
	for _, program := range []string{"sh", "ssh-keygen", "sha256sum"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	page, err := os.ReadFile(filepath.Join(repository, "docs", "release.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(strings.ReplaceAll(string(page), "\r\n", "\n"), -1)
	if len(blocks) != 3 {
		t.Fatalf("%d blocks of commands, want those to make a key, to sign and to check", len(blocks))
	}
	makeKey, sign, check := strings.Replace(blocks[0][1], `-f "$KEY"`, `-f "$KEY" -q -N ""`, 1), blocks[1][1], blocks[2][1]

	for _, test := range []struct {
		name, change string // what happens between signing and checking
		good         bool
	}{
		{"nothing", "true", true},
		{"an archive is not downloaded", "rm other.zip", true},
		{"an archive is altered", "echo more >> lacuna.tar.gz", false},
		{"archive and list are altered", "echo more >> lacuna.tar.gz; sha256sum *.tar.gz *.zip > SHA256SUMS", false},
		{"the signature is another's", `KEY=$KEY.other; ` + makeKeyOnly(makeKey) + "rm SHA256SUMS.sig;" + sign, false},
		{"it was made for something else", strings.ReplaceAll("rm SHA256SUMS.sig;"+sign, "lacuna-release", "file"), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			run := func(script string) (string, error) {
				command := exec.Command("sh", "-c", script)
				command.Dir, command.Env = folder, append(os.Environ(), "KEY="+filepath.Join(folder, "key"))
				text, err := command.CombinedOutput()
				return string(text), err
			}
			prepared := "set -e\necho one > lacuna.tar.gz; echo two > other.zip; sha256sum *.tar.gz *.zip > SHA256SUMS\n"
			if text, err := run(prepared + makeKey + sign + test.change); err != nil {
				t.Fatalf("%v: %s", err, text)
			}
			text, err := run(check)
			if good := err == nil; good != test.good {
				t.Errorf("the check says %v: %s", err, text)
			}
			if test.good && (!strings.Contains(text, `Good "lacuna-release" signature for publisher`) || !strings.Contains(text, "lacuna.tar.gz: OK")) {
				t.Errorf("the check says %s", text)
			}
		})
	}
}

// makeKeyOnly is the first line of the commands that make a key: the list of signers stays as it is.
func makeKeyOnly(commands string) string {
	first, _, _ := strings.Cut(commands, "\n")
	return first + "\n"
}
