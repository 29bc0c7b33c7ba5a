package prompts

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// QueryCheck asks whether a question can be searched for as it stands (Think-then-Act).
type QueryCheck struct{ Question string }

func (QueryCheck) template() string { return "query_check" }

func (QueryCheck) schema() schema {
	return objectOf(property{"class", `{"type":"string","enum":["clear","incomplete","ambiguous"]}`},
		property{"queries", arrayOf(aText)})
}

// Rewrite asks for the question in a long message.
type Rewrite struct{ Question string }

func (Rewrite) template() string { return "rewrite" }

func (Rewrite) schema() schema { return objectOf(property{"question", aText}) }

// Confidence asks how sure the model is that it can answer (Think-then-Act, Self-DC).
type Confidence struct{ Question string }

func (Confidence) template() string { return "confidence" }

func (Confidence) schema() schema { return objectOf(property{"confidence", anInteger}) }

// FollowupAsk asks for further questions (i-MedRAG).
type FollowupAsk struct {
	Question   string
	Options    []Option
	SubAnswers []SubAnswer
	Most       int
}

func (FollowupAsk) template() string { return "followup_ask" }

func (FollowupAsk) schema() schema { return queriesSchema }

// Decompose asks for simpler questions (Self-DC).
type Decompose struct {
	Question string
	Most     int
}

func (Decompose) template() string { return "decompose" }

func (Decompose) schema() schema { return queriesSchema }

// MigresQuery asks for new queries (MIGRES).
type MigresQuery struct {
	Question string
	Asked    []string
	Facts    []string
	Missing  string
	Most     int
}

func (MigresQuery) template() string { return "migres_query" }

func (MigresQuery) schema() schema { return queriesSchema }

// numberedFields returns the values of fields such as "knowledge_1", sorted by number.
func numberedFields(o object, f field) any {
	values := []any{}
	for _, name := range namesByNumber(o) {
		if slices.Contains(f, strings.TrimRight(name, "0123456789_")) {
			values = append(values, o[name])
		}
	}
	return values
}

func allTexts(array []any) bool {
	return !slices.ContainsFunc(array, func(item any) bool { _, ok := item.(string); return !ok })
}

var queriesSchema = objectOf(property{"analysis", aText}, property{"queries", arrayOf(aText)})

// ParseQueries reads the reply to [MigresQuery], [FollowupAsk] and [Decompose]: at most most queries.
// No query is a valid reply.
func ParseQueries(reply string, most int) (analysis string, queries []string, path Path, err error) {
	type asked struct {
		analysis string
		queries  []string
	}
	fields := []field{queriesField, analysisField}
	a, path, err := decode(reply, fields, func(value any) (asked, bool) {
		if array, ok := value.([]any); ok && allTexts(array) {
			queries := distinctItems(textsIn(array), most, maxItem)
			return asked{queries: queries}, len(queries) > 0
		}
		o, ok := objectIn(value, queriesField, field{"query_1"}, field{"question_1"})
		if !ok {
			return asked{}, false
		}
		list, named := o.get(queriesField)
		if !named {
			list = numberedFields(o, append(queriesField, "question"))
		}
		return asked{textField(o, analysisField), distinctItems(textsIn(list), most, maxItem)}, true
	})
	if err == errUnreadable {
		if queries := queryLines(reply, most); len(queries) > 0 {
			return "", queries, Lines, nil
		}
	}
	return a.analysis, a.queries, path, err
}

// queryLines reads a reply with one query per line and nothing else except a line that announces them.
func queryLines(reply string, most int) []string {
	text, err := replyText(reply)
	if err != nil || strings.ContainsAny(text, "{}") {
		return nil
	}
	var queries []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasSuffix(line, ":") || strings.HasSuffix(line, "：") {
			continue
		}
		item := trimBullet(line)
		if item == line && !strings.HasSuffix(line, "?") && !strings.HasSuffix(line, "？") {
			return nil
		}
		queries = append(queries, item)
	}
	return distinctItems(queries, most, maxItem)
}

// Class says whether a question can be searched for as it stands.
type Class string

const (
	Clear      Class = "clear"
	Incomplete Class = "incomplete" // one query completes it
	Ambiguous  Class = "ambiguous"  // several queries each state one of its meanings
)

// Check is the reply to [QueryCheck].
type Check struct {
	Class   Class
	Queries []string // none if clear, at most one if incomplete, at most three if ambiguous
}

// classes lists the words that models use for the classes, in the order in which they are tried.
var classes = []struct {
	class Class
	words []string
	most  int
}{
	{Incomplete, []string{"incomplete", "unclear", "underspecified", "不完整", "不清楚"}, 1},
	{Ambiguous, []string{"ambiguous", "multiple", "歧义", "模糊", "多义"}, 3},
	{Clear, []string{"clear", "complete", "unambiguous", "清晰", "清楚", "明确", "完整"}, 0},
}

