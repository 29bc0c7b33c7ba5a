package rerank

import (
	"math"
	"slices"
	"strings"

	"lacuna/knowledge/passage"
	"lacuna/knowledge/question"
	"lacuna/vecmath"
)

// Features returns a row for each candidate, with a column for each of [Names].
func Features(q *Query, list []Candidate) [][]float64 {
	if len(list) == 0 {
		return nil
	}
	best, bestBM25 := list[0].Score, 0.0
	for _, c := range list {
		best, bestBM25 = max(best, c.Score), max(bestBM25, c.BM25)
	}
	q.cutTopic(list)
	fits := q.fits(list)
	readings := make([]reading, len(list))
	for i, c := range list {
		readings[i] = q.read(i, c, best, bestBM25)
	}
	q.compareSpelling(readings, list)
	for i, fit := range fits {
		row := readings[i].row
		row[at["fit"]], row[at["fit_related"]], row[at["fit_narrow"]] = fit, fit*row[at["related"]], fit*row[at["narrow_above"]]
	}
	q.compare(readings, list)
	rows := make([][]float64, len(list))
	for i := range rows {
		rows[i] = readings[i].row
	}
	return standardised(rows)
}

// read measures one candidate.
func (q *Query) read(rank int, c Candidate, best, bestBM25 float64) reading {
	r := reading{row: make([]float64, len(names), 2*len(names)), document: c.Passage.Source + "\x00" + c.Passage.Document}
	set := func(name string, value float64) { r.row[at[name]] = value }
	n := len(q.words)
	set("score", ratio(c.Score, best))
	set("rank", 1/float64(rank+1))
	set("bm25", ratio(c.BM25, bestBM25))
	set("bm25_weight", ratio(c.BM25, q.weight))
	set("cosine", c.Cosine)
	set("maxsim", c.MaxSim)
	set("window", c.Window)

	p := c.Passage
	title := q.analysed(p.Title)
	var headings []uint32
	for _, h := range p.Headings {
		headings = append(headings, q.analysed(h)...)
	}
	last := q.analysed(p.Section)
	body := c.Terms[min(len(title)+len(headings), len(c.Terms)):]
	inTitle, inHeadings, inLast, inBody, inLead := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	q.cover(inTitle, title)
	for _, also := range p.Also {
		q.cover(inTitle, q.analysed(also))
	}
	q.cover(inHeadings, headings)
	q.cover(inLast, last)
	q.cover(inBody, body)
	q.cover(inLead, body[:min(15, len(body))])
	r.all = make([]float64, n)
	above := make([]float64, n)
	held, rest, restHeading, restBody, total := 0.0, 0.0, 0.0, 0.0, 0.0
	for i, w := range q.words {
		above[i] = max(inTitle[i], inHeadings[i])
		r.all[i] = max(above[i], inBody[i])
		if r.all[i] == 1 {
			held += w.Weight
		}
		if inTitle[i] < sameWord {
			total += w.Weight
			rest += w.Weight * max(inHeadings[i], inBody[i])
			restHeading += w.Weight * inHeadings[i]
			restBody += w.Weight * inBody[i]
		}
	}
	set("held", ratio(held, q.weight))
	set("related", q.share(r.all))
	set("title", q.share(inTitle))
	set("title_whole", q.whole(title))
	set("headings", q.share(inHeadings))
	set("heading", q.share(inLast))
	set("heading_whole", q.whole(last))
	set("above", q.share(above))
	set("body", q.share(inBody))
	set("lead", q.share(inLead))
	if total > 0 {
		set("rest", rest/total)
		set("rest_heading", restHeading/total)
		set("rest_body", restBody/total)
	} else {
		set("rest", 1)
	}
	if n > 0 {
		set("rarest_related", r.all[q.rarest])
	}
	q.measureNear(set, c, r.all)
	q.measurePlaces(set, body, above)
	q.measureSpelling(set, p)
	q.measureSubject(set, p, inTitle, above, r.all)
	set("length", math.Log1p(float64(len(c.Terms))))
	set("length_mean", ratio(float64(len(c.Terms)), q.base.MeanLength))
	q.measureBlocks(set, p)
	strange := 0.0
	for _, number := range slices.Concat(title, headings) {
		if q.asks(number) == 0 {
			strange += q.base.IDF(q.base.Vocabulary[number])
		}
	}
	set("above_strange", math.Log1p(strange))
	q.measureAspect(set, p, title)
	set("terms", float64(n))
	set("texts", math.Log(float64(q.base.N)))
	return r
}

