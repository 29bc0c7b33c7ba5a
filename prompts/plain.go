package prompts

import (
	"regexp"
	"strings"

	"lacuna/knowledge/plaintext"
)

var (
	answerLabel = regexp.MustCompile(`(?i)^\s*[*#\s]*(?:final answer|answer|答案|回答)\**\s*[:：]\s*\**\s*`)
	// lastAnswer is where thinking ends.
	lastAnswer = regexp.MustCompile(`(?i)(?:\bfinal\s+answer\**\s*[:：]|\banswer\**\s*[:：]|\bthe\s+(?:final\s+|correct\s+)?answer\s+is\b\s*[:：]?|答案\**\s*[:：]|答案(?:是|为)\s*[:：]?)\s*\**\s*`)
	sentence   = regexp.MustCompile(`[.!?]["”')\]]*\s+|[。！？]["”』」）]*\s*|\n+`)
	anyFence   = regexp.MustCompile("(?m)^[ \t]*(?:```|~~~)[a-zA-Z]*[ \t]*\n?")
)

// ParseAnswer takes a plain answer out of a reply to [AnswerDirect], [AnswerContext], [AnswerCoT] or
// [Combine] in the given style, without a leading "Answer:" and without fences. A short answer is the
// first line that says something.
func ParseAnswer(reply string, style Style) (string, Path, error) {
	text, err := spoken(reply)
	if err != nil {
		return "", Unparsed, err
	}
	path := Bare
	if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "```") {
		if o, way, err := decode(text, nil, func(value any) (string, bool) {
			o, ok := objectIn(value, solvedField)
			answer, _ := o.get(solvedField)
			return textOf(answer), ok && textOf(answer) != ""
		}); err == nil {
			text, path = o, way
		}
	}
	if bare, was := unfenced(text); was {
		text, path = bare, Fenced
	}
	text = strings.TrimSpace(answerLabel.ReplaceAllString(withoutCourtesies(text), ""))
	if style == Short {
		text = firstLine(text)
	}
	if text == "" {
		return "", Unparsed, errEmpty
	}
	return text, path, nil
}

// unfenced takes off the fence that all of a text stands in.
func unfenced(text string) (bare string, was bool) {
	if at := anyFence.FindStringIndex(text); at == nil || at[0] != 0 {
		return text, false
	}
	_, bare, _ = strings.Cut(text, "\n")
	last := strings.LastIndexByte(bare, '\n') + 1
	if anyFence.MatchString(bare[last:]) {
		bare = bare[:last]
	}
	if anyFence.MatchString(bare) { // of several blocks
		return text, false
	}
	return strings.TrimSpace(bare), true
}

func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.Trim(strings.TrimSpace(line), "*`\""); line != "" {
			return strings.TrimSpace(answerLabel.ReplaceAllString(line, ""))
		}
	}
	return ""
}

// ParseLastAnswer reads the reply to [AnswerCoT]: the text after the last "Answer:" or "the answer
// is", else the last sentence; thinking is what stands before it.
func ParseLastAnswer(reply string) (thinking, answer string, path Path, err error) {
	text, err := spoken(reply)
	if err != nil {
		return "", "", Unparsed, err
	}
	text, _ = unfenced(text)
	text = withoutCourtesies(text)
	text = boxed.ReplaceAllString(text, "$1$2")
	if at := lastAnswer.FindAllStringIndex(text, -1); len(at) > 0 {
		last := at[len(at)-1]
		if answer = strings.Trim(text[last[1]:], " \t\r\n*`"); answer != "" {
			return strings.TrimRight(text[:sentenceStart(text, last[0])], " \t\r\n*#"), answer, Bare, nil
		}
		text = strings.TrimSpace(text[:last[0]])
	}
	start := 0
	for _, end := range sentence.FindAllStringIndex(text, -1) {
		if end[1] < len(text) {
			start = end[1]
		}
	}
	if answer = strings.Trim(text[start:], " \t\r\n*`#"); answer == "" {
		return "", "", Unparsed, errEmpty
	}
	return strings.TrimSpace(text[:start]), answer, Lines, nil
}

