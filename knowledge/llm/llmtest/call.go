package llmtest

import (
	"encoding/json"
	"net/http"
	"strings"

	"lacuna/prompts"
)

// Kind is the kind of a request.
type Kind string

const (
	Chat       Kind = "chat"
	Embeddings Kind = "embeddings"
	Rerank     Kind = "rerank"
	Inference  Kind = "inference" // of an entailment endpoint
	Models     Kind = "models"
	Unknown    Kind = "unknown" // no such path; answered with 404 and never shown to a script
)

// Call is one request that arrived, as a script sees it and as [Server.Calls] reports it.
type Call struct {
	N            int // from 0, in order of arrival
	Kind         Kind
	Method, Path string
	Header       http.Header
	Body         []byte
	InFlight     int  // requests being answered when it arrived, itself included
	Gone         bool // the client left before the reply was complete

	Model string
	// Of a chat:
	Messages []Message
	Template string // as package prompts names it; empty if it is none of them
	Stream   bool
	Format   string // of response_format: "json_schema", "json_object" or ""
	// SchemaName is the name of the schema for the reply; package llm uses the template's name.
	SchemaName string
	// Of embeddings:
	Input []string
	// Of a reranking:
	Query     string
	Documents []string
	TEI       bool // asked in the shape of text-embeddings-inference
	// Pairs are the premises and hypotheses of an inference.
	Pairs [][2]string
}

// Message is one turn of a chat.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// System returns the text of the system messages, or the text at the beginning of the user's message
// that replaces them.
func (c Call) System() string {
	system, _ := c.parts()
	return system
}

// User returns the text of all other messages.
func (c Call) User() string {
	_, user := c.parts()
	return user
}

// parts separates the system's text from the others'.
func (c Call) parts() (system, user string) {
	system, user = c.said("system"), c.said("user", "assistant")
	if system != "" {
		return system, user
	}
	for _, m := range c.Messages {
		system = prompts.Default().System(recognise(m.Content))
		if system != "" && strings.HasPrefix(m.Content, system) {
			return system, strings.Replace(user, system+"\n\n", "", 1)
		}
	}
	return "", user
}

func (c Call) said(roles ...string) string {
	var texts []string
	for _, m := range c.Messages {
		for _, role := range roles {
			if m.Role == role {
				texts = append(texts, m.Content)
			}
		}
	}
	return strings.Join(texts, "\n")
}

// request is the union of all bodies that the server understands.
type request struct {
	Model          string    `json:"model"`
	Messages       []Message `json:"messages"`
	Stream         bool      `json:"stream"`
	ResponseFormat struct {
		Type       string `json:"type"`
		JSONSchema struct {
			Name string `json:"name"`
		} `json:"json_schema"`
	} `json:"response_format"`
	Input     []string    `json:"input"`
	Inputs    [][2]string `json:"inputs"`
	Query     string      `json:"query"`
	Documents []string    `json:"documents"`
	Texts     []string    `json:"texts"`
}

// read parses a request as far as possible; an invalid body leaves the fields empty.
func read(r *http.Request, body []byte) *Call {
	call := &Call{
		Kind: pathKind(r.URL.Path), Method: r.Method, Path: r.URL.Path,
		Header: r.Header.Clone(), Body: body,
	}
	var asked request
	if json.Unmarshal(body, &asked) != nil {
		return call
	}
	call.Model, call.Messages, call.Stream = asked.Model, asked.Messages, asked.Stream
	call.Format, call.SchemaName = asked.ResponseFormat.Type, asked.ResponseFormat.JSONSchema.Name
	call.Input, call.Query, call.Documents = asked.Input, asked.Query, asked.Documents
	call.Pairs = asked.Inputs
	if len(asked.Texts) > 0 {
		call.Documents, call.TEI = asked.Texts, true
	}
	if call.Kind == Chat {
		if call.Template = call.SchemaName; call.Template == "" {
			call.Template = recognise(call.System())
		}
	}
	return call
}

// pathKind returns the kind of a request by its path.
func pathKind(path string) Kind {
	switch strings.TrimPrefix(path, "/v1") {
	case "/chat/completions":
		return Chat
	case "/embeddings":
		return Embeddings
	case "/rerank":
		return Rerank
	case "/predict":
		return Inference
	case "/models":
		return Models
	}
	return Unknown
}

func lastOf(c Call) string {
	if len(c.Messages) == 0 {
		return ""
	}
	return c.Messages[len(c.Messages)-1].Content
}

// beginnings maps the beginning of each system prompt of package prompts to its template. response_format
// also names the template of structured ones, but some requests do not have it.
var beginnings = []struct{ template, words string }{
	{"answer_context", "You answer questions from numbered contexts."},
	{"answer_direct", "You answer questions from your own knowledge."},
	{"answer_cot", "You answer questions by thinking step by step."},
	{"answer_manual_cot", "You answer questions as the worked examples below do:"},
	{"answer_choice", "You are an expert, above all in medicine,"},
	{"judge_gaps", "You are a knowledge expert who checks evidence"},
	{"explore_gaps", "You plan what has to be looked up"},
	{"summarise_doc", "You extract from one document"},
	{"generate_doc", "You write background"},
	{"select_docs", "You choose the documents"},
	{"migres_extract", "You extract facts."},
	{"migres_solve", "You answer a question from a list of facts"},
	{"migres_query", "You write queries for a search engine"},
	{"verify_facts", "You check statements against passages."},
	{"eval_contexts", "You break a reference answer into the statements"},
	{"followup_ask", "You find out what has to be asked"},
	{"query_check", "You look at a question before it is searched for"},
	{"rewrite", "You read a message that somebody wrote around a question"},
	{"confidence", "You estimate how likely it is"},
	{"decompose", "You take a question apart"},
	{"combine", "You answer a question from the answers to simpler questions."},
	{"trial", "You are being tried."},
}

// recognise returns the template of a system part; "" if it is none.
func recognise(system string) string {
	for _, b := range beginnings {
		if strings.HasPrefix(system, b.words) {
			return b.template
		}
	}
	return ""
}
