package handlers

import (
	"context"
	"slices"

	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/systems"
)

// Names of ways to answer that are no system's own, see [answer.Request], and the systems that always
// search and that never do.
const (
	systemAuto     = "auto"
	systemThorough = "thorough"
	systemSources  = "misknow/merged"
	systemAlone    = "direct"
)

// usual are the systems that are offered first; the others are of use to compare.
var usual = []string{answer.OfflineID, systemSources, "medrgag", systemAlone}

// answerWith answers with the system that the user chooses, unless the arguments name one or the
// note, being private, leaves no choice.
func (c call) answerWith(ctx context.Context, q note.Question) (Outcome, error) {
	if c.arguments.System == "" && !c.Note.Private {
		if !c.Models.Configured {
			return Outcome{}, lsp.Failed("%s", messages.NoModel)
		}
		id, chosen := c.chooseSystem(ctx)
		if !chosen {
			return Outcome{Reply: Reply{}}, ctx.Err()
		}
		c.arguments.System = id
	}
	return c.answerOne(ctx, q)
}

// chooseSystem asks for one of the usual systems, or for a paper and then for a system of it.
func (c call) chooseSystem(ctx context.Context) (id string, chosen bool) {
	cannotAsk := func() {
		c.services.Show(messages.Message{Level: messages.Info, Text: messages.NameASystem(commandAnswer, append([]string{systemThorough}, usual...))})
	}
	if !c.Client.ShowMessageActions {
		cannotAsk()
		return "", false
	}
	defer func() { // the client may only now have shown that it does not ask
		if now, open := c.services.Snapshot(c.URI); open && !chosen && !now.Client.ShowMessageActions && ctx.Err() == nil {
			cannotAsk()
		}
	}()
	var first []systems.System
	var papers []string
	for _, s := range systems.All() {
		if slices.Contains(usual, s.ID) {
			first = append(first, s)
		}
		if s.Paper != "" && !slices.Contains(papers, s.Paper) {
			papers = append(papers, s.Paper)
		}
	}
	items := messages.SystemTitles(first)
	for _, paper := range papers {
		items = append(items, messages.MoreOfPaper(paper))
	}
	at, ok := c.services.Choose(ctx, messages.WhichSystem, items)
	if !ok || at < len(first) {
		return idAt(first, at, ok)
	}
	paper := papers[at-len(first)]
	second := slices.DeleteFunc(systems.All(), func(s systems.System) bool { return s.Paper != paper })
	at, ok = c.services.Choose(ctx, messages.WhichSystem, messages.SystemTitles(second))
	return idAt(second, at, ok)
}

func idAt(systems []systems.System, at int, ok bool) (string, bool) {
	if !ok {
		return "", false
	}
	return systems[at].ID, true
}
