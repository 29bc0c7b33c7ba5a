package gap

import (
	"slices"

	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/question"
)

// inquiry is a question reduced to what the judge compares with the sources.
type inquiry struct {
	text string
	// content holds the analysed terms that say what is asked about, each once, in order of
	// appearance: everything but the words that make a sentence a question.
	content []string
	// topic holds the content terms that name the subject rather than the aspect asked about.
	topic []string
	// words are what says what the question is about, with how much each tells.
	words   []word
	reading question.Reading
}

// parseQuestion reduces text. isAspect reports the terms that name an aspect of a subject ("treat",
// "caus"); they are content but not topic.
func parseQuestion(text string, isAspect func(term string) bool) inquiry {
	q := inquiry{text: text, words: wordsOf(text, isAspect), reading: question.Read(text)}
	seen := make(map[string]bool)
	for _, t := range lexical.Content(text) {
		if !seen[t.Term] {
			seen[t.Term] = true
			q.content = append(q.content, t.Term)
		}
	}
	return q.withTopic(isAspect)
}

// withTopic fills in the topic terms: content that neither names an aspect nor is a mere word of asking.
// A question made of nothing else is about those words.
func (q inquiry) withTopic(isAspect func(term string) bool) inquiry {
	q.topic = nil
	for _, term := range q.content {
		if !isAspect(term) && !question.IsAskingTerm(term) {
			q.topic = append(q.topic, term)
		}
	}
	if len(q.topic) == 0 {
		q.topic = q.content
	}
	return q
}

// names reports whether the question holds every term of a title.
func (q inquiry) names(title string) bool {
	terms := lexical.Terms(title)
	missing := func(term string) bool { return !slices.Contains(q.content, term) }
	return len(terms) > 0 && !slices.ContainsFunc(terms, missing)
}

// namesPage reports whether the question names the page of a passage, by its title or an alias.
func (q inquiry) namesPage(p *passage.Passage) bool { return slices.ContainsFunc(p.Names(), q.names) }

// onNamedPage returns the first passages that stand under a title which the question names. What else is found for a
// question with a gap is hardly ever of help: of 560 passages under such a title .95 were about the subject, of 523
// others .01 (364 questions about an illness whose section or page was taken out).
func (q inquiry) onNamedPage(found []*passage.Passage) []*passage.Passage {
	var on []*passage.Passage
	for _, p := range found {
		if len(on) < maxNearest && q.namesPage(p) {
			on = append(on, p)
		}
	}
	return on
}

// ContentTerms returns the analysed terms of a question that say what it is about, each once and in
// order: without the words that only make a sentence a question, English or Chinese. A question of
// nothing else keeps all its terms.
func ContentTerms(question string) []string {
	return parseQuestion(question, func(string) bool { return false }).content
}
