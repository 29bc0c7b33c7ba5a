package lexical

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestContent(t *testing.T) {
	for _, c := range []struct {
		question string
		want     []string
	}{
		{"What can I do about iron overload?", []string{"iron", "overload"}},
		{"please tell me what Crohn's disease is", []string{"crohn", "diseas"}},
		{"Does iron help, and how?", []string{"iron", "help"}},
		{"贫血是什么？", []string{"贫血"}},
		{"what should I do?", []string{"what", "should", "i", "do"}},
		{"", []string{}},
	} {
		got := []string{}
		for _, token := range Content(c.question) {
			got = append(got, token.Term)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q: %s", c.question, diff)
		}
	}
}
