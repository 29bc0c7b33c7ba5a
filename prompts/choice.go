package prompts

import (
	"regexp"
	"strings"
)

// Choice is the reply to [AnswerChoice]. Letter is empty when none or several were named: that is
// no answer, never the first option.
type Choice struct {
	Letter    string
	Reasoning string
}

var (
	choiceField    = field{"answer_choice", "answer", "choice", "option", "final_answer", "correct_answer", "correct_option", "答案", "选项", "选择", "正确答案", "最终答案"}
	reasoningField = field{"reasoning", "step_by_step_thinking", "explanation", "thought", "analysis", "推理", "理由", "分析", "解释", "思考"}
)

var (
	// announced is where a text in prose says what it chooses.
	announced = regexp.MustCompile(`(?i)(?:\b(?:answer|option|choice)|答案|选项)\**\s*(?:\b(?:is|would be)\b\s*[:：]?|[:：]|[为是选]\s*[:：]?)\s*\**\s*`)
	// boxed is how models that were trained on sums, or on tags, mark an answer.
	boxed = regexp.MustCompile(`\\boxed\{(?:\\text\{)?([^{}]*)\}+|<answer>([^<>]*)</answer>`)
)

// ParseChoice reads a choice; a reply that names no single option is an error.
func ParseChoice(reply string, options []Option) (Choice, Path, error) {
	// The JSON decides where there is some, also when what it chooses is not one option.
	c, path, err := decode(reply, nil, func(value any) (Choice, bool) {
		o, ok := objectIn(value, choiceField)
		if !ok {
			return Choice{}, false
		}
		value, _ = o.get(choiceField)
		return Choice{Letter: letterOf(choiceText(value), options), Reasoning: prose(o, reasoningField)}, true
	})
	if err == errNoSense {
		text, _ := spoken(reply)
		text = boxed.ReplaceAllString(text, "$1$2")
		// What stands in braces was to be the object; it has been read as far as it can be.
		if brace := strings.LastIndexAny(text, "{}"); brace >= 0 {
			text = strings.TrimPrefix(text[brace:], "}")
		}
		if c, path = choiceInProse(text, options); c.Letter != "" {
			err = nil
		}
	}
	if err == nil && c.Letter == "" {
		err = errNoChoice
	}
	if err != nil {
		return Choice{Reasoning: c.Reasoning}, Unparsed, err
	}
	return c, path, nil
}

// choiceText reads the value of a choice. Several values are as many choices.
func choiceText(value any) string {
	if list, ok := value.([]any); ok {
		return strings.Join(listOf(list), " / ")
	}
	return textOf(value)
}

// shortLine is how long a line may be, in bytes, that is taken for a choice and not for an argument.
const shortLine = 160

// choiceInProse reads what the last announcement of a text chooses; or else the text itself if it is
// one short line; or else its end, if that is no more than a choice or names an option by letter and
// text.
func choiceInProse(text string, options []Option) (Choice, Path) {
	text = strings.TrimSpace(text)
	last := strings.LastIndexByte(text, '\n') + 1
	if at := announced.FindAllStringIndex(text, -1); len(at) > 0 {
		end := at[len(at)-1]
		line, _, _ := strings.Cut(text[end[1]:], "\n")
		return Choice{Letter: letterOf(line, options), Reasoning: tidy(text[:sentenceStart(text, end[0])], longestText)}, Lines
	}
	if last == 0 && len(text) <= shortLine {
		if letter := letterOf(text, options); letter != "" {
			return Choice{Letter: letter}, Bare
		}
	}
	letter := onlyLetter(text[last:], options)
	if letter == "" { // the full stop after a letter begins a sentence of its own
		end := sentenceStart(text, max(0, len(text)-1))
		letter = namedLetter(text[sentenceStart(text, max(0, end-2)):], options)
	}
	return Choice{Letter: letter, Reasoning: tidy(text[:last], longestText)}, Lines
}
