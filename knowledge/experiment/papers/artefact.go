package papers

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"lacuna/knowledge"
	"lacuna/knowledge/experiment"
	"lacuna/knowledge/experiment/dataset"
	"lacuna/knowledge/experiment/report"
)

// Paper is a paper with the artefacts that can be made again.
type Paper struct {
	ID        string // such as misknow
	Name      string // of its system
	Title     string
	Artefacts []Artefact
}

// Artefact is a table or a figure of a paper.
type Artefact struct {
	ID    string // such as table1
	Name  string // such as Table 1
	Shows string // what it shows, in a line
	Needs Needs
	Slots []Slot // for data sets; at least one must be filled that is not optional
	// Caveats say what has to be known to compare our figures with the published ones.
	Caveats []string
	// Make makes it. What failed on the way and is told by the report is no error; with an error, Made holds what was
	// made until then, or is empty.
	Make func(ctx context.Context, b *Bench) (Made, error)

	table *table // nil of figures
}

// Needs says what an artefact cannot do without, except for its data sets.
type Needs struct {
	Model    bool // language model
	Models   bool // several models to compare
	Texts    bool // passages of running text among the sources
	Pairs    bool // stored questions with answers among the sources
	Encoder  bool // the encoder of the sources, which too few sources have not
	Reranker bool // better with one; runs without, and says so
}

// Slot is the place of a data set.
type Slot struct {
	ID       string // such as nq, for NAME=FILE
	Title    string
	Forms    []string       // of package dataset, that fit it and nothing else
	Kinds    []dataset.Kind // that its questions may have
	Language string         // empty means any
	Names    []string       // that tell it in the name of a file
	N        int            // of questions in the paper; 0 means not said
	Optional bool           // makes nothing alone
	// Recorded is a file of answers that were recorded, or of their questions, as lacuna gate reads them, and no data set.
	// It is always given by its name.
	Recorded bool
}

// Bench is what an artefact is made with.
type Bench struct {
	Data []Given // the filled slots, in their order
	// Questions is how many are drawn of each data set; 0 means all.
	Questions int
	Seed      uint64
	// AsPublished runs systems as their papers do, and not as the user's settings have them.
	AsPublished bool
	Recall      experiment.RecallJudge // who judges context recall
	Model       string                 // the name of the reader, for people; may be empty
	Models      []string               // to compare, of an artefact that needs several
	// Library is the index of the user's sources.
	Library *knowledge.Library
	// Run runs a plan, or goes on with it; plans of one artefact differ in their names. With an error it returns what was answered before, or nil if nothing was asked.
	Run func(ctx context.Context, plan experiment.Plan) (*Ran, error)
}

// Ran is a plan that was run.
type Ran struct {
	Plan experiment.Plan
	Sets []experiment.Set
	// Answer returns what the system of a cell answered to the question with an ID.
	Answer func(c experiment.Cell, qid string) (experiment.Answered, bool)
	// Provenance says what the figures depend on.
	Provenance []report.Fact
}

// Made is an artefact as it was made.
type Made struct {
	Report report.Report // without title and caveats, which are the artefact's
	// Values are the figures for programs, as JSON has them.
	Values any
	// Empty says that nothing could be measured.
	Empty bool
}

// takes reports whether a slot can hold the questions of a set.
func (s Slot) takes(d dataset.Dataset) bool {
	if s.Language != "" && s.Language != d.Language {
		return false
	}
	return slices.Contains(s.Kinds, d.Kind) || d.Kind == dataset.Mixed && slices.ContainsFunc(s.Kinds, func(k dataset.Kind) bool { return len(d.Of(k).Questions) > 0 })
}

// hasForm reports whether a set has a form that fits the slot and nothing else.
func (s Slot) hasForm(d dataset.Dataset) bool { return slices.Contains(s.Forms, d.Form) }

// isNamed reports whether the name of a set tells the slot.
func (s Slot) isNamed(d dataset.Dataset) bool {
	return slices.ContainsFunc(append(slices.Clone(s.Names), s.ID), func(part string) bool { return strings.Contains(strings.ToLower(d.Name), part) })
}

// wants describes the questions of a slot.
func (s Slot) wants() string {
	text := join(s.Kinds, func(k dataset.Kind) string { return string(k) })
	if s.Language != "" {
		text += " in " + s.Language
	}
	return text
}

// describe names a slot with its data set.
func (s Slot) describe() string { return s.ID + " (" + s.Title + ")" }

// Given is a data set that fills a slot.
type Given struct {
	Slot    Slot
	File    string
	Part    string   // of the file; empty means all of it
	Sources []string // that its questions are answered from; empty means all
}

// Missing says in a line each why an artefact cannot be made with what there is; nothing means that it can.
func (a Artefact) Missing(have Needs, given []Given) []string {
	var missing []string
	for _, need := range []struct {
		lacks bool
		text  string
	}{
		{a.Needs.Model && !have.Model, "a model: set base_url and model under [model] in your settings, and do not work offline (docs/models.md)"},
		{a.Needs.Models && !have.Models, "models to compare: give --model twice or more, with names at the endpoint of your settings"},
		{a.Needs.Texts && !have.Texts, "passages: no source of this workspace holds running text"},
		{a.Needs.Pairs && !have.Pairs, "stored questions with answers: no source of this workspace holds any"},
		{a.Needs.Encoder && !have.Encoder, "an encoder: the sources are too few to train one, or are not indexed yet"},
	} {
		if need.lacks {
			missing = append(missing, need.text)
		}
	}
	var open []Slot
	for _, s := range a.Slots {
		filled := slices.ContainsFunc(given, func(g Given) bool { return g.Slot.ID == s.ID })
		if filled && !s.Optional {
			return missing
		}
		if !filled && !s.Optional {
			open = append(open, s)
		}
	}
	if len(open) > 0 {
		missing = append(missing, fmt.Sprintf("a data set: give --data with %s, as in --data %s=FILE", alternatives(open), open[0].ID))
	}
	return missing
}

// alternatives names the data sets of slots.
func alternatives(slots []Slot) string {
	var all []string
	for _, s := range slots {
		all = append(all, s.describe())
	}
	if len(all) == 1 {
		return all[0]
	}
	return strings.Join(all[:len(all)-1], ", ") + " or " + all[len(all)-1]
}

// Describe says what an artefact needs, in a line.
func (n Needs) Describe() string {
	var all []string
	for _, need := range []struct {
		is   bool
		text string
	}{
		{n.Model, "a model"}, {n.Models, "several models"}, {n.Texts, "passages"}, {n.Pairs, "stored questions with answers"}, {n.Encoder, "the encoder of the sources"},
		{n.Reranker, "if there is one, a reranker"},
	} {
		if need.is {
			all = append(all, need.text)
		}
	}
	return cmp.Or(strings.Join(all, ", "), "nothing else")
}

func join[T any](all []T, text func(T) string) string {
	var parts []string
	for _, v := range all {
		parts = append(parts, text(v))
	}
	return strings.Join(parts, ", ")
}
