package support

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"lacuna/knowledge/passage"
	"lacuna/knowledge/sanitise"
)

// markPattern matches how a model cites: [1], [1, 2], [1-3], [Context 2], 【1】.
const markPattern = `[\[【［]\s*(?:(?:contexts?|sources?|passages?|documents?|文档|资料|来源|上下文)\s*)?` +
	`\d{1,3}(?:\s*(?:[,，、;；\-–—]|and|和)\s*(?:context\s*)?\d{1,3})*\s*[\]】］]`

// markRow matches one or several citations in a row, with the space before them.
var (
	markRow    = regexp.MustCompile(`(?i)\s*` + markPattern + `(?:\s*[,，、;；]?\s*` + markPattern + `)*`)
	markNumber = regexp.MustCompile(`\d+|[-–—]`)
)

// quotedMark matches a mark with the words that a sentence rests on, in it or in brackets behind it:
// [2: "words"], [2, „words“], [2] ("words"); at the end of a reply that was cut off it may be open.
var quotedMark = regexp.MustCompile(`(?i)[\[【［]\s*(?:(?:contexts?|sources?|passages?|documents?|文档|资料|来源|上下文)\s*)?(\d{1,3})` +
	`(?:\s*[:：,，]?\s*["“„«「『]([^\n\[\]【】]{0,500}?)["”“»」』]?\s*(?:[\]】］]|$)|\s*[\]】］]\s*[(（]\s*["“„«「『]([^\n()（）]{0,500}?)["”“»」』]\s*[)）])`)

// severalQuoted matches marks with words that stand in one pair of brackets: [1: "words"; 2: "words"].
var severalQuoted = regexp.MustCompile(`(["”“»」』])\s*[;；,，]\s*((?:(?:context|passage|source)\s*)?\d{1,3}\s*[:：]\s*["“„«「『])`)

// citedWords are words that a sentence is said to rest on, as the model gave them.
type citedWords struct {
	number int
	words  string
}

// firstTag is the number of the first tag: a mark that stands for the words in the mark before it.
const firstTag = 900

// withoutWords takes the words out of the marks of a text, where they may hold full stops and figures, and
// returns them in their order. Where tagged, a tag behind each mark numbers its words.
func withoutWords(text string, tagged bool) (string, []citedWords) {
	var all []citedWords
	text = severalQuoted.ReplaceAllString(text, "$1] [$2")
	return quotedMark.ReplaceAllStringFunc(text, func(found string) string {
		m := quotedMark.FindStringSubmatch(found)
		n, _ := strconv.Atoi(m[1]) // digits
		mark := "[" + m[1] + "]"
		if tagged && len(all) < 999-firstTag {
			mark += "[" + strconv.Itoa(firstTag+len(all)) + "]"
		}
		all = append(all, citedWords{n, strings.TrimSpace(m[2] + m[3])})
		return mark
	}), all
}

// BareMarks returns a text with its marks, but without the words in them.
func BareMarks(text string) string {
	bare, _ := withoutWords(text, false)
	return bare
}

// WithoutMarks removes the citation marks from a text and returns their numbers, each once.
func WithoutMarks(text string) (bare string, numbers []int) {
	text, _ = withoutWords(text, false)
	bare = markRow.ReplaceAllStringFunc(text, func(found string) string {
		last, upTo := 0, false
		for _, token := range markNumber.FindAllString(found, -1) {
			n, err := strconv.Atoi(token)
			if err != nil {
				upTo = last > 0
				continue
			}
			if !upTo {
				last = n
			}
			for ; last <= n; last++ {
				if !slices.Contains(numbers, last) {
					numbers = append(numbers, last)
				}
			}
			last, upTo = n, false
		}
		return ""
	})
	return bare, numbers
}

// PlainText returns a model's text as plain text without citation marks.
func PlainText(text string) string {
	bare, _ := WithoutMarks(text)
	return sanitise.Plain(bare)
}

// sentence is a sentence of an answer as a model wrote it.
type sentence struct {
	head  string // the line that announces the list it is an item of; empty elsewhere
	text  string // with its markup, without marks
	cites []int
	words []citedWords // of some of the marks
}

// maxSentences bounds the sentences of an answer that are checked; a note asks for six.
const maxSentences = 40

var (
	headingMark = regexp.MustCompile(`^ {0,3}#{1,6}(?:\s|$)`)
	itemMark    = regexp.MustCompile(`^[ \t]*(?:[-+*•·◦▪‣–]|\d{1,9}[.)])[ \t]`)
)

