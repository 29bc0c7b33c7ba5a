package experiment

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"lacuna/knowledge/eval"
	"lacuna/knowledge/experiment/dataset"
	"lacuna/prompts"
)

// Replies are the figures of recorded replies: of those to questions with options, and of those to open ones.
type Replies struct {
	N int `json:"n"` // replies with a known right answer: with options, or if none has, open
	// Figures of questions with options: the share read as the right letter, the share from which not exactly one letter
	// can be read, which counts as wrong, and the share that has the letter which is right most often.
	Accuracy       *float64 `json:"accuracy,omitempty"`
	Unparsed       *float64 `json:"unparsed,omitempty"`
	Majority       *float64 `json:"majority,omitempty"`
	MajorityLetter string   `json:"majority_letter,omitempty"`
	// Open has the figures of questions without options.
	Open *OpenReplies `json:"open,omitempty"`
	// Intervals hold the central 95 % of 10,000 resamples of the replies, by figure.
	Intervals map[string][2]float64 `json:"intervals"`
	Read      map[string]int        `json:"read"`              // how many replies with options were understood how; see [prompts.Path]
	NoGold    int                   `json:"no_gold,omitempty"` // replies that are left out because no right answer is known
	Unread    []Unread              `json:"-"`
}

// OpenReplies are figures of replies to open questions.
type OpenReplies struct {
	N     int     `json:"n"`
	EM    float64 `json:"exact_match"`
	Cover float64 `json:"cover_match"`
	F1    float64 `json:"f1"`
	Empty float64 `json:"unparsed"` // no answer could be read
}

// Unread is a reply that could not be read.
type Unread struct {
	ID    string `json:"id"`
	Why   string `json:"why"`
	Reply string `json:"reply"`
}

// MeasureReplies reads recorded replies as the product does and scores them.
func MeasureReplies(replies []dataset.Reply, seed uint64) Replies {
	r := Replies{Intervals: map[string][2]float64{}, Read: map[string]int{}}
	var right, unread []float64
	var golds []string
	var exact, cover, f1, empty []float64
	for _, reply := range replies {
		switch {
		case len(reply.Golds) == 0:
			r.NoGold++
		case len(reply.Options) > 0 || isLetter(reply.Golds):
			c, path, err := prompts.ParseChoice(reply.Reply, reply.Options)
			r.Read[string(path)]++
			right = append(right, truth(slices.Contains(reply.Golds, c.Letter)))
			unread = append(unread, truth(c.Letter == ""))
			golds = append(golds, reply.Golds[0])
			if err != nil {
				r.Unread = append(r.Unread, Unread{reply.ID, err.Error(), reply.Reply})
			}
		default:
			said, err := openAnswer(reply.Reply)
			exact = append(exact, truth(eval.ExactMatch(said, reply.Golds)))
			cover = append(cover, truth(eval.CoverMatch(said, reply.Golds)))
			f1 = append(f1, eval.WordOverlap(said, reply.Golds).F1)
			empty = append(empty, truth(err != nil))
			if err != nil {
				r.Unread = append(r.Unread, Unread{reply.ID, err.Error(), reply.Reply})
			}
		}
	}
	set := func(name string, values []float64) float64 {
		f := Mean(name, values, seed)
		r.Intervals[name] = [2]float64{f.Low, f.High}
		return f.Value
	}
	if r.N = len(exact); r.N > 0 {
		r.Open = &OpenReplies{N: r.N, EM: set("exact_match", exact), Cover: set("cover_match", cover), F1: set("f1", f1), Empty: mean(empty)}
	}
	if n := len(right); n > 0 {
		var most []float64
		r.MajorityLetter = mostFrequent(golds)
		for _, gold := range golds {
			most = append(most, truth(gold == r.MajorityLetter))
		}
		accuracy, unparsed, majority := set("accuracy", right), set("unparsed", unread), set("majority", most)
		r.N, r.Accuracy, r.Unparsed, r.Majority = n, &accuracy, &unparsed, &majority
	}
	return r
}

// isLetter reports whether right answers are letters of options that are not listed.
func isLetter(golds []string) bool {
	return !slices.ContainsFunc(golds, func(gold string) bool { return len(gold) != 1 || gold < "A" || gold > "E" })
}

// openAnswer returns the answer in a reply to an open question: what follows the last "Answer:", or else its first line.
func openAnswer(reply string) (string, error) {
	if prompts.AnnouncesAnswer(reply) {
		_, said, _, err := prompts.ParseLastAnswer(reply)
		return strings.TrimSpace(said), err
	}
	said, _, err := prompts.ParseAnswer(reply, prompts.Short)
	return said, err
}

// mostFrequent returns the most frequent text, of equally frequent ones the first in the alphabet.
func mostFrequent(texts []string) string {
	counts := map[string]int{}
	for _, text := range texts {
		counts[text]++
	}
	return slices.MaxFunc(slices.Sorted(maps.Keys(counts)), func(a, b string) int {
		return cmp.Or(counts[a]-counts[b], strings.Compare(b, a))
	})
}
