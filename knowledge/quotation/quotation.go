// Package quotation tells whether words that somebody gives as a quote stand in the sources: as they are, altered, put
// together from several places, or not at all.
//
// Begin with [Verify]. What counts as the same words is in tokens.go: white space, the shapes of quotation marks, dashes and
// ligatures, soft hyphens and marks of markup do not count, nor does the case of the first letter, nor punctuation at the ends.
package quotation

import (
	"context"
	"slices"
	"strings"

	"lacuna/knowledge"
	"lacuna/knowledge/passage"
)

// Verdict says how a quote stands to the sources.
type Verdict string

const (
	Verbatim  Verdict = "verbatim"  // it stands there as it is
	Elsewhere Verdict = "elsewhere" // it stands in the sources as it is, but not in the file that was named
	Stitched  Verdict = "stitched"  // its parts stand there as they are, but not together
	Altered   Verdict = "altered"   // it stands there with other words; see [Finding.Differences]
	Absent    Verdict = "absent"    // nothing like it stands there
)

// Part is a part of a quote with a place where it stands.
type Part struct {
	Text    string // of the source, as a reader sees it
	Passage *passage.Passage
	Span    passage.Span // of Passage.Text
}

// Difference is where an altered quote leaves its source. One of both is empty where words were left out or added.
type Difference struct{ Quoted, Stated string }

// Finding is what is known of a quote. Parts has one part if the quote is verbatim, elsewhere or altered, several if it is
// stitched, none if it is absent.
type Finding struct {
	Verdict     Verdict
	Parts       []Part
	Differences []Difference
}

const (
	firstCandidates = 8  // passages that most quotes that are true are among
	candidates      = 40 // passages that each search looks at
	aligned         = 8  // of these, passages that an altered quote is compared with
	mostParts       = 4
	leastPart       = 4   // tokens of a part of a stitched quote
	slips           = 2   // tokens of a quote that one place lacks, and it is altered rather than stitched
	leastShare      = .65 // of the tokens of an altered quote that stand in its source
	longestText     = 4 << 10
)

// Verify looks for a quote in the sources. file is the end of the path of the file that it is said to come from, or empty. A quote
// of more than 4 KiB is cut off. It is safe for concurrent use. The error is that of the search.
func Verify(ctx context.Context, library *knowledge.Library, quote, file string) (Finding, error) {
	if len(quote) > longestText {
		quote = strings.ToValidUTF8(quote[:longestText], "")
	}
	said := trimmed(placeholders(tokensOf(quote)))
	if len(said) == 0 {
		return Finding{Verdict: Absent}, nil
	}
	texts, err := candidatesFor(ctx, library, quote, firstCandidates, file, nil)
	if err != nil {
		return Finding{}, err
	}
	if f, found := verbatim(texts, said, file); found && f.Verdict == Verbatim {
		return f, nil
	}
	// The words of one half stand together where those of the whole do not.
	middle := said[len(said)/2].start
	for _, words := range []string{quote, quote[:middle], quote[middle:]} {
		if texts, err = candidatesFor(ctx, library, words, candidates, file, texts); err != nil {
			return Finding{}, err
		}
	}
	if f, found := verbatim(texts, said, file); found {
		return f, nil
	}
	var best alignment
	var in *text
	for _, t := range likest(texts, said) {
		if a := align(said, t.tokens); a.same > best.same {
			best, in = a, t
		}
	}
	other := len(said) - best.same
	if parts := stitched(texts, said); parts != nil && other > slips {
		return Finding{Verdict: Stitched, Parts: parts}, nil
	}
	if in == nil || float64(best.same) < leastShare*float64(len(said)) || best.same < 2 {
		return Finding{Verdict: Absent}, nil
	}
	return Finding{Verdict: Altered, Parts: []Part{in.part(best.from, best.to)}, Differences: best.differences(said, in)}, nil
}

// candidatesFor adds the passages that a search for words finds to texts, those of the named file first.
func candidatesFor(ctx context.Context, library *knowledge.Library, words string, most int, file string, texts []*text) ([]*text, error) {
	hits, err := library.Search(ctx, knowledge.Query{Text: words, K: most, Retriever: knowledge.BM25, Verbatim: true})
	if err != nil {
		return nil, err
	}
	for _, hit := range hits {
		if !slices.ContainsFunc(texts, func(t *text) bool { return t.passage == hit.Passage }) {
			texts = append(texts, read(hit.Passage))
		}
	}
	slices.SortStableFunc(texts, func(a, b *text) int { return rank(a, file) - rank(b, file) })
	return texts, nil
}

