package cli

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"lacuna/handlers/messages"
	"lacuna/knowledge"
	"lacuna/knowledge/document"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/share"
	"lacuna/server/workspace"
)

// indexJSON is the output of index --json.
type indexJSON struct {
	Dir        string       `json:"dir"`
	Passages   int          `json:"passages"`
	Pairs      int          `json:"pairs"`
	Encoder    bool         `json:"encoder"`
	Calibrated bool         `json:"calibrated"`
	Seconds    float64      `json:"seconds"`
	Sources    []sourceJSON `json:"sources"`
}

// sourceJSON counts the files of a source.
type sourceJSON struct {
	Name     string     `json:"name"`
	Kind     string     `json:"kind"`
	Path     string     `json:"path"`
	Passages int        `json:"passages"`
	Indexed  int        `json:"indexed"`
	Partly   int        `json:"partly"` // of indexed
	Skipped  int        `json:"skipped"`
	Failed   int        `json:"failed"`
	Problems []fileJSON `json:"problems"` // files with a reason, and those partly read
	coverageJSON
	Unread   map[string]int `json:"unread,omitempty"`   // skipped files without a reader, by ending
	Excluded map[string]int `json:"excluded,omitempty"` // skipped files that settings leave out, by pattern
	// Published says whose publication the source mirrors; nil if it mirrors none.
	Published *publishedJSON `json:"published,omitempty"`

	totals ingest.Totals
	listed []fileJSON // the problems that get a line of their own, the worst first
}

// publishedJSON is a publication that a source mirrors.
type publishedJSON struct {
	Place  string    `json:"place"`
	Key    string    `json:"key"`
	Number int       `json:"number"`
	Date   time.Time `json:"date"`
}

// fileJSON is the state of a file.
type fileJSON struct {
	Source   string `json:"source"`
	File     string `json:"file"`
	State    string `json:"state"`
	Partly   bool   `json:"partly,omitempty"` // indexed, without a good part of its text
	Reason   string `json:"reason,omitempty"`
	Advice   string `json:"advice,omitempty"`
	Line     int    `json:"line,omitempty"`
	Passages int    `json:"passages"`
	Hidden   int    `json:"hidden,omitempty"`
	Modified string `json:"modified,omitempty"` // RFC 3339
	coverageJSON
}

// coverageJSON says how much of the text became passages. It is empty where words are not counted, as for
// records.
type coverageJSON struct {
	Words   int                 `json:"words,omitempty"`
	Kept    int                 `json:"kept,omitempty"`
	Share   *float64            `json:"share,omitempty"` // Kept of Words, rounded down to 0.001
	Blocks  map[string]int      `json:"blocks,omitempty"`
	Omitted []document.Omission `json:"omitted,omitempty"`
}

func coverageOf(c *ingest.Coverage) coverageJSON {
	out := coverageJSON{Words: c.Words, Kept: c.Kept, Omitted: c.Omitted}
	if c.Words > 0 {
		share := math.Floor(1000*c.Share()) / 1000
		out.Share = &share
	}
	for kind, n := range c.Blocks {
		if out.Blocks == nil {
			out.Blocks = map[string]int{}
		}
		out.Blocks[kind.String()] += n
	}
	return out
}

func indexCommand() command {
	var asJSON bool
	return command{
		name:    "index",
		summary: "build or refresh the index; say what was indexed, skipped or failed",
		details: `
Reads what changed in the sources, indexes it, trains the encoder on it and fits
the gap judge to it. Every other command does the same by itself; this one says
per source what was indexed, partly read, skipped or failed, and why. While it
works it shows on standard error what is done and about how long the rest takes.
Ctrl-C stops it; what was published by then is searched.`,
		flags: func(f *pflag.FlagSet) { f.BoolVar(&asJSON, "json", false, "print one JSON object") },
		run:   func(ctx context.Context, p *program, _ []string) error { return p.index(ctx, asJSON) },
	}
}

func (p *program) index(ctx context.Context, asJSON bool) error {
	began := time.Now()
	w, library, err := p.openFresh(ctx, "")
	if err != nil {
		return err
	}
	defer w.Close()
	status := library.Status()
	result := indexJSON{
		Dir: w.IndexDir(), Passages: status.Passages, Pairs: status.Pairs,
		Encoder: status.Encoder, Calibrated: status.Calibrated,
		Seconds: time.Since(began).Seconds(), Sources: coverage(w, library),
	}
	if asJSON {
		return p.printJSON(result)
	}
	for i := range result.Sources {
		p.printSource(&result.Sources[i], false)
	}
	fmt.Fprintf(p.out, "%s and %s; %s\n", count(status.Passages, "passage"), count(status.Pairs, "stored question"), ability(status))
	return nil
}

