package handlers

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"lacuna/handlers/note"
	"lacuna/handlers/position"
	"lacuna/knowledge/passage"
)

// typing is the editor with a note whose cursor stands where the text has ‸.
func (d *fakeEditor) typing(t *testing.T, language note.Language, text string) (Snapshot, protocol.Position) {
	t.Helper()
	at := strings.Index(text, "‸")
	if at < 0 {
		t.Fatalf("no cursor in %q", text)
	}
	s := d.now
	s.Note = note.Parse(strings.Replace(text, "‸", "", 1), language)
	return s, offsetPosition(s.Note.Lines, at, s.Client.Encoding)
}

// completed lists what is offered, each as the line that comes of it.
func completed(t *testing.T, s Snapshot, at protocol.Position, byCharacter bool) []string {
	t.Helper()
	list, err := Completion(t.Context(), s, at, byCharacter)
	if err != nil {
		t.Fatal(err)
	}
	lines := []string{}
	for _, item := range list.Items {
		offset := func(p protocol.Position) int {
			return s.Note.Lines.Offset(position.Position{Line: p.Line, Column: p.Character}, s.Client.Encoding)
		}
		start, end := offset(item.TextEdit.Range.Start), offset(item.TextEdit.Range.End)
		if typed := s.Note.Text[start:s.offsetOf(at)]; !strings.HasPrefix(item.FilterText, typed) && !strings.HasPrefix(strings.ReplaceAll(item.FilterText, " ", ""), typed) {
			t.Errorf("%q was typed and editors filter by %q", typed, item.FilterText)
		}
		text := s.Note.Text[:start] + item.TextEdit.NewText + s.Note.Text[end:]
		first, last := position.NewLines(text).Span(int(at.Line))
		lines = append(lines, strings.TrimSpace(text[first:last]))
	}
	return lines
}

func TestCompletion(t *testing.T) {
	d := answeredEditor(t)
	answered := d.now.Note.Text
	inAnswer := strings.Replace(answered, `eGFR is < 30, and in pregnancy." [1]`, `eGFR is < 30, and in pregnancy." [1] [‸]`, 1)
	link := `[Examplin › Dose](kb/examplin.md#L7)`
	tests := []struct {
		name, text  string
		language    note.Language
		byCharacter bool
		want        []string
	}{
		{"a number in an answer", inAnswer, note.Markdown, true, []string{
			`- Examplin › Cautions: "Examplin is avoided in severe liver disease, when eGFR is < 30, and in pregnancy." [1] [1]`,
			`- Examplin › Cautions: "Examplin is avoided in severe liver disease, when eGFR is < 30, and in pregnancy." [1] [2]`,
		}},
		{"a place of a source", "See [dos‸] there.", note.Markdown, false, []string{"See " + link + " there."}},
		{"in plain text", "See [Dose‸", note.Plaintext, false, []string{"See [kb/examplin.md:7]"}},
		{"by the name of the file", "[examplin.md‸", note.Markdown, false, []string{"[Examplin](kb/examplin.md#L3)", link, "[Examplin › Cautions](kb/examplin.md#L12)"}},
		{"not by a bracket alone", "- [‸", note.Markdown, true, []string{}},
		{"not for one letter", "- [d‸", note.Markdown, false, []string{}},
		{"not behind a closing bracket", "- [dose] a‸", note.Markdown, false, []string{}},
		{"of nothing there is", "[zzz‸", note.Markdown, false, []string{}},
		{"a directive", "Text\n\n<!-- la‸", note.Markdown, false, []string{"<!-- lacuna: ask -->", "<!-- lacuna: skip -->", "<!-- lacuna: off -->", "<!-- lacuna: on -->"}},
		{"an editor that closes comments", "<!-- lacuna: o‸ -->", note.Markdown, false, []string{"<!-- lacuna: off -->", "<!-- lacuna: on -->"}},
		{"in front matter", "---\nlac‸\n---\n", note.Markdown, false, []string{"lacuna: private"}},
		{"as a word of the text", "lac‸\n", note.Markdown, false, []string{}},
		{"another comment", "<!-- lambda ‸", note.Markdown, false, []string{}},
		{"in Org", "# l‸", note.Org, false, []string{"# lacuna: ask", "# lacuna: skip", "# lacuna: off", "# lacuna: on", "# lacuna: private"}},
		{"a heading of Org", "# ‸", note.Org, false, []string{}},
		{"in LaTeX", "% lacuna: p‸", note.Latex, false, []string{"% lacuna: private"}},
		{"where nothing was begun", "‸", note.Markdown, false, []string{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, at := d.typing(t, test.language, test.text)
			if got := completed(t, s, at, test.byCharacter); !slices.Equal(got, test.want) {
				t.Errorf("got %q\nwant %q", got, test.want)
			}
		})
	}
}

func TestCompletionOfAPrivateNoteNamesNoSource(t *testing.T) {
	d := answeredEditor(t)
	s, at := d.typing(t, note.Markdown, "---\nlacuna: private\n---\n[dose‸")
	if got := completed(t, s, at, false); len(got) != 0 {
		t.Errorf("offered %q", got)
	}
}

func TestHoldsFolded(t *testing.T) {
	for _, test := range []struct {
		text, wanted string
		want         bool
	}{
		{"Metformin", "form", true}, {"METFORMIN", "metformin", true}, {"Metformin", "metformine", false},
		{"ÉCLAIR", "éclair", true}, {"", "a", false}, {"Größe", "größe", true}, {"[x", "[x", true},
	} {
		if got := containsFolded(test.text, test.wanted); got != test.want {
			t.Errorf("holdsFolded(%q, %q) = %v", test.text, test.wanted, got)
		}
	}
}

// BenchmarkPlaces looks for a name in a base of 100,000 passages that has no such name.
func BenchmarkPlaces(b *testing.B) {
	passages := make([]*passage.Passage, 100_000)
	for i := range passages {
		passages[i] = &passage.Passage{Title: "A title of some length", Headings: []string{"Symptoms", "Early symptoms"}, Source: "kb", Record: fmt.Sprintf("folder/file-%d.md", i)}
	}
	for b.Loop() {
		for _, p := range passages {
			if isNamed(p, "zebra") {
				b.Fatal("found")
			}
		}
	}
}
