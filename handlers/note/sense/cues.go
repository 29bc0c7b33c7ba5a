package sense

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MayAsk reports whether a sentence without a question mark has a word that tasks to find out and such questions have.
func MayAsk(sentence string) bool {
	if strings.ContainsFunc(sentence, hanRune) {
		for _, cue := range askingHan {
			if strings.Contains(sentence, cue) {
				return true
			}
		}
	}
	sentence = tagWords.ReplaceAllString(sentence, "")
	first := true
	for word := range strings.FieldsFuncSeq(sentence, func(r rune) bool { return !unicode.IsLetter(r) }) {
		word = strings.ToLower(word)
		if cue, known := askingWords[word]; known && (first || cue == anywhere) {
			return true
		}
		first = false
	}
	return false
}

func hanRune(r rune) bool { return unicode.Is(unicode.Han, r) }

const (
	atStart = iota
	anywhere
)

var askingHan = []string{"查", "弄清", "核实", "搞清", "了解", "不清楚", "不知道", "不确定", "待定", "存疑", "吗", "呢", "什么", "怎么", "为何", "如何", "哪", "多少", "是否", "几", "未知", "没搞懂", "不明"}

var askingWords = map[string]int{}

var whWords = map[string]bool{}

func init() {
	for _, w := range strings.Fields("what which when where why how whose who whom welche welcher welches wann wo warum wieso weshalb wie") {
		whWords[w] = true
	}
	for _, w := range strings.Fields("what which when where why how whose who whom is are does do did can could should would will was were must may or was welche welcher welches wann wo warum wieso weshalb wie woher wohin wozu wer ist sind kann darf soll muss wieviel") {
		askingWords[w] = atStart
	}
	for _, w := range strings.Fields("find look check clarify unclear unsure establish verify determine confirm know figure investigate research todo tbc tbd lookup whether need work read understand decide sure question questions open ob nachschlagen klären geklärt herausfinden prüfen nachsehen nachlesen nachschauen recherchieren unklar offen ungeklärt klarstellen wissen frage fragen weiß suchen rausfinden") {
		askingWords[w] = anywhere
	}
}

// BeginsAsking reports whether a line begins as a question does: notes leave out the full stop above it.
func BeginsAsking(line string) bool {
	word := line[:len(line)-len(strings.TrimLeftFunc(line, unicode.IsLetter))]
	if strings.HasPrefix(line, "[ ]") {
		return true
	}
	cue, known := askingWords[strings.ToLower(word)]
	first, _ := utf8.DecodeRuneInString(word)
	return known && cue == atStart && (!unicode.IsLower(first) || whWords[word])
}

// tagWords matches tags, which say nothing.
var tagWords = regexp.MustCompile(`#[\p{L}\d_/-]+`)
