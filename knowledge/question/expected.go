package question

import (
	_ "embed"
	"strings"
	"unicode/utf8"

	"lacuna/knowledge/plaintext"
)

// Kind is a kind of answer.
type Kind string

// The kinds of answers. Their names are stable: they are part of JSON.
const (
	Fact       Kind = "fact" // nothing particular can be told
	Quantity   Kind = "quantity"
	Date       Kind = "date" // or a time of day
	Duration   Kind = "duration"
	Frequency  Kind = "frequency"
	Person     Kind = "person" // or a role or department
	Place      Kind = "place"  // also a folder, a menu or a page
	Contact    Kind = "contact"
	YesNo      Kind = "yesno"
	List       Kind = "list"
	Steps      Kind = "steps"
	Command    Kind = "command" // or a line of code, an option, a key
	Define     Kind = "definition"
	Comparison Kind = "comparison"
	Reason     Kind = "reason"
)

// Measure is what a quantity counts or measures.
type Measure string

// The measures; "" is a mere number, or not known.
const (
	Money       Measure = "money"
	Mass        Measure = "mass"
	Dose        Measure = "dose"
	Volume      Measure = "volume"
	Length      Measure = "length"
	Temperature Measure = "temperature"
	Age         Measure = "age"
	Share       Measure = "share" // of a whole, in percent or as a fraction
	Speed       Measure = "speed"
	Size        Measure = "size" // of things or of data
)

// Expected is the answer that a question waits for: for "How much does the card cost?" a quantity of money.
type Expected struct {
	Kind    Kind
	Measure Measure // of a quantity; else ""
}

//go:embed expected.txt
var expectedCues string

var expectedTable = newTable(expectedCues)

// expectedBy returns what the words of a question expect; an aspect helps where they are vague ("the fee?").
func expectedBy(asks string, language Language, aspect Aspect) Expected {
	words := wordsOf(asks)
	expected, vague := Expected{Kind: Fact}, true
	for _, f := range ranked(expectedTable.searchIn(asks, inQuestion, language)) {
		kind, measure, _ := strings.Cut(expectedTable.names[f.owner], " ")
		if expected, vague = (Expected{Kind(kind), Measure(measure)}), f.weak; expected.Kind != Fact || !f.weak {
			break
		}
	}
	verdict := isYesNo(asks, words, language)
	switch {
	case verdict && (vague || !outweighs[expected.Kind]):
		return Expected{Kind: YesNo}
	case !vague:
		return expected
	}
	byAspect, ok := expectedOf[aspect]
	if ok && (expected.Kind == Fact || expected.Kind == Define || expected.Kind == List) {
		return byAspect
	}
	if expected.Kind == Fact && asksForSeveral(words) {
		return Expected{Kind: List}
	}
	if expected.Kind == Fact && isStatement(asks, words) {
		return Expected{Kind: Steps}
	}
	return expected
}

// outweighs holds the kinds that a question expects although it is worded for yes or no: "Is there a limit, and how
// many …", "Can you say how long …".
var outweighs = map[Kind]bool{Quantity: true, Duration: true, Frequency: true, Contact: true}

// asksForSeveral reports whether "what" or "which" stands before an English plural: "which plants".
func asksForSeveral(words []textWord) bool {
	for i, w := range words[:max(0, len(words)-1)] {
		if next := words[i+1].plain; (w.plain == "what" || w.plain == "which") && len(next) > 3 && !isAuxiliary(next) &&
			strings.HasSuffix(next, "s") && !strings.HasSuffix(next, "ss") && !strings.HasSuffix(next, "us") && !strings.HasSuffix(next, "is") {
			return true
		}
	}
	return false
}

// isStatement reports whether a text tells of one's own trouble rather than asks: "My print stops halfway".
func isStatement(text string, words []textWord) bool {
	own := false
	for i, w := range words {
		if interrogative[w.plain] {
			return false
		}
		own = own || firstPerson[w.plain]
		if i == 0 && requesting[w.plain] {
			return false
		}
	}
	return own && !strings.ContainsAny(text, "?？")
}

