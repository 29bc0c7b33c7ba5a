// Package experiment runs systems on sets of questions, keeps what they answered, and measures it.
//
// A [Plan] names systems, data sets, models and seeds; each combination is a [Cell]. [Run] asks every question of every
// cell and appends an [Answered] to a [Folder], so that a run that ends early goes on where it stopped. [Measure]
// turns what the folder holds into [Results].
//
// The package knows a system only as an [Ask], and nothing of models, settings or the command line.
package experiment

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"lacuna/knowledge/eval"
	"lacuna/knowledge/experiment/dataset"
	"lacuna/prompts"
	"lacuna/vecmath/regular"
)

// Plan says what is run. Everything that it leaves out is as the user's own settings have it. It names models and
// never endpoints: what may be asked is the user's to set.
type Plan struct {
	Name    string   `toml:"name" json:"name,omitempty"`
	Systems []string `toml:"systems" json:"systems"`
	// Models are names at the endpoint of the user's settings; empty means the model of the settings.
	Models []string `toml:"models" json:"models,omitempty"`
	// Roles names models of single roles, such as generator, in place of those of the settings.
	Roles map[string]string `toml:"roles" json:"roles,omitempty"`
	// Seeds are given to the models, one run each; empty means the seed of the settings.
	Seeds []int `toml:"seeds" json:"seeds,omitempty"`
	// Questions is how many are drawn of each data set; 0 means all. Every cell gets the same ones.
	Questions int `toml:"questions" json:"questions,omitempty"`
	// Seed draws the questions and the resamples of the intervals.
	Seed        uint64 `toml:"seed" json:"seed"`
	AsPublished bool   `toml:"as_published" json:"as_published,omitempty"`
	Passages    int    `toml:"passages" json:"passages,omitempty"` // in place of answer.passages
	Baseline    string `toml:"baseline" json:"baseline,omitempty"` // the system that the others are compared with; empty means the first
	// Decision names a system that never searches and one that always does. Where one of them answers better, a system
	// that decides question by question should decide for it; empty means that the data sets say what is right, if any.
	Decision []string `toml:"decision" json:"decision,omitempty"`
	// Prices say what tokens cost. Answers do not depend on them, so a run may be given others later.
	Prices   []Price `toml:"price" json:"-"`
	Currency string  `toml:"currency" json:"-"`
	// Recall says who counts how many statements of the reference answers were found; empty means that nobody does.
	Recall   RecallJudge  `toml:"context_recall" json:"context_recall,omitempty"`
	Datasets []PlannedSet `toml:"dataset" json:"datasets"`
}

// Price is what a million tokens cost.
type Price struct {
	Model   string  `toml:"model"`   // as in the plan's models; empty means all that have no price of their own
	Sent    float64 `toml:"sent"`    // tokens to the models
	Written float64 `toml:"written"` // tokens of theirs
}

// RecallJudge decides whether passages hold a statement.
type RecallJudge string

const (
	ByWords RecallJudge = "words" // entailment without a model
	ByModel RecallJudge = "model" // the model of the role evaluator
)

// PlannedSet is a data set of a plan.
type PlannedSet struct {
	Name      string   `toml:"name" json:"name"` // empty means that of the file
	File      string   `toml:"file" json:"file"` // relative to Folder
	Folder    string   `toml:"-" json:"-"`       // of the plan; empty means the current one
	Form      string   `toml:"form" json:"form,omitempty"`
	Kind      string   `toml:"kind" json:"kind,omitempty"` // keep only the questions of this kind
	Part      string   `toml:"part" json:"part,omitempty"` // keep only this set of a file that holds several
	Style     string   `toml:"style" json:"style,omitempty"`
	Sources   []string `toml:"sources" json:"sources,omitempty"`
	Questions int      `toml:"questions" json:"questions,omitempty"`
}

