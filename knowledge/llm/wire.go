package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"
)

// wire carries the requests of one call to its endpoint and back. To go-openai it is a client of
// HTTP; what that does not do is done here: asking for permission, waiting for a place, deadlines,
// limits, retries, the book of what was sent.
type wire struct {
	config  *Config
	pause   func(ctx context.Context, d time.Duration) error
	to      *endpoint
	stage   string
	model   string // may differ from the endpoint's
	details string // of the redaction
	cleared []byte // the last body that may leave
	renewed bool   // the key was asked for anew
	retries int    // that are left to this call
	// attempts counts the requests that were sent.
	attempts int
	sent     *Sent    // the last request, until settle has booked it
	body     *watched // of the last response
}

// api is go-openai at this end of a wire.
func (w *wire) api(doer openai.HTTPDoer) *openai.Client {
	config := openai.DefaultConfig("") // the key is added where the request leaves
	config.BaseURL = w.to.base
	config.HTTPClient = doer
	config.EmptyMessagesLimit = maxBodyBytes // comments in a stream count as empty; bytes are limited instead
	return openai.NewClientWithConfig(config)
}

// outbound describes a request with this body.
func (w *wire) outbound(body []byte) Outbound {
	return Outbound{
		Host: w.to.host, Local: w.to.local, Model: w.model, Role: w.to.role, Stage: w.stage,
		Body: body, Details: w.details, Unencrypted: !w.to.local && strings.HasPrefix(w.to.base, "http:"),
	}
}

// Do sends a request until it is answered or cannot be. The body of the response reports faults and
// deadlines as [*Error]; who has read it calls settle.
func (w *wire) Do(r *http.Request) (*http.Response, error) {
	ctx := r.Context()
	body, err := bodyOf(r)
	if err != nil {
		return nil, err
	}
	if err := w.ready(body); err != nil { // before a person is asked for nothing
		return nil, err
	}
	if err := w.permitted(ctx, body); err != nil {
		return nil, err
	}
	key, err := w.key(ctx, "")
	if err != nil {
		return nil, err
	}
	for {
		response, err := w.attempt(r, body, key)
		if err == nil {
			return response, nil
		}
		if key, err = w.again(ctx, key, err); err != nil {
			return nil, err
		}
	}
}

// again waits until a request that failed may be sent once more, and returns the key to send it with.
// Its error is the last word.
func (w *wire) again(ctx context.Context, key string, err error) (string, error) {
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	var f *failure
	if !errors.As(err, &f) {
		return "", err
	}
	if f.failed.Status == http.StatusUnauthorized && !w.renewed {
		w.renewed = true
		if renewed, err := w.key(ctx, key); err == nil && renewed != key {
			return renewed, nil
		}
	}
	wait, may := f.again(len(waits) - w.retries)
	if until, ends := ctx.Deadline(); !may || ends && time.Until(until) < wait {
		return "", f.failed
	}
	w.retries--
	return key, w.pause(ctx, wait)
}

// post sends a body of JSON; see Do.
func (w *wire) post(ctx context.Context, url string, body any) (*http.Response, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(text))
	if err != nil {
		return nil, w.to.fail(Refused, "base_url", plain(err))
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	return w.Do(request)
}

// bodyOf reads the body of a request, which can be sent several times then.
func bodyOf(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, fmt.Errorf("read the request: %w", err)
	}
	return body, nil
}

// permitted asks whether a body may leave this machine, once for the same body.
func (w *wire) permitted(ctx context.Context, body []byte) error {
	if w.to.local || w.cleared != nil && bytes.Equal(w.cleared, body) {
		return nil
	}
	permit := w.config.Permit
	if permit == nil {
		return w.to.fail(NotPermitted, "", errors.New("nothing may be sent to other machines"))
	}
	if err := permit(ctx, w.outbound(body)); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return w.to.fail(NotPermitted, "", err)
	}
	w.cleared = body
	return nil
}

