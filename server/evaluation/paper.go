package evaluation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"lacuna/knowledge"
	"lacuna/knowledge/experiment"
	"lacuna/knowledge/experiment/papers"
	"lacuna/knowledge/gate"
	"lacuna/server/workspace"
)

// paperOptions holds the flags of lacuna eval paper.
type paperOptions struct {
	data, sources       []string
	models              []string
	out, judge          string
	questions, parallel int
	seed                uint64
	asConfigured        bool
	again, list, json   bool
}

func paperCommand() Command {
	var o paperOptions
	return Command{
		Name:      "paper",
		Asks:      true,
		Arguments: "PAPER ARTEFACT",
		Summary:   "make a table or figure of a paper again, beside what was published",
		Details: `
Makes a table or figure of one of the papers whose systems Lacuna runs, from
your model, your sources and data sets, and shows our figures beside the
published ones, with numbers of questions, intervals and what to keep in mind.
--list lists what there is, what each needs, and what can run now.

The data sets are files that you give, in the forms in which they are published,
or as this program's own questions. Their content tells what they are; where it
does not, write NAME=FILE, as in --data nq=questions.jsonl. A file that holds
several sets serves for all of them. What is not given is left out and said.

Answers are kept in the folder DIR as they come, with report.html, which needs
no network. A run that was interrupted goes on when it is started again.

Systems run as their papers describe them, unless --as-configured is given. The
exit code is 2 if something is missing or wrong and nothing was asked, and 3 if
nothing could be measured or the run ended early.`,
		Flags: func(f *pflag.FlagSet) {
			f.BoolVar(&o.list, "list", false, "list what there is, what it needs, and what can run now")
			f.StringArrayVar(&o.data, "data", nil, "take the questions in `[NAME=]FILE`; may be given more than once")
			f.StringArrayVar(&o.sources, "sources", nil, "use only the sources `[NAME=]A,B`, for the data set NAME or for all; may be given more than once")
			f.StringArrayVar(&o.models, "model", nil, "compare the model `NAME` at your endpoint with others, of what compares models; to be given more than once")
			f.IntVar(&o.questions, "questions", 0, "draw `N` questions of each data set (default: all)")
			f.Uint64Var(&o.seed, "seed", 1, "draw questions and resamples by the seed `N`")
			f.StringVar(&o.out, "out", "", "keep answers, figures and report.html in the folder `DIR` (default: PAPER-ARTEFACT)")
			f.BoolVar(&o.asConfigured, "as-configured", false, "run the systems by your settings, not as published")
			f.StringVar(&o.judge, "judge", string(experiment.ByModel), "context recall is judged by `WHO`: model (the role evaluator) or words")
			f.BoolVar(&o.again, "again", false, "ask again what failed")
			f.IntVar(&o.parallel, "parallel", 8, "ask `N` questions concurrently; the endpoint's own limit holds below it")
			f.BoolVar(&o.json, "json", false, "print one JSON object")
		},
		Run: func(ctx context.Context, s *Session, args []string) error {
			switch {
			case o.list && len(args) <= 1:
				return listPapers(ctx, s, o, args)
			case o.list || len(args) != 2:
				return usagef("eval paper: name a paper and an artefact, such as misknow table1, or give --list")
			case o.questions < 0:
				return usagef("--questions: expected a number from 0, found %d", o.questions)
			case o.judge != string(experiment.ByModel) && o.judge != string(experiment.ByWords):
				return usagef("--judge %s; known: model, words", o.judge)
			}
			return makeArtefact(ctx, s, o, args[0], args[1])
		},
	}
}

// madeJSON is the output of eval paper --json.
type madeJSON struct {
	Paper       string   `json:"paper"`
	Artefact    string   `json:"artefact"`
	Title       string   `json:"title"`
	AsPublished bool     `json:"as_published"`
	Model       string   `json:"model,omitempty"`
	Values      any      `json:"values"`
	Caveats     []string `json:"caveats"`
	Report      string   `json:"report"` // file
}

