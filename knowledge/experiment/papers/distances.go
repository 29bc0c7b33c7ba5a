package papers

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"lacuna/knowledge/dense"
	"lacuna/knowledge/experiment"
	"lacuna/knowledge/experiment/dataset"
	"lacuna/knowledge/experiment/distances"
	"lacuna/knowledge/experiment/report"
	"lacuna/knowledge/passage"
)

// anyQuestions is the slot of a set of which only the questions are needed.
var anyQuestions = Slot{
	ID: "queries", Title: "questions of any kind", Forms: []string{"nq-open", "huatuo"},
	Kinds: []dataset.Kind{dataset.Short, dataset.Paragraph, dataset.Choice, dataset.YesNo, dataset.Ranking, dataset.Mixed, dataset.Open},
}

func misknowFigure1() Artefact {
	return Artefact{
		ID: "fig1", Name: "Figure 1", Shows: "how far questions are from the nearest stored pair and from the nearest passage",
		Needs: Needs{Texts: true, Pairs: true, Encoder: true}, Slots: []Slot{anyQuestions}, Make: figure1,
		Caveats: []string{
			"The paper prints no numbers: by its picture, pairs are nearer on average for Natural Questions and for Huatuo-26M. It encodes with BGE models, and its bases are far larger: up to 4.8 million passages and 8.8 million pairs.",
			"A larger base has nearer neighbours, whatever it holds. What is compared is these two bases, with their sizes.",
			"Texts that were collected for these very questions, as the snippets of BioASQ were for its own, are near them for that reason.",
			"A question is not compared with a stored pair that asks the same in the same words.",
			"Nearer does not mean better evidence: a stored question can be worded alike and have another answer.",
		},
	}
}

// Values of the figure, for programs.
type (
	distanceValues struct {
		Questions int             `json:"n"`
		Unknown   int             `json:"unknown"` // questions without a word that the encoder knows
		Encoders  []encoderValues `json:"encoders"`
	}
	encoderValues struct {
		Encoder string       `json:"encoder"`
		Bases   []baseValues `json:"bases"`
		// Closer compares each base of pairs with the passages.
		Closer []closerValues `json:"closer"`
	}
	baseValues struct {
		Base      string              `json:"base"`
		Texts     int                 `json:"texts"`
		Mean      float64             `json:"mean"`
		Low       float64             `json:"low"`
		High      float64             `json:"high"`
		Quartiles [3]float64          `json:"quartiles"`
		Histogram [distances.Bins]int `json:"histogram"` // from 0 to 2
		OwnPairs  int                 `json:"own_pairs"` // questions with a pair of the same words, which is left out
	}
	closerValues struct {
		Base           string  `json:"base"`
		Share          float64 `json:"share"`
		Low            float64 `json:"low"`
		High           float64 `json:"high"`
		Ties           int     `json:"ties"`
		Difference     float64 `json:"difference"` // of the means
		DifferenceLow  float64 `json:"difference_low"`
		DifferenceHigh float64 `json:"difference_high"`
	}
)

// namedEncoder is an encoder with what it was trained on, for people.
type namedEncoder struct {
	name    string
	encoder *dense.Encoder
}

// figure1 measures under an encoder that was trained on both bases, and, to show what that decides, under those that the
// library has of each.
func figure1(ctx context.Context, b *Bench) (Made, error) {
	plan := experiment.Plan{Questions: b.Questions, Seed: b.Seed, Datasets: []experiment.PlannedSet{{File: b.Data[0].File, Part: b.Data[0].Part}}}
	sets, err := plan.Sets()
	if err != nil {
		return Made{}, DataError{err}
	}
	set := sets[0]
	var questions []string
	for _, q := range set.Questions {
		questions = append(questions, q.Text)
	}
	passages := b.Library.Passages()
	both, err := distances.Train(ctx, passages)
	if err != nil {
		return Made{}, err
	}
	encoders := []namedEncoder{{"trained on passages and pairs together", both}}
	for _, kind := range []passage.Kind{passage.Text, passage.QA} {
		if c := b.Library.Collection(kind); c != nil && c.Encoder() != nil {
			name := "trained on the passages"
			if kind == passage.QA {
				name = "trained on the stored questions"
			}
			encoders = append(encoders, namedEncoder{name, c.Encoder()})
		}
	}
	bases := distances.BasesOf(passages)
	values := distanceValues{Questions: len(questions)}
	sections := []report.Section{
		{Heading: fmt.Sprintf("%s, n = %d", set.Name, len(questions))},
		{Heading: "Under other encoders", Text: []string{"An encoder that knows one of two bases better favours it. These show by how much."}},
	}
	var lead []string
	for i, e := range encoders {
		section := &sections[min(i, 1)]
		measured, err := distances.Measure(ctx, distances.EncodeBy(e.encoder), questions, bases, b.Seed)
		if errors.Is(err, distances.ErrNothing) && i > 0 { // the words of one base alone may have none of the questions
			section.Text = append(section.Text, fmt.Sprintf("Under the encoder %s nothing can be measured: %v.", e.name, err))
			continue
		}
		if err != nil {
			return Made{}, err
		}
		of := encoderValuesOf(e.name, measured, b.Seed)
		values.Encoders = append(values.Encoders, of)
		section.Tables = append(section.Tables, of.table(measured))
		if i > 0 {
			continue
		}
		values.Unknown = measured.Unknown
		lead = append(lead, of.lead(measured))
		picture, err := histogram(set.Name, measured)
		if err != nil {
			return Made{}, err
		}
		section.Plots = append(section.Plots, picture)
	}
	made := Made{Values: values}
	made.Report = report.Report{
		Lead:     append([]string{fmt.Sprintf("Each of %d questions of %s was compared with every text of %s, by the Euclidean distance of their vectors, which is 0 for the same words and at most %g.", len(questions), set.Name, sizes(bases), distances.Farthest)}, lead...),
		Sections: sections[:min(len(encoders), 2)],
		Caveats: []string{
			fmt.Sprintf("The encoder is Lacuna's own, with %d dimensions, trained on this workspace: on its passages and pairs together, so that it favours neither.", both.Dim()),
			"Lacuna searches stored pairs by the question alone; the paper indexes question and answer.",
		},
		Provenance: []report.Fact{
			{Name: "sources", Value: b.Library.Digest()},
			{Name: "encoder", Value: fmt.Sprintf("%d dimensions, %d terms", both.Dim(), both.Len())},
			{Name: set.Name, Value: fmt.Sprintf("%d questions, SHA-256 %s", len(questions), set.SHA256)},
			{Name: "seed", Value: fmt.Sprintf("%d, of the draw and the resamples", b.Seed)},
		},
	}
	return made, nil
}

