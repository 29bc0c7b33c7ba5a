package prompts

import (
	"slices"
	"strings"
)

// Exploration is the reply to [ExploreGaps].
type Exploration struct {
	Reasoning string
	Points    []string // at most most, different, none empty or "None"
}

// ParseExploration reads at most most points. That no point is named is a reply as well.
func ParseExploration(reply string, most int) (Exploration, Path, error) {
	fields := []field{knowledgeField, thoughtField}
	return decode(reply, fields, func(value any) (Exploration, bool) {
		if array, ok := value.([]any); ok && allTexts(array) {
			points := distinct(listOf(array), most, longestItem)
			return Exploration{Points: points}, len(points) > 0
		}
		o, ok := objectIn(value, knowledgeField, field{"knowledge_1"}, field{"missing_knowledge_1"}, field{"知识1"}, field{"知识_1"})
		if !ok {
			return Exploration{}, false
		}
		e := Exploration{Reasoning: prose(o, thoughtField)}
		points, named := o.get(knowledgeField)
		if !named {
			points = numberedFields(o, knowledgeField)
		}
		e.Points = distinct(listOf(points), most, longestItem)
		return e, true
	})
}

// numberedFields returns the values of fields such as "knowledge_1", in the order of their numbers.
func numberedFields(o object, f field) any {
	values := []any{}
	for _, name := range numbered(o) {
		if slices.Contains(f, strings.TrimRight(name, "0123456789_")) {
			values = append(values, o[name])
		}
	}
	return values
}

func allTexts(array []any) bool {
	return !slices.ContainsFunc(array, func(item any) bool { _, ok := item.(string); return !ok })
}

// ParseQueries reads the reply to [MigresQuery], [FollowupAsk] and [Decompose]: at most most queries.
// That nothing more has to be asked is a reply as well.
func ParseQueries(reply string, most int) (analysis string, queries []string, path Path, err error) {
	type asked struct {
		analysis string
		queries  []string
	}
	fields := []field{queriesField, analysisField}
	a, path, err := decode(reply, fields, func(value any) (asked, bool) {
		if array, ok := value.([]any); ok && allTexts(array) {
			queries := distinct(listOf(array), most, longestItem)
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
		return asked{prose(o, analysisField), distinct(listOf(list), most, longestItem)}, true
	})
	if err == errNoSense {
		if queries := plainQueries(reply, most); len(queries) > 0 {
			return "", queries, Lines, nil
		}
	}
	return a.analysis, a.queries, path, err
}

// plainQueries reads a reply that has one query on each line, and nothing else but a line that
// announces them.
func plainQueries(reply string, most int) []string {
	text, err := spoken(reply)
	if err != nil || strings.ContainsAny(text, "{}") {
		return nil
	}
	var queries []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasSuffix(line, ":") || strings.HasSuffix(line, "：") {
			continue
		}
		item := withoutBullet(line)
		if item == line && !strings.HasSuffix(line, "?") && !strings.HasSuffix(line, "？") {
			return nil
		}
		queries = append(queries, item)
	}
	return distinct(queries, most, longestItem)
}
