package handlers

import (
	"context"
	"os"
	"testing"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
)

func TestFindQuote(t *testing.T) {
	tests := []struct {
		text, quote string
		want        string // empty: not there
	}{
		{"One. Two words here. Three.", "Two words here.", "Two words here."},
		{"One. Two\r\n  words\u00a0here.", "Two words here.", "Two\r\n  words\u00a0here."},
		{"Two two. Two words.", "Two words.", "Two words."},
		{"Twowords.", "Two words.", ""},
		{"Two words", "Two words.", ""},
		{"", "Two", ""},
		{"糖尿病。治疗", "治疗", "治疗"},
	}
	for _, tt := range tests {
		span, holds := findQuote(tt.text, tt.quote)
		if holds != (tt.want != "") || holds && tt.text[span.Start:span.End] != tt.want {
			t.Errorf("findQuote(%q, %q) = %v, %v", tt.text, tt.quote, span, holds)
		}
	}
	if span, holds := findQuote("all of it", " "); !holds || span.Len() != 9 {
		t.Errorf("no quote gives %v, %v", span, holds)
	}
}

func TestPathsGoThereAndBack(t *testing.T) {
	for _, tt := range []struct{ note, file, link string }{
		{"/w/note.md", "/w/kb/a b(c).md", "kb/a b(c).md"},
		{"/w/visits/note.md", "/w/kb/x.md", "../kb/x.md"},
		{"", "/w/kb/x.md", "/w/kb/x.md"},
	} {
		if got := pathFrom(tt.note, tt.file); got != tt.link {
			t.Errorf("pathFrom(%q, %q) = %q, want %q", tt.note, tt.file, got, tt.link)
		}
		if got := fileOf(tt.note, tt.link); got != tt.file {
			t.Errorf("fileOf(%q, %q) = %q, want %q", tt.note, tt.link, got, tt.file)
		}
	}
}

func TestDefinitionAsLink(t *testing.T) {
	d := open(t)
	d.step("answer")
	d.step("at [1]")
	d.now.Client.LocationLinks = true
	found, err := Definition(context.Background(), d.now, d.cursor)
	if err != nil {
		t.Fatal(err)
	}
	link := found.([]protocol.LocationLink)[0]
	sentence := protocol.Range{Start: protocol.Position{Line: 2}, End: protocol.Position{Line: 2, Character: 47}}
	if path, _ := lsp.Path(link.TargetURI); path != d.now.Settings.Sources[0].Path+"/examplin.md" || link.TargetSelectionRange != sentence {
		t.Errorf("definition leads to %+v", link)
	}
	if from := link.OriginSelectionRange; from.Start.Line != 7 || from.End.Character-from.Start.Character != 3 {
		t.Errorf("definition comes from %+v", from)
	}
}

// A note follows a rename immediately and the index a little later; in between the citation leads to the
// file that the note names, if that holds the very words.
func TestDefinitionFollowsARename(t *testing.T) {
	for content, want := range map[string]string{"": "moved.md", "Other text.\n": "examplin.md"} {
		d := open(t)
		d.step("answer")
		kb := d.now.Settings.Sources[0].Path
		if err := os.Rename(kb+"/examplin.md", kb+"/moved.md"); err != nil {
			t.Fatal(err)
		}
		if content != "" {
			if err := os.WriteFile(kb+"/moved.md", []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		d.edit("kb/examplin.md#L3 => kb/moved.md#L3")
		d.step("at [1]")
		found, err := Definition(context.Background(), d.now, d.cursor)
		if err != nil {
			t.Fatal(err)
		}
		if path, _ := lsp.Path(found.([]protocol.Location)[0].URI); path != kb+"/"+want {
			t.Errorf("leads to %s, want %s", path, want)
		}
	}
}

func TestDefinitionLeadsIntoSourcesOnly(t *testing.T) {
	d := open(t)
	d.step("answer")
	d.edit("kb/examplin.md#L3 => ../../../../etc/passwd#L1")
	id := d.now.Note.Answers[0].Citations[0].Passage.String()
	d.edit(id + " => 00000000000000000000000000000001")
	d.step("at [1]")
	if found, err := Definition(context.Background(), d.now, d.cursor); found != nil || err != nil {
		t.Errorf("definition leads to %+v, %v", found, err)
	}
}
