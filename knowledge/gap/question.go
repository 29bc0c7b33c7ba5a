package gap

import (
	"slices"
	"strings"

	"lacuna/knowledge/lexical"
)

// question is a question reduced to what the judge compares with the sources.
type question struct {
	text string
	// content are the analysed terms that say what is asked about, each once, in order of
	// appearance: everything but the words that make a sentence a question.
	content []string
	// topic are the content terms that name the subject rather than the side of it asked about.
	topic []string
	// search is the text that finds the content: its words as written, in order.
	search string
}

// parseQuestion reduces text. isAspect tells the terms that name a side of a subject ("treat",
// "caus"); they stay content but are not topic.
func parseQuestion(text string, isAspect func(term string) bool) question {
	q := question{text: text}
	tokens := lexical.Analyze(text)
	asking := hanFurniture(text)
	seen := make(map[string]bool, len(tokens))
	var all, written, kept []string
	for _, t := range tokens {
		if seen[t.Term] {
			continue
		}
		seen[t.Term] = true
		all, written = append(all, t.Term), append(written, text[t.Start:t.End])
		if furniture[surface(text, t)] || overlapsAny(asking, t.Start, t.End) {
			continue
		}
		q.content, kept = append(q.content, t.Term), append(kept, text[t.Start:t.End])
	}
	if len(q.content) == 0 {
		q.content, kept = all, written
	}
	q.search = strings.Join(kept, " ")
	return q.withTopic(isAspect)
}

// withTopic fills in the topic terms: those that neither name an aspect nor are mere words of
// asking. A question made of nothing else is about them.
func (q question) withTopic(isAspect func(term string) bool) question {
	q.topic = nil
	for _, term := range q.content {
		if !isAspect(term) && !askingTerms[term] {
			q.topic = append(q.topic, term)
		}
	}
	if len(q.topic) == 0 {
		q.topic = q.content
	}
	return q
}

// names tells whether the question holds every term of a title.
func (q question) names(title string) bool {
	terms := lexical.Terms(title)
	missing := func(term string) bool { return !slices.Contains(q.content, term) }
	return len(terms) > 0 && !slices.ContainsFunc(terms, missing)
}

// surface is the word of a token as a reader sees it, in lower case and without a possessive.
func surface(text string, t lexical.Token) string {
	word := strings.ToLower(text[t.Start:t.End])
	word = strings.TrimSuffix(word, "'s")
	return strings.TrimSuffix(word, "’s")
}

// furniture are the words that make a sentence a question without saying what it is about. In
// scientific text "what" is a rare word, so that leaving it in makes every question look uncovered.
// The analyser has already dropped its own stop words.
var furniture = wordSet(`
	what which who whom whose when where why how do does did done doing can could should would may
	might must shall have has had having am been being were we you he she me my your his her him us
	our ours i its them theirs one some any about from there please tell explain describe know`)

// hanQuestionWords are the Chinese counterparts. They are matched in the text rather than as
// terms, because Chinese terms are overlapping pairs of characters.
var hanQuestionWords = []string{
	"什么时候", "有什么", "为什么", "是什么", "怎么样", "怎么办", "什么样", "什么", "怎么", "怎样", "如何", "有哪些", "哪些", "在哪", "哪里",
	"哪儿", "为何", "何时", "是谁", "谁", "几点", "几次", "几天", "几个", "多大",
	"哪个", "哪种", "多少", "多久", "是否", "能否", "可否", "能不能", "可不可以", "可以", "是不是", "有没有",
	"要不要", "请问", "谢谢", "您好", "你好", "吗", "呢", "吧", "啊", "的", "了", "我", "你", "您",
}

// span is a half-open range of bytes.
type span struct{ start, end int }

// hanFurniture finds the Chinese question words of text, in no particular order.
func hanFurniture(text string) []span {
	var spans []span
	for _, word := range hanQuestionWords {
		for from := 0; ; {
			at := strings.Index(text[from:], word)
			if at < 0 {
				break
			}
			spans = append(spans, span{from + at, from + at + len(word)})
			from += at + len(word)
		}
	}
	return spans
}

func overlapsAny(spans []span, start, end int) bool {
	for _, s := range spans {
		if start < s.end && s.start < end {
			return true
		}
	}
	return false
}

func wordSet(words string) map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}
