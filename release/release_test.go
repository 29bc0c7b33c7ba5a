package main

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lacuna/server/cli"
)

var update = flag.Bool("update", false, "write the notices again")

// repository is the folder above this package.
const repository = ".."

// needModules skips where Go cannot list the modules of the program, as for a user who has not downloaded them.
func needModules(t *testing.T) {
	t.Helper()
	command := exec.Command("go", "list", "-deps", ".")
	command.Dir, command.Env = repository, append(os.Environ(), "GOPROXY=off")
	if text, err := command.CombinedOutput(); err != nil {
		t.Skipf("this user has not downloaded the modules: %v: %s", err, text)
	}
}

// TestNotices holds that the files of notices have every part and its terms, that someone has read all of them, and that they
// are allowed.
func TestNotices(t *testing.T) {
	needModules(t)
	current, err := currentNotices(repository)
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range current {
		path := filepath.Join(repository, file)
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.Split(string(got), "\n"), strings.Split(want, "\n")); diff != "" {
			t.Errorf("%s is not what the parts say; run go test ./release -update (-is, +should be):\n%s", file, diff)
		}
	}
	parts, err := programParts(repository, []string{"linux/amd64"})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range parts {
		for _, text := range p.texts {
			if !strings.Contains(current[programNotices], "\n"+text.body+"\n") && !slices.Contains(reviewed[fingerprint(text.body)], notTaken) {
				t.Errorf("%s lacks %s of %s", programNotices, text.file, p.name)
			}
		}
	}
	if current[extensionNotices] == "" {
		t.Log("npm has not installed the extension's packages: its notices are only compared with package-lock.json")
	}
}

