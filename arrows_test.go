package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestArrows renders the import graph and, for each package, the order in which to read its files
// with the arrows against it: a file that uses what a later file declares. It holds two limits, so
// that data flows one way and a package is small enough to know. `go test . -run Arrows -v` prints
// the rendering.
func TestArrows(t *testing.T) {
	var rendering strings.Builder
	for _, p := range loadPackages(t) {
		order := p.readingOrder()
		back := p.backArrows(order)
		fmt.Fprintf(&rendering, "%s: %d files, %d arrows, %d back\n", p.folder, len(order), len(p.arrows), len(back))
		if len(p.imports) > 0 {
			fmt.Fprintf(&rendering, "\timports %s\n", strings.Join(p.imports, " "))
		}
		fmt.Fprintf(&rendering, "\tread %s\n", strings.Join(order, " "))
		for _, arrow := range back {
			fmt.Fprintf(&rendering, "\tback %s -> %s: %s\n", arrow.from, arrow.to, p.reason(arrow))
		}
		if len(order) > maxFiles {
			t.Errorf("%s has %d files; the limit is %d", p.folder, len(order), maxFiles)
		}
		if len(back) > max(1, len(p.arrows)/10) {
			t.Errorf("%s: %d of %d arrows between its files run back; the limit is a tenth", p.folder, len(back), len(p.arrows))
		}
	}
	t.Log("\n" + rendering.String())
}

// maxFiles limits the files of a package, tests aside.
const maxFiles = 22

// arrow says that file from uses a name that file to, of the same package, declares.
type arrow struct{ from, to string }

// filePackage is one package with the arrows between its files.
type filePackage struct {
	folder  string             // relative to the module; "." is the root
	imports []string           // the module's own packages that it imports, sorted
	files   []string           // for the platform the test runs on, tests aside
	arrows  map[arrow][]string // the names used, in no order
}

// reason lists up to three of the names behind an arrow.
func (p *filePackage) reason(a arrow) string {
	names := slices.Compact(slices.Sorted(slices.Values(p.arrows[a])))
	if len(names) > 3 {
		names = append(names[:3], "…")
	}
	return strings.Join(names, ", ")
}

// backArrows returns the arrows from a file to one that comes later in order, sorted.
func (p *filePackage) backArrows(order []string) []arrow {
	place := map[string]int{}
	for i, file := range order {
		place[file] = i
	}
	var back []arrow
	for a := range p.arrows {
		if place[a.to] > place[a.from] {
			back = append(back, a)
		}
	}
	slices.SortFunc(back, func(a, b arrow) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	return back
}

// readingOrder sorts the files so that few arrows run back: a file comes after those it uses. The
// minimum is a hard problem (feedback arc set), so it descends from several orders, shuffled with a
// fixed seed, and keeps the best.
func (p *filePackage) readingOrder() []string {
	random := rand.New(rand.NewPCG(1, 2))
	best := slices.Sorted(slices.Values(p.files))
	order := slices.Clone(best)
	slices.SortStableFunc(order, func(a, b string) int { return cmp.Compare(p.uses(a)-p.usedBy(a), p.uses(b)-p.usedBy(b)) })
	for range 20 {
		p.descend(order)
		if len(p.backArrows(order)) < len(p.backArrows(best)) {
			best = slices.Clone(order)
		}
		random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
	return best
}

// descend moves single files within order for as long as a move lowers the number of back arrows.
func (p *filePackage) descend(order []string) {
	for moved := true; moved; {
		moved = false
		for _, file := range slices.Sorted(slices.Values(order)) {
			if to, gain := p.betterPlace(order, file); gain > 0 {
				from := slices.Index(order, file)
				copy(order, slices.Insert(slices.Delete(slices.Clone(order), from, from+1), to, file))
				moved = true
			}
		}
	}
}

// betterPlace returns the best index for file in order without it, and how many back arrows the move
// saves.
func (p *filePackage) betterPlace(order []string, file string) (to, gain int) {
	from := slices.Index(order, file)
	others := slices.Delete(slices.Clone(order), from, from+1)
	back := 0 // at index 0, where everything that file uses comes later
	for _, other := range others {
		if p.has(file, other) {
			back++
		}
	}
	costs := []int{back}
	for _, other := range others {
		if p.has(file, other) {
			back--
		}
		if p.has(other, file) {
			back++
		}
		costs = append(costs, back)
	}
	to = slices.Index(costs, slices.Min(costs))
	return to, costs[from] - costs[to]
}

func (p *filePackage) has(from, to string) bool { return p.arrows[arrow{from, to}] != nil }

func (p *filePackage) uses(file string) (n int) {
	for a := range p.arrows {
		if a.from == file {
			n++
		}
	}
	return n
}

func (p *filePackage) usedBy(file string) (n int) {
	for a := range p.arrows {
		if a.to == file {
			n++
		}
	}
	return n
}

// loadPackages type-checks every package of the module, against compiled dependencies, and returns
// them sorted by folder.
func loadPackages(t *testing.T) []*filePackage {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("needs the go command: ", err)
	}
	list := exec.CommandContext(t.Context(), "go", "list", "-export", "-deps", "-f",
		"{{.ImportPath}}\t{{.Export}}\t{{if not .Standard}}{{.Module.Main}}{{end}}\t{{.Dir}}\t{{join .GoFiles \" \"}}\t{{join .Imports \" \"}}", "./...")
	var problem strings.Builder
	list.Stderr = &problem
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, problem.String())
	}
	type listed struct{ path, dir, files, imports string }
	exports := map[string]string{}
	var module []listed
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		exports[fields[0]] = fields[1]
		if fields[2] == "true" {
			module = append(module, listed{fields[0], fields[3], fields[4], fields[5]})
		}
	}
	set := token.NewFileSet()
	imports := importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	own := modulePath(t)
	var packages []*filePackage
	for _, l := range module {
		p := &filePackage{folder: folderOf(own, l.path), files: strings.Fields(l.files), arrows: map[arrow][]string{}}
		for _, path := range strings.Fields(l.imports) {
			if strings.HasPrefix(path, own+"/") {
				p.imports = append(p.imports, folderOf(own, path))
			}
		}
		p.findArrows(t, set, imports, l.path, l.dir)
		packages = append(packages, p)
	}
	slices.SortFunc(packages, func(a, b *filePackage) int { return cmp.Compare(a.folder, b.folder) })
	return packages
}

// folderOf returns the folder of one of the module's packages.
func folderOf(module, path string) string {
	return cmp.Or(strings.TrimPrefix(strings.TrimPrefix(path, module), "/"), ".")
}

// findArrows type-checks the package and fills in its arrows.
func (p *filePackage) findArrows(t *testing.T, set *token.FileSet, imports types.Importer, path, dir string) {
	t.Helper()
	var files []*ast.File
	for _, name := range p.files {
		file, err := parser.ParseFile(set, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	pkg, err := (&types.Config{Importer: imports}).Check(path, set, files, &info)
	if err != nil {
		t.Fatal(err)
	}
	for use, object := range info.Uses {
		if object.Pkg() != pkg {
			continue
		}
		a := arrow{filepath.Base(set.Position(use.Pos()).Filename), filepath.Base(set.Position(object.Pos()).Filename)}
		if a.from != a.to {
			p.arrows[a] = append(p.arrows[a], object.Name())
		}
	}
}
