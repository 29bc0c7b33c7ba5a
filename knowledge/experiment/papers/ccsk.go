package papers

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"lacuna/knowledge/experiment"
	"lacuna/knowledge/experiment/dataset"
	"lacuna/knowledge/gate"
)

// ccsk is Cognitive Convection of Self-Knowledge: its published figures are those of its Table 2, and two of its text.
func ccsk() Paper {
	return Paper{
		ID:    "ccsk",
		Name:  "CCSK",
		Title: "CCSK: Cognitive Convection of Self-Knowledge Based Retrieval Augmentation for Large Language Models",
		Artefacts: []Artefact{
			ccskTable2(), ccskAblation(), ccskThresholds(), ccskTSNE(),
		},
	}
}

// The data sets of CCSK.
var (
	webQuestions     = Slot{ID: "webquestions", Title: "WebQuestions", Forms: []string{"webquestions"}, Kinds: []dataset.Kind{dataset.Short}, Names: []string{"webq"}, N: 2145}
	complexQuestions = Slot{ID: "complexquestions", Title: "ComplexQuestions", Forms: []string{"complexquestions"}, Kinds: []dataset.Kind{dataset.Short}, Names: []string{"complex"}, N: 1486}
	free917          = Slot{ID: "free917", Title: "Free917", Forms: []string{"free917"}, Kinds: []dataset.Kind{dataset.Short}}
)

// The two candidate answers of CCSK, which are also its fixed policies.
const (
	closedBook = "manual-cot"
	openBook   = "manual-cot-ir"
)

// What has to be known of all figures of CCSK.
var ccskCaveats = []string{
	"Each question is answered twice, without and with the sources, and a policy chooses one of the two answers. Every policy is cross-validated here in five parts: it decides about questions that it has not seen. The paper trains on 80 % of the questions and tests on 20 %.",
	"No policy can have more cover matches than the oracle, which knows the better answer (by cover match, then by F1), and none is worth having that does not beat both fixed policies, Manual CoT (never searches) and Manual CoT-IR (always). Against the better of the two, the published CCSK gains 2.0 and 2.4 points of F1.",
	"The public evaluation of this family takes the gold answer as the reply where it cannot find one, which adds 15 to 19 points of EM and can change which policy wins; the published levels resemble it. Compare the order of the systems.",
	"ACC is not defined in the paper and lies between EM and F1; our cover match stands beside it.",
	"The published figures of SN and SKR are the same in all six cells: expect no difference.",
}

var ccskColumns = []column{
	{measure: "EM", papers: []string{"EM"}},
	{measure: "F1", papers: []string{"F1"}},
	{measure: "cover match", papers: []string{"ACC"}},
	{measure: "searched", plain: true},
	{measure: decidesRight, plain: true},
}

// decidesRight is the share of right decisions among the questions for which one answer is better.
const decidesRight = "decides right"

var ccskWebQuestions = map[string][]float64{ // EM F1 ACC
	closedBook: {56.08, 59.13, 58.07},
	openBook:   {52.57, 56.02, 55.09},
	"skr-knn":  {55.42, 58.71, 57.74},
	"sn":       {55.42, 58.71, 57.74},
	"rqm":      {55.42, 59.30, 58.15},
	"ccsk":     {56.57, 61.14, 59.94},
}

var ccskComplexQuestions = map[string][]float64{
	closedBook: {54.85, 61.72, 60.42},
	openBook:   {59.42, 63.80, 63.03},
	"skr-knn":  {58.28, 64.62, 63.65},
	"sn":       {58.28, 64.62, 63.65},
	"rqm":      {60.00, 64.50, 63.48},
	"ccsk":     {60.04, 66.18, 65.07},
}

func ccskTable2() Artefact {
	return table{
		rows: []system{
			{id: closedBook, name: "Manual CoT"}, {id: openBook, name: "Manual CoT-IR"},
			{id: "skr-knn", name: "SKR_knn", derived: true}, {id: "sn", name: "SN", derived: true},
			{id: "rqm", name: "RQM", derived: true}, {id: "ccsk", name: "CCSK", derived: true},
			{id: gate.Oracle, name: "oracle", derived: true},
		},
		over: openBook,
		sets: []columns{
			{slot: webQuestions, plotted: "F1", all: ccskColumns, published: ccskWebQuestions},
			{slot: complexQuestions, plotted: "F1", all: ccskColumns, published: ccskComplexQuestions},
		},
		extend: decide("skr-knn", "sn", "rqm", "ccsk"),
	}.artefact(Artefact{
		ID: "table2", Name: "Table 2", Shows: "policies that decide whether to search, on two sets of open questions",
		Needs: Needs{Model: true, Texts: true, Encoder: true}, Caveats: ccskCaveats,
	})
}

func ccskAblation() Artefact {
	// Of the figure no numbers are printed. Those of Table 2 stand beside it, and what the text says of the mixture.
	web := map[string][]float64{"linear": {nan, 61.14 - 2.70}}
	for system, figures := range ccskWebQuestions {
		web[system] = figures
	}
	return table{
		rows: []system{
			{id: closedBook, name: "Manual CoT"}, {id: openBook, name: "Manual CoT-IR"},
			{id: "sn", name: "SN alone", derived: true}, {id: "rqm", name: "RQM alone", derived: true},
			{id: "linear", name: "linear mixture", derived: true}, {id: "ccsk", name: "CCSK", derived: true},
			{id: gate.Oracle, name: "oracle", derived: true},
		},
		over: "ccsk",
		sets: []columns{
			{slot: webQuestions, plotted: "F1", all: ccskColumns, published: web, caption: "The figure of the paper has no numbers: those here are of its Table 2, and by its text the linear mixture costs 2.70 points of F1."},
			{slot: complexQuestions, plotted: "F1", all: ccskColumns, published: ccskComplexQuestions, caption: "The figure of the paper has no numbers: those here are of its Table 2."},
			{slot: free917, plotted: "F1", all: ccskColumns, caption: "The paper prints no numbers; by its text SN alone costs 2.11 points of F1."},
		},
		extend: decide("sn", "rqm", "linear", "ccsk"),
	}.artefact(Artefact{
		ID: "ablation", Name: "Ablation", Shows: "CCSK, its two parts alone, and their linear mixture",
		Needs:   Needs{Model: true, Texts: true, Encoder: true},
		Caveats: append([]string{"Expect RQM above SN on average. Free917 is published with formulas and without answers: it can be used once answers are added."}, ccskCaveats...),
	})
}