// measureNear measures how near the words of the text are to each term of the query.
func (q *Query) measureNear(set func(string, float64), c Candidate, held []float64) {
	if len(q.words) == 0 {
		return
	}
	near := slices.Clone(held)
	if q.base.Near != nil {
		for i, cosine := range q.base.Near(c.Terms) {
			near[i] = max(near[i], float64(cosine))
		}
	}
	set("near", q.share(near))
	set("near_least", slices.Min(near))
	set("near_rarest", near[q.rarest])
}

// Distances within which two terms of a query stand together in a text, and what the pair counts.
var together = []struct {
	within int
	counts float64
}{{2, 1}, {6, .5}, {15, .2}}

// narrowest is the number of words of the part of a text that is looked for by itself.
const narrowest = 20

// measurePlaces measures where the terms of the query stand in the text.
func (q *Query) measurePlaces(set func(string, float64), body []uint32, above []float64) {
	set("narrow_above", q.share(above))
	type hit struct {
		place, word int
		strength    float64
	}
	var hits []hit
	for place, number := range body {
		for _, k := range q.kin[number] {
			if k.strength > 0 {
				hits = append(hits, hit{place, k.word, k.strength})
			}
		}
	}
	set("first_place", 1)
	if len(hits) == 0 {
		return
	}
	set("first_place", float64(hits[0].place)/float64(len(body)))
	bestPair := make([]float64, max(0, len(q.words)-1)) // of neighbours in the query
	widest, widestBelow, missing := 0.0, 0.0, q.share(above)
	seen := make([]int, len(q.words)) // hit after which a term was counted last, plus one
	for i, from := range hits {
		sum, below := 0.0, 0.0
		for _, to := range hits[i:] {
			distance := to.place - from.place
			if distance >= narrowest {
				break
			}
			if seen[to.word] != i+1 {
				seen[to.word] = i + 1
				sum += to.strength * q.words[to.word].Weight
				below += max(0, to.strength-above[to.word]) * q.words[to.word].Weight
			}
			if pair := min(from.word, to.word); to.word-from.word == 1 || from.word-to.word == 1 {
				for _, t := range together {
					if distance <= t.within {
						bestPair[pair] = max(bestPair[pair], t.counts)
						break
					}
				}
			}
		}
		widest, widestBelow = max(widest, sum), max(widestBelow, below)
	}
	set("narrow", ratio(widest, q.weight))
	set("narrow_above", missing+ratio(widestBelow, q.weight))
	pairs, weight := 0.0, 0.0
	for i, counts := range bestPair {
		w := min(q.words[i].Weight, q.words[i+1].Weight)
		pairs += counts * w
		weight += w
	}
	set("pairs", ratio(pairs, weight))
}

// measureBlocks measures what kinds of parts the text has, and whether they fit what is asked for.
func (q *Query) measureBlocks(set func(string, float64), p *passage.Passage) {
	size := float64(max(1, len(p.Text)))
	items, rows, code := 0.0, 0.0, 0.0
	for _, b := range p.Blocks {
		switch b.Kind {
		case passage.Item:
			items += float64(b.Len())
		case passage.Row, passage.HeaderRow:
			rows += float64(b.Len())
		case passage.Code:
			code += float64(b.Len())
		}
	}
	set("items", items/size)
	set("rows", rows/size)
	set("code", code/size)
	figures := 0
	for i := range len(p.Text) {
		if c := p.Text[i]; c >= '0' && c <= '9' && (i == 0 || p.Text[i-1] < '0' || p.Text[i-1] > '9') {
			figures++
		}
	}
	density := math.Log1p(float64(figures))
	set("figures", density)
	if q.asksFigure() {
		set("figures_asked", density)
	} else {
		set("figures_asked", -1)
	}
	set("steps_asked", -1)
	if kind := q.reading.Expected.Kind; kind == question.Steps || kind == question.List || kind == question.Command {
		set("steps_asked", (items+code)/size)
	}
	if strings.HasSuffix(p.Section, "?") || strings.HasSuffix(p.Section, "？") {
		set("heading_asks", 1)
	}
}

