// Package extract answers a question with verbatim sentences of the sources, or with the stored answer to
// the same question. It uses no model and no network.
//
// Begin with [Offline]: it searches, cuts the passages found into sentences (reading.go), scores them
// (score.go), decides how sure an answer may be (confidence.go) and chooses what to show (choose.go), with
// what each quote needs to be understood (page.go). In a collection of common size it answers with whole places
// (place.go) instead, if these are sure to answer (placeconfidence.go). A quote that no longer stands on disk is dropped
// (disk.go). Stored questions are compared in stored.go and storedplaces.go.
package extract

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/par"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/question"
)

// Judge says what the sources lack for a question; sources names the ones to use, all if it is empty.
// [gap.Judge] implements it.
type Judge interface {
	Judge(ctx context.Context, library *knowledge.Library, question string, sources []string) (gap.Verdict, error)
}

// Offline answers with one to three verbatim sentences, or with the stored answer to the same question, or
// says that it has none. It uses no model and no network. Its zero value is ready; it is safe for
// concurrent use. Equal libraries and questions get equal results, except for timings.
type Offline struct {
	Judge  Judge  // nil: gaps are not named
	Amount Amount // empty means UpToThree
	// Rounds is how often an answer may search; from 2 on it searches for the gaps that the judge names.
	Rounds int
	// NoAbstain answers from whatever is nearest, however far and whatever the judge says: to measure
	// the reader by itself, and for a user who wants to see it anyway.
	NoAbstain bool

	disk  diskCache
	types questionTypeCache
}

// silentFrom is the judge's probability of a missing topic from which on nothing is said, however well the
// sentences fit: in the judge's measurements one covered question in fifty gets there.
const silentFrom = .9

// Answer implements [answer.Strategy].
func (o *Offline) Answer(ctx context.Context, library *knowledge.Library, question answer.Question) (answer.Result, error) {
	result := answer.Result{Question: question, System: answer.OfflineID, State: answer.Nothing}
	watch := startWatch()
	err := o.answer(ctx, library, &result, watch)
	result.Timings = watch.stop()
	if ctx.Err() != nil {
		return answer.Result{}, fmt.Errorf("answer offline: %w", ctx.Err())
	}
	if err != nil {
		result.Reason, result.Failure = answer.ToolFailure, err
	}
	return result, nil
}

// Stands reports whether the bytes of a span of a passage still stand on disk where the passage says. It
// reads a file again only when its size or time has changed.
func (o *Offline) Stands(library *knowledge.Library, p *passage.Passage, span passage.Span) bool {
	text, ok := o.disk.read(library, p, p.Place)
	return ok && span.End <= len(text) && text[span.Start:span.End] == p.Text[span.Start:span.End]
}

// answer is the whole strategy: search, read and judge, compose.
func (o *Offline) answer(ctx context.Context, library *knowledge.Library, result *answer.Result, watch *watch) error {
	asked := newInquiry(result.Question.Text)
	question := result.Question
	question.Text = asked.gist
	if status := library.Status(); status.Passages+status.Pairs == 0 {
		result.Reason, result.MissingProbability = answer.NoSources, 1
		return nil
	}
	c, err := o.consult(ctx, library, question, asked, watch)
	if err != nil {
		return err
	}
	if err := o.fillGaps(ctx, library, result, &c, question); err != nil {
		return err
	}
	opinion, verdict := c.opinion, c.verdict
	opinion.apply(question, verdict)
	if o.Judge != nil && verdict.Probability < coveredUnder && opinion.isOnSubject() {
		opinion.state = answer.Nearest
	}
	if o.NoAbstain && len(opinion.scores) > 0 {
		opinion.state = answer.Answered
	}
	result.Gaps, result.MissingProbability = verdict.Gaps, verdict.Probability
	if o.Judge == nil {
		result.MissingProbability = 1 - opinion.confidence
	}
	o.compose(library, result, c, opinion)
	if result.State == answer.Nothing && asked.letter {
		if err := o.showWhatIsTold(ctx, library, result, asked); err != nil {
			return err
		}
	}
	o.answerByFAQ(library, result, c)
	result.Evidence = evidence(c.asked, c.found)
	if err := o.chooseOption(ctx, library, result); err != nil {
		return err
	}
	if result.State == answer.Nothing {
		result.Reason = reason(library, question.Text, verdict, result.Dropped)
	}
	watch.lap(&watch.Read)
	return nil
}

