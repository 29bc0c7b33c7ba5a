package redteam_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var (
	command = regexp.MustCompile("`go test (\\S+)(?: -run '?([\\w|\\\\]+)'?)?`")
	counted = regexp.MustCompile(`<!-- cases -->(\d+)<!-- /cases -->`)
)

// minCases is how many cases there are at least.
const minCases = 200

// TestThreatsAreTested checks that every test that docs/threats.md names exists where it says, and that it states the
// number of cases.
func TestThreatsAreTested(t *testing.T) {
	root := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(root, "docs", "threats.md"))
	if err != nil {
		t.Fatal(err)
	}
	commands := command.FindAllStringSubmatch(string(page), -1)
	if written := strings.Count(string(page), "`go test "); len(commands) != written || written == 0 {
		t.Errorf("%d of %d commands can be read", len(commands), written)
	}
	for _, c := range commands {
		if c[2] == "" {
			continue
		}
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(c[1]), "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		var source strings.Builder
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			source.Write(text)
		}
		for _, name := range strings.Split(strings.ReplaceAll(c[2], `\`, ""), "|") {
			if !strings.Contains(source.String(), "\nfunc "+name+"(") {
				t.Errorf("%s has no test %s", c[1], name)
			}
		}
	}
	cases := 0
	seen := map[string]bool{}
	for _, file := range []string{"replies", "documents", "folders", "endpoints"} {
		archive, err := txtar.ParseFile(filepath.Join("testdata", file+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			name, _, _ := strings.Cut(f.Name, " | ")
			if name = file + " " + name; !seen[name] {
				cases++
			} else if file != "folders" { // where a case may have several files
				t.Errorf("two cases are called %q", name)
			}
			seen[name] = true
		}
	}
	if m := counted.FindStringSubmatch(string(page)); m == nil || m[1] != fmt.Sprint(cases) {
		t.Errorf("docs/threats.md says %q, and there are %d cases", m, cases)
	}
	if cases < minCases {
		t.Errorf("%d cases, want at least %d", cases, minCases)
	}
}