// asksFigure reports whether an answer has a figure.
func (q *Query) asksFigure() bool {
	switch q.reading.Expected.Kind {
	case question.Quantity, question.Duration, question.Frequency, question.Date:
		return true
	}
	return false
}

// aspectsOf returns the aspects that a heading names.
func (q *Query) aspectsOf(heading string) []question.Aspect {
	aspects, seen := q.aspects[heading]
	if !seen {
		aspects = question.AspectsOf(heading)
		q.aspects[heading] = aspects
	}
	return aspects
}

// fit returns how well the aspects of a heading are those that the question asks for: 1 for the one meant.
func (q *Query) fit(heading string) float64 {
	best := 0.0
	for i, own := range q.aspectsOf(heading) {
		for j, asked := range q.reading.Aspects {
			if own == asked {
				best = max(best, 1/float64(1+i+j))
			}
		}
	}
	return best
}

// topicDepth is the number of candidates whose title may be what the question is about.
const topicDepth = 10

// cutTopic reads the question again without the longest title of the first candidates that stands in it: "X,
// autosomal dominant" does not ask for inheritance.
func (q *Query) cutTopic(list []Candidate) {
	text, topic := strings.ToLower(q.reading.Text), ""
	for _, c := range list[:min(topicDepth, len(list))] {
		if t := c.Passage.Title; len(t) > len(topic) && strings.Contains(text, strings.ToLower(t)) {
			topic = t
		}
	}
	if topic != "" {
		q.reading = q.reading.Without(topic)
	}
}

// measureAspect measures whether the passage stands under the side of its subject that is asked for.
func (q *Query) measureAspect(set func(string, float64), p *passage.Passage, title []uint32) {
	gate := 0.0
	if len(title) > 0 && q.whole(title) >= .99 {
		gate = 1
	}
	set("gate", gate)
	set("heading_gate", gate*q.whole(q.analysed(p.Section)))
	names := 0.0
	for _, name := range p.Names() {
		if numbers := q.analysed(name); len(numbers) > 0 && q.whole(numbers) >= .99 {
			names = max(names, float64(len(numbers)))
		}
	}
	set("names", names)
	if len(q.reading.Conditions) > 0 {
		held := 0.0
		above := strings.ToLower(p.Above())
		for _, c := range q.reading.Conditions {
			if strings.Contains(above, strings.ToLower(q.reading.Text[c.Start:c.End])) {
				held++
			}
		}
		set("conditions", held)
	}
	if q.reading.Aspect == "" {
		set("aspect", -1)
		return
	}
	own := q.fit(p.Section)
	set("aspect", own)
	set("aspect_gate", gate*own)
	if gate == 1 && len(p.Headings) == 0 {
		set("text_aspect", question.TextAspects(p.Text, p.Title)[q.reading.Aspect])
	}
	above := 0.0
	for _, h := range p.Headings {
		above = max(above, q.fit(h))
	}
	set("aspect_above", above)
	set("aspect_title", q.fit(p.Title))
	if own == 0 && len(q.aspectsOf(p.Section)) > 0 {
		set("aspect_other", 1)
	}
}

// compare measures what the list says of each candidate: the first ones, those that are alike, and
// those of the same page.
func (q *Query) compare(readings []reading, list []Candidate) {
	set := func(i int, name string, value float64) { readings[i].row[at[name]] = value }
	score := func(i int) float64 { return readings[i].row[at["score"]] }
	pages := make(map[string][]int)
	places := make(map[int]int)
	for i, r := range readings {
		pages[r.document] = append(pages[r.document], i)
		places[list[i].Ordinal] = i
	}
	total := 0.0
	for i := range list {
		total += score(i)
	}
	for _, own := range pages {
		held := make([]float64, len(q.words))
		sum := 0.0
		for _, i := range own {
			sum += score(i)
			for t, s := range readings[i].all {
				held[t] = max(held[t], s)
			}
		}
		for nth, i := range own {
			set(i, "page_count", math.Log1p(float64(len(own))))
			set(i, "page_score", score(own[0]))
			set(i, "page_rank", 1/float64(nth+1))
			set(i, "page_held", q.share(held))
			set(i, "page_share", ratio(sum, total))
		}
	}
	for i, c := range list {
		beside := 0.0
		for _, ordinal := range []int{c.Ordinal - 1, c.Ordinal + 1} {
			if j, listed := places[ordinal]; listed && readings[j].document == readings[i].document {
				beside = max(beside, score(j))
			}
		}
		set(i, "beside", beside)
		set(i, "place", math.Log1p(float64(c.Passage.Place.Span.Start)))
	}
	q.compareVectors(readings, list)
	q.feedback(readings, list)
}

