package evaluation

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/pflag"

	"lacuna/knowledge/eval"
	"lacuna/knowledge/experiment/dataset"
)

// rankingOptions holds the flags of lacuna eval ranking.
type rankingOptions struct {
	qrels string
	runs  []string
	k     int
	json  bool
}

func rankingCommand() Command {
	var o rankingOptions
	return Command{
		Name:    "ranking",
		Summary: "measure rankings that some search made, against judgements",
		Details: `
Measures the rankings of --run FILE, in the form of TREC, against the judgements
of --qrels FILE, in the form of TREC or BEIR: nDCG with grades as gains, recall
and MRR as trec_eval has them, to the depth N. "lacuna search --format trec"
writes such rankings; those of any other search will do.

A question with relevant records for which a run has none counts as 0. With more
than one --run, the others are compared with the first, question by question.`,
		Flags: func(f *pflag.FlagSet) {
			f.StringVar(&o.qrels, "qrels", "", "the relevant records are in `FILE`")
			f.StringArrayVar(&o.runs, "run", nil, "the rankings are in `FILE`; may be given more than once")
			f.IntVar(&o.k, "k", 10, "measure to the depth `N`")
			f.BoolVar(&o.json, "json", false, "print one JSON object")
		},
		Run: func(_ context.Context, s *Session, args []string) error { return rankings(s, o, args) },
	}
}

// rankedJSON is one run of eval ranking --json.
type rankedJSON struct {
	Run      string        `json:"run"`
	Absent   int           `json:"absent"` // questions without a ranking, which count as 0
	Measures []measureJSON `json:"measures"`
	Gains    []measureJSON `json:"more_than_first,omitempty"`
}

type measureJSON struct {
	Metric string  `json:"metric"`
	Value  float64 `json:"value"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	N      int     `json:"n"`
}

func rankings(s *Session, o rankingOptions, args []string) error {
	switch {
	case len(args) > 0:
		return usagef("eval ranking: takes no arguments, found %q", args[0])
	case o.qrels == "" || len(o.runs) == 0:
		return usagef("eval ranking: --qrels FILE and --run FILE are needed")
	case o.k < 1:
		return usagef("--k: expected a number from 1, found %d", o.k)
	}
	judged, err := dataset.ReadQrels(o.qrels)
	if err != nil {
		return UsageError{err}
	}
	var all []rankedJSON
	var first []eval.Ranking
	at := func(name string) string { return fmt.Sprintf("%s@%d", name, o.k) }
	for _, file := range o.runs {
		found, err := dataset.ReadRankings(file)
		if err != nil {
			return UsageError{err}
		}
		ranked, absent := join(judged, found)
		if absent == len(ranked) {
			return usagef("%s ranks records for none of the questions that %s judges; do the files belong together?", file, o.qrels)
		}
		r := rankedJSON{Run: file, Absent: absent, Measures: listed(eval.RankingMeasures(ranked, o.k, at))}
		if first == nil {
			first = ranked
		} else {
			r.Gains = listed(eval.RankingGains(ranked, first, o.k, at))
		}
		all = append(all, r)
	}
	if o.json {
		return s.JSON(struct {
			K    int          `json:"k"`
			Runs []rankedJSON `json:"runs"`
		}{o.k, all})
	}
	for _, r := range all {
		fmt.Fprintln(s.Out, r.Run)
		for i, m := range r.Measures {
			more := ""
			if r.Gains != nil {
				more = fmt.Sprintf("  %+.3f  [%+.3f, %+.3f] more than the first", r.Gains[i].Value, r.Gains[i].Low, r.Gains[i].High)
			}
			fmt.Fprintf(s.Out, "  %-17s  %.3f  [%.3f, %.3f]  n = %d%s\n", m.Metric, m.Value, m.Low, m.High, m.N, more)
		}
		if r.Absent > 0 {
			fmt.Fprintf(s.Out, "  without a ranking, counted as 0: %d\n", r.Absent)
		}
	}
	return nil
}

// join returns the rankings of the questions that have relevant records, in the order of their IDs, and how many of them
// have no ranking.
func join(judged dataset.Qrels, found dataset.Rankings) (all []eval.Ranking, absent int) {
	for _, id := range slices.Sorted(maps.Keys(judged)) {
		relevant := false
		for _, grade := range judged[id] {
			relevant = relevant || grade > 0
		}
		if relevant {
			all = append(all, eval.Ranking{Records: found[id], Grades: judged[id]})
			absent += count(len(found[id]) == 0)
		}
	}
	return all, absent
}

func listed(measures []eval.Measure) []measureJSON {
	var all []measureJSON
	for _, m := range measures {
		all = append(all, measureJSON{m.Name, m.Value, m.Low, m.High, m.N})
	}
	return all
}
