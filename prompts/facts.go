package prompts

import (
	"regexp"
	"slices"
	"strings"
)

// VerifyFacts asks whether passages state facts.
type VerifyFacts struct {
	Facts    []string
	Contexts []Context
}

func (VerifyFacts) template() string { return "verify_facts" }

func (VerifyFacts) schema() schema { return findingsSchema }

// room allows for each fact a quote of at most 40 words and what it is wrapped in.
func (in VerifyFacts) room() int { return 120 * (1 + len(in.Facts)) }

var findingsSchema = objectOf(property{"verdicts", arrayOf(objectOf(property{"number", anInteger},
	property{"passage", anInteger}, property{"quote", aText},
	property{"verdict", `{"type":"string","enum":["states","contradicts","not stated"]}`}))})

// Finding is what a model found in passages on one statement.
type Finding struct {
	Verdict Verdict
	Passage int    // the number of the passage; 0 if the model named none
	Quote   string // the words that it rests on, as the model gave them; nobody has compared them
}

// Verdict is what a model says that passages hold of a statement.
type Verdict string

const (
	NoVerdict   Verdict = "" // the model said nothing clear on it
	States      Verdict = "states"
	Contradicts Verdict = "contradicts"
	NotStated   Verdict = "not stated"
)

// EvalContexts asks for the statements that a reference answer rests on, to measure how many of them were found.
type EvalContexts struct {
	Question string
	Options  []Option
	Gold     string
}

func (EvalContexts) template() string { return "eval_contexts" }

func (EvalContexts) schema() schema { return statementsSchema }

var statementsSchema = objectOf(property{"statements", arrayOf(aText)})

// maxStatements is how many statements of a reference answer are read.
const maxStatements = 12

var (
	statementsField = field{"statements", "contexts", "facts", "context", "ground_truth_contexts", "ground_truth"}
)

// ParseStatements reads the reply to [EvalContexts]. No statement is a valid reply.
func ParseStatements(reply string) ([]string, Path, error) {
	statements, path, err := decode(reply, []field{statementsField}, func(value any) ([]string, bool) {
		array, ok := value.([]any)
		if !ok {
			o, is := objectIn(value, statementsField)
			if !is {
				return nil, false
			}
			list, _ := o.get(statementsField)
			if array, ok = list.([]any); !ok {
				return distinctItems(textsIn(list), maxStatements, maxItem), true
			}
		}
		for i, item := range array {
			if o, is := objectIn(item, statementField); is {
				array[i] = textField(o, statementField)
			}
		}
		return distinctItems(textsIn(array), maxStatements, maxItem), allTexts(array)
	})
	if err == errUnreadable { //nolint:errorlint // it is never wrapped
		if lines := queryLines(reply, maxStatements); len(lines) > 0 {
			return lines, Lines, nil
		}
	}
	return statements, path, err
}

// ParseVerdicts is [ParseFindings] for callers that only need to know whether each statement is stated.
func ParseVerdicts(reply string, statements []string) ([]bool, Path, error) {
	findings, path, err := ParseFindings(reply, statements)
	if err != nil {
		return nil, path, err
	}
	stated := make([]bool, len(findings))
	for i, f := range findings {
		stated[i] = f.Verdict == States
	}
	return stated, path, nil
}

// ParseFindings reads the reply to [VerifyFacts]: one finding per statement.
func ParseFindings(reply string, statements []string) ([]Finding, Path, error) {
	findings, path, err := decode(reply, []field{verdictsField}, func(value any) ([]Finding, bool) {
		if o, ok := value.(object); ok { // of lines
			array, ok := arrayIn(o, verdictsField)
			return findingsInOrder(array, len(statements), ok)
		}
		array, ok := arrayIn(value, verdictsField)
		if !ok {
			if o, single := objectIn(value, verdictField); single && len(statements) == 1 {
				array, ok = []any{map[string]any(o)}, true
			}
		}
		if len(array) > 0 {
			if _, objects := array[0].(map[string]any); objects {
				return findingsWithStatements(array, statements)
			}
		}
		if !ok {
			return findingsByNumber(value, len(statements))
		}
		return findingsInOrder(array, len(statements), ok)
	})
	if err == errUnreadable { //nolint:errorlint // it is never wrapped
		text, _ := replyText(reply)
		if findings, ok := findingLines(text, len(statements)); ok {
			return findings, Lines, nil
		}
	}
	return findings, path, err
}

// verdictWords maps the words by which models give a verdict.
var verdictWords = map[string]Verdict{
	"states": States, "stated": States, "state": States, "supports": States, "supported": States, "support": States, "attributed": States,
	"entails": States, "entailed": States, "entailment": States, "confirmed": States, "fully supported": States, "correct": States,
	"true": States, "yes": States, "y": States, "1": States, "是": States, "对": States, "支持": States, "陈述": States, "说明": States, "一致": States,
	"contradicts": Contradicts, "contradicted": Contradicts, "contradiction": Contradicts, "contradict": Contradicts, "contradictory": Contradicts,
	"refutes": Contradicts, "refuted": Contradicts, "conflicts": Contradicts, "矛盾": Contradicts, "相矛盾": Contradicts, "反驳": Contradicts, "冲突": Contradicts,
	"not stated": NotStated, "not supported": NotStated, "not attributed": NotStated, "not entailed": NotStated, "not mentioned": NotStated,
	"not found": NotStated, "not given": NotStated, "not specified": NotStated, "not addressed": NotStated, "not": NotStated, "unstated": NotStated, "unsupported": NotStated,
	"neutral": NotStated, "absent": NotStated, "no evidence": NotStated, "not enough information": NotStated, "nei": NotStated, "neither": NotStated,
	"false": NotStated, "no": NotStated, "n": NotStated, "0": NotStated, "否": NotStated, "不": NotStated, "不是": NotStated, "不支持": NotStated, "未提及": NotStated,
	"未提到": NotStated, "未说明": NotStated, "没有提到": NotStated, "没有提及": NotStated, "无": NotStated,
}

