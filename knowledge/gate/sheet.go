package gate

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"

	"lacuna/knowledge/eval"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
	"lacuna/vecmath"
)

// sheet is a row of features, in an order that is the same for all questions.
type sheet struct {
	names  []string
	values []float64
}

func (s *sheet) add(name string, value float64) {
	s.names, s.values = append(s.names, name), append(s.values, value)
}

func (s *sheet) append(other sheet) {
	s.names, s.values = append(s.names, other.names...), append(s.values, other.values...)
}

func (s *sheet) is(name string, holds bool) {
	value := 0.0
	if holds {
		value = 1
	}
	s.add(name, value)
}

// phrases is how often phrases were found, by the root of the number of words: long answers have more of
// everything.
func (s *sheet) phrases(name string, found, words int) {
	s.add(name, float64(found)/math.Sqrt(float64(max(words, 1))))
}

// What words tell. They are English, as the histories are that these features were measured on; in
// other languages they say nothing and harm nothing.
var (
	negations    = newCue(`not|except|least|false|incorrect|never|without|contraindicated`)
	images       = newCue(`figure|image|images|shown|photograph|radiograph|x-ray|ecg|mri|diagram|picture`)
	vignettes    = newCue(`\d+[- ](?:year|month|week|day)s?[- ]old`)
	lists        = newCue(`which|following`)
	superlatives = newCue(`most likely|best|next|most appropriate|first`)
	hedges       = newCue(`may|might|could|possibly|perhaps|likely|probably|suggests?|appears?|seems?|unclear`)
	contrasts    = newCue(`however|although|but|while|whereas|despite|nevertheless`)
	eliminations = newCue(`incorrect|ruled? out|unlikely|not (?:the|a|associated|typically)|eliminat\w+|less likely`)
	confidence   = newCue(`therefore|clearly|definitely|is known|the (?:correct )?answer is|thus|hence`)
	studies      = newCue(`stud(?:y|ies)|trials?|evidence|patients|research|documents?|contexts?`)
	digits       = regexp.MustCompile(`\d+`)
	flawed       = newCue(`none of the (?:options|above|choices)|question (?:is|seems)|closest|by default|if (?:i|we) (?:had|have) to`)
	allOrNone    = newCue(`all of|none of|both|all the above|none of the above`)
	citations    = regexp.MustCompile(`(?i)\bdocuments?\s*\[?(\d+)`)
	absent       = newCue(`not (?:mentioned|provided|stated|given)|no (?:mention|information)|do(?:es)? not (?:mention|provide|contain)`)
)

// sheets makes the features of questions and answers. It is safe for concurrent use.
type sheets struct {
	encoder Encoder
	base    base
	memory  *sync.Map // of what has been made, by what it was made of; nil remembers nothing
}

func newSheets(e Encoder) *sheets { return &sheets{encoder: e, base: baseOf(e)} }

// remembered makes something once, where there is a memory.
func remembered[T any](s *sheets, make func() T, key ...string) T {
	if s.memory == nil {
		return make()
	}
	name := strings.Join(key, "\x00")
	if value, ok := s.memory.Load(name); ok {
		return value.(T)
	}
	value := make()
	s.memory.Store(name, value)
	return value
}

func (s *sheets) evidence(text string) evidence {
	return remembered(s, func() evidence { return s.base.evidence(text) }, "evidence", text)
}

// aside are the sheets for one question: what is needed more than once is made once for it.
func (s *sheets) aside() *sheets {
	if s.memory != nil {
		return s
	}
	return &sheets{encoder: Remember(s.encoder), base: s.base, memory: new(sync.Map)}
}

// terms are the distinct analysed terms of a text, in order.
func (s *sheets) terms(text string) []string {
	return remembered(s, func() []string { return terms(text) }, "terms", text)
}

// before is what is known before anything is retrieved for an answer. The number of options is not
// among it: it does not carry over to kinds of questions that were never seen.
func (s *sheets) before(q Question) sheet {
	s = s.aside()
	return remembered(s, func() sheet {
		var row sheet
		e := s.evidence(q.Text)
		s.question(&row, q)
		s.local(&row, q, e)
		s.answer(&row, "", q, q.Closed, e)
		return row
	}, "before", q.Model, q.Text, q.Closed.said())
}

// after adds the second answer, and how the two differ.
func (s *sheets) after(q Question, retrieved Response) sheet {
	s = s.aside()
	return remembered(s, func() sheet {
		var row, first, second sheet
		e := s.evidence(q.Text)
		s.question(&row, q)
		s.local(&row, q, e)
		s.answer(&first, "", q, q.Closed, e)
		s.answer(&second, "second_", q, &retrieved, e)
		row.append(first)
		row.append(second)
		for n, name := range first.names {
			row.add("more_"+name, second.values[n]-first.values[n])
		}
		s.difference(&row, q, retrieved)
		return row
	}, "after", q.Model, q.Text, q.Closed.said(), retrieved.said())
}

// said tells responses apart.
func (r *Response) said() string {
	if r == nil {
		return ""
	}
	return r.Choice + "\x00" + r.Text
}