func makeArtefact(ctx context.Context, s *Session, o paperOptions, paperID, artefactID string) error {
	paper, artefact, err := papers.Find(paperID, artefactID)
	if err != nil {
		return UsageError{err}
	}
	data, err := readData(o.data)
	if err != nil {
		return err
	}
	given, err := papers.Fill(artefact.Slots, data)
	if err != nil {
		return UsageError{err}
	}
	names, err := restrict(given, o.sources)
	if err != nil {
		return err
	}
	w, library, err := s.Open(ctx, nil, names...)
	if err != nil {
		return err
	}
	defer w.Close()
	have := haveIn(w, library)
	have.Models = len(o.models) > 1
	if missing := artefact.Missing(have, given); len(missing) > 0 {
		return usagef("%s %s needs %s", paper.ID, artefact.ID, strings.Join(missing, "; and "))
	}
	if artefact.Needs.Model {
		if err := apart(given, library); err != nil {
			return err
		}
	}
	if o.out == "" {
		o.out = paper.ID + "-" + artefact.ID
	}
	bench := papers.Bench{
		Data: given, Questions: o.questions, Seed: o.seed, AsPublished: !o.asConfigured, Recall: experiment.RecallJudge(o.judge),
		Model: w.Models().Reader, Models: o.models, Library: library,
		Run: func(ctx context.Context, plan experiment.Plan) (*papers.Ran, error) {
			done, err := conduct(ctx, s, plan, filepath.Join(o.out, plan.Name), o.parallel, o.again, &opened{workspace: w, library: library, set: map[string]string{}})
			if done == nil {
				return nil, err
			}
			return &papers.Ran{Plan: plan, Sets: done.sets, Answer: done.folder.Done, Provenance: done.provenance.facts()}, err
		},
	}
	made, err := artefact.Make(ctx, &bench)
	var wrong papers.DataError
	if errors.As(err, &wrong) {
		return UsageError{err}
	}
	if len(made.Report.Sections) == 0 && (err != nil || made.Values == nil) {
		return err
	}
	page := made.Report
	page.Title = fmt.Sprintf("%s, %s: %s", paper.Name, artefact.Name, artefact.Shows)
	page.Lead = append([]string{paper.Title + "."}, page.Lead...)
	page.Caveats = slices.Concat(page.Caveats, artefact.Caveats)
	if artefact.Needs.Reranker && !have.Reranker {
		page.Caveats = append(page.Caveats, "No reranker is set: where the paper reranks, the order of Lacuna's own features stands in.")
	}
	file, wrote := writePage(o.out, page)
	if err = errors.Join(err, wrote); o.json {
		err = errors.Join(err, s.JSON(madeJSON{paper.ID, artefact.ID, page.Title, !o.asConfigured, bench.Model, made.Values, page.Caveats, file}))
	} else {
		err = errors.Join(err, page.WriteText(s.Out))
		fmt.Fprintf(s.Out, "\nreport: %s\n", file)
	}
	if err == nil && made.Empty {
		err = ErrNothingMeasured
	}
	return err
}

// readData reads the files of --data.
func readData(texts []string) ([]papers.Data, error) {
	var all []papers.Data
	for _, text := range texts {
		d, err := papers.Read(text)
		if err != nil {
			return nil, usagef("--data: %w", err)
		}
		all = append(all, d)
	}
	return all, nil
}

// restrict gives the data sets the sources that they are answered from, and returns all that are named.
func restrict(given []papers.Given, sources []string) (named []string, err error) {
	for _, text := range sources {
		set, list, one := strings.Cut(text, "=")
		if !one {
			set, list = "", text
		}
		names := strings.Split(list, ",")
		named = append(named, names...)
		found := false
		for i := range given {
			if set == "" || given[i].Slot.ID == set {
				given[i].Sources, found = append(slices.Clone(given[i].Sources), names...), true
			}
		}
		if !found && set != "" {
			return nil, usagef("--sources %s: no data set %q was given", text, set)
		}
	}
	return named, nil
}

// apart refuses data sets that are themselves among the sources that they are answered from: the answers stand in them.
func apart(given []papers.Given, library *knowledge.Library) error {
	for _, g := range given {
		file, err := os.Stat(g.File)
		if err != nil {
			return err
		}
		for _, f := range library.Files() {
			if f.Passages == 0 || len(g.Sources) > 0 && !slices.Contains(g.Sources, f.Source) {
				continue
			}
			if other, err := os.Stat(f.File); err == nil && os.SameFile(file, other) {
				return usagef("%s is itself read as a part of the source %q, where its answers would be found: move it away from the sources, or name others by --sources", g.File, f.Source)
			}
		}
	}
	return nil
}

