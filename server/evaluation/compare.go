package evaluation

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"lacuna/knowledge/experiment/testset"
)

// compareOptions holds the flags of lacuna eval compare.
type compareOptions struct {
	TestOptions
	questions string
	n         int
}

func compareCommand() Command {
	var o compareOptions
	return Command{
		Name:      "compare",
		Arguments: "A.toml B.toml",
		Asks:      true,
		Summary:   "say whether other settings would help you",
		Details: `
Asks the same questions with the settings of A.toml and with those of B.toml,
each in place of your own settings file, and says for each figure how much more
or less B gets, with an interval and the probability of such a difference by
chance: would a reranker, another model, another encoder help?

The questions are those of --questions FILE, in the form of "lacuna eval FILE",
or else made of headings and stored questions as in "lacuna eval known-item".`,
		Flags: func(f *pflag.FlagSet) {
			o.bind(f, "", " (default: that of each file)")
			f.StringVar(&o.questions, "questions", "", "ask the questions of `FILE`")
			f.IntVar(&o.n, "n", 200, "without --questions, make at most `N`")
		},
		Run: func(ctx context.Context, s *Session, args []string) error { return compare(ctx, s, o, args) },
	}
}

// differenceJSON is one figure of eval compare --json.
type differenceJSON struct {
	measureJSON
	More  int     `json:"only_b"`
	Fewer int     `json:"only_a"`
	P     float64 `json:"p"`
}

func compare(ctx context.Context, s *Session, o compareOptions, args []string) error {
	if len(args) != 2 || o.n < 1 {
		return usagef("eval compare: name two settings files, such as now.toml and with-reranker.toml")
	}
	var items []testset.Item
	if o.questions != "" {
		var err error
		if items, err = readItems(o.questions); err != nil {
			return err
		}
	}
	var results [2][]testset.Outcome
	for i, config := range args {
		if _, err := os.Stat(config); err != nil {
			return UsageError{err}
		}
		var err error
		if items, results[i], err = askWith(ctx, s, config, items, o); err != nil {
			return err
		}
	}
	differences := testset.Compare(results[0], results[1])
	if len(differences) == 0 {
		return ErrNothingMeasured
	}
	if o.JSON {
		all := make([]differenceJSON, len(differences))
		for i, d := range differences {
			all[i] = differenceJSON{measureJSON{d.Name, d.Value, d.Low, d.High, d.N}, d.More, d.Fewer, d.Chance}
		}
		return s.JSON(struct {
			A           string           `json:"a"`
			B           string           `json:"b"`
			Differences []differenceJSON `json:"differences"`
		}{args[0], args[1], all})
	}
	fmt.Fprintf(s.Out, "%s, %s against %s\n", countQuestions(len(items)), filepath.Base(args[1]), filepath.Base(args[0]))
	for _, d := range differences {
		fmt.Fprintf(s.Out, "  %-39s  %s\n", d.Name, sentence(d))
	}
	return nil
}

// sentence says a difference in plain words.
func sentence(d testset.Difference) string {
	if d.More == 0 && d.Fewer == 0 {
		return fmt.Sprintf("no difference on any of %d", d.N)
	}
	is := "may be chance"
	if d.Chance < .05 {
		is = "is hardly chance"
	}
	return fmt.Sprintf("%+.2f  [%+.2f, %+.2f]  %d more and %d fewer of %d; this %s (p = %.3f)", d.Value, d.Low, d.High, d.More, d.Fewer, d.N, is, d.Chance)
}

// askWith asks the items, or items made of the sources if there are none, with the settings of a file.
func askWith(ctx context.Context, s *Session, config string, items []testset.Item, o compareOptions) ([]testset.Item, []testset.Outcome, error) {
	w, library, err := s.OpenAs(ctx, config, o.Sources...)
	if err != nil {
		return nil, nil, err
	}
	defer w.Close()
	path, err := filepath.Abs(config)
	if err != nil {
		return nil, nil, err
	}
	for _, problem := range w.Problems() { // left out, it would make a comparison of nothing
		if problem.File == config || problem.File == path {
			return nil, nil, usagef("a setting is wrong, so nothing was compared: %s", problem)
		}
	}
	if len(items) == 0 {
		if items = testset.KnownItems(library, o.n, 1); len(items) == 0 {
			return nil, nil, usagef("eval compare: the sources have no headings and no stored questions to ask with; name questions with --questions")
		}
	}
	outcomes, err := askItems(ctx, s, w, library, items, o.TestOptions)
	return items, outcomes, err
}
