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

// EvalContexts asks for the statements that an answer rests on.
type EvalContexts struct{ Question, Gold string }

func (EvalContexts) template() string { return "eval_contexts" }

func (EvalContexts) schema() schema {
	return objectOf(property{"contexts", arrayOf(objectOf(property{"context", aText}))})
}

// EvalAttribution asks which statements the contexts hold.
type EvalAttribution struct {
	Question   string
	Contexts   []Context
	Statements []string
}

func (EvalAttribution) template() string { return "eval_attribution" }

func (EvalAttribution) schema() schema { return verdictsSchema }

var verdictsSchema = objectOf(property{"verdicts", arrayOf(objectOf(property{"number", anInteger},
	property{"reason", aText}, property{"attributed", aBoolean}))})

// ParseVerdicts reads the reply to [VerifyFacts] and [EvalAttribution]: one verdict for each
// statement; a missing one is false.
func ParseVerdicts(reply string, statements []string) ([]bool, Path, error) {
	verdicts, path, err := decode(reply, []field{verdictsField}, func(value any) ([]bool, bool) {
		if o, ok := value.(object); ok { // of lines
			array, ok := arrayIn(o, verdictsField)
			return plainVerdicts(array, len(statements), ok)
		}
		array, ok := arrayIn(value, verdictsField)
		if !ok {
			if o, single := objectIn(value, verdictField); single && len(statements) == 1 {
				array, ok = []any{map[string]any(o)}, true
			}
		}
		if len(array) > 0 {
			if _, objects := array[0].(map[string]any); objects {
				return statedVerdicts(array, statements)
			}
		}
		if !ok {
			return keyedVerdicts(value, len(statements))
		}
		return plainVerdicts(array, len(statements), ok)
	})
	if err == errNoSense { //nolint:errorlint // it is never wrapped
		text, _ := spoken(reply)
		if verdicts, ok := listedVerdicts(text, len(statements)); ok {
			return verdicts, Lines, nil
		}
	}
	return verdicts, path, err
}

// keyedVerdicts reads an object whose names are the numbers of the statements.
func keyedVerdicts(value any, statements int) ([]bool, bool) {
	m, ok := value.(map[string]any)
	if inner, named := folding(m).get(verdictsField); ok && named {
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
		truth, ok := truthOf(value, truths)
		if !ok || n < 1 || n > statements || given[n] {
			return nil, false
		}
		given[n], verdicts[n-1] = true, truth
	}
	return verdicts, true
}

// listed is a line with the number of a statement and what is held of it.
var listed = regexp.MustCompile(`(?im)^[\s*#-]*(?:statement\s*|陈述\s*)?(\d{1,2})[\s*]*[.):：、-][\s*]*(.+)$`)

// listedVerdicts reads one line for each statement.
func listedVerdicts(text string, statements int) ([]bool, bool) {
	lines := map[string]any{}
	for _, m := range listed.FindAllStringSubmatch(text, -1) {
		if _, twice := lines[m[1]]; twice {
			return nil, false
		}
		lines[m[1]] = m[2]
	}
	return keyedVerdicts(lines, statements)
}

// plainVerdicts reads bare verdicts, one for each statement in order.
func plainVerdicts(array []any, statements int, ok bool) ([]bool, bool) {
	if !ok || len(array) != statements {
		return nil, false
	}
	verdicts := make([]bool, statements)
	for i, item := range array {
		if verdicts[i], ok = truthOf(item, truths); !ok {
			return nil, false
		}
	}
	return verdicts, true
}

// statedVerdicts reads verdicts that say which statement they are about, by its number, its text or
// their order.
func statedVerdicts(array []any, statements []string) ([]bool, bool) {
	verdicts := make([]bool, len(statements))
	understood := false
	for i, item := range array {
		o, ok := objectIn(item, verdictField)
		if !ok {
			continue
		}
		value, _ := o.get(verdictField)
		truth, ok := truthOf(value, truths)
		if about := statementOf(o, i, statements); ok && about >= 0 {
			verdicts[about] = truth
			understood = true
		}
	}
	return verdicts, understood
}

// statementOf is the index of the statement that the i-th verdict is about, or -1.
func statementOf(o object, i int, statements []string) int {
	if value, ok := o.get(statementField); ok {
		said := folded(textOf(value))
		if at := slices.IndexFunc(statements, func(s string) bool { return folded(s) == said }); at >= 0 {
			return at
		}
	}
	if value, ok := o.get(numberField); ok {
		if ints := within(intsOf(value), len(statements)); len(ints) == 1 {
			return ints[0] - 1
		}
		return -1
	}
	if i < len(statements) {
		return i
	}
	return -1
}

// mostStatements is how many statements one answer is taken to rest on.
const mostStatements = 32

// ParseStatements reads the reply to [EvalContexts].
func ParseStatements(reply string) ([]string, Path, error) {
	return decode(reply, []field{contextsField}, func(value any) ([]string, bool) {
		array, ok := arrayIn(value, contextsField)
		if !ok || slices.ContainsFunc(array, func(item any) bool { return !isStatement(item) }) {
			return nil, false
		}
		statements := distinct(listOf(array), mostStatements, longestText)
		return statements, len(statements) > 0 || len(array) == 0
	})
}

// isStatement reports whether an item of a list can be one: a text, or an object that has one.
func isStatement(item any) bool {
	switch v := item.(type) {
	case string:
		return true
	case map[string]any:
		_, has := folding(v).get(statementField)
		return has || len(v) == 1
	}
	return false
}
