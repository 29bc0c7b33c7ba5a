package handlers

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/protocol"
	"golang.org/x/tools/txtar"

	"lacuna/handlers/explain"
	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/handlers/settings"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/history"
	"lacuna/knowledge/plaintext"
)

const oneQuestion = `
-- note.md --
Before.

What is the usual dose of examplin?

After.
-- kb/examplin.md --
# Examplin

The usual dose of examplin is 5 mg twice a day.
-- result usual dose --
quote The usual dose of examplin is 5 mg twice a day.
gap missing-topic | 0.8 | Nothing on “children” | ../../examplin: children / <b>
`

func open(t *testing.T) *fakeEditor { return newFakeEditor(t, txtar.Parse([]byte(oneQuestion))) }

func (d *fakeEditor) question() note.QuestionID { return d.now.Note.Questions[0].ID }

func TestAnsweringTwiceIsAnsweringOnce(t *testing.T) {
	d := open(t)
	before := d.now.Note.Text
	d.run(commandAnswer, Arguments{Question: d.question()})
	once := d.now.Note.Text
	if !strings.HasPrefix(once, "Before.\n\nWhat is the usual dose of examplin?\n\n<!-- lacuna:answer") || !strings.HasSuffix(once, "\n\nAfter.\n") {
		t.Fatalf("the note became:\n%s", once)
	}
	d.run(commandAnswer, Arguments{Question: d.question()})
	if d.now.Note.Text != once {
		t.Errorf("answering again changed the note to:\n%s", d.now.Note.Text)
	}
	d.run(commandRemove, Arguments{Question: d.question()})
	if d.now.Note.Text != before {
		t.Errorf("without its answer the note is:\n%s", d.now.Note.Text)
	}
	d.run(commandRemove, Arguments{Question: d.question()})
	if len(d.said) != 0 || d.now.Note.Text != before {
		t.Errorf("removing what is out already said %q and made:\n%s", d.said, d.now.Note.Text)
	}
}

func TestTypingWhileAnswering(t *testing.T) {
	tests := []struct {
		name   string
		change string // made once, just before the editor applies its edit
		note   string // a part of the note afterwards
		said   string // the beginning of what the user hears; empty: nothing
	}{
		{"elsewhere", "Before. => Before that.", "Before that.\n\nWhat is the usual dose of examplin?\n\n<!-- lacuna:answer", ""},
		{"above", "Before. => Is this new?", "Is this new?\n\nWhat is the usual dose of examplin?\n\n<!-- lacuna:answer", ""},
		{"the question", "usual dose => usual price", "Before.\n\nWhat is the usual price of examplin?\n\nAfter.\n", messages.QuestionChanged},
		{"the question away", "What is the usual dose of examplin? => .", "Before.\n\n.\n\nAfter.\n", messages.QuestionChanged},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := open(t)
			typed := false
			d.beforeEdit = func() string {
				if !typed {
					typed = true
					d.edit(tt.change)
				}
				return ""
			}
			d.run(commandAnswer, Arguments{Question: d.question()})
			if !strings.Contains(d.now.Note.Text, tt.note) {
				t.Errorf("the note became:\n%s", d.now.Note.Text)
			}
			said := strings.Join(d.said, "\n")
			if tt.said == "" && said != "" || !strings.HasPrefix(said, tt.said) {
				t.Errorf("said %q, want %q", said, tt.said)
			}
			if tt.said == messages.QuestionChanged && !strings.Contains(said, "5 mg twice a day") {
				t.Errorf("the answer is lost: %q", said)
			}
		})
	}
}

func TestTypingWithoutEnd(t *testing.T) {
	d := open(t)
	d.beforeEdit = func() string {
		d.edit("Before. => Before..")
		return ""
	}
	d.run(commandAnswer, Arguments{Question: d.question()})
	if strings.Contains(d.now.Note.Text, "lacuna:answer") || len(d.said) != 1 || !strings.Contains(d.said[0], "5 mg twice a day") {
		t.Errorf("said %q, the note became:\n%s", d.said, d.now.Note.Text)
	}
}

