package editortest_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
)

// complete asks, as a person does who types the last character of a place, what it could become, and
// takes the first.
func (s *scenario) complete(file, place string) string {
	params := about(s.uri(file))
	params["position"] = s.find(file, place).End
	params["context"] = map[string]any{"triggerKind": 1}
	var list protocol.CompletionList
	s.editor.MustCall("textDocument/completion", params, &list)
	var b strings.Builder
	for _, item := range list.Items {
		fmt.Fprintln(&b, strings.TrimSpace(fmt.Sprintf("%s | %s | %s", item.Label, s.tidy(item.Detail), oneLine(item.Documentation))))
	}
	if len(list.Items) == 0 {
		return "none\n"
	}
	edit := list.Items[0].TextEdit
	s.editor.Change(s.uri(file), lsp.ContentChange{Range: &edit.Range, Text: edit.NewText})
	return b.String()
}

// inline prints what is shown in grey behind a place, and takes it, as a person does with Tab.
func (s *scenario) inline(file, place string) string {
	params := about(s.uri(file))
	params["position"] = s.find(file, place).End
	params["context"] = map[string]any{"triggerKind": 2}
	var list lsp.InlineCompletionList
	s.editor.MustCall("textDocument/inlineCompletion", params, &list)
	if len(list.Items) == 0 {
		return "nothing\n"
	}
	item := list.Items[0]
	s.editor.Change(s.uri(file), lsp.ContentChange{Range: &item.Range, Text: item.InsertText})
	return s.tidy(item.InsertText) + "\n"
}

func oneLine(documentation any) string {
	if documentation == nil {
		return ""
	}
	return strings.Join(strings.Fields(fmt.Sprint(documentation)), " ")
}

// resolve chooses an action as an editor does that asks for its edit, makes the edit and then runs the
// command that the action may have as well.
func (s *scenario) resolve(file, place, title string) string {
	var actions []json.RawMessage
	params := about(s.uri(file))
	params["range"] = s.find(file, place)
	params["context"] = map[string]any{"diagnostics": []any{}, "triggerKind": 1}
	s.editor.MustCall("textDocument/codeAction", params, &actions)
	for _, raw := range actions {
		var listed struct {
			Title string
			Edit  json.RawMessage
		}
		s.must(json.Unmarshal(raw, &listed))
		if !strings.HasPrefix(listed.Title, title) {
			continue
		}
		if listed.Edit != nil {
			return "has its edit already\n"
		}
		var whole lsp.CodeAction
		if err := s.editor.Call("codeAction/resolve", raw, &whole); err != nil {
			return failure(err)
		}
		s.editor.Apply(*whole.Edit)
		s.begun = s.editor.Begin("workspace/executeCommand", map[string]any{"command": whole.Command.Command, "arguments": whole.Command.Arguments})
		return "edited; the command then: " + s.finish()
	}
	return "no such action\n"
}
