package handlers

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
	"golang.org/x/tools/txtar"

	"lacuna/handlers/lsp"
	"lacuna/handlers/note"
	"lacuna/handlers/position"
	"lacuna/knowledge/gap"
)

var update = flag.Bool("update", false, "rewrite the expected parts of testdata/*.txtar")

// A scenario is a file of testdata. Its comment says what it shows and then what happens, one
// step a line; "# " begins the steps:
//
//	# dismiss CODE        the first question's gap is marked as not needed
//	# answer              every open question is answered by the results of the archive
//	# edit OLD => NEW     the user changes the note
//	# change FILE: OLD => NEW   a source changes on disk, and has not been read yet
//	# remove FILE         a source is deleted
//	# reread              the sources are read again
//	# without WHAT        there are no sources, or the client has no literals
//	# model [remote]      a model is configured, on this machine or another one
//	# run COMMAND JSON    a command about the first question, with these arguments
//	# choose N            the next choice of the user, from 0
//	# at TEXT             the cursor goes to the first TEXT of the note
//
// Files under kb/ are the sources, note.md or note.txt is the note, and every section named
// "result TEXT" is what the system answers to the question that holds TEXT, "part TEXT" what is known
// while it is being answered. All other sections are expected, each the name of what is asked of the
// editor: note, said, asked, reports, hover, plain, actions, quickfix, source, problems, files,
// diagnostics, lens, definition, links, outline, folds, changes.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			d := newFakeEditor(t, archive)
			for line := range strings.Lines(string(archive.Comment)) {
				if step, ok := strings.CutPrefix(line, "# "); ok {
					d.step(strings.TrimSpace(step))
				}
			}
			for i, section := range archive.Files {
				show, expected := views[section.Name]
				if !expected {
					continue
				}
				got := strings.ReplaceAll(show(d), d.folder, "FOLDER")
				got = strings.ReplaceAll(strings.TrimSuffix(got, "\n")+"\n", "\n-- ", "\n--- ")
				if *update {
					archive.Files[i].Data = []byte(got)
				} else if want := string(section.Data); got != want {
					t.Errorf("%s: got:\n%s\nwant:\n%s", section.Name, got, want)
				}
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// views holds what a scenario can look at, as a user would read it.
var views = map[string]func(d *fakeEditor) string{
	"note": func(d *fakeEditor) string { return d.now.Note.Text },
	"changes": func(d *fakeEditor) string {
		var b strings.Builder
		for _, c := range ListChanges(d.now).Changes {
			fmt.Fprintf(&b, "%d:%d: %s\n\tnow: %s\n\t%s:%d\n", c.Range.Start.Line+1, c.Range.Start.Character+1, c.Was, c.Now, c.URI, c.Line)
		}
		return b.String()
	},
	"said":    func(d *fakeEditor) string { return strings.Join(d.said, "\n\n") },
	"asked":   func(d *fakeEditor) string { return strings.Join(d.asked, "\n") },
	"reports": func(d *fakeEditor) string { return strings.Join(d.reports, "\n") },
	"hover":   func(d *fakeEditor) string { return d.hover() },
	"plain": func(d *fakeEditor) string {
		d.now.Client.HoverMarkdown = false
		defer func() { d.now.Client.HoverMarkdown = true }()
		return d.hover()
	},
	"actions":  func(d *fakeEditor) string { return d.actions() },
	"quickfix": func(d *fakeEditor) string { return d.actions(protocol.QuickFix) },
	"source":   func(d *fakeEditor) string { return d.actions(protocol.Source) },
	"problems": func(d *fakeEditor) string { return described(d.now) },
	"files": func(d *fakeEditor) string {
		var b strings.Builder
		for _, f := range d.now.Library.Files() {
			data, err := os.ReadFile(f.File)
			if err != nil {
				d.t.Fatal(err)
			}
			s := d.now
			s.Path, s.Note = f.File, note.Parse(string(data), note.Markdown)
			fmt.Fprintf(&b, "%s\n%s", filepath.Base(f.File), described(s))
		}
		return b.String()
	},
	"links": func(d *fakeEditor) string { return d.links() },
	"outline": func(d *fakeEditor) string {
		var b strings.Builder
		d.outlined(&b, d.now.symbols(d.now.outline()), "")
		return b.String()
	},
	"folds":       func(d *fakeEditor) string { return d.folds() },
	"diagnostics": func(d *fakeEditor) string { return indented(d.t, Diagnostics(d.now)) },
	"lens": func(d *fakeEditor) string {
		lenses, err := CodeLens(context.Background(), d.now)
		if err != nil {
			d.t.Fatal(err)
		}
		var b strings.Builder
		for _, l := range lenses {
			fmt.Fprintf(&b, "%d: %s\n", l.Range.Start.Line+1, l.Command.Title)
		}
		return b.String()
	},
	"definition": func(d *fakeEditor) string {
		found, err := Definition(context.Background(), d.now, d.cursor)
		if err != nil {
			d.t.Fatal(err)
		}
		if found == nil {
			return "nothing"
		}
		location := found.([]protocol.Location)[0]
		path, _ := lsp.Path(location.URI)
		data, err := os.ReadFile(path)
		if err != nil {
			d.t.Fatal(err)
		}
		lines := position.NewLines(string(data))
		start := lines.Offset(position.Position{Line: location.Range.Start.Line, Column: location.Range.Start.Character}, position.UTF16)
		end := lines.Offset(position.Position{Line: location.Range.End.Line, Column: location.Range.End.Character}, position.UTF16)
		return fmt.Sprintf("%s:%d:%d\n%s", path, location.Range.Start.Line+1, location.Range.Start.Character+1, data[start:end])
	},
}

// described lists problems, one a line, with what is related below.
func described(s Snapshot) string {
	var b strings.Builder
	for _, p := range Problems(s) {
		at := offsetPosition(s.Note.Lines, p.Span.Start, position.UTF16)
		severity := map[gap.Severity]string{gap.Information: "information", gap.Warning: "warning"}[p.Severity]
		fmt.Fprintf(&b, "%d:%d: %s: %s [%s]\n", at.Line+1, at.Character+1, severity, p.Message, p.Code)
		for _, r := range p.Related {
			fmt.Fprintf(&b, "\t%s:%d: %s\n", r.File, r.Line, r.Message)
		}
	}
	return b.String()
}

func (d *fakeEditor) hover() string {
	h, err := Hover(context.Background(), d.now, d.cursor)
	if err != nil {
		d.t.Fatal(err)
	}
	if h == nil {
		return "nothing"
	}
	return h.Contents.Value
}

func (d *fakeEditor) actions(only ...protocol.CodeActionKind) string {
	p := &lsp.CodeActionParams{Range: protocol.Range{Start: d.cursor, End: d.cursor}}
	p.Context.Only = only
	p.Context.Diagnostics = Diagnostics(d.now)
	items, err := CodeActions(context.Background(), d.now, p)
	if err != nil {
		d.t.Fatal(err)
	}
	var b strings.Builder
	for _, item := range items {
		switch a := item.(type) {
		case protocol.Command:
			fmt.Fprintf(&b, "command: %s\n", a.Title)
		case protocol.CodeAction:
			fmt.Fprintf(&b, "%s: %s", a.Kind, a.Title)
			if a.IsPreferred {
				b.WriteString(" (preferred)")
			}
			for _, d := range a.Diagnostics {
				fmt.Fprintf(&b, " (for %s)", d.Code)
			}
			if a.Disabled != nil {
				fmt.Fprintf(&b, " (disabled: %s)", a.Disabled.Reason)
			}
			b.WriteString("\n")
		}
	}
	if b.Len() == 0 {
		return "nothing"
	}
	return b.String()
}

func indented(t *testing.T, value any) string {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
