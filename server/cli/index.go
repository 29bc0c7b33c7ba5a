package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"lacuna/knowledge"
	"lacuna/knowledge/ingest"
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
	Skipped  int        `json:"skipped"`
	Failed   int        `json:"failed"`
	Problems []fileJSON `json:"problems"` // files with a reason
}

// fileJSON is the state of a file.
type fileJSON struct {
	Source   string `json:"source"`
	File     string `json:"file"`
	State    string `json:"state"`
	Reason   string `json:"reason,omitempty"`
	Line     int    `json:"line,omitempty"`
	Passages int    `json:"passages"`
	Hidden   int    `json:"hidden,omitempty"`
	Modified string `json:"modified,omitempty"` // RFC 3339
}

func indexCommand() command {
	var asJSON bool
	return command{
		name:    "index",
		summary: "build or refresh the index; say what was indexed, skipped or failed",
		details: `
Reads what changed in the sources, indexes it, trains the encoder on it and fits
the gap judge to it. Every other command does the same by itself; this one says
per source what was indexed, skipped or failed, and why.`,
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
	for _, s := range result.Sources {
		fmt.Fprintf(p.out, "%s (%s in %s): %s from %s", printable(s.Name), s.Kind, printable(s.Path),
			count(s.Passages, "passage"), count(s.Indexed, "file"))
		if s.Skipped > 0 {
			fmt.Fprintf(p.out, ", %d skipped", s.Skipped)
		}
		if s.Failed > 0 {
			fmt.Fprintf(p.out, ", %d failed", s.Failed)
		}
		fmt.Fprintln(p.out)
		for _, f := range s.Problems {
			fmt.Fprintf(p.out, "  %s\n", fileLine(f))
		}
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

// fileLine returns a file's state on one line.
func fileLine(f fileJSON) string {
	at := printable(f.File)
	if f.Line > 0 {
		at = fmt.Sprintf("%s:%d", at, f.Line)
	}
	return fmt.Sprintf("%s: %s: %s", at, f.State, printable(f.Reason))
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
		sources = append(sources, sourceJSON{Name: s.Name, Kind: kind, Path: display(w.Root(), s.Path), Problems: []fileJSON{}})
	}
	for _, f := range filesOf(w, library) {
		i, known := at[f.Source]
		if !known {
			continue
		}
		s := &sources[i]
		s.Passages += f.Passages
		switch f.State {
		case ingest.Indexed:
			s.Indexed++
		case ingest.Skipped:
			s.Skipped++
		case ingest.Failed:
			s.Failed++
		}
		if f.Reason != "" {
			s.Problems = append(s.Problems, fileOf(w, f))
		}
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
	}
	if info, err := os.Stat(f.File); err == nil {
		file.Modified = info.ModTime().UTC().Format(time.RFC3339)
	}
	return file
}

func sourcesCommand() command {
	var asJSON bool
	return command{
		name:    "sources",
		summary: "list every file of every source with its state",
		details: `
Prints, for every file of every source, one line of columns separated by tabs:
source, state (indexed, skipped or failed), number of passages, time of the last
change, file, reason. The index is brought up to date first.`,
		flags: func(f *pflag.FlagSet) { f.BoolVar(&asJSON, "json", false, "print one JSON object a line") },
		run:   func(ctx context.Context, p *program, _ []string) error { return p.listSources(ctx, asJSON) },
	}
}

func (p *program) listSources(ctx context.Context, asJSON bool) error {
	w, library, err := p.openFresh(ctx, "")
	if err != nil {
		return err
	}
	defer w.Close()
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
		fmt.Fprintln(p.out, strings.Join([]string{printable(f.Source), f.State, fmt.Sprint(f.Passages),
			cmp.Or(f.Modified, "-"), printable(f.File), printable(reason)}, "\t"))
	}
	return nil
}