// difference is what only both answers together tell.
func (s *sheets) difference(row *sheet, q Question, retrieved Response) {
	text := textOfResponse(q.Closed)
	own, other := chosen(q, q.Closed), chosen(q, &retrieved)
	row.add("answers_cosine", s.cosine(text, retrieved.Text))
	row.add("answers_overlap", eval.WordOverlap(text, []string{retrieved.Text}).F1)
	row.add("own_in_second", s.optionIn(q, own, retrieved.Text))
	row.add("second_in_own", s.optionIn(q, other, text))
	row.phrases("absent", absent.count(retrieved.Text), len(eval.Words(retrieved.Text)))
	cited := make(map[string]bool)
	for _, match := range citations.FindAllStringSubmatch(retrieved.Text, -1) {
		cited[match[1]] = true
	}
	row.add("cited", float64(len(cited)))
}

func textOfResponse(r *Response) string {
	if r == nil {
		return ""
	}
	return r.Text
}

// chosen is the place of the option that a response chose; -1 for none.
func chosen(q Question, r *Response) int {
	for n, o := range q.Options {
		if r != nil && r.Choice != "" && o.Letter == r.Choice {
			return n
		}
	}
	return -1
}

func (s *sheets) cosine(a, b string) float64 {
	return float64(vecmath.Dot(s.encoder.Encode(a), s.encoder.Encode(b)))
}

func (s *sheets) optionIn(q Question, option int, text string) float64 {
	if option < 0 {
		return 0
	}
	return s.base.coverage(s.terms(q.Options[option].Text), plaintext.SetOf(s.terms(text)))
}

// question is what the question alone tells.
func (s *sheets) question(row *sheet, q Question) {
	words := eval.Words(q.Text)
	row.add("q_words", math.Log1p(float64(len(words))))
	row.is("q_negation", negations.in(q.Text))
	row.is("q_number", digits.MatchString(q.Text))
	row.is("q_image", images.in(q.Text))
	row.is("q_vignette", vignettes.in(q.Text))
	row.is("q_mark", strings.ContainsAny(q.Text, "?？"))
	row.is("q_which", lists.in(q.Text))
	row.is("q_best", superlatives.in(q.Text))
	own := s.terms(q.Text)
	rarest := 0.0
	for _, t := range own {
		rarest = max(rarest, s.base.idf(t))
	}
	row.add("q_idf_mean", s.base.mass(own, nil)/float64(max(len(own), 1)))
	row.add("q_idf_max", rarest)
	shape := ShapeOf(q)
	row.is("q_yesno", shape == YesNo)
	row.is("q_open", shape == OpenEnded)
	s.options(row, q)
}

func (s *sheets) options(row *sheet, q Question) {
	n := float64(max(len(q.Options), 1))
	numeric, single, low, high, sum := 0.0, 0.0, math.Inf(1), 0.0, 0.0
	all := false
	for _, o := range q.Options {
		length := float64(len(eval.Words(o.Text)))
		low, high, sum = min(low, length), max(high, length), sum+length
		if digits.MatchString(o.Text) {
			numeric++
		}
		if length <= 1 {
			single++
		}
		all = all || allOrNone.in(o.Text)
	}
	if len(q.Options) == 0 {
		low = 0
	}
	row.add("o_length", math.Log1p(sum/n))
	row.add("o_spread", math.Log1p(high-low))
	row.add("o_numeric", numeric/n)
	row.add("o_single", single/n)
	row.is("o_all_or_none", all)
}

// local is what the base has for the question.
func (s *sheets) local(row *sheet, q Question, e evidence) {
	own := s.terms(q.Text)
	// The factor tf/(tf+k) of BM25 stays below 1, so that no passage scores more than this.
	possible := max(s.base.mass(own, nil), 1e-9)
	at := func(n int) float64 {
		if n < len(e.scores) {
			return e.scores[n] / possible
		}
		return 0
	}
	best, first := 0.0, 0.0
	for n, set := range e.passages {
		c := s.base.coverage(own, set)
		best = max(best, c)
		if n == 0 {
			first = c
		}
	}
	row.add("b_top", at(0))
	row.add("b_gap_2", at(0)-at(1))
	row.add("b_gap_10", at(0)-at(evidenceDepth-1))
	row.add("b_first", first)
	row.add("b_best", best)
	row.add("b_union", s.base.coverage(own, e.all))
	row.add("b_terms", float64(len(own)))
}

