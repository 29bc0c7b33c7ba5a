package llm

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"

	"lacuna/prompts"
)

// canned is a client whose endpoint answers every request with the same body, without a network.
func canned(tb testing.TB, contentType, body string) *Client {
	tb.Helper()
	client, err := New(Config{Roles: map[Role]Endpoint{Reader: {BaseURL: "http://127.0.0.1:1/v1", Model: "m"}}})
	if err != nil {
		tb.Fatal(err)
	}
	client.roles[Reader].http = &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
		return &http.Response{
			StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {contentType}},
			Body: io.NopCloser(strings.NewReader(body)),
		}, nil
	})}
	return client
}

func TestPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		if err := pause(t.Context(), 2*time.Second); err != nil || time.Since(began) != 2*time.Second {
			t.Errorf("paused %s, error %v", time.Since(began), err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began = time.Now()
		if err := pause(ctx, time.Hour); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second {
			t.Errorf("paused %s, error %v", time.Since(began), err)
		}
	})
}

// failing is a client whose endpoint answers with a status for a while, in simulated time, and the
// times at which it was asked.
func failing(t *testing.T, statuses []int, retryAfter string) (*Client, *[]time.Duration) {
	t.Helper()
	client := canned(t, "text/event-stream", "data: {\"choices\":[{\"delta\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}\n\n")
	good := client.roles[Reader].http.Transport
	began := time.Now()
	var asked []time.Duration
	client.roles[Reader].http.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
		asked = append(asked, time.Since(began))
		if len(asked) > len(statuses) {
			return good.RoundTrip(r)
		}
		after, date, _ := strings.Cut(retryAfter, ", said on ")
		return &http.Response{StatusCode: statuses[len(asked)-1], Header: http.Header{"Retry-After": {after}, "Date": {date}}, Body: http.NoBody}, nil
	})
	return client, &asked
}

func TestRetriesInTime(t *testing.T) {
	const second = time.Second
	for _, c := range []struct {
		name       string
		statuses   []int
		retryAfter string
		patience   time.Duration
		asked      []time.Duration
		fault      Fault
	}{
		{"twice", []int{500, 503}, "", time.Hour, []time.Duration{0, second / 2, second * 5 / 2}, ""},
		{"three times is too often", []int{500, 502, 503}, "", time.Hour, []time.Duration{0, second / 2, second * 5 / 2}, ServerFault},
		{"as asked", []int{429}, "9", time.Hour, []time.Duration{0, 9 * second}, ""},
		{"by the clock of the server", []int{429}, "Sat, 21 Nov 2026 12:00:09 GMT, said on Sat, 21 Nov 2026 12:00:00 GMT", time.Hour, []time.Duration{0, 9 * second}, ""},
		{"by a clock years behind", []int{429}, "Thu, 01 Jan 1970 00:00:09 GMT, said on Thu, 01 Jan 1970 00:00:00 GMT", time.Hour, []time.Duration{0, 9 * second}, ""},
		{"by ours, which is years behind", []int{429}, "Sat, 21 Nov 2026 12:00:09 GMT", time.Hour, []time.Duration{0}, RateLimited},
		{"never sooner than by itself", []int{429}, "0", time.Hour, []time.Duration{0, second / 2}, ""},
		{"garbled", []int{429}, "soon", time.Hour, []time.Duration{0, second / 2}, ""},
		{"too late", []int{429}, "31", time.Hour, []time.Duration{0}, RateLimited},
		{"later than anybody waits", []int{429}, "9", 5 * second, []time.Duration{0}, RateLimited},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, asked := failing(t, c.statuses, c.retryAfter)
				ctx, cancel := context.WithTimeout(t.Context(), c.patience)
				defer cancel()
				_, err := client.Chat(ctx, listening(hello(Reader)))
				var failed *Error
				if errors.As(err, &failed); (c.fault == "") != (err == nil) || failed != nil && failed.Fault != c.fault {
					t.Errorf("error %v, want %q", err, c.fault)
				}
				if !slices.Equal(*asked, c.asked) {
					t.Errorf("asked at %v, want %v", *asked, c.asked)
				}
			})
		})
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "3": 3 * time.Second, "-3": 0, "0": 0, "3.5": 0, "soon": 0,
		"Sat, 21 Nov 2026 12:00:08 GMT": 8 * time.Second, "Sat, 21 Nov 2026 11:00:00 GMT": 0,
		"99999999999": 1 << 20 * time.Second,
	} {
		if got := retryAfter(value, now); got != want {
			t.Errorf("%q: %s, want %s", value, got, want)
		}
	}
}

func TestDeadlineInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := canned(t, "", "")
		client.roles[Reader].http.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		began := time.Now()
		_, err := client.Chat(t.Context(), hello(Reader))
		failedWith(t, err, TimedOut, "timeout")
		if took := time.Since(began); took != 60*time.Second {
			t.Errorf("took %s", took)
		}
	})
}

func TestPlacesAreGivenInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := make(slots, 1)
		if err := p.acquire(t.Context()); err != nil {
			t.Fatal(err)
		}
		var order []int
		for i := range 5 {
			go func() {
				if p.acquire(t.Context()) == nil {
					order = append(order, i)
					p.release()
				}
			}()
			synctest.Wait()
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := p.acquire(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		p.release()
		synctest.Wait()
		if !slices.Equal(order, []int{0, 1, 2, 3, 4}) {
			t.Errorf("order %v", order)
		}
	})
}

// FuzzReply feeds the client what strangers may write as a reply: it makes a reply or an error of it.
func FuzzReply(f *testing.F) {
	for _, body := range []string{
		"data: {\"choices\":[{\"delta\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
		"data: {\"error\":{\"message\":\"no\"}}\n\n", "data: {\"error\":[1]}\n\n", "data: {\"choices\":[{\"delta\":{\"content\":[{\"type\":\"text\"}]}}]}\n\n",
		`{"choices":[{"message":{"content":"x","reasoning":"y"},"finish_reason":"stop"}]}`, `{"choices":[{"message":null}]}`,
		"data: null\n\n", "data: \n\n", "data: 3\n\n", "null", "", "<html>", "\x00", ": ping\n\n", "event: error\ndata: {}\n\n",
		"data: {\"choices\":[{\"delta\":{\"content\":\"<think>a</think>b\"},\"finish_reason\":\"length\"}]}\n",
	} {
		f.Add("text/event-stream", body)
		f.Add("application/json", body)
	}
	f.Fuzz(func(t *testing.T, contentType, body string) {
		for _, streams := range []bool{true, false} {
			request := hello(Reader)
			var told strings.Builder
			if streams {
				request.Delta = func(text string) { told.WriteString(text) }
			}
			reply, err := canned(t, contentType, body).Chat(t.Context(), request)
			var failed *Error
			switch {
			case err != nil && !errors.As(err, &failed):
				t.Errorf("error %v", err)
			case err != nil && strings.ContainsAny(err.Error(), "\r\n"):
				t.Errorf("error %q", err)
			case err == nil && !strings.HasPrefix(reply.Text, strings.TrimRightFunc(told.String(), unicode.IsSpace)) && !strings.Contains(strings.ToLower(body), "think"):
				t.Errorf("told %q of %q", told.String(), reply.Text)
			}
		}
	})
}

// FuzzTeller compares what is told of a reply in pieces with the reply as a whole.
func FuzzTeller(f *testing.F) {
	f.Add("<think>why</think> because", uint8(3))
	f.Add(" <thinking>a > b</THINKING>\nyes > no", uint8(1))
	f.Add("plain <think> text", uint8(2))
	f.Add("<think>without end", uint8(5))
	f.Add("<", uint8(1))
	f.Add("<think>İİİ</think>İ", uint8(1))
	f.Add("<think>\x87</THINK>", uint8(0))
	f.Fuzz(func(t *testing.T, text string, size uint8) {
		_, whole, closed := prompts.SplitReasoning(text)
		if !prompts.MayThink(text) && whole != text {
			return // the end of a thought that never began is noticed too late to be hidden
		}
		var told strings.Builder
		teller := streamFilter{delta: func(text string) { told.WriteString(text) }}
		var soFar strings.Builder
		for rest := text; rest != ""; {
			n := min(max(1, int(size)), len(rest))
			soFar.WriteString(rest[:n])
			teller.push("", rest[:n], &soFar)
			rest = rest[n:]
		}
		teller.finish(whole)
		if got := told.String(); strings.TrimSpace(got) != strings.TrimSpace(whole) || !closed && got != "" {
			t.Errorf("told %q of %q", got, whole)
		}
	})
}

// BenchmarkChat measures the cost of one call except for waiting and the connection.
func BenchmarkChat(b *testing.B) {
	b.Run("stream of 128 pieces", func(b *testing.B) { benchmarkChat(b, streamOf(128), true) })
	b.Run("one piece", func(b *testing.B) {
		benchmarkChat(b, `{"choices":[{"index":0,"message":{"content":"`+strings.Repeat(" word", 128)+`"},"finish_reason":"stop"}]}`, false)
	})
}

func streamOf(pieces int) string {
	var body strings.Builder
	for range pieces {
		body.WriteString(`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":" word"},"finish_reason":null}]}` + "\n\n")
	}
	body.WriteString(`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n")
	return body.String()
}

func benchmarkChat(b *testing.B, body string, streams bool) {
	client := canned(b, "text/event-stream", body)
	request := hello(Reader)
	request.Chat.Messages[1].Text = strings.Repeat("A passage of some words that a reader is shown. ", 200)
	if streams {
		request = listening(request)
	}
	for b.Loop() {
		if _, err := client.Chat(b.Context(), request); err != nil {
			b.Fatal(err)
		}
	}
}
