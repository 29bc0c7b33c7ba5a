package llm

import (
	"context"
	"errors"
	"testing"

	"lacuna/knowledge/llm/llmtest"
)

// TestRepliesAreKept: each of equal calls is made once, however often the answer is worked out, and costs its account what it
// cost the first time; a failure is a reply; and nothing is asked before everything is ready.
func TestRepliesAreKept(t *testing.T) {
	srv := llmtest.New(t, llmtest.Break(saying("so it is"), llmtest.Status(401)))
	client := connect(t, srv)
	replies := NewReplies(t.Context())
	unready := errors.New("not yet")
	if _, err := client.Chat(replies.Within(t.Context(), func() error { return unready }), hello(Reader)); !errors.Is(err, unready) || len(srv.Calls()) > 0 {
		t.Errorf("%v, %d calls", err, len(srv.Calls()))
	}
	ready := func() error { return nil }
	for range 2 {
		if _, err := client.Chat(replies.Within(t.Context(), ready), hello(Summariser)); err == nil {
			t.Error("a failure is forgotten")
		}
	}
	if n := len(srv.Calls()); n != 1 {
		t.Errorf("%d calls for one that fails", n)
	}
	srv.Script(saying("so it is"))
	var first Usage
	for again := range 3 {
		ctx, end := context.WithCancel(t.Context())
		within := replies.Within(ctx, ready)
		account := NewAccount(0)
		for range 2 {
			request := hello(Reader)
			request.Account = account
			shown := ""
			request.Delta = func(text string) { shown += text }
			if reply, err := client.Chat(within, request); err != nil || reply.Text != "so it is" || shown != reply.Text {
				t.Errorf("%q, shown %q, %v", reply.Text, shown, err)
			}
		}
		if again == 0 {
			first = account.Usage()
		} else if account.Usage() != first {
			t.Errorf("time %d cost %+v, the first %+v", again, account.Usage(), first)
		}
		end()
	}
	if n := len(srv.Calls()); n != 3 {
		t.Errorf("%d calls", n)
	}
}
