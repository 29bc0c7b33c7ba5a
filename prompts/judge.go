package prompts

import (
	"slices"
	"strings"
)

// JudgeGaps asks what the evidence and a draft lack (Misknow-RAG).
type JudgeGaps struct {
	Question string
	Contexts []Context
	Draft    string
	Stepwise bool // false for the ablation without reasoning
	// QuestionFirst puts the question before the contexts, as in the paper.
	QuestionFirst bool
}

func (JudgeGaps) template() string { return "judge_gaps" }

func (JudgeGaps) schema() schema {
	return objectOf(property{"thought", aText}, property{"judge", aBoolean},
		property{"missing_knowledge", arrayOf(aText)}, property{"query", arrayOf(aText)})
}

// thinks reports whether the reply begins with the model's thinking, which a schema would forbid.
func (j JudgeGaps) thinks() bool { return j.Stepwise }

// Judgement is the reply to [JudgeGaps].
type Judgement struct {
	Thought string
	Missing bool
	// Gaps holds at most four different texts of at most 200 characters. Queries[i] is the query for
	// Gaps[i], and never empty.
	Gaps    []string
	Queries []string
	// Extra holds queries beyond one per gap, at most four together with Queries.
	Extra []string
	// Reasoning is the model's reasoning in the text around its object, or in the whole text if there
	// is no object; empty if it wrote none. Reasoning in a field of the reply or between tags is not
	// part of it.
	Reasoning string
}

// ParseJudgement reads a judgement. If the judge names gaps without saying whether knowledge is
// missing, it is. Of several judgements the last complete one counts. Reasoning is set even with an
// error.
func ParseJudgement(reply string) (Judgement, Path, error) {
	fields := []field{judgeField, gapsField, queryField, thoughtField}
	j, found, err := decodeAt(reply, fields, judgementOf, true)
	text, _ := replyText(reply)
	switch {
	case err == nil:
		j.Reasoning = thinkingText(text[:found.start])
		if j.Reasoning == "" {
			j.Reasoning = thinkingText(text[found.end:])
		}
	case err == errUnreadable: //nolint:errorlint // it is never wrapped
		j.Reasoning = thinkingText(text)
	}
	return j, found.path, err
}

func judgementOf(value any) (Judgement, bool) {
	o, ok := objectIn(value, judgeField, gapsField, queryField)
	if !ok {
		return Judgement{}, false
	}
	var j Judgement
	j.Thought = textField(o, thoughtField)
	gaps, _ := o.get(gapsField)
	queries, _ := o.get(queryField)
	j.Gaps, j.Queries, j.Extra = pairQueries(textsIn(gaps), textsIn(queries))
	verdict, _ := o.get(judgeField)
	if j.Missing, ok = boolOf(verdict, missingWords); !ok {
		j.Missing = len(j.Gaps)+len(j.Extra) > 0
		return j, j.Missing
	}
	return j, true
}

// pairQueries gives each gap its query, or the gap itself if it has none, and returns the other
// queries.
func pairQueries(gaps, queries []string) (named, asked, extra []string) {
	known := func(list []string, s string) bool {
		return slices.ContainsFunc(list, func(k string) bool { return strings.EqualFold(k, s) })
	}
	for i := range min(max(len(gaps), len(queries)), maxListed) {
		gap, query := tidy(at(gaps, i), maxItem), tidy(at(queries, i), maxItem)
		if gap == "" || known(named, gap) || len(named) == maxGaps {
			if query != "" {
				extra = append(extra, query)
			}
			continue
		}
		if query == "" || known(asked, query) {
			query = gap
		}
		named, asked = append(named, gap), append(asked, query)
	}
	extra = slices.DeleteFunc(distinctItems(extra, len(extra), maxItem), func(q string) bool { return known(asked, q) })
	return named, asked, extra[:min(len(extra), maxGaps-len(asked))]
}

// maxListed limits how far the lists of a judge are read, who was asked for four.
const maxListed = 64

// at returns the i-th element of a list, or "".
func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return ""
}

// maxGaps limits the gaps of a judgement to what the second retrieval of the Misknow-RAG paper uses.
const maxGaps = 4
