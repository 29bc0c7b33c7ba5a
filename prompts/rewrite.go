package prompts

import (
	"regexp"
	"strings"
)

// longestQuestion is how long a question may be that a message was rewritten into, in bytes; it is asked
// for in 30 words.
const longestQuestion = 400

// ParseRewrite reads the reply to [Rewrite]: one question on one line. Whether it is the one that the
// message asks is not for the parser to say.
func ParseRewrite(reply string) (question string, path Path, err error) {
	question, path, err = decode(reply, []field{questionField}, func(value any) (string, bool) {
		o, ok := objectIn(value, questionField)
		if !ok {
			return "", false
		}
		said, _ := o.get(questionField)
		if list, ok := said.([]any); ok && len(list) != 1 {
			return "", false
		}
		question := strings.TrimSpace(textOf(said))
		return question, isQuestionLine(question)
	})
	if err == errNoSense {
		text, _ := spoken(reply)
		text = strings.Trim(questionLabel.ReplaceAllString(withoutCourtesies(text), ""), wrapping)
		if asksSomething(text) && isQuestionLine(text) {
			return text, Bare, nil
		}
	}
	return question, path, err
}

// questionLabel is what models write before a question that was to stand alone.
var questionLabel = regexp.MustCompile(`(?i)^[\s*]*(?:the (?:rewritten |underlying )?question (?:is|would be)|(?:rewritten )?question|问题)\**\s*[:：]\s*`)

func isQuestionLine(text string) bool {
	text = strings.TrimSpace(text)
	return text != "" && len(text) <= longestQuestion && !strings.ContainsAny(text, "\n\r{}")
}

func asksSomething(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasSuffix(text, "?") || strings.HasSuffix(text, "？")
}
