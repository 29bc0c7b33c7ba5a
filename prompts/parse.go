package prompts

import (
	"slices"
	"strings"
)

// Path says how far the parser had to go to understand a reply.
type Path string

const (
	Bare     Path = "bare"     // JSON and nothing else, or text where text was asked for
	Fenced   Path = "fenced"   // in a fenced block
	Embedded Path = "embedded" // balanced JSON inside other text, such as "Dict{…}"
	Closed   Path = "closed"   // cut off; open strings and brackets were closed
	Repaired Path = "repaired" // quotes, commas, literals or comments were mended
	Lines    Path = "lines"    // labelled lines instead of JSON
	Unparsed Path = "unparsed"
)

// The parsers never panic and never guess: what cannot be understood is an error, and the path is
// [Unparsed]. They read the first 256 KiB of a reply.

// What a judge may name: the limits of the Misknow-RAG paper's second retrieval, and of one line.
const (
	mostGaps    = 4
	longestItem = 200 // characters of a gap, a query or a point
)

// longestText is how many characters of an explanation are kept.
const longestText = 4000

var (
	thoughtField = field{"thought", "analysis", "reasoning", "thinking", "explanation", "思考", "分析", "推理", "理由", "想法"}
	judgeField   = field{"judge", "judgement", "judgment", "is_missing", "判断", "结论", "判定", "是否缺失", "missing"}
	gapsField    = field{"missing_knowledge", "missing_info", "missing_information", "gaps", "gap", "missing",
		"缺失知识", "缺失的知识", "缺失信息", "缺少的知识", "知识缺口"}
	queryField     = field{"query", "queries", "search_queries", "search_query", "follow_up", "查询", "检索词", "检索查询", "搜索词", "查询语句"}
	analysisField  = field{"analysis", "reasoning", "thought", "thinking", "explanation", "分析", "思考", "推理", "理由"}
	queriesField   = field{"queries", "query", "search_queries", "questions", "follow_up", "new_queries", "查询", "检索词", "问题", "追问"}
	knowledgeField = field{"knowledge", "missing_knowledge", "points", "knowledge_points", "missing_points", "知识", "知识点", "缺失知识", "缺失的知识"}
	selectedField  = field{"selected", "final_selection", "selection", "ids", "selected_ids", "selected_documents", "最终选择", "选择", "选中"}
	neededField    = field{"requirements", "required_knowledge", "knowledge_points", "points", "需求", "所需知识", "知识点"}
	factsField     = field{"useful_information", "useful_info", "facts", "information", "有用信息", "事实"}
	factField      = field{"info", "fact", "text", "information", "statement", "信息", "事实"}
	supportField   = field{"support_passages", "support", "passages", "supporting_passages", "ids", "sources", "支持段落", "来源"}
	solvedField    = field{"answer", "final_answer", "答案", "回答"}
	sureField      = field{"confidence", "certainty", "置信度", "信心"}
	whyField       = field{"explanation", "reasoning", "thought", "analysis", "解释", "理由", "分析"}
	lackField      = field{"missing_information", "missing_info", "missing_knowledge", "missing", "缺失信息", "缺失知识"}
	verdictsField  = field{"verdicts", "attributions", "results", "statements", "结果", "判断"}
	verdictField   = field{"attributed", "verdict", "supported", "entailed", "attribution", "judge", "label", "answer", "支持", "判断"}
	statementField = field{"statement", "context", "fact", "text", "陈述"}
	numberField    = field{"number", "n", "id", "index", "no", "编号", "序号"}
	contextsField  = field{"contexts", "context", "statements", "statement", "facts", "陈述", "事实"}
)

// missing are the words by which a judge says whether knowledge is missing.
var missing = map[string]bool{
	"true": true, "yes": true, "1": true, "missing": true, "incomplete": true, "insufficient": true, "needed": true,
	"not sufficient": true, "not enough": true, "not complete": true, "inadequate": true, "unsupported": true,
	"knowledge is missing": true, "more knowledge": true,
	"是": true, "缺失": true, "缺少": true, "不足": true, "不完整": true, "不充分": true, "不够": true, "需要": true, "有缺失": true, "没有足够": true,
	"false": false, "no": false, "0": false, "sufficient": false, "complete": false, "enough": false, "none": false,
	"no missing": false, "not missing": false, "not needed": false, "nothing missing": false, "nothing is missing": false, "adequate": false,
	"否": false, "不是": false, "足够": false, "充分": false, "完整": false, "无": false, "没有": false, "不缺": false, "不需要": false, "无缺失": false,
}

// Judgement is the reply to [JudgeGaps].
type Judgement struct {
	Thought string
	Missing bool
	// Gaps are at most four, trimmed, different, of at most 200 characters; Queries[i] is the
	// query of Gaps[i], and never empty.
	Gaps    []string
	Queries []string
	// Extra are queries beyond one for each gap, at most four together with Queries.
	Extra []string
}

// ParseJudgement reads a judgement. Where the judge does not say whether knowledge is missing but
// names some, it is.
func ParseJudgement(reply string) (Judgement, Path, error) {
	fields := []field{judgeField, gapsField, queryField, thoughtField}
	return decode(reply, fields, func(value any) (Judgement, bool) {
		o, ok := objectIn(value, judgeField, gapsField, queryField)
		if !ok {
			return Judgement{}, false
		}
		var j Judgement
		j.Thought = prose(o, thoughtField)
		gaps, _ := o.get(gapsField)
		queries, _ := o.get(queryField)
		j.Gaps, j.Queries, j.Extra = paired(listOf(gaps), listOf(queries))
		verdict, _ := o.get(judgeField)
		if j.Missing, ok = truthOf(verdict, missing); !ok {
			j.Missing = len(j.Gaps)+len(j.Extra) > 0
			return j, j.Missing
		}
		return j, true
	})
}

