package handlers

import (
	"context"

	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
)

// setUpSources gives a folder something to answer from: the folder or file that the arguments name, inside
// of the workspace, or what the user chooses. A client that cannot ask gets a folder kb.
func setUpSources(ctx context.Context, e Editor, a Arguments) (any, error) {
	path := a.Path
	if path == "" {
		chosen, ok := e.Choose(ctx, messages.WhereSources, []string{messages.ChoiceFolder, messages.ChoiceSettings})
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case ok && chosen == 1:
			if err := e.NameSources(ctx, a.URI); err != nil {
				return nil, lsp.Failed("%v", err)
			}
			return Outcome{Done: true}, nil
		case !ok && e.Overview(ctx).Client.ShowMessageActions: // closed without an answer
			return Outcome{}, nil
		}
	}
	made, err := e.AddSource(ctx, a.URI, path)
	if err != nil {
		return nil, lsp.Failed("%v", err)
	}
	e.Show(ctx, messages.Message{Level: messages.Info, Text: messages.SourceAdded(made, path == "")})
	return Outcome{Done: true}, nil
}