func sizes(bases []distances.Base) string {
	var all []string
	for _, base := range bases[:min(2, len(bases))] {
		all = append(all, fmt.Sprintf("%d %s", len(base.Texts), strings.Split(base.Name, ",")[0]))
	}
	return strings.Join(all, " and ")
}

func encoderValuesOf(name string, r distances.Result, seed uint64) encoderValues {
	v := encoderValues{Encoder: name}
	for i, base := range r.Bases {
		v.Bases = append(v.Bases, baseValues{
			Base: base.Name, Texts: base.Texts, Mean: base.Mean, Low: base.Low, High: base.High,
			Quartiles: [3]float64{base.FirstQuartile, base.Median, base.ThirdQuartile}, Histogram: base.Histogram, OwnPairs: base.OwnPairs,
		})
		if i > 0 {
			c := r.Compare(i, 0, seed)
			v.Closer = append(v.Closer, closerValues{base.Name, c.Share, c.Low, c.High, c.Ties, c.Difference, c.DifferenceLow, c.DifferenceHigh})
		}
	}
	return v
}

// lead says which base is nearer, and whether the paper says so.
func (v encoderValues) lead(r distances.Result) string {
	if len(v.Closer) == 0 {
		return ""
	}
	c := v.Closer[0]
	verdict := "so neither is shown to be nearer on average"
	switch {
	case c.DifferenceHigh < 0:
		verdict = "so pairs are nearer, as in the paper"
	case c.DifferenceLow > 0:
		verdict = "so passages are nearer here, other than in the paper"
	}
	return fmt.Sprintf("The nearest pair, question and answer, is nearer than the nearest passage for %.1f %% of the questions [%.1f, %.1f]. The mean distance is %.3f to pairs and %.3f to passages, a difference of %s [%s, %s]: %s.",
		100*c.Share, 100*c.Low, 100*c.High, v.Bases[1].Mean, v.Bases[0].Mean, report.Difference(c.Difference, 3), report.Number(c.DifferenceLow, 3), report.Number(c.DifferenceHigh, 3), verdict)
}

func (v encoderValues) table(r distances.Result) report.Table {
	t := report.Table{
		Caption: "Encoder " + v.Encoder,
		Columns: []report.Column{{Name: "base"}, {Name: "texts", Numbers: true}, {Name: "mean distance", Numbers: true}, {Name: "quartiles", Numbers: true}, {Name: "nearer than passages, %", Numbers: true}, {Name: "mean, more than passages", Numbers: true}},
	}
	for i, base := range v.Bases {
		share, difference := report.Text("–"), report.Text("–")
		if i > 0 {
			c := v.Closer[i-1]
			share = report.Measured(100*c.Share, 100*c.Low, 100*c.High, 0, 1)
			difference = report.Measured(c.Difference, c.DifferenceLow, c.DifferenceHigh, 0, 3)
			difference.Text = report.Difference(c.Difference, 3)
		}
		quartiles := fmt.Sprintf("%.3f, %.3f, %.3f", base.Quartiles[0], base.Quartiles[1], base.Quartiles[2])
		t.Rows = append(t.Rows, []report.Cell{{Text: base.Base, Head: true}, report.Text(fmt.Sprint(base.Texts)), report.Measured(base.Mean, base.Low, base.High, 0, 3), report.Text(quartiles), share, difference})
		if base.OwnPairs > 0 && i == 1 {
			t.Notes = append(t.Notes, fmt.Sprintf("%d of the questions are stored in the same words; those pairs are left out for them.", base.OwnPairs))
		}
	}
	if r.Unknown > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("%d of %d questions are left out: the encoder knows none of their words.", r.Unknown, r.N+r.Unknown))
	}
	return t
}

// histogram draws how many questions have which distance to the nearest text of each base.
func histogram(title string, r distances.Result) (report.SVG, error) {
	p := report.Plot{Title: title + ": distance to the nearest text", X: "distance to the nearest text", Y: "questions"}
	first, last := distances.Bins, 0 // bins that any base has questions in
	for _, base := range r.Bases {
		for bin, n := range base.Histogram {
			if n > 0 {
				first, last = min(first, bin), max(last, bin)
			}
		}
	}
	const width = distances.Farthest / distances.Bins
	for _, base := range r.Bases {
		s := report.Series{Name: fmt.Sprintf("%s, mean %.2f", base.Name, base.Mean), Points: []report.Point{report.At(math.Max(0, float64(first)*width), 0)}}
		for bin := first; bin <= last; bin++ {
			s.Points = append(s.Points, report.At(float64(bin)*width, float64(base.Histogram[bin])))
		}
		s.Points = append(s.Points, report.At(float64(last+1)*width, 0))
		p.Series = append(p.Series, s)
	}
	return p.Steps()
}
