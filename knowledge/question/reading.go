package question

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
)

// Reading is what a question asks for. It is immutable: nothing may change its slices. The zero Reading is
// that of an empty text.
//
// For "What dose of apixaban is given in children with kidney disease?" the subject is "apixaban", the aspect
// dosage, the expected answer a quantity of dose, and the conditions child and kidney disease.
type Reading struct {
	Text     string
	Language Language
	// Asking has the sentences that ask, in order, as bytes of Text. It has at least one unless Text has no
	// word. Salutations, signatures, pleas and what a letter tells are left out.
	Asking []passage.Span
	// Topic is the subject line of a letter, without "Re:"; empty without one.
	Topic passage.Span
	// Account has the sentences of a letter that tell something, in order: what is neither asked nor courtesy.
	Account []passage.Span
	// Subject has what the question is about, most name-like first: longer before shorter names, and names
	// before everyday words. Words that ask, name an aspect or state a condition are left out if others
	// remain. It is empty only if the text has no content words.
	Subject []Phrase
	// Aspect is the side of the subject that is asked for; "" if the words name none. It is Aspects[0].
	Aspect Aspect
	// Aspects has every aspect that the question names, the meant one first: of "How do I pay a fine?" payment,
	// penalty and steps.
	Aspects []Aspect
	// Expected is the kind of answer; of an empty text a fact.
	Expected Expected
	// Conditions limit the question to some people, states or versions, in order of appearance.
	Conditions []Condition
}

// Read reads a question, or a letter with questions, in English, German or Chinese; of other languages it
// knows the subject at most. It never fails, takes less than 100 µs for a question of common length and time
// linear in the length of text, and may be called concurrently.
func Read(text string) Reading { return read(text, "") }

// Without reads the question again as if the title did not stand in it: the words of a name ask for
// nothing. Subject and Asking still count the bytes of Text, which keeps the title. "What is known on autosomal
// dominant deafness, type 3" does not ask for inheritance.
func (r Reading) Without(title string) Reading { return read(r.Text, title) }

func read(text, title string) Reading {
	r := Reading{Text: text, Language: LanguageOf(text)}
	r.readLetter()
	var words strings.Builder
	for _, s := range r.Asking {
		words.WriteString(text[s.Start:s.End])
		words.WriteByte('\n')
	}
	asks := stripOpening(Blank(words.String(), title))
	r.Aspects = aspectsIn(asks, inQuestion, r.Language)
	r.Aspect = first(r.Aspects)
	r.Expected = expectedBy(asks, r.Language, r.Aspect)
	if r.Aspect == "dates" && r.Expected.Kind == Fact { // "When is it avoided?" asks for a condition
		r.Aspect, r.Aspects = "", nil
	}
	if r.Aspect == "" {
		r.Aspect = r.Expected.aspect()
		if r.Aspect != "" {
			r.Aspects = []Aspect{r.Aspect}
		}
	}
	r.Conditions = conditionsIn(text, r.Language)
	r.Subject = r.subject()
	return r
}

// Blank replaces a title in a text with spaces, whatever its case.
func Blank(text, title string) string {
	if title == "" {
		return text
	}
	lower := strings.ToLower(text)
	if len(lower) != len(text) {
		return text
	}
	if at := strings.Index(lower, strings.ToLower(title)); at >= 0 && at+len(title) <= len(text) {
		return text[:at] + strings.Repeat(" ", len(title)) + text[at+len(title):]
	}
	return text
}

// stripOpening blanks what is only said before a question: "Can you tell me", "please", 请问.
func stripOpening(text string) string {
	for _, f := range openings.search(text, inQuestion) {
		text = text[:f.start] + strings.Repeat(" ", f.end-f.start) + text[f.end:]
	}
	return text
}

var openings = newTable(`[]
asks: can you tell me, could you tell me, can you please tell me, could you please tell me, please tell me, tell me, do you know, does anyone know, i want to know, i would like to know, id like to know, i wonder, i was wondering, can anyone tell me, can you explain, could you explain, please explain, can someone explain, please, können sie mir sagen, kannst du mir sagen, weißt du, wissen sie, ich möchte wissen, ich würde gerne wissen, bitte, 请问, 我想知道, 想问一下, 我想问, 你好, 您好`)

// subject returns what the question is about.
func (r Reading) subject() []Phrase {
	phrases := r.phrasesOf(r.Asking)
	named, rate := r.named(phrases), r.centrality
	if r.pointsBack() {
		named = slices.Concat(named, r.named(r.phrasesOf([]passage.Span{r.Topic})), r.toldNames())
	}
	if len(named) == 0 {
		named, rate = phrases, nameLike
	}
	slices.SortStableFunc(named, func(a, b Phrase) int { return cmp.Compare(rate(b), rate(a)) })
	return named
}

// named returns the phrases that do more than name an aspect or a condition, most name-like first.
func (r Reading) named(phrases []Phrase) []Phrase {
	named := slices.DeleteFunc(slices.Clone(phrases), func(p Phrase) bool { return r.isFrame(p) })
	slices.SortStableFunc(named, func(a, b Phrase) int { return cmp.Compare(nameLike(b), nameLike(a)) })
	return named
}

