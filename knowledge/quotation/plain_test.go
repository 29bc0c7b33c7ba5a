package quotation

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"lacuna/knowledge/passage"
)

// plainly is [Index.Verify] without a look-up: it compares the words of a quote, as text, with those of every passage. Of the index it
// takes which pairs of words share a bucket.
func plainly(x *Index, quote, file string) Finding {
	said := trimmed(placeholders(tokensOf(quote)))
	if len(said) == 0 {
		return Finding{Verdict: Absent}
	}
	var texts []*text
	for _, p := range x.passages {
		texts = append(texts, read(p))
	}
	slices.SortStableFunc(texts, func(a, b *text) int {
		return cmp.Compare(map[bool]int{true: 0, false: 1}[isIn(a.passage, file)], map[bool]int{true: 0, false: 1}[isIn(b.passage, file)])
	})
	same := func(in, said []token, i int) bool {
		return in[i].word == said[i].word || i == 0 && small(in[0].word) == small(said[0].word)
	}
	stands := func(in []token, most int) (n int) {
		for n < min(most, len(in)) && same(in, said, n) {
			n++
		}
		return n
	}
	for _, t := range texts {
		for at := range t.tokens {
			if stands(t.tokens[at:], len(said)) < len(said) {
				continue
			}
			if f := (Finding{Verdict: Verbatim, Parts: []Part{t.part(at, at+len(said))}}); isIn(t.passage, file) {
				return f
			} else {
				f.Verdict = Elsewhere
				return f
			}
		}
	}
	number := map[string]word{}
	numbers := func(tokens []token) (all []word) {
		for _, t := range tokens {
			if number[t.word] == 0 {
				number[t.word] = word(len(number) + 1)
			}
			all = append(all, number[t.word])
		}
		return all
	}
	type compared struct {
		t      *text
		shared int
	}
	var likest []compared
	q := x.query(said)
	for _, t := range texts {
		in, pairs := x.query(t.tokens), map[uint32]bool{}
		for i := range said {
			for j := range in.tokens {
				if i > 0 && j > 0 && q.small[i-1] >= firstWord && q.small[i] >= firstWord {
					if b := x.bucket(q.small[i-1], q.small[i]); b == x.bucket(in.small[j-1], in.small[j]) {
						pairs[b] = true
					}
				}
			}
		}
		if len(pairs) > 0 {
			likest = append(likest, compared{t, len(pairs)})
		}
	}
	slices.SortStableFunc(likest, func(a, b compared) int { return b.shared - a.shared })
	var best alignment
	var in *text
	for _, c := range likest[:min(len(likest), aligned)] {
		if a := align(numbers(said), numbers(c.t.tokens)); a.same > best.same {
			best, in = a, c.t
		}
	}
	if whole := said; len(said)-best.same > slips || best.to-best.from-len(said) > omitted {
		var parts []Part
		for len(said) > 0 && len(parts) < mostParts {
			length, at := 0, 0
			var of *text
			for _, t := range texts {
				for from := range t.tokens {
					if n := stands(t.tokens[from:], len(said)); n > length {
						length, at, of = n, from, t
					}
				}
			}
			if length < leastPart {
				break
			}
			parts = append(parts, of.part(at, at+length))
			said = trimmedLeft(said[length:])
		}
		if len(said) == 0 && len(parts) > 1 {
			return Finding{Verdict: Stitched, Parts: parts}
		}
		said = whole
	}
	if in == nil || float64(best.same) < leastShare*float64(len(said)) || best.same < 2 {
		return Finding{Verdict: Absent}
	}
	return Finding{Verdict: Altered, Parts: []Part{in.part(best.from, best.to)}, Differences: best.differences(said, in)}
}

// TestIndexFindsWhatAPlainScanFinds makes passages and quotes of few words, so that every word and pair stands in many places.
func TestIndexFindsWhatAPlainScanFinds(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	words := strings.Fields("The the kiln is fired Kiln at 980 °C – for eleven hours , and cools “blue” 窑 glaze two")
	text := func(n int) string {
		var s []string
		for range n {
			s = append(s, words[random.IntN(1+random.IntN(len(words)))])
		}
		return strings.Join(s, " ")
	}
	verdicts := map[Verdict]int{}
	for range 40 {
		var passages []*passage.Passage
		for i := range 25 {
			body := text(5 + random.IntN(40))
			passages = append(passages, &passage.Passage{Text: body, Place: passage.Place{File: fmt.Sprintf("/kb/%d.md", i/5)}})
		}
		x := New(passages)
		for range 60 {
			p, file := passages[random.IntN(len(passages))], ""
			quote := p.Text
			if fields := strings.Fields(quote); random.IntN(4) > 0 {
				from := random.IntN(len(fields))
				fields = slices.Clone(fields[from : from+1+random.IntN(len(fields)-from)])
				for range random.IntN(3) {
					fields[random.IntN(len(fields))] = text(1)
				}
				quote = strings.Join(fields, " ")
			}
			switch random.IntN(4) {
			case 0:
				quote += " " + text(1+random.IntN(12))
			case 1:
				other := strings.Fields(passages[random.IntN(len(passages))].Text)
				quote = strings.Join(append(strings.Fields(quote), other[len(other)*3/4:]...), " ")
			}
			if random.IntN(3) == 0 {
				file = fmt.Sprintf("%d.md", random.IntN(6))
			}
			got, want := x.Verify(quote, file), plainly(x, quote, file)
			if verdicts[want.Verdict]++; !reflect.DeepEqual(got, want) {
				t.Fatalf("%q of %q:\n got %+v\nwant %+v", quote, file, got, want)
			}
		}
	}
	for _, v := range []Verdict{Verbatim, Elsewhere, Stitched, Altered, Absent} {
		if verdicts[v] < 20 {
			t.Errorf("%d quotes are %s", verdicts[v], v)
		}
	}
}

func TestManyPlaceholdersTakeNoTime(t *testing.T) {
	x := New([]*passage.Passage{{Text: strings.Repeat("the kiln ", 300)}})
	if f := x.Verify(strings.Repeat("the [NAME-1] ", 150)+"oven", ""); f.Verdict == Verbatim {
		t.Error(f)
	}
}
