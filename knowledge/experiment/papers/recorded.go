package papers

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"lacuna/knowledge/experiment/report"
	"lacuna/knowledge/gate"
	"lacuna/knowledge/history"
	"lacuna/vecmath/regular"
)

// The slots of answers that were recorded without and with sources, from which the figures of CCSK are made without a
// model, and of their questions, where the answers name them by ID alone.
var recordedSlots = []Slot{
	{ID: "responses", Title: "recorded answers without and with sources", Recorded: true},
	{ID: "questions", Title: "the questions and options of these answers, by ID", Recorded: true, Optional: true},
}

// What has to be known of all figures of CCSK that are made of recorded answers.
var recordedCaveats = []string{
	"The answers were recorded, without and with sources, and a policy chooses one of the two to each question: no model is asked. Each question is decided by a policy that was trained without it.",
	"The paper measures on WebQuestions and ComplexQuestions; these are other questions, of another model, so only the order of what is compared can be set beside the paper.",
	"No policy can be better than the oracle, which knows the better answer, and none is worth having that does not beat both never and always.",
}

// folds is the number of parts in which policies are cross-validated.
const folds = 5

// recording is what was recorded, ready to be decided about.
type recording struct {
	items   []gate.Item
	dropped int // questions with their answers whose own source is among the sources
	models  []string
	encoder gate.Encoder
	facts   []report.Fact
}

// recordingOf reads the files that were given. Questions whose own source is among the sources are left out, because an
// encoder trained on it would know the answer.
func recordingOf(b *Bench) (recording, error) {
	var r recording
	var questions map[string]gate.Question
	for _, slot := range []string{"questions", "responses"} {
		at := slices.IndexFunc(b.Data, func(g Given) bool { return g.Slot.ID == slot })
		if at < 0 {
			continue
		}
		file := b.Data[at].File
		opened, err := regular.Open(file)
		if err != nil {
			return r, err
		}
		var read io.Reader = opened
		if slot == "questions" {
			questions, err = gate.ReadQuestions(read)
		} else {
			r.items, err = gate.Read(read, questions)
		}
		_ = opened.Close() // was only read
		if err != nil {
			return r, DataError{fmt.Errorf("%s: %w", file, err)}
		}
	}
	all := len(r.items)
	r.items, _ = gate.SplitLeaked(r.items, history.NotAccepted(b.Library.Passages()))
	r.dropped = all - len(r.items)
	for _, i := range r.items {
		if !slices.Contains(r.models, i.Model) {
			r.models = append(r.models, i.Model)
		}
	}
	if r.encoder = gate.LibraryEncoder(b.Library); r.encoder != nil {
		r.encoder = gate.CacheEncodings(r.encoder)
	}
	r.facts = []report.Fact{
		{Name: "sources", Value: b.Library.Digest()},
		{Name: "answers", Value: fmt.Sprintf("%d pairs of %d models", len(r.items), len(r.models))},
		{Name: "seed", Value: fmt.Sprintf("%d, of the training and the resamples", b.Seed)},
	}
	return r, nil
}

// lead says what was decided about.
func (r recording) lead() string {
	text := fmt.Sprintf("%d recorded pairs of answers, without and with sources, of %s.", len(r.items), join(r.models, modelName))
	if r.dropped > 0 {
		text += fmt.Sprintf(" %d more are left out, because their own source is among the sources of this workspace, which would give the answer away.", r.dropped)
	}
	return text
}

// of returns the answers of one model.
func (r recording) of(model string) []gate.Item {
	return slices.DeleteFunc(slices.Clone(r.items), func(i gate.Item) bool { return i.Model != model })
}

func modelName(model string) string {
	if model == "" {
		return "a model without a name"
	}
	return model
}

// compare cross-validates the policies of these names. They share what is trained for several of them.
func (r recording) compare(ctx context.Context, b *Bench, names ...string) (gate.Comparison, error) {
	learners := slices.DeleteFunc(gate.Learners(gate.DefaultPrice), func(l gate.Learner) bool { return !slices.Contains(names, l.Name) })
	return gate.Compare(ctx, learners, r.items, r.encoder, folds, b.Seed, nil)
}

// labelsOf says how often the answer with sources is better or worse.
func labelsOf(items []gate.Item) string {
	count := map[gate.Label]int{}
	for _, i := range items {
		count[i.Label()]++
	}
	same := 100 * float64(count[gate.Same]) / float64(len(items))
	return fmt.Sprintf("Of %d questions answered in both ways the answer with sources is better for %d, worse for %d, and both are equally good for %.0f %%: a perfect policy changes at most %.0f %% of the answers.", len(items), count[gate.Better], count[gate.Worse], same, 100-same)
}

// missingParts names the policies that had too little to learn from.
func missingParts(c gate.Comparison) []string {
	var notes []string
	for _, policy := range c.Policies {
		missing := map[string]int{}
		var order []string
		for _, o := range c.Outcomes[policy] {
			if len(o.Decision.Missing) > 0 {
				why := strings.Join(o.Decision.Missing, "; ")
				if missing[why] == 0 {
					order = append(order, why)
				}
				missing[why]++
			}
		}
		if len(order) > 0 {
			n := 0
			for _, k := range missing {
				n += k
			}
			notes = append(notes, fmt.Sprintf("%s decided %d of %d questions without a part of it: %s.", policy, n, len(c.Outcomes[policy]), order[0]))
		}
	}
	return notes
}
