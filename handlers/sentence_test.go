package handlers

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/protocol"

	"lacuna/handlers/claims"
	"lacuna/handlers/lsp"
	"lacuna/handlers/note"
	"lacuna/handlers/settings"
	"lacuna/knowledge/answer/answertest"
	"lacuna/knowledge/entail"
	"lacuna/knowledge/passage"
)

// compared is a note whose sentences are known to differ from a passage in "nine" for "two".
func compared(t *testing.T, text string, verdict entail.Verdict) Snapshot {
	t.Helper()
	library, folder := answertest.Library(t, map[string]string{"gout.md": "# Gout\n\nAn attack lasts two weeks.\n"})
	p := library.Passages()[0]
	defaults := settings.Default()
	return Snapshot{
		URI: "file:///note.md", Path: filepath.Join(folder, "note.md"), Note: note.Parse(text, note.Markdown), Library: library, Settings: defaults,
		Client: Client{Encoding: "utf-16", CodeActionLiterals: true, HoverMarkdown: true, ApplyEdit: true},
		Claim: func(s note.Sentence) (claims.Finding, bool) {
			f := claims.Finding{Verdict: verdict, Cited: len(s.Cites) > 0, Passage: p, Quote: p.Text, Span: passage.Span{End: len(p.Text)}}
			switch at := strings.Index(s.Text, "nine"); {
			case at < 0:
				return f, verdict == entail.Absent
			case verdict == entail.Contradicts:
				by := strings.Index(p.Text, "two")
				f.Differences = []claims.Difference{{Kind: entail.Number, Said: "nine", Stated: "two"}}
				f.Said, f.Stated = []passage.Span{{Start: at, End: at + 4}}, []passage.Span{{Start: by, End: by + 3}}
			case verdict == entail.Partly:
				f.Unstated, f.Said = []string{"nine"}, []passage.Span{{Start: at, End: at + 4}}
			}
			return f, true
		},
	}
}

const (
	cited  = "An attack lasts nine weeks. [guidelines/gout.md:3](gout.md#L3)\n"
	inside = "Q: How long?\n\n<!-- lacuna:answer 0a1b2c3d -->\n**Answered by m from 1 source**\n\n- An attack lasts nine weeks. [1]\n\n1. [gout.md:3](gout.md#L3) <!-- lacuna:cite 0a1b2c3d0a1b2c3d0a1b2c3d0a1b2c3d -->\n<!-- lacuna:end -->\n"
)