// ParsePlan reads a plan and checks it. folder is where relative files are looked for. An unknown key is an error with
// its line.
func ParsePlan(text []byte, folder string) (Plan, error) {
	var p Plan
	decoder := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields()
	if err := decoder.Decode(&p); err != nil {
		return p, planError(err)
	}
	for i := range p.Datasets {
		d := &p.Datasets[i]
		if d.File == "" {
			return p, fmt.Errorf("data set %d: file is missing", i+1)
		}
		d.Folder = folder
		if d.Style != "" && !slices.Contains([]prompts.Style{prompts.Short, prompts.Paragraph, prompts.Note}, prompts.Style(d.Style)) {
			return p, fmt.Errorf("data set %q: style %q; known: short, paragraph, note", cmp.Or(d.Name, d.File), d.Style)
		}
	}
	switch {
	case len(p.Systems) == 0:
		return p, errors.New("systems is empty; see lacuna systems")
	case len(p.Datasets) == 0:
		return p, errors.New("there is no [[dataset]]")
	case p.Questions < 0 || p.Passages < 0:
		return p, errors.New("questions and passages are numbers from 0")
	case !slices.Contains([]RecallJudge{"", ByWords, ByModel}, p.Recall):
		return p, fmt.Errorf("context_recall %q; known: words, model", p.Recall)
	case slices.ContainsFunc(p.Prices, func(price Price) bool { return !(price.Sent >= 0 && price.Written >= 0) }):
		return p, errors.New("prices are numbers from 0")
	case len(p.Decision) != 0 && (len(p.Decision) != 2 || !slices.Contains(p.Systems, p.Decision[0]) || !slices.Contains(p.Systems, p.Decision[1])):
		return p, errors.New("decision names two of the systems: one that never searches and one that always does")
	case p.Baseline != "" && !slices.Contains(p.Systems, p.Baseline):
		return p, fmt.Errorf("baseline %q is none of the systems", p.Baseline)
	}
	return p, nil
}

// planError returns an error of the TOML decoder on one line, with the key and the line it is about.
func planError(err error) error {
	var strict *toml.StrictMissingError
	if errors.As(err, &strict) && len(strict.Errors) > 0 {
		row, _ := strict.Errors[0].Position()
		return fmt.Errorf("line %d: unknown key %q", row, strings.Join(strict.Errors[0].Key(), "."))
	}
	var wrong *toml.DecodeError
	if errors.As(err, &wrong) {
		row, _ := wrong.Position()
		return fmt.Errorf("line %d: %w", row, err)
	}
	return err
}

// path returns where a data set is.
func (s PlannedSet) path() string {
	if filepath.IsAbs(s.File) {
		return s.File
	}
	return filepath.Join(s.Folder, s.File)
}

// Set is a data set of a plan, read.
type Set struct {
	dataset.Dataset
	Planned PlannedSet
	SHA256  string // of the file or folder, as [hash] has it
}

// Sets reads the data sets of a plan and draws their questions.
func (p Plan) Sets() ([]Set, error) {
	var all []Set
	for _, planned := range p.Datasets {
		d, err := dataset.Read(planned.path(), planned.Form)
		if err != nil {
			return nil, err
		}
		if planned.Kind != "" {
			d = d.Of(dataset.Kind(planned.Kind))
		}
		if planned.Part != "" {
			d = d.Part(planned.Part)
		}
		d.Name = cmp.Or(planned.Name, d.Name)
		d.Questions = draw(d.Questions, cmp.Or(planned.Questions, p.Questions), p.Seed)
		if len(d.Questions) == 0 {
			return nil, fmt.Errorf("data set %q has no question of the kind %q and the part %q", d.Name, planned.Kind, planned.Part)
		}
		if slices.ContainsFunc(all, func(s Set) bool { return s.Name == d.Name }) {
			return nil, fmt.Errorf("two data sets are called %q; give one another name", d.Name)
		}
		sum, err := hash(planned.path())
		if err != nil {
			return nil, err
		}
		all = append(all, Set{Dataset: d, Planned: planned, SHA256: sum})
	}
	return all, nil
}