// ability says how a library can be searched.
func ability(status knowledge.Status) string {
	switch {
	case status.Passages+status.Pairs == 0:
		return "nothing to search"
	case !status.Encoder:
		return "searched by words alone (too few texts to train an encoder on, or not trained yet)"
	}
	return "searched by words and by the encoder trained on them"
}

// mostProblems bounds the files that are named for one source.
const mostProblems = 25

// printSource prints what became of the files of a source, with what was left out of them if details is set.
func (p *program) printSource(s *sourceJSON, details bool) {
	fmt.Fprintf(p.out, "%s (%s in %s): %s from %s", printable(s.Name), s.Kind, printable(s.Path),
		messages.Count(s.Passages, "passage"), messages.Count(s.Indexed, "file"))
	for _, some := range []struct {
		n    int
		what string
	}{{s.Partly, "partly read"}, {s.Skipped, "skipped"}, {s.Failed, "failed"}} {
		if some.n > 0 {
			fmt.Fprintf(p.out, ", %s %s", messages.Number(some.n), some.what)
		}
	}
	if kept := messages.Kept(&s.totals.Coverage); kept != "" {
		fmt.Fprintf(p.out, "; %s", kept)
	}
	fmt.Fprintln(p.out)
	if by := s.Published; by != nil {
		fmt.Fprintf(p.out, "  %s\n", printable(messages.PublishedBy(by.Key, by.Date, by.Number)))
	}
	if details {
		for _, line := range []struct{ what, text string }{
			{"blocks", messages.Blocks(s.totals.Blocks)}, {"left out", messages.LeftOut(s.totals.Omitted)}, {"not read", messages.NotRead(s.totals.Omitted)},
		} {
			if line.text != "" {
				fmt.Fprintf(p.out, "  %s: %s\n", line.what, line.text)
			}
		}
		if s.totals.Hidden > 0 {
			fmt.Fprintf(p.out, "  hidden: %s that a reader of the files does not see (comments, hidden elements, invisible characters)\n", messages.Count(s.totals.Hidden, "place"))
		}
	}
	lines := problemLines(s.listed)
	for _, line := range lines[:min(len(lines), mostProblems)] {
		fmt.Fprintf(p.out, "  %s\n", line)
	}
	if more := len(lines) - mostProblems; more > 0 {
		fmt.Fprintf(p.out, "  and %s; lacuna sources --files lists all\n", messages.Count(more, "more file"))
	}
	for _, line := range messages.OtherFiles(&s.totals) {
		fmt.Fprintf(p.out, "  %s\n", line)
	}
}

// problemLines returns a line for each file, and one for more than three with the same outcome.
func problemLines(files []fileJSON) []string {
	type outcome struct{ label, reason string }
	of := func(f fileJSON) outcome { return outcome{f.label(), f.Reason} }
	count := map[outcome]int{}
	for _, f := range files {
		count[of(f)]++
	}
	var lines []string
	for _, f := range files {
		switch n := count[of(f)]; {
		case n == 0: // counted with the first
		case n > 3 && !f.Partly:
			lines = append(lines, fmt.Sprintf("%s %s: %s, first %s", messages.Count(n, "file"), f.label(), printable(f.Reason), printable(f.File)))
			count[of(f)] = 0
		default:
			lines = append(lines, fileLine(f))
		}
	}
	return lines
}

// fileLine returns a file's state on one line.
func fileLine(f fileJSON) string {
	at := printable(f.File)
	if f.Line > 0 {
		at = fmt.Sprintf("%s:%d", at, f.Line)
	}
	line := fmt.Sprintf("%s: %s: %s", at, f.label(), printable(f.Reason))
	if f.Advice != "" {
		line += ". " + messages.UpperFirst(f.Advice)
	}
	return line
}

// label returns the state of a file in words.
func (f *fileJSON) label() string {
	if f.Partly {
		return partlyRead
	}
	return f.State
}

const partlyRead = "partly read"

// urgency sorts what needs the user's attention first.
func (f *fileJSON) urgency() float64 {
	switch {
	case f.State == string(ingest.Failed):
		return 0
	case f.Partly && f.Share != nil:
		return 1 + *f.Share
	case f.Partly:
		return 2
	case f.State == string(ingest.Skipped):
		return 3
	}
	return 4
}

