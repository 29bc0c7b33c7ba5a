package prompts

import (
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/plaintext"
)

// Limits of an item of a list and of an explanation, in characters.
const (
	maxItem = 200
	maxText = 4000
)

// field is the names of a field of a reply: ours first, then the ones that models use, as [foldName]
// writes them.
type field []string

// foldName normalises the name of a field: lower case, words joined by underscores.
func foldName(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	return strings.Join(words, "_")
}

// object is a JSON object with folded names.
type object map[string]any

func foldNames(m map[string]any) object {
	o := object{}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if f := foldName(name); o[f] == nil {
			o[f] = m[name]
		}
	}
	return o
}

// get returns the value of a field.
func (o object) get(f field) (any, bool) {
	for _, name := range f {
		if value, ok := o[name]; ok {
			return value, true
		}
	}
	return nil, false
}

// objectIn returns the object that has one of the fields: the value itself, or an object it wraps.
func objectIn(value any, fields ...field) (object, bool) {
	for range 4 {
		switch v := value.(type) {
		case object:
			return v, true
		case map[string]any:
			if inner, wraps := unwrap(v, fields); wraps {
				value = inner
				continue
			}
			o := foldNames(v)
			if o.hasAny(fields) {
				return o, true
			}
			if len(v) != 1 {
				return nil, false
			}
			for _, inner := range v {
				value = inner
			}
		case []any:
			if len(v) != 1 {
				return nil, false
			}
			value = v[0]
		default:
			return nil, false
		}
	}
	return nil, false
}

// hasAny reports whether an object has one of the fields.
func (o object) hasAny(fields []field) bool {
	return slices.ContainsFunc(fields, func(f field) bool {
		_, has := o.get(f)
		return has
	})
}

// unwrap returns the only value of an object if that is an object with one of the fields. Its own name
// may be one of theirs, as in {"judgement": {"judge": true}}.
func unwrap(v map[string]any, fields []field) (inner map[string]any, wraps bool) {
	if len(v) != 1 {
		return nil, false
	}
	for _, only := range v {
		inner, wraps = only.(map[string]any)
	}
	return inner, wraps && foldNames(inner).hasAny(fields)
}

// arrayIn returns the array that a value is, or that it holds under one of the names or as its only
// array, even if wrapped.
func arrayIn(value any, names field) ([]any, bool) {
	for range 4 {
		switch v := value.(type) {
		case []any:
			inner, ok := any(nil), false
			if len(v) == 1 {
				inner, ok = v[0].(map[string]any)
			}
			if array, named := arrayNamed(inner, names); ok && named {
				return array, true
			}
			return v, true
		case object:
			value = map[string]any(v)
		case map[string]any:
			if array, named := arrayNamed(v, names); named {
				return array, true
			}
			if named, has := foldNames(v).get(names); has {
				text, ok := named.(string)
				return toValues(textsIn(text)), ok
			}
			if array, only := onlyArray(v); only {
				return array, true
			}
			if len(v) != 1 {
				return nil, false
			}
			for _, inner := range v {
				value = inner
			}
		default:
			return nil, false
		}
	}
	return nil, false
}

// arrayNamed returns the array that an object holds under one of the names.
func arrayNamed(value any, names field) ([]any, bool) {
	m, ok := value.(map[string]any)
	if !ok {
		return nil, false
	}
	named, _ := foldNames(m).get(names)
	array, ok := named.([]any)
	return array, ok
}

// onlyArray returns the array of an object that has exactly one.
func onlyArray(m map[string]any) (array []any, only bool) {
	for _, inner := range m {
		if found, ok := inner.([]any); ok {
			array, only = found, array == nil
		}
	}
	return array, only
}

func toValues(texts []string) []any {
	var values []any
	for _, s := range texts {
		values = append(values, s)
	}
	return values
}

// textFields lists the fields that hold the text of an object that stands in the place of a text.
var textFields = field{"text", "title", "name", "knowledge", "point", "gap", "item", "topic", "query", "question", "info", "fact", "statement",
	"context", "content", "value", "description"}

// textIn reads a value as one text; of a list it takes the first.
func textIn(value any) string {
	switch v := value.(type) {
	case string:
		return strings.TrimSpace(v)
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case []any:
		if len(v) > 0 {
			return textIn(v[0])
		}
	case map[string]any:
		if inner, ok := foldNames(v).get(textFields); ok {
			return textIn(inner)
		}
		if len(v) == 1 {
			for _, inner := range v {
				return textIn(inner)
			}
		}
	}
	return ""
}