func TestProblemsOfSentences(t *testing.T) {
	for _, test := range []struct {
		name, text string
		verdict    entail.Verdict
		check      string
		want       []string
	}{
		{"contradicted", cited, entail.Contradicts, "cited", []string{
			"warning contradicted-claim: The cited source says otherwise (guidelines/gout.md:3). It says “two” where the sentence says “nine”. Compare both, and correct the sentence or its citation.",
		}},
		{"not all stated", cited, entail.Partly, "cited", []string{"hint unstated-claim: Not stated there: “nine” (compared with guidelines/gout.md:3)."}},
		{"not stated", cited, entail.Absent, "cited", []string{"hint unstated-claim: The cited passage does not speak of this (compared with guidelines/gout.md:3)."}},
		{"stated", cited, entail.States, "cited", nil},
		{"words cannot tell", cited, entail.Unchecked, "all", nil},
		{"turned off", cited, entail.Contradicts, "off", nil},
		{"one's own", "An attack lasts nine weeks. [guidelines/gout.md:3](gout.md#L3) (own opinion)\n", entail.Contradicts, "cited", nil},
		{"private", "---\nlacuna: private\n---\n\n" + cited, entail.Contradicts, "cited", nil},
		{"without citation", "An attack lasts nine weeks.\n", entail.Contradicts, "cited", nil},
		{"without citation, searched", "An attack lasts nine weeks.\n", entail.Contradicts, "all", []string{
			"information contradicted-claim: guidelines/gout.md:3 says otherwise. It says “two” where the sentence says “nine”. Compare both; cite the passage that is right.",
		}},
		{"without citation, of something else", "An attack lasts nine weeks.\n", entail.Absent, "all", nil},
		{"in an answer", inside, entail.Contradicts, "cited", []string{
			"warning contradicted-claim: The cited source says otherwise (guidelines/gout.md:3). It says “two” where the sentence says “nine”. Compare both, and correct the sentence or its citation.",
		}},
		{"a remark that holds no longer", strings.Replace(inside, "weeks. [1]", "weeks. (but [1] says “two”, not “ten”)", 1), entail.States, "cited", nil},
		{"a remark where words cannot tell", strings.Replace(inside, "weeks. [1]", "weeks. (but [1] says “two”, not “ten”)", 1), entail.Unchecked, "cited", []string{
			"warning contradicted-claim: The source says otherwise. It says “two” where the sentence says “ten”. Compare both, and correct or delete the sentence.",
		}},
		{"a remark of a model", strings.Replace(inside, "weeks. [1]", "weeks. [1] (not stated there: “ten”; checked by a model)", 1), entail.Absent, "cited", []string{
			"hint unstated-claim: Not stated there: “ten”. This is a model's opinion. Check that part, or leave it out.",
		}},
	} {
		s := compared(t, test.text, test.verdict)
		s.Settings.Claims.Check = test.check
		var got []string
		for _, p := range Problems(s) {
			if p.Code == CodeContradictedClaim || p.Code == CodeUnstatedClaim {
				got = append(got, fmt.Sprintf("%s %s: %s", p.Level, p.Code, p.Message))
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// TestFixesOfSentences runs each fix that is offered, by its command.
func TestFixesOfSentences(t *testing.T) {
	for _, test := range []struct {
		name, text string
		verdict    entail.Verdict
		want       []string
	}{
		{"contradicted", "It is so. " + cited, entail.Contradicts, []string{
			"Take the source's words: “An attack lasts two weeks.”", "It is so. \"An attack lasts two weeks.\" [guidelines/gout.md:3](gout.md#L3)\n",
			"Mark as own opinion", "It is so. An attack lasts nine weeks. [guidelines/gout.md:3](gout.md#L3) (own opinion)\n",
		}},
		{"the same words twice", cited + "\n" + cited, entail.Partly, []string{
			"Take the source's words: “An attack lasts two weeks.”", "\"An attack lasts two weeks.\" [guidelines/gout.md:3](gout.md#L3)\n\n" + cited,
			"Mark as own opinion", strings.TrimSuffix(cited, "\n") + " (own opinion)\n\n" + cited,
		}},
		{"stated by what is not cited", "An attack lasts nine weeks.\n", entail.States, []string{
			"Cite this passage: guidelines/gout.md:3", "An attack lasts nine weeks. [guidelines/gout.md:3](gout.md#L3)\n",
		}},
		{"stated by what is cited", cited, entail.States, nil},
	} {
		s := compared(t, test.text, test.verdict)
		s.Settings.Claims.Check = settings.CheckAll
		at := s.rangeOf(passage.Span{Start: strings.Index(test.text, "nine"), End: strings.Index(test.text, "nine")})
		items, err := CodeActions(t.Context(), s, &lsp.CodeActionParams{Range: at})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, item := range items {
			action := item.(protocol.CodeAction)
			arguments, _ := json.Marshal(action.Command.Arguments[0])
			var a Arguments
			if err := json.Unmarshal(arguments, &a); err != nil {
				t.Fatal(err)
			}
			outcome, err := call{Snapshot: s, arguments: a}.fixSentence(action.Command.Command, "")
			if err != nil {
				t.Fatalf("%s: %s: %v", test.name, action.Title, err)
			}
			edits, _ := outcome.Edit.Make(s)
			if len(edits) != 1 {
				t.Fatalf("%s: %s: %d edits", test.name, action.Title, len(edits))
			}
			got = append(got, action.Title, s.Note.Text[:edits[0].Span.Start]+edits[0].NewText+s.Note.Text[edits[0].Span.End:])
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s (-want +got):\n%s", test.name, cmp.Diff(test.want, got))
		}
	}
	s := compared(t, cited, entail.Contradicts)
	if _, err := (call{Snapshot: s, arguments: Arguments{Sentence: "gone"}}).fixSentence(commandOpinion, ""); err == nil {
		t.Error("a sentence that is gone was marked")
	}
}

func TestHoverOnASentence(t *testing.T) {
	s := compared(t, cited, entail.Contradicts)
	s.Path = ""
	for markdown, want := range map[bool]string{
		true:  "**The source says otherwise.**\n\n- The note: An attack lasts **nine** weeks.\n- The source: An attack lasts **two** weeks. ([guidelines/gout.md:3](",
		false: "→ The source says otherwise.\n\n- The note: An attack lasts *nine* weeks.\n- The source: An attack lasts *two* weeks. (guidelines/gout.md:3)",
	} {
		s.Client.HoverMarkdown = markdown
		shown, err := Hover(t.Context(), s, protocol.Position{Character: 5})
		if err != nil || shown == nil {
			t.Fatal(shown, err)
		}
		if text := shown.Contents.Value; !strings.HasPrefix(text, want) {
			t.Errorf("got\n%s\nwant\n%s", text, want)
		}
	}
}
