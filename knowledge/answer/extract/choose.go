package extract

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"lacuna/knowledge/passage"
	"lacuna/knowledge/question"
)

// Amount says how much of the evidence an answer shows.
type Amount string

const (
	LeadOnly  Amount = "lead"   // the best sentence
	UpToThree Amount = "answer" // those that score nearly as well; the default
	Three     Amount = "three"  // two more whatever they score, for "more evidence"
)

// How an answer grows beyond its best sentence (measured on BioASQ dev; answers then have 43 words on
// average). A narrower margin loses recall, a wider one precision.
const (
	maxChosen   = 3
	scoreMargin = .05 // how far a further sentence may score below the best
	redundant   = .75 // cosine of the terms with a sentence already taken
)

// choose returns the sentences to show, best first, as indices into r.sentences. It is empty if none can
// be shown. The best one brings its continuation, and the finding of a study whose aim it states.
func (r *reading) choose(scores []float64, amount Amount) []int {
	order := r.ranking(scores)
	if len(order) == 0 {
		return nil
	}
	if amount == "" {
		amount = UpToThree
	}
	chosen := order[:1:1]
	most, margin := maxChosen, scoreMargin
	switch amount {
	case LeadOnly:
		most = 1
	case Three:
		margin = math.Inf(1)
	case UpToThree:
		if r.encoded && asksForFact.MatchString(r.question) {
			margin = math.Inf(1)
		}
	}
	words := r.shownWords(order[0])
	if next, ok := r.continuation(order[0]); ok && words+r.shownWords(next) <= maxWords {
		chosen = append(chosen, next)
		words += r.shownWords(next)
	}
	if next, ok := r.finding(order, scores); ok && !slices.Contains(chosen, next) && words+r.shownWords(next) <= maxWords {
		chosen = append(chosen, next)
		words += r.shownWords(next)
	}
	for _, next := range order[1:] {
		if slices.Contains(chosen, next) {
			continue
		}
		if len(chosen) >= most || scores[next] < scores[order[0]]-margin {
			break
		}
		length := r.shownWords(next)
		if words+length > maxWords || r.repeats(next, chosen) {
			continue
		}
		chosen = append(chosen, next)
		words += length
	}
	if between, ok := r.between(chosen); ok && amount == UpToThree && words+r.shownWords(between) <= maxWords {
		chosen = append(chosen, between)
	}
	return chosen
}

// asksForFact matches questions that short facts answer. The sentence that scores best holds the fact for about
// half of them, and three hold it more often.
var asksForFact = regexp.MustCompile(`(?i)^\W*(?:(?:in|at|on|for|of|by|with|to|from|under|into|during|through)\s+)?` +
	`(?:which|what|who|whom|whose|when|where|how\s+(?:many|much|long|often|old|large))\b`)

// between returns the one sentence that two chosen ones of a passage enclose: three in a row read better
// than two with a hole.
func (r *reading) between(chosen []int) (int, bool) {
	if len(chosen) != 2 {
		return 0, false
	}
	first, last := min(chosen[0], chosen[1]), max(chosen[0], chosen[1])
	if last != first+2 || r.sentences[first].page != r.sentences[last].page {
		return 0, false
	}
	return first + 1, r.sentences[first+1].quotable
}

// ranking orders the sentences that can be shown by score, then by passage, then by place. The sort is
// stable and the sentences are already in the latter order.
func (r *reading) ranking(scores []float64) []int {
	var order []int
	for i, s := range r.sentences {
		if s.quotable {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case scores[a] > scores[b]:
			return -1
		case scores[a] < scores[b]:
			return 1
		}
		return 0
	})
	return order
}

func (r *reading) repeats(next int, chosen []int) bool {
	return slices.ContainsFunc(chosen, func(taken int) bool {
		return r.sentences[next].weight.dot(r.sentences[taken].weight) > redundant
	})
}

// shownWords returns how many words a sentence and what it brings with it add to an answer.
func (r *reading) shownWords(i int) int {
	q := r.quotation(i)
	words := countWords(r.pages[q.page].shown.Span(q.span))
	for _, l := range q.leads {
		words += countWords(l.Text)
	}
	return words
}

// quotation is one bullet before it has been compared with the disk.
type quotation struct {
	page  int // index into reading.pages
	first int // the sentences of the passage it spans, inclusive
	last  int
	span  passage.Span // of the passage's text
	leads []lead       // outermost first
}

// elided reports whether something between the leads and the quote is left out.
func (q quotation) elided() bool {
	if len(q.leads) == 0 {
		return false
	}
	last := q.leads[len(q.leads)-1]
	return last.sentence < q.first-1
}

