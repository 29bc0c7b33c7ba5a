package cli

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"lacuna/knowledge/eval"
	"lacuna/knowledge/gate"
)

// bars are the figures that compare policies: the parts of CCSK against the whole, and its thresholds
// searched for against left where the search begins.
var bars = []struct {
	file, title string
	policies    []string
}{
	{"ablation", "What the parts of CCSK reach", []string{"sn", "rqm", "linear", "ccsk"}},
	{"thresholds", "Thresholds searched for, one fixed, all fixed", []string{"ccsk", "ccsk-fixed-prediction", "ccsk-fixed-confidence", "ccsk-fixed-single", "ccsk-fixed"}},
}

// draw writes the figures of a report, each for each model, and the fused features.
func (s *study) draw(ctx context.Context, o *gateOptions, rows []gate.Row, curves []curve) error {
	if err := os.MkdirAll(o.plots, 0o755); err != nil {
		return fmt.Errorf("--plots: %w", err)
	}
	for _, model := range models(s.items) {
		f := eval.Figure{Title: of(model) + "accuracy by share retrieved", Horizontal: "share of questions retrieved for", Vertical: "accuracy, %"}
		for _, c := range curves {
			if c.model == model && !slices.Contains(bars[1].policies[1:], c.Policy) {
				f.Series = append(f.Series, eval.Series{Name: c.Policy, Values: hundred(c.Score[:])})
			}
		}
		if err := write(o.plots, "cost", model, f, eval.DrawCurves); err != nil {
			return err
		}
		for _, b := range bars {
			f := eval.Figure{Title: of(model) + b.title, Vertical: "accuracy, % [95 % interval]"}
			for _, policy := range b.policies {
				for _, r := range pooled(rows) {
					if r.Model == model && r.Policy == policy {
						f.Series = append(f.Series, eval.Series{Name: policy, Values: hundred([]float64{r.Score.Mean, r.Score.Low, r.Score.High})})
					}
				}
			}
			if len(f.Series) < 2 {
				continue
			}
			if err := write(o.plots, b.file, model, f, eval.DrawBars); err != nil {
				return err
			}
		}
	}
	return s.exportFeatures(ctx, o)
}

func hundred(shares []float64) []float64 {
	percents := make([]float64, len(shares))
	for i, v := range shares {
		percents[i] = 100 * v
	}
	return percents
}

// unsafe is what a model's name may have that a file's must not.
var unsafe = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

func write(dir, figure, model string, f eval.Figure, draw func(io.Writer, eval.Figure) error) error {
	if model != "" {
		figure += "-" + unsafe.ReplaceAllString(model, "_")
	}
	var svg bytes.Buffer
	if err := draw(&svg, f); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, figure+".svg"), svg.Bytes(), 0o644)
}

// exportFeatures writes what the fusion net makes of the questions of one fold, which it has not seen,
// for a projection onto a plane: the fused features p, and beside them what SKR has to go by, the
// encoding q and the similarities s of the nearest past questions.
func (s *study) exportFeatures(ctx context.Context, o *gateOptions) error {
	if s.encoder == nil {
		return nil
	}
	learner, err := gate.Find("ccsk", o.price)
	if err != nil {
		return err
	}
	history, held := gate.Fold(s.items, o.folds, 0)
	policy, err := learner.Fit(ctx, history, s.encoder, o.seed)
	if err != nil {
		return err
	}
	var unseen []gate.Item
	for _, n := range held {
		unseen = append(unseen, s.items[n])
	}
	fused := gate.Project(policy, unseen)
	if len(fused) == 0 {
		return nil
	}
	var table bytes.Buffer
	out := csv.NewWriter(&table)
	header := []string{"id", "model", "label", "retrieve"}
	for n := range fused[0].Features {
		header = append(header, fmt.Sprintf("p%d", n))
	}
	for n := range fused[0].Question {
		header = append(header, fmt.Sprintf("q%d", n))
	}
	const similarities = 5
	for n := range similarities {
		header = append(header, fmt.Sprintf("s%d", n))
	}
	_ = out.Write(header) // Flush tells of errors
	for _, f := range fused {
		line := []string{f.Item.ID, f.Item.Model, string(f.Item.Label()), strconv.FormatBool(f.Retrieve)}
		for _, vector := range [][]float32{f.Features, f.Question} {
			for _, v := range vector {
				line = append(line, strconv.FormatFloat(float64(v), 'g', 6, 32))
			}
		}
		for n := range similarities {
			cell := ""
			if n < len(f.Similarities) {
				cell = strconv.FormatFloat(f.Similarities[n], 'g', 6, 64)
			}
			line = append(line, cell)
		}
		_ = out.Write(line)
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(o.plots, "features.csv"), table.Bytes(), 0o644)
}
