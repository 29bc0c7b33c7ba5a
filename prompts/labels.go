package prompts

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// The names of fields in replies, folded: ours first, then those that models are known to use, in
// English and Chinese.
var (
	thoughtField = field{"thought", "analysis", "reasoning", "thinking", "explanation", "思考", "分析", "推理", "理由", "想法"}
	judgeField   = field{"judge", "judgement", "judgment", "is_missing", "判断", "结论", "判定", "是否缺失", "missing"}
	gapsField    = field{"missing_knowledge", "missing_info", "missing_information", "gaps", "gap", "missing",
		"缺失知识", "缺失的知识", "缺失信息", "缺少的知识", "知识缺口"}
	queryField        = field{"query", "queries", "search_queries", "search_query", "follow_up", "查询", "检索词", "检索查询", "搜索词", "查询语句"}
	analysisField     = field{"analysis", "reasoning", "thought", "thinking", "explanation", "分析", "思考", "推理", "理由"}
	questionField     = field{"question", "query", "rewritten_question", "rewritten", "search_query", "问题", "查询"}
	queriesField      = field{"queries", "query", "search_queries", "questions", "follow_up", "new_queries", "查询", "检索词", "问题", "追问"}
	knowledgeField    = field{"knowledge", "missing_knowledge", "points", "knowledge_points", "missing_points", "知识", "知识点", "缺失知识", "缺失的知识"}
	selectedField     = field{"selected", "final_selection", "selection", "ids", "selected_ids", "selected_documents", "最终选择", "选择", "选中"}
	requirementsField = field{"requirements", "required_knowledge", "knowledge_points", "points", "需求", "所需知识", "知识点"}
	factsField        = field{"useful_information", "useful_info", "facts", "information", "有用信息", "事实"}
	factField         = field{"info", "fact", "text", "information", "statement", "信息", "事实"}
	supportField      = field{"support_passages", "support", "passages", "supporting_passages", "ids", "sources", "支持段落", "来源"}
	answerField       = field{"answer", "final_answer", "答案", "回答"}
	confidenceField   = field{"confidence", "certainty", "置信度", "信心"}
	classField        = field{"class", "classification", "label", "type", "category", "类别", "分类", "类型"}
	explanationField  = field{"explanation", "reasoning", "thought", "analysis", "解释", "理由", "分析"}
	missingField      = field{"missing_information", "missing_info", "missing_knowledge", "missing", "缺失信息", "缺失知识"}
	verdictsField     = field{"verdicts", "attributions", "results", "statements", "结果", "判断"}
	verdictField      = field{"verdict", "attributed", "supported", "entailed", "attribution", "judge", "judgement", "judgment", "label", "result", "status", "answer", "支持", "判断", "结论"}
	quoteField        = field{"quote", "quotation", "evidence", "exact_words", "words", "span", "excerpt", "引文", "原文", "引用", "依据"}
	passageField      = field{"passage", "passages", "passage_number", "passage_id", "source", "document", "段落", "来源"}
	statementField    = field{"statement", "context", "fact", "text", "陈述"}
	numberField       = field{"number", "n", "id", "index", "no", "编号", "序号"}
)

// labelledLines reads lines such as "Thought: …", "- Knowledge 1: …", "## Queries" and "查询：…" into an
// object with text values. The text after a label belongs to it up to the next label. start is the
// offset of the first label.
func labelledLines(text string, fields []field) (values object, start int) {
	values = object{}
	label := ""
	at := 0
	for line := range strings.Lines(text) {
		begin := at
		at += len(line)
		line = strings.TrimSpace(line)
		name, value, is := splitLabel(line, fields)
		switch {
		case is:
			if label == "" {
				start = begin
			}
			label = name
		case label == "":
			continue
		default:
			value = line
		}
		before, _ := values[label].(string)
		if before != "" && value != "" {
			before += "\n"
		}
		values[label] = before + value
	}
	return values, start
}

var heading = regexp.MustCompile(`^(?:#+\s*.+|\*\*[^*]+\*\*)$`)

// maxLabel is the length of the longest label, in bytes.
const maxLabel = 60

// splitLabel splits off the label of a line, and returns the field it names.
func splitLabel(line string, fields []field) (name, value string, is bool) {
	label, rest := line, ""
	if colon := strings.IndexAny(line, ":：="); colon >= 0 {
		_, size := utf8.DecodeRuneInString(line[colon:])
		label, rest = line[:colon], strings.TrimLeft(line[colon+size:], " \t*")
	} else if !heading.MatchString(line) {
		return "", "", false
	}
	if len(label) > maxLabel {
		return "", "", false
	}
	wanted := strings.TrimRight(foldName(trimBullet(label)), "0123456789_")
	for _, f := range fields {
		for _, known := range f {
			if wanted == known {
				return f[0], rest, true
			}
		}
	}
	return "", "", false
}
