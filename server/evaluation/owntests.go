package evaluation

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/eval"
	"lacuna/knowledge/experiment/testset"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/par"
	"lacuna/server/workspace"
	"lacuna/vecmath/regular"
)

// TestOptions says how a user's own questions are asked.
type TestOptions struct {
	System  string // empty means that of the settings
	Sources []string
	JSON    bool
}

// Test asks the questions of a file and prints what became of them, the worst first.
func Test(ctx context.Context, s *Session, file string, o TestOptions) error {
	items, err := readItems(file)
	if err != nil {
		return err
	}
	w, library, err := s.Open(ctx, nil, o.Sources...)
	if err != nil {
		return err
	}
	defer w.Close()
	outcomes, err := askItems(ctx, s, w, library, items, o)
	if err != nil {
		return err
	}
	return printTests(s, file, o, outcomes)
}

func readItems(file string) ([]testset.Item, error) {
	text, err := regular.ReadFile(file)
	if err != nil {
		return nil, UsageError{err}
	}
	items, err := testset.Read(text)
	if err != nil {
		return nil, usagef("%s: %w", file, err)
	}
	return items, nil
}

// askItems asks all items in their order.
func askItems(ctx context.Context, s *Session, w *workspace.Workspace, library *knowledge.Library, items []testset.Item, o TestOptions) ([]testset.Outcome, error) {
	strategy, err := w.Strategy(answer.Request{System: o.System})
	if err != nil {
		return nil, UsageError{err}
	}
	outcomes := make([]testset.Outcome, len(items))
	ask := func(ctx context.Context, i int) (testset.Outcome, error) {
		item := items[i]
		found, err := library.Search(ctx, knowledge.Query{Text: item.Text, K: testset.Depth, Sources: o.Sources, Remote: true})
		if err != nil {
			return testset.Outcome{}, err
		}
		r, err := strategy.Answer(llm.WithQuestion(ctx, item.ID), library, answer.Question{Text: item.Text, Options: item.Options, Sources: o.Sources, ID: item.ID})
		failed := ""
		switch {
		case ctx.Err() != nil:
			return testset.Outcome{}, context.Cause(ctx)
		case err != nil:
			failed = s.Failure(err)
		case r.Failed():
			failed = s.Failure(r.Failure)
		}
		return testset.Judge(item, r, found, failed), nil
	}
	err = par.Ordered(ctx, len(items), ask, func(i int, got testset.Outcome) error {
		outcomes[i] = got
		s.Status(fmt.Sprintf("%d of %s asked", i+1, countQuestions(len(items))))
		return nil
	})
	s.Status("")
	return outcomes, err
}

// outcomeJSON is one question of eval FILE --json.
type outcomeJSON struct {
	ID       string `json:"id"`
	Line     int    `json:"line,omitempty"`
	Question string `json:"question"`
	Rank     int    `json:"rank,omitempty"` // of what was expected, among the first ten found
	State    string `json:"state,omitempty"`
	Choice   string `json:"choice,omitempty"`
	Cited    bool   `json:"cited"`
	Says     bool   `json:"says"`
	Flagged  bool   `json:"flagged_missing"`
	Wrong    string `json:"wrong,omitempty"`
	Failed   string `json:"failed,omitempty"`
}

func printTests(s *Session, name string, o TestOptions, outcomes []testset.Outcome) error {
	figures := testset.Figures(outcomes)
	for _, r := range outcomes {
		o.System = cmp.Or(o.System, r.System)
	}
	var err error
	if o.JSON {
		all := make([]outcomeJSON, len(outcomes))
		for i, r := range outcomes {
			all[i] = outcomeJSON{r.Item.ID, r.Item.Line, r.Item.Text, r.Rank, string(r.State), r.Letter, r.Cited, r.Says, r.Flagged, troubles[r.Trouble].key, r.Failed}
		}
		err = s.JSON(struct {
			System    string        `json:"system"`
			Figures   []measureJSON `json:"figures"`
			Questions []outcomeJSON `json:"questions"`
		}{o.System, listed(figures), all})
	} else {
		fmt.Fprintf(s.Out, "%s, %s, system %s\n", filepath.Base(name), countQuestions(len(outcomes)), o.System)
		printFigures(s, figures)
		printWorst(s, outcomes)
	}
	if len(figures) == 0 && err == nil {
		err = ErrNothingMeasured
	}
	return err
}

func printFigures(s *Session, figures []eval.Measure) {
	for _, m := range figures {
		fmt.Fprintf(s.Out, "  %-39s  %.2f  [%.2f, %.2f]  n = %d\n", m.Name, m.Value, m.Low, m.High, m.N)
	}
}

// mostShown bounds the questions that are listed.
const mostShown = 20

func printWorst(s *Session, outcomes []testset.Outcome) {
	worst := testset.Worst(outcomes)
	if len(worst) == 0 {
		fmt.Fprintln(s.Out, "\nNothing went wrong.")
		return
	}
	fmt.Fprintf(s.Out, "\nWhat went wrong, the worst first (%d of %d):\n", len(worst), len(outcomes))
	for _, o := range worst[:min(len(worst), mostShown)] {
		where := "question " + o.Item.ID
		if o.Item.Line > 0 {
			where = fmt.Sprintf("line %d", o.Item.Line)
		}
		t := troubles[o.Trouble]
		fmt.Fprintf(s.Out, "\n  %s: %s\n    %s\n", where, o.Item.Text, t.text)
		if o.Failed != "" {
			fmt.Fprintf(s.Out, "    %s\n", o.Failed)
		} else if shown := strings.Join(strings.Fields(o.Shown), " "); shown != "" {
			fmt.Fprintf(s.Out, "    shown: %s\n", shorten(shown, 160))
		}
		if t.advice != "" {
			fmt.Fprintf(s.Out, "    %s\n", t.advice)
		}
	}
	if more := len(worst) - mostShown; more > 0 {
		fmt.Fprintf(s.Out, "\n  and %d more; --json lists all\n", more)
	}
}

func shorten(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:most]) + "…"
}

// troubles words what went wrong, and what can be done about it.
var troubles = map[testset.Trouble]struct{ key, text, advice string }{
	testset.Fine:          {},
	testset.NotOutright:   {"not_outright", "The right place is shown, but only as one of the nearest.", ""},
	testset.NotCited:      {"not_shown", "It was found, but what is shown is something else.", "A heading in the words of the question helps, or a stored question."},
	testset.NotFound:      {"not_found", "The place you name is not among the first ten found.", "Add the question's words to the page, as an alias or a stored question; or check the name."},
	testset.OtherPlace:    {"elsewhere", "Answered outright, from another place than you name.", "Name that place as well if it is right."},
	testset.FalseGap:      {"called_missing", "It is said to be missing.", "Dismiss the gap where it comes up, or add a stored question."},
	testset.WrongAnswer:   {"wrong", "Answered outright, and not with what you expect.", ""},
	testset.AnswerOfNone:  {"answered_missing", "Answered outright, although your sources do not have it.", ""},
	testset.CouldNotBeRun: {"failed", "It could not be asked.", ""},
}

func (o *TestOptions) bind(f *pflag.FlagSet, system, about string) {
	f.StringArrayVar(&o.Sources, "source", nil, "use only the source `NAME`; may be given more than once")
	f.StringVar(&o.System, "system", system, "answer with the system `NAME`; see lacuna systems"+about)
	f.BoolVar(&o.JSON, "json", false, "print one JSON object")
}
