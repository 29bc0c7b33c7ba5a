package ingest

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lacuna/knowledge/passage"
)

// wordFile makes a Word document of paragraphs and other parts.
func wordFile(t *testing.T, parts map[string]string, paragraphs ...string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	const names = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`
	body := ""
	for _, p := range paragraphs {
		body += "<w:p><w:r><w:t>" + p + "</w:t></w:r></w:p>"
	}
	all := map[string]string{"word/document.xml": "<w:document " + names + "><w:body>" + body + "</w:body></w:document>"}
	for name, text := range parts {
		all[name] = text
	}
	for name, text := range all {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestPrivateSources says for files of each form which passages are private, and what is told.
func TestPrivateSources(t *testing.T) {
	core := `<cp:coreProperties xmlns:cp="c"><cp:keywords>clinic; lacuna:private</cp:keywords></cp:coreProperties>`
	custom := `<Properties xmlns:vt="v"><property name="lacuna"><vt:lpwstr>private</vt:lpwstr></property></Properties>`
	for _, test := range []struct{ name, text, want string }{
		{"a.md", "---\nlacuna: private\n---\nA word.\n", "private"},
		{"a.md", "---\nlacuna: privat\n---\nA word.\n", "private; 2: " + UnclearPrivacy},
		{"a.md", "A word on `lacuna: private` here.\n", "open"},
		{"a.txt", "lacuna: private\n\nA word.\n", "private"},
		{"a.html", "<p>A word.</p>\n<!-- Lacuna: private -->", "private"},
		{"a.html", "<p>A word on &lt;!-- lacuna: private -->.</p>", "open"},
		{"a.org", "#+lacuna: private\nA word.\n", "private"},
		{"a.rst", ".. lacuna: private\n\nA word.\n", "private"},
		{"a.docx", wordFile(t, nil, "lacuna: private", "A word."), "private"},
		{"a.docx", wordFile(t, nil, "A word.", "Lacuna: private", "More."), "private; 2: " + UnclearPrivacy},
		{"a.docx", wordFile(t, map[string]string{"docProps/core.xml": core}, "A word."), "private"},
		{"a.docx", wordFile(t, map[string]string{"docProps/custom.xml": custom}, "A word."), "private"},
		{"a.docx", wordFile(t, nil, "A word on lacuna: private."), "open"},
		{"a.jsonl", `{"text": "A word.", "lacuna": "private"}` + "\n" + `{"text": "More words."}`, "private open"},
		{"a.jsonl", `{"text": "A word.", "Lacuna": ["Private"]}` + "\n", "private; 1: " + UnclearRow},
		{"a.jsonl", `{"text": "A word.", "lacuna_private": true}` + "\n", "private; 1: " + UnclearRow},
		{"a.jsonl", `{"text": "A word.", "lacuna": null}` + "\n", "open"},
		{"a.jsonl", `{"text": "A word.", "lacuna": "public"}` + "\n", "open"},
		{"a.jsonl", "# lacuna: private\n" + `{"text": "A word."}` + "\n", "private; 1: " + UnclearPrivacy},
		{"a.jsonl", `{"text": "A word."}` + "\nlacuna: private\n" + `{"text": "More."}`, "private private; 2: " + UnclearPrivacy},
		{"a.csv", "text,lacuna\nA word.,private\nMore.,\n", "private open"},
		{"a.csv", "text,lacuna\nA word.,yes\n", "private; 2: " + UnclearRow},
		{"a.csv", "text\nA word.\n# lacuna: private\n", "private; 3: " + UnclearPrivacy},
	} {
		path := filepath.Join(t.TempDir(), test.name)
		if err := os.WriteFile(path, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		files, err := Read(context.Background(), DefaultLimits(), []Source{{Name: "s", Kind: passage.Text, Path: path}}, nil, nil)
		if err != nil || len(files) != 1 {
			t.Fatalf("%v, %d files", err, len(files))
		}
		var got []string
		for _, p := range files[0].Passages {
			state := "open"
			if p.Private {
				state = "private"
			}
			got = append(got, state)
		}
		said := strings.Join(got, " ")
		if f := files[0]; f.Reason != "" {
			reason, _, _ := strings.Cut(f.Reason, ";")
			said += fmt.Sprintf("; %d: %s", f.Line, reason)
		}
		if said != test.want {
			t.Errorf("%s %q: %s, want %s", test.name, test.text[:min(60, len(test.text))], said, test.want)
		}
	}
}
