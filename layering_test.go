package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// The layers of the program: what each package may import of the others. A pattern that ends in
// "/..." stands for a package and all below it. ARCHITECTURE.md draws this.
var layers = map[string][]string{
	"":                  {"server/cli"},
	"server/cli":        {"server/...", "handlers/...", "knowledge/...", "vecmath"},
	"server/workspace":  {"handlers/settings", "knowledge/..."},
	"server":            {"server/dispatch", "server/stream", "handlers/...", "knowledge/..."},
	"server/dispatch":   {"handlers/lsp"},
	"server/stream":     {},
	"server/editortest": {"handlers/lsp", "handlers/position"},
	"handlers":          {"handlers/...", "knowledge/..."},
	"handlers/lsp":      {},
	"handlers/note":     {"handlers/position", "knowledge/passage"},
	"handlers/position": {},
	"handlers/settings": {"knowledge/ingest", "knowledge/passage"},
	"knowledge/answer":  {"knowledge", "knowledge/dense", "knowledge/gap", "knowledge/ingest", "knowledge/lexical", "knowledge/passage"},
	"knowledge/gap":     {"knowledge", "knowledge/dense", "knowledge/lexical", "knowledge/passage", "vecmath"},
	"knowledge/eval":    {"knowledge/lexical"},
	"knowledge":         {"knowledge/dense", "knowledge/ingest", "knowledge/lexical", "knowledge/passage", "vecmath"},
	"knowledge/dense":   {"vecmath"},
	"knowledge/ingest":  {"knowledge/passage"},
	"knowledge/lexical": {},
	"knowledge/passage": {},
	"vecmath":           {},
}

// owners are the packages that a third-party module belongs to; nobody else imports it.
var owners = map[string][]string{
	"go.lsp.dev":                    {"server/...", "handlers", "handlers/lsp"},
	"github.com/blugelabs":          {"knowledge/lexical"},
	"github.com/blevesearch":        {"knowledge/lexical"},
	"github.com/viterin":            {"vecmath"},
	"github.com/yuin/goldmark":      {"knowledge/ingest"},
	"github.com/bmatcuk/doublestar": {"knowledge/ingest"},
	"github.com/gofrs/flock":        {"knowledge"},
	"github.com/pelletier/go-toml":  {"handlers/settings"},
	"github.com/spf13/pflag":        {"server/cli"},
	"golang.org/x/text":             {"knowledge/passage", "knowledge/lexical"},
}

// unwanted are packages of the standard library that nothing of ours may import: the program opens
// no connection and loads no code.
var unwanted = []string{"net", "net/http", "net/rpc", "net/smtp", "plugin", "encoding/gob"}

func TestImportsGoOneWay(t *testing.T) {
	for _, p := range packages(t) {
		allowed, known := layers[p.name]
		if !known {
			t.Errorf("package %q has no place in the layers; give it one", p.name)
		}
		for _, imported := range p.Imports {
			ours, internal := strings.CutPrefix(imported, "lacuna/")
			switch {
			case internal && !covers(allowed, ours):
				t.Errorf("%q must not import %q; it may import %v", p.name, ours, allowed)
			case slices.Contains(unwanted, imported):
				t.Errorf("%q must not import %q: nothing here talks to a network", p.name, imported)
			}
		}
	}
}

func TestEachDependencyHasOneOwner(t *testing.T) {
	for _, p := range packages(t) {
		for _, imported := range p.Imports {
			if first, _, _ := strings.Cut(imported, "/"); first == "lacuna" || !strings.Contains(first, ".") {
				continue
			}
			owned := false
			for module, by := range owners {
				owned = owned || (imported == module || strings.HasPrefix(imported, module+"/")) && covers(by, p.name)
			}
			if !owned {
				t.Errorf("%q imports %q, which belongs to another package or to none", p.name, imported)
			}
		}
	}
}

type listed struct {
	ImportPath string
	Imports    []string
	name       string // relative to the module
}

// packages lists the packages of this module with what they import outside their tests.
func packages(t *testing.T) []listed {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []listed
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		p.name = strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, "lacuna"), "/")
		all = append(all, p)
	}
	if len(all) < len(layers)/2 {
		t.Fatalf("go list found only %d packages", len(all))
	}
	return all
}

// covers reports whether one of the patterns fits the package.
func covers(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		top, deep := strings.CutSuffix(pattern, "/...")
		return name == top || deep && strings.HasPrefix(name, top+"/")
	})
}
