package editortest_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"lacuna/knowledge"
	"lacuna/server/agents"
	"lacuna/server/editortest"
	"lacuna/server/workspace"
)

// agentName is what the agent of a scenario calls itself.
const agentName = "scripted"

// read is a workspace as an agent reads it.
type read struct {
	gated
	reader *agents.Reader
}

func (r read) Library() *knowledge.Library { return r.reader.Library() }
func (r read) Allowed() error              { return r.reader.Allowed() }
func (r read) Give(texts []*string) error  { return r.reader.Give(texts) }

// allow gives or takes back the user's consent to an agent.
func (s *scenario) allow(yes bool) {
	w := s.gate.workspace()
	change := w.Forget
	if yes {
		change = func(ctx context.Context, agent string) error { _, err := w.Allow(ctx, agent); return err }
	}
	if err := change(s.t.Context(), workspace.Agent(agentName)); err != nil {
		s.t.Fatal(err)
	}
}

// given prints what the audit says that agents were given.
func (s *scenario) given() string {
	var b strings.Builder
	if _, err := s.gate.workspace().Audit(func(r workspace.AuditRecord) error {
		fmt.Fprintf(&b, "%s %s: %d bytes\n", r.Host, r.Model, r.Bytes)
		return nil
	}); err != nil {
		s.t.Fatal(err)
	}
	return b.String()
}

// offers prints which requests about a document are answered at all, and what the server has sent so far.
func (s *scenario) offers(file string) string {
	var answered []string
	for _, method := range []string{
		"textDocument/hover", "textDocument/definition", "textDocument/references", "textDocument/documentHighlight", "textDocument/selectionRange",
		"textDocument/codeAction", "codeAction/resolve", "textDocument/codeLens", "textDocument/completion", "textDocument/inlayHint",
		"textDocument/inlineCompletion", "textDocument/semanticTokens/full", "textDocument/diagnostic", "workspace/diagnostic", "textDocument/documentLink",
		"textDocument/documentSymbol", "textDocument/foldingRange", "textDocument/rename", "textDocument/prepareRename", "workspace/symbol",
		"workspace/textDocumentContent", "workspace/willRenameFiles", "workspace/executeCommand",
	} {
		params := about(s.uri(file))
		params["position"] = map[string]int{"line": 0, "character": 0}
		params["command"], params["query"] = "lacuna.listGaps", ""
		var refused *editortest.Failure
		if err := s.editor.Call(method, params, nil); !errors.As(err, &refused) || refused.Code != -32601 {
			answered = append(answered, method)
		}
	}
	sent := slices.DeleteFunc(s.editor.Seen(), func(method string) bool { return strings.HasPrefix(method, "reply ") })
	slices.Sort(sent)
	return fmt.Sprintf("answers: %s\nhas sent: %s\n", or(answered, "nothing"), or(slices.Compact(sent), "nothing"))
}

func or(words []string, none string) string {
	if len(words) == 0 {
		return none
	}
	return strings.Join(words, ", ")
}