// paired gives each gap its query, the gap itself where it has none, and returns the other queries.
func paired(gaps, queries []string) (named, asked, extra []string) {
	known := func(list []string, s string) bool {
		return slices.ContainsFunc(list, func(k string) bool { return strings.EqualFold(k, s) })
	}
	for i := range max(len(gaps), len(queries)) {
		gap, query := tidy(at(gaps, i), longestItem), tidy(at(queries, i), longestItem)
		if gap == "" || known(named, gap) || len(named) == mostGaps {
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
	extra = slices.DeleteFunc(distinct(extra, len(extra), longestItem), func(q string) bool { return known(asked, q) })
	return named, asked, extra[:min(len(extra), mostGaps-len(asked))]
}

// at returns the i-th of a list, or nothing.
func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return ""
}

// prose reads a field as text of several sentences.
func prose(o object, f field) string {
	value, _ := o.get(f)
	if list, ok := value.([]any); ok {
		value = strings.Join(listOf(list), " ")
	}
	return tidy(textOf(value), longestText)
}

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

// Selection is the reply to [SelectDocs]: numbers of documents in the order chosen, within
// 1..documents, each once, at most top.
type Selection struct {
	Requirements []string
	Selected     []int
}

// ParseSelection reads a selection; one of no document that exists is an error.
func ParseSelection(reply string, documents, top int) (Selection, Path, error) {
	s, path, err := decode(reply, []field{selectedField, neededField}, func(value any) (Selection, bool) {
		o, ok := objectIn(value, selectedField)
		if _, mapped := o["point"]; mapped || !ok { // a point with its documents, of a reply that was cut off
			return Selection{}, false
		}
		needed, _ := o.get(neededField)
		selected, _ := o.get(selectedField)
		s := Selection{distinct(listOf(needed), 16, longestItem), chosen(selected, documents, top)}
		return s, len(s.Selected) > 0
	})
	if err != errNoSense {
		return s, path, err
	}
	// A list alone will do, but not one in prose, which cites in the same form.
	s, path, err = decode(reply, nil, func(value any) (Selection, bool) {
		array, ok := value.([]any)
		s := Selection{Selected: chosen(array, documents, top)}
		return s, ok && len(s.Selected) > 0
	})
	if err == nil && path != Bare && path != Fenced {
		return Selection{}, Unparsed, errNoSense
	}
	return s, path, err
}

func chosen(value any, documents, top int) []int {
	ids := within(intsOf(value), documents)
	return ids[:min(len(ids), max(top, 0))]
}

// Fact is one fact of the reply to [MigresExtract], with the numbers of the contexts it rests on.
type Fact struct {
	Text    string
	Support []int // within 1..contexts
}

// ParseFacts reads facts; those without any context to rest on are left out. No fact is a reply as
// well.
func ParseFacts(reply string, contexts int) ([]Fact, Path, error) {
	return decode(reply, []field{factsField}, func(value any) ([]Fact, bool) {
		array, ok := arrayIn(value, factsField)
		if !ok {
			return nil, false
		}
		var facts []Fact
		understood := len(array) == 0
		for _, item := range array {
			o, ok := objectIn(item, factField)
			if !ok {
				continue
			}
			understood = true
			info, _ := o.get(factField)
			support, _ := o.get(supportField)
			fact := Fact{Text: tidy(textOf(info), longestText), Support: within(intsOf(support), contexts)}
			if fact.Text != "" && len(fact.Support) > 0 {
				facts = append(facts, fact)
			}
		}
		return facts, understood
	})
}

// Solution is the reply to [MigresSolve].
type Solution struct {
	Answer      string // empty when unanswerable
	Confidence  int    // 1..5, or 0 when not given
	Explanation string
	Missing     string
}

// unanswerable are the beginnings of answers that are none.
var unanswerable = []string{"unanswerable", "cannot be answered", "can not be answered", "not answerable", "unknown", "无法回答", "不能回答", "未知"}

// ParseSolution reads a solution.
func ParseSolution(reply string) (Solution, Path, error) {
	fields := []field{solvedField, sureField, whyField, lackField}
	return decode(reply, fields, func(value any) (Solution, bool) {
		o, ok := objectIn(value, solvedField)
		if !ok {
			return Solution{}, false
		}
		s := Solution{Explanation: prose(o, whyField), Missing: prose(o, lackField)}
		answer, _ := o.get(solvedField)
		sure, _ := o.get(sureField)
		if inner, ok := answer.(map[string]any); ok {
			if within, has := folding(inner).get(sureField); has {
				sure = within
			}
		}
		if ints := intsOf(sure); len(ints) > 0 && 1 <= ints[0] && ints[0] <= 5 {
			s.Confidence = ints[0]
		}
		s.Answer = tidy(textOf(answer), longestText)
		plain := strings.ToLower(s.Answer)
		if slices.ContainsFunc(unanswerable, func(w string) bool { return strings.HasPrefix(plain, w) }) {
			s.Answer = ""
		}
		return s, true
	})
}

// ParseQueries reads the reply to [MigresQuery] and [FollowupAsk]: at most most queries. That
// nothing more has to be asked is a reply as well.
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

// ParseVerdicts reads the reply to [VerifyFacts] and [EvalAttribution]: one verdict for each
// statement; a missing one is false.
func ParseVerdicts(reply string, statements []string) ([]bool, Path, error) {
	return decode(reply, []field{verdictsField}, func(value any) ([]bool, bool) {
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
		return plainVerdicts(array, len(statements), ok)
	})
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
