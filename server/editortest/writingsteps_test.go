package editortest_test

import (
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

func oneLine(documentation any) string {
	if documentation == nil {
		return ""
	}
	return strings.Join(strings.Fields(fmt.Sprint(documentation)), " ")
}
