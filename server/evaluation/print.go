package evaluation

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"lacuna/knowledge/experiment"
)

// PrintTables prints figures as text: for each data set a line for each measure of each system, with its interval, and how
// much more that is than the baseline has.
func PrintTables(w io.Writer, r experiment.Results) {
	for i, t := range r.Tables {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, headOf(t))
		if at := slices.IndexFunc(t.Rows, func(row experiment.Row) bool { return len(row.Gains) == 0 && row.Asked > 0 }); at >= 0 && len(t.Rows) > 1 {
			fmt.Fprintf(w, "  after n: how much more than %s, and how probable so large a difference is by chance\n", t.Rows[at].Cell.System)
		}
		for _, row := range t.Rows {
			fmt.Fprintf(w, "  %s%s\n", row.Cell.System, asked(row))
			for _, f := range row.Figures {
				fmt.Fprintf(w, "    %-36s %s  n = %d%s\n", f.Name, interval(f), f.N, gain(row, f.Name))
			}
			if row.Majority != nil {
				fmt.Fprintf(w, "    %-36s %.3f\n", "most frequent letter", *row.Majority)
			}
			if t := row.Times; t.Calls > 0 {
				took := "replies from the cache"
				if t.MedianMS > 0 {
					took = fmt.Sprintf("median %.1f s", t.MedianMS/1000)
				}
				price := ""
				if t.Cost > 0 {
					price = ", " + priceOf(t)
				}
				fmt.Fprintf(w, "    %-36s %.1f calls, %.0f tokens sent, %.0f written%s, %s\n", "cost of a question", t.Calls, t.Prompt, t.Written, price, took)
			}
		}
	}
}

// headOf names a table: its data set, model and seed.
func headOf(t experiment.Table) string {
	head := []string{t.Dataset}
	if t.Model != "" {
		head = append(head, t.Model)
	}
	if t.Seed != nil {
		head = append(head, fmt.Sprintf("seed %d", *t.Seed))
	}
	return strings.Join(head, ", ")
}

// priceOf returns what a thousand questions cost: one often costs too little to read.
func priceOf(t experiment.Times) string {
	decimals := 2
	if 1000*t.Cost < .1 {
		decimals = 4
	}
	return strings.TrimSpace(fmt.Sprintf("%.*f %s", decimals, 1000*t.Cost, t.Currency)) + " for 1,000"
}

// chance writes the probability of a difference.
func chance(p float64) string {
	if p < .001 {
		return "p < 0.001"
	}
	return fmt.Sprintf("p = %.3f", p)
}

// asked says how many questions a row misses.
func asked(row experiment.Row) string {
	var parts []string
	if row.Failed > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d failed and left out", row.Failed, row.Asked))
	}
	if row.Degraded > 0 {
		parts = append(parts, fmt.Sprintf("%d without a stage or a part of the system", row.Degraded))
	}
	if row.Asked == 0 {
		parts = append(parts, "nothing asked yet")
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, "; ") + ")"
}

func interval(f experiment.Figure) string {
	return fmt.Sprintf("%.3f  [%.3f, %.3f]", f.Value, f.Low, f.High)
}

func gain(row experiment.Row, name string) string {
	for _, g := range row.Gains {
		if g.Name == name {
			return fmt.Sprintf("  %+.3f  [%+.3f, %+.3f]  %s", g.Value, g.Low, g.High, chance(g.Chance))
		}
	}
	return ""
}

func countQuestions(n int) string {
	if n == 1 {
		return "1 question"
	}
	return fmt.Sprintf("%d questions", n)
}
