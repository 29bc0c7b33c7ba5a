// Package prompts renders prompts for language models and reads their replies: one template per job,
// a typed input for each template, and the parser of the reply next to it.
//
// # Templates
//
// A template file begins with a sentence for its readers. Parts follow, each after a marker line:
// "--- system" once, and any number of "--- user" and "--- data", which together form the one user
// message; empty parts are left out. The system part is plain text, the same for all questions. Where an
// answer has a style, what stands under "--- style note", "--- style paragraph" or "--- style short" follows
// the system part, so that a model reads of no other. The other
// parts go from what most calls share to what only one call has, so servers that cache prefixes of
// prompts profit. Texts shared by several templates are in shared.tmpl.
//
// # Untrusted texts
//
// Texts of passages, and what models made of them, are data. They stand in parts of their own between
// delimiters whose code is a hash over the whole prompt, so that no passage can close its part; the
// system part says that nothing in there is an instruction. Every string of an input is sanitised before
// rendering: hidden characters are dropped, tokens of chat templates are broken, numbers in square
// brackets become round ones because models cite with them, and everything except the user's question is
// put on one line. A model may still believe a lie in a passage: its reply is never executed, and other
// packages check its citations.
//
// # Replies
//
// Parsers never panic and never guess: what they cannot understand is an error, and the path is
// [Unparsed]. They read the first 256 KiB of a reply.
//
// Replies in JSON are tried in the order of [Path], with the synonyms that models are known to use. The
// order answers the failures in the predictions released with "From Retrieval to Generation", where none
// of 3,480 replies is bare JSON.
//
// # Files
//
// judge.go, medrgag.go, migres.go, query.go, facts.go, choice.go and answer.go have the jobs: the input
// of each template, the schema of its reply and the parser, side by side. set.go renders; decode.go finds
// the object in a reply, lenientjson.go reads it if it is almost JSON, coerce.go converts its values. A
// new job is a .tmpl, an input with its parser in one of these files, and a row in inputs.
//
// Begin with [Set.Render], [Input] and [ParseJudgement].
package prompts

import "encoding/json"

// Message is one turn of a chat.
type Message struct {
	Role string `json:"role"` // "system", "user", or "assistant" in a chat of [OnlyJSON]
	Text string `json:"content"`
}

// Chat is a rendered prompt.
type Chat struct {
	Template string    // name of its template, such as "judge_gaps"
	Version  string    // a hash of the template's text and of what it shares with others
	Messages []Message // system, user, and after [OnlyJSON] assistant and user; no role twice in a row
	// Schema is the JSON schema of the reply, for endpoints that can enforce one; nil if the reply is
	// text.
	Schema json.RawMessage
	// Thinks says that the model reasons in text before the object that Schema describes. Enforcing the
	// schema would forbid the reasoning, so nothing may enforce it.
	Thinks bool
	// Room is how many tokens the reply needs; 0 leaves it to the role.
	Room int
	// Origins are what parts of the messages were copied from, each as it stands in its document and with what stands around
	// it: who looks for what identifies people finds more there. They are not sent.
	Origins []string
}

// Input is the typed input of one template. Only types of this package implement it.
type Input interface{ template() string }

// Context is one numbered piece of evidence in a prompt.
type Context struct {
	N         int // the only name by which a model may cite it
	Title     string
	Question  string // of a stored question; empty for a passage
	Above     string // what introduces the text from outside it, such as the header of its table; not evidence
	Text      string
	Generated bool   // written by a model: marked, and not evidence
	Note      string // a short remark of ours, such as that a summariser found nothing useful
	Origin    string // not shown: the text as it stands in its document, and what stands around it there
}

// Option is one of the answers of a multiple-choice question.
type Option struct{ Letter, Text string }

// Styles lists the styles, the default first.
func Styles() []Style { return []Style{Note, Paragraph, Short} }

// Style selects the length of an answer.
type Style string

const (
	Short     Style = "short"     // a phrase, no explanation
	Paragraph Style = "paragraph" // one paragraph
	Note      Style = "note"      // two to six sentences, each ending in its citation
)

// SubAnswer is an intermediate question with its answer.
type SubAnswer struct{ Query, Answer string }

// Path says how far the parser had to go to understand a reply.
type Path string

const (
	Bare     Path = "bare"     // JSON and nothing else, or text where text was asked for
	Fenced   Path = "fenced"   // in a fenced block
	Embedded Path = "embedded" // balanced JSON inside other text, such as "Dict{…}"
	Closed   Path = "closed"   // cut off; open strings and brackets were closed
	Repaired Path = "repaired" // quotes, commas, literals or comments were fixed
	Lines    Path = "lines"    // labelled lines instead of JSON
	Unparsed Path = "unparsed"
)
