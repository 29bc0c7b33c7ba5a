package evaluation

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"lacuna/knowledge/experiment"
	"lacuna/knowledge/experiment/dataset"
	"lacuna/knowledge/sanitise"
)

// repliesOptions holds the flags of lacuna eval replies.
type repliesOptions struct {
	replies, questions, field string
	json, list                bool
}

func repliesCommand() Command {
	var o repliesOptions
	return Command{
		Name:    "replies",
		Summary: "read and score the replies that a model gave elsewhere",
		Details: `
Reads recorded replies with the same parsers that read a model's replies when it
answers, and scores them. FILE of --replies is JSON Lines or a JSON list, also
compressed with gzip, of objects with

  reply    what the model said (or response, prediction, model_prediction,
           output, completion)
  options  texts by letter, or a list of texts; none for an open question
  gold     the right answer (or answer): the letter, the text or the number of
           an option, counted from 0, or a list of these; for an open question
           a text, or a list of texts that are right

It is also a folder of MIRAGE, with a file test_ID.json for each question. What
the replies lack is taken from the questions of --questions, by "id".

With options, accuracy is the share of replies that choose the right one. A
reply from which not exactly one option can be read is unparsed and counts as
wrong; majority is the share that the letter has which is right most often, so
what a model must exceed. Open answers are compared with the right ones: equal,
containing one, and F1 of their words.`,
		Flags: func(f *pflag.FlagSet) {
			f.StringVar(&o.replies, "replies", "", "read the replies in `FILE`")
			f.StringVar(&o.questions, "questions", "", "take options and right answers from the data set `FILE`")
			f.StringVar(&o.field, "field", "", "the replies are in the field `NAME`, such as cot_response")
			f.BoolVar(&o.list, "list", false, "print the replies that could not be read, and why")
			f.BoolVar(&o.json, "json", false, "print one JSON object")
		},
		Run: func(_ context.Context, s *Session, args []string) error { return replies(s, o, args) },
	}
}

func replies(s *Session, o repliesOptions, args []string) error {
	switch {
	case len(args) > 0:
		return usagef("eval replies: takes no arguments, found %q", args[0])
	case o.replies == "":
		return usagef("eval replies: --replies FILE is needed")
	}
	var questions *dataset.Dataset
	if o.questions != "" {
		read, err := dataset.Read(o.questions, "")
		if err != nil {
			return UsageError{err}
		}
		questions = &read
	}
	recorded, err := dataset.ReadReplies(o.replies, o.field, questions)
	if err != nil {
		return UsageError{err}
	}
	r := experiment.MeasureReplies(recorded, 1)
	if r.N == 0 {
		return usagef("%s: of %d replies, no right answer is known; give gold in the file, or --questions", o.replies, len(recorded))
	}
	if o.json {
		if err := s.JSON(r); err != nil {
			return err
		}
		if o.list {
			for _, u := range r.Unread {
				if err := s.JSON(u); err != nil {
					return err
				}
			}
		}
		return nil
	}
	printReplies(s, r)
	if o.list {
		for _, u := range r.Unread {
			fmt.Fprintf(s.Out, "\n%s: %s\n  %s\n", sanitise.Line(u.ID), u.Why, lastPart(u.Reply))
		}
	}
	return nil
}

// printReplies prints figures as a table and as a sentence.
func printReplies(s *Session, r experiment.Replies) {
	line := func(name string, value float64, key, about string) {
		i := r.Intervals[key]
		fmt.Fprintf(s.Out, "  %-12s %.3f  [%.3f, %.3f]  %s\n", name, value, i[0], i[1], about)
	}
	if r.Accuracy != nil {
		fmt.Fprintf(s.Out, "%s to questions with options\n", countReplies(r.N))
		line("accuracy", *r.Accuracy, "accuracy", fmt.Sprintf("%.0f are right", *r.Accuracy*float64(r.N)))
		line("unparsed", *r.Unparsed, "unparsed", unparsed(int(math.Round(*r.Unparsed*float64(r.N)))))
		line("majority", *r.Majority, "majority", fmt.Sprintf("always saying %s would be right so often", r.MajorityLetter))
		var read []string
		for _, path := range slices.Sorted(maps.Keys(r.Read)) {
			read = append(read, fmt.Sprintf("%s %d", path, r.Read[path]))
		}
		fmt.Fprintf(s.Out, "  %-12s %s\n", "read", strings.Join(read, ", "))
		fmt.Fprintf(s.Out, "\nThe model is right for %.1f %% of the questions (95 %%: %.1f to %.1f)%s.\n", 100**r.Accuracy,
			100*r.Intervals["accuracy"][0], 100*r.Intervals["accuracy"][1], againstMajority(r))
	}
	if o := r.Open; o != nil {
		fmt.Fprintf(s.Out, "%s to open questions\n", countReplies(o.N))
		line("exact match", o.EM, "exact_match", "the answer is a right one")
		line("cover match", o.Cover, "cover_match", "the answer contains a right one")
		line("F1", o.F1, "f1", "of the words")
	}
	if r.NoGold > 0 {
		fmt.Fprintf(s.Out, "%s left out: no right answer is known\n", countReplies(r.NoGold))
	}
}

func countReplies(n int) string {
	if n == 1 {
		return "1 reply"
	}
	return fmt.Sprintf("%d replies", n)
}

func unparsed(n int) string {
	if n == 1 {
		return "1 chooses no option or several, and counts as wrong"
	}
	return fmt.Sprintf("%d choose no option or several, and count as wrong", n)
}

// againstMajority says whether a model is better than one letter for all questions.
func againstMajority(r experiment.Replies) string {
	low, high := r.Intervals["accuracy"][0], r.Intervals["accuracy"][1]
	switch {
	case low > *r.Majority:
		return fmt.Sprintf("; that is more than the %.1f %% of always saying %s", 100**r.Majority, r.MajorityLetter)
	case high < *r.Majority:
		return fmt.Sprintf("; always saying %s would be right for %.1f %%", r.MajorityLetter, 100**r.Majority)
	}
	return fmt.Sprintf("; so few replies do not tell whether that is more or less than the %.1f %% of always saying %s", 100**r.Majority, r.MajorityLetter)
}

// shownReply is how much of an unread reply is shown, in bytes.
const shownReply = 160

// lastPart returns the end of a reply, where its choice should be, on one line.
func lastPart(reply string) string {
	reply = sanitise.Line(reply)
	if len(reply) <= shownReply {
		return reply
	}
	return "…" + strings.ToValidUTF8(reply[len(reply)-shownReply:], "")
}
