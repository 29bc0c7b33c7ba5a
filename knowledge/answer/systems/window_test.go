package systems_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/answertest"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/llm/llmtest"
	"lacuna/prompts"
)

// longPages is a base of pages that do not all fit into a small window.
func longPages() map[string]string {
	files := map[string]string{}
	for i := range 12 {
		files[fmt.Sprintf("gout%d.md", i)] = fmt.Sprintf("# Gout %d\n\nAn attack of gout number %d is treated with colchicine. ", i, i) +
			strings.Repeat(fmt.Sprintf("Gout has many sides, and page %d tells of them at length. ", i), 20) + "\n"
	}
	return files
}

// TestPromptsFitTheWindow has models with small windows, which are set, or named in a refusal.
func TestPromptsFitTheWindow(t *testing.T) {
	library, _ := answertest.Library(t, longPages())
	const window = 2048
	tooLong := func(c llmtest.Call) bool {
		tokens := 0
		for _, m := range c.Messages {
			tokens += prompts.Tokens(m.Content)
		}
		return tokens > window
	}
	for _, id := range []string{"std-rag/merged", "misknow/merged", "medrgag/no-generation", "migres"} {
		for _, set := range []int{window, 0} {
			refused := 0
			server := llmtest.New(t, llmtest.When(llmtest.Obliging(), tooLong, func(llmtest.Call) llmtest.Reply {
				refused++
				return llmtest.Reply{Status: http.StatusBadRequest, Body: `{"error":{"message":"This model's maximum context length is 2048 tokens. However, your messages resulted in more."}}`}
			}))
			e := environment(t, server, func(c *llm.Config) {
				for role, to := range c.Roles {
					to.Window, to.Model, to.Parallel = set, "one", 1
					c.Roles[role] = to
				}
			})
			e.Options.K = 12
			result := run(t, e, id, library, answer.Question{Text: "How is an attack of gout treated?"})
			if result.Failure != nil || result.State == answer.Nothing {
				t.Errorf("%s, window %d: %s, %v", id, set, result.State, result.Failure)
			}
			if set > 0 && refused > 0 || refused > 1 {
				t.Errorf("%s, window %d: %d prompts were too long", id, set, refused)
			}
			if !slices.ContainsFunc(server.Calls(), func(c llmtest.Call) bool {
				return strings.HasPrefix(c.Template, "answer_") && strings.Contains(c.User(), "[1] ")
			}) && id != "migres" {
				t.Errorf("%s, window %d: nothing is left of the contexts", id, set)
			}
		}
	}
}
