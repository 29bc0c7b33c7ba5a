package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"lacuna/handlers"
	"lacuna/handlers/settings"
	"lacuna/knowledge/llm"
	"lacuna/server/workspace"
)

// models tries what the settings name, each endpoint once.
func (d *doctor) models(ctx context.Context, w *workspace.Workspace) {
	set, client := w.Settings(), w.Client()
	configured := set.Model.BaseURL != "" || len(set.Model.Roles) > 0 || set.Embedding.BaseURL != "" || set.Rerank.BaseURL != ""
	switch {
	case !configured:
		d.add("models", healthy, "none set; questions are answered offline, from the sources alone")
		return
	case set.Offline:
		d.add("models", healthy, "offline = true (%s): nothing is connected to", w.Loaded().Origins["offline"])
		return
	case client == nil:
		d.add("models", faulty, "none can be used, see the configuration above")
		return
	}
	for _, player := range players(set, client) {
		tried, err := client.Try(ctx, player.role)
		detail := ""
		if tried.Joined {
			detail = textJoined
		}
		d.tried("models", player.name, tried.Took, err, detail)
		switch {
		case err != nil:
		case !tried.Heeds:
			d.add("models", noted, textUnheeded, player.name)
		case !tried.Reads:
			d.add("models", noted, textUnreadData, player.name)
		}
	}
	if set.Model.BaseURL == "" && !client.Has(llm.Reader) {
		d.add("models", noted, "no model answers: model.base_url is not set")
	}
	if client.CanEmbed() {
		took, dimensions, err := client.TryEmbedding(ctx)
		d.tried("embedding", set.Embedding.Model, took, err, fmt.Sprintf(", vectors of %d numbers", dimensions))
	}
	if client.CanRerank() {
		took, err := client.TryRerank(ctx)
		d.tried("rerank", cmp.Or(set.Rerank.Model, "the reranker"), took, err, "")
	}
	d.add("privacy", healthy, "%s", d.privacy(w))
}

// What is said of a model that answers, but not as it was told.
const (
	textJoined     = "; it has no system message, so that the message of the user begins with the instructions"
	textUnheeded   = "%s did not do what the system message says; its chat template may leave that out, or the model is too small to heed it, and answers will have no citations"
	textUnreadData = "%s did not read the data in the message of the user; it is too small, or its server cuts prompts short (Ollama: OLLAMA_CONTEXT_LENGTH)"
)

// player is a model with one of the roles that it plays.
type player struct {
	role llm.Role
	name string // model, host and roles, for people
}

// players lists each model at each address once, with all its roles.
func players(set settings.Settings, client *llm.Client) []player {
	type place struct{ base, model string }
	var order []place
	roles := map[place][]string{}
	for _, role := range llm.Roles() {
		if !client.Has(role) {
			continue
		}
		chat := set.Model.Role(string(role))
		at := place{chat.BaseURL, chat.Model}
		if roles[at] == nil {
			order = append(order, at)
		}
		roles[at] = append(roles[at], string(role))
	}
	var all []player
	for _, at := range order {
		all = append(all, player{
			role: llm.Role(roles[at][0]),
			name: fmt.Sprintf("%s (%s)", at.model, strings.Join(roles[at], ", ")),
		})
	}
	return all
}

// tried adds how a small request ended.
func (d *doctor) tried(check, name string, took time.Duration, err error, detail string) {
	switch {
	case err == nil:
		d.add(check, healthy, "%s answers in %d ms%s", name, took.Milliseconds(), detail)
	case errors.Is(err, handlers.ErrNotAllowed):
		d.add(check, noted, "%s was not tried: %s", name, faultText(err))
	default:
		d.add(check, faulty, "%s: %s", name, faultText(err))
	}
}

// privacy says in a line what becomes of what is sent.
func (d *doctor) privacy(w *workspace.Workspace) string {
	set := w.Settings().Privacy
	parts := []string{"redact = " + set.Redact}
	if set.Audit {
		parts = append(parts, "what is sent is written down in "+w.AuditFile())
	} else {
		parts = append(parts, "what is sent is not written down")
	}
	var hosts []string
	for _, c := range w.Consents() {
		hosts = append(hosts, c.Host)
	}
	if len(hosts) > 0 {
		parts = append(parts, "allowed: "+strings.Join(hosts, ", "))
	}
	return strings.Join(parts, "; ")
}
