package extract

import (
	"regexp"
	"slices"
)

// Questions that only a figure answers, those among them that a rhythm answers, and what counts as
// a figure: a number in digits or words, a share, a span of time. They match English only; other
// questions are left alone.
var (
	asksFigure = regexp.MustCompile(`(?i)\bhow\s+(?:much|many|long|often|quickly|soon|frequently)\b|` +
		`\bwhat\s+(?:does|do|did)\b.*\bcosts?\s*\W*$|` +
		`\bwhat\s+(?:is|are|was|were)\s+(?:the\s+)?(?:\w+\s+){0,2}(?:cost|price|fee|dose|dosage|number)\b`)
	asksRhythm = regexp.MustCompile(`(?i)\bhow\s+(?:often|frequently)\b`)

	figure = regexp.MustCompile(`(?i)[0-9]|` +
		`\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|` +
		`forty|fifty|sixty|seventy|eighty|ninety|hundreds?|thousands?|millions?|dozens?|` +
		`half|third|quarter|double|once|twice|all|none|nothing|no|free|unlimited|` +
		`overnight|immediately|permanent(?:ly)?|indefinitely|lifelong|for\s+life|until)\b|` +
		`\b(?:an?|per|each|every|few|several|some)\s+(?:seconds?|minutes?|hours?|days?|nights?|weeks?|` +
		`fortnights?|months?|quarters?|years?|decades?)\b`)
	rhythm = regexp.MustCompile(`(?i)\b(?:every|each|hourly|daily|nightly|weekly|fortnightly|monthly|` +
		`quarterly|yearly|annual(?:ly)?|always|never|regularly|rarely)\b`)
)

// wantsFigure reports whether the question asks for a figure that the text does not hold.
func (r *reading) wantsFigure(text string) bool {
	if !asksFigure.MatchString(r.question) || figure.MatchString(text) {
		return false
	}
	return !asksRhythm.MatchString(r.question) || !rhythm.MatchString(text)
}

// lacksFigure reports whether none of the chosen sentences, with what they bring along, holds the
// figure asked for. It looks only where words alone are judged by.
func (r *reading) lacksFigure(chosen []int) bool {
	return !r.encoded && !slices.ContainsFunc(chosen, func(i int) bool {
		q := r.quotation(i)
		text := r.pages[q.page].hit.Passage.Text
		return !r.wantsFigure(text[q.lead.Start:q.lead.End] + " " + text[q.span.Start:q.span.End])
	})
}

// topicAgain opens a sentence that goes on about a thing named before: "The certificate…".
var topicAgain = regexp.MustCompile(`(?i)^\W*(?:the|this|that|these|those)\s`)

// continuation returns the sentence after the given one if it goes on about the same thing and
// holds what the given one lacks: the figure asked for, or a further word of the question. A fact
// of a small base stands once, and often in two sentences: what the thing is, and then what was
// asked about it. With an encoder, sentences are left as they were measured.
func (r *reading) continuation(i int) (int, bool) {
	next := i + 1
	if r.encoded || next >= len(r.sentences) {
		return 0, false
	}
	s, after := &r.sentences[i], &r.sentences[next]
	if s.asks || after.asks || !after.quotable || after.page != s.page || after.order != s.order+1 ||
		!Adjoin(r.pages[s.page].hit.Passage.Text, s.span, after.span) || !r.goesOn(s, after) {
		return 0, false
	}
	if r.wantsFigure(s.text) {
		return next, !r.wantsFigure(after.text)
	}
	return next, slices.ContainsFunc(contentWords(r.question), func(word string) bool {
		return slices.Contains(after.terms, word) && !slices.Contains(s.terms, word)
	})
}

// goesOn reports whether the sentence after s opens with a pronoun, or with a word that s and the
// question share.
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

// coveredBelow is the judge's probability of something missing below which a sentence on the
// subject is shown as a possible answer, though words alone would not do. Set on two bases of a few
// dozen pages, by hand.
const coveredBelow = .2

// onSubject reports whether the sentence holds at least half of the weight of the question's
// subject, two words of it or more, and stands under a title or heading that names one.
func (r *reading) onSubject(i int) bool {
	s := &r.sentences[i]
	from := r.pages[s.page]
	words := Subject(r.question)
	held := 0
	for _, word := range words {
		if slices.Contains(s.terms, word) {
			held++
		}
	}
	named := slices.ContainsFunc(words, func(word string) bool { return slices.Contains(from.above, word) })
	return named && held >= 2 && r.coverages(words, i).lead >= .5
}
