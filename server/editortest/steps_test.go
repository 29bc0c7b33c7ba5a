package editortest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
	"lacuna/handlers/note"
	"lacuna/handlers/position"
	"lacuna/server/editortest"
)

// step does one line of a scenario and returns what it prints.
func (s *scenario) step(number int, line string) string {
	words, err := wordsOf(line)
	if err != nil {
		s.t.Fatalf("step %q: %v", line, err)
	}
	verb, rest := words[0], append(words[1:], "", "", "", "")
	file, place, last := rest[0], rest[1], rest[2]
	switch verb {
	case "open":
		s.open(file)
	case "close":
		s.editor.Notify("textDocument/didClose", about(s.uri(file)))
	case "index":
		s.gate.await(func() bool { return s.gate.refreshed > s.read })
		s.read = s.gate.count()
	case "replace":
		s.replace(file, place, last)
	case "write":
		s.write(file, place)
	case "diagnostics":
		return s.eventually(number, func() string { return s.diagnostics(file) })
	case "lens":
		return s.eventually(number, func() string { return s.lenses(file) })
	case "actions":
		return s.eventually(number, func() string { return s.actions(file, place) })
	case "hover":
		return s.eventually(number, func() string { return s.hover(file, place) })
	case "definition":
		return s.definition(file, place)
	case "references":
		return s.references(file, place)
	case "notebook":
		s.openNotebook(file)
	case "add-cell":
		notebook, name, _ := s.cellOf(file)
		s.editor.AddCell(notebook, editortest.Cell{Name: name, Language: place, Text: last})
	case "remove-cell":
		notebook, name, _ := s.cellOf(file)
		s.editor.RemoveCell(notebook, name)
	case "save-notebook", "close-notebook":
		method := map[string]string{"save-notebook": "notebookDocument/didSave", "close-notebook": "notebookDocument/didClose"}[verb]
		s.editor.Notify(method, map[string]any{"notebookDocument": map[string]any{"uri": s.uri(file)}, "cellTextDocuments": []any{}})
	case "highlight":
		return s.highlight(file, place)
	case "expand":
		return s.expand(file, place)
	case "links":
		return s.links(file)
	case "outline":
		return s.eventually(number, func() string { return s.outline(file) })
	case "questions":
		return s.questions(file)
	case "folds":
		return s.folds(file)
	case "do":
		return s.begin(file, place, last) + s.finish()
	case "begin":
		return s.begin(file, place, last)
	case "finish":
		return s.finish()
	case "cancel":
		s.editor.Cancel(s.begun)
	case "running":
		return fmt.Sprintf("the command is running: %v\n", !s.begun.Done())
	case "hold":
		s.gate.hold(answering)
	case "release":
		s.gate.release()
	case "undo":
		s.editor.Undo(s.uri(file))
	case "show":
		return s.eventually(number, func() string { return s.tidy(s.show(file, place)) })
	case "restart":
		s.stop()
		s.connect()
	case "save":
		s.write(file, s.editor.Text(s.uri(file)))
		s.editor.Notify("textDocument/didSave", about(s.uri(file)))
	case "allow", "forbid":
		s.allow(verb == "allow")
	case "offers":
		return s.offers(file)
	case "given":
		return s.eventually(number, s.given)
	case "train":
		s.train()
	case "history":
		return s.eventually(number, s.history)
	case "command":
		return s.command(file, place, last, rest[3]) + s.finish()
	case "asking":
		return s.eventually(number, s.asking)
	case "choose":
		s.editor.Choose(file)
	case "model":
		s.script(words[1:])
	case "asked":
		return s.published.askedSince()
	case "calls":
		printed := s.eventually(number, s.calls)
		s.heard = len(s.model.Templates())
		return printed
	case "sent":
		return s.sent(file)
	case "progress":
		return s.progress()
	case "annotations":
		return strings.Join(append(s.editor.Annotations(), ""), "\n")
	case "resolve":
		return s.resolve(file, place, last)
	case "rename":
		return s.rename(file, place)
	case "rename-source":
		return s.renameSource(file, place, last)
	case "delete":
		s.delete(file)
	case "hints":
		return s.eventually(number, func() string { return s.hints(file) })
	case "tokens":
		return s.tokens(file)
	case "configure":
		s.editor.Notify("workspace/didChangeConfiguration", map[string]any{"settings": json.RawMessage(file)})
	case "inline":
		return s.inline(file, place)
	case "complete":
		return s.complete(file, place)
	case "explain":
		return s.eventually(number, func() string { return s.explain(file, place) })
	case "status":
		return s.eventually(number, s.status)
	case "gaps":
		return s.eventually(number, s.gaps)
	case "stale":
		return s.stale()
	case "sources":
		return s.sources()
	case "messages":
		return s.eventually(number, s.messages)
	case "shown":
		return s.eventually(number, s.shown)
	default:
		s.t.Fatalf("unknown step %q", line)
	}
	return ""
}

