package handlers

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/sanitise"
)

// preview shows what answering the question would send to another machine, before it is sent.
func (c call) preview(ctx context.Context, q note.Question) (any, error) {
	if reason := c.cannotAnswer(); reason != "" {
		return nil, lsp.Failed("%s", reason)
	}
	requests, err := c.editor.Preview(ctx, c.URI, c.asked(q), c.way())
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, lsp.Failed("%s", messages.CannotAnswer(err))
	case len(requests) == 0:
		c.editor.Show(ctx, messages.Message{Level: messages.Info, Text: messages.NothingSent})
	default:
		preview := previewText(requests)
		c.editor.Offer(ctx, messages.PreviewHead, preview, preview)
	}
	return Outcome{Done: len(requests) > 0}, nil
}

// forgetConsent takes back what the user has allowed to be sent.
func forgetConsent(ctx context.Context, e Editor, uri protocol.DocumentURI) (any, error) {
	if err := e.ForgetConsent(ctx, uri); err != nil {
		return nil, lsp.Failed("%v", err)
	}
	e.Show(ctx, messages.Message{Level: messages.Info, Text: messages.ConsentForgotten})
	return Outcome{Done: true}, nil
}

// previewText shows requests as they would go out. A fence that no body holds keeps them from
// becoming Markdown.
func previewText(requests []llm.Outbound) string {
	var b strings.Builder
	for i, r := range requests {
		if i > 0 {
			b.WriteString("\n")
		}
		body := sanitise.Visible(indentedJSON(r.Body))
		fence := "```"
		for strings.Contains(body, fence) {
			fence += "`"
		}
		fmt.Fprintf(&b, "%s\n\n", escapeMarkdown(plaintext.OneLine(messages.RequestTitle(r))))
		if r.Details != "" {
			fmt.Fprintf(&b, "%s\n\n", escapeMarkdown(plaintext.OneLine(messages.Redacted(r.Details))))
		}
		fmt.Fprintf(&b, "%sjson\n%s\n%s\n", fence, body, fence)
	}
	return b.String()
}

// indentedJSON lays out a body for reading; what is no JSON stays as it is.
func indentedJSON(body []byte) string {
	var out bytes.Buffer
	if err := json.Indent(&out, body, "", "  "); err != nil {
		return string(body)
	}
	return out.String()
}