// consultation holds everything the library says about a question.
type consultation struct {
	found   retrieval
	asked   storedMatch
	opinion opinion // before the verdict is heeded
	verdict gap.Verdict
}

// consult searches and reads, and judges concurrently. The time of judging is what it takes longer than
// the rest.
func (o *Offline) consult(ctx context.Context, library *knowledge.Library, question answer.Question, asked inquiry, watch *watch) (c consultation, err error) {
	var unjudged error
	par.Do(
		func() {
			c.found, err = retrieve(ctx, library, question, asked)
			watch.lap(&watch.Retrieve)
			if err == nil {
				c.asked = matchStored(library, asked, c.found.pairs, o.types.of(library))
				c.opinion = readAll(library, question, c.found)
			}
			watch.lap(&watch.Read)
		},
		func() {
			if o.Judge != nil {
				c.verdict, unjudged = o.Judge.Judge(ctx, library, question.Text, question.Sources)
			}
		},
	)
	watch.lap(&watch.Judge)
	return c, cmp.Or(err, unjudged)
}

// fillGaps searches for the gaps of the verdict and reads what is new as well, if [Offline.Rounds] allows it. A gap that
// a passage fills is Retrieved. One round is enough: the judge knows the whole library, so that its gaps would be the
// same after it.
func (o *Offline) fillGaps(ctx context.Context, library *knowledge.Library, result *answer.Result, c *consultation, question answer.Question) error {
	round := answer.Round{}
	for _, g := range c.verdict.Gaps {
		if gap.Missing(g.Probability) && g.Query != "" {
			round.Missing, round.Queries = append(round.Missing, g.Text), append(round.Queries, g.Query)
		}
	}
	if o.Rounds < 2 || len(round.Queries) == 0 {
		return nil
	}
	further := question
	further.Queries = slices.Concat(question.Queries, round.Queries)
	found, err := retrieve(ctx, library, further, c.asked.asked)
	if err != nil {
		return err
	}
	known := make(map[passage.ID]bool)
	for _, hit := range slices.Concat(c.found.texts...) {
		known[hit.Passage.ID] = true
	}
	for _, hit := range slices.Concat(found.texts...) {
		if p := hit.Passage; !known[p.ID] {
			round.Found = append(round.Found, p.ID)
			c.verdict = filledBy(c.verdict, p)
		}
	}
	switch {
	case len(round.Found) == 0:
		round.End = answer.EndNothingNew
	case gap.Missing(answer.MissingProbability(c.verdict.Gaps)):
		round.End = answer.EndRepeated
	default:
		round.End = answer.EndComplete
	}
	if len(round.Found) > 0 {
		c.found, c.opinion = found, readAll(library, further, found)
	}
	result.Rounds = []answer.Round{round}
	return nil
}

// filledBy returns a verdict without what a passage has after all: its gaps are Retrieved.
func filledBy(v gap.Verdict, p *passage.Passage) gap.Verdict {
	v.Gaps = slices.Clone(v.Gaps)
	filled := false
	for i := range v.Gaps {
		g := &v.Gaps[i]
		if g.Status == gap.Retrieved || !g.Fills(p) {
			continue
		}
		filled = true
		g.Status, g.Evidence = gap.Retrieved, append(slices.Clone(g.Evidence), p.ID)
		switch g.Code {
		case gap.MissingTopic:
			v.Topic, v.OffTopic = 0, false
		case gap.MissingAspect:
			v.Aspect = 0
		}
	}
	if filled {
		v.Probability = answer.MissingProbability(v.Gaps)
	}
	return v
}

// opinion is the result of reading the passages.
type opinion struct {
	*reading
	scores     []float64
	confidence float64 // that the best sentence comes from a passage that answers
	state      answer.State
	// holdsAll says that the answer is sure and its best sentence, with title and headings, holds
	// every content word of the question; only such a sentence is shown below a stored answer.
	holdsAll bool
}

// readAll reads the passages found.
func readAll(library *knowledge.Library, question answer.Question, found retrieval) opinion {
	collection := library.Collection(passage.Text)
	if collection == nil {
		return opinion{state: answer.Nothing}
	}
	o := opinion{reading: read(question.Text, collection, found.texts...), state: answer.Nothing}
	o.scores = o.reading.scores()
	best := o.choose(o.scores, LeadOnly)
	if len(best) == 0 {
		return o
	}
	asked := append([]string{question.Text}, question.Queries...)
	for i, hits := range found.texts {
		o.confidence = max(o.confidence, o.reading.confidence(asked[i], hits, best[0]))
	}
	return o
}

