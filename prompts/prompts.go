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
// # Files
//
// judge.go, medrgag.go, migres.go, query.go, facts.go, choice.go and answer.go have the jobs: the input
// of each template, the schema of its reply and the parser, side by side. set.go renders; decode.go finds
// the object in a reply, lenientjson.go reads it where it is nearly JSON, coerce.go makes values of what
// it holds. A new job is a .tmpl, an input with its parser in one of these files, and a row in inputs.
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
