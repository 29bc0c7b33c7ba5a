package main

import (
	"bytes"
	"crypto/md5"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"lacuna/server/cli/usage"
)

// stand-in for the program in packages that are not run.
const program = "#!/bin/sh\necho lacuna\n"

// packed are the files of an archive, with a stand-in for the program.
func packed(t *testing.T) []entry {
	t.Helper()
	others, err := companions(repository, time.Unix(1e9, 0).UTC())
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat([]entry{{"lacuna", []byte(program), 0o755}}, others)
}

// TestCompanions holds what lies beside the program in every archive.
func TestCompanions(t *testing.T) {
	var names []string
	for _, file := range packed(t) {
		names = append(names, file.name)
		if len(file.data) == 0 || bytes.Contains(file.data, []byte("\r\n")) {
			t.Errorf("%s is empty, or has the line breaks of Windows", file.name)
		}
	}
	for _, want := range []string{
		"README.md", "CHANGELOG.md", "LICENSE", "NOTICE", "ThirdPartyNotices.txt", "LGPL-2.1.txt", "completions/lacuna.bash", "completions/_lacuna",
		"completions/lacuna.fish", "completions/lacuna.ps1", "man/lacuna.1", "man/lacuna-ask.1", "man/lacuna-eval-run.1",
	} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is missing", want)
		}
	}
	if len(completionFile) != len(usage.Shells) {
		t.Errorf("files of completions: %v", completionFile)
	}
}

// TestManPages has groff read every page of the program's manual.
func TestManPages(t *testing.T) {
	if _, err := exec.LookPath("groff"); err != nil {
		t.Skip(err)
	}
	var all bytes.Buffer
	for _, file := range packed(t) {
		if strings.HasPrefix(file.name, "man/") {
			all.Write(file.data)
		}
	}
	command := exec.Command("groff", "-ww", "-man", "-Tutf8", "-rcR=0")
	command.Stdin = &all
	var complaints strings.Builder
	command.Stderr = &complaints
	if err := command.Run(); err != nil || complaints.Len() > 0 {
		t.Errorf("%v: %s", err, complaints.String())
	}
}

// TestDebianPackage reads a package back, and has dpkg install it where dpkg is.
func TestDebianPackage(t *testing.T) {
	as := time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC)
	inside := packed(t)
	deb, err := debianPackage("1.2.3", "amd64", inside, as)
	if err != nil {
		t.Fatal(err)
	}
	again, err := debianPackage("1.2.3", "amd64", inside, as)
	if err != nil || !bytes.Equal(deb, again) {
		t.Errorf("two packages of the same files differ, %v", err)
	}

	members := unarchive(t, deb)
	if len(members) != 3 || members[0].name != "debian-binary" || string(members[0].data) != "2.0\n" || members[1].name != "control.tar.gz" || members[2].name != "data.tar.gz" {
		t.Fatalf("the package has %d members", len(members))
	}
	told := map[string]string{}
	for _, line := range unpack(t, members[1].data) {
		name, rest, _ := strings.Cut(line, " ")
		_, told[name], _ = strings.Cut(rest, "Z ")
	}
	for _, want := range []string{"Package: lacuna\n", "Version: 1.2.3\n", "Architecture: amd64\n", "Maintainer: " + maintainer + "\n", "Description: "} {
		if !strings.Contains(told["./control"], want) {
			t.Errorf("control lacks %q:\n%s", want, told["./control"])
		}
	}
	if len(told) != 2 {
		t.Errorf("dpkg is told %d files; a script of ours would run as root", len(told))
	}
	folders, files := map[string]bool{"./": true}, map[string]string{}
	for _, line := range unpack(t, members[2].data) {
		name, rest, _ := strings.Cut(line, " ")
		if !folders[name[:strings.LastIndex(strings.TrimSuffix(name, "/"), "/")+1]] {
			t.Errorf("%s comes before its folder", name)
		}
		if strings.HasSuffix(name, "/") {
			folders[name] = true
			if !strings.HasPrefix(rest, "drwxr-xr-x") {
				t.Errorf("%s: %s", name, rest)
			}
			continue
		}
		_, files[strings.TrimPrefix(name, "./")], _ = strings.Cut(rest, "Z ")
	}
	if files["usr/bin/lacuna"] != program {
		t.Errorf("the program is %q", files["usr/bin/lacuna"])
	}
	for _, name := range []string{
		"usr/share/man/man1/lacuna.1.gz", "usr/share/man/man1/lacuna-ask.1.gz", "usr/share/bash-completion/completions/lacuna", "usr/share/zsh/vendor-completions/_lacuna",
		"usr/share/fish/vendor_completions.d/lacuna.fish", "usr/share/doc/lacuna/copyright", "usr/share/doc/lacuna/changelog.gz", "usr/share/doc/lacuna/NOTICE",
		"usr/share/doc/lacuna/LGPL-2.1.txt", "usr/share/doc/lacuna/ThirdPartyNotices.txt.gz",
	} {
		if files[name] == "" {
			t.Errorf("%s is missing", name)
		}
	}
	var sums []string
	for name, data := range files {
		sums = append(sums, fmt.Sprintf("%x  %s\n", md5.Sum([]byte(data)), name))
	}
	slices.SortFunc(sums, func(a, b string) int { return strings.Compare(a[34:], b[34:]) })
	if told["./md5sums"] != strings.Join(sums, "") {
		t.Errorf("the checksums are not those of the files:\n%s", told["./md5sums"])
	}

	t.Run("dpkg", func(t *testing.T) {
		if _, err := exec.LookPath("dpkg"); err != nil {
			t.Skip(err)
		}
		processor, err := output(".", "dpkg", "--print-architecture")
		if err != nil || runtime.GOOS != "linux" {
			t.Skip("dpkg cannot install here:", err)
		}
		installDebian(t, debianFor(t, processor, inside, as))
	})
}

