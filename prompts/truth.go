package prompts

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// missing are the words by which a judge says whether knowledge is missing.
var missing = map[string]bool{
	"true": true, "yes": true, "1": true, "missing": true, "incomplete": true, "insufficient": true, "needed": true,
	"not sufficient": true, "not enough": true, "not complete": true, "inadequate": true, "unsupported": true,
	"knowledge is missing": true, "more knowledge": true,
	"是": true, "缺失": true, "缺少": true, "不足": true, "不完整": true, "不充分": true, "不够": true, "需要": true, "有缺失": true, "没有足够": true,
	"false": false, "no": false, "0": false, "sufficient": false, "complete": false, "enough": false, "none": false,
	"no missing": false, "not missing": false, "not needed": false, "nothing missing": false, "nothing is missing": false, "adequate": false,
	"否": false, "不是": false, "足够": false, "充分": false, "完整": false, "无": false, "没有": false, "不缺": false, "不需要": false, "无缺失": false,
}

// truths are the words for yes and no.
var truths = map[string]bool{
	"true": true, "yes": true, "y": true, "1": true, "supported": true, "attributed": true, "是": true, "对": true, "支持": true,
	"false": false, "no": false, "n": false, "0": false, "not": false, "unsupported": false, "not supported": false, "not attributed": false, "否": false, "不": false, "不是": false, "不支持": false,
}

// truthOf reads a value as yes or no: a text by the longest of the words that it begins with, unless
// what follows says the opposite.
func truthOf(value any, words map[string]bool) (truth, ok bool) {
	switch v := value.(type) {
	case bool:
		return v, true
	case float64:
		return v == 1, v == 0 || v == 1
	case []any:
		if len(v) == 1 {
			return truthOf(v[0], words)
		}
	case map[string]any:
		for _, inner := range v {
			if len(v) == 1 {
				return truthOf(inner, words)
			}
		}
	case string:
		phrase := strings.ReplaceAll(folded(v), "_", " ")
		word := ""
		for known := range words {
			if len(known) > len(word) && begins(phrase, known) {
				word = known
			}
		}
		truth, ok = words[word]
		rest := strings.TrimPrefix(strings.TrimSpace(phrase[len(word):]), "or ")
		opposite, contradicted := words[rest]
		return truth && ok, ok && !(contradicted && opposite != truth)
	}
	return false, false
}

// begins reports whether a phrase begins with a word, whole where words are kept apart by spaces.
func begins(phrase, word string) bool {
	rest, is := strings.CutPrefix(phrase, word)
	last, _ := utf8.DecodeLastRuneInString(word)
	return is && (rest == "" || rest[0] == ' ' || unicode.Is(unicode.Han, last))
}
