package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lacuna/handlers/note"
	"lacuna/handlers/settings"
	"lacuna/knowledge/answer/systems"
)

// docs is the folder of the guides.
var docs = filepath.Join("..", "..", "docs")

// section is a part of a page that a test writes, between two comments with its name.
func section(t *testing.T, page, name, want string) {
	t.Helper()
	file := filepath.Join(docs, page)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	opening, closing := "<!-- "+name+" -->\n", "<!-- /"+name+" -->"
	before, rest, opened := strings.Cut(string(text), opening)
	got, after, closed := strings.Cut(rest, closing)
	if !opened || !closed {
		t.Fatalf("%s has no part %s", page, name)
	}
	if *update {
		if err := os.WriteFile(file, []byte(before+opening+want+closing+after), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if got != want {
		t.Errorf("the part %s of %s is stale; run go test ./server/cli -update and read the diff", name, page)
	}
}

// TestGuideOfSystemsIsComplete holds the guide against the systems: the table is made from them, and
// each is spoken of.
func TestGuideOfSystemsIsComplete(t *testing.T) {
	var table strings.Builder
	paper := "?"
	for _, s := range systems.All() {
		if s.Paper != paper {
			paper = s.Paper
			title := "*" + paper + "*"
			if paper == "" {
				title = "Without a model"
			}
			fmt.Fprintf(&table, "\n%s\n\n| system | name | calls |\n|---|---|---|\n", title)
		}
		fmt.Fprintf(&table, "| `%s` | %s | %d |\n", s.ID, s.Name, s.Calls)
	}
	section(t, "systems.md", "systems", table.String()+"\n")

	text, err := os.ReadFile(filepath.Join(docs, "systems.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, guide, _ := strings.Cut(string(text), "<!-- /systems -->")
	for _, s := range systems.All() {
		family, _, _ := strings.Cut(s.ID, "/")
		if !strings.Contains(guide, "`"+s.ID+"`") && !regexp.MustCompile(`(?m)^## .*\b`+family+`\b`).MatchString(guide) {
			t.Errorf("the guide does not speak of %s", s.ID)
		}
		if !strings.Contains(guide, s.Paper) {
			t.Errorf("the guide does not name the paper of %s", s.ID)
		}
	}
}

// TestGuideOfPublishedSystems holds the table of what the product does otherwise than the papers; systems that differ
// in the same share a row.
func TestGuideOfPublishedSystems(t *testing.T) {
	var table strings.Builder
	table.WriteString("| system | what | product | as published |\n|---|---|---|---|\n")
	row := func(ids string, d systems.Difference) {
		fmt.Fprintf(&table, "| %s | %s | %s | %s |\n", ids, d.What, d.Product, d.Published)
	}
	direct, _ := systems.Lookup("direct")
	for _, d := range direct.Differences() {
		row("all with a model", d)
	}
	type group struct {
		ids     []string
		differs []systems.Difference
	}
	var groups []group
	for _, s := range systems.All() {
		if own := s.Published.Differs; len(own) > 0 {
			at := slices.IndexFunc(groups, func(g group) bool { return slices.Equal(g.differs, own) })
			if at < 0 {
				groups = append(groups, group{differs: own})
				at = len(groups) - 1
			}
			groups[at].ids = append(groups[at].ids, "`"+s.ID+"`")
		}
	}
	for _, g := range groups {
		ids := strings.Join(g.ids, ", ")
		if len(g.ids) > 7 { // a family: the first, and how many follow
			family, _, _ := strings.Cut(strings.Trim(g.ids[0], "`"), "/")
			ids = fmt.Sprintf("`%s/…` (%d)", family, len(g.ids))
		}
		for _, d := range g.differs {
			row(ids, d)
			ids = ""
		}
	}
	section(t, "systems.md", "published", table.String())
}

// TestSettingsOfTheGuidesWork loads every example of a user's settings in the guides.
func TestSettingsOfTheGuidesWork(t *testing.T) {
	blocks := regexp.MustCompile("(?s)```toml\n(.*?)```")
	for _, page := range []string{"models.md", "privacy.md", "prompts.md", filepath.Join("..", "README.md")} {
		text, err := os.ReadFile(filepath.Join(docs, page))
		if err != nil {
			t.Fatal(err)
		}
		for i, block := range blocks.FindAllStringSubmatch(string(text), -1) {
			file := filepath.Join(t.TempDir(), "config.toml")
			if err := os.WriteFile(file, []byte(block[1]), 0o600); err != nil {
				t.Fatal(err)
			}
			loaded := settings.Load(settings.Request{UserFile: file, LookupEnv: func(string) (string, bool) { return "", false }})
			for _, problem := range loaded.Problems {
				t.Errorf("%s, example %d: %s", page, i+1, problem)
			}
			if len(loaded.Origins) == 0 {
				t.Errorf("%s, example %d sets nothing", page, i+1)
			}
		}
	}
}

// TestCommandsOfTheGuidesExist looks up every command and flag of lacuna that a guide names.
func TestCommandsOfTheGuidesExist(t *testing.T) {
	typed := regexp.MustCompile("(?m)(?:^ +|`)lacuna ([^`\n]*)")
	for _, page := range []string{"models.md", "privacy.md", "systems.md", "diagnostics.md", "notes.md", "prompts.md", "troubleshooting.md", "neovim.md", "emacs.md", "helix.md", "kate.md", "zed.md", "jetbrains.md", "sublime.md", "agents.md", filepath.Join("..", "README.md")} {
		text, err := os.ReadFile(filepath.Join(docs, page))
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range typed.FindAllStringSubmatch(string(text), -1) {
			if err := known(words(line[1])); err != nil {
				t.Errorf("%s: lacuna %s: %v", page, line[1], err)
			}
		}
	}
}

// TestSettingsOfKate reads the settings of the guide as Kate does: its name of a language, which is sent with a note, has to
// be one of a note.
func TestSettingsOfKate(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(docs, "kate.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```json\n")
	block, _, closed := strings.Cut(rest, "```")
	if !closed {
		t.Fatal("there are no settings")
	}
	var written struct {
		Servers map[string]struct {
			Command                 []string
			RootIndicationFileNames []string
			HighlightingModeRegex   string
		}
	}
	decoder := json.NewDecoder(strings.NewReader(block))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&written); err != nil || len(written.Servers) == 0 {
		t.Fatalf("%d servers, %v", len(written.Servers), err)
	}
	for language, s := range written.Servers {
		if !note.Known(language, "") {
			t.Errorf("%s is no language of notes", language)
		}
		if len(s.Command) < 2 || s.Command[0] != "lacuna" {
			t.Errorf("%s: command %q", language, s.Command)
		} else if err := known(s.Command[1:]); err != nil {
			t.Errorf("%s: %v", language, err)
		}
		if _, err := regexp.Compile(s.HighlightingModeRegex); err != nil || !slices.Contains(s.RootIndicationFileNames, settings.File) {
			t.Errorf("%s: %q, %v, %v", language, s.HighlightingModeRegex, s.RootIndicationFileNames, err)
		}
	}
}

// known reports what is wrong with a command line as far as its command and its flags go.
func known(args []string) error {
	flags := newFlagSet("lacuna")
	new(globals).bind(flags)
	flags.SetInterspersed(false)
	if err := flags.Parse(args); err != nil || flags.NArg() == 0 {
		return err
	}
	c, rest, err := find(flags.Args())
	if err != nil {
		return err
	}
	own := newFlagSet(c.name)
	new(globals).bind(own)
	c.flags(own)
	return own.Parse(rest)
}

// TestFiguresOfRedactionAreThoseMeasured copies the tables that the measurement of the shipped redaction writes.
func TestFiguresOfRedactionAreThoseMeasured(t *testing.T) {
	measured, err := os.ReadFile(filepath.Join("..", "workspace", "testdata", "redaction.golden"))
	if err != nil {
		t.Fatal(err)
	}
	section(t, "privacy.md", "recall", "\n"+string(measured)+"\n")
}
