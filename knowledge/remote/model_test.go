package remote_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/extract"
	"lacuna/knowledge/answer/systems"
	"lacuna/knowledge/engine"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/llm/llmtest"
	"lacuna/prompts"
)

// asker answers by a system whose models are played by a server.
func asker(t *testing.T, id string, server *llmtest.Server) answer.Strategy {
	t.Helper()
	config := llm.Config{Roles: make(map[llm.Role]llm.Endpoint), Rerank: &llm.Endpoint{BaseURL: server.URL(), Model: "rerank", Setting: "rerank"}}
	for _, role := range llm.Roles() {
		config.Roles[role] = llm.Endpoint{BaseURL: server.URL(), Model: string(role), Setting: "model"}
	}
	client, err := llm.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	environment := systems.Environment{
		Model: client, Prompts: prompts.Default(), Offline: &extract.Offline{Judge: gap.NewJudge()},
		Options: systems.Options{Rounds: 2, Budget: 100_000, Reranked: 20},
	}
	strategy, err := environment.Strategy(id)
	if err != nil {
		t.Fatal(err)
	}
	return strategy
}

// sent returns what a server was asked, in an order that does not depend on which of concurrent calls came first.
func sent(server *llmtest.Server) []string {
	var all []string
	for _, c := range server.Calls() {
		all = append(all, string(c.Body))
	}
	slices.Sort(all)
	return all
}

// TestModelsAreAskedOnce: a system with models answers from an engine as from the whole library, with the same calls, though
// it is run again for each further search.
func TestModelsAreAskedOnce(t *testing.T) {
	b := clinic(t)
	g := pushed(t, &engine.Memory{}, b)
	failing := llmtest.Break(llmtest.Obliging(), llmtest.Status(400), "judge_gaps")
	for _, test := range []struct {
		name, system string
		script       llmtest.Script
	}{
		{"misknow", "misknow/merged", llmtest.Obliging()},
		{"misknow with a judge that fails", "misknow/merged", failing},
		{"medrgag", "medrgag", llmtest.Obliging()},
		{"i-medrag", "i-medrag", llmtest.Obliging()},
		{"migres", "migres", llmtest.Obliging()},
	} {
		t.Run(test.name, func(t *testing.T) {
			question := answer.Question{Text: "What is the dose of metformin when the kidneys are weak?"}
			one, other := llmtest.New(t, test.script), llmtest.New(t, test.script)
			want, err := asker(t, test.system, one).Answer(t.Context(), b.library, question)
			if err != nil {
				t.Fatal(err)
			}
			strategy := &counting{asker(t, test.system, other), 0}
			got, _, err := g.Answer(t.Context(), strategy, question)
			if err != nil {
				t.Fatal(err)
			}
			if strings.ReplaceAll(told(got), other.Host(), one.Host()) != told(want) || got.Usage != want.Usage || !slices.Equal(got.Models, want.Models) {
				t.Errorf("%s%+v\nbut from the whole\n%s%+v", told(got), got.Usage, told(want), want.Usage)
			}
			if a, b := sent(other), sent(one); !slices.Equal(a, b) {
				t.Errorf("%d calls, %d from the whole", len(a), len(b))
			}
			t.Logf("%d calls, in %d rounds", len(other.Calls()), strategy.rounds)
		})
	}
}

// counting counts how often a strategy is called.
type counting struct {
	answer.Strategy
	rounds int
}

func (c *counting) Answer(ctx context.Context, library *knowledge.Library, q answer.Question) (answer.Result, error) {
	c.rounds++
	return c.Strategy.Answer(ctx, library, q)
}