const (
	leaders  = 5 // candidates whose centre the others are compared with
	mostNear = 5
)

// compareVectors measures how near each candidate is to the first ones, and how good those nearest to it are.
func (q *Query) compareVectors(readings []reading, list []Candidate) {
	if list[0].Vector == nil {
		return
	}
	centre := make([]float32, len(list[0].Vector))
	for i := range min(leaders, len(list)) {
		if v := list[i].Vector; v != nil {
			vecmath.AddScaled(centre, v, 1-float32(i)/8)
		}
	}
	if length := vecmath.Norm(centre); length > 0 {
		vecmath.Scale(centre, 1/length)
	}
	best := make([]nearest, len(list))
	for i, c := range list {
		if c.Vector == nil {
			continue
		}
		readings[i].row[at["centroid"]] = float64(vecmath.Dot(centre, c.Vector))
		for j := i + 1; j < len(list); j++ {
			if list[j].Vector != nil {
				cosine := vecmath.Dot(c.Vector, list[j].Vector)
				best[i].add(cosine, j)
				best[j].add(cosine, i)
			}
		}
	}
	for i, near := range best {
		score, cosine := 0.0, 0.0
		for k := range near.n {
			score += readings[near.places[k]].row[at["score"]]
			cosine += float64(near.cosines[k])
		}
		readings[i].row[at["alike_score"]] = ratio(score, float64(near.n))
		readings[i].row[at["alike"]] = ratio(cosine, float64(near.n))
	}
}

// nearest holds the candidates that are most like one, best first, of equal ones the first.
type nearest struct {
	n       int
	cosines [mostNear]float32
	places  [mostNear]int
}

// add adds a candidate if it is among the nearest. Candidates come in order.
func (b *nearest) add(cosine float32, place int) {
	if b.n == mostNear && cosine <= b.cosines[mostNear-1] {
		return
	}
	b.n = min(b.n+1, mostNear)
	k := b.n - 1
	for ; k > 0 && cosine > b.cosines[k-1]; k-- {
		b.cosines[k], b.places[k] = b.cosines[k-1], b.places[k-1]
	}
	b.cosines[k], b.places[k] = cosine, place
}

const (
	fed       = 10 // candidates that words are taken from
	mostWords = 20 // that are taken
)

// feedback measures how much of what the first candidates say, besides the words of the query, each one says.
func (q *Query) feedback(readings []reading, list []Candidate) {
	mass := make(map[uint32]float64)
	total := 0.0
	for i := range min(fed, len(list)) {
		total += math.Exp(6 * (readings[i].row[at["score"]] - 1))
	}
	var order []uint32
	for i := range min(fed, len(list)) {
		share := math.Exp(6*(readings[i].row[at["score"]]-1)) / total / float64(max(1, len(list[i].Terms)))
		for _, number := range list[i].Terms {
			if _, seen := mass[number]; !seen {
				order = append(order, number)
			}
			mass[number] += share
		}
	}
	type word struct {
		number uint32
		weight float64
	}
	words := make([]word, 0, len(order))
	for _, number := range order {
		if q.asks(number) < 1 {
			words = append(words, word{number, mass[number] * q.base.IDF(q.base.Vocabulary[number])})
		}
	}
	slices.SortStableFunc(words, func(a, b word) int {
		switch {
		case a.weight > b.weight:
			return -1
		case a.weight < b.weight:
			return 1
		}
		return 0
	})
	words = words[:min(mostWords, len(words))]
	sum := 0.0
	place := make(map[uint32]int, len(words))
	for i, w := range words {
		sum += w.weight
		place[w.number] = i
	}
	if sum == 0 {
		return
	}
	counts := make([]float64, len(words))
	for i, c := range list {
		clear(counts)
		for _, number := range c.Terms {
			if at, listed := place[number]; listed {
				counts[at]++
			}
		}
		value := 0.0
		for j, count := range counts {
			value += words[j].weight * count / (count + 1)
		}
		readings[i].row[at["feedback"]] = value / sum
	}
}
