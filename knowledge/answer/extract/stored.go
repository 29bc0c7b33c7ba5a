package extract

import (
	"slices"

	"lacuna/knowledge"
	"lacuna/knowledge/entity"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
)

// asked is what the stored questions say about a question.
type asked struct {
	*reading                  // of the answer to serve; nil if there is none
	pair       *knowledge.Hit // whose answer is served
	confidence float64        // that the pair asks the same
	related    []knowledge.Hit
}

func (a asked) serves() bool { return a.pair != nil }

// excerpt returns what to show of a stored answer: all of it, in its order, if it is no longer than
// an answer may be, and else the sentences that fit the question best.
func (a asked) excerpt(amount Amount) []int {
	var all []int
	words := 0
	for i, s := range a.sentences {
		if s.quotable {
			all = append(all, i)
			words += countWords(s.text)
		}
	}
	if amount == LeadOnly || words > mostWords {
		return a.choose(a.scores(), amount)
	}
	return all
}

// When a stored answer is *the* answer. Measured on 900 questions made from MedQuAD, of which a
// third have their pair stored, a third only pairs of other kinds on the topic, and a third nothing
// on the topic: of near copies served .97 were right (.97 of those stored were served), of
// paraphrases .94 (.23). Encoder cosine from .9 on is right for .24, since words for the kind of
// question are frequent and weigh next to nothing there.
const (
	serveFrom     = .8
	serveSameFrom = .5 // where the content words agree both ways
)

// relatedAtMost is how many stored questions are shown as related, and relatedFrom the share of
// the weight of the question's content words they must hold unless it mentions their whole topic.
const (
	relatedAtMost = 3
	relatedFrom   = .5
)

// askedBefore judges the stored questions found. The first is served if it asks the same thing of
// the same topic, and the others stay related.
func (o *Offline) askedBefore(library *knowledge.Library, question string, pairs []knowledge.Hit) asked {
	var a asked
	shelf := library.Collection(passage.QA)
	if shelf == nil || len(pairs) == 0 {
		return a
	}
	kinds := o.kinds.of(library)
	for i, hit := range pairs {
		m := match(question, hit, shelf, kinds)
		if i == 0 && m.serves() && hit.Passage.Text != "" && hit.Subject.Relation(hit.Passage) != entity.Other {
			a.pair, a.confidence = &pairs[0], m.confidence()
			base := library.Collection(passage.Text)
			if base == nil {
				base = shelf
			}
			a.reading = read(question, base, pairs[:1])
			continue
		}
		if len(a.related) < relatedAtMost && (m.content >= relatedFrom || m.wholeName) {
			a.related = append(a.related, hit)
		}
	}
	return a
}

// resemblance is how far a stored question asks what the user asks.
type resemblance struct {
	cover     float64 // share of the user's weight found in the stored question and its synonyms
	content   float64 // the same of the content words alone
	name      float64 // share of the weight of the topic's best-matching name that the user mentions
	wholeName bool    // the user mentions all of a name
	kind      float64 // how well the user's other words go with the pair's kind of question
	gap       float64 // that, answers counted too, less the same for the best kind; at most 0
	unknown   int     // words of the user's no stored question holds
	same      bool    // the content words agree both ways, by any name of the topic
	judged    bool    // the pair has a topic and a kind the base has learnt
}

// confidence is the probability that topic and kind agree (logistic regression on questions made
// from MedQuAD: other templates, synonyms, near copies; a third without the pair, a third without
// the topic). Without kinds to judge by it says nothing but whether the words are the same.
func (m resemblance) confidence() float64 {
	if !m.judged {
		if m.same {
			return serveFrom
		}
		return 0
	}
	whole := 0.0
	if m.wholeName {
		whole = 1
	}
	return logistic(3.66*m.cover + 9.90*m.name + 3.13*whole + .35*m.kind + .26*m.gap +
		1.24*float64(m.unknown) - 15.87)
}

func (m resemblance) serves() bool {
	p := m.confidence()
	return p >= serveFrom || p >= serveSameFrom && m.same
}

