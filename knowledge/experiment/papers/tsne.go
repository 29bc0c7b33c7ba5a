package papers

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"lacuna/knowledge/experiment/projection"
	"lacuna/knowledge/experiment/report"
	"lacuna/knowledge/gate"
)

func ccskTSNE() Artefact {
	return Artefact{
		ID: "tsne", Name: "t-SNE", Shows: "the features of CCSK and those of SKR in a plane, by what would have been right to do, on recorded answers",
		Needs: Needs{Encoder: true}, Slots: recordedSlots, Make: tsne,
		Caveats: append([]string{
			"The picture of the paper has no numbers. t-SNE shows clusters in anything, and distances between them say nothing: the share of neighbours with the same label, measured in all dimensions, is what counts; p is the probability of as many if labels were dealt out at random.",
			"Questions whose two answers are equally good say nothing of what would have been right, and are left out.",
			"The features of SKR are the encoding of the question and its similarities to the nearest past questions; those of CCSK are the units of its fusion net.",
		}, recordedCaveats...),
	}
}

// agreeing is the number of neighbours whose labels are compared, as many as vote in SKR and SN.
const agreeing = 5

// mostPoints is the number of questions of a model that are laid out: time and memory grow with its square.
const mostPoints = 1500

// Values of the figure, for programs.
type (
	planeValues struct {
		Models []planeOfModel `json:"models"`
	}
	planeOfModel struct {
		Model    string          `json:"model"`
		N        int             `json:"n"` // questions that the net had not seen and whose answers differ
		Retrieve int             `json:"retrieve"`
		Features []featureValues `json:"features"`
	}
	featureValues struct {
		Features string       `json:"features"`
		All      agreedValues `json:"all_dimensions"`
		Plane    agreedValues `json:"plane"`
		Places   [][2]float64 `json:"places"`
		Labels   []string     `json:"labels"`
	}
	agreedValues struct {
		Share  float64 `json:"same_label"`
		Chance float64 `json:"chance"`
		P      float64 `json:"p"` // of as much by chance
	}
)

// tsne trains CCSK on four of five parts of the answers and lays out what its nets make of the fifth.
func tsne(ctx context.Context, b *Bench) (Made, error) {
	recorded, err := recordingOf(b)
	if err != nil {
		return Made{}, err
	}
	learner, err := gate.Find("ccsk", gate.DefaultPrice)
	if err != nil {
		return Made{}, err
	}
	history, held := gate.Fold(recorded.items, folds, 0)
	policy, err := learner.Fit(ctx, history, recorded.encoder, b.Seed)
	if err != nil {
		return Made{}, err
	}
	var unseen []gate.Item
	for _, n := range held {
		if recorded.items[n].Label() != gate.Same {
			unseen = append(unseen, recorded.items[n])
		}
	}
	fused := gate.Projections(policy, unseen)
	made := Made{Empty: true}
	made.Report.Lead = []string{
		recorded.lead(),
		"CCSK was trained on four fifths of them. Of the other fifth, which it had not seen, each point is a question whose two answers differ: of one colour where the answer with sources is better, of the other where it is worse. Features that tell the two apart put them in different places, and give a question neighbours with its own label.",
	}
	made.Report.Provenance = recorded.facts
	values := planeValues{Models: []planeOfModel{}}
	for _, model := range recorded.models {
		own := slices.DeleteFunc(slices.Clone(fused), func(p gate.Projection) bool { return p.Item.Model != model })
		if len(own) < 3 {
			made.Report.Sections = append(made.Report.Sections, report.Section{Heading: modelName(model), Text: []string{"There is nothing to show: too few past answers differ to train a fusion net, or too few of those left to show."}})
			continue
		}
		all := len(own)
		if all > mostPoints {
			random := rand.New(rand.NewPCG(b.Seed, 0))
			random.Shuffle(all, func(i, j int) { own[i], own[j] = own[j], own[i] })
			own = own[:mostPoints]
		}
		of, section, err := plane(ctx, model, own, b.Seed)
		if err != nil {
			return made, err
		}
		if all > mostPoints {
			section.Text = append(section.Text, fmt.Sprintf("%d of %d such questions were drawn.", mostPoints, all))
		}
		made.Empty = false
		values.Models = append(values.Models, of)
		made.Report.Sections = append(made.Report.Sections, section)
	}
	made.Values = values
	return made, nil
}