// textField reads a field as text of several sentences.
func textField(o object, f field) string {
	value, _ := o.get(f)
	if list, ok := value.([]any); ok {
		value = strings.Join(textsIn(list), " ")
	}
	return tidy(textIn(value), maxText)
}

// textsIn reads a value as a list of texts: a list, an object with numbered names, or a text with items
// on lines, between semicolons, or after numbers.
func textsIn(value any) []string {
	var items []string
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			items = append(items, trimBullet(textIn(item)))
		}
	case map[string]any:
		for _, name := range namesByNumber(v) {
			if list, several := v[name].([]any); several {
				items = append(items, textsIn(list)...)
				continue
			}
			items = append(items, trimBullet(textIn(v[name])))
		}
	case string:
		if inner, encoded := arrayText(v); encoded {
			return textsIn(inner)
		}
		for _, item := range splitList(v) {
			items = append(items, trimBullet(item))
		}
	case float64:
		items = []string{textIn(v)}
	}
	return items
}

// arrayText reads an array written in a string.
func arrayText(s string) (any, bool) {
	if s = strings.TrimSpace(s); !strings.HasPrefix(s, "[") || !strings.HasSuffix(s, "]") {
		return nil, false
	}
	value, read, path := readLenient(s)
	return value, path != Unparsed && read == len(s)
}

// namesByNumber returns names sorted by the numbers in them, then alphabetically.
func namesByNumber(m map[string]any) []string {
	names := slices.Sorted(maps.Keys(m))
	slices.SortStableFunc(names, func(a, b string) int { return numberIn(a) - numberIn(b) })
	return names
}

var number = regexp.MustCompile(`\d+`)

// numberIn returns the first number in a text; 0 if there is none or it is out of range.
func numberIn(s string) int {
	n, err := strconv.Atoi(number.FindString(s))
	if err != nil || n > math.MaxInt32 {
		return 0
	}
	return n
}

var inlineNumber = regexp.MustCompile(`(?:^|\s)(?:\(?\d{1,2}[.)]\s|\d{1,2}、|[①-⑳])`)

// splitList splits a text at its lines, else at its semicolons, else at its numbers.
func splitList(s string) []string {
	if strings.Contains(strings.TrimSpace(s), "\n") {
		return strings.Split(s, "\n")
	}
	if items := strings.FieldsFunc(s, func(r rune) bool { return r == ';' || r == '；' }); len(items) > 1 {
		return items
	}
	at := inlineNumber.FindAllStringIndex(s, -1)
	if len(at) < 2 || at[0][0] != 0 {
		return []string{s}
	}
	var items []string
	for i, span := range at {
		end := len(s)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		items = append(items, s[span[0]:end])
	}
	return items
}

var bullet = regexp.MustCompile(`^\s*(?:[-*•·–—+>]+\s+|\(?\d{1,2}[.)](?:\s+|$)|[（(]\d{1,2}[）)]\s*|\d{1,2}[、．]\s*|[①-⑳]\s*|\[\d{1,2}\]\s*[:：]?\s*|#+\s+)+`)

// trimBullet removes the bullet or number of a list item.
func trimBullet(s string) string { return strings.TrimSpace(bullet.ReplaceAllString(s, "")) }

// wrapping lists characters around a text that do not belong to it.
const wrapping = " \t\r\n\"'`*“”‘’「」"

var saysNothing = regexp.MustCompile(`(?i)^(?:none|nothing|null|nil|n/?a|not applicable|empty|-+|no (?:more )?(?:missing|further|additional) (?:knowledge|information|queries|query)|无|没有|暂无|不适用|无缺失(?:知识)?)[.。!]?$`)

// distinctItems returns the first most different texts that say something, each on one line of at most
// longest characters.
func distinctItems(items []string, most, longest int) []string {
	var kept []string
	for _, item := range items {
		item = tidy(item, longest)
		if len(kept) >= most {
			break
		}
		if item != "" && !slices.ContainsFunc(kept, func(k string) bool { return strings.EqualFold(k, item) }) {
			kept = append(kept, item)
		}
	}
	return kept
}