// phrasesOf returns the phrases of some sentences, with their places in the whole text.
func (r Reading) phrasesOf(sentences []passage.Span) []Phrase {
	var phrases []Phrase
	for _, s := range sentences {
		for _, p := range r.phrasesIn(r.Text[s.Start:s.End]) {
			p.Start, p.End = p.Start+s.Start, p.End+s.Start
			phrases = append(phrases, p)
		}
	}
	return phrases
}

// isFrame reports whether a phrase only names an aspect, a measure or a condition.
func (r Reading) isFrame(p Phrase) bool {
	if slices.ContainsFunc(r.Conditions, func(c Condition) bool { return c.Start <= p.Start && p.End <= c.End }) {
		return true
	}
	whole := func(f find) bool { return f.start == 0 && f.end == len(p.Text) }
	return units[strings.ToLower(p.Text)] || slices.ContainsFunc(aspectTable.search(p.Text, inQuestion), whole) ||
		slices.ContainsFunc(expectedTable.search(p.Text, inQuestion), whole)
}

// units holds words of measure, which are seldom what a question is about.
var units = plaintext.Set(`dollar dollars euro euros pound pounds cent cents percent prozent mg kg g ml cm km mm hour hours minute minutes
	second seconds week weeks month months year years stunde stunden minute minuten tag tage tagen woche wochen monat monate
	jahr jahre jahren zeit`)

// centrality rates how likely a phrase is what the question is about: a name, and not behind a preposition.
func (r Reading) centrality(p Phrase) int {
	score := nameLike(p)
	if r.Language == Chinese {
		if p.Start == r.Asking[0].Start {
			score += topical
		}
		return score
	}
	words := wordsOf(r.Text[max(0, p.Start-24):p.Start])
	for _, w := range words[max(0, len(words)-2):] {
		if prepositions[w.plain] {
			return score - prepositional
		}
	}
	return score
}

// prepositional is what a phrase behind a preposition loses, more than the worth of a word; see [nameLike].
const prepositional = 25

// topical is what a Chinese phrase at the beginning gains: the topic comes first.
const topical = 10

var prepositions = plaintext.Set(`in on at from with during without after before by for into onto over under within
	für im in bei beim mit auf nach vom von am zum zur aus über unter gegen während ohne ins aufs fürs seit wegen`)

// nameLike rates how much a phrase reads like a name: capitals inside a sentence, digits, more and longer
// words.
func nameLike(p Phrase) int {
	score := 0
	for _, w := range splitWords(p.Text) {
		switch lower := strings.ToLower(w.text); {
		case IsCode(w.text):
			score += 12
		case IsGeneric(lower) || everydayWords[lower]:
			score += 2
		default:
			score += 6
		}
	}
	n := len([]rune(p.Text))
	if plaintext.HasHan(p.Text) {
		n *= 3
	}
	return score*2 + min(n, 30)
}

// phrasesIn returns the phrases of a sentence by the rules of its language.
func (r Reading) phrasesIn(sentence string) []Phrase {
	switch {
	case r.Language == German:
		return germanPhrases(sentence)
	case plaintext.HasHan(sentence):
		cuts := hanCuts(sentence)
		if phrases := cutHan(sentence, slices.Concat(cuts, r.hanFrame(sentence))); len(phrases) > 0 {
			return phrases
		}
		return cutHan(sentence, cuts)
	}
	return Phrases(sentence)
}

// hanFrame returns where a Chinese sentence names the aspect asked for, what is expected, or a condition, in the
// middle of other words.
func (r Reading) hanFrame(sentence string) []passage.Span {
	var spans []passage.Span
	for _, t := range []*table{aspectTable, expectedTable, conditionTable} {
		for _, f := range t.searchScript(sentence, inQuestion) {
			if t != aspectTable || f.where == inQuestion || Aspect(t.names[f.owner]) == r.Aspect && r.Aspect.IsClinical() {
				spans = append(spans, passage.Span{Start: f.start, End: f.end})
			}
		}
	}
	return spans
}

// Fits reports whether a text holds an answer of the kind that the question expects.
func (r Reading) Fits(text string) bool { return r.Expected.Fit(text) >= fitting }

// fitting is the least fit that counts.
const fitting = .5

// IsWhat reports whether a question opens by asking what something is: "What is", "Which are", "Define". The rules
// are English, and those that its weights were fitted with; elsewhere it is false.
func (r Reading) IsWhat() bool {
	return whatOpening.MatchString(r.Text) && !numberAsked.MatchString(r.Text)
}

var (
	whatOpening = regexp.MustCompile(`(?i)^\W*(?:(?:what|who|which)\s+(?:is|are|was|were)\b|define\b|describe\b|what\s+does\b)`)
	numberAsked = regexp.MustCompile(`(?i)\bhow\s+(?:many|often)\b|\bpercentage\b`)
)