// match compares a question with a stored one.
func match(question string, hit knowledge.Hit, shelf statistics, kinds *kinds) resemblance {
	words := plaintext.Distinct(lexical.Terms(question))
	stored := hit.Passage
	var m resemblance
	m.same = sameContent(question, stored)
	indexed := lexical.Terms(stored.Indexed())
	m.cover, _ = coverage(words, indexed, shelf)
	content := contentWords(question)
	m.content, _ = coverage(content, indexed, shelf)
	for _, word := range words {
		if shelf.DocFreq(word) == 0 {
			m.unknown++
		}
	}
	names := namesOf(stored)
	for _, name := range names {
		// "Please tell me" does not mention an illness abbreviated ME.
		share, _ := coverage(name, content, shelf)
		m.name = max(m.name, share)
		m.wholeName = m.wholeName || !missesAny(name, content)
	}
	// Where many questions are stored, a word that none of them holds is mostly another way to say
	// the same; where few are, it is mostly another thing to ask.
	strange := m.unknown > 0 && shelf.N() < reliable
	// "How" alone goes with one kind in a base of few templates, and with any in what people write.
	tells := len(otherWords(content, names, shelf)) > 0
	if len(names) > 0 && kinds.knows(stored.Section) && tells && !strange {
		m.judged = true
		m.kind, m.gap = kinds.fit(stored.Section, otherWords(words, names, shelf))
	}
	return m
}

// namesOf returns the terms of every name of a stored question's topic.
func namesOf(stored *passage.Passage) [][]string {
	var names [][]string
	for _, name := range append([]string{stored.Title}, stored.Also...) {
		if terms := plaintext.Distinct(lexical.Terms(name)); len(terms) > 0 {
			names = append(names, terms)
		}
	}
	return names
}

// coverage is the share of the words' weight on words that stand in text, and that on words the
// base does not know.
func coverage(words, text []string, base statistics) (covered, unknown float64) {
	var total float64
	for _, word := range words {
		weight := base.IDF(word)
		total += weight
		if slices.Contains(text, word) {
			covered += weight
		}
		if base.DocFreq(word) == 0 {
			unknown += weight
		}
	}
	if total == 0 {
		return 0, 0
	}
	return covered / total, unknown / total
}

func missesAny(words, text []string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return !slices.Contains(text, word) })
}

// otherWords are the words the base knows that belong to no name of the topic: those that tell
// the kind of question.
func otherWords(words []string, names [][]string, base statistics) []string {
	return slices.DeleteFunc(slices.Clone(words), func(word string) bool {
		return base.DocFreq(word) == 0 ||
			slices.ContainsFunc(names, func(name []string) bool { return slices.Contains(name, word) })
	})
}

// sameContent reports whether question and stored question have the same content words, the
// stored topic under any of its names, and both or neither deny something.
func sameContent(question string, stored *passage.Passage) bool {
	asked := contentWords(question)
	if len(asked) == 0 || negates(question) != negates(stored.Question) {
		return false
	}
	content := contentWords(stored.Question)
	if equalSets(asked, content) {
		return true
	}
	topic := lexical.Terms(stored.Title)
	if len(topic) == 0 || missesAny(topic, content) {
		return false
	}
	rest := slices.DeleteFunc(content, func(word string) bool { return slices.Contains(topic, word) })
	return slices.ContainsFunc(stored.Also, func(name string) bool {
		return equalSets(asked, plaintext.Distinct(append(slices.Clone(rest), lexical.Terms(name)...)))
	})
}

func equalSets(a, b []string) bool {
	return len(a) == len(b) && !missesAny(a, b)
}

// furniture are further words that only make a sentence a question, beside those the judge of gaps
// leaves out. "What to do" asks for a kind of answer, so the "do" of that phrase is kept.
var furniture = stemmed(`what which who whom whose when where why how do does did done can could
	should would may might must shall will have has had am been being were i me my we our you your
	he his she her it its they them tell please about need want know give explain there some any from`)

func stemmed(words string) map[string]bool {
	set := make(map[string]bool)
	for _, term := range lexical.Terms(words) {
		set[term] = true
	}
	return set
}

// contentWords are the distinct analysed words of a question that say what it is about.
func contentWords(question string) []string {
	content := slices.DeleteFunc(slices.Clone(gap.ContentTerms(question)), func(term string) bool {
		return furniture[term]
	})
	if asksWhatToDo(question) {
		content = append(content, "do")
	}
	return content
}

func asksWhatToDo(question string) bool {
	words := lexical.Words(question)
	for i := range len(words) - 1 {
		if words[i] == "to" && words[i+1] == "do" {
			return true
		}
	}
	return false
}
