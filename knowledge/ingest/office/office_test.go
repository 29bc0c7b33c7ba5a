package office

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lacuna/knowledge/document"
)

// packed returns an archive with parts of the given contents.
func packed(parts map[string]string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(parts[name]))
		}
		if err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

type reader = func(context.Context, []byte) (document.Document, error)

// outline returns a document as lines: its title, each block with its place and kind, and what was left
// out.
func outline(read reader, content []byte) string {
	d, err := read(context.Background(), content)
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	d.Link()
	var b strings.Builder
	if d.Title != "" {
		fmt.Fprintf(&b, "title: %s\n", d.Title)
	}
	for _, block := range d.Blocks {
		text := d.Text[block.Start:block.End]
		fmt.Fprintf(&b, "%d %s", d.LineAt(block.Start), block.Kind)
		if block.Level > 0 {
			fmt.Fprintf(&b, " %d", block.Level)
		}
		if block.Chrome != document.Content {
			fmt.Fprintf(&b, " (%s)", block.Chrome)
		}
		fmt.Fprintf(&b, ": %s\n", strings.ReplaceAll(text, "\n", "⏎"))
	}
	for _, o := range d.Omitted {
		fmt.Fprintf(&b, "left out: %d %s, %d words\n", o.Count, o.What, o.Words)
	}
	if d.Hidden > 0 {
		fmt.Fprintf(&b, "hidden: %d\n", d.Hidden)
	}
	return b.String()
}

type readingTest struct {
	name    string
	content []byte
	want    string
}

func testReading(t *testing.T, read reader, tests []readingTest) {
	t.Helper()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			want := strings.TrimLeft(test.want, "\n")
			if diff := cmp.Diff(want, outline(read, test.content)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
