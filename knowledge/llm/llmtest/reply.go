package llmtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"
)

// Reply scripts the server's reply to one call, and its faults.
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
	case call.Kind == Inference:
		w.json(http.StatusOK, inferences(call))
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

// stream sends a chat completion as server-sent events: the reasoning first, then the text.
func (w *writer) stream(call Call, r Reply) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	if !w.event(call, r, map[string]any{"role": "assistant", "content": ""}, nil) {
		return
	}
	sent := 0
	say := func(field, text string) bool {
		for _, piece := range pieces(text, r.Runes) {
			if !w.pace(r) || !w.event(call, r, map[string]any{field: piece}, nil) {
				return false
			}
			if sent++; !w.goesOn(r, sent) {
				return false
			}
		}
		return true
	}
	if !say(r.reasoningField(), r.Reasoning) || !say("content", r.Text) {
		return
	}
	for r.Endless {
		if !w.pace(r) || !w.event(call, r, map[string]any{"content": strings.Repeat("and on ", 64)}, nil) {
			return
		}
	}
	w.event(call, r, map[string]any{}, r.finish())
	if !r.NoUsage {
		w.data(r, map[string]any{"model": r.model(call), "choices": []any{}, "usage": r.usage(call)})
	}
	w.send("data: [DONE]\n\n")
	if r.Linger {
		w.wait(0)
	}
}

// goesOn applies the faults scripted after sent pieces, and reports whether the stream goes on.
func (w *writer) goesOn(r Reply, sent int) bool {
	switch sent {
	case r.Cut:
		panic(http.ErrAbortHandler)
	case r.Stall:
		return w.wait(0)
	case r.Short:
		return false
	}
	return true
}

// pace waits between two pieces.
func (w *writer) pace(r Reply) bool {
	select {
	case <-w.gone:
		return false
	case <-w.closed:
		return false
	default:
		return r.Pace == 0 || w.wait(r.Pace)
	}
}

// event sends one piece of a reply.
func (w *writer) event(call Call, r Reply, delta map[string]any, finish any) bool {
	return w.data(r, map[string]any{
		"id": "scripted", "object": "chat.completion.chunk", "model": r.model(call),
		"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}},
	})
}

func (w *writer) data(r Reply, value any) bool {
	text := jsonOf(value)
	if r.Unframed {
		return w.send(text + "\n")
	}
	return w.send(strings.Repeat(": still here\n\n", r.Chatty) + "data: " + text + "\n\n")
}

// pieces splits a text into pieces of runes runes.
func pieces(text string, runes int) []string {
	if runes == 0 {
		runes = 8
	}
	var all []string
	start, count := 0, 0
	for i := range text {
		if count == runes {
			all = append(all, text[start:i])
			start, count = i, 0
		}
		count++
	}
	if start < len(text) {
		all = append(all, text[start:])
	}
	return all
}

// dimensions is the length of the vectors that the server computes.
const dimensions = 64

// embeddings returns the reply with one vector per text, in reverse order, as servers may.
func embeddings(call Call, r Reply) map[string]any {
	data := make([]any, 0, len(call.Input))
	for i, text := range slices.Backward(call.Input) {
		v := vector(text)
		if r.Vectors != nil {
			v = r.Vectors[i%len(r.Vectors)]
		}
		data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": v})
	}
	reply := map[string]any{"object": "list", "model": r.model(call), "data": data}
	if !r.NoUsage {
		tokens := (len(strings.Join(call.Input, "")) + 3) / 4
		reply["usage"] = map[string]any{"prompt_tokens": tokens, "total_tokens": tokens}
	}
	return reply
}

// vector counts the words of a text by their hashes and has length 1.
func vector(text string) []float32 {
	v := make([]float32, dimensions)
	for _, word := range words(text) {
		h := fnv.New32a()
		h.Write([]byte(word))
		v[h.Sum32()%dimensions]++
	}
	v[0]++ // no text has the zero vector
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

// rerank sends scores, best first, in the shape that was asked in.
func (w *writer) rerank(call Call, r Reply) {
	if call.Path == "/rerank" && !call.TEI {
		w.json(http.StatusUnprocessableEntity, map[string]any{"error": "missing field `texts`", "error_type": "Validation"})
		return
	}
	scores := r.Scores
	if scores == nil {
		for _, document := range call.Documents {
			scores = append(scores, overlap(call.Query, document))
		}
	}
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	name := "relevance_score"
	if call.TEI {
		name = "score"
	}
	results := make([]any, 0, len(scores))
	for _, i := range order {
		results = append(results, map[string]any{"index": i, name: scores[i]})
	}
	if call.TEI {
		w.json(http.StatusOK, results)
		return
	}
	w.json(http.StatusOK, map[string]any{"model": r.model(call), "results": results})
}

// inferences judges pairs by the words in common, in the shape of text-embeddings-inference: a cross-encoder
// that has read little.
func inferences(call Call) []any {
	var lists []any
	for _, pair := range call.Pairs {
		entails := overlap(pair[1], pair[0])
		lists = append(lists, []any{
			map[string]any{"label": "neutral", "score": 1 - entails}, map[string]any{"label": "entailment", "score": entails},
			map[string]any{"label": "contradiction", "score": 0},
		})
	}
	return lists
}

// overlap returns the fraction of the query's words that a document has.
func overlap(query, document string) float64 {
	asked, has := words(query), words(document)
	if len(asked) == 0 {
		return 0
	}
	found := 0
	for _, word := range asked {
		if slices.Contains(has, word) {
			found++
		}
	}
	return float64(found) / float64(len(asked))
}

// words returns the words of a text in lower case; each Han character is a word.
func words(text string) []string {
	var all []string
	var word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			all = append(all, word.String())
			word.Reset()
		}
	}
	for _, r := range strings.ToLower(text) {
		switch {
		case unicode.Is(unicode.Han, r):
			flush()
			all = append(all, string(r))
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			word.WriteRune(r)
		default:
			flush()
		}
	}
	flush()
	return all
}