// quotation returns a sentence with the lead it needs. A question brings the sentence after it.
func (r *reading) quotation(i int) quotation {
	s := r.sentences[i]
	from := &r.pages[s.page]
	q := quotation{page: s.page, first: s.order, last: s.order, span: s.span}
	if s.asks {
		q.last++
		q.span.End = from.spans[q.last].End
	} else if first, last, ok := from.brought(s.order); ok {
		q.first, q.last = first, last
		q.span = passage.Span{Start: from.spans[first].Start, End: from.spans[last].End}
	}
	q.leads = leadsOf(from, q.first)
	return q
}

// leadText returns the leads as they are written, one a line.
func (q quotation) leadText() string {
	texts := make([]string, len(q.leads))
	for i, l := range q.leads {
		texts[i] = l.Text
	}
	return strings.Join(texts, "\n")
}

// shownLead returns the leads as a reader sees them. A row that shows the names of its columns itself
// needs no header.
func (q quotation) shownLead(shown *passage.Rendering) string {
	text := ""
	for _, l := range q.leads {
		words := l.Words(shown.Passage().Format)
		switch {
		case l.Kind == passage.HeaderRow && shown.IsHeaded(q.span):
		case text == "":
			text = words
		case announces(text):
			text += " " + words
		default:
			text += " › " + words
		}
	}
	return text
}

// quotations turns the chosen sentences into bullets in their order. Neighbours in one passage become one
// bullet, in the order of the text, at the place of the better one; a sentence that another one brings
// with it is not repeated.
func (r *reading) quotations(chosen []int) []quotation {
	var bullets []quotation
	for _, i := range chosen {
		bullets = r.absorb(bullets, r.quotation(i))
	}
	return bullets
}

// absorb joins a quotation to the bullet it touches, or makes it the last bullet.
func (r *reading) absorb(bullets []quotation, q quotation) []quotation {
	for b := range bullets {
		if !r.join(&bullets[b], q) {
			continue
		}
		// The widened bullet may now touch the bullet on the other side.
		for other := b + 1; other < len(bullets); other++ {
			if r.join(&bullets[b], bullets[other]) {
				return slices.Delete(bullets, other, other+1)
			}
		}
		return bullets
	}
	return append(bullets, q)
}

// join widens a bullet by a quotation that overlaps it or is its neighbour, or reports that it is
// neither.
func (r *reading) join(bullet *quotation, q quotation) bool {
	earlier, later := *bullet, q
	if later.first < earlier.first {
		earlier, later = later, earlier
	}
	if earlier.page != later.page || later.first > earlier.last+1 {
		return false
	}
	if shown := r.pages[q.page].shown; later.first == earlier.last+1 {
		spans := r.pages[q.page].spans
		if !Adjoin(shown, spans[earlier.last], later.span) {
			return false
		}
	}
	earlier.last = max(earlier.last, later.last)
	earlier.span.End = max(earlier.span.End, later.span.End)
	*bullet = earlier
	return true
}

// topicAgain opens a sentence that goes on about a thing named before: "The certificate…".
var topicAgain = regexp.MustCompile(`(?i)^\W*(?:the|this|that|these|those)\s`)

// continuation returns the sentence after the given one if it goes on about the same thing and holds what
// the given one lacks: the figure asked for, or a further word of the question. A small base states a fact
// once, and often in two sentences: what the thing is, and then what was asked about it. With an encoder,
// sentences stay as they were measured.
func (r *reading) continuation(i int) (int, bool) {
	next := i + 1
	if r.encoded || next >= len(r.sentences) {
		return 0, false
	}
	s, after := &r.sentences[i], &r.sentences[next]
	if s.asks || after.asks || !after.quotable || after.page != s.page || after.order != s.order+1 ||
		!Adjoin(r.pages[s.page].shown, s.span, after.span) || !r.goesOn(s, after) {
		return 0, false
	}
	if r.wantsFigure(s.text) {
		return next, !r.wantsFigure(after.text)
	}
	return next, slices.ContainsFunc(contentWords(r.question), func(word string) bool {
		return slices.Contains(after.terms, word) && !slices.Contains(s.terms, word)
	})
}

// goesOn reports whether the sentence after s opens with a pronoun, or with a word that s and the question
// share.
func (r *reading) goesOn(s, after *sentence) bool {
	if pronoun.MatchString(after.text) {
		return true
	}
	if !topicAgain.MatchString(after.text) || len(after.terms) == 0 {
		return false
	}
	first := after.terms[0]
	return slices.Contains(r.terms, first) && slices.Contains(s.terms, first)
}

