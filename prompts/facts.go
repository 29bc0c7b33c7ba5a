package prompts

import (
	"regexp"
	"slices"
)

// VerifyFacts asks whether passages entail facts.
type VerifyFacts struct {
	Facts    []string
	Contexts []Context
}

func (VerifyFacts) template() string { return "verify_facts" }

func (VerifyFacts) schema() schema { return verdictsSchema }

var verdictsSchema = objectOf(property{"verdicts", arrayOf(objectOf(property{"number", anInteger},
	property{"reason", aText}, property{"attributed", aBoolean}))})

// ParseVerdicts reads the reply to [VerifyFacts]: one verdict per statement; a missing one is false.
func ParseVerdicts(reply string, statements []string) ([]bool, Path, error) {
	verdicts, path, err := decode(reply, []field{verdictsField}, func(value any) ([]bool, bool) {
		if o, ok := value.(object); ok { // of lines
			array, ok := arrayIn(o, verdictsField)
			return verdictsInOrder(array, len(statements), ok)
		}
		array, ok := arrayIn(value, verdictsField)
		if !ok {
			if o, single := objectIn(value, verdictField); single && len(statements) == 1 {
				array, ok = []any{map[string]any(o)}, true
			}
		}
		if len(array) > 0 {
			if _, objects := array[0].(map[string]any); objects {
				return verdictsWithStatements(array, statements)
			}
		}
		if !ok {
			return verdictsByNumber(value, len(statements))
		}
		return verdictsInOrder(array, len(statements), ok)
	})
	if err == errUnreadable { //nolint:errorlint // it is never wrapped
		text, _ := replyText(reply)
		if verdicts, ok := verdictLines(text, len(statements)); ok {
			return verdicts, Lines, nil
		}
	}
	return verdicts, path, err
}

// verdictsByNumber reads an object whose names are the numbers of the statements.
func verdictsByNumber(value any, statements int) ([]bool, bool) {
	m, ok := value.(map[string]any)
	if inner, named := foldNames(m).get(verdictsField); ok && named {
		m, ok = inner.(map[string]any)
	}
	if !ok || len(m) != statements {
		return nil, false
	}
	verdicts := make([]bool, statements)
	given := map[int]bool{}
	for name, value := range m {
		n := numberIn(name)
		if o, ok := objectIn(value, verdictField); ok {
			value, _ = o.get(verdictField)
		}
		truth, ok := boolOf(value, yesNoWords)
		if !ok || n < 1 || n > statements || given[n] {
			return nil, false
		}
		given[n], verdicts[n-1] = true, truth
	}
	return verdicts, true
}

// verdictLine matches a line with the number of a statement and its verdict.
var verdictLine = regexp.MustCompile(`(?im)^[\s*#-]*(?:statement\s*|陈述\s*)?(\d{1,2})[\s*]*[.):：、-][\s*]*(.+)$`)

// verdictLines reads one line per statement.
func verdictLines(text string, statements int) ([]bool, bool) {
	lines := map[string]any{}
	for _, m := range verdictLine.FindAllStringSubmatch(text, -1) {
		if _, twice := lines[m[1]]; twice {
			return nil, false
		}
		lines[m[1]] = m[2]
	}
	return verdictsByNumber(lines, statements)
}

// verdictsInOrder reads bare verdicts, one per statement in order.
func verdictsInOrder(array []any, statements int, ok bool) ([]bool, bool) {
	if !ok || len(array) != statements {
		return nil, false
	}
	verdicts := make([]bool, statements)
	for i, item := range array {
		if verdicts[i], ok = boolOf(item, yesNoWords); !ok {
			return nil, false
		}
	}
	return verdicts, true
}

// verdictsWithStatements reads verdicts that identify their statement by number, by text or by order.
func verdictsWithStatements(array []any, statements []string) ([]bool, bool) {
	verdicts := make([]bool, len(statements))
	understood := false
	for i, item := range array {
		o, ok := objectIn(item, verdictField)
		if !ok {
			continue
		}
		value, _ := o.get(verdictField)
		truth, ok := boolOf(value, yesNoWords)
		if about := statementIndex(o, i, statements); ok && about >= 0 {
			verdicts[about] = truth
			understood = true
		}
	}
	return verdicts, understood
}

// statementIndex returns the index of the statement that the i-th verdict is about, or -1.
func statementIndex(o object, i int, statements []string) int {
	if value, ok := o.get(statementField); ok {
		said := foldName(textIn(value))
		if at := slices.IndexFunc(statements, func(s string) bool { return foldName(s) == said }); at >= 0 {
			return at
		}
	}
	if value, ok := o.get(numberField); ok {
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
