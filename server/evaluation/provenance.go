package evaluation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lacuna/knowledge/experiment"
	"lacuna/knowledge/experiment/report"
)

// Provenance says what figures depend on: the program, its prompts, the settings, the sources and the questions. Runs of
// equal provenance with equal replies of the models have equal figures.
type Provenance struct {
	Build    any                `json:"build"`
	Sources  string             `json:"sources"` // a digest of all passages
	Prompts  map[string]string  `json:"prompts"` // a hash of each template
	Settings []cellSettings     `json:"settings"`
	Datasets []datasetQuestions `json:"datasets"`
	Seed     uint64             `json:"seed"` // of the draw and the intervals
}

// cellSettings holds the settings that decide what a model is sent, without addresses and keys.
type cellSettings struct {
	Set       map[string]string `json:"set"`      // by the plan
	Decisive  any               `json:"settings"` // all that decide what is sent
	Models    map[string]string `json:"models,omitempty"`
	Embedding string            `json:"embedding,omitempty"`
	Rerank    string            `json:"rerank,omitempty"`
	Passages  int               `json:"passages"`
	Retriever string            `json:"retriever"`
}

// datasetQuestions names the questions that were asked.
type datasetQuestions struct {
	Name      string   `json:"name"`
	Form      string   `json:"form"`
	SHA256    string   `json:"sha256,omitempty"`
	Questions []string `json:"questions"`
	Notes     []string `json:"notes,omitempty"`
}

func (a *asker) provenance(plan experiment.Plan, sets []experiment.Set) Provenance {
	p := Provenance{Build: a.session.Build, Prompts: map[string]string{}, Seed: plan.Seed}
	for _, key := range slices.Sorted(maps.Keys(a.opened)) {
		o := a.opened[key]
		set := o.workspace.Settings()
		templates := o.workspace.Prompts()
		for _, name := range templates.Names() {
			p.Prompts[name] = templates.Version(name)
		}
		p.Sources = o.library.Digest()
		c := cellSettings{Set: o.set, Decisive: o.workspace.Decisive(), Models: map[string]string{}, Embedding: set.Embedding.Model, Rerank: set.Rerank.Model, Passages: set.Answer.Passages, Retriever: set.Answer.Retriever}
		if set.Model.Model != "" {
			c.Models["model"] = set.Model.Model
		}
		for role, own := range set.Model.Roles {
			if own.Model != "" {
				c.Models[role] = own.Model
			}
		}
		p.Settings = append(p.Settings, c)
	}
	for _, s := range sets {
		d := datasetQuestions{Name: s.Name, Form: s.Form, SHA256: s.SHA256, Notes: s.Notes}
		for _, q := range s.Questions {
			d.Questions = append(d.Questions, q.ID)
		}
		p.Datasets = append(p.Datasets, d)
	}
	return p
}

// changes names what a run's answers before depended on that is another now; "" if nothing is.
func changes(before, now []byte) string {
	var a, b map[string]json.RawMessage
	if json.Unmarshal(before, &a) != nil || json.Unmarshal(now, &b) != nil {
		return "provenance.json cannot be read"
	}
	var all []string
	for _, part := range []struct{ key, name string }{
		{"build", "the program"}, {"sources", "the sources"}, {"prompts", "the prompts"}, {"settings", "the settings"}, {"datasets", "the questions"}, {"seed", "the seed"},
	} {
		if bytes.Equal(a[part.key], b[part.key]) {
			continue
		}
		if part.key == "prompts" {
			part.name = "the prompts " + strings.Join(changedPrompts(a[part.key], b[part.key]), ", ")
		}
		all = append(all, part.name)
	}
	return strings.Join(all, " and ")
}

// changedPrompts names the templates that differ.
func changedPrompts(before, now []byte) []string {
	var a, b map[string]string
	if json.Unmarshal(before, &a) != nil || json.Unmarshal(now, &b) != nil {
		return nil
	}
	both := maps.Clone(a)
	maps.Copy(both, b)
	return slices.DeleteFunc(slices.Sorted(maps.Keys(both)), func(name string) bool { return a[name] == b[name] })
}

// facts returns a provenance for people. The prompts are in it as one hash each in provenance.json.
func (p Provenance) facts() []report.Fact {
	var build struct{ Version, Commit string }
	if text, err := json.Marshal(p.Build); err == nil {
		_ = json.Unmarshal(text, &build) // what it does not say is left out
	}
	all := []report.Fact{{Name: "program", Value: strings.TrimSpace("lacuna " + build.Version + " " + build.Commit)}}
	for _, set := range p.Settings {
		var models []string
		for _, role := range slices.Sorted(maps.Keys(set.Models)) {
			models = append(models, role+" "+set.Models[role])
		}
		all = append(all, report.Fact{Name: "models", Value: strings.Join(models, ", ")})
		for _, f := range []report.Fact{{Name: "encoder", Value: set.Embedding}, {Name: "reranker", Value: set.Rerank}} {
			if f.Value != "" {
				all = append(all, f)
			}
		}
	}
	all = append(all, report.Fact{Name: "sources", Value: p.Sources})
	for _, d := range p.Datasets {
		all = append(all, report.Fact{Name: d.Name, Value: fmt.Sprintf("%d questions, %s, SHA-256 %s", len(d.Questions), d.Form, d.SHA256)})
		for _, note := range d.Notes {
			all = append(all, report.Fact{Name: d.Name, Value: note})
		}
	}
	return append(all,
		report.Fact{Name: "seed", Value: fmt.Sprintf("%d, of the draw and the resamples", p.Seed)},
		report.Fact{Name: "more", Value: "provenance.json beside this page has every question, setting and hash of a prompt; answers.jsonl has every answer."})
}
