package prompts

import (
	"regexp"
	"slices"
	"strings"
)

// MigresExtract asks for facts with their support (MIGRES).
type MigresExtract struct {
	Query    string
	Contexts []Context
}

func (MigresExtract) template() string { return "migres_extract" }

// room allows for a few facts of each passage.
func (in MigresExtract) room() int { return 256 * (1 + len(in.Contexts)) }

func (MigresExtract) schema() schema {
	return objectOf(property{"useful_information",
		arrayOf(objectOf(property{"info", aText}, property{"support_passages", arrayOf(anInteger)}))})
}

// MigresSolve asks for an answer from facts alone or, if forced, from all knowledge (MIGRES).
type MigresSolve struct {
	Question string
	Facts    []string
	Forced   bool
}

func (MigresSolve) template() string { return "migres_solve" }

func (MigresSolve) schema() schema {
	return objectOf(property{"explanation", aText},
		property{"answer", objectOf(property{"text", aText}, property{"confidence", anInteger})},
		property{"missing_information", aText})
}

// Fact is one fact of the reply to [MigresExtract], with the numbers of its contexts.
type Fact struct {
	Text    string
	Support []int // within 1..contexts
}

// ParseFacts reads facts, and drops facts without a context. No fact is a valid reply.
func ParseFacts(reply string, contexts int) ([]Fact, Path, error) {
	return decode(reply, []field{factsField}, func(value any) ([]Fact, bool) {
		array, ok := arrayIn(value, factsField)
		if !ok {
			return nil, false
		}
		var facts []Fact
		understood := len(array) == 0
		for _, item := range array {
			if text, plain := item.(string); plain {
				if fact, marked := parseMarkedFact(text, contexts); marked {
					facts, understood = append(facts, fact), true
				}
				continue
			}
			o, ok := objectIn(item, factField)
			if !ok {
				continue
			}
			understood = true
			info, _ := o.get(factField)
			support, _ := o.get(supportField)
			fact := Fact{Text: tidy(textIn(info), maxText), Support: uniqueUpTo(intsIn(support), contexts)}
			if fact.Text != "" && len(fact.Support) > 0 {
				facts = append(facts, fact)
			}
		}
		return facts, understood
	})
}

// supportMarks matches the context numbers at the end of a fact written as text.
var supportMarks = regexp.MustCompile(`\s*((?:[\[(【]\s*(?:(?:passages?|contexts?)\s*)?\d+(?:\s*[,，;&]\s*\d+)*\s*[\])】]\s*)+)([.。]?)\s*$`)

// parseMarkedFact reads a fact written as text with the numbers of its contexts at the end.
func parseMarkedFact(text string, contexts int) (Fact, bool) {
	text = trimBullet(text)
	m := supportMarks.FindStringSubmatchIndex(text)
	if m == nil {
		return Fact{}, false
	}
	fact := Fact{Text: tidy(text[:m[0]]+text[m[4]:m[5]], maxText), Support: uniqueUpTo(intsIn(text[m[2]:m[3]]), contexts)}
	return fact, fact.Text != "" && len(fact.Support) > 0
}

// Solution is the reply to [MigresSolve].
type Solution struct {
	Answer      string // empty if unanswerable
	Confidence  int    // 1..5, or 0 if not given
	Explanation string
	Missing     string
}

// unanswerable lists the beginnings of replies that do not answer.
var unanswerable = []string{"unanswerable", "cannot be answered", "can not be answered", "not answerable", "unknown", "无法回答", "不能回答", "未知"}

// solutionText matches the answer in a solution that is otherwise unreadable, as in the release of
// MIGRES.
var solutionText = regexp.MustCompile(`"text"\s*:\s*"([^"]+)"`)

// ParseSolution reads a solution.
func ParseSolution(reply string) (Solution, Path, error) {
	fields := []field{answerField, confidenceField, explanationField, missingField}
	s, path, err := decode(reply, fields, func(value any) (Solution, bool) {
		o, ok := objectIn(value, answerField)
		if !ok {
			return Solution{}, false
		}
		s := Solution{Explanation: textField(o, explanationField), Missing: textField(o, missingField)}
		answer, _ := o.get(answerField)
		sure, _ := o.get(confidenceField)
		if inner, ok := answer.(map[string]any); ok {
			if within, has := foldNames(inner).get(confidenceField); has {
				sure = within
			}
		}
		if ints := intsIn(sure); len(ints) > 0 && 1 <= ints[0] && ints[0] <= 5 {
			s.Confidence = ints[0]
		}
		s.Answer = tidy(textIn(answer), maxText)
		plain := strings.ToLower(s.Answer)
		if slices.ContainsFunc(unanswerable, func(w string) bool { return strings.HasPrefix(plain, w) }) {
			s.Answer = ""
		}
		return s, true
	})
	if err == errUnreadable {
		text, _ := replyText(reply)
		if m := solutionText.FindStringSubmatch(text); m != nil {
			return Solution{Answer: m[1]}, Lines, nil
		}
	}
	return s, path, err
}
