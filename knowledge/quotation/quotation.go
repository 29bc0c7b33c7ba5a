// Package quotation tells whether words that somebody gives as a quote stand in the sources: as they are, altered, put
// together from several places, or not at all.
//
// Begin with [Index.Verify]. What counts as the same words is in tokens.go: white space, the shapes of quotation marks, dashes and
// ligatures, soft hyphens and marks of markup do not count, nor does the case of the first letter, nor punctuation at the ends.
package quotation

import "strings"

// Verdict says how a quote stands to the sources.
type Verdict string

const (
	Verbatim  Verdict = "verbatim"  // it stands there as it is
	Elsewhere Verdict = "elsewhere" // it stands in the sources as it is, but not in the file that was named
	Stitched  Verdict = "stitched"  // its parts stand there as they are, but not together
	Altered   Verdict = "altered"   // it stands there with other words; see [Finding.Differences]
	Absent    Verdict = "absent"    // nothing like it stands there
)

// Finding is what is known of a quote. Parts has one part if the quote is verbatim, elsewhere or altered, several if it is
// stitched, none if it is absent.
type Finding struct {
	Verdict     Verdict
	Parts       []Part
	Differences []Difference
}

const (
	aligned     = 16 // passages that a quote is compared with word by word
	mostParts   = 4
	leastPart   = 4   // tokens of a part of a stitched quote
	slips       = 2   // tokens of a quote that one place lacks, and it is altered rather than stitched
	omitted     = 6   // tokens of one place that a quote lacks, and it is altered rather than stitched
	leastShare  = .65 // of the tokens of an altered quote that stand in its source
	longestText = 4 << 10
)

// Verify looks for a quote in the passages. file is the end of the path of the file that it is said to come from, or empty. A quote
// of more than 4 KiB is cut off. Of several places the first counts, those in the file before others.
func (x *Index) Verify(quote, file string) Finding {
	if len(quote) > longestText {
		quote = strings.ToValidUTF8(quote[:longestText], "")
	}
	said := trimmed(placeholders(tokensOf(quote)))
	if len(said) == 0 {
		return Finding{Verdict: Absent}
	}
	q := x.query(said)
	file = strings.TrimLeft(strings.TrimPrefix(strings.ReplaceAll(file, `\`, "/"), "./"), "/")
	if f, found := x.verbatim(q, file); found {
		return f
	}
	var best alignment
	in := -1
	for _, ordinal := range x.likest(q, file, aligned) {
		if a := align(q.words, x.text(ordinal)); a.same > best.same {
			best, in = a, ordinal
		}
	}
	if len(said)-best.same > slips || best.to-best.from-len(said) > omitted {
		if parts := x.stitched(q, file); parts != nil {
			return Finding{Verdict: Stitched, Parts: parts}
		}
	}
	if in < 0 || float64(best.same) < leastShare*float64(len(said)) || best.same < 2 {
		return Finding{Verdict: Absent}
	}
	t := read(x.passages[in])
	return Finding{Verdict: Altered, Parts: []Part{t.part(best.from, best.to)}, Differences: best.differences(said, t)}
}

// verbatim returns the finding of a quote that a passage has as it is.
func (x *Index) verbatim(q query, file string) (Finding, bool) {
	in, at, length, verdict := -1, 0, 0, Elsewhere
	x.having(q, len(q.small), func(ordinal int) bool {
		here := isIn(x.passages[ordinal], file)
		if in >= 0 && !here {
			return true
		}
		if from, n := x.find(x.text(ordinal), q); from >= 0 {
			in, at, length = ordinal, from, n
			if here {
				verdict = Verbatim
			}
		}
		return verdict != Verbatim
	})
	if in < 0 {
		return Finding{}, false
	}
	return Finding{Verdict: verdict, Parts: []Part{read(x.passages[in]).part(at, at+length)}}, true
}

// find returns where a query stands in a text, or -1, and how many words of the text it is. The first may differ in the case of its
// first letter.
func (x *Index) find(in []word, q query) (at, length int) {
	for at := range in {
		if x.small[in[at]] != q.small[0] {
			continue
		}
		if n := begin(in[at+1:], q.words[1:]); n >= 0 {
			return at, 1 + n
		}
	}
	return -1, 0
}

// longestReplaced is the number of words that a placeholder stands for at most.
const longestReplaced = 12

// begin returns how many words of a text the words are with which it begins, or -1. Of several numbers it is the least.
func begin(in, said []word) int {
	ends := []int{0} // where what was looked at may end, ascending
	for _, w := range said {
		n := 0
		if w == replaced {
			var all []int
			for _, end := range ends {
				for next := max(end+1, last(all)+1); next <= min(end+longestReplaced, len(in)); next++ {
					all = append(all, next)
				}
			}
			ends, n = all, len(all)
		} else {
			for _, end := range ends {
				if end < len(in) && in[end] == w {
					ends[n], n = end+1, n+1
				}
			}
		}
		if ends = ends[:n]; n == 0 {
			return -1
		}
	}
	return ends[0]
}

func last(all []int) int {
	if len(all) == 0 {
		return -1
	}
	return all[len(all)-1]
}

// stitched divides a quote into the fewest parts that stand in passages, each as long as possible; nil if there are too many or one
// would be too short to tell anything.
func (x *Index) stitched(q query, file string) []Part {
	type stretch struct{ in, from, to int }
	var all []stretch
	for rest := q; len(rest.tokens) > 0; {
		if len(all) == mostParts {
			return nil
		}
		length, here := 0, false
		var s stretch
		x.having(rest, leastPart, func(ordinal int) bool {
			if n, from := x.longest(x.text(ordinal), rest); n > length || n == length && n > 0 && !here && isIn(x.passages[ordinal], file) {
				length, here, s = n, isIn(x.passages[ordinal], file), stretch{ordinal, from, from + n}
			}
			return true
		})
		if length < leastPart {
			return nil
		}
		all = append(all, s)
		rest = rest.from(length)
		rest = rest.from(len(rest.tokens) - len(trimmedLeft(rest.tokens)))
	}
	if len(all) < 2 {
		return nil
	}
	parts := make([]Part, len(all))
	for i, s := range all {
		parts[i] = read(x.passages[s.in]).part(s.from, s.to)
	}
	return parts
}

// longest returns how many words from the beginning of a query stand together in a text, at most, and where.
func (x *Index) longest(in []word, q query) (length, at int) {
	for from := range in {
		if x.small[in[from]] != q.small[0] {
			continue
		}
		n := 1
		for n < len(q.words) && from+n < len(in) && in[from+n] == q.words[n] {
			n++
		}
		if n > length {
			length, at = n, from
		}
	}
	return length, at
}
