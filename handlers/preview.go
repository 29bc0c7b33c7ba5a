package handlers

import (
	"context"

	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/handlers/outgoing"
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
	return succeed(Offer{messages.PreviewHead, outgoing.Page(requests), outgoing.Plain(requests)})
}