// haveIn says what there is of what artefacts need.
func haveIn(w *workspace.Workspace, library *knowledge.Library) papers.Needs {
	status := library.Status()
	return papers.Needs{
		Model: w.Models().Configured, Texts: status.Passages > 0, Pairs: status.Pairs > 0,
		Encoder: gate.LibraryEncoder(library) != nil, Reranker: w.Settings().Rerank.Model != "",
	}
}

// listedJSON is one artefact of eval paper --list --json.
type listedJSON struct {
	Paper    string       `json:"paper"`
	Artefact string       `json:"artefact"`
	Name     string       `json:"name"`
	Shows    string       `json:"shows"`
	Needs    papers.Needs `json:"needs"`
	Data     []slotJSON   `json:"data"`
	Runs     bool         `json:"can_run"`
	Missing  []string     `json:"missing"`
}

type slotJSON struct {
	Name      string   `json:"name"`
	Title     string   `json:"title"`
	Forms     []string `json:"forms"`
	Published int      `json:"published_n,omitempty"`
	File      string   `json:"file,omitempty"` // given
}

// listPapers lists the artefacts, of one paper or of all, with what they need and whether they can be made now.
func listPapers(ctx context.Context, s *Session, o paperOptions, args []string) error {
	shown := papers.All()
	if len(args) == 1 {
		shown = slices.DeleteFunc(shown, func(p papers.Paper) bool { return p.ID != args[0] })
		if len(shown) == 0 {
			_, _, err := papers.Find(args[0], "")
			return UsageError{err}
		}
	}
	data, err := readData(o.data)
	if err != nil {
		return err
	}
	w, err := s.Look(ctx, nil)
	if err != nil {
		return err
	}
	defer w.Close()
	have := haveIn(w, w.Library())
	have.Models = len(o.models) > 1
	listed := []listedJSON{}
	served := make([]bool, len(data))
	for _, p := range shown {
		for _, a := range p.Artefacts {
			var given []papers.Given
			for i, d := range data {
				fits, err := papers.Fill(a.Slots, []papers.Data{d})
				served[i] = served[i] || err == nil
				for _, fit := range fits {
					if !slices.ContainsFunc(given, func(g papers.Given) bool { return g.Slot.ID == fit.Slot.ID }) {
						given = append(given, fit)
					}
				}
			}
			listed = append(listed, listedOf(p, a, have, given))
		}
	}
	for i, d := range data {
		if !served[i] {
			s.Warn("%s serves for none of these; write NAME=FILE, such as nq=%s, to say what it is", d.File, filepath.Base(d.File))
		}
	}
	if o.json {
		return s.JSON(listed)
	}
	printListed(s.Out, shown, listed)
	if status := w.Library().Status(); status.Passages+status.Pairs == 0 {
		fmt.Fprintln(s.Out, "\nThe index of this workspace is empty; lacuna index fills it.")
	}
	return nil
}

func listedOf(p papers.Paper, a papers.Artefact, have papers.Needs, given []papers.Given) listedJSON {
	l := listedJSON{Paper: p.ID, Artefact: a.ID, Name: a.Name, Shows: a.Shows, Needs: a.Needs, Data: []slotJSON{}, Missing: a.Missing(have, given)}
	if l.Runs = len(l.Missing) == 0; l.Runs {
		l.Missing = []string{}
	}
	for _, slot := range a.Slots {
		of := slotJSON{Name: slot.ID, Title: slot.Title, Forms: slot.Forms, Published: slot.N}
		if at := slices.IndexFunc(given, func(g papers.Given) bool { return g.Slot.ID == slot.ID }); at >= 0 {
			of.File = given[at].File
		}
		l.Data = append(l.Data, of)
	}
	return l
}

func printListed(w io.Writer, shown []papers.Paper, listed []listedJSON) {
	for n, p := range shown {
		if n > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s: %s\n", p.ID, p.Title)
		for _, l := range listed {
			if l.Paper != p.ID {
				continue
			}
			fmt.Fprintf(w, "\n  %s %s: %s\n    needs %s\n", l.Paper, l.Artefact, l.Shows, l.Needs.Describe())
			for _, d := range l.Data {
				text := fmt.Sprintf("    data  %s (%s)", d.Name, d.Title)
				if d.File != "" {
					text += ": " + d.File
				}
				fmt.Fprintln(w, text)
			}
			if l.Runs {
				fmt.Fprintln(w, "    can run now")
				continue
			}
			for _, m := range l.Missing {
				fmt.Fprintf(w, "    lacks %s\n", m)
			}
		}
	}
}