func debianFor(t *testing.T, processor string, inside []entry, as time.Time) []byte {
	t.Helper()
	deb, err := debianPackage("1.2.3", processor, inside, as)
	if err != nil {
		t.Fatal(err)
	}
	return deb
}

// installDebian has dpkg install, check and remove a package in a folder.
func installDebian(t *testing.T, deb []byte) {
	t.Helper()
	root, file := emptyRoot(t), filepath.Join(t.TempDir(), "lacuna.deb")
	if err := os.WriteFile(file, deb, 0o644); err != nil {
		t.Fatal(err)
	}
	dpkg := func(arguments ...string) string {
		t.Helper()
		command := exec.Command("dpkg", append([]string{"--root=" + root, "--log=" + filepath.Join(root, "log"), "--force-not-root", "--force-bad-path"}, arguments...)...)
		command.Env = append(os.Environ(), "LC_ALL=C")
		text, err := command.CombinedOutput()
		if err != nil {
			if os.Getuid() != 0 {
				t.Skipf("dpkg installs nothing for this user: %s", text)
			}
			t.Fatalf("dpkg %v: %v: %s", arguments, err, text)
		}
		return string(text)
	}
	dpkg("-i", file)
	if text := dpkg("--verify", "lacuna"); text != "" {
		t.Errorf("files are not those of the package:\n%s", text)
	}
	if text := dpkg("-s", "lacuna"); !strings.Contains(text, "Status: install ok installed") {
		t.Errorf("dpkg says:\n%s", text)
	}
	installed := filepath.Join(root, "usr", "bin", "lacuna")
	if text, err := output(root, installed); err != nil || text != "lacuna" {
		t.Errorf("the program says %q, %v", text, err)
	}
	dpkg("-r", "lacuna")
	if _, err := os.Stat(installed); err == nil {
		t.Error("the program is still there")
	}
}

// emptyRoot returns a folder in which dpkg can install.
func emptyRoot(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for _, folder := range []string{"info", "updates", "triggers"} {
		if err := os.MkdirAll(filepath.Join(root, "var/lib/dpkg", folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"status", "available"} {
		if err := os.WriteFile(filepath.Join(root, "var/lib/dpkg", file), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// unarchive reads an ar.
func unarchive(t *testing.T, data []byte) []entry {
	t.Helper()
	rest, ok := bytes.CutPrefix(data, []byte("!<arch>\n"))
	if !ok {
		t.Fatal("not an ar")
	}
	var files []entry
	for r := bytes.NewReader(rest); r.Len() > 0; {
		header := make([]byte, 60)
		if _, err := io.ReadFull(r, header); err != nil || string(header[58:]) != "`\n" {
			t.Fatalf("a header is %q, %v", header, err)
		}
		size, err := strconv.Atoi(strings.TrimSpace(string(header[48:58])))
		if err != nil {
			t.Fatal(err)
		}
		content := make([]byte, size+size%2)
		if _, err := io.ReadFull(r, content); err != nil {
			t.Fatal(err)
		}
		files = append(files, entry{strings.TrimSpace(string(header[:16])), content[:size], 0o644})
	}
	return files
}
