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
	begins := true // a clause
	for _, word := range clauseWords.FindAllString(sentence, -1) {
		if first, _ := utf8.DecodeRuneInString(word); notLetter(first) {
			begins = true
			continue
		}
		if cue, known := askingWords[strings.ToLower(word)]; known && (begins || cue == anywhere) {
			return true
		}
		begins = false
	}
	return false
}

// clauseWords matches words, and what parts clauses.
var clauseWords = regexp.MustCompile(`\pL+|[,:;(=|–—→]|\.[ \t]| - `)

func notLetter(r rune) bool { return !unicode.IsLetter(r) }

func hanRune(r rune) bool { return unicode.Is(unicode.Han, r) }

const (
	atStart = iota
	anywhere
)

var askingHan = []string{"查", "弄清", "核实", "搞清", "了解", "不清楚", "不知道", "不确定", "待定", "存疑", "吗", "呢", "什么", "怎么", "为何", "如何", "哪", "多少", "是否", "几", "未知", "没搞懂", "不明", "要核", "待核", "翻一下", "找找", "还是", "能不", "可不可", "要不要", "是不是", "有没有", "不一", "对不对", "确认", "没说", "没有说"}

var askingWords = map[string]int{}

var whWords = map[string]bool{}

func init() {
	for _, w := range strings.Fields("what which when where why how whose who whom welche welcher welches wann wo warum wieso weshalb wie") {
		whWords[w] = true
	}
	for _, w := range strings.Fields("what which when where why how whose who whom is are does do did can could should would will was were must may or was welche welcher welches wann wo warum wieso weshalb wie woher wohin wozu wer ist sind kann darf soll muss wieviel") {
		askingWords[w] = atStart
	}
	for _, w := range strings.Fields("which how wieviel find look reference source somewhere missing remember idea clue checked found established decided hunt legal name year explain comment klärt prüft finde steht vergessen ahnung quelle zulässige check clarify unclear unsure establish verify determine confirm know figure investigate research todo tbc tbd lookup whether need work read understand decide sure question questions open ob nachschlagen klären geklärt herausfinden prüfen nachsehen nachlesen nachschauen recherchieren unklar offen ungeklärt klarstellen wissen frage fragen weiß suchen rausfinden") {
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

// tagWords matches what asks nothing: tags, links with their titles, and code.
var tagWords = regexp.MustCompile("#[\\p{L}\\d_/-]+|\\[[^\\[\\]]*\\]\\((?:<[^<>]*>|[^()]*)\\)|\\[\\[[^\\[\\]]*\\]\\]|`[^`]*`")