// apply decides how far an answer may go: nowhere if the subject is missing, and not all the way if
// anything is.
func (o *opinion) apply(question answer.Question, verdict gap.Verdict) {
	if o.reading == nil {
		return
	}
	best := o.choose(o.scores, LeadOnly)
	// A further query is the person's own word that there is more to find.
	if len(best) == 0 || len(question.Queries) == 0 && (verdict.Topic >= silentFrom || verdict.OffTopic) {
		return
	}
	o.state = stateOf(o.confidence)
	if o.state == answer.Answered && (gap.Missing(verdict.Probability) || !o.isOnPage(best[0])) {
		o.state = answer.Nearest
	}
	o.holdsAll = o.state == answer.Answered && o.coverages(contentWords(question.Text), best[0]).lead > .999
}

// isOnSubject reports for an opinion without an answer whether its best sentence is on the subject all the
// same, by words alone.
func (o opinion) isOnSubject() bool {
	if o.state != answer.Nothing || o.reading == nil || o.encoded {
		return false
	}
	best := o.choose(o.scores, LeadOnly)
	return len(best) > 0 && o.leadIsOnSubject(best[0])
}

// compose fills in what is said: a stored answer, or else sentences of the passages.
func (o *Offline) compose(library *knowledge.Library, result *answer.Result, c consultation, text opinion) {
	asked := c.asked
	result.Related = asked.related
	if asked.serves() {
		o.quote(library, result, asked.reading, asked.excerpt(o.Amount))
	}
	switch {
	case len(result.Statements) > 0:
		result.State = answer.Answered
		result.Stored = &answer.Stored{Passage: asked.pair.Passage, Date: asked.pair.Passage.Date}
		// The question has been answered before, so nothing of it is missing.
		result.Gaps, result.MissingProbability = nil, min(result.MissingProbability, 1-asked.confidence)
		if text.holdsAll {
			o.confirm(library, result, text)
		}
	case o.weighsPlaces(library):
		o.answerByPlaces(library, result, c)
	case text.state == answer.Answered:
		chosen := text.choose(text.scores, o.Amount)
		if !text.lacksFigure(chosen) && (o.NoAbstain || text.encoded || text.standsInPlace(cmp.Or(asked.asked.gist, result.Question.Text), library, c.found, chosen[0])) {
			o.quote(library, result, text.reading, chosen)
		}
		if len(result.Statements) > 0 {
			result.State = answer.Answered
		}
	}
	if len(result.Statements) == 0 {
		if o.weighsPlaces(library) {
			text.state = answer.Nothing // its sentence is no answer
		}
		o.showPlaces(library, result, cmp.Or(asked.asked.gist, result.Question.Text), c.found, text.lead(), c.verdict.OffTopic || !knowsAnything(library, result.Question.Text))
		o.showStored(library, result, asked)
	}
	result.Disagree = Disagree(question.Read(result.Question.Text), result.Statements, result.Citations)
}

// confirm adds the best sentence of the passages below a stored answer that does not say it yet.
func (o *Offline) confirm(library *knowledge.Library, result *answer.Result, text opinion) {
	lead := text.choose(text.scores, LeadOnly)
	if !covered(result.Statements, text.sentences[lead[0]].plain) {
		o.quote(library, result, text.reading, lead)
	}
}

// covered reports whether the statements already hold most of the words.
func covered(statements []answer.Statement, words []string) bool {
	held := make(map[string]bool)
	for _, s := range statements {
		for _, word := range lexical.Words(s.Text) {
			held[word] = true
		}
	}
	repeated := 0
	for _, word := range words {
		if held[word] {
			repeated++
		}
	}
	return float64(repeated) > redundant*float64(len(words))
}

// quote adds the chosen sentences as statements, each with a citation of its own.
func (o *Offline) quote(library *knowledge.Library, result *answer.Result, r *reading, chosen []int) {
	result.Statements = append(result.Statements, o.statements(library, result, r, r.quotations(chosen))...)
}

// statements returns quotations as statements, and adds their citations to the result.
func (o *Offline) statements(library *knowledge.Library, result *answer.Result, r *reading, quoted []quotation) []answer.Statement {
	var all []answer.Statement
	for _, q := range quoted {
		if s, ok := o.statement(library, result, &r.pages[q.page], q); ok {
			all = append(all, s)
		}
	}
	return all
}

