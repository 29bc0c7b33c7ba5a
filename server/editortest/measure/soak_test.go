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

// What a sample counts.
const (
	resident = iota // MB; it also has what the runtime will use again, and mapped files
	liveHeap        // MB
	goroutines
	openFiles
	mappedFiles
	deletedFiles // of the mapped ones: those of indexes that have been replaced
	kinds
)

// sample holds what the server held in a minute; 0 where it is not known.
type sample [kinds]float64

// counts says how each is printed, and how much it may grow from the middle to the end of a soak: by a share, and by a number
// beyond that. A leak grows with the hours, in one of the last five; resident memory is the allocator's, too.
var counts = [kinds]struct {
	name  string
	share float64
	more  float64
}{
	resident:     {"resident, MB", 0.20, 0},
	liveHeap:     {"live heap, MB", 0.05, 1}, // the runtime tells whole ones
	goroutines:   {"goroutines", 0, 4},
	openFiles:    {"open files", 0, 4},
	mappedFiles:  {"mapped files", 0.05, 16}, // those of one index more
	deletedFiles: {"  deleted", 0, 16},
}

// soak edits, asks, answers and saves for that long, rate times a second, prints what the server
// holds every minute, and a table of the thirds, and names what has grown over its bar after the first, the warm-up.
// What is done is undone soon, so that the note and the sources stay the size they are.
func soak(out io.Writer, c *client, m *memory, folder string, o options) (over []string, err error) {
	chance := rand.New(rand.NewPCG(o.seed, 3))
	minute := min(time.Minute, o.soak/12)
	tick := time.NewTicker(time.Duration(float64(time.Second) / o.rate))
	defer tick.Stop()
	var samples []sample
	m.sample() // what was before
	begun, done := time.Now(), 0
	for next := minute; ; {
		<-tick.C
		if err := c.something(chance, folder, o, done); err != nil {
			return nil, fmt.Errorf("after %d steps: %w", done, err)
		}
		done++
		if since := time.Since(begun); since >= next {
			next += minute
			s := m.sample()
			samples = append(samples, s)
			fmt.Fprintf(out, "%8s  %7d steps  resident %7.1f MB  live heap %5.0f MB  %3.0f goroutines  %3.0f files open, %3.0f mapped, %2.0f of them deleted\n",
				since.Round(time.Second), done, s[resident], s[liveHeap], s[goroutines], s[openFiles], s[mappedFiles], s[deletedFiles])
			if since >= o.soak {
				break
			}
		}
	}
	return printGrowth(out, samples), nil
}

// printGrowth prints the medians of the thirds and names what has grown over its bar from the second to the last.
func printGrowth(out io.Writer, samples []sample) (over []string) {
	third := len(samples) / 3
	if third == 0 {
		return nil
	}
	fmt.Fprintf(out, "\n%-14s %9s %9s %9s %9s\n", "medians", "beginning", "middle", "end", "growth")
	for kind, count := range counts {
		first, middle, last := median(samples[:third], kind), median(samples[third:len(samples)-third], kind), median(samples[len(samples)-third:], kind)
		growth, verdict := 0.0, ""
		if middle > 0 {
			growth = 100 * (last/middle - 1)
		}
		if last > middle*(1+count.share)+count.more {
			over = append(over, strings.TrimSpace(count.name))
			verdict = fmt.Sprintf("  over its bar, %.0f", middle*(1+count.share)+count.more)
		}
		fmt.Fprintf(out, "%-14s %9.0f %9.0f %9.0f %+8.1f%%%s\n", count.name, first, middle, last, growth, verdict)
	}
	return over
}

// saveEvery is how many steps lie between two saves of a page, each of which makes an index.
const saveEvery = 300

// something is one step of the soak. Most are keystrokes, as in life.
func (c *client) something(chance *rand.Rand, folder string, o options, step int) error {
	p := placesIn(c.note())
	question := pickPlace(chance, p.questions)
	if step%saveEvery == saveEvery-1 { // a page is saved with one sentence more or less
		return c.save(folder, step/saveEvery, o)
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

func median(samples []sample, kind int) float64 {
	values := make([]float64, len(samples))
	for i, s := range samples {
		values[i] = s[kind]
	}
	slices.Sort(values)
	return values[len(values)/2]
}