// tidy puts a text on one line of at most longest characters. It returns "" for a text that says there
// is nothing.
func tidy(s string, longest int) string {
	s = strings.Trim(plaintext.OneLine(s), wrapping)
	if saysNothing.MatchString(s) {
		return ""
	}
	if runes := []rune(s); len(runes) > longest {
		s = string(runes[:longest])
		if space := strings.LastIndexByte(s, ' '); space > len(s)*3/4 {
			s = s[:space]
		}
		s = strings.TrimSpace(s)
	}
	return s
}

// intsIn reads a value as a list of numbers, which may be strings or stand in brackets.
func intsIn(value any) []int {
	var ints []int
	switch v := value.(type) {
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < math.MaxInt32 {
			ints = append(ints, int(v))
		}
	case string:
		for _, digits := range number.FindAllString(v, -1) {
			ints = append(ints, numberIn(digits))
		}
	case []any:
		for _, item := range v {
			ints = append(ints, intsIn(item)...)
		}
	case map[string]any:
		if inner, ok := foldNames(v).get(field{"id", "number", "n", "index", "document", "passage"}); ok {
			return intsIn(inner)
		}
		for _, name := range namesByNumber(v) {
			ints = append(ints, intsIn(v[name])...)
		}
	}
	return ints
}

// uniqueUpTo returns the numbers from 1 to most, each once, in order.
func uniqueUpTo(ints []int, most int) []int {
	var kept []int
	for _, n := range ints {
		if 1 <= n && n <= most && !slices.Contains(kept, n) {
			kept = append(kept, n)
		}
	}
	return kept
}

// missingWords maps the words by which a judge says whether knowledge is missing.
var missingWords = map[string]bool{
	"true": true, "yes": true, "1": true, "missing": true, "incomplete": true, "insufficient": true, "needed": true,
	"not sufficient": true, "not enough": true, "not complete": true, "inadequate": true, "unsupported": true,
	"knowledge is missing": true, "more knowledge": true,
	"是": true, "缺失": true, "缺少": true, "不足": true, "不完整": true, "不充分": true, "不够": true, "需要": true, "有缺失": true, "没有足够": true,
	"false": false, "no": false, "0": false, "sufficient": false, "complete": false, "enough": false, "none": false,
	"no missing": false, "not missing": false, "not needed": false, "nothing missing": false, "nothing is missing": false, "adequate": false,
	"否": false, "不是": false, "足够": false, "充分": false, "完整": false, "无": false, "没有": false, "不缺": false, "不需要": false, "无缺失": false,
}

// yesNoWords maps the words for yes and no.
var yesNoWords = map[string]bool{
	"true": true, "yes": true, "y": true, "1": true, "supported": true, "attributed": true, "是": true, "对": true, "支持": true,
	"false": false, "no": false, "n": false, "0": false, "not": false, "unsupported": false, "not supported": false, "not attributed": false, "否": false, "不": false, "不是": false, "不支持": false,
}

// boolOf reads a value as yes or no.
func boolOf(value any, words map[string]bool) (truth, ok bool) {
	switch v := value.(type) {
	case bool:
		return v, true
	case float64:
		return v == 1, v == 0 || v == 1
	case []any:
		if len(v) == 1 {
			return boolOf(v[0], words)
		}
	case map[string]any:
		for _, inner := range v {
			if len(v) == 1 {
				return boolOf(inner, words)
			}
		}
	case string:
		return leadingWord(v, words)
	}
	return false, false
}

// leadingWord returns the meaning of the longest word that a text begins with, unless the rest is a word
// with another meaning.
func leadingWord[T comparable](text string, words map[string]T) (meaning T, ok bool) {
	phrase := strings.ReplaceAll(foldName(text), "_", " ")
	word := ""
	for known := range words {
		if len(known) > len(word) && begins(phrase, known) {
			word = known
		}
	}
	meaning, ok = words[word]
	rest := strings.TrimPrefix(strings.TrimSpace(phrase[len(word):]), "or ")
	if other, contradicted := words[rest]; contradicted && other != meaning {
		ok = false
	}
	return meaning, ok
}

// begins reports whether a phrase begins with a word, a whole one in scripts with spaces.
func begins(phrase, word string) bool {
	rest, is := strings.CutPrefix(phrase, word)
	last, _ := utf8.DecodeLastRuneInString(word)
	return is && (rest == "" || rest[0] == ' ' || unicode.Is(unicode.Han, last))
}