func TestRefusedEdit(t *testing.T) {
	d := open(t)
	before := d.now.Note.Text
	d.beforeEdit = func() string { return "the preview was closed" }
	d.run(commandAnswer, Arguments{Question: d.question()})
	want := "The answer could not be written into the note: the preview was closed. Here it is instead."
	if len(d.said) != 1 || !strings.HasPrefix(d.said[0], want) || !strings.Contains(d.said[0], "5 mg twice a day") {
		t.Errorf("said %q", d.said)
	}
	if d.now.Note.Text != before {
		t.Errorf("the note became:\n%s", d.now.Note.Text)
	}
}

// TestUndoneAtOnce undoes an answer before its command has ended.
func TestUndoneAtOnce(t *testing.T) {
	d := open(t)
	edits, before := 0, d.now.Note.Text
	d.afterEdit = func(before string) {
		edits++
		d.now.Note = note.Parse(before, d.now.Note.Language)
		d.now.Version++
	}
	d.run(commandAnswer, Arguments{Question: d.question()})
	if edits != 1 || d.now.Note.Text != before || len(d.said) > 0 {
		t.Errorf("%d edits, said %q, the note became:\n%s", edits, d.said, d.now.Note.Text)
	}
}

func TestClosedWhileAnswering(t *testing.T) {
	d := open(t)
	d.beforeEdit = func() string {
		d.now.Note = nil
		return "the document is not open"
	}
	d.run(commandAnswer, Arguments{Question: d.question()})
	if len(d.said) != 1 || !strings.Contains(d.said[0], "5 mg twice a day") {
		t.Errorf("said %q", d.said)
	}
}

