package prompts

// example is an input to render: its golden file is named after its template and this name.
type example struct {
	name string
	in   Input
}

var (
	passages = []Context{
		{N: 1, Title: "Pruning", Text: "Forsythia flowers on the wood of last year.\nIt is pruned right after it has flowered [4]."},
		{N: 2, Question: "When do I prune roses?", Text: "In spring, when forsythia is in flower."},
	}
	found = []Context{
		{N: 3, Title: "Hydrangea", Text: "Panicle hydrangeas flower on new wood and are pruned in early spring."},
		{N: 4, Text: "Farm hydrangeas form their buds in late summer.", Generated: true, Note: "nothing useful was found in it"},
	}
	letters    = []Option{{"A", "In early spring"}, {"B", "Right after flowering"}, {"C", "In autumn"}}
	onTheWay   = []SubAnswer{{"On which wood does forsythia flower?", "On the wood of last year."}}
	statements = []string{"Forsythia flowers on old wood.", "Forsythia is pruned in autumn."}
)

const (
	asked  = "When is forsythia pruned,\nand how far back?"
	zhAsks = "连翘应该什么时候修剪？"
)

// examples holds inputs with everything and with as little as makes sense, in English, and some in
// Chinese.
var examples = []example{
	{"full", AnswerDirect{asked, letters, Paragraph, "German"}},
	{"least", AnswerDirect{Question: asked}},
	{"zh", AnswerDirect{Question: zhAsks, Style: Short}},
	{"full", AnswerCoT{asked, letters, passages, Short, "German"}},
	{"least", AnswerCoT{Question: asked}},
	{"full", AnswerManualCoT{asked, letters, passages, Short, "German"}},
	{"least", AnswerManualCoT{Question: asked}},
	{"full", AnswerContext{Question: asked, Contexts: passages, Gaps: []string{"how far to cut", "tools"}, Thought: "The time is covered, the extent is not.",
		Reasoning: "Old wood bears the flowers.", GapContexts: found, Style: Note, Language: "German"}},
	{"least", AnswerContext{Question: asked}},
	{"zh", AnswerContext{Question: zhAsks, Contexts: []Context{{N: 1, Title: "连翘", Text: "连翘在花后\n立即修剪。"}}, Style: Note}},
	{"full", AnswerChoice{Question: asked, Options: letters, Contexts: append(passages[:1:1], found...), SubAnswers: onTheWay}},
	{"judged", AnswerChoice{Question: asked, Options: letters, Contexts: passages, Gaps: []string{"how far to cut"},
		Thought: "The time is covered, the extent is not.", Reasoning: "Old wood bears the flowers.", GapContexts: found}},
	{"least", AnswerChoice{Question: asked, Options: letters}},
	{"full", JudgeGaps{Question: asked, Contexts: passages, Draft: "Right after\nit has flowered.", Stepwise: true}},
	{"published", JudgeGaps{Question: asked, Contexts: passages, Draft: "Right after\nit has flowered.", Stepwise: true, QuestionFirst: true}},
	{"least", JudgeGaps{Question: asked}},
	{"zh", JudgeGaps{Question: zhAsks, Contexts: []Context{{N: 1, Title: "连翘", Text: "连翘开黄花。"}}, Draft: "花后。", Stepwise: true}},
	{"full", ExploreGaps{Question: asked, Options: letters, Summaries: []string{"Forsythia flowers on old wood.", "Roses are pruned in spring."}, Most: 3}},
	{"published", ExploreGaps{Question: asked, Options: letters, Summaries: []string{"Forsythia flowers on old wood."}, Most: 3, Exactly: true}},
	{"least", ExploreGaps{Question: asked, Most: 1}},
	{"full", SummariseDoc{Question: asked, Options: letters, Document: passages[0]}},
	{"published", SummariseDoc{Question: asked, Options: letters, Document: passages[0], QuestionLast: true}},
	{"least", SummariseDoc{Question: asked, Document: passages[1]}},
	{"full", GenerateDoc{asked, letters, "Extent of pruning", []Demonstration{{"When are roses pruned?", "Roses flower on new wood."}}, 256}},
	{"least", GenerateDoc{Question: asked}},
	{"full", SelectDocs{Question: asked, Options: letters, Documents: append(passages[:2:2], found...), Top: 5}},
	{"published", SelectDocs{Question: asked, Options: letters, Documents: passages, Top: 5, QuestionFirst: true}},
	{"least", SelectDocs{Question: asked, Documents: passages, Top: 1}},
	{"full", MigresExtract{asked, passages}},
	{"least", MigresExtract{Query: "forsythia pruning"}},
	{"full", MigresSolve{asked, statements, true}},
	{"least", MigresSolve{Question: asked}},
	{"full", MigresQuery{asked, []string{"forsythia pruning"}, statements, "how far to cut", 3}},
	{"least", MigresQuery{Question: asked, Most: 1}},
	{"full", VerifyFacts{statements, passages}},
	{"least", VerifyFacts{Facts: statements[:1]}},
	{"full", EvalContexts{Question: asked, Options: letters, Gold: "It eases an acute attack of gout. Take one tablet, 0.5 mg, twice a day."}},
	{"least", EvalContexts{Question: asked, Gold: "Twice a day."}},
	{"full", FollowupAsk{asked, letters, onTheWay, 3}},
	{"least", FollowupAsk{Question: asked, Most: 1}},
	{"full", QueryCheck{asked}},
	{"zh", QueryCheck{zhAsks}},
	{"full", Rewrite{asked}},
	{"zh", Rewrite{zhAsks}},
	{"full", Confidence{asked}},
	{"full", Decompose{asked, 3}},
	{"least", Decompose{Question: asked}},
	{"full", Combine{asked, letters, onTheWay, Paragraph, "German"}},
	{"least", Combine{Question: asked}},
}