// lacksFigure reports whether none of the chosen sentences, with what they bring along, holds the figure
// asked for. It looks only if there are words alone to judge by.
func (r *reading) lacksFigure(chosen []int) bool {
	return !r.encoded && !slices.ContainsFunc(chosen, func(i int) bool {
		q := r.quotation(i)
		return !r.wantsFigure(q.leadText() + " " + r.pages[q.page].hit.Passage.Text[q.span.Start:q.span.End])
	})
}

// aimPattern matches sentences that say what a study set out to find: to a reader with the same question
// they only repeat it. English and Chinese; other languages are left alone.
var aimPattern = regexp.MustCompile(`(?i)^\W*(?:[a-z]{3,}:\s*)?to\s+(?:determine|assess|evaluate|investigate|examine|study|compare|explore|identify|test|describe|` +
	`analy[sz]e|clarify|establish|understand|develop|report|review|measure|quantify|estimate|characteri[sz]e|find\s+out|see\s+(?:if|whether))\b|` +
	`\b(?:aims?|objectives?|purpose|goal)\b[^.]{0,60}?\b(?:is|was|are|were)\s+to\b|` +
	`\b(?:this|the\s+(?:present|current))\s+(?:study|trial|paper|article|review|report|work|analysis)\s+(?:aim(?:s|ed)|was\s+designed|sought|` +
	`(?:examine|investigate|evaluate|assesse|explore|compare)[sd])\b|` +
	`\bwe\s+(?:(?:therefore|here|thus)\s+)?(?:aim(?:ed)?|sought|set\s+out|wanted|planned)\s+to\b|` +
	`\bwe\s+(?:investigated?|examined?|evaluated?|assess(?:ed)?|explored?|stud(?:y|ied)|test(?:ed)?|asked?|hypothesi[sz]ed?)\s+(?:whether|if|how|that)\b|` +
	`^\W*目的|旨在|(?:本文|本研究)(?:探讨|研究|目的)`)

// The patterns of a result: verbs that announce one, and the comparisons and negations in which results are
// written.
var (
	resultPattern     = regexp.MustCompile(`(?i)\b(?:found|show(?:s|ed|n)|demonstrat(?:es|ed)|reveal(?:s|ed)|conclude[sd]?|result(?:s|ed)\s+in)\b|结果|发现|表明|显示|证实`)
	comparisonPattern = regexp.MustCompile(`(?i)\b(?:significant(?:ly)?|correlat(?:es|ed)\s+(?:with|positively|negatively)|` +
		`(?:was|were|is|are)\s+(?:not\s+)?(?:\w+\s+)?(?:associated|related|correlated|predictive|effective|similar|comparable|superior|increased|decreased|reduced|` +
		`higher|lower|greater|better|worse|more|less|different)|` +
		`no\s+(?:\w+\s+)?(?:evidence|differences?|effect|association|correlation|relationship|impact|change)|` +
		`(?:did|does|do)\s+not|(?:more|less)\s+likely|improve[sd]|predict(?:s|ed))\b|\bp\s*[<=>]`)
)

// statesAim reports whether a sentence says what was to be found out, and nothing about what was.
func statesAim(text string) bool {
	return aimPattern.MatchString(text) && !resultPattern.MatchString(text)
}

// aimReach bounds how far a study's finding may score below its aim, which shares more words with the
// question. Measured on PubMedQA: of 400 leads 171 state an aim, and 80 of them bring a finding; the shown
// text holds .115 of the word pairs of the authors' conclusion instead of .109, and its F1 is unchanged.
// Showing the finding instead of the aim costs .02 of the lead's ROUGE-L, because conclusions repeat the
// aim's words.
const aimReach = .3

// finding returns the best sentence of the lead's document that states a result, if the lead states only
// an aim.
func (r *reading) finding(order []int, scores []float64) (int, bool) {
	lead := &r.sentences[order[0]]
	if !statesAim(lead.text) {
		return 0, false
	}
	study := r.pages[lead.page].hit.Passage
	at := slices.IndexFunc(order, func(i int) bool {
		s := &r.sentences[i]
		from := r.pages[s.page].hit.Passage
		return from.Source == study.Source && from.Document == study.Document && scores[i] >= scores[order[0]]-aimReach &&
			!aimPattern.MatchString(s.text) && (resultPattern.MatchString(s.text) || comparisonPattern.MatchString(s.text))
	})
	if at < 0 {
		return 0, false
	}
	return order[at], true
}

// wantsFigure reports whether the question asks for a figure that the text does not hold.
func (r *reading) wantsFigure(text string) bool {
	switch r.asks.Expected.Kind {
	case question.Quantity, question.Duration, question.Frequency:
		return r.asks.Expected.Fit(text) == 0
	}
	return false
}