// sentences cuts an answer into sentences, without headings, code and rules. A line that ends in a colon
// before a list goes with each of its items, which would not be understood alone.
func sentences(answer string) []sentence {
	answer, words := withoutWords(sanitise.Bare(answer), true)
	all := cut(answer)
	for i := range all {
		u := &all[i]
		u.cites = slices.DeleteFunc(u.cites, func(n int) bool {
			is := n >= firstTag && n < firstTag+len(words)
			if is {
				u.words = append(u.words, words[n-firstTag])
			}
			return is
		})
	}
	return all
}

// cut is [sentences] of a text whose marks are numbers alone.
func cut(answer string) []sentence {
	var all []sentence
	head := ""
	for _, span := range passage.Sentences(answer, passage.Markdown) {
		start := strings.LastIndexAny(answer[:span.Start], "\n\r") + 1
		line := answer[start:span.End]
		if headingMark.MatchString(line) {
			continue
		}
		bare, cites := WithoutMarks(attachLeadingMarks(&all, answer[span.Start:span.End]))
		isItem := itemMark.MatchString(line)
		bare = strings.TrimSpace(bare)
		switch {
		case sanitise.Plain(bare) == "" || len(all) == maxSentences:
			continue
		case strings.HasSuffix(bare, ":") || strings.HasSuffix(bare, "："):
			head = bare + " "
			continue
		case !isItem:
			head = ""
		}
		all = append(all, sentence{head: head, text: bare, cites: cites})
	}
	return all
}

// FirstSentence returns the first sentence of an answer, without marks; "" if it has none.
func FirstSentence(answer string) string {
	if all := sentences(answer); len(all) > 0 {
		return all[0].text
	}
	return ""
}

// attachLeadingMarks gives the marks that open a text to the sentence before it, behind whose full stop
// they stand, and returns the rest.
func attachLeadingMarks(all *[]sentence, text string) string {
	if len(*all) == 0 {
		return text
	}
	last := &(*all)[len(*all)-1]
	for {
		at := markRow.FindStringIndex(text)
		if at == nil || at[0] != 0 {
			return text
		}
		_, cites := WithoutMarks(text[:at[1]])
		last.cites = append(last.cites, cites...)
		text = strings.TrimSpace(text[at[1]:])
	}
}

// refusal matches sentences by which a model says that it cannot answer.
var refusal = regexp.MustCompile(`(?i)^\W*(?:` +
	`(?:i\s*(?:['’]m|\s+am)\s+)?(?:sorry|unable\s+to)\b|` +
	`i\s+(?:do\s+not|don['’]t|cannot|can['’]t|could\s+not|couldn['’]t)\s+(?:know|have|find|answer|determine|say|tell|provide)\b|` +
	`(?:unanswerable|unknown|not\s+(?:known|stated|mentioned|specified|given|available)|no\s+answer)\W*$|` +
	`nothing\s+is\s+(?:known|said|stated)\b|` +
	`(?:there\s+is\s+)?(?:no|not\s+enough|insufficient)\s+(?:\w+\s+)?(?:information|evidence|context|data)\b|` +
	`(?:however,?\s+|but\s+)?(?:none\s+of\s+)?(?:the|these|this|any\s+of\s+the)\s+(?:\w+\s+){0,2}(?:contexts?|passages?|sources?|documents?|information|texts?)\b[^.]*\b(?:not?|n['’]t|cannot|lacks?|none|nothing|neither|only)\b|` +
	`(?:it|this|the\s+question)\s+(?:cannot|can\s*not|can['’]t)\s+be\s+(?:answered|determined|said)|` +
	`[^.]*\b(?:not|nowhere)\s+(?:\w+\s+){0,2}(?:in|by|from)\s+(?:any\s+of\s+)?the\s+(?:\w+\s+){0,2}(?:contexts?|passages?|sources?|documents?|evidence)\b|` +
	`抱歉|对不起|很抱歉|我?(?:不知道|无法(?:回答|确定|判断|得知|得出|提供)|不能(?:回答|确定))|` +
	`(?:[^。]*(?:资料|上下文|文档|来源|证据|信息)[^。]*(?:没有|未|无法|不足|缺少|并无))|未(?:提及|提到|说明|提供)|没有(?:提到|提及|说明|足够|相关))`)