// useless is how a summariser says that a document holds nothing of use.
var useless = regexp.MustCompile(`(?i)\bno\s+(?:useful|relevant)\s+information\b|(?:没有|无)(?:有用|相关)的?信息`)

// ParseSummary reads the reply to [SummariseDoc]; useful is false for "No useful information.", in
// any case and also in Chinese.
func ParseSummary(reply string) (summary string, useful bool, path Path, err error) {
	text, err := spoken(reply)
	if err != nil {
		return "", false, Unparsed, err
	}
	type said struct {
		summary string
		useful  bool
	}
	if s, way, err := decode(text, nil, func(value any) (said, bool) {
		o, ok := objectIn(value, field{"useful", "summary"})
		if !ok {
			return said{}, false
		}
		verdict, judged := o.get(field{"useful"})
		truth, _ := truthOf(verdict, truths)
		s := said{summary: prose(o, field{"summary"})}
		s.useful = s.summary != "" && (!judged || truth) && !useless.MatchString(s.summary)
		return s, true
	}); err == nil {
		if !s.useful {
			s.summary = ""
		}
		return s.summary, s.useful, way, nil
	}
	if useless.MatchString(text) {
		return "", false, Bare, nil
	}
	text = plaintext.OneLine(introduction.ReplaceAllString(withoutCourtesies(anyFence.ReplaceAllString(text, "")), ""))
	if text == "" {
		return "", false, Unparsed, errEmpty
	}
	return text, true, Bare, nil
}

var (
	// introduction is a heading or a label before a text that was to have none.
	introduction = regexp.MustCompile(`(?i)^(?:\s*(?:#+[^\n]*\n|\**(?:background(?:\s+(?:document|information|knowledge|text))?|document|context|passage|summary|背景(?:文档|知识|信息|资料)?|摘要)\**\s*(?:\d+\s*)?(?:[:：]\**|\n)))+\s*`)
	headings     = regexp.MustCompile(`(?m)^\s*(?:#+\s[^\n]*|\*\*[^*\n]+\*\*:?\s*)$`)
	// announcement is where a text that was not to answer begins to.
	announcement = regexp.MustCompile(`(?i)\b(?:the\s+(?:(?:most\s+likely|correct|best|right|final)\s+)*(?:answer|option|choice)\s+(?:is|would be|to (?:the|this) question)|correct\s+(?:answer|option|choice)|(?:final\s+)?answer\s*:)|(?:正确)?答案\s*(?:是|为|：|:)|正确(?:选项|答案)`)
	refusal      = regexp.MustCompile(`(?i)^\s*(?:i['’]?m\s+(?:sorry|unable)|i\s+am\s+(?:sorry|unable)|sorry\b|i\s+(?:cannot|can['’]?t|could\s+not|do\s+not\s+have|don['’]?t\s+have)|as\s+an\s+ai\b|抱歉|对不起|很抱歉|我无法|我不能)`)
)

// ParseDocument reads the reply to [GenerateDoc]: background without headings, fences and anything
// from an announcement of the answer on; an error when nothing is left.
func ParseDocument(reply string) (string, Path, error) {
	text, err := spoken(reply)
	if err != nil {
		return "", Unparsed, err
	}
	path := Bare
	if bare := anyFence.ReplaceAllString(text, ""); bare != text {
		text, path = bare, Fenced
	}
	if refusal.MatchString(text) {
		return "", Unparsed, errRefusal
	}
	text = headings.ReplaceAllString(introduction.ReplaceAllString(withoutCourtesies(text), ""), "")
	if at := announcement.FindStringIndex(text); at != nil {
		text = text[:sentenceStart(text, at[0])]
	}
	if text = plaintext.OneLine(text); text == "" {
		return "", Unparsed, errNoContent
	}
	return text, path, nil
}

// sentenceStart is where the sentence that i is in begins.
func sentenceStart(text string, i int) int {
	start := 0
	for _, end := range sentence.FindAllStringIndex(text[:i], -1) {
		start = end[1]
	}
	return start
}