// expectedOf has the answer that an aspect expects if nothing else tells.
var expectedOf = map[Aspect]Expected{
	"dosage":         {Quantity, Dose},
	"cost":           {Quantity, Money},
	"salary":         {Quantity, Money},
	"limits":         {Kind: Quantity},
	"size":           {Quantity, Size},
	"deadline":       {Kind: Date},
	"dates":          {Kind: Date},
	"opening hours":  {Kind: Date},
	"duration":       {Kind: Duration},
	"contact":        {Kind: Contact},
	"location":       {Kind: Place},
	"responsibility": {Kind: Person},
	"reason":         {Kind: Reason},
	"comparison":     {Kind: Comparison},
	"steps":          {Kind: Steps},
	"installation":   {Kind: Steps},
	"command":        {Kind: Command},
	Definition:       {Kind: Define},
	"symptoms":       {Kind: List},
	"side effects":   {Kind: List},
	"causes":         {Kind: List},
	"complications":  {Kind: List},
	"risk factors":   {Kind: List},
	"ingredients":    {Kind: List},
	"requirements":   {Kind: List},
	"documents":      {Kind: List},
	"exceptions":     {Kind: List},
}

// aspect returns the aspect that an answer of this kind shows if the words of a question name none.
func (e Expected) aspect() Aspect {
	switch e.Kind {
	case Steps:
		return "steps"
	case Reason:
		return "reason"
	case Comparison:
		return "comparison"
	case Define:
		return Definition
	case Command:
		return "command"
	case Contact:
		return "contact"
	}
	return ""
}

// isYesNo reports whether a text asks for a yes or a no.
func isYesNo(text string, words []textWord, language Language) bool {
	if language == Chinese {
		return len(yesNoCues.search(text, inQuestion)) > 0 && len(openCues.search(text, inQuestion)) == 0 || repeatsWithNot(text)
	}
	open := false // a word before asks for more
	for i, w := range words {
		if w.opens {
			open = false
		}
		if interrogative[w.plain] && !(i+1 < len(words) && pronouns[words[i+1].plain]) { // "when I …" is a clause
			open = true
		}
		if open || i+1 == len(words) {
			continue
		}
		next := words[i+1].plain
		switch {
		case language == German:
			if germanAuxiliary[w.plain] && w.opens && !interrogative[next] || w.opens && germanOwn[w.plain] && next == "ich" ||
				w.opens && verbal(w.plain) && germanSubjects[next] && !strings.HasSuffix(strings.TrimSpace(text[:w.start]), ",") && strings.Contains(text, "?") {
				return true
			}
		case isAuxiliary(w.plain) && !interrogative[next] && (w.opens || pronouns[next]):
			return true
		}
	}
	return language == English && strings.Contains(text, "?") && len(verdictCues.search(text, inQuestion)) > 0 && !open
}

func isAuxiliary(word string) bool { return englishAuxiliary[word] }

var (
	englishAuxiliary = plaintext.Set(`am are can could did do does has have is may might must shall should was were will would isnt arent cant couldnt dont doesnt didnt wont wouldnt shouldnt`)
	germanAuxiliary  = plaintext.Set(`ist sind war waren kann können könnte darf dürfen muss müssen soll sollte sollen hat haben wird werden gibt gilt gelten lohnt hilft zählt stimmt reicht geht`)
	germanOwn        = plaintext.Set(`bin habe brauche bekomme muss kann darf soll zahle hafte verliere kriege`)
	germanSubjects   = plaintext.Set(`der die das den dem ein eine einen ich man er sie es wir ihr mein meine meinen unser unsere sich jemand`)
	interrogative    = plaintext.Set(`what which who whom whose when where why how was wie wer wem wen wann wo warum wieso weshalb wozu wofür welche welcher welches welchen welchem wessen woran wodurch`)
	pronouns         = plaintext.Set(`i you we they he she it this that these those there my our your his her their the a an any someone anyone people`)
	requesting       = plaintext.Set(`give show tell list name explain describe define find send`)
	firstPerson      = plaintext.Set(`i im ive id my me we our us ich mein meine meinen mir mich wir uns`)
	verdictCues      = newTable("[]\nasks: or not, ok to, okay to, is it ok, surely, still good, still ok, still allowed, even allowed, normal, right")
	yesNoCues        = newTable("[]\nasks: 吗, 是否, 能否, 可否, 能不能, 可不可以, 是不是, 有没有, 要不要, 会不会, 算不算, 需不需要, 该不该, 行不行, 对不对, 好不好")
	// openCues holds words that ask for more than yes or no although 吗 or the like stands there.
	openCues = newTable("[]\nasks: 什么, 多少, 怎么, 如何, 哪些, 哪里, 几天, 多久, 为什么, 谁, 几")
)

// repeatsWithNot reports whether a character stands on both sides of 不, which asks for yes or no: 算不算.
func repeatsWithNot(text string) bool {
	at := strings.Index(text, "不")
	if at < 1 {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[at+len("不"):])
	return before == after && before > utf8.RuneSelf
}
