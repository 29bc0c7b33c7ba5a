package evaluation

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/experiment/testset"
)

// knownItemOptions holds the flags of lacuna eval known-item.
type knownItemOptions struct {
	TestOptions
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
not found so needs another heading, and two settings can be compared. With
--write the questions are written to a file for "lacuna eval FILE"; there you
can put them into your own words.`,
		Flags: func(f *pflag.FlagSet) {
			o.bind(f, answer.OfflineID, "")
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
	outcomes, err := askItems(ctx, s, w, library, items, o.TestOptions)
	if err != nil {
		return err
	}
	return printTests(s, "made of headings and stored questions", o.TestOptions, outcomes)
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
