package handlers

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lacuna/handlers/lsp"
	"lacuna/handlers/note"
	"lacuna/knowledge/ingest"
)

func TestRenamesApply(t *testing.T) {
	at := filepath.FromSlash
	renames := Renames{{From: at("/a/b"), To: at("/c")}, {From: at("/x.md"), To: at("/y/z.md")}}
	for path, want := range map[string]string{
		"/a/b": "/c", "/a/b/d/e.md": "/c/d/e.md", "/a/bc.md": "/a/bc.md", "/x.md": "/y/z.md", "/x.md.bak": "/x.md.bak", "": "",
	} {
		if got := renames.Apply(at(path)); got != at(want) {
			t.Errorf("%s becomes %s, want %s", path, got, want)
		}
	}
}

// TestRenamesThatChangeCaseOnly renames files on a system to which their names are one.
func TestRenamesThatChangeCaseOnly(t *testing.T) {
	was := lsp.FoldsCase
	lsp.FoldsCase = true
	t.Cleanup(func() { lsp.FoldsCase = was })
	d := answeredEditor(t)
	root := filepath.Dir(d.now.Path)
	at := func(name string) string { return filepath.Join(root, filepath.FromSlash(name)) }
	renames := Renames{{From: at("KB/Examplin.md"), To: at("kb/EXAMPLIN.md")}}
	sources := []ingest.Source{{Name: "kb", Path: at("kb")}}
	text := d.now.Note.Text + "\nBy hand: [e](KB/examplin.md#L7).\n"
	page := Page{URI: d.now.URI, Path: d.now.Path, Note: note.Parse(text, note.Markdown)}
	found, err := Relocations(t.Context(), renames, d.now.Library, sources, slices.Values([]Page{page}))
	if err != nil || len(found) != 1 {
		t.Fatalf("%+v, %v", found, err)
	}
	edits := found[0].Edits
	if first := edits[0].NewText; !strings.Contains(first, "[kb/EXAMPLIN.md:7](kb/EXAMPLIN.md#L7)") {
		t.Errorf("the listing becomes %q", first)
	}
	if last := edits[len(edits)-1].NewText; last != "kb/EXAMPLIN.md#L7" {
		t.Errorf("the link becomes %q", last)
	}
}

func TestRelocations(t *testing.T) {
	d := answeredEditor(t)
	root := filepath.Dir(d.now.Path)
	at := func(name string) string { return filepath.Join(root, filepath.FromSlash(name)) }
	sources := []ingest.Source{{Name: "all", Path: root}, {Name: "kb", Path: at("kb")}}
	absolute := d.now.Note.Text
	absolute = strings.ReplaceAll(absolute, "](kb/", "]("+filepath.ToSlash(at("kb"))+"/")
	tests := []struct {
		name     string
		from, to string
		page     Page
		want     string // the first listing; empty where nothing is edited
	}{
		{"a source", "kb/examplin.md", "kb/medicines/examplin.md", d.page()[0], "[kb/medicines/examplin.md:7](kb/medicines/examplin.md#L7)"},
		{"a source, out of its folder", "kb/examplin.md", "examplin.md", d.page()[0], "[all/examplin.md:7](examplin.md#L7)"},
		{"a source, out of every source", "kb/examplin.md", "../else/examplin.md", d.page()[0], "[else/examplin.md:7](../else/examplin.md#L7)"},
		{"the folder of the source", "kb", "base", d.page()[0], "[all/base/examplin.md:7](base/examplin.md#L7)"},
		{"the note", "note.md", "archive/note.md", d.page()[0], "[kb/examplin.md:7](../kb/examplin.md#L7)"},
		{"the note, in its folder", "note.md", "visit.md", d.page()[0], ""},
		{"something else", "kb/other.md", "kb/more.md", d.page()[0], ""},
		{"an absolute link", "kb/examplin.md", "kb/e.md", Page{URI: d.now.URI, Path: d.now.Path, Note: note.Parse(absolute, note.Markdown)}, "[kb/e.md:7](" + filepath.ToSlash(at("kb/e.md")) + "#L7)"},
		{"a page without a file", "kb/examplin.md", "kb/e.md", Page{URI: "untitled:x", Note: d.now.Note}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			renames := Renames{{From: at(test.from), To: at(test.to)}}
			found, err := Relocations(t.Context(), renames, d.now.Library, sources, slices.Values([]Page{test.page}))
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if len(found) > 0 {
				got = found[0].Edits[0].NewText
			}
			if test.want == "" && got != "" || !strings.Contains(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// TestLinksByHandFollowRenames renames what the user has linked to, or the note that links.
func TestLinksByHandFollowRenames(t *testing.T) {
	d := answeredEditor(t)
	root := filepath.Dir(d.now.Path)
	at := func(name string) string { return filepath.Join(root, filepath.FromSlash(name)) }
	sources := []ingest.Source{{Name: "kb", Path: at("kb")}}
	tests := []struct {
		name     string
		language note.Language
		text     string
		from, to string
		want     string // empty where nothing is edited
	}{
		{"a source", note.Markdown, "See [examplin](kb/examplin.md#L7).", "kb/examplin.md", "kb/new/e x.md", "<kb/new/e x.md#L7>"},
		{"an absolute link", note.Markdown, "See [e](" + filepath.ToSlash(at("kb/examplin.md")) + ").", "kb", "base", filepath.ToSlash(at("base/examplin.md"))},
		{"the note", note.Markdown, "See [e](kb/examplin.md).", "note.md", "old/note.md", "../kb/examplin.md"},
		{"what is no source", note.Markdown, "See [e](pictures/e.md).", "pictures/e.md", "pictures/f.md", ""},
		{"completed elsewhere", note.Org, "See [kb/examplin.md:7].", "kb/examplin.md", "kb/f.md", "kb/f.md:7"},
		{"brackets about something else", note.Org, "See [kb/other.md:7].", "kb/other.md", "kb/f.md", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			page := Page{URI: d.now.URI, Path: d.now.Path, Note: note.Parse(test.text, test.language)}
			renames := Renames{{From: at(test.from), To: at(test.to)}}
			found, err := Relocations(t.Context(), renames, d.now.Library, sources, slices.Values([]Page{page}))
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if len(found) > 0 {
				got = found[0].Edits[0].NewText
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