// coverage sums up the files of each source.
func coverage(w *workspace.Workspace, library *knowledge.Library) []sourceJSON {
	sources := make([]sourceJSON, 0, len(w.Sources()))
	at := map[string]int{}
	for i, s := range w.Sources() {
		kind := "passages"
		if s.Kind == "qa" {
			kind = "qa"
		}
		at[s.Name] = i
		described := sourceJSON{Name: s.Name, Kind: kind, Path: display(w.Root(), s.Path), Problems: []fileJSON{}}
		if m, is := share.Of(s.Path); is && m.Head.Number > 0 {
			described.Published = &publishedJSON{Place: m.Pin.From, Key: m.Pin.Key, Number: m.Head.Number, Date: m.Head.Published}
		}
		sources = append(sources, described)
	}
	for _, f := range filesOf(w, library) {
		i, known := at[f.Source]
		if !known {
			continue
		}
		s := &sources[i]
		s.totals.Add(&f)
		if f.Reason == "" && !f.Partly() {
			continue
		}
		problem := fileOf(w, f)
		s.Problems = append(s.Problems, problem)
		_, unread := f.Unread()
		_, excluded := f.Excluded()
		if !unread && !excluded {
			s.listed = append(s.listed, problem)
		}
	}
	for i := range sources {
		s := &sources[i]
		s.Passages, s.Indexed, s.Partly, s.Skipped, s.Failed = s.totals.Passages, s.totals.Indexed, s.totals.Partly, s.totals.Skipped, s.totals.Failed
		s.coverageJSON, s.Unread, s.Excluded = coverageOf(&s.totals.Coverage), s.totals.Unread, s.totals.Excluded
		slices.SortStableFunc(s.listed, func(a, b fileJSON) int { return cmp.Compare(a.urgency(), b.urgency()) })
	}
	return sources
}

// filesOf lists the files of the sources. A file that one source leaves out because it is a source of its
// own is listed only there.
func filesOf(w *workspace.Workspace, library *knowledge.Library) []ingest.FileReport {
	own := map[string]bool{}
	for _, s := range w.Sources() {
		own[s.Path] = true
	}
	return slices.DeleteFunc(slices.Clone(library.Files()), func(f ingest.FileReport) bool {
		return f.State == ingest.Skipped && own[f.File]
	})
}

func fileOf(w *workspace.Workspace, f ingest.FileReport) fileJSON {
	file := fileJSON{
		Source: f.Source, File: display(w.Root(), f.File), State: string(f.State), Reason: f.Reason,
		Line: f.Line, Passages: f.Passages, Hidden: f.Hidden,
		Partly: f.Partly(), Advice: messages.Advice(&f), coverageJSON: coverageOf(&f.Coverage),
	}
	if file.Partly {
		file.Reason = messages.WhyPartly(&f)
	}
	if info, err := os.Stat(f.File); err == nil {
		file.Modified = info.ModTime().UTC().Format(time.RFC3339)
	}
	return file
}

func sourcesCommand() command {
	var asJSON, files bool
	return command{
		name:    "sources",
		summary: "say how much of every source is searched, what is missing and why",
		details: `
Prints for every source its files and passages, the share of the words that are
searched, the blocks by kind, and what was left out on purpose (navigation,
running heads, comments) or could not be read. Below that a line for each file
that failed, was skipped or is partly read, that is, less than 90 % of its words
are searched; files without text, such as pictures, share a line.

With --files it prints, for every file, one line of columns separated by tabs:
source, state (indexed, partly read, skipped or failed), number of passages,
time of the last change, file, reason, share of the words that are searched,
blocks, what was left out. With --json it prints every file, too; a partly read
file has the state indexed, and partly. The index is brought up to date first.
"lacuna doctor" compares the files with what other programs read.`,
		flags: func(f *pflag.FlagSet) {
			f.BoolVar(&asJSON, "json", false, "print one JSON object a line")
			f.BoolVar(&files, "files", false, "print a line for every file")
		},
		run: func(ctx context.Context, p *program, _ []string) error { return p.listSources(ctx, asJSON, files) },
	}
}

func (p *program) listSources(ctx context.Context, asJSON, files bool) error {
	w, library, err := p.openFresh(ctx, "")
	if err != nil {
		return err
	}
	defer w.Close()
	if !asJSON && !files {
		sources := coverage(w, library)
		for i := range sources {
			p.printSource(&sources[i], true)
		}
		for _, name := range w.Engines() {
			fmt.Fprintf(p.out, "%s is kept by an engine; \"lacuna remote status\" says how it is\n", printable(name))
		}
		return nil
	}
	for _, report := range filesOf(w, library) {
		f := fileOf(w, report)
		if asJSON {
			if err := p.printJSON(f); err != nil {
				return err
			}
			continue
		}
		reason := f.Reason
		if f.Line > 0 {
			reason = fmt.Sprintf("line %d: %s", f.Line, reason)
		}
		share := "-"
		if report.Words > 0 {
			share = messages.Percent(report.Share())
		}
		fmt.Fprintln(p.out, strings.Join([]string{printable(f.Source), f.label(), fmt.Sprint(f.Passages),
			cmp.Or(f.Modified, "-"), printable(f.File), printable(reason), share, messages.Blocks(report.Blocks), messages.LeftOut(report.Omitted)}, "\t"))
	}
	return nil
}