// decide has policies choose between the two answers to each question, cross-validated.
func decide(policies ...string) func(ctx context.Context, b *Bench, ran *Ran) (extension, error) {
	return func(ctx context.Context, b *Bench, ran *Ran) (extension, error) {
		return decideBy(ctx, policies, b, ran)
	}
}

func decideBy(ctx context.Context, policies []string, b *Bench, ran *Ran) (extension, error) {
	encoder := gate.LibraryEncoder(b.Library)
	if encoder != nil {
		encoder = gate.CacheEncodings(encoder)
	}
	decided := map[string]map[string]map[string]gate.Outcome{} // by set, policy and question
	notes := map[string][]string{}
	for _, set := range ran.Sets {
		items, err := itemsOf(ran, set)
		if err != nil {
			return extension{}, err
		}
		var learners []gate.Learner
		for _, l := range gate.Learners(gate.DefaultPrice) {
			if slices.Contains(policies, l.Name) && encoder != nil {
				learners = append(learners, l)
			}
		}
		if encoder == nil {
			notes[set.Name] = append(notes[set.Name], "The sources are too few to train an encoder, and without one no policy can be trained.")
		}
		compared, err := gate.Compare(ctx, learners, items, encoder, folds, b.Seed, nil)
		if err != nil {
			return extension{}, err
		}
		decided[set.Name] = map[string]map[string]gate.Outcome{}
		for policy, outcomes := range compared.Outcomes {
			by := map[string]gate.Outcome{}
			for _, o := range outcomes {
				if policy == gate.Oracle && o.Item.Label() == gate.Same {
					o.Decision.Retrieve = o.Item.F1[1] > o.Item.F1[0]
				}
				by[o.Item.ID] = o
			}
			decided[set.Name][policy] = by
		}
		notes[set.Name] = append(notes[set.Name], notesOn(items, compared)...)
	}
	return extension{
		answer: func(c experiment.Cell, qid string) (experiment.Answered, bool) {
			for _, way := range []string{closedBook, openBook} {
				if a, known := ran.Answer(asSystem(c, way), qid); !known || a.Failed != "" {
					return a, known
				}
			}
			o, known := decided[c.Dataset][c.System][qid]
			if !known {
				return experiment.Answered{}, false
			}
			way := closedBook
			if o.Decision.Retrieve {
				way = openBook
			}
			a, known := ran.Answer(asSystem(c, way), qid)
			a.Retrieved = &o.Decision.Retrieve
			return a, known
		},
		figures: func(c experiment.Cell, set experiment.Set) []experiment.Figure {
			if c.System == closedBook || c.System == openBook {
				searched := make([]float64, len(set.Questions))
				for i := range searched {
					searched[i] = truth(c.System == openBook)
				}
				return []experiment.Figure{experiment.Mean("searched", searched, b.Seed)}
			}
			var right []float64
			for _, q := range set.Questions {
				o, known := decided[c.Dataset][c.System][q.ID]
				if known && o.Item.Label() != gate.Same {
					right = append(right, truth(o.Right()))
				}
			}
			if len(right) == 0 {
				return nil
			}
			return []experiment.Figure{experiment.Mean(decidesRight, right, b.Seed)}
		},
		notes: func(set experiment.Set) []string { return notes[set.Name] },
	}, nil
}

func asSystem(c experiment.Cell, system string) experiment.Cell {
	c.System = system
	return c
}

// itemsOf returns the questions that were answered in both ways, as a history.
func itemsOf(ran *Ran, set experiment.Set) ([]gate.Item, error) {
	var rows bytes.Buffer
	for _, cell := range ran.Plan.Cells(ran.Sets) {
		if cell.Dataset != set.Name || cell.System != closedBook {
			continue
		}
		for _, q := range set.Questions {
			closed, ok := ran.Answer(cell, q.ID)
			open, also := ran.Answer(asSystem(cell, openBook), q.ID)
			if !ok || !also || closed.Failed != "" || open.Failed != "" {
				continue
			}
			row := struct {
				ID        string   `json:"id"`
				Question  string   `json:"question"`
				Closed    string   `json:"closed"`
				Retrieved string   `json:"retrieved"`
				Gold      []string `json:"gold"`
			}{q.ID, q.Text, closed.Reply, open.Reply, slices.Concat(q.Exact...)}
			if err := json.NewEncoder(&rows).Encode(row); err != nil {
				return nil, err
			}
		}
	}
	return gate.Read(&rows, nil)
}

// notesOn says what the answers leave to decide, and which policies had too little to learn from.
func notesOn(items []gate.Item, c gate.Comparison) []string {
	if len(items) == 0 {
		return nil
	}
	return append([]string{labelsOf(items) + " Good means a cover match, or, where the gold answer has more than ten words, ROUGE-L."}, missingParts(c)...)
}
