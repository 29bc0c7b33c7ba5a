// Package prompts holds what language models are told and how their replies are read: one template
// for each job, a typed input for each template, and the parser of the reply beside it.
//
// # Templates
//
// A template file has a sentence for people, then parts that begin with marker lines: "--- system"
// once, and any number of "--- user" and "--- data", which together make the one message of the user,
// without those in which nothing is set. The system part is plain text, the same for all questions; the
// other parts go from what most calls share to what one call alone has. So servers that keep the
// beginnings of prompts profit.
// What several templates say stands in shared.tmpl.
//
// # Texts that nobody vouches for
//
// Texts of passages, and what models made of them, are data. They stand in parts of their own,
// between fences whose code is a hash over all that the prompt says, so that no passage can close
// them; the system part says that nothing in there is an instruction. Every string of an input is made
// harmless before it is rendered: hidden characters are dropped, tokens of chat templates are broken,
// numbers in square brackets become round ones because they are how models cite, and all but a
// person's question is put on one line. A model may still believe a lie that a passage tells: what it
// says is never executed, and its citations are checked, elsewhere.
//
// # Replies
//
// The parsers never panic and never guess: what cannot be understood is an error, and the path is
// [Unparsed]. They read the first 256 KiB of a reply.
//
// Replies asked for as JSON are read in the order that [Path] lists, with the synonyms that models are
// known to use. The order and the failures that it answers are those of the predictions that were
// released with "From Retrieval to Generation", where none of 3,480 replies is bare JSON.
//
// Begin with [Set.Render], [Input] and [ParseJudgement].
package prompts

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
)

// Message is one turn of a chat.
type Message struct {
	Role string `json:"role"` // "system", "user", or "assistant" in a chat of [OnlyJSON]
	Text string `json:"content"`
}

// Chat is a rendered prompt.
type Chat struct {
	Template string    // name of its template, such as "judge_gaps"
	Messages []Message // system, user, and after [OnlyJSON] assistant and user; no role twice in a row
	// Schema is the JSON schema of the reply for endpoints that can hold a model to one; nil where
	// the reply is text.
	Schema json.RawMessage
	// Thinks says that the model thinks in text before it writes the object that Schema describes.
	// What holds a reply to a schema would forbid the thinking, so nothing is to hold this one.
	Thinks bool
}

// Input is the typed input of one template. Every input of this package is one; nobody else's is.
type Input interface{ template() string }

// Context is one numbered piece of evidence as a prompt shows it.
type Context struct {
	N         int // the only name by which a model may cite it
	Title     string
	Question  string // of a stored question; empty for a passage
	Text      string
	Generated bool   // written by a model: marked, and no evidence
	Note      string // a short remark of ours, such as that a summariser found nothing useful
}

// Option is one of the answers to choose from.
type Option struct{ Letter, Text string }

// Style is how long an answer should be.
type Style string

const (
	Short     Style = "short"     // a phrase, no explanation
	Paragraph Style = "paragraph" // one paragraph
	Note      Style = "note"      // two to six sentences, each ending in its citation
)

// SubAnswer is a question asked on the way, with its answer.
type SubAnswer struct{ Query, Answer string }

