package explain_test

import (
	"slices"
	"strings"
	"testing"

	"lacuna/handlers"
	"lacuna/handlers/explain"
	"lacuna/knowledge/gap"
)

// TestEachMarkHasItsPage holds the pages against the codes of problems: none is missing, and none is
// about a mark that is not there any more.
func TestEachMarkHasItsPage(t *testing.T) {
	codes := []string{
		string(gap.MissingTopic), string(gap.MissingAspect), string(gap.MissingKnowledge),
		handlers.CodeBrokenCitation, handlers.CodeStaleCitation, handlers.CodeSuperseded, handlers.CodeNowAnswered, handlers.CodeEarlyAnswer, handlers.CodeConflicting, handlers.CodeSkippedFile, handlers.CodeHiddenText, handlers.CodeUnclearPrivate,
		handlers.CodeContradictedClaim, handlers.CodeUnstatedClaim, handlers.CodeUnsupportedClaim, handlers.CodeGeneratedBackground,
	}
	slices.Sort(codes)
	if got := explain.Codes(); !slices.Equal(got, codes) {
		t.Errorf("pages are there for %v, codes are %v", got, codes)
	}
}

// TestPagesHaveOneShape keeps every page findable by the same four questions.
func TestPagesHaveOneShape(t *testing.T) {
	for _, code := range explain.Codes() {
		page, ok := explain.Page(code)
		if !ok || !strings.HasPrefix(page, "# "+code+"\n\n") {
			t.Errorf("the page about %s does not begin with its code", code)
		}
		at := 0
		for _, heading := range []string{"\n## Why it appears\n", "\n## What to do\n", "\n## How to silence it\n"} {
			next := strings.Index(page[at:], heading)
			if next < 0 {
				t.Fatalf("the page about %s lacks %q, or has it in another place", code, strings.TrimSpace(heading))
			}
			at += next
		}
		if strings.Contains(page, "](") {
			t.Errorf("the page about %s has a link; it is shown where links lead nowhere", code)
		}
		if summary := explain.Summary(code); summary == "" || len(summary) > 120 {
			t.Errorf("the page about %s begins with %q, too long for a list", code, summary)
		}
	}
}

func TestNoPageForAnythingElse(t *testing.T) {
	for _, code := range []string{"", "missing", "../explain/missing-topic", "missing-topic.md"} {
		if _, ok := explain.Page(code); ok {
			t.Errorf("there is a page about %q", code)
		}
	}
}