// draw returns n questions by a hash of their IDs, in their order; all if n is 0. A larger draw with the same seed
// holds the smaller one.
func draw(questions []eval.Query, n int, seed uint64) []eval.Query {
	if n == 0 || n >= len(questions) {
		return questions
	}
	key := func(q eval.Query) uint64 {
		h := fnv.New64a()
		fmt.Fprintf(h, "%d\x00%s", seed, q.ID)
		return mix(h.Sum64())
	}
	order := slices.Clone(questions)
	slices.SortStableFunc(order, func(a, b eval.Query) int { return cmp.Compare(key(a), key(b)) })
	drawn := map[string]bool{}
	for _, q := range order[:n] {
		drawn[q.ID] = true
	}
	var kept []eval.Query
	for _, q := range questions {
		if drawn[q.ID] {
			kept = append(kept, q)
			delete(drawn, q.ID)
		}
	}
	return kept
}

// mix spreads a hash whose low bits depend on the last characters alone (the finaliser of SplitMix64).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Cell is one combination of a plan: everything that answers of one row of a table have in common.
type Cell struct {
	Dataset     string            `json:"dataset"`
	System      string            `json:"system"`
	Model       string            `json:"model,omitempty"`
	Seed        *int              `json:"seed,omitempty"`
	Style       prompts.Style     `json:"style,omitempty"`
	AsPublished bool              `json:"as_published,omitempty"`
	Passages    int               `json:"passages,omitempty"`
	Roles       map[string]string `json:"roles,omitempty"`
	Sources     []string          `json:"sources,omitempty"`
}

// ID names a cell within its plan.
func (c Cell) ID() string {
	parts := []string{c.Dataset, c.System}
	if c.Model != "" {
		parts = append(parts, c.Model)
	}
	if c.Seed != nil {
		parts = append(parts, "seed "+strconv.Itoa(*c.Seed))
	}
	return strings.Join(parts, " | ")
}

// Cells returns the cells of a plan in the order of its tables: by data set, model, seed, system.
func (p Plan) Cells(sets []Set) []Cell {
	models := p.Models
	if len(models) == 0 {
		models = []string{""}
	}
	seeds := []*int{nil}
	if len(p.Seeds) > 0 {
		seeds = nil
		for _, s := range p.Seeds {
			seeds = append(seeds, &s)
		}
	}
	var all []Cell
	for _, set := range sets {
		for _, model := range models {
			for _, seed := range seeds {
				for _, system := range p.Systems {
					all = append(all, Cell{
						Dataset: set.Name, System: system, Model: model, Seed: seed, Style: styleFor(set),
						AsPublished: p.AsPublished, Passages: p.Passages, Roles: p.Roles, Sources: set.Planned.Sources,
					})
				}
			}
		}
	}
	return all
}

// styleFor returns the style of answers of a set: the planned one, or that which its gold answers have.
func styleFor(s Set) prompts.Style {
	switch {
	case s.Planned.Style != "":
		return prompts.Style(s.Planned.Style)
	case s.Kind == dataset.Short:
		return prompts.Short
	case s.Kind == dataset.Paragraph:
		return prompts.Paragraph
	}
	return ""
}

// setOf returns the data set of a cell.
func setOf(sets []Set, c Cell) Set {
	for _, s := range sets {
		if s.Name == c.Dataset {
			return s
		}
	}
	return Set{}
}

// hash returns the SHA-256 in hexadecimal of a file; of a folder, that of the names and hashes of its files.
func hash(path string) (string, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	err = filepath.WalkDir(path, func(at string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || at != path && !entry.Type().IsRegular() {
			return err
		}
		own := sum
		if at != path {
			own = sha256.New()
		}
		file, err := regular.Open(at)
		if err != nil {
			return err
		}
		defer file.Close()
		if _, err := io.Copy(own, file); err != nil || at == path {
			return err
		}
		name, err := filepath.Rel(path, at)
		fmt.Fprintf(sum, "%x  %s\n", own.Sum(nil), filepath.ToSlash(name))
		return err
	})
	return hex.EncodeToString(sum.Sum(nil)), err
}