// plane lays the questions of one model out by both kinds of features.
func plane(ctx context.Context, model string, own []gate.Projection, seed uint64) (planeOfModel, report.Section, error) {
	v := planeOfModel{Model: model, N: len(own)}
	s := report.Section{Heading: fmt.Sprintf("%s, n = %d", modelName(model), len(own))}
	var labels []string
	for _, p := range own {
		label := "search"
		if p.Item.Label() == gate.Worse {
			label = "do not"
		} else {
			v.Retrieve++
		}
		labels = append(labels, label)
	}
	t := report.Table{
		Caption: fmt.Sprintf("Neighbours with the same label, of the %d nearest, %%", agreeing),
		Columns: []report.Column{{Name: "features"}, {Name: "dimensions", Numbers: true}, {Name: "in all dimensions", Numbers: true}, {Name: "in the plane", Numbers: true}, {Name: "by chance", Numbers: true}},
	}
	for _, f := range []struct {
		name string
		of   func(p gate.Projection) []float32
	}{
		{"CCSK", func(p gate.Projection) []float32 { return p.Features }},
		{"SKR", skrFeatures},
	} {
		var points [][]float32
		for _, p := range own {
			points = append(points, f.of(p))
		}
		places, err := projection.TSNE(ctx, points, projection.Options{Seed: seed})
		if err != nil {
			return v, s, err
		}
		flat := make([][]float32, len(places))
		for i, p := range places {
			flat[i] = []float32{float32(p[0]), float32(p[1])}
		}
		all, inPlane := projection.Agree(points, labels, agreeing, seed), projection.Agree(flat, labels, agreeing, seed)
		v.Features = append(v.Features, featureValues{f.name, agreedOf(all), agreedOf(inPlane), places, labels})
		t.Rows = append(t.Rows, []report.Cell{
			{Text: f.name, Head: true}, report.Text(fmt.Sprint(len(points[0]))), agreedCell(all), agreedCell(inPlane), report.Text(report.Number(100*all.Chance, 1)),
		})
		s.Text = append(s.Text, verdictOn(f.name, all))
		picture, err := scatter(modelName(model)+": "+f.name, places, labels)
		if err != nil {
			return v, s, err
		}
		s.Plots = append(s.Plots, picture)
	}
	s.Tables = []report.Table{t}
	return v, s, nil
}

// skrFeatures returns what SKR sees of a question, with 0 for each past question that is missing.
func skrFeatures(p gate.Projection) []float32 {
	features := slices.Clone(p.Question)
	for n := range agreeing {
		similarity := 0.0
		if n < len(p.Similarities) {
			similarity = p.Similarities[n]
		}
		features = append(features, float32(similarity))
	}
	return features
}

// verdictOn says whether features tell the labels apart.
func verdictOn(name string, a projection.Agreement) string {
	figures := fmt.Sprintf("%.1f %% of the neighbours have the same label, by chance it would be %.1f %% (p = %.3f)", 100*a.Share, 100*a.Chance, a.P)
	if a.P < .05 {
		return fmt.Sprintf("The features of %s tell the two apart: %s.", name, figures)
	}
	return fmt.Sprintf("The features of %s are not shown to tell the two apart: %s.", name, figures)
}

func agreedOf(a projection.Agreement) agreedValues { return agreedValues{a.Share, a.Chance, a.P} }

func agreedCell(a projection.Agreement) report.Cell {
	return report.Cell{Text: report.Number(100*a.Share, 1), Under: fmt.Sprintf("p = %.3f", a.P)}
}

func scatter(title string, places [][2]float64, labels []string) (report.SVG, error) {
	p := report.Plot{Title: title, X: title, Series: []report.Series{{Name: "search: the answer with sources is better"}, {Name: "do not: it is worse"}}}
	for i, place := range places {
		n := 0
		if labels[i] != "search" {
			n = 1
		}
		p.Series[n].Points = append(p.Series[n].Points, report.At(place[0], place[1]))
	}
	return p.Scatter()
}