func TestCancelledAnswerChangesNothing(t *testing.T) {
	d := open(t)
	before := d.now.Note.Text
	ctx, cancel := context.WithCancel(context.Background())
	d.beforeEdit = func() string {
		cancel()
		return "cancelled"
	}
	raw, err := json.Marshal(Arguments{V: argumentsVersion, URI: d.now.URI, Question: d.question()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.execute(ctx, commandAnswer, []json.RawMessage{raw}); err == nil || len(d.said) > 0 || d.now.Note.Text != before {
		t.Errorf("err %v, said %q, note:\n%s", err, d.said, d.now.Note.Text)
	}
}

func TestArgumentsAreChecked(t *testing.T) {
	d := open(t)
	uri := string(d.now.URI)
	for _, tt := range []struct{ command, args, want string }{
		{commandAnswer, ``, "takes one argument"},
		{commandAnswer, `{"v":2}`, "version 2"},
		{commandAnswer, `[]`, "cannot unmarshal"},
		{commandAnswer, `{"v":1,"uri":"file:///nowhere.md"}`, messages.NoteNotOpen},
		{commandAnswer, `{"v":1,"uri":"` + uri + `","question":"00000000","more":{}}`, messages.QuestionGone},
		{commandDismiss, `{"v":1,"uri":"` + uri + `","question":"` + string(d.question()) + `","code":"missing-aspect"}`, messages.GapGone},
		{"lacuna.other", ``, "no command"},
		{"lacuna.other", `{"v":1,"uri":"` + uri + `","question":"` + string(d.question()) + `"}`, "no command"},
		{commandAnswer, `{"v":1,"uri":"` + uri + `","system":"../x"}`, "known: auto, thorough, offline"},
		{commandDismiss, `{"v":1,"uri":"` + uri + `","question":"` + string(d.question()) + `","gap":"missing-knowledge/00"}`, messages.GapGone},
		{commandAnswer, `{"v":1,"uri":"` + uri + `","query":"` + strings.Repeat("x", maxQuery+1) + `"}`, "at most"},
	} {
		var args []json.RawMessage
		if tt.args != "" {
			args = []json.RawMessage{json.RawMessage(tt.args)}
		}
		if _, err := d.execute(context.Background(), tt.command, args); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s %s: error %v, want %q", tt.command, tt.args, err, tt.want)
		}
	}
}

func TestCommandsOfTheWorkspaceNeedNoArgument(t *testing.T) {
	d := open(t)
	for _, command := range []string{commandGaps, commandForget} {
		if outcome, err := d.execute(context.Background(), command, nil); err != nil || outcome != (Reply{Done: true}) {
			t.Errorf("%s: %+v, %v", command, outcome, err)
		}
	}
	if len(d.said) != 2 || !strings.HasPrefix(d.said[0], messages.GapReportHead) || d.said[1] != messages.ConsentForgotten {
		t.Errorf("said %q", d.said)
	}
}

func TestStartPage(t *testing.T) {
	d := open(t)
	query := d.results["usual dose"].Gaps[0].Query
	kb := filepath.Join(d.folder, "kb")
	for _, code := range []gap.Code{gap.MissingKnowledge, gap.MissingTopic} {
		d.run(commandStub, Arguments{Question: d.question(), Code: code, Query: query})
	}
	want := []string{filepath.Join(kb, "examplin-children-b.md"), filepath.Join(kb, "examplin-children-b-2.md")}
	if len(d.created) != 2 || d.created[0] != want[0] || d.created[1] != want[1] {
		t.Fatalf("created %q, want %q", d.created, want)
	}
	// A part that is missing is a topic; if all is, the question is the heading.
	for i, heading := range []string{`../../examplin: children / \<b>`, "What is the usual dose of examplin?"} {
		text, err := os.ReadFile(want[i])
		if err != nil {
			t.Fatal(err)
		}
		page := "# " + heading + "\n\n<!-- To be written, with its source. Asked in a note: “What is the usual dose of examplin?” -->\n"
		if string(text) != page {
			t.Errorf("the page is:\n%s", text)
		}
	}
	passages := len(d.now.Library.Passages())
	d.reread()
	if now := len(d.now.Library.Passages()); now != passages {
		t.Errorf("an unwritten page added %d passages", now-passages)
	}
}

// TestASectionIsStoredAsItStands asks for the section at the place of a word in a page.
func TestASectionIsStoredAsItStands(t *testing.T) {
	d := open(t)
	d.now.Settings.History.Harvest = true
	const page = "# Examplin\n\nExamplin is made of examples.\n\n## What is the dose of examplin in children?\n\nChildren get 2 mg.\n\n### By weight\n\nBelow 20 kg they get 1 mg.\n\n" +
		"<!-- lacuna:answer 0a0a0a0a -->\nA model said 9 mg.\n<!-- lacuna:end -->\n\n## Storage\n\nKeep it dry.\n\n## Who makes it?\n"
	file := filepath.Join(d.folder, "kb", "page.md")
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	d.reread()
	for _, test := range []struct{ name, path, text, at, want string }{
		{"below the question", file, page, "2 mg", "Children get 2 mg. Below 20 kg they get 1 mg."},
		{"on the question", file, page, "in children", "Children get 2 mg. Below 20 kg they get 1 mg."},
		{"below a heading of it", file, page, "1 mg", "Children get 2 mg. Below 20 kg they get 1 mg."},
		{"below a title that asks nothing", file, page, "made of", ""},
		{"below a heading that asks nothing", file, page, "dry", ""},
		{"nothing written", file, page, "Who makes", ""},
		{"changed and not saved", file, strings.Replace(page, "2 mg", "3 mg", 1), "3 mg", ""},
		{"a private page", file, "<!-- lacuna: private -->\n" + page, "2 mg", ""},
		{"a note", d.now.Path, page, "2 mg", ""},
	} {
		s := d.now
		s.Path, s.Note = test.path, note.Parse(test.text, note.Markdown)
		said := ""
		if q, ok := s.sectionAt(strings.Index(test.text, test.at)); ok {
			if r, ok := s.section(q); ok {
				pair, err := history.PairOf(r, q.Text, test.path, time.Time{})
				if err != nil || pair.Cited[0].Record != "page.md" {
					t.Errorf("%s: %+v, %v", test.name, pair, err)
				}
				said = plaintext.OneLine(pair.Answer)
			}
		}
		if said != test.want {
			t.Errorf("%s: %q, want %q", test.name, said, test.want)
		}
	}
}

func TestStartPageNeedsAFolderOfTheWorkspace(t *testing.T) {
	d := open(t)
	d.now.Settings.Sources[0].Confined = false
	d.run(commandStub, Arguments{Question: d.question(), Query: "x"})
	if want := "error: " + messages.NoStubPlace; len(d.said) != 1 || d.said[0] != want {
		t.Errorf("said %q, want %q", d.said, want)
	}
}

func TestSlug(t *testing.T) {
	for topic, want := range map[string]string{
		"Tirzepatide: starting dose":  "tirzepatide-starting-dose",
		"../../etc/passwd":            "etc-passwd",
		"C:\\CON":                     "c-con",
		"con":                         "page-con",
		"LPT1":                        "page-lpt1",
		"...":                         "page",
		"糖尿病 治疗":                      "糖尿病-治疗",
		"a\x00b\nc":                   "a-b-c",
		strings.Repeat("word ", 100):  strings.TrimSuffix(strings.Repeat("word-", 12), "-"),
		strings.Repeat("x", 100):      strings.Repeat("x", 60),
		"St John's wort & apixaban’s": "st-john-s-wort-apixaban-s",
	} {
		if got := slug(topic); got != want {
			t.Errorf("slug(%q) = %q, want %q", topic, got, want)
		}
	}
}

func TestAutomaticRequestsGetNoSourceActions(t *testing.T) {
	d := open(t)
	ask := func(trigger int, line uint32, only ...protocol.CodeActionKind) int {
		at := protocol.Position{Line: line}
		p := &lsp.CodeActionParams{Range: protocol.Range{Start: at, End: at}}
		p.Context.Only, p.Context.TriggerKind = only, trigger
		items, err := CodeActions(context.Background(), d.now, p)
		if err != nil || items == nil {
			t.Fatalf("items %v, error %v", items, err)
		}
		return len(items)
	}
	if n := ask(lsp.CodeActionTriggerAutomatic, 2, "source"); n != 0 {
		t.Errorf("%d source actions for nobody", n)
	}
	if n := ask(lsp.CodeActionTriggerInvoked, 2, "source.fixAll"); n != 0 {
		t.Errorf("%d actions of a kind that is not ours", n)
	}
	if n := ask(lsp.CodeActionTriggerAutomatic, 0); n != 0 {
		t.Errorf("%d actions on a line that is no question", n)
	}
	if n := ask(lsp.CodeActionTriggerAutomatic, 2); n == 0 {
		t.Error("no action on a question")
	}
}

func TestDiagnosticsHaveAFloorAndALimit(t *testing.T) {
	d := open(t)
	text := ""
	for _, medicine := range []string{"a", "b", "c", "d"} {
		text += "- What is the usual dose of " + medicine + "?\n"
	}
	d.now.Note = note.Parse(text, note.Markdown)
	if n := len(Problems(d.now)); n != 4 {
		t.Fatalf("%d problems, want 4", n)
	}
	d.now.Settings.Diagnostics.Max = 2
	problems := Problems(d.now)
	if len(problems) != 2 || problems[1].Message != messages.MoreMarks(3) {
		t.Errorf("with a limit of 2: %+v", problems)
	}
	d.now.Settings.Diagnostics.Severity = "warning"
	if n := len(Problems(d.now)); n != 0 {
		t.Errorf("%d problems above the floor, want none", n)
	}
}

// TestEachMarkCanHaveAnotherLevel sets the levels of marks, whose names in the settings are those of their
// pages.
func TestEachMarkCanHaveAnotherLevel(t *testing.T) {
	field, _ := reflect.TypeFor[settings.Diagnostics]().FieldByName("Levels")
	names := strings.Split(field.Tag.Get("names"), "|")
	slices.Sort(names)
	if diff := cmp.Diff(explain.Codes(), names); diff != "" {
		t.Errorf("codes of pages and in the settings:\n%s", diff)
	}
	d := open(t)
	code := Problems(d.now)[0].Code
	for _, c := range []struct {
		levels map[string]string
		want   []protocol.DiagnosticSeverity
	}{
		{nil, []protocol.DiagnosticSeverity{protocol.DiagnosticSeverityInformation}},
		{map[string]string{code: "hint"}, []protocol.DiagnosticSeverity{protocol.DiagnosticSeverityHint}},
		{map[string]string{code: "warning"}, []protocol.DiagnosticSeverity{protocol.DiagnosticSeverityWarning}},
		{map[string]string{code: "error"}, []protocol.DiagnosticSeverity{protocol.DiagnosticSeverityError}},
		{map[string]string{code: "off"}, nil},
		{map[string]string{CodeStaleCitation: "off"}, []protocol.DiagnosticSeverity{protocol.DiagnosticSeverityInformation}},
	} {
		d.now.Settings.Diagnostics.Levels = c.levels
		var got []protocol.DiagnosticSeverity
		for _, diagnostic := range Diagnostics(d.now) {
			got = append(got, diagnostic.Severity)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("with %v: %v, want %v", c.levels, got, c.want)
		}
	}
}

// TestCommandsCanHaveAnotherPrefix is for editors in which two servers may not offer one name.
func TestCommandsCanHaveAnotherPrefix(t *testing.T) {
	d := open(t)
	d.now.Client.CommandPrefix = "lacuna-2."
	client := d.now.Client
	for i, name := range client.Commands() {
		if !strings.HasPrefix(name, "lacuna-2.") || client.CanonicalCommand(name) != commands[i] {
			t.Errorf("%q is understood as %q, want %q", name, client.CanonicalCommand(name), commands[i])
		}
	}
	lenses, err := CodeLens(context.Background(), d.now)
	if err != nil || len(lenses) == 0 {
		t.Errorf("%d lenses, %v", len(lenses), err)
	}
	for _, lens := range lenses {
		if !strings.HasPrefix(lens.Command.Command, "lacuna-2.") {
			t.Errorf("a lens runs %q", lens.Command.Command)
		}
	}
	if got := client.CanonicalCommand("lacuna.status"); got != "lacuna.status" {
		t.Errorf("the name without the prefix is understood as %q", got)
	}
}

func TestAskingAnewAsksTheSystemThatAnswered(t *testing.T) {
	d := open(t)
	const question = "What is the usual dose of apixaban?"
	id := note.Parse(question+"\n", note.Markdown).Questions[0].ID
	d.now.Note = note.Parse(fmt.Sprintf("%s\n\n<!-- lacuna:answer %s -->\n**Answered**\n<!-- lacuna:end -->\n", question, id), note.Markdown)
	d.now.Models = Models{Configured: true}
	d.results = map[string]answer.Result{question: {State: answer.Answered, System: "medrgag", Models: []string{"m"}}}
	for system, want := range map[string]string{answer.OfflineID: "medrgag", "auto": ""} {
		d.now.Settings.Answer.System = system
		items, err := CodeActions(context.Background(), d.now, &lsp.CodeActionParams{})
		if err != nil {
			t.Fatal(err)
		}
		asks := ""
		for _, item := range items {
			if a := item.(protocol.CodeAction); a.Title == messages.TitleAskAgain {
				asks = "fresh with " + a.Command.Arguments[0].(Arguments).System
			}
		}
		if asks != "fresh with "+want {
			t.Errorf("where plain answers are by %s the menu asks %q, want %q", system, asks, "fresh with "+want)
		}
	}
}
