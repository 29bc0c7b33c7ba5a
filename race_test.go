package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestWithoutGoroutines prints the packages whose tests start no goroutine and run no code of ours that does: the race
// detector, which .ci/run does not give them every time, has nothing to find there. `go test . -run WithoutGoroutines -v`
// prints them.
func TestWithoutGoroutines(t *testing.T) {
	all := make(map[string]*startingPackage)
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := entry.Name(); entry.IsDir() && path != "." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules") {
			return fs.SkipDir
		}
		if entry.IsDir() || filepath.Ext(path) != ".go" {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		folder := filepath.ToSlash(filepath.Dir(path))
		p := all[folder]
		if p == nil {
			p = &startingPackage{}
			all[folder] = p
		}
		p.read(file, strings.HasSuffix(path, "_test.go"))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	reaches := make(map[string]bool) // that the package or one that it imports starts goroutines
	var visit func(folder string) bool
	visit = func(folder string) bool {
		if known, done := reaches[folder]; done || all[folder] == nil {
			return known
		}
		reaches[folder] = all[folder].starts || slices.ContainsFunc(all[folder].imports, visit)
		return reaches[folder]
	}
	found := 0
	for _, folder := range slices.Sorted(maps.Keys(all)) {
		if p := all[folder]; p.hasTests && !p.testsStart && !visit(folder) && !slices.ContainsFunc(p.testImports, visit) {
			t.Log("without goroutines: lacuna/" + folder)
			found++
		}
	}
	for folder, want := range map[string]bool{"knowledge": true, "knowledge/par": true, "server": true, "knowledge/plaintext": false} {
		if visit(folder) != want {
			t.Errorf("%s starts goroutines: %v", folder, !want)
		}
	}
	if found == 0 {
		t.Error("there is no such package")
	}
}

// startingPackage is what the files of a folder do, on any platform.
type startingPackage struct {
	imports, testImports []string // folders of the module
	starts, testsStart   bool     // goroutines, or something that may
	hasTests             bool
}

// harmless are modules of others that start no goroutine.
var harmless = []string{"golang.org/x/text/", "golang.org/x/net/html", "golang.org/x/tools/txtar", "github.com/yuin/goldmark", "github.com/google/go-cmp/", "github.com/blevesearch/go-porterstemmer"}

func (p *startingPackage) read(file *ast.File, test bool) {
	starts := false
	for _, spec := range file.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value) // the parser has read it
		if ours, ok := strings.CutPrefix(imported, "lacuna/"); ok && test {
			p.testImports = append(p.testImports, ours)
		} else if ok {
			p.imports = append(p.imports, ours)
		} else if foreign(imported) || imported == "testing/synctest" {
			starts = starts || !slices.ContainsFunc(harmless, func(module string) bool { return strings.HasPrefix(imported, module) })
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			starts = true
		case *ast.SelectorExpr:
			starts = starts || slices.Contains([]string{"Go", "AfterFunc", "AddCleanup", "SetFinalizer", "Parallel", "RunParallel"}, n.Sel.Name)
		}
		return true
	})
	if test {
		p.testsStart = p.testsStart || starts
		p.hasTests = true
	} else {
		p.starts = p.starts || starts
	}
}
