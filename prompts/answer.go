package prompts

import "strings"

// AnswerDirect asks for an answer without evidence.
type AnswerDirect struct {
	Question string
	Options  []Option
	Style    Style
	Language string
}

func (AnswerDirect) template() string { return "answer_direct" }

// AnswerCoT asks for step-by-step reasoning and a last line "Answer: …".
type AnswerCoT struct {
	Question string
	Options  []Option
	Contexts []Context
	Style    Style
	Language string
}

func (AnswerCoT) template() string { return "answer_cot" }

// AnswerManualCoT asks for reasoning like worked examples, and a last line "Answer: …" (Manual CoT).
type AnswerManualCoT struct {
	Question string
	Options  []Option
	Contexts []Context
	Style    Style
	Language string
}

func (AnswerManualCoT) template() string { return "answer_manual_cot" }

// AnswerContext asks for an answer from evidence with [n] marks.
type AnswerContext struct {
	Question    string
	Contexts    []Context
	Gaps        []string  // missing after the first round
	Thought     string    // of the judge
	Reasoning   string    // part of the judge's trace
	GapContexts []Context // found for the gaps; numbered on from Contexts
	Style       Style
	Language    string
}

func (AnswerContext) template() string { return "answer_context" }

// Combine asks for an answer from the answers to simpler questions (Self-DC).
type Combine struct {
	Question   string
	Options    []Option
	SubAnswers []SubAnswer
	Style      Style
	Language   string
}

func (Combine) template() string { return "combine" }

// How many tokens an answer needs, by its style; with the words that it rests on, twice as many.
const (
	shortRoom    = 128
	answerRoom   = 512
	quotedRoom   = 1024
	thinkingRoom = 1024 // of an answer after steps in text
)

func roomOf(s Style, room int) int {
	if s == Short {
		return shortRoom
	}
	return room
}

func (in AnswerDirect) room() int { return roomOf(in.Style, answerRoom) }
func (in AnswerContext) room() int {
	if in.Style == Paragraph {
		return answerRoom
	}
	return roomOf(in.Style, quotedRoom)
}
func (in Combine) room() int      { return roomOf(in.Style, answerRoom) }
func (AnswerCoT) room() int       { return thinkingRoom }
func (AnswerManualCoT) room() int { return thinkingRoom }

// ParseAnswer returns the answer in a reply to [AnswerDirect], [AnswerContext], [AnswerCoT] or
// [Combine], without a leading "Answer:" and without fences. A short answer is the first line that is
// not empty.
func ParseAnswer(reply string, style Style) (string, Path, error) {
	text, err := replyText(reply)
	if err != nil {
		return "", Unparsed, err
	}
	path := Bare
	if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "```") {
		if o, way, err := decode(text, nil, func(value any) (string, bool) {
			o, ok := objectIn(value, answerField)
			answer, _ := o.get(answerField)
			return textIn(answer), ok && textIn(answer) != ""
		}); err == nil {
			text, path = o, way
		}
	}
	if bare, was := stripFence(text); was {
		text, path = bare, Fenced
	}
	text = strings.TrimSpace(answerLabel.ReplaceAllString(trimCourtesies(text), ""))
	if style == Short {
		text = firstLine(text)
	}
	if text == "" {
		return "", Unparsed, ErrEmpty
	}
	return text, path, nil
}

// stripFence removes the fence around a text.
func stripFence(text string) (bare string, was bool) {
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

// AnnouncesAnswer reports whether a reply says "Answer:" or "the answer is".
func AnnouncesAnswer(reply string) bool {
	text, err := replyText(reply)
	return err == nil && lastAnswer.MatchString(text)
}

// ParseLastAnswer reads the reply to [AnswerCoT]: the text after the last "Answer:" or "the answer is",
// else the last sentence. thinking is the text before it.
func ParseLastAnswer(reply string) (thinking, answer string, path Path, err error) {
	text, err := replyText(reply)
	if err != nil {
		return "", "", Unparsed, err
	}
	text, _ = stripFence(text)
	text = trimCourtesies(text)
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
		return "", "", Unparsed, ErrEmpty
	}
	return strings.TrimSpace(text[:start]), answer, Lines, nil
}

// sentenceStart returns the beginning of the sentence that contains i.
func sentenceStart(text string, i int) int {
	start := 0
	for _, end := range sentence.FindAllStringIndex(text[:i], -1) {
		start = end[1]
	}
	return start
}