// ParseCheck reads a check; any other class is an error.
func ParseCheck(reply string) (Check, Path, error) {
	check, path, err := decode(reply, []field{classField, queriesField}, func(value any) (Check, bool) {
		o, ok := objectIn(value, classField)
		if !ok {
			return Check{}, false
		}
		said, _ := o.get(classField)
		first, _, _ := strings.Cut(foldName(textIn(said)), "_")
		for _, c := range classes {
			for _, word := range c.words {
				if first == word || first != "" && !isASCII(word) && strings.Contains(first, word) {
					queries, _ := o.get(queriesField)
					return Check{c.class, distinctItems(textsIn(queries), c.most, maxItem)}, true
				}
			}
		}
		return Check{}, false
	})
	if err == errUnreadable { //nolint:errorlint // it is never wrapped
		if text, _ := replyText(reply); isClear.MatchString(text) {
			return Check{Class: Clear}, Bare, nil
		}
	}
	return check, path, err
}

// isClear matches a reply of one sentence that finds nothing to complete.
var isClear = regexp.MustCompile(`(?i)^[\s*"']*(?:(?:the|this) question is )?clear[\s*"'.]*$`)

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r > '\u007F' }) < 0
}

// percentPattern matches a percentage in a sentence.
var percentPattern = regexp.MustCompile(`\b\d{1,3}(?:\.\d+)?\s*(?:%|％|/\s*100\b)`)

var (
	fractionPattern = regexp.MustCompile(`^[^\d-]{0,3}(\d{1,3}(?:\.\d+)?)\s*(%|％|/\s*(\d{1,3})|out\s+of\s+(\d{1,3}))?`)
	onlyOne         = regexp.MustCompile(`(?i)(?:confidence|certainty)["'”\s]*[:：]\s*["']?1\.0*(?:\D|$)`)
)

// ParseConfidence reads a confidence as a fraction, from 0 to 1. Prompts ask for hundredths; a number
// up to 1 with a decimal point is taken for a fraction.
func ParseConfidence(reply string) (float64, Path, error) {
	share := func(value any) (float64, bool) {
		if o, ok := objectIn(value, confidenceField); ok {
			value, _ = o.get(confidenceField)
		}
		if value == 1.0 && onlyOne.MatchString(reply) { // the point is lost in the number
			return 1, true
		}
		return fractionIn(textIn(value))
	}
	c, path, err := decode(reply, []field{confidenceField}, share)
	if err == errUnreadable {
		if text, _ := replyText(reply); len(text) <= maxChoiceLine {
			if c, ok := fractionIn(text); ok {
				return c, Bare, nil
			}
			if all := percentPattern.FindAllString(text, -1); len(all) == 1 {
				if c, ok := fractionIn(all[0]); ok {
					return c, Lines, nil
				}
			}
		}
	}
	return c, path, err
}

// fractionIn reads "85", "85 %", "0.85", "8/10" and "8 out of 10".
func fractionIn(text string) (float64, bool) {
	m := fractionPattern.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return 0, false
	}
	n, err := strconv.ParseFloat(m[1], 64)
	of := 100.0
	switch whole := m[3] + m[4]; {
	case whole != "":
		of, _ = strconv.ParseFloat(whole, 64) // digits are a number
	case m[2] == "" && n <= 1 && strings.Contains(m[1], "."):
		of = 1
	}
	if err != nil || n > of {
		return 0, false
	}
	return n / of, true
}

// maxQuestion is the length of the longest rewritten question, in bytes; the prompt asks for 30 words.
const maxQuestion = 400

// ParseRewrite reads the reply to [Rewrite]: one question on one line. It does not judge whether the
// message asks it.
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
		question := strings.TrimSpace(textIn(said))
		return question, isQuestionLine(question)
	})
	if err == errUnreadable {
		text, _ := replyText(reply)
		text = strings.Trim(questionLabel.ReplaceAllString(trimCourtesies(text), ""), wrapping)
		if endsAsQuestion(text) && isQuestionLine(text) {
			return text, Bare, nil
		}
	}
	return question, path, err
}

// questionLabel matches a label before a question that was to stand alone.
var questionLabel = regexp.MustCompile(`(?i)^[\s*]*(?:the (?:rewritten |underlying )?question (?:is|would be)|(?:rewritten )?question|问题)\**\s*[:：]\s*`)

func isQuestionLine(text string) bool {
	text = strings.TrimSpace(text)
	return text != "" && len(text) <= maxQuestion && !strings.ContainsAny(text, "\n\r{}")
}

func endsAsQuestion(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasSuffix(text, "?") || strings.HasSuffix(text, "？")
}
