package note

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
)

// asSource reports whether a text is private as a file of the sources; ok is false if nothing of it
// is searched.
func asSource(t *testing.T, name, text string) (private, ok bool) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	files, err := ingest.Read(context.Background(), ingest.DefaultLimits(), []ingest.Source{{Name: "s", Kind: passage.Text, Path: path}}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		for _, p := range file.Passages {
			if ok && p.Private != private {
				t.Fatalf("some of %q is private", text)
			}
			private, ok = p.Private, true
		}
	}
	return private, ok
}

// FuzzNotesAndSourcesAgree makes spellings of a statement and checks that a file is private as a note
// exactly where it is private as a source.
func FuzzNotesAndSourcesAgree(f *testing.F) {
	for _, fence := range []string{"---\n", "+++\n", "", "\uFEFF---\r\n", "<!-- ", "# ", "#+", ".. ", ":", "% "} {
		for _, line := range []string{
			"lacuna: private", "Lacuna: Private # c", "\"lacuna\": 'private'", "lacuna: [private]", "lacuna = \"private\" # c", "lacuna:\tprivate",
			"lacuna :\u00A0private", "lacuna：private", "lac\u200Buna: private", "lacuna: privat", "lacuna:\n  - private", "title: A", "[lacuna]\nprivate = true",
		} {
			for _, end := range []string{"\n---\n", "\n+++\n", " -->\n", "\n"} {
				f.Add(fence, line, end)
			}
		}
	}
	f.Fuzz(func(t *testing.T, fence, line, end string) {
		text := fence + line + end + "\n\nA sentence that is searched for its words.\n"
		for name, language := range map[string]Language{"a.md": Markdown, "a.txt": Plaintext, "a.org": Org, "a.rst": RST} {
			private, ok := asSource(t, name, text)
			if n := Parse(text, language); ok && n.Private != private {
				t.Errorf("%s: %q is private as a note: %v, as a source: %v", name, text, n.Private, private)
			}
		}
	})
}

// TestNotesAndSourcesSayPrivateAlike goes through the spellings that have failed open.
func TestNotesAndSourcesSayPrivateAlike(t *testing.T) {
	for _, head := range []string{
		"---\nlacuna: private # comment\n---\n", "---\nLacuna: private\n---\n", "---\n\"lacuna\": private\n---\n", "---\nlacuna: [private]\n---\n",
		"+++\nlacuna = \"private\" # c\n+++\n", "<!-- lacuna: private -->\n", "---\nlacuna: private\n", "---\nlacuna:\tprivate\n---\n",
		"+++\nlacuna = \"private\"\n+++\n",
	} {
		text := head + "\nA sentence that is searched for its words.\n"
		for name, language := range map[string]Language{"a.md": Markdown, "a.txt": Plaintext} {
			if private, ok := asSource(t, name, text); !ok || !private {
				t.Errorf("%s: %q is no private source", name, head)
			}
			if !Parse(text, language).Private {
				t.Errorf("%s: %q is no private note", name, head)
			}
		}
	}
}