// ready asks whether a request may be sent now.
func (w *wire) ready(body []byte) error {
	if ready := w.config.Ready; ready != nil {
		if err := ready(w.outbound(body)); err != nil {
			return w.to.fail(NotPermitted, "", err)
		}
	}
	return nil
}

// key returns the key of the endpoint; refused is one that it did not take.
func (w *wire) key(ctx context.Context, refused string) (string, error) {
	key, err := w.to.keys.get(ctx, refused)
	if err == nil {
		return key, nil
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	return "", w.to.fail(Unauthorised, "api_key", fmt.Errorf("no key: %w", err))
}

// attempt sends a request once. An error that may pass is a [*failure].
func (w *wire) attempt(r *http.Request, body []byte, key string) (*http.Response, error) {
	caller := r.Context()
	if err := w.ready(body); err != nil {
		return nil, err
	}
	if err := w.to.places.enter(caller); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(caller, w.to.Timeout)
	end := func() {
		cancel()
		w.to.places.leave()
	}
	w.attempts++
	w.sent = &Sent{Outbound: w.outbound(body), Time: time.Now()}
	response, err := w.to.http.Do(w.addressed(ctx, r, body, key))
	if err == nil && response.StatusCode/100 != 2 {
		w.sent.Status = response.StatusCode
		err = w.to.refused(response, key)
	} else if err != nil {
		err = w.to.broken(caller, ctx, err)
	}
	if err != nil {
		end()
		w.settle(Usage{}, unpacked(err))
		return nil, err
	}
	w.sent.Status = response.StatusCode
	w.body = &watched{
		body: response.Body, left: maxBodyBytes, cancel: cancel, end: end,
		fault: func(err error) error { return w.to.interrupted(caller, ctx, err) },
	}
	response.Body = w.body
	return response, nil
}

// addressed is a request with all that only the host itself may see.
func (w *wire) addressed(ctx context.Context, r *http.Request, body []byte, key string) *http.Request {
	r = r.Clone(ctx)
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	r.ContentLength = int64(len(body))
	r.Header.Set("User-Agent", "lacuna")
	r.Header.Del("Connection") // go-openai sets it for streams; it has no meaning in HTTP/2
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	for name, value := range w.to.Headers {
		r.Header.Set(name, value)
	}
	return r
}

// settle books the last request, if it has not been booked.
func (w *wire) settle(usage Usage, err error) {
	if w.sent == nil {
		return
	}
	sent := *w.sent
	w.sent = nil
	if record := w.config.Record; record != nil {
		sent.Duration, sent.Usage, sent.Err = time.Since(sent.Time), usage, err
		record(sent)
	}
}

// maxBodyBytes is how much of a response is read.
const maxBodyBytes = 16 << 20

// watched is the body of a response that ends when it must.
type watched struct {
	body   io.ReadCloser
	left   int // bytes
	fault  func(error) error
	cancel func()
	end    func() // run once, by Close
}

func (b *watched) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, b.fault(errTooLong)
	}
	n, err := b.body.Read(p[:min(len(p), b.left)])
	b.left -= n
	if err != nil && !errors.Is(err, io.EOF) {
		err = b.fault(err)
	}
	return n, err
}

// A stream says that it is done before it ends. Its connection can be used again only if the end is
// read too, which has come by then or comes at once.
const (
	drainTime  = 50 * time.Millisecond
	drainBytes = 4 << 10
)

// drain reads the rest of a response that has said all.
func (b *watched) drain() {
	timer := time.AfterFunc(drainTime, b.cancel)
	defer timer.Stop()
	_, _ = io.CopyN(io.Discard, b.body, drainBytes) // what does not end is closed
}

// Close gives connection and place back. It may be called twice.
func (b *watched) Close() error {
	err := b.body.Close()
	if b.end != nil {
		b.end()
		b.end = nil
	}
	return err
}
