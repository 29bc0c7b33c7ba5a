package workspace

import (
	"testing"

	"lacuna/handlers/settings"
	"lacuna/knowledge/answer/systems"
)

// TestNobodyPaysForAnOpinionUnasked: with a model alone nobody gives a second opinion.
func TestNobodyPaysForAnOpinionUnasked(t *testing.T) {
	model := settings.Model{Chat: settings.Chat{Endpoint: settings.Endpoint{BaseURL: "http://127.0.0.1:1/v1", Model: "m"}}}
	own := model
	own.Roles = map[string]settings.Chat{"evaluator": {Endpoint: settings.Endpoint{Model: "judge"}}}
	cool := model
	zero := 0.0
	cool.Roles = map[string]settings.Chat{"evaluator": {Temperature: &zero}} // sets no other model
	encoder := settings.Entailment{Endpoint: settings.Endpoint{BaseURL: "http://127.0.0.1:2"}}
	for _, c := range []struct {
		name       string
		model      settings.Model
		entailment settings.Entailment
		chosen     string
		want       systems.Opinion
	}{
		{"a model alone", model, settings.Entailment{}, "auto", systems.NoOpinion},
		{"a model that is cooler", cool, settings.Entailment{}, "auto", systems.NoOpinion},
		{"an evaluator", own, settings.Entailment{}, "auto", systems.ByEvaluator},
		{"a cross-encoder", model, encoder, "auto", systems.ByEndpoint},
		{"both", own, encoder, "auto", systems.ByEndpoint},
		{"both, the evaluator chosen", own, encoder, "evaluator", systems.ByEvaluator},
		{"the model itself, chosen", model, settings.Entailment{}, "evaluator", systems.ByEvaluator},
		{"off", own, encoder, "off", systems.NoOpinion},
	} {
		set := settings.Default()
		set.Model, set.Entailment, set.Claims.SecondOpinion = c.model, c.entailment, c.chosen
		if got := opinion(set); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