// verbatim returns the finding of a quote that one of the texts has as it is.
func verbatim(texts []*text, said []token, file string) (Finding, bool) {
	for _, t := range texts {
		at, length := find(t.tokens, said)
		if at < 0 {
			continue
		}
		f := Finding{Verdict: Verbatim, Parts: []Part{t.part(at, at+length)}}
		if !t.isIn(file) {
			f.Verdict = Elsewhere
		}
		return f, true
	}
	return Finding{}, false
}

// likest returns the texts that share most pairs of neighbouring tokens with a quote.
func likest(texts []*text, said []token) []*text {
	pairs := make(map[[2]string]bool, len(said))
	for i := 1; i < len(said); i++ {
		pairs[[2]string{said[i-1].word, said[i].word}] = true
	}
	shared := make(map[*text]int, len(texts))
	for _, t := range texts {
		for i := 1; i < len(t.tokens); i++ {
			if pairs[[2]string{t.tokens[i-1].word, t.tokens[i].word}] {
				shared[t]++
			}
		}
	}
	texts = slices.Clone(texts)
	slices.SortStableFunc(texts, func(a, b *text) int { return shared[b] - shared[a] })
	return texts[:min(len(texts), aligned)]
}

// rank puts the passages of the named file first.
func rank(t *text, file string) int {
	if t.isIn(file) {
		return 0
	}
	return 1
}

// text is a passage as a reader sees it.
type text struct {
	passage *passage.Passage
	shown   *passage.Rendering
	plain   string
	tokens  []token
}

func read(p *passage.Passage) *text {
	r := p.Render()
	plain := r.Span(passage.Span{End: len(p.Text)})
	return &text{p, r, plain, tokensOf(plain)}
}

func (t *text) isIn(file string) bool {
	file = strings.ReplaceAll(file, `\`, "/")
	path := strings.ReplaceAll(t.passage.Place.File, `\`, "/")
	return file == "" || path == file || strings.HasSuffix(path, "/"+strings.TrimPrefix(strings.TrimPrefix(file, "./"), "/"))
}

func (t *text) part(from, to int) Part {
	shown := t.plain[t.tokens[from].start:t.tokens[to-1].end]
	span, found := t.shown.Find(shown)
	if !found {
		span = passage.Span{End: len(t.passage.Text)}
	}
	return Part{shown, t.passage, span}
}

// find returns where tokens stand in a text, or -1, and how many of the text they are. The first may differ in the case of its first
// letter.
func find(in, said []token) (at, length int) {
	for at := range in {
		if in[at].word != said[0].word && !sameButCase(in[at].word, said[0].word) {
			continue
		}
		if n := begin(in[at+1:], said[1:]); n >= 0 {
			return at, 1 + n
		}
	}
	return -1, 0
}

// longestReplaced is the number of tokens that a placeholder stands for at most.
const longestReplaced = 12

// begin returns how many tokens of a text the tokens are with which it begins, or -1.
func begin(in, said []token) int {
	for i, w := range said {
		if w.word == anything {
			for n := 1; n <= min(longestReplaced, len(in)-i); n++ {
				if rest := begin(in[i+n:], said[i+1:]); rest >= 0 {
					return i + n + rest
				}
			}
			return -1
		}
		if i >= len(in) || in[i].word != w.word {
			return -1
		}
	}
	return len(said)
}

// stitched divides a quote into the fewest parts that stand in texts, each as long as possible; nil if there are too many or
// one would be too short to tell anything.
func stitched(texts []*text, said []token) []Part {
	var parts []Part
	for rest := said; len(rest) > 0; {
		if len(parts) == mostParts {
			return nil
		}
		length, in, at := 0, (*text)(nil), 0
		for _, t := range texts {
			if n, from := longest(t.tokens, rest); n > length {
				length, in, at = n, t, from
			}
		}
		if length < leastPart {
			return nil
		}
		parts = append(parts, in.part(at, at+length))
		rest = trimmed(rest[length:])
	}
	if len(parts) < 2 {
		return nil
	}
	return parts
}

// longest returns how many tokens from the beginning of said stand together in a text, at most, and where.
func longest(in, said []token) (length, at int) {
	for from := range in {
		if in[from].word != said[0].word && !sameButCase(in[from].word, said[0].word) {
			continue
		}
		n := 1
		for n < len(said) && from+n < len(in) && in[from+n].word == said[n].word {
			n++
		}
		if n > length {
			length, at = n, from
		}
	}
	return length, at
}
