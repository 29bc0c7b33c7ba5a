package gate

import (
	"context"
	"fmt"
	"strings"

	"lacuna/knowledge/gate/fusion"
)

// Learners lists every policy, plain rules first.
func Learners() []Learner {
	return []Learner{
		plain("never", func([]Item) Policy { return Never }),
		plain("always", func([]Item) Policy { return Always }),
		plain("refusal", func([]Item) Policy { return refusal{} }),
		plain("fallback", func([]Item) Policy { return fallback{Always, "fallback"} }),
		plain("kind", func(history []Item) Policy { return FitPrior("kind", history, DefaultPrice, false) }),
		plain("default", func(history []Item) Policy { return Default(history, DefaultPrice) }),
		{"skr-knn", fitSKR},
		{"sn", func(_ context.Context, history []Item, e Encoder, _ uint64) (Policy, error) {
			s, err := fitSN(history, e, .5)
			return s, err
		}},
		{"rqm", func(_ context.Context, history []Item, e Encoder, seed uint64) (Policy, error) {
			r, err := fitRQM(history, e, seed, .5)
			return r, err
		}},
		{"linear", fitLinear},
		CCSK("ccsk", fusion.Sentences, false),
		CCSK("ccsk-literal", fusion.Sentences, true),
		CCSK("ccsk-outer", fusion.Outer, false),
		CCSK("ccsk-pooled", fusion.Pooled, false),
	}
}

// Find returns the learner of that name.
func Find(name string) (Learner, error) {
	var names []string
	for _, l := range Learners() {
		if l.Name == name {
			return l, nil
		}
		names = append(names, l.Name)
	}
	return Learner{}, fmt.Errorf("no policy is called %q; known: %s", name, strings.Join(names, ", "))
}

// windows of a text, each with windowWords words, one beginning every windowStep words.
func windows(text string) []string {
	all := strings.Fields(text)
	var parts []string
	for at := 0; at < len(all); at += windowStep {
		parts = append(parts, strings.Join(all[at:min(at+windowWords, len(all))], " "))
		if at+windowWords >= len(all) {
			break
		}
	}
	return parts
}
