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
	found := ranked(expectedTable.search(asks, inQuestion))
	expected := Expected{Kind: Fact}
	if len(found) > 0 {
		kind, measure, _ := strings.Cut(expectedTable.names[found[0].owner], " ")
		expected = Expected{Kind(kind), Measure(measure)}
	}
	switch {
	case isYesNo(asks, language):
		return Expected{Kind: YesNo}
	case len(found) > 0 && !found[0].weak:
		return expected
	}
	if byAspect, ok := expectedOf[aspect]; ok && (expected.Kind == Fact || expected.Kind == Define || expected.Kind == List) {
		return byAspect
	}
	return expected
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
func isYesNo(text string, language Language) bool {
	auxiliary := englishAuxiliary
	if language == German {
		auxiliary = germanAuxiliary
	}
	words := wordsOf(text)
	for i, w := range words {
		if w.opens && auxiliary[w.plain] && i+1 < len(words) && !interrogative[words[i+1].plain] {
			return !precededByQuestionWord(words[:i])
		}
	}
	return len(yesNoCues.search(text, inQuestion)) > 0 && len(expectedOpen.search(text, inQuestion)) == 0 || repeatsWithNot(text)
}

func precededByQuestionWord(before []textWord) bool {
	for _, w := range before {
		if interrogative[w.plain] {
			return true
		}
	}
	return false
}

var (
	englishAuxiliary = plaintext.Set(`am are can could did do does has have is may might must shall should was were will would isnt arent cant couldnt dont doesnt didnt wont wouldnt shouldnt`)
	germanAuxiliary  = plaintext.Set(`ist sind war waren kann können könnte darf dürfen muss müssen soll sollte sollen hat haben wird werden gibt gilt gelten braucht brauche brauchen habe bin bekommt bekomme bekommen lohnt hilft zählt stimmt reicht geht`)
	interrogative    = plaintext.Set(`what which who whom whose when where why how was wie wer wem wen wann wo warum wieso weshalb wozu wofür welche welcher welches welchen welchem wessen woran wodurch`)
	yesNoCues        = newTable("[]\nasks: 吗, 是否, 能否, 可否, 能不能, 可不可以, 是不是, 有没有, 要不要, 会不会, 算不算, 需不需要, 该不该, 行不行, 对不对, 好不好")
	// expectedOpen holds words that ask for more than yes or no although 吗 or the like stands there.
	expectedOpen = newTable("[]\nasks: 什么, 多少, 怎么, 如何, 哪些, 哪里, 几天, 多久, 为什么, 谁")
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