// wordsOf splits a step into words; those in double quotes are Go strings.
func wordsOf(line string) ([]string, error) {
	var words []string
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		if line[0] != '"' {
			word, after, _ := strings.Cut(line, " ")
			words, line = append(words, word), after
			continue
		}
		quoted, err := strconv.QuotedPrefix(line)
		if err != nil {
			return nil, err
		}
		word, err := strconv.Unquote(quoted)
		if err != nil {
			return nil, err
		}
		words, line = append(words, word), line[len(quoted):]
	}
	if len(words) == 0 {
		return nil, errors.New("empty")
	}
	return words, nil
}

func about(uri protocol.DocumentURI) map[string]any {
	return map[string]any{"textDocument": map[string]any{"uri": uri}}
}

func (s *scenario) open(file string) {
	text, err := os.ReadFile(filepath.Join(s.folder, filepath.FromSlash(file)))
	if err != nil {
		s.t.Fatal(err)
	}
	s.editor.Open(s.uri(file), string(note.LanguageOf("", file)), string(text))
}

// write changes a file on disk and tells the server that it has.
func (s *scenario) write(file, text string) {
	s.read = s.gate.count()
	path := filepath.Join(s.folder, filepath.FromSlash(file))
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
	s.editor.Notify("workspace/didChangeWatchedFiles", map[string]any{
		"changes": []any{map[string]any{"uri": s.uri(file), "type": 2}},
	})
}

// find is the place of a text in a buffer.
func (s *scenario) find(file, text string) protocol.Range {
	whole := s.editor.Text(s.uri(file))
	start := strings.Index(whole, text)
	if start < 0 {
		s.t.Fatalf("%q is not in %s:\n%s", text, file, whole)
	}
	lines := position.NewLines(whole)
	at := func(offset int) protocol.Position {
		p := lines.Position(offset, s.editor.Encoding())
		return protocol.Position{Line: p.Line, Character: p.Column}
	}
	return protocol.Range{Start: at(start), End: at(start + len(text))}
}

func (s *scenario) replace(file, old, text string) {
	at := s.find(file, old)
	s.editor.Change(s.uri(file), lsp.ContentChange{Range: &at, Text: text})
}

// placed prints a range with lines and columns from 1, as editors show them.
func placed(r protocol.Range) string {
	return fmt.Sprintf("%d:%d-%d:%d", r.Start.Line+1, r.Start.Character+1, r.End.Line+1, r.End.Character+1)
}

func (s *scenario) diagnostics(file string) string {
	published := s.editor.Diagnostics(s.uri(file))
	var b strings.Builder
	for _, d := range published.Diagnostics {
		fmt.Fprintf(&b, "%s %s [%v] %s\n", placed(d.Range), strings.ToLower(d.Severity.String()), d.Code, d.Message)
		for _, r := range d.RelatedInformation {
			fmt.Fprintf(&b, "    %s:%d %s\n", s.tidy(string(r.Location.URI)), r.Location.Range.Start.Line+1, r.Message)
		}
	}
	if len(published.Diagnostics) == 0 {
		return "none\n"
	}
	return b.String()
}

func (s *scenario) lenses(file string) string {
	var lenses []protocol.CodeLens
	s.editor.MustCall("textDocument/codeLens", about(s.uri(file)), &lenses)
	var b strings.Builder
	for _, lens := range lenses {
		fmt.Fprintf(&b, "%d %s\n", lens.Range.Start.Line+1, lens.Command.Title)
	}
	return b.String()
}

// action is a code action or, where Command is a string, a plain command.
type action struct {
	Title     string
	Kind      string
	Disabled  *struct{ Reason string }
	Command   json.RawMessage
	Arguments []json.RawMessage
	Data      json.RawMessage
	Edit      *lsp.WorkspaceEdit
}

func (s *scenario) actionsAt(file, place string) []action {
	return s.actionsIn(s.uri(file), s.find(file, place))
}

func (s *scenario) actionsIn(uri protocol.DocumentURI, r protocol.Range) []action {
	params := about(uri)
	params["range"] = r
	params["context"] = map[string]any{"diagnostics": s.editor.Diagnostics(uri).Diagnostics, "triggerKind": 1}
	if params["context"].(map[string]any)["diagnostics"] == nil {
		params["context"].(map[string]any)["diagnostics"] = []any{}
	}
	var actions []action
	s.editor.MustCall("textDocument/codeAction", params, &actions)
	return actions
}

func (s *scenario) actions(file, place string) string {
	var b strings.Builder
	for _, a := range s.actionsAt(file, place) {
		kind := a.Kind
		if kind == "" {
			kind = "command"
		}
		fmt.Fprintf(&b, "%s: %s", kind, a.Title)
		if a.Disabled != nil {
			fmt.Fprintf(&b, " (disabled: %s)", a.Disabled.Reason)
		}
		b.WriteString("\n")
	}
	if b.Len() == 0 {
		return "none\n"
	}
	return b.String()
}

