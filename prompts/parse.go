package prompts

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

// SplitReasoning takes a leading <think>…</think> out of a reply. Closed is false when the block
// does not end: the output ran out while the model was still thinking, and there is no reply.
func SplitReasoning(text string) (reasoning, reply string, closed bool) { panic("not built yet") }

// The parsers below never panic and never guess: what cannot be understood is an error, and the
// path is [Unparsed].

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

func ParseJudgement(reply string) (Judgement, Path, error) { panic("not built yet") }

// Exploration is the reply to [ExploreGaps].
type Exploration struct {
	Reasoning string
	Points    []string // at most most, different, none empty or "None"
}

func ParseExploration(reply string, most int) (Exploration, Path, error) { panic("not built yet") }

// Selection is the reply to [SelectDocs]: numbers of documents in the order chosen, within
// 1..documents, each once, at most top.
type Selection struct {
	Requirements []string
	Selected     []int
}

func ParseSelection(reply string, documents, top int) (Selection, Path, error) {
	panic("not built yet")
}

// Fact is one fact of the reply to [MigresExtract], with the numbers of the contexts it rests on.
type Fact struct {
	Text    string
	Support []int // within 1..contexts
}

func ParseFacts(reply string, contexts int) ([]Fact, Path, error) { panic("not built yet") }

// Solution is the reply to [MigresSolve].
type Solution struct {
	Answer      string // empty when unanswerable
	Confidence  int    // 1..5, or 0 when not given
	Explanation string
	Missing     string
}

func ParseSolution(reply string) (Solution, Path, error) { panic("not built yet") }

// ParseQueries reads the reply to [MigresQuery] and [FollowupAsk]: at most most queries.
func ParseQueries(reply string, most int) (analysis string, queries []string, path Path, err error) {
	panic("not built yet")
}

// Choice is the reply to [AnswerChoice]. Letter is empty when none or several were named: that is
// no answer, never the first option.
type Choice struct {
	Letter    string
	Reasoning string
}

// ParseChoice reads a choice; a reply that names no single option is an error.
func ParseChoice(reply string, options []Option) (Choice, Path, error) { panic("not built yet") }

// ParseAnswer takes a plain answer out of a reply to [AnswerDirect], [AnswerContext] or
// [AnswerCoT] in the given style, without a leading "Answer:" and without fences.
func ParseAnswer(reply string, style Style) (string, Path, error) { panic("not built yet") }

// ParseLastAnswer reads the reply to [AnswerCoT]: the text after the last "Answer:" or "the answer
// is", else the last sentence; thinking is what stands before it.
func ParseLastAnswer(reply string) (thinking, answer string, path Path, err error) {
	panic("not built yet")
}

// ParseSummary reads the reply to [SummariseDoc]; useful is false for "No useful information.".
func ParseSummary(reply string) (summary string, useful bool, path Path, err error) {
	panic("not built yet")
}

// ParseDocument reads the reply to [GenerateDoc]: background without headings, fences and anything
// from an announcement of the answer on; an error when nothing is left.
func ParseDocument(reply string) (string, Path, error) { panic("not built yet") }

// ParseVerdicts reads the reply to [VerifyFacts] and [EvalAttribution]: one verdict for each
// statement; a missing one is false.
func ParseVerdicts(reply string, statements []string) ([]bool, Path, error) { panic("not built yet") }

// ParseStatements reads the reply to [EvalContexts].
func ParseStatements(reply string) ([]string, Path, error) { panic("not built yet") }
