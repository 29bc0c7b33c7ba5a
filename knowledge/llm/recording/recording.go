// Package recording writes the calls of models to a file, and lets such a file stand in for the endpoints
// later: a run is repeated without a model and without a network, byte for byte.
//
// # The file
//
// A recording is JSON Lines. The first line of each run that was recorded into it is a [Run]; each other
// line is a [Line]: one call, with what was sent, after redaction and without keys, and what came back.
// Lines are appended, each in one write, so a program that was killed leaves at most its last line unfinished;
// such a line is left out when the file is read. Where a call was made again by a later process, its outcome
// there counts. A file compressed with gzip can be read, but not appended to.
//
// # Replay
//
// A call is found by the question that it was made for, see [llm.WithQuestion], and by everything that was
// sent. Equal calls of one question get their replies in the order in which they were recorded, whatever
// runs concurrently. A call that the recording does not hold is a [Miss]: it names the template, the
// question, and where the prompt begins to differ from the nearest one that was recorded.
//
// Begin with [Create] and [Open].
package recording

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"lacuna/knowledge/llm"
	"lacuna/knowledge/sanitise"
	"lacuna/prompts"
)

// format is the version of the form of the file.
const format = 1

// Run describes a run, in the first line of what it recorded.
type Run struct {
	Format    int               `json:"recording"`
	Time      time.Time         `json:"time"`
	Session   string            `json:"session"`          // the same for all runs of one process
	Program   string            `json:"lacuna,omitempty"` // its version
	Templates map[string]string `json:"templates"`        // a hash of each prompt template
	Settings  json.RawMessage   `json:"settings,omitempty"`
	// Flags are those settings that were chosen for this part of a run, by their keys.
	Flags map[string]string `json:"flags,omitempty"`
}

// Line is one call, or a remark about a question.
type Line struct {
	Question string   `json:"question,omitempty"`
	N        int      `json:"n,omitempty"` // of equal calls for the question, from 0
	Role     llm.Role `json:"role,omitempty"`
	Stage    string   `json:"stage,omitempty"`
	Model    string   `json:"model,omitempty"`

	Template string          `json:"template,omitempty"`
	Version  string          `json:"version,omitempty"` // a hash of the template
	System   string          `json:"system,omitempty"`
	Prompt   string          `json:"prompt,omitempty"`
	Turns    []message       `json:"turns,omitempty"` // what follows the prompt
	Schema   json.RawMessage `json:"schema,omitempty"`
	Sampling *sampling       `json:"sampling,omitempty"`
	Texts    []string        `json:"texts,omitempty"`

	Reply     string        `json:"reply,omitempty"`
	Reasoning string        `json:"reasoning,omitempty"`
	Finish    string        `json:"finish,omitempty"`
	From      string        `json:"from,omitempty"`    // the model, as the endpoint names it
	Tokens    *tokens       `json:"tokens,omitempty"`  // of a cached reply, what it cost when it was given
	Vectors   []string      `json:"vectors,omitempty"` // little-endian 32-bit floats in base64
	Scores    []float64     `json:"scores,omitempty"`
	Labels    [][2]float64  `json:"labels,omitempty"` // entails, contradicts
	Excess    int           `json:"excess,omitempty"` // tokens that a prompt has more than the model's window
	Of        string        `json:"of,omitempty"`     // a hash of that prompt
	Failure   *failure      `json:"failure,omitempty"`
	Attempts  int           `json:"attempts,omitempty"`
	Time      *time.Time    `json:"time,omitempty"`      // when the call began
	Duration  time.Duration `json:"ns,omitempty"`        // in nanoseconds
	First     time.Duration `json:"first_ns,omitempty"`  // until the first piece of the reply
	CachedAt  *time.Time    `json:"cached_at,omitempty"` // when a cached reply was given

	// Digest is what [Recorder.Searched] was given. Such a line is no call.
	Digest string `json:"sources,omitempty"`
	// Remark is what [Recorder.Remark] was given about the question. Such a line is no call.
	Remark json.RawMessage `json:"remark,omitempty"`
}

type message struct {
	Role string `json:"role"`
	Text string `json:"content"`
}

type sampling struct {
	Temperature float64 `json:"temperature"`
	TopP        float64 `json:"top_p"`
	MaxTokens   int     `json:"max_tokens"`
	Seed        int     `json:"seed"`
	Thinks      bool    `json:"thinks,omitempty"` // the model reasons in text before its object
}

type tokens struct {
	Calls      int  `json:"calls"`
	Prompt     int  `json:"prompt"`
	Completion int  `json:"completion"`
	Reasoning  int  `json:"reasoning,omitempty"`
	Estimated  bool `json:"estimated,omitempty"`
}

// failure is the error of a call.
type failure struct {
	Fault   string   `json:"fault"` // or "cancelled", "deadline"
	Role    llm.Role `json:"role,omitempty"`
	Host    string   `json:"host,omitempty"`
	Model   string   `json:"model,omitempty"`
	Status  int      `json:"status,omitempty"`
	Setting string   `json:"setting,omitempty"`
	Text    string   `json:"text,omitempty"`
}

const (
	faultCancelled = "cancelled"
	faultDeadline  = "deadline"
)

