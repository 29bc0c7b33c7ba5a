package evaluation

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/experiment/testset"
)

// knownItemOptions holds the flags of lacuna eval known-item.
type knownItemOptions struct {
	TestOptions
	bare  bool
	n     int
	seed  uint64
	write string
}

func knownItemCommand() Command {
	var o knownItemOptions
	return Command{
		Name:    "known-item",
		Asks:    true,
		Summary: "test your sources with questions made from their own headings",
		Details: `
Makes questions whose right place is known without anybody's labels: from titles
with headings, and from stored questions, both without short words and in lower
case. Prints how often the place is found first and in the first five, and which
are not found.

The search sees the headings, too, so nobody's own words will do better: what is
not found so needs another heading, and two settings can be compared.

With --without-headings an index is made, for this command alone, of the texts
without titles, headings and stored questions. Each section must then be found
by what it says, which is harder than what you see every day. No model is asked.

With --write the questions are written to a file for "lacuna eval FILE"; there
you can put them into your own words.`,
		Flags: func(f *pflag.FlagSet) {
			o.bind(f, answer.OfflineID, "")
			f.BoolVar(&o.bare, "without-headings", false, "search the texts alone, without titles, headings and stored questions")
			f.IntVar(&o.n, "n", 100, "make at most `N` questions")
			f.Uint64Var(&o.seed, "seed", 1, "draw them by the number `N`")
			f.StringVar(&o.write, "write", "", "write the questions to the new file `FILE` and ask nothing")
		},
		Run: func(ctx context.Context, s *Session, args []string) error { return knownItem(ctx, s, o, args) },
	}
}

func knownItem(ctx context.Context, s *Session, o knownItemOptions, args []string) error {
	if len(args) > 0 || o.n < 1 {
		return usagef("eval known-item: takes no arguments, and --n is a number from 1")
	}
	w, library, err := s.Open(ctx, nil, o.Sources...)
	if err != nil {
		return err
	}
	defer w.Close()
	items := testset.KnownItems(library, o.n, o.seed)
	if len(items) == 0 {
		return usagef("eval known-item: the sources have no headings and no stored questions to ask with")
	}
	if o.write != "" {
		return writeItems(s, o.write, items)
	}
	if o.bare {
		return searchUnaided(ctx, s, library, items, o)
	}
	outcomes, err := askItems(ctx, s, w, library, items, o.TestOptions)
	if err != nil {
		return err
	}
	return printTests(s, "made of headings and stored questions", o.TestOptions, outcomes)
}

// searchUnaided prints how well the items are found by their texts alone.
func searchUnaided(ctx context.Context, s *Session, library *knowledge.Library, items []testset.Item, o knownItemOptions) error {
	dir, err := os.MkdirTemp("", "lacuna-known-item-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ranks, err := testset.Unaided(ctx, library, items, o.Sources, dir)
	if err != nil {
		return err
	}
	figures := testset.UnaidedFigures(items, ranks)
	absent := []string{}
	for i, item := range items {
		if ranks[i] == 0 {
			absent = append(absent, item.Text)
		}
	}
	if o.JSON {
		return s.JSON(struct {
			Figures []measureJSON `json:"figures"`
			Absent  []string      `json:"not_found"`
		}{listed(figures), absent})
	}
	fmt.Fprintf(s.Out, "made of headings and stored questions, which the search does not see, %s\n", countQuestions(len(items)))
	printFigures(s, figures)
	if len(absent) > 0 {
		fmt.Fprintf(s.Out, "\nNot among the first ten (%d of %d); a word on the subject in the text helps:\n", len(absent), len(items))
	}
	for _, text := range absent[:min(len(absent), mostShown)] {
		fmt.Fprintf(s.Out, "  %s\n", text)
	}
	if more := len(absent) - mostShown; more > 0 {
		fmt.Fprintf(s.Out, "  and %d more; --json lists all\n", more)
	}
	return nil
}

func writeItems(s *Session, name string, items []testset.Item) error {
	text, err := testset.Write(items)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return UsageError{err}
	}
	if _, err = file.Write(text); err != nil {
		file.Close()
		return err
	}
	fmt.Fprintf(s.Out, "%s written to %s; put them into your own words and run: lacuna eval %s\n", countQuestions(len(items)), name, name)
	return file.Close()
}
