package editortest_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"lacuna/handlers"
	"lacuna/handlers/lsp"
)

// view runs a command of which a view of the editor shows the answer.
func (s *scenario) view(command string, into any) {
	s.editor.MustCall("workspace/executeCommand", map[string]any{
		"command": command, "arguments": []any{map[string]any{"version": 1}},
	}, into)
}

// status prints what the server told last of its own accord, and says if asking gives another answer.
func (s *scenario) status() string {
	told := s.editor.Status()
	var asked handlers.StatusView
	s.view("lacuna.status", &asked)
	var b strings.Builder
	for _, f := range told.Folders {
		fmt.Fprintf(&b, "%s: %s, %s; %d files, %d skipped, %d failed, %d gaps", f.Name, f.State, f.Message, f.Files, f.Skipped, f.Failed, f.Gaps)
		if f.Model != "" {
			fmt.Fprintf(&b, "; %s, gate %s", f.Model, f.Gate)
		}
		if f.Decision != "" {
			fmt.Fprintf(&b, "; %s", f.Decision)
		}
		b.WriteString("\n")
	}
	if told.Answering > 0 {
		fmt.Fprintf(&b, "answering: %d\n", told.Answering)
	}
	one, _ := json.Marshal(told)
	other, _ := json.Marshal(asked)
	if string(one) != string(other) {
		fmt.Fprintf(&b, "asked, it says %s\n", other)
	}
	return b.String()
}

// gaps prints the list of gaps.
func (s *scenario) gaps() string {
	var view handlers.GapsView
	s.view("lacuna.listGaps", &view)
	var b strings.Builder
	for _, g := range view.Gaps {
		place := "not open"
		if g.Range != nil {
			place = placed(*g.Range)
		}
		since := ""
		if g.Since != nil {
			since = ", since " + g.Since.Format("2 January 2006")
		}
		fmt.Fprintf(&b, "%s %s %s\n  [%s] %s: %s%s\n", s.tidy(string(g.URI)), place, g.Question, g.Code, g.Status, g.Text, s.tidy(since))
	}
	if len(view.Gaps) == 0 {
		return "none\n"
	}
	return b.String()
}

// stale prints the list of what is no longer true.
func (s *scenario) stale() string {
	var view handlers.StaleView
	s.view("lacuna.listStale", &view)
	var b strings.Builder
	for _, m := range view.Marks {
		fmt.Fprintf(&b, "%s %s %s [%s] %s\n", s.tidy(string(m.URI)), placed(m.Range), m.Severity, m.Code, s.tidy(m.Text))
		for _, r := range m.Related {
			fmt.Fprintf(&b, "    %s:%d %s\n", s.tidy(string(r.Location.URI)), r.Location.Range.Start.Line+1, s.tidy(r.Message))
		}
	}
	if view.Message != "" {
		return s.tidy(view.Message) + "\n"
	}
	return b.String() + fmt.Sprintf("%d notes\n", view.Notes)
}

// sources prints the list of sources.
func (s *scenario) sources() string {
	var view handlers.SourcesView
	s.view("lacuna.listSources", &view)
	var b strings.Builder
	for _, folder := range view.Folders {
		fmt.Fprintf(&b, "%s\n", folder.Name)
		for _, source := range folder.Sources {
			fmt.Fprintf(&b, "  %s %s: %d indexed, %d skipped, %d failed, %d passages\n",
				source.Name, s.tidy(string(source.Root)), source.Indexed, source.Skipped, source.Failed, source.Passages)
			for _, line := range source.Others {
				fmt.Fprintf(&b, "    %s\n", line)
			}
			for _, f := range source.Files {
				fmt.Fprintf(&b, "    %s\n", strings.TrimSpace(fmt.Sprintf("%s %s, %d %s", f.Path, f.State, f.Passages, f.Reason)))
			}
		}
	}
	return b.String()
}

// explain prints the first line of the page to which a diagnostic with that code leads.
func (s *scenario) explain(file, code string) string {
	for _, d := range s.editor.Diagnostics(s.uri(file)).Diagnostics {
		if d.Code != code {
			continue
		}
		if d.CodeDescription == nil {
			return "no page\n"
		}
		path, _ := lsp.Path(d.CodeDescription.Href)
		page, err := os.ReadFile(path)
		if err != nil {
			s.t.Fatal(err)
		}
		s.editor.Open(d.CodeDescription.Href, "markdown", string(page)) // as the editor does that follows it
		first, _, _ := strings.Cut(string(page), "\n")
		return filepath.Base(path) + ": " + first + "\n"
	}
	return "no such diagnostic\n"
}
