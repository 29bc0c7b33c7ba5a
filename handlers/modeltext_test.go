package handlers

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/knowledge/answer"
)

var (
	ownComment = regexp.MustCompile(`<!-- lacuna:[a-z]+(?: [0-9a-f]+)? -->`)
	noteTags   = regexp.MustCompile(`</?(?:p|strong|em|del|ul|ol|li)>`)
)

// htmlOf renders Markdown, HTML in it included.
func htmlOf(t *testing.T, markdown string) string {
	t.Helper()
	var out bytes.Buffer
	if err := renders.Convert([]byte(markdown), &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// FuzzModelText lets a model write anything: in a note it is text and nothing else, and it reads
// back as resting on what it was written to rest on.
func FuzzModelText(f *testing.F) {
	attacks, err := txtar.ParseFile(filepath.FromSlash("../server/redteam/testdata/replies.txtar"))
	if err != nil {
		f.Fatal(err)
	}
	for _, attack := range attacks.Files {
		f.Add(string(attack.Data))
	}
	for _, text := range []string{"2.5 mg", "[[1]2] 【3†a】", ">5 mg", "a*b_c~d", "a <b", "1) x", "[[page]]", "![[page]]", "[^1]", "$x$", "a\\", "(x) \"y\"", "<a@b.c>", "http:/\\/x.y", "ww&#119;.evil.test"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		once := messages.Sanitise(text, nil)
		if again := messages.Sanitise(once, nil); again != once && len([]rune(once)) < messages.MaxSentence {
			t.Fatalf("%q became %q and then %q", text, once, again)
		}
		r := answer.Result{State: answer.Answered, Models: []string{"m"}, Statements: []answer.Statement{
			{Basis: answer.Background, Text: text}, {Basis: answer.Unsupported, Text: text},
		}}
		n := note.Parse("- Q: x?\n", note.Markdown)
		edit := n.Write(n.Questions[0], Compose(r, ""))
		written := note.Parse(n.Text[:edit.Span.Start]+edit.NewText+n.Text[edit.Span.End:], note.Markdown)
		if len(written.Questions) != 1 || len(written.Answers) != 1 || !strings.HasSuffix(written.Text, "<!-- lacuna:end -->\n") {
			t.Fatalf("the note became:\n%s", written.Text)
		}
		for i, s := range written.Answers[0].Statements {
			if s.Basis != note.Basis(r.Statements[i].Basis) {
				t.Fatalf("%q reads back as %s from\n%s", text, s.Basis, written.Text)
			}
		}
		page := htmlOf(t, written.Text)
		if left := noteTags.ReplaceAllString(ownComment.ReplaceAllString(page, ""), ""); strings.Contains(left, "<") {
			t.Fatalf("%q became\n%s\nwhich renders as\n%s", text, written.Text, page)
		}
	})
}