// statement returns a quotation of a page as a statement, and adds its citation to the result. A quote that no
// longer stands on disk is counted, and false returned.
func (o *Offline) statement(library *knowledge.Library, result *answer.Result, page *page, q quotation) (answer.Statement, bool) {
	from := page.hit.Passage
	if !o.Stands(library, from, q.span) || !o.leadsStand(library, from, q.leads) {
		result.Dropped++
		return answer.Statement{}, false
	}
	n := len(result.Citations) + 1
	text := from.Text[q.span.Start:q.span.End]
	result.Citations = append(result.Citations, answer.Citation{N: n, Passage: from, Span: q.span, Quote: text})
	return answer.Statement{
		Lead: q.leadText(), Elided: q.elided(), Text: text, Citations: []int{n},
		Shown: page.shown.Span(q.span), ShownLead: q.shownLead(page.shown),
	}, true
}

// leadsStand reports whether leads stand on disk as they were indexed.
func (o *Offline) leadsStand(library *knowledge.Library, p *passage.Passage, leads []lead) bool {
	for _, l := range leads {
		at := p.Place
		at.Span = l.Span
		if within := (passage.Span{Start: l.Span.Start - p.Place.Span.Start, End: l.Span.End - p.Place.Span.Start}); within.Start >= 0 && within.End <= len(p.Text) {
			if !o.Stands(library, p, within) {
				return false
			}
			continue
		}
		if text, ok := o.disk.read(library, p, at); !ok || text != l.Text {
			return false
		}
	}
	return true
}

// reason says why nothing is said.
func reason(library *knowledge.Library, question string, verdict gap.Verdict, dropped int) answer.Reason {
	switch {
	case dropped > 0:
		return answer.ToolFailure
	case verdict.OffTopic || !knowsAnything(library, question):
		return answer.OffTopic
	case len(verdict.Gaps) == 0:
		return answer.Weak
	case verdict.Gaps[0].Code == gap.MissingAspect:
		return answer.NoAspect
	}
	return answer.NoTopic
}

// knowsAnything reports whether a content word of the question occurs in the sources.
func knowsAnything(library *knowledge.Library, question string) bool {
	for _, kind := range []passage.Kind{passage.Text, passage.QA} {
		collection := library.Collection(kind)
		if collection == nil {
			continue
		}
		for _, word := range contentWords(question) {
			if collection.DocFreq(word) > 0 {
				return true
			}
		}
	}
	return false
}

// watch measures the stages of one answer.
type watch struct {
	answer.Timings
	started, last time.Time
}

func startWatch() *watch {
	now := time.Now()
	return &watch{started: now, last: now}
}

func (w *watch) lap(stage *time.Duration) {
	now := time.Now()
	*stage, w.last = *stage+now.Sub(w.last), now
}

func (w *watch) stop() answer.Timings {
	w.Total = time.Since(w.started)
	return w.Timings
}

// How much is retrieved for one question.
const (
	readHits   = 10 // of each list; the weights of the reader were fitted with ten
	storedHits = 20 // stored questions: one may be served, others are related or near
)

// retrieval holds the passages and stored questions near a question.
type retrieval struct {
	texts [][]knowledge.Hit // the question's own list first, then one of each further query
	pairs []knowledge.Hit
}

// retrieve searches running text and stored questions separately, then running text again for each further
// query. A passage that is found again stays where it was found first.
func retrieve(ctx context.Context, library *knowledge.Library, question answer.Question, asked inquiry) (retrieval, error) {
	var f retrieval
	var texts knowledge.Deduplicator
	queries := append([]string{question.Text}, question.Queries[:min(answer.MaxQueries, len(question.Queries))]...)
	for _, query := range queries {
		hits, err := library.Search(ctx, knowledge.Query{
			Text: query, K: readHits, Sources: question.Sources, Kind: passage.Text,
		})
		if err != nil {
			return retrieval{}, fmt.Errorf("search %q: %w", query, err)
		}
		fresh := hits[:0:0]
		for _, hit := range hits {
			if texts.Add(hit.Passage, lexical.Terms(query)) {
				fresh = append(fresh, hit)
			}
		}
		f.texts = append(f.texts, fresh)
	}
	pairs, err := library.Search(ctx, knowledge.Query{
		Text: asked.text, K: storedHits, Sources: question.Sources, Kind: passage.QA,
	})
	if err != nil {
		return retrieval{}, fmt.Errorf("search stored questions: %w", err)
	}
	f.pairs = pairs
	return f, nil
}

