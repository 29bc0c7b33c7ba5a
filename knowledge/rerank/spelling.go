package rerank

import (
	"math"
	"strings"

	"lacuna/knowledge/par"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/question"
)

// alike returns which parts of a title's or heading's words stand in the question, as a share of both.
func (q *Query) alike(text string) (held, ofTitle, ofQuestion float64) {
	if text == "" {
		return 0, 0, 0
	}
	list, seen := q.spelt[text]
	if !seen {
		list = parts(text)
		q.spelt[text] = list
	}
	for _, part := range list {
		if _, asked := q.asked[part]; asked {
			held++
		}
	}
	return held, ratio(held, float64(len(list))), ratio(held, float64(len(q.asked)))
}

// measureSpelling measures how much what stands above the passage is spelt like the question: forms and
// compounds that no list knows have their stems in common. The path counts as a title does.
func (q *Query) measureSpelling(set func(string, float64), p *passage.Passage) {
	_, heading, best := q.alike(p.Section)
	set("spelt_heading", heading)
	_, title, share := q.alike(p.Title)
	set("spelt_title", title)
	best = max(best, share)
	for _, h := range p.Headings {
		_, _, share := q.alike(h)
		best = max(best, share)
	}
	path := q.analysed(pathWords.Replace(p.Document))
	strengths := make([]float64, len(q.words))
	q.cover(strengths, path)
	set("path", q.share(strengths))
	set("path_whole", q.whole(path))
	set("spelt_above", best)
}

var pathWords = strings.NewReplacer("/", " ", "_", " ", "-", " ", ".", " ")

// measureSubject measures whether what the question names stands in the passage or above it.
func (q *Query) measureSubject(set func(string, float64), p *passage.Passage, title, above, all []float64) {
	part := func(of []bool, strengths []float64) float64 {
		held, total := 0.0, 0.0
		for i, word := range q.words {
			if of[i] {
				total += word.Weight
				held += strengths[i] * word.Weight
			}
		}
		if total == 0 {
			return -1
		}
		return held / total
	}
	set("names_above", part(q.named, above))
	set("names_all", part(q.named, all))
	set("subject_above", part(q.subject, above))
	set("subject_title", part(q.subject, title))
}

// fits returns how well each text holds an answer of the kind that is expected; -1 where none is.
func (q *Query) fits(list []Candidate) []float64 {
	fits := make([]float64, len(list))
	if kind := q.reading.Expected.Kind; kind == question.Fact || kind == question.YesNo {
		for i := range fits {
			fits[i] = -1
		}
		return fits
	}
	par.Each(len(list), func(i int) { fits[i] = q.reading.Expected.Fit(list[i].Passage.Text) })
	return fits
}

// compareSpelling measures how many parts of the question's words stand in each text, rare ones of the list more,
// so that forms and compounds count that no list knows, and single Chinese characters.
func (q *Query) compareSpelling(readings []reading, list []Candidate) {
	n := len(q.asked)
	if n == 0 {
		return
	}
	held := make([][]bool, len(list))
	counts := make([]float64, n)
	for i, c := range list {
		held[i] = make([]bool, n)
		for _, number := range c.Terms {
			own, seen := q.within[number]
			if !seen {
				own = q.partsIn(q.base.Vocabulary[number])
				q.within[number] = own
			}
			for _, part := range own {
				held[i][part] = true
			}
		}
		for part, ok := range held[i] {
			if ok {
				counts[part]++
			}
		}
	}
	total := 0.0
	for part := range counts {
		if counts[part] > 0 {
			counts[part] = math.Log1p(float64(len(list)) / counts[part])
		}
		total += counts[part]
	}
	for i := range list {
		sum := 0.0
		for part, ok := range held[i] {
			if ok {
				sum += counts[part]
			}
		}
		readings[i].row[at["spelt_body"]] = ratio(sum, total)
	}
}

// partsIn returns which parts of the question's words a term has.
func (q *Query) partsIn(term string) []int {
	var own []int
	for _, part := range parts(term) {
		if i, asked := q.asked[part]; asked {
			own = append(own, i)
		}
	}
	return own
}
