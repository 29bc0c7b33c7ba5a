package handlers

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/sanitise"
)

// preview shows what answering the question would send to another machine, before it is sent.
func (c call) preview(ctx context.Context, q note.Question) (Outcome, error) {
	if reason := c.cannotAnswer(); reason != "" {
		return Outcome{}, lsp.Failed("%s", reason)
	}
	requests, err := c.services.Preview(ctx, c.URI, c.searched(q), c.request())
	switch {
	case ctx.Err() != nil:
		return Outcome{}, ctx.Err()
	case err != nil:
		return Outcome{}, lsp.Failed("%s", messages.CannotAnswer(err))
	case len(requests) == 0:
		return Outcome{Effects: []Effect{Show{messages.Message{Level: messages.Info, Text: messages.NothingSent}}}, Reply: Reply{}}, nil
	}
	preview := previewText(requests)
	return succeed(Offer{messages.PreviewHead, preview, preview})
}

// previewText shows requests as they would be sent, inside a fence that does not occur in them.
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

// indentedJSON indents a body for reading; what is not JSON stays unchanged.
func indentedJSON(body []byte) string {
	var out bytes.Buffer
	if err := json.Indent(&out, body, "", "  "); err != nil {
		return string(body)
	}
	return out.String()
}
