package knowledge

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
)

var update = flag.Bool("update", false, "write golden files")

const formatGolden = "testdata/format.golden"

// The golden file describes what an index of a few notes looks like on the disk. Whoever changes that
// has to raise formatVersion, or a program of another day calls the index damaged.
func TestFormatHasItsVersion(t *testing.T) {
	d := newDesk(t, tally{name: "first-1", fits: new(int)})
	d.addNotes(0, 60)
	d.open()
	d.refresh()
	got := fmt.Sprintf("format %d\n", formatVersion) + shapeOf(t, d.options.Dir) + storeDigest(t)
	golden, err := os.ReadFile(formatGolden)
	if err != nil && !*update {
		t.Fatal(err)
	}
	diff := cmp.Diff(strings.ReplaceAll(string(golden), "\r\n", "\n"), got)
	if diff == "" {
		return
	}
	raised := !strings.HasPrefix(got, strings.SplitAfter(string(golden), "\n")[0]) || len(golden) == 0
	switch {
	case !raised:
		t.Errorf("the format changed, but not its version; raise formatVersion, say so in FORMAT.md, and run with -update:\n%s", diff)
	case !*update:
		t.Errorf("%s is of another version; run with -update:\n%s", formatGolden, diff)
	default:
		if err := os.WriteFile(formatGolden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// shapeOf describes the files of an index: their names and sizes, how those of ours begin, and the
// fields of those that are JSON. Sizes that depend on where the sources lie are left out, and so is
// what is computed in floating point, which processors round in their own ways.
func shapeOf(t *testing.T, dir string) string {
	t.Helper()
	var shape strings.Builder
	for _, file := range indexFiles(t, dir) {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		relative, err := filepath.Rel(dir, file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.ToSlash(relative)
		if generation, within, ok := strings.Cut(name, "/"); ok && strings.HasPrefix(generation, generationPrefix) {
			name = within
		}
		if strings.Contains(name, "/part1/") { // bluge's own
			fmt.Fprintf(&shape, "%s/*%s\n", path.Dir(name), path.Ext(name))
			continue
		}
		fmt.Fprint(&shape, name)
		switch base := path.Base(name); {
		case path.Ext(base) == ".json":
			fmt.Fprintf(&shape, " %s", strings.Join(fieldsOf(t, content), " "))
		case base == currentName:
			fmt.Fprintf(&shape, " %d lines", bytes.Count(content, []byte("\n")))
		case base == storeName:
			fmt.Fprintf(&shape, " %q", content[:len(storeMagic)])
		default:
			fmt.Fprintf(&shape, " %d bytes", len(content))
			if bytes.HasPrefix(content, []byte("LAC")) {
				fmt.Fprintf(&shape, " %q", content[:8])
			}
		}
		fmt.Fprintln(&shape)
	}
	return shape.String()
}

// fieldsOf lists the fields of a JSON object and, of the first of each kind, those within.
func fieldsOf(t *testing.T, content []byte) []string {
	t.Helper()
	var value any
	if err := json.Unmarshal(content, &value); err != nil {
		t.Fatal(err)
	}
	fields := map[string]bool{}
	collectFields("", value, fields)
	return slices.Sorted(maps.Keys(fields))
}

func collectFields(within string, value any, fields map[string]bool) {
	switch value := value.(type) {
	case map[string]any:
		for name, field := range value {
			if within == "files." {
				name = "*" // the name of a file
			}
			fields[within+name] = true
			collectFields(within+name+".", field, fields)
		}
	case []any:
		for _, item := range value {
			collectFields(within, item, fields)
		}
	}
}

// storeDigest is the digest of a store in which every field of a file and a passage is set.
func storeDigest(t *testing.T) string {
	t.Helper()
	p := passage.Passage{
		ID: passage.IDOf("x"), Source: "kb", Record: "r", Document: "d", Kind: passage.QA, Format: passage.Markdown,
		Title: "t", Headings: []string{"a", "b"}, Section: "b", Text: "text", Question: "q", Also: []string{"u"}, Date: "2026-11-21",
		Place: passage.Place{File: "/kb/f", Field: "answer", Record: 300, Span: passage.Span{Start: 4, End: 700}, Line: 9}, Private: true,
	}
	second := p
	second.Text, second.Private = "more", false
	file := ingest.File{
		FileReport: ingest.FileReport{Source: "kb", File: "/kb/f", State: ingest.Indexed, Reason: "some", Passages: 2, Line: 3, Hidden: 1},
		Stamp:      ingest.Stamp{Size: 12, ModTime: 1 << 60, Content: sha256.Sum256(nil), Reading: sha256.Sum256([]byte("x"))},
		Passages:   []*passage.Passage{&p, &second},
	}
	name := filepath.Join(t.TempDir(), storeName)
	if err := writeStore(name, []ingest.File{file, {}}); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("a store %x\n", sha256.Sum256(content))
}