// begin chooses an action as a person does, once it is there, and returns when its command has started
// its slow part.
func (s *scenario) begin(file, place, title string) string {
	const patience = 5 * time.Minute
	var actions []action
	i := -1
	for begun := time.Now(); i < 0 && time.Since(begun) < patience; time.Sleep(20 * time.Millisecond) {
		actions = s.actionsAt(file, place)
		i = slices.IndexFunc(actions, func(a action) bool { return strings.HasPrefix(a.Title, title) })
	}
	if i < 0 {
		return fmt.Sprintf("no action %q\n", title)
	}
	if actions[i].Disabled != nil {
		return "disabled: " + actions[i].Disabled.Reason + "\n"
	}
	if edit := s.editOf(actions[i]); edit != nil {
		s.editor.Apply(*edit)
	}
	if actions[i].Command == nil {
		return ""
	}
	chosen := protocol.Command{}
	if err := json.Unmarshal(actions[i].Command, &chosen); err != nil { // a plain command
		if err := json.Unmarshal(actions[i].Command, &chosen.Command); err != nil {
			s.t.Fatal(err)
		}
		for _, argument := range actions[i].Arguments {
			chosen.Arguments = append(chosen.Arguments, argument)
		}
	}
	s.begun = s.editor.Begin("workspace/executeCommand", map[string]any{
		"command": chosen.Command, "arguments": chosen.Arguments,
	})
	s.gate.await(func() bool { return s.gate.held != answering || s.gate.waiting == answering })
	return ""
}

// editOf is the edit that an action has, or that its editor asks for because it has no command either.
func (s *scenario) editOf(a action) *lsp.WorkspaceEdit {
	if a.Edit == nil && a.Command == nil {
		s.editor.MustCall("codeAction/resolve", map[string]any{"title": a.Title, "kind": a.Kind, "data": a.Data}, &a)
	}
	return a.Edit
}

func (s *scenario) finish() string {
	if s.begun == nil {
		return ""
	}
	var outcome struct{ Done bool }
	err := s.begun.Wait(&outcome)
	s.begun = nil
	switch {
	case err != nil:
		return failure(err)
	case outcome.Done:
		return "done\n"
	}
	return "nothing was changed\n"
}

func (s *scenario) hover(file, place string) string {
	params := about(s.uri(file))
	params["position"] = s.find(file, place).Start
	var hover *protocol.Hover
	s.editor.MustCall("textDocument/hover", params, &hover)
	if hover == nil {
		return "none\n"
	}
	return s.tidy(fmt.Sprintf("%s %s\n%s\n", placed(*hover.Range), hover.Contents.Kind, strings.TrimSpace(hover.Contents.Value)))
}

// definition prints where a citation leads and what stands there.
func (s *scenario) definition(file, place string) string {
	params := about(s.uri(file))
	params["position"] = s.find(file, place).Start
	var places []protocol.Location
	s.editor.MustCall("textDocument/definition", params, &places)
	var b strings.Builder
	for _, at := range places {
		path, _ := lsp.Path(at.URI)
		text, err := os.ReadFile(path)
		if err != nil {
			s.t.Fatal(err)
		}
		lines := position.NewLines(string(text))
		offset := func(p protocol.Position) int {
			return lines.Offset(position.Position{Line: p.Line, Column: p.Character}, s.editor.Encoding())
		}
		fmt.Fprintf(&b, "%s %s %q\n", s.tidy(string(at.URI)), placed(at.Range), text[offset(at.Range.Start):offset(at.Range.End)])
	}
	if b.Len() == 0 {
		return "none\n"
	}
	return b.String()
}

// show prints a buffer, or the question that holds a text together with its answer.
func (s *scenario) show(file, place string) string {
	text := s.editor.Text(s.uri(file))
	if place == "" {
		return indent(text)
	}
	n := note.Parse(text, note.LanguageOf("", file))
	q, found := n.QuestionAt(max(strings.Index(text, place), 0))
	if !found {
		return fmt.Sprintf("%q is not in a question\n", place)
	}
	end := q.Span.End
	if q.Answer >= 0 {
		end = n.Answers[q.Answer].Span.End
	}
	return indent(text[q.Span.Start:end])
}

func indent(text string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimRight(text, "\n") + "\n") {
		b.WriteString(strings.TrimRight("  | "+line, " \n") + "\n")
	}
	return b.String()
}

// messages prints what was shown since the step before.
func (s *scenario) messages() string {
	var b strings.Builder
	for _, m := range s.editor.Messages() {
		b.WriteString(indent(fmt.Sprintf("%s: %s", strings.ToLower(m.Type.String()), s.tidy(m.Message))))
	}
	if b.Len() == 0 {
		return "none\n"
	}
	return b.String()
}

// shown prints the documents that the server asked to be shown.
func (s *scenario) shown() string {
	var b strings.Builder
	for _, uri := range s.editor.Shown() {
		path, _ := lsp.Path(uri)
		text, err := os.ReadFile(path)
		if err != nil {
			text = []byte(s.editor.Text(uri))
		}
		b.WriteString(indent(s.tidy(string(text))))
	}
	if b.Len() == 0 {
		return "none\n"
	}
	return b.String()
}
