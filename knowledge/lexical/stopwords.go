package lexical

import (
	"slices"
	"strings"
)

// Content returns the tokens of [Analyze] that say what a question is about, without the words that only
// make a sentence a question, English or Chinese. A question of nothing else keeps all its tokens.
func Content(question string) []Token {
	tokens := Analyze(question)
	phrases := AskingPhrases(question)
	content := slices.DeleteFunc(slices.Clone(tokens), func(t Token) bool {
		return IsAskingWord(surface(question[t.Start:t.End])) || slices.ContainsFunc(phrases, t.overlaps)
	})
	if len(content) == 0 {
		return tokens
	}
	return content
}

func (t Token) overlaps(u Token) bool { return t.Start < u.End && u.Start < t.End }

// surface returns a word in lower case and without a possessive.
func surface(word string) string {
	word = strings.ToLower(word)
	return strings.TrimSuffix(strings.TrimSuffix(word, "'s"), "’s")
}

// IsAskingWord reports whether a word in lower case makes a sentence a question without saying what
// it is about. In scientific text "what" is a rare word, so that it would outweigh the subject.
// [Analyze] has already dropped its own stop words.
func IsAskingWord(word string) bool { return askingWords[word] }

var askingWords = func() map[string]bool {
	set := make(map[string]bool)
	for _, word := range strings.Fields(`
		what which who whom whose when where why how do does did done doing can could should would may
		might must shall have has had having am been being were we you he she me my your his her him us
		our ours i its them theirs one some any about from there please tell explain describe know`) {
		set[word] = true
	}
	return set
}()

// askingPhrases lists the Chinese counterparts. They are matched in the text rather than as terms, because
// Chinese terms are overlapping pairs of characters.
var askingPhrases = []string{
	"什么时候", "有什么", "为什么", "是什么", "怎么样", "怎么办", "什么样", "什么", "怎么", "怎样", "如何", "有哪些", "哪些", "在哪", "哪里",
	"哪儿", "为何", "何时", "是谁", "谁", "几点", "几次", "几天", "几个", "多大",
	"哪个", "哪种", "多少", "多久", "是否", "能否", "可否", "能不能", "可不可以", "可以", "是不是", "有没有",
	"要不要", "请问", "谢谢", "您好", "你好", "吗", "呢", "吧", "啊", "的", "了", "我", "你", "您",
}

// AskingPhrases finds the Chinese question words of a text, in no particular order. Terms are the
// words as written.
func AskingPhrases(text string) []Token {
	var found []Token
	for _, phrase := range askingPhrases {
		for from := 0; ; {
			at := strings.Index(text[from:], phrase)
			if at < 0 {
				break
			}
			from += at + len(phrase)
			found = append(found, Token{phrase, from - len(phrase), from})
		}
	}
	return found
}
