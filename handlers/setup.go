package handlers

import (
	"context"

	"lacuna/handlers/messages"
)

// setUpSources gives a folder something to answer from: the folder or file that the arguments name, inside
// of the workspace, or what the user chooses. A client that cannot ask gets a folder kb.
func setUpSources(ctx context.Context, services Services, a Arguments) (Outcome, error) {
	if a.Path == "" {
		chosen, ok := services.Choose(ctx, messages.WhereSources, []string{messages.ChoiceFolder, messages.ChoiceSettings})
		switch {
		case ctx.Err() != nil:
			return Outcome{}, ctx.Err()
		case ok && chosen == 1:
			return succeed(OpenSettings{})
		case !ok && services.Overview(ctx).Client.ShowMessageActions: // closed without an answer
			return Outcome{Reply: Reply{}}, nil
		}
	}
	return succeed(AddSource{a.Path})
}