// lineOf returns the line of an exchange. Keys that sanitise knows are hidden in all texts.
func lineOf(x *llm.Exchange) *Line {
	l := &Line{Question: sanitise.Redact(x.Question), Role: x.Role, Stage: x.Stage, Model: x.Model, Template: x.Template, Excess: x.Excess}
	if x.Stage == llm.WindowStage {
		l.Of = hashOf(x.Messages)
		return l
	}
	l.Version, l.Schema = x.Version, compact(x.Schema)
	for i, m := range x.Messages {
		text := sanitise.Redact(m.Text)
		switch {
		case i == 0 && m.Role == "system":
			l.System = text
		case m.Role == "user" && l.Prompt == "" && len(l.Turns) == 0:
			l.Prompt = text
		default:
			l.Turns = append(l.Turns, message{m.Role, text})
		}
	}
	if len(x.Messages) > 0 {
		l.Sampling = &sampling{x.Temperature, x.TopP, x.MaxTokens, x.Seed, x.Thinks}
	}
	for _, text := range x.Texts {
		l.Texts = append(l.Texts, sanitise.Redact(text))
	}
	return l
}

// compact returns a JSON text as it is in a line.
func compact(text json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if len(text) == 0 || json.Compact(&b, text) != nil {
		return nil
	}
	return b.Bytes()
}

// finish adds the outcome of an exchange.
func (l *Line) finish(x *llm.Exchange) {
	if l.Excess = x.Excess; x.Stage == llm.WindowStage {
		return
	}
	r := x.Reply
	l.Reply, l.Reasoning, l.Finish, l.From = r.Text, r.Reasoning, r.Finish, r.Model
	l.Attempts, l.Duration, l.First, l.Scores = r.Attempts, x.Duration, r.First, x.Scores
	began := x.Began.UTC()
	l.Time = &began
	if !r.CachedAt.IsZero() {
		at := r.CachedAt
		l.CachedAt, l.Duration = &at, 0
	}
	if u := r.Usage.Plus(r.Spared); u != (llm.Usage{}) {
		l.Tokens = &tokens{u.Calls, u.Prompt, u.Completion, u.Reasoning, u.Estimated}
	}
	if l.Failure = failureOf(x.Err); l.Failure == nil {
		for _, v := range x.Vectors {
			l.Vectors = append(l.Vectors, encode(v))
		}
	}
	for _, i := range x.Inferences {
		l.Labels = append(l.Labels, [2]float64{i.Entails, i.Contradicts})
	}
}

// outcome fills in the outcome of an exchange that was recorded.
func (l *Line) outcome(x *llm.Exchange) {
	x.Excess, x.Duration, x.Scores, x.Err = l.Excess, l.Duration, l.Scores, l.Failure.error()
	x.Reply = llm.Reply{
		Text: l.Reply, Reasoning: l.Reasoning, Finish: l.Finish, Model: l.From, Attempts: l.Attempts,
		Duration: l.Duration, First: l.First,
	}
	if l.Sampling != nil {
		x.Reply.Seed = l.Sampling.Seed
	}
	if u := l.Tokens; u != nil {
		x.Reply.Usage = llm.Usage{Calls: u.Calls, Prompt: u.Prompt, Completion: u.Completion, Reasoning: u.Reasoning, Estimated: u.Estimated}
	}
	if l.CachedAt != nil {
		x.Reply.CachedAt = *l.CachedAt
		x.Reply.Usage, x.Reply.Spared = llm.Usage{}, x.Reply.Usage
	}
	for _, label := range l.Labels {
		x.Inferences = append(x.Inferences, llm.Inference{Entails: label[0], Contradicts: label[1]})
	}
}

func failureOf(err error) *failure {
	var failed *llm.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &failed):
		f := &failure{
			Fault: string(failed.Fault), Role: failed.Role, Host: failed.Host, Model: failed.Model,
			Status: failed.Status, Setting: failed.Setting,
		}
		if failed.Err != nil {
			f.Text = sanitise.Redact(failed.Err.Error())
		}
		return f
	case errors.Is(err, context.DeadlineExceeded):
		return &failure{Fault: faultDeadline}
	case errors.Is(err, context.Canceled):
		return &failure{Fault: faultCancelled}
	}
	return &failure{Fault: string(llm.Refused), Text: sanitise.Redact(err.Error())}
}

func (f *failure) error() error {
	switch {
	case f == nil:
		return nil
	case f.Fault == faultCancelled:
		return context.Canceled
	case f.Fault == faultDeadline:
		return context.DeadlineExceeded
	}
	failed := &llm.Error{
		Fault: llm.Fault(f.Fault), Role: f.Role, Host: f.Host, Model: f.Model, Status: f.Status, Setting: f.Setting,
	}
	if f.Text != "" {
		failed.Err = errors.New(f.Text)
	}
	return failed
}

// messages returns the messages of a chat.
func (l *Line) messages() []prompts.Message {
	var all []prompts.Message
	if l.System != "" {
		all = append(all, prompts.Message{Role: "system", Text: l.System})
	}
	if l.Prompt != "" {
		all = append(all, prompts.Message{Role: "user", Text: l.Prompt})
	}
	for _, m := range l.Turns {
		all = append(all, prompts.Message{Role: m.Role, Text: m.Text})
	}
	return all
}

// content returns a hash of all that decides the outcome of a call, apart from the question.
func (l *Line) content() string {
	return hashOf(l.Role, l.Stage == llm.WindowStage, l.Of, l.Model, l.Template, l.messages(), string(l.Schema), l.Sampling, l.Texts)
}

func hashOf(values ...any) string {
	text, err := json.Marshal(values)
	if err != nil {
		text = fmt.Appendf(nil, "%#v", values) // a number that JSON does not have
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// encode writes a vector in full precision.
func encode(v []float32) string {
	bytes := make([]byte, 0, 4*len(v))
	for _, x := range v {
		bytes = binary.LittleEndian.AppendUint32(bytes, math.Float32bits(x))
	}
	return base64.StdEncoding.EncodeToString(bytes)
}

// decode is the inverse of encode; nil if the text is no vector.
func decode(text string) []float32 {
	bytes, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(bytes)%4 != 0 {
		return nil
	}
	v := make([]float32, len(bytes)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(bytes[4*i:]))
	}
	return v
}
