package measure

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"
)

// growthBar is how much memory may grow after the warm-up.
const growthBar = 0.05

// sample holds what the server held at a time.
type sample struct {
	resident float64 // MB, 0 where it is not known
	live     float64 // MB
}

// soak edits, asks, answers and saves for that long, rate times a second, prints what the server
// holds every minute, and returns the growth after warming up, as a share. The first third is the warm-up.
// What is done is undone soon, so that the note and the sources stay the size they are.
func soak(out io.Writer, c *client, m *memory, folder string, o options) (growth float64, err error) {
	chance := rand.New(rand.NewPCG(o.seed, 3))
	minute := min(time.Minute, o.soak/12)
	tick := time.NewTicker(time.Duration(float64(time.Second) / o.rate))
	defer tick.Stop()
	var samples []sample
	begun, done := time.Now(), 0
	for next := minute; ; {
		<-tick.C
		if err := c.something(chance, folder, o, done); err != nil {
			return 0, fmt.Errorf("after %d steps: %w", done, err)
		}
		done++
		if since := time.Since(begun); since >= next {
			next += minute
			resident, _, _ := m.resident()
			samples = append(samples, sample{resident, float64(m.live.Load())})
			fmt.Fprintf(out, "%8s  %7d steps  resident %7.1f MB  live heap %5d MB\n", since.Round(time.Second), done, resident, m.live.Load())
			if since >= o.soak {
				break
			}
		}
	}
	return max(grown(samples, func(s sample) float64 { return s.resident }), grown(samples, func(s sample) float64 { return s.live })), nil
}

// something is one step of the soak. Most are keystrokes, as in life.
func (c *client) something(chance *rand.Rand, folder string, o options, step int) error {
	p := placesIn(c.note())
	question := pickPlace(chance, p.questions)
	if step%2000 == 1999 { // a page is saved with one sentence more or less
		return c.save(folder, step/2000, o)
	}
	switch dice := chance.IntN(100); {
	case dice < 60:
		_, err := c.typed(pickPlace(chance, p.prose))
		return err
	case dice < 75:
		_, err := c.typed(question)
		return err
	case dice < 85:
		_, err := c.hover(question)
		return err
	case dice < 95:
		_, _, err := c.codeActions(question)
		return err
	case dice < 97 && len(p.citations) > 0:
		_, err := c.hover(pickPlace(chance, p.citations))
		return err
	}
	return c.answerAndRemove(question)
}

// answerAndRemove has a question answered and takes the answer out again.
func (c *client) answerAndRemove(question int) error {
	for _, command := range []string{"lacuna.answerQuestion", "lacuna.removeAnswer"} {
		actions, _, err := c.codeActions(question)
		if err != nil {
			return err
		}
		if err := c.run(actions, command); err != nil {
			return err
		}
	}
	return nil
}

// save changes a page of the base, or changes it back, and tells the server.
func (c *client) save(folder string, turn int, o options) error {
	number := turn / 2 % max(1, o.passages/sectionsPerPage)
	text := page(number, min(sectionsPerPage, o.passages), o.seed)
	if turn%2 == 0 {
		text = strings.Replace(text, "\n\n##", fmt.Sprintf("\n\nThis page was saved in turn %d.\n\n##", turn), 1)
	}
	path := pagePath(folder, number)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		return err
	}
	return c.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": fileURI(path), "type": 2}}})
}

// grown compares the medians of the second and the last third of the samples.
func grown(samples []sample, of func(sample) float64) float64 {
	third := len(samples) / 3
	if third == 0 {
		return 0
	}
	before, after := median(samples[third:2*third], of), median(samples[len(samples)-third:], of)
	if before == 0 {
		return 0
	}
	return after/before - 1
}

func median(samples []sample, of func(sample) float64) float64 {
	values := make([]float64, len(samples))
	for i, s := range samples {
		values[i] = of(s)
	}
	slices.Sort(values)
	return values[len(values)/2]
}
