package llmtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Reply is what the server says to one call, and what goes wrong while it says it.
type Reply struct {
	Text      string
	Reasoning string
	// ReasoningField is the name that the server has for Reasoning; empty means reasoning_content.
	ReasoningField string
	Finish         string // empty means "stop"
	Model          string // empty means the one that was asked for
	NoUsage        bool   // tokens are not counted

	Vectors [][]float32 // of embeddings; nil makes them from the words of the texts
	Scores  []float64   // of a reranking; nil makes them from the words in common

	Status      int         // other than 200: what went wrong; the body is Body, or says it in JSON
	Header      http.Header // added to the reply
	Body        string      // sent as it is, in place of everything above
	ContentType string      // of Body; empty means JSON

	Wait     time.Duration // before the first byte
	Pace     time.Duration // between two pieces of a stream
	Runes    int           // of one piece of a stream; 0 means 8
	Hang     bool          // nothing is said until the client goes away
	Stall    int           // nothing more is said after that many pieces until the client goes away
	Cut      int           // the connection breaks after that many pieces
	Short    int           // the stream ends in good order after that many pieces
	Hangup   bool          // the connection breaks before the first byte
	Endless  bool          // the reply does not end
	Unframed bool          // the events of a stream lack their framing
	Whole    bool          // a stream was asked for, but the reply comes in one piece
	Linger   bool          // the connection is held open after the end of a stream
	Chatty   int           // comments before each piece of a stream, as servers send to keep a line open
}

// writer sends replies.
type writer struct {
	http.ResponseWriter
	gone   <-chan struct{} // the client went away
	closed <-chan struct{} // the server was closed
	broken bool            // writing failed
}

// reply sends one reply with everything that is to go wrong.
func (w *writer) reply(call Call, r Reply) {
	if r.Hang {
		w.wait(0)
		return
	}
	if r.Wait > 0 && !w.wait(r.Wait) {
		return
	}
	if r.Hangup {
		panic(http.ErrAbortHandler)
	}
	for name, values := range r.Header {
		w.Header()[name] = values
	}
	switch {
	case r.Body != "":
		w.raw(r)
	case r.Status != 0 && r.Status != http.StatusOK:
		message := map[string]any{"message": fmt.Sprintf("scripted status %d", r.Status), "type": "scripted"}
		w.json(r.Status, map[string]any{"error": message})
	case call.Kind == Embeddings:
		w.json(http.StatusOK, embeddings(call, r))
	case call.Kind == Rerank:
		w.rerank(call, r)
	case call.Kind == Models:
		w.json(http.StatusOK, map[string]any{"object": "list", "data": []any{map[string]any{"id": "scripted", "object": "model"}}})
	case call.Stream && !r.Whole:
		w.stream(call, r)
	default:
		w.whole(call, r)
	}
}

// wait lets time pass, without end if d is 0. It reports whether the client is still there.
func (w *writer) wait(d time.Duration) bool {
	var over <-chan time.Time
	if d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-over:
		return true
	case <-w.gone:
	case <-w.closed:
	}
	return false
}

func (w *writer) raw(r Reply) {
	contentType := r.ContentType
	if contentType == "" {
		contentType = "application/json"
	}
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(max(r.Status, http.StatusOK))
	w.send(r.Body)
}

func (w *writer) json(status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.send(jsonOf(value))
}

func jsonOf(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("llmtest: a reply that is no JSON: %v", err)) // a mistake in the script
	}
	return string(text)
}

// send writes and flushes. It reports whether the client is still there.
func (w *writer) send(text string) bool {
	if _, err := w.Write([]byte(text)); err != nil {
		w.broken = true
		return false
	}
	if flusher, can := w.ResponseWriter.(http.Flusher); can {
		flusher.Flush()
	}
	return true
}

// whole sends a chat completion in one piece. What breaks a stream after some pieces breaks it in the
// middle.
func (w *writer) whole(call Call, r Reply) {
	w.Header().Set("Content-Type", "application/json")
	if r.Endless {
		for going := w.send(`{"choices":[{"message":{"content":"`); going && w.pace(r); {
			going = w.send(strings.Repeat("and on ", 64))
		}
		return
	}
	message := map[string]any{"role": "assistant", "content": r.Text}
	if r.Reasoning != "" {
		message[r.reasoningField()] = r.Reasoning
	}
	reply := map[string]any{
		"id": "scripted", "object": "chat.completion", "model": r.model(call),
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": r.finish()}},
	}
	if !r.NoUsage {
		reply["usage"] = r.usage(call)
	}
	text := jsonOf(reply)
	if r.Unframed {
		text = text[1:]
	}
	if r.Cut+r.Stall+r.Short == 0 {
		w.send(text)
		return
	}
	w.send(text[:len(text)/2])
	if r.Cut > 0 {
		panic(http.ErrAbortHandler)
	}
	if r.Stall > 0 {
		w.wait(0)
	}
}

func (r Reply) model(call Call) string {
	if r.Model != "" {
		return r.Model
	}
	return call.Model
}

func (r Reply) finish() string {
	if r.Finish != "" {
		return r.Finish
	}
	return "stop"
}

func (r Reply) reasoningField() string {
	if r.ReasoningField != "" {
		return r.ReasoningField
	}
	return "reasoning_content"
}

// usage takes four bytes for a token.
func (r Reply) usage(call Call) map[string]any {
	prompt, reasoning, text := 0, (len(r.Reasoning)+3)/4, (len(r.Text)+3)/4
	for _, m := range call.Messages {
		prompt += (len(m.Content) + 3) / 4
	}
	return map[string]any{
		"prompt_tokens": prompt, "completion_tokens": reasoning + text, "total_tokens": prompt + reasoning + text,
		"completion_tokens_details": map[string]any{"reasoning_tokens": reasoning},
	}
}
