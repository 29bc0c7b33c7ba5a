package knowledge

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// indexFiles lists the files of an index that say what it holds.
func indexFiles(t testing.TB, dir string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && entry.Name() != lockName {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

var damages = map[string]func(content []byte) []byte{
	"emptied":   func([]byte) []byte { return nil },
	"cut off":   func(content []byte) []byte { return content[:len(content)-1] },
	"one bit":   func(content []byte) []byte { content[len(content)/2] ^= 0x10; return content },
	"first bit": func(content []byte) []byte { content[0] ^= 1; return content },
	"last bit":  func(content []byte) []byte { content[len(content)-1] ^= 0x80; return content },
	"halved":    func(content []byte) []byte { return content[:len(content)/2] },
	"reversed":  func(content []byte) []byte { slices.Reverse(content); return append(content, 1) },
	"another":   func([]byte) []byte { return []byte("# Iron\n\nA file of somebody else.\n") },
	"longer":    func(content []byte) []byte { return append(content, 0) },
	"removed":   nil,
}

// Whatever happens to whichever file, the index opens empty and knows why.
func TestDamageIsNoticed(t *testing.T) {
	d := newDesk(t, tally{name: "first-1", fits: new(int)})
	d.addNotes(0, 60)
	d.open()
	d.refresh()
	if err := d.index.Close(); err != nil {
		t.Fatal(err)
	}
	for damage, apply := range damages {
		for _, file := range indexFiles(t, d.options.Dir) {
			name := filepath.Base(file)
			if name == currentName && (damage == "removed" || damage == "longer" || damage == "cut off") {
				continue // no index, or still the whole pointer
			}
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !applyTo(t, file, apply) {
				continue
			}
			x := d.open()
			if n := len(x.Library().Passages()); n != 0 || x.damage == "" {
				t.Errorf("%s %s: opens with %d passages, damage %q", name, damage, n, x.damage)
			}
			if err := errors.Join(x.Close(), os.WriteFile(file, content, 0o600)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := len(d.open().Library().Passages()); n != 63 {
		t.Errorf("the index as it was opens with %d passages", n)
	}
}

// A damaged index is said to be damaged and then as good as new.
func TestDamageIsRepaired(t *testing.T) {
	d := newDesk(t, tally{name: "first-1", fits: new(int)})
	d.addNotes(0, 60)
	d.open()
	d.refresh()
	status, generation := d.index.Library().Status(), d.index.Library().Generation()
	if err := d.index.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{currentName, manifestName, storeName, encoderName, "first-1"} {
		files := indexFiles(t, d.options.Dir) // the folder has another name after each repair
		file := files[slices.IndexFunc(files, func(f string) bool { return filepath.Base(f) == name })]
		applyTo(t, file, damages["one bit"])
		x := d.open()
		d.refresh()
		if l := x.Library(); d.events[0].Stage != Damaged || d.events[0].Note == "" || l.Status() != status || l.Generation() != generation {
			t.Errorf("%s: %v, %+v, generation %s not %s", file, d.events[0], l.Status(), l.Generation(), generation)
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// applyTo damages a file, or removes it if damage is nil, and reports whether that changed it.
func applyTo(t testing.TB, file string, damage func(content []byte) []byte) bool {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case damage == nil:
		err = os.Remove(file)
	case len(content) == 0:
		return false
	default:
		err = os.WriteFile(file, damage(content), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return true
}

func TestIndexOfAnotherVersionIsReplacedInSilence(t *testing.T) {
	d := newDesk(t)
	if err := os.MkdirAll(d.options.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	pointer := fmt.Sprintf("lacuna-index %d\nsomething else\n", formatVersion+1)
	if err := os.WriteFile(filepath.Join(d.options.Dir, currentName), []byte(pointer), 0o600); err != nil {
		t.Fatal(err)
	}
	d.open()
	d.refresh()
	if got := best(t, d.index.Library(), "lozenges"); got != "zinc.md" || d.stages() != "reading indexing ready" {
		t.Errorf("found %q after %s", got, d.stages())
	}
}

func TestLexicalIndexOfAnotherVersionIsReplacedInSilence(t *testing.T) {
	d := newDesk(t)
	d.open()
	d.refresh()
	if err := d.index.Close(); err != nil {
		t.Fatal(err)
	}
	g := d.index.state.generation
	manifests, err := filepath.Glob(filepath.Join(g.dir, "*", lexicalName, manifestName))
	if err != nil || len(manifests) == 0 {
		t.Fatalf("no lexical manifest: %v", err)
	}
	for _, file := range manifests {
		applyTo(t, file, func(content []byte) []byte {
			return regexp.MustCompile(`"analysis":\d+`).ReplaceAll(content, []byte(`"analysis":0`))
		})
	}
	again := &generation{dir: g.dir, manifest: manifest{Format: formatVersion, Passages: g.manifest.Passages}}
	if err := errors.Join(os.Remove(filepath.Join(g.dir, manifestName)), again.seal(), again.makeCurrent()); err != nil {
		t.Fatal(err)
	}
	known := d.open().state.files
	d.refresh()
	if got := best(t, d.index.Library(), "lozenges"); got != "zinc.md" || d.stages() != "reading indexing ready" {
		t.Errorf("found %q after %s", got, d.stages())
	}
	if len(known) == 0 || known[0].Passages[0] != d.index.state.files[0].Passages[0] {
		t.Error("unchanged files were read again")
	}
}

func FuzzDecodeStore(f *testing.F) {
	d := newDesk(f)
	d.open()
	d.refresh()
	content, err := d.index.state.readString(storeName)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(content)
	f.Add(storeMagic + "\x01")
	f.Fuzz(func(t *testing.T, content string) {
		files, err := decodeStore(content)
		if err != nil {
			return
		}
		path := filepath.Join(t.TempDir(), storeName)
		if err := writeStore(path, files); err != nil {
			t.Fatal(err)
		}
		again, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := decodeStore(string(again)); err != nil {
			t.Errorf("what was read and written again cannot be read: %v", err)
		}
	})
}