// The inputs; each is named as its template in camel case. An empty optional field leaves its
// section out. Language is the language to answer in: "" means that of the question.
type (
	// AnswerDirect asks for an answer without any evidence.
	AnswerDirect struct {
		Question string
		Options  []Option
		Style    Style
		Language string
	}
	// AnswerCoT asks for thinking step by step and a last line "Answer: …".
	AnswerCoT struct {
		Question string
		Options  []Option
		Contexts []Context
		Style    Style
		Language string
	}
	// AnswerManualCoT asks for thinking as worked examples do, and a last line "Answer: …" (Manual CoT).
	AnswerManualCoT struct {
		Question string
		Options  []Option
		Contexts []Context
		Style    Style
		Language string
	}
	// AnswerContext asks for an answer from evidence with [n] marks.
	AnswerContext struct {
		Question    string
		Contexts    []Context
		Gaps        []string  // what was missing after the first round
		Thought     string    // of the judge
		Reasoning   string    // part of the judge's trace
		GapContexts []Context // found for the gaps; numbered on from Contexts
		Style       Style
		Language    string
	}
	// AnswerChoice asks for one option.
	AnswerChoice struct {
		Question   string
		Options    []Option
		Contexts   []Context
		SubAnswers []SubAnswer
		// What a judge said of the first contexts, and what was found for it, as in AnswerContext.
		Gaps        []string
		Thought     string
		Reasoning   string
		GapContexts []Context
	}
	// JudgeGaps asks what the evidence and a draft lack.
	JudgeGaps struct {
		Question string
		Contexts []Context
		Draft    string
		Stepwise bool // false for the ablation without reasoning
	}
	// ExploreGaps asks for titles of the knowledge that is missing.
	ExploreGaps struct {
		Question  string
		Options   []Option
		Summaries []string
		Most      int
	}
	// SummariseDoc asks for what one document says about a question.
	SummariseDoc struct {
		Question string
		Options  []Option
		Document Context
	}
	// GenerateDoc asks for background written from the model's own knowledge.
	GenerateDoc struct {
		Question       string
		Options        []Option // shown only where set
		Point          string   // the one point to write about; empty means the question
		Demonstrations []Demonstration
		MaxWords       int
	}
	// SelectDocs asks which documents together cover what the question needs.
	SelectDocs struct {
		Question  string
		Options   []Option
		Documents []Context
		Top       int
	}
	// MigresExtract asks for facts with their support.
	MigresExtract struct {
		Query    string
		Contexts []Context
	}
	// MigresSolve asks for an answer from facts alone, or, forced, from whatever is known.
	MigresSolve struct {
		Question string
		Facts    []string
		Forced   bool
	}
	// MigresQuery asks for new queries.
	MigresQuery struct {
		Question string
		Asked    []string
		Facts    []string
		Missing  string
		Most     int
	}
	// VerifyFacts asks whether passages entail facts.
	VerifyFacts struct {
		Facts    []string
		Contexts []Context
	}
	// FollowupAsk asks for further questions (i-MedRAG).
	FollowupAsk struct {
		Question   string
		Options    []Option
		SubAnswers []SubAnswer
		Most       int
	}
	// QueryCheck asks whether a question can be searched for as it stands (Think-then-Act).
	QueryCheck struct{ Question string }
	// Rewrite asks for the question that a long message asks.
	Rewrite struct{ Question string }
	// Confidence asks how sure the model is that it can answer (Think-then-Act, Self-DC).
	Confidence struct{ Question string }
	// Decompose asks for simpler questions (Self-DC).
	Decompose struct {
		Question string
		Most     int
	}
	// Combine asks for an answer from those to simpler questions (Self-DC).
	Combine struct {
		Question   string
		Options    []Option
		SubAnswers []SubAnswer
		Style      Style
		Language   string
	}
	// EvalContexts asks for the statements that an answer rests on.
	EvalContexts struct{ Question, Gold string }
	// EvalAttribution asks which statements the contexts hold.
	EvalAttribution struct {
		Question   string
		Contexts   []Context
		Statements []string
	}
)

// Demonstration is an example of a question with a document that helps to answer it.
type Demonstration struct{ Question, Document string }

func (AnswerDirect) template() string    { return "answer_direct" }
func (AnswerCoT) template() string       { return "answer_cot" }
func (AnswerManualCoT) template() string { return "answer_manual_cot" }
func (AnswerContext) template() string   { return "answer_context" }
func (AnswerChoice) template() string    { return "answer_choice" }
func (JudgeGaps) template() string       { return "judge_gaps" }
func (ExploreGaps) template() string     { return "explore_gaps" }
func (SummariseDoc) template() string    { return "summarise_doc" }
func (GenerateDoc) template() string     { return "generate_doc" }
func (SelectDocs) template() string      { return "select_docs" }
func (MigresExtract) template() string   { return "migres_extract" }
func (MigresSolve) template() string     { return "migres_solve" }
func (MigresQuery) template() string     { return "migres_query" }
func (VerifyFacts) template() string     { return "verify_facts" }
func (FollowupAsk) template() string     { return "followup_ask" }
func (QueryCheck) template() string      { return "query_check" }
func (Rewrite) template() string         { return "rewrite" }
func (Confidence) template() string      { return "confidence" }
func (Decompose) template() string       { return "decompose" }
func (Combine) template() string         { return "combine" }
func (EvalContexts) template() string    { return "eval_contexts" }
func (EvalAttribution) template() string { return "eval_attribution" }

// inputs are the types of the inputs by the names of their templates.
var inputs = func() map[string]reflect.Type {
	types := map[string]reflect.Type{}
	for _, in := range []Input{
		AnswerDirect{}, AnswerCoT{}, AnswerManualCoT{}, AnswerContext{}, AnswerChoice{}, JudgeGaps{}, ExploreGaps{}, SummariseDoc{},
		GenerateDoc{}, SelectDocs{}, MigresExtract{}, MigresSolve{}, MigresQuery{}, VerifyFacts{}, FollowupAsk{},
		QueryCheck{}, Rewrite{}, Confidence{}, Decompose{}, Combine{}, EvalContexts{}, EvalAttribution{},
	} {
		types[in.template()] = reflect.TypeOf(in)
	}
	return types
}()

func names() []string { return slices.Sorted(maps.Keys(inputs)) }
