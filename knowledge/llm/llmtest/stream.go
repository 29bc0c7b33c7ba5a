package llmtest

import (
	"net/http"
	"strings"
)

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

// goesOn does what is to happen after so many pieces, and reports whether the stream goes on.
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

// pieces cuts a text after every so many runes.
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