// verdictOf reads a value as a verdict.
func verdictOf(value any) (Verdict, bool) {
	if text, is := value.(string); is {
		return leadingWord(text, verdictWords)
	}
	truth, ok := boolOf(value, yesNoWords)
	switch {
	case !ok:
		if m, is := value.(map[string]any); is && len(m) == 1 {
			for _, only := range m {
				return verdictOf(only)
			}
		}
		if list, is := value.([]any); is && len(list) == 1 {
			return verdictOf(list[0])
		}
		return NoVerdict, false
	case truth:
		return States, true
	}
	return NotStated, true
}

// findingOf reads the finding in an object.
func findingOf(o object) (Finding, bool) {
	value, _ := o.get(verdictField)
	verdict, ok := verdictOf(value)
	f := Finding{Verdict: verdict}
	if quote, has := o.get(quoteField); has {
		f.Quote = strings.TrimSpace(textIn(quote))
	}
	if passage, has := o.get(passageField); has {
		if numbers := intsIn(passage); len(numbers) == 1 && numbers[0] > 0 {
			f.Passage = numbers[0]
		}
	}
	return f, ok
}

// findingsByNumber reads an object whose names are the numbers of the statements.
func findingsByNumber(value any, statements int) ([]Finding, bool) {
	m, ok := value.(map[string]any)
	if inner, named := foldNames(m).get(verdictsField); ok && named {
		m, ok = inner.(map[string]any)
	}
	if !ok || len(m) != statements {
		return nil, false
	}
	findings := make([]Finding, statements)
	given := map[int]bool{}
	for name, value := range m {
		n := numberIn(name)
		var f Finding
		if o, is := objectIn(value, verdictField); is {
			f, ok = findingOf(o)
		} else {
			f.Verdict, ok = verdictOf(value)
		}
		if !ok || n < 1 || n > statements || given[n] {
			return nil, false
		}
		given[n], findings[n-1] = true, f
	}
	return findings, true
}

var (
	// verdictLine matches a line with the number of a statement and its verdict.
	verdictLine = regexp.MustCompile(`(?im)^[\s*#-]*(?:statement\s*|陈述\s*)?(\d{1,2})[\s*]*[.):：、-][\s*]*(.+)$`)
	// quotedWords matches words in quotation marks.
	quotedWords = regexp.MustCompile(`“([^”]+)”|"([^"]+)"|「([^」]+)」`)
	linePassage = regexp.MustCompile(`(?i)(?:passages?|contexts?|段落|资料)\s*\[?(\d{1,2})|\[(\d{1,2})\]`)
)

// findingLines reads one line per statement.
func findingLines(text string, statements int) ([]Finding, bool) {
	lines := map[string]any{}
	for _, m := range verdictLine.FindAllStringSubmatch(text, -1) {
		if _, twice := lines[m[1]]; twice {
			return nil, false
		}
		of := map[string]any{verdictField[0]: m[2]}
		if q := quotedWords.FindStringSubmatch(m[2]); q != nil {
			of[quoteField[0]] = q[1] + q[2] + q[3]
			of[verdictField[0]] = strings.Replace(m[2], q[0], "", 1)
		}
		if p := linePassage.FindStringSubmatch(m[2]); p != nil {
			of[passageField[0]] = p[1] + p[2]
		}
		lines[m[1]] = of
	}
	return findingsByNumber(lines, statements)
}

// findingsInOrder reads bare verdicts, one per statement in order.
func findingsInOrder(array []any, statements int, ok bool) ([]Finding, bool) {
	if !ok || len(array) != statements {
		return nil, false
	}
	findings := make([]Finding, statements)
	for i, item := range array {
		if findings[i].Verdict, ok = verdictOf(item); !ok {
			return nil, false
		}
	}
	return findings, true
}

// findingsWithStatements reads findings that identify their statement by its text, by its number or by
// their order.
func findingsWithStatements(array []any, statements []string) ([]Finding, bool) {
	objects := make([]object, len(array))
	for i, item := range array {
		objects[i], _ = objectIn(item, verdictField)
	}
	numbered := trustworthyNumbers(objects)
	findings := make([]Finding, len(statements))
	understood := false
	for i, o := range objects {
		if o == nil {
			continue
		}
		f, ok := findingOf(o)
		if about := statementIndex(o, i, statements, numbered); ok && about >= 0 {
			findings[about], understood = f, true
		}
	}
	return findings, understood
}

// trustworthyNumbers reports whether the numbers of findings can be those of the statements: a model that
// counts from 0, or gives each the same number, keeps their order.
func trustworthyNumbers(findings []object) bool {
	seen := map[int]bool{}
	for _, o := range findings {
		value, has := o.get(numberField)
		ints := intsIn(value)
		if !has || len(ints) != 1 {
			continue
		}
		if ints[0] == 0 || seen[ints[0]] {
			return false
		}
		seen[ints[0]] = true
	}
	return true
}

// statementIndex returns the index of the statement that the i-th finding is about, or -1.
func statementIndex(o object, i int, statements []string, numbered bool) int {
	if value, ok := o.get(statementField); ok {
		said := foldName(textIn(value))
		if at := slices.IndexFunc(statements, func(s string) bool { return foldName(s) == said }); at >= 0 {
			return at
		}
	}
	if value, ok := o.get(numberField); ok && numbered {
		if ints := uniqueUpTo(intsIn(value), len(statements)); len(ints) == 1 {
			return ints[0] - 1
		}
		return -1
	}
	if i < len(statements) {
		return i
	}
	return -1
}