// TestTerms holds that terms which are unknown, changed or not allowed are refused.
func TestTerms(t *testing.T) {
	mit, err := os.ReadFile(filepath.Join("testdata", "mit.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, text, want string
	}{
		{"known terms", string(mit), "MIT"},
		{"of another person", strings.Replace(string(mit), "2022 viterin", "2030 Somebody Else and others", 1), "MIT"},
		{"on one line, without a title", strings.Join(strings.Fields(strings.SplitN(string(mit), "\n\n", 3)[2]), " "), "MIT"},
		{"with a word more", strings.Replace(string(mit), "without restriction", "without restriction but the following", 1), "nobody has read"},
		{"with a condition more", string(mit) + "\nThe Software may not be sold.\n", "nobody has read"},
		{"unknown terms", "You owe the author a beer.", "nobody has read"},
		{"none", "", "no licence"},
	} {
		p := part{name: "example.org/part", version: "v1.0.0"}
		if test.text != "" {
			p.texts = []text{{"LICENSE", test.text}}
		}
		terms, err := p.licences()
		got := strings.Join(terms, " ")
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, test.want) {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
	reviewed["0000000000000000"] = nil
	defer delete(reviewed, "0000000000000000")
	gpl := "GNU GENERAL PUBLIC LICENSE Version 3"
	reviewed[fingerprint(gpl)] = []string{"GPL-3.0-only"}
	defer delete(reviewed, fingerprint(gpl))
	if _, err := (part{name: "p", texts: []text{{"COPYING", gpl}}}).licences(); err == nil || !strings.Contains(err.Error(), "not allowed") {
		t.Errorf("terms that were read but are not allowed: %v", err)
	}
}

// TestProgramBill holds that the bill of materials of a program has what go.mod has, in its versions, and nothing else.
func TestProgramBill(t *testing.T) {
	needModules(t)
	program := filepath.Join(t.TempDir(), "lacuna")
	command := exec.Command("go", "build", "-o", program, ".")
	command.Dir, command.Env = repository, append(os.Environ(), "CGO_ENABLED=0")
	if text, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	platform := runtime.GOOS + "/" + runtime.GOARCH
	b, err := programBill(repository, program, platform, time.Unix(0, 0).UTC())
	if err != nil {
		t.Fatal(err)
	}
	listed, err := output(repository, "go", "mod", "edit", "-json")
	if err != nil {
		t.Fatal(err)
	}
	var mod struct {
		Require []struct{ Path, Version string }
	}
	if err := json.Unmarshal([]byte(listed), &mod); err != nil {
		t.Fatal(err)
	}
	required := map[string]string{"stdlib": strings.TrimPrefix(runtime.Version(), "go")}
	for _, m := range mod.Require {
		required[m.Path] = m.Version
	}
	got := map[string]string{}
	for _, c := range b.Components {
		if got[c.Name] != "" {
			t.Errorf("%s is there twice", c.Name)
		}
		got[c.Name] = c.Version
		if c.Version != required[c.Name] {
			t.Errorf("the bill has %s %s, go.mod %q", c.Name, c.Version, required[c.Name])
		}
		if len(c.Licences) == 0 {
			t.Errorf("%s has no licence", c.Name)
		}
		if !slices.Contains(b.Dependencies[0].On, c.Ref) {
			t.Errorf("the program does not depend on %s", c.Ref)
		}
	}
	linked, err := programParts(repository, []string{platform})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range linked[1:] {
		if got[p.name] != p.version {
			t.Errorf("%s %s is linked, the bill has %q", p.name, p.version, got[p.name])
		}
	}
	if len(linked) != len(b.Components) {
		t.Errorf("%d parts are linked, the bill has %d", len(linked), len(b.Components))
	}
	if b.Metadata.Component.Version != cli.Version || len(b.Metadata.Component.Hashes) != 1 {
		t.Errorf("the bill is of %+v", b.Metadata.Component)
	}
}

// TestExtensionBill holds that the bill and the notices of the extension have the packages of package-lock.json.
func TestExtensionBill(t *testing.T) {
	b, err := extensionBill(repository)
	if err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(filepath.Join(repository, extensionNotices))
	if err != nil {
		t.Fatal(err)
	}
	list, _, _ := strings.Cut(string(written), "\n\n===")
	_, list, _ = strings.Cut(list, "\n\n")
	var lines []string
	for _, c := range b.Components {
		var terms []string
		for _, l := range c.Licences {
			if !slices.Contains(allowed, l.License.ID) {
				t.Errorf("%s has the terms %s, which are not allowed", c.Name, l.License.ID)
			}
			terms = append(terms, l.License.ID)
		}
		lines = append(lines, c.Name+" "+c.Version+": "+strings.Join(terms, ", "))
	}
	if diff := cmp.Diff(lines, strings.Split(strings.TrimSpace(list), "\n")); diff != "" {
		t.Errorf("package-lock.json and the notices differ; run npm ci in %s, and go test ./release -update:\n%s", extensionFolder, diff)
	}
	if b.Metadata.Component.Version != cli.Version {
		t.Errorf("the extension is %s, the program %s", b.Metadata.Component.Version, cli.Version)
	}
}

// TestArchives holds that an archive is made of its files and a time alone, and comes out as it went in.
func TestArchives(t *testing.T) {
	var files []entry
	for name, mode := range map[string]os.FileMode{"lacuna": 0o755, "LICENSE": 0o644} {
		files = append(files, entry{name, []byte("text of " + name), mode})
	}
	slices.SortFunc(files, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	as := time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC)
	for _, pack := range []func(string, []entry, time.Time) ([]byte, error){tarred, zipped} {
		first, err := pack("lacuna-1/", files, as)
		if err != nil {
			t.Fatal(err)
		}
		second, err := pack("lacuna-1/", files, as)
		if err != nil {
			t.Fatal(err)
		}
		if string(first) != string(second) {
			t.Error("two archives of the same files differ")
		}
		if diff := cmp.Diff(unpack(t, first), []string{
			"lacuna-1/LICENSE -rw-r--r-- 2026-01-02T03:04:06Z text of LICENSE", "lacuna-1/lacuna -rwxr-xr-x 2026-01-02T03:04:06Z text of lacuna",
		}); diff != "" {
			t.Error(diff)
		}
	}
}

// TestTag holds that a release is not built from a tag of another version, and that other tags say nothing.
func TestTag(t *testing.T) {
	for _, test := range []struct{ tags, want string }{
		{"", ""},
		{"nightly v1 va.b.c", ""},
		{"v" + cli.Version, "v" + cli.Version},
		{"nightly v" + cli.Version, "v" + cli.Version},
		{"v99.0.0", "v99.0.0"},
		{"v99.0.0-rc.1", "v99.0.0-rc.1"},
	} {
		folder := t.TempDir()
		git := func(arguments ...string) {
			t.Helper()
			if _, err := output(folder, "git", append([]string{"-c", "user.name=n", "-c", "user.email=e"}, arguments...)...); err != nil {
				t.Skip(err)
			}
		}
		git("init", "--quiet")
		git("commit", "--quiet", "--allow-empty", "-m", "one")
		for _, tag := range strings.Fields(test.tags) {
			git("tag", tag)
		}
		tag, err := tagOf(folder)
		if err != nil {
			if !strings.Contains(err.Error(), test.want) || test.want == "" {
				t.Errorf("%q: %v", test.tags, err)
			}
			continue
		}
		if tag != test.want {
			t.Errorf("%q: %q, want %q", test.tags, tag, test.want)
		}
	}
}

// TestSaysTag holds that a program which was not built from a tag does not pass for one that was.
func TestSaysTag(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := saysTag(self, ""); err != nil {
		t.Error(err)
	}
	if err := saysTag(self, "v"+cli.Version); err == nil {
		t.Error("the program of these tests passes for a release")
	}
}
