package workspace

import (
	"strings"
	"time"
	"unicode"

	"lacuna/knowledge"
	"lacuna/knowledge/llm"
)

// agentPrefix begins what an agent is called among the hosts that consent is given for.
const agentPrefix = "agent:"

// agentRole stands in the audit where a request to a model has its role.
const agentRole llm.Role = "agent"

// Agent returns what the agent that calls itself name is called where consent is given and in the audit. What it is given goes
// to the machine of its model, so it counts as another machine.
func Agent(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '.' || r == '_' || r == '-' {
			return unicode.ToLower(r)
		}
		return '-'
	}, name)
	if name = strings.Trim(name, "-"); name == "" {
		name = "unnamed"
	}
	return agentPrefix + name[:min(len(name), 64)]
}

// AgentAllowed reports whether an agent, as [Agent] calls it, may be given text of this workspace.
func (w *Workspace) AgentAllowed(agent string) bool { return w.consent.has(agent) }

// Public returns the library without what is private and must not be given away.
func (w *Workspace) Public() *knowledge.Library {
	library := w.Library()
	w.public.mu.Lock()
	defer w.public.mu.Unlock()
	if w.public.of != library {
		var private []int
		for ordinal, p := range library.Passages() {
			if p.Private {
				private = append(private, ordinal)
			}
		}
		w.public.of, w.public.library = library, library
		if len(private) > 0 {
			w.public.library = library.Without(private)
		}
	}
	return w.public.library
}

// Redact replaces in place what identifies people in texts that belong together, as the settings say. details says what was
// replaced, by class. With an error nothing may be given.
func (w *Workspace) Redact(texts []*string) (details string, err error) {
	plain := make([]string, len(texts))
	for i, t := range texts {
		plain[i] = *t
	}
	redacted, err := w.redact(plain, nil)
	if err != nil {
		return "", err
	}
	for i, t := range texts {
		*t = redacted.Messages[i]
	}
	return redacted.Details, nil
}

// RecordGiven writes into the audit, if the settings keep one, what an agent was given in reply to a tool.
func (w *Workspace) RecordGiven(agent, tool, redacted string, body []byte, at time.Time) {
	if w.audit == nil {
		return
	}
	w.audit.record(llm.Sent{Outbound: llm.Outbound{Host: agent, Model: tool, Role: agentRole, Body: body, Details: redacted}, Time: at})
}
