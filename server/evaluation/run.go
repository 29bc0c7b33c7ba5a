package evaluation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"lacuna/knowledge/experiment"
	"lacuna/vecmath/regular"
)

// runOptions holds the flags of lacuna eval run.
type runOptions struct {
	out       string
	again     bool
	questions int
	parallel  int
	json      bool
}

func runCommand() Command {
	var o runOptions
	return Command{
		Name:      "run",
		Asks:      true,
		Arguments: "PLAN.toml",
		Summary:   "run systems on sets of questions, and go on where a run ended",
		Details: `
Asks every question of every data set of PLAN.toml to every system, and prints
the figures with the number of questions and a 95 % bootstrap interval of 10,000
resamples, and how much each system has more than the baseline, question by
question. docs/experiments.md describes the plan.

Answers are kept in the folder DIR as they come. A run that was interrupted goes
on when it is started again; --again asks those questions again that failed.
A folder belongs to one plan: with another, the run is refused.

The plan names models and never endpoints: they are asked at the endpoint of
your own settings. The exit code is 3 if nothing could be measured or the run
ended early.`,
		Flags: func(f *pflag.FlagSet) {
			f.StringVar(&o.out, "out", "", "keep answers and figures in the folder `DIR` (default: the plan's name without its ending)")
			f.BoolVar(&o.again, "again", false, "ask again what failed")
			f.IntVar(&o.questions, "questions", 0, "draw `N` questions of each data set, in place of the plan's number")
			f.IntVar(&o.parallel, "parallel", 8, "ask `N` questions concurrently; the endpoint's own limit holds below it")
			f.BoolVar(&o.json, "json", false, "print one JSON object")
		},
		Run: func(ctx context.Context, s *Session, args []string) error { return run(ctx, s, o, args) },
	}
}

func run(ctx context.Context, s *Session, o runOptions, args []string) error {
	if len(args) != 1 {
		return usagef("eval run: name one plan, such as plan.toml")
	}
	text, err := regular.ReadFile(args[0])
	if err != nil {
		return UsageError{err}
	}
	plan, err := experiment.ParsePlan(text, filepath.Dir(args[0]))
	if err != nil {
		return usagef("%s: %w", args[0], err)
	}
	if o.questions < 0 || o.parallel < 1 {
		return usagef("eval run: --questions is a number from 0, --parallel from 1")
	}
	if o.questions > 0 {
		plan.Questions = o.questions
	}
	if o.out == "" {
		o.out = strings.TrimSuffix(args[0], filepath.Ext(args[0]))
	}
	ran, err := conduct(ctx, s, plan, o.out, o.parallel, o.again, nil)
	if ran == nil {
		return err
	}
	page, drawn := pageOf(plan, filepath.Base(o.out), ran.results, ran.provenance)
	file, wrote := writePage(o.out, page)
	if err = errors.Join(err, drawn, wrote); o.json {
		err = errors.Join(err, s.JSON(ran.results))
	} else {
		PrintTables(s.Out, ran.results)
		fmt.Fprintf(s.Out, "\nreport: %s\n", file)
	}
	if err == nil && !ran.results.Measured() {
		err = ErrNothingMeasured
	}
	return err
}

// failuresInRow ends a run: an endpoint that failed so often is gone.
const failuresInRow = 20

// conducted is a run with what its figures are measured on.
type conducted struct {
	results    experiment.Results
	sets       []experiment.Set
	folder     *experiment.Folder // closed; it still says what was answered
	provenance Provenance
}

// conduct runs a plan in a folder; with an error it returns what is measured all the same, or nil if the run did not
// begin. A workspace with the user's settings alone may be lent to it.
func conduct(ctx context.Context, s *Session, plan experiment.Plan, dir string, parallel int, again bool, lent *opened) (*conducted, error) {
	sets, err := plan.Sets()
	if err != nil {
		return nil, UsageError{err}
	}
	a := newAsker(s, plan.Recall, lent)
	defer a.close()
	if err := a.check(ctx, plan.Cells(sets)); err != nil {
		return nil, err
	}
	folder, err := experiment.Open(dir, plan)
	if errors.Is(err, experiment.ErrOtherPlan) || errors.Is(err, experiment.ErrRunning) {
		return nil, UsageError{err}
	}
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	done := &conducted{sets: sets, folder: folder, provenance: a.provenance(plan, sets)}
	if err := done.goOn(); err != nil {
		return nil, err
	}
	for _, set := range sets {
		if text := StrangeRecords(a.library, set.Questions); text != "" {
			s.Warn("%s: %s", set.Name, text)
		}
	}
	if n := folder.Torn(); n > 0 {
		s.Warn("%s: lines that cannot be read: %d; their questions are asked again", folder.Path(experiment.AnswersFile), n)
	}
	tolerated := failuresInRow
	if s.Replays { // what cannot be replayed says nothing of the next question
		tolerated = 0
	}
	began := time.Now()
	ran := experiment.Run(ctx, plan, sets, folder, a.ask, experiment.Options{
		Parallel: parallel, Again: again, FailuresInRow: tolerated,
		Progress: func(p experiment.Progress) {
			line := fmt.Sprintf("%d of %d questions", p.Done, p.Total)
			if p.Failed > 0 {
				line += fmt.Sprintf(", %d failed", p.Failed)
			}
			if p.Left > 0 && time.Since(began) > time.Second {
				line += fmt.Sprintf(", about %s left", p.Left.Round(time.Second))
			}
			s.Status(line)
		},
	})
	s.Status("")
	if ran == nil {
		ran = folder.Sort(plan, sets)
	}
	done.results = experiment.Measure(plan, sets, folder)
	wrote := folder.WriteJSON(experiment.ResultsFile, done.results.Repeatable())
	failures := folder.Failures(plan, sets)
	for _, f := range failures[:min(len(failures), shownFailures)] {
		s.Warn("%s, %s: %s", f.What, countQuestions(f.Questions), f.Text)
	}
	if n := len(failures) - shownFailures; n > 0 {
		s.Warn("questions failed for other reasons, too: %d; %s has them", n, folder.Path(experiment.AnswersFile))
	}
	switch {
	case done.results.Failed() > 0:
		s.Warn("questions that failed are left out of the figures; --again asks them again")
	case len(failures) > 0:
		s.Warn("--again asks them again")
	}
	if ran != nil {
		asked, planned := done.results.Progress()
		s.Warn("the run ended early; the answers to %d of %s are kept in %s: start it again to go on", asked, countQuestions(planned), dir)
	}
	return done, errors.Join(ran, wrote)
}

// goOn refuses to go on with answers that depended on something else than those to come, and writes down what they
// depend on.
func (c *conducted) goOn() error {
	now, err := json.MarshalIndent(c.provenance, "", "  ")
	if err != nil {
		return err
	}
	path := c.folder.Path(experiment.ProvenanceFile)
	before, err := regular.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil && !c.folder.Empty() {
		if text := changes(before, now); text != "" {
			return usagef("%s: %s changed since the run began, and figures of both would be mixed; name another folder with --out, where cached replies cost nothing, or set it back", c.folder.Path(""), text)
		}
	}
	return c.folder.WriteJSON(experiment.ProvenanceFile, c.provenance)
}

// shownFailures is how many reasons of failures are told.
const shownFailures = 5
