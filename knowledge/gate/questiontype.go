package gate

import (
	"strings"
	"unicode"

	"lacuna/knowledge/plaintext"
)

// QuestionType is the form of a question, by which policies differ. The question alone tells it.
type QuestionType string

const (
	YesNo     QuestionType = "yesno"  // options all yes, no or maybe, or an open question that begins with an auxiliary verb
	Choice    QuestionType = "choice" // other options
	OpenEnded QuestionType = "open"
)

var auxiliaries = plaintext.Set(`is are was were am do does did can could will would shall should may might must has have had
	isn't aren't wasn't weren't don't doesn't didn't can't couldn't won't wouldn't shouldn't hasn't haven't hadn't`)

// QuestionTypeOf returns the type of a question.
func QuestionTypeOf(q Question) QuestionType {
	if len(q.Options) > 0 {
		for _, o := range q.Options {
			switch strings.ToLower(strings.Trim(o.Text, " .")) {
			case "yes", "no", "maybe", "是", "否", "不确定":
			default:
				return Choice
			}
		}
		return YesNo
	}
	first, _, _ := strings.Cut(strings.TrimLeftFunc(q.Text, func(r rune) bool { return !unicode.IsLetter(r) }), " ")
	switch text := strings.TrimRight(q.Text, " ?？"); {
	case auxiliaries[strings.ToLower(first)]:
		return YesNo
	case strings.HasSuffix(text, "吗") || strings.Contains(text, "是否") || strings.Contains(text, "能不能") || strings.Contains(text, "是不是"):
		return YesNo
	}
	return OpenEnded
}