// answer is what one of the answers tells, with the evidence for the option that it chose.
func (s *sheets) answer(row *sheet, prefix string, q Question, r *Response, e evidence) {
	var a sheet
	text := textOfResponse(r)
	words := eval.Words(text)
	spans := passage.Sentences(text, passage.Plain)
	last := ""
	if len(spans) > 0 {
		last = text[spans[max(0, len(spans)-2)].Start:]
	}
	letters := 0
	for _, w := range words {
		letters += len(w)
	}
	n := len(words)
	a.is("none", Refuses(q, r))
	a.is("blank", n == 0)
	a.add("words", math.Log1p(float64(n)))
	a.add("sentences", math.Log1p(float64(len(spans))))
	a.add("richness", float64(len(plaintext.SetOf(words)))/float64(max(n, 1)))
	a.add("letters", float64(letters)/float64(max(n, 1)))
	a.phrases("hedges", hedges.count(text), n)
	a.phrases("contrasts", contrasts.count(text), n)
	a.phrases("eliminations", eliminations.count(text), n)
	a.phrases("confidence", confidence.count(text), n)
	a.phrases("studies", studies.count(text), n)
	a.phrases("digits", len(digits.FindAllStringIndex(text, -1)), n)
	a.phrases("refusals", len(refusals.FindAllStringIndex(text, -1)), n)
	a.is("refuses_last", refusals.MatchString(last))
	a.is("flawed", flawed.in(text))
	own := s.terms(text)
	known := plaintext.SetOf(s.terms(q.Text))
	for _, o := range q.Options {
		for _, t := range s.terms(o.Text) {
			known[t] = true
		}
	}
	a.add("news", 1-shareOf(own, known))
	a.add("idf", s.base.mass(own, nil)/float64(max(len(own), 1)))
	a.add("support", s.base.coverage(own, e.all))
	a.add("question_cosine", s.cosine(text, q.Text))
	s.choice(&a, q, chosen(q, r), text, spans, e)
	for i, name := range a.names {
		row.add(prefix+name, a.values[i])
	}
}

// shareOf is the share of terms that are in a set.
func shareOf(terms []string, set map[string]bool) float64 {
	if len(terms) == 0 {
		return 0
	}
	in := 0
	for _, t := range terms {
		if set[t] {
			in++
		}
	}
	return float64(in) / float64(len(terms))
}

// option is one of the options to choose from, as it is compared.
type option struct {
	terms  []string
	vector []float32
}

// choice compares the chosen option with the others: in the answer's prose, by meaning, and in what
// the base has for the question.
func (s *sheets) choice(a *sheet, q Question, choice int, text string, spans []passage.Span, e evidence) {
	whole, head, tail := plaintext.SetOf(s.terms(text)), map[string]bool{}, map[string]bool{}
	if len(spans) > 0 {
		head = plaintext.SetOf(terms(text[:spans[min(1, len(spans)-1)].End]))
		tail = plaintext.SetOf(terms(text[spans[len(spans)-1].Start:]))
	}
	stem, stems := s.terms(q.Text), make([]float64, len(e.passages))
	for n, set := range e.passages {
		stems[n] = s.base.coverage(stem, set)
	}
	prose, asked := s.encoder.Encode(text), s.encoder.Encode(q.Text)
	all := make([]option, len(q.Options))
	for n, o := range q.Options {
		all[n] = option{s.terms(o.Text), s.encoder.Encode(o.Text)}
	}
	for _, measure := range []struct {
		name string
		of   func(option) float64
	}{
		{"in_whole", func(o option) float64 { return s.base.coverage(o.terms, whole) }},
		{"in_head", func(o option) float64 { return s.base.coverage(o.terms, head) }},
		{"in_tail", func(o option) float64 { return s.base.coverage(o.terms, tail) }},
		{"answer_cosine", func(o option) float64 { return float64(vecmath.Dot(prose, o.vector)) }},
		{"stem_cosine", func(o option) float64 { return float64(vecmath.Dot(asked, o.vector)) }},
		{"in_best", func(o option) float64 { return s.inPassages(e, o.terms, nil) }},
		{"with_stem", func(o option) float64 { return s.inPassages(e, o.terms, stems) }},
		{"length", func(o option) float64 { return float64(len(o.terms)) }},
	} {
		values := make([]float64, len(all))
		for n, o := range all {
			values[n] = measure.of(o)
		}
		own, margin, rank := against(values, choice)
		a.add("choice_"+measure.name, own)
		a.add("choice_"+measure.name+"_margin", margin)
		a.add("choice_"+measure.name+"_rank", rank)
	}
	a.is("choice_all_or_none", choice >= 0 && allOrNone.in(q.Options[choice].Text))
	a.is("choice_yes", choice >= 0 && strings.EqualFold(q.Options[choice].Text, "yes"))
	a.is("choice_no", choice >= 0 && strings.EqualFold(q.Options[choice].Text, "no"))
}

// inPassages is how much of an option the best passage has, times a weight of the passage where weights
// are given.
func (s *sheets) inPassages(e evidence, own []string, weights []float64) float64 {
	best := 0.0
	for n, set := range e.passages {
		c := s.base.coverage(own, set)
		if weights != nil {
			c *= weights[n]
		}
		best = max(best, c)
	}
	return best
}

// against compares the value of the chosen one with the others': itself, over the best other, and the
// share of the others above it. All are 0 where none was chosen.
func against(values []float64, choice int) (own, margin, rank float64) {
	if choice < 0 || len(values) < 2 {
		return 0, 0, 0
	}
	others := slices.Delete(slices.Clone(values), choice, choice+1)
	above := 0
	for _, v := range others {
		if v > values[choice] {
			above++
		}
	}
	return values[choice], values[choice] - slices.Max(others), float64(above) / float64(len(others))
}