// evidence lists and ranks what an answer was made from: the stored question that answers, the passages
// read, the related stored questions.
func evidence(a storedMatch, f retrieval) []knowledge.Hit {
	var all []knowledge.Hit
	if a.serves() {
		all = append(all, *a.pair)
	}
	for _, hits := range f.texts {
		all = append(all, hits...)
	}
	all = append(all, a.related...)
	for i := range all {
		all[i].Rank = i + 1
	}
	return all
}

// Disagree reports whether, for a yes-or-no question, a statement of one document negates and one of
// another does not. A verdict from that would be no better than always "yes" (measured), so the answer
// says so and the user decides.
func Disagree(asks question.Reading, statements []answer.Statement, citations []answer.Citation) bool {
	if asks.Expected.Kind != question.YesNo {
		return false
	}
	denying, affirming := make(map[string]bool), make(map[string]bool)
	for _, s := range statements {
		from := citations[s.Citations[0]-1].Passage
		document := from.Source + "\x00" + from.Document
		if negates(s.Text) {
			denying[document] = true
		} else {
			affirming[document] = true
		}
	}
	for document := range denying {
		for other := range affirming {
			if document != other {
				return true
			}
		}
	}
	return false
}

// lead returns the sentence that an answer would open with.
func (o *opinion) lead() citedSpan {
	if o.state != answer.Answered {
		return citedSpan{}
	}
	s := &o.sentences[o.choose(o.scores, LeadOnly)[0]]
	return citedSpan{o.pages[s.page].hit.Passage, s.span}
}

// opening returns the sentence that an answer of sentences would open with, however sure it is.
func (o *opinion) opening() citedSpan {
	if o.reading == nil {
		return citedSpan{}
	}
	best := o.choose(o.scores, LeadOnly)
	if len(best) == 0 {
		return citedSpan{}
	}
	s := &o.sentences[best[0]]
	return citedSpan{o.pages[s.page].hit.Passage, s.span}
}

// showPlaces makes the places that come nearest what is asked the result; that of the sentence first, which was
// nearly an answer, opens them. If the question seems far from the sources, they are those that say what it is about.
func (o *Offline) showPlaces(library *knowledge.Library, result *answer.Result, asked string, found retrieval, first citedSpan, far bool) {
	collection := library.Collection(passage.Text)
	if collection == nil {
		return
	}
	r := newPlacing(asked, collection, found.texts...)
	r.first = first
	result.Nearest = o.placeStatements(library, result, r, slices.DeleteFunc(r.choose(), func(p place) bool { return far && !r.isNear(p) }))
	if len(result.Nearest) > 0 {
		result.State = answer.Nearest
	}
}

// showWhatIsTold shows places near all that a letter says, for one whose question by itself is near nothing: "Would
// you take them back?" says nothing of the mugs, and which of the account's words it means cannot always be told.
func (o *Offline) showWhatIsTold(ctx context.Context, library *knowledge.Library, result *answer.Result, asked inquiry) error {
	whole := result.Question
	whole.Text = asked.told()
	found, err := retrieve(ctx, library, whole, asked)
	if err != nil {
		return err
	}
	o.showPlaces(library, result, whole.Text, found, citedSpan{}, true)
	return nil
}

// standsInPlace reports whether a sentence stands in the place that comes first for what is asked, or in the
// page of a thing that is surely named, or holds all that is asked. Sentences
// and places are chosen by different weights; where they disagree, neither is an answer: on eight bases of
// strangers the sentences shown were right for 15 of 26 answers on which they agree, and for 4 of the other 13.
func (o *opinion) standsInPlace(asked string, library *knowledge.Library, found retrieval, sentence int) bool {
	s := &o.sentences[sentence]
	if o.holdsAll || o.pages[s.page].own {
		return true
	}
	r := newPlacing(asked, library.Collection(passage.Text), found.texts...)
	best, ok := r.top()
	if !ok {
		return true
	}
	at := r.span(best)
	return r.pages[best.page].hit.Passage == o.pages[s.page].hit.Passage && at.Start < s.span.End && s.span.Start < at.End
}

// placeStatements returns places as statements, and adds their citations to the result.
func (o *Offline) placeStatements(library *knowledge.Library, result *answer.Result, r *placing, places []place) []answer.Statement {
	var all []answer.Statement
	for _, p := range places {
		from := &r.pages[p.page]
		q := quotation{page: p.page, first: p.first, last: p.last, span: r.span(p), leads: leadsOf(&from.page, p.first)}
		if s, ok := o.statement(library, result, &from.page, q); ok {
			best := from.spans[p.best]
			s.Best = from.hit.Passage.Text[best.Start:best.End]
			all = append(all, s)
		}
	}
	return all
}
