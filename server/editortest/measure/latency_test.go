package measure

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// row is one thing that was timed.
type row struct {
	name string
	bar  time.Duration // for the 95th percentile; 0 if there is none
	took []time.Duration
}

// quantile is the duration that a share q of them does not exceed (the nearest rank).
func (r row) quantile(q float64) time.Duration {
	sorted := slices.Sorted(slices.Values(r.took))
	return sorted[max(0, min(len(sorted)-1, int(q*float64(len(sorted))+0.999999)-1))]
}

func (r row) over() bool { return r.bar > 0 && r.quantile(0.95) > r.bar }

const (
	typingBar = 30 * time.Millisecond
	askingBar = 20 * time.Millisecond
)

// measureLatency times each thing count times, in turn. The note is afterwards as it was before.
func measureLatency(c *client, count int, seed uint64) ([]row, error) {
	rows := []row{
		{name: "keystroke in prose to diagnostics", bar: typingBar},
		{name: "keystroke in a question to diagnostics", bar: typingBar},
		{name: "keystroke in a cited sentence to diagnostics", bar: typingBar},
		{name: "hover on a question", bar: askingBar},
		{name: "hover on a citation", bar: askingBar},
		{name: "hover right behind a keystroke", bar: askingBar},
		{name: "code actions on a question", bar: askingBar},
		{name: "code actions right behind a keystroke", bar: askingBar},
	}
	chance := rand.New(rand.NewPCG(seed, 2))
	for range count {
		p := placesIn(c.note())
		if len(p.citations) == 0 {
			return nil, errors.New("the note has no citation")
		}
		question, prose := pickPlace(chance, p.questions), pickPlace(chance, p.prose)
		for i, one := range []func() (time.Duration, error){
			func() (time.Duration, error) { return c.typed(prose) },
			func() (time.Duration, error) { return c.typed(question) },
			func() (time.Duration, error) {
				if len(p.cited) == 0 {
					return c.typed(prose)
				}
				return c.typed(pickPlace(chance, p.cited))
			},
			func() (time.Duration, error) { return c.hover(question) },
			func() (time.Duration, error) { return c.hover(pickPlace(chance, p.citations)) },
			func() (time.Duration, error) {
				return c.whileJudged(question, func() (time.Duration, error) { return c.hover(question) })
			},
			func() (time.Duration, error) { _, took, err := c.codeActions(question); return took, err },
			func() (time.Duration, error) {
				return c.whileJudged(question, func() (time.Duration, error) { _, took, err := c.codeActions(question); return took, err })
			},
		} {
			took, err := one()
			if err != nil {
				return nil, fmt.Errorf("%s: %w", rows[i].name, err)
			}
			rows[i].took = append(rows[i].took, took)
		}
	}
	return rows, nil
}

// typed types a letter, which is timed, and takes it back.
func (c *client) typed(at int) (time.Duration, error) {
	took, err := c.keystroke(at, at, "x")
	if err != nil {
		return 0, err
	}
	_, err = c.keystroke(at, at+1, "")
	return took, err
}

// whileJudged does something while a keystroke is being judged, and takes the keystroke back.
func (c *client) whileJudged(at int, do func() (time.Duration, error)) (time.Duration, error) {
	if _, _, err := c.change(at, at, "x"); err != nil {
		return 0, err
	}
	took, err := do()
	if err != nil {
		return 0, err
	}
	_, err = c.keystroke(at, at+1, "")
	return took, err
}

// places holds offsets in a note.
type places struct {
	questions []int // before the question mark of each question without an answer
	prose     []int // at the end of each line of text
	citations []int // inside each citation mark
	cited     []int // before the full stop of each sentence with a citation
}

func placesIn(text string) places {
	var p places
	offset := 0
	for line := range strings.Lines(text) {
		trimmed := strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(trimmed, "- What is"):
			p.questions = append(p.questions, offset+len(trimmed)-1)
		case strings.HasPrefix(strings.TrimSpace(trimmed), "<!-- lacuna:answer"), strings.HasPrefix(strings.TrimSpace(trimmed), "<!-- lacuna "):
			p.questions = p.questions[:len(p.questions)-1]
		case strings.HasPrefix(trimmed, "She takes"):
			p.prose = append(p.prose, offset+len(trimmed)-1)
		case strings.HasPrefix(trimmed, "As is known"):
			p.cited = append(p.cited, offset+strings.LastIndex(trimmed, ". ["))
		case strings.HasSuffix(trimmed, "[1]"):
			p.citations = append(p.citations, offset+len(trimmed)-2)
		}
		offset += len(line)
	}
	return p
}

func pickPlace(chance *rand.Rand, from []int) int { return from[chance.IntN(len(from))] }

// printTable prints the rows and reports whether one is over its bar.
func printTable(out io.Writer, rows []row) (over bool) {
	fmt.Fprintf(out, "%-40s %8s %8s %8s %8s\n", "", "p50", "p95", "p99", "bar")
	for _, r := range rows {
		mark := ""
		if r.over() {
			over, mark = true, "  over"
		}
		fmt.Fprintf(out, "%-40s %8s %8s %8s %8s%s\n", r.name, ms(r.quantile(0.5)), ms(r.quantile(0.95)), ms(r.quantile(0.99)), ms(r.bar), mark)
	}
	return over
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000) }
