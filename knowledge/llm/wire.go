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

// wire carries the requests of one call to its endpoint and back. go-openai uses it as an HTTP client;
// it adds permission, a limit on concurrent calls, deadlines, size limits, retries, and the record of
// what was sent.
type wire struct {
	config        *Config
	pause         func(ctx context.Context, d time.Duration) error
	to            *endpoint
	stage         string
	model         string // may differ from the endpoint's
	details       string // of the redaction
	permittedBody []byte // the last body that may be sent
	keyRenewed    bool   // the key was fetched again
	retries       int    // left to this call
	// attempts counts the requests sent.
	attempts int
	sent     *Sent        // the last request, until record has recorded it
	body     *limitedBody // of the last response
}

// api returns a go-openai client that sends through doer.
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

// Do sends a request until it is answered or cannot be. The body of the response reports errors and
// deadlines as [*Error]; its reader must call record.
func (w *wire) Do(r *http.Request) (*http.Response, error) {
	ctx := r.Context()
	body, err := bodyOf(r)
	if err != nil {
		return nil, err
	}
	if err := w.checkReady(body); err != nil { // before the user is asked in vain
		return nil, err
	}
	if err := w.checkPermit(ctx, body); err != nil {
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
		if key, err = w.retry(ctx, key, err); err != nil {
			return nil, err
		}
	}
}

// retry waits until a failed request may be sent again, and returns the key to send it with. If it
// fails, the call fails with its error.
func (w *wire) retry(ctx context.Context, key string, err error) (string, error) {
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	var f *attemptError
	if !errors.As(err, &f) {
		return "", err
	}
	if f.err.Status == http.StatusUnauthorized && !w.keyRenewed {
		w.keyRenewed = true
		if renewed, err := w.key(ctx, key); err == nil && renewed != key {
			return renewed, nil
		}
	}
	wait, may := f.retryIn(len(retryDelays) - w.retries)
	if until, ends := ctx.Deadline(); !may || ends && time.Until(until) < wait {
		return "", f.err
	}
	w.retries--
	return key, w.pause(ctx, wait)
}

// post sends a JSON body; see Do.
func (w *wire) post(ctx context.Context, url string, body any) (*http.Response, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(text))
	if err != nil {
		return nil, w.to.newError(Refused, "base_url", rootCause(err))
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	return w.Do(request)
}

// bodyOf reads the body of a request, so that it can be sent several times.
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

// checkPermit asks whether a body may leave this machine, once for the same body.
func (w *wire) checkPermit(ctx context.Context, body []byte) error {
	if w.to.local || w.permittedBody != nil && bytes.Equal(w.permittedBody, body) {
		return nil
	}
	permit := w.config.Permit
	if permit == nil {
		return w.to.newError(NotPermitted, "", errors.New("nothing may be sent to other machines"))
	}
	if err := permit(ctx, w.outbound(body)); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return w.to.newError(NotPermitted, "", err)
	}
	w.permittedBody = body
	return nil
}

// checkReady asks whether a request may be sent now.
func (w *wire) checkReady(body []byte) error {
	if ready := w.config.Ready; ready != nil {
		if err := ready(w.outbound(body)); err != nil {
			return w.to.newError(NotPermitted, "", err)
		}
	}
	return nil
}

// key returns the key of the endpoint. refused is a key that it did not accept.
func (w *wire) key(ctx context.Context, refused string) (string, error) {
	key, err := w.to.keys.get(ctx, refused)
	if err == nil {
		return key, nil
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	return "", w.to.newError(Unauthorised, "api_key", fmt.Errorf("no key: %w", err))
}

// attempt sends a request once. An error that may pass is an [*attemptError].
func (w *wire) attempt(r *http.Request, body []byte, key string) (*http.Response, error) {
	caller := r.Context()
	if err := w.checkReady(body); err != nil {
		return nil, err
	}
	if err := w.to.slots.acquire(caller); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(caller, w.to.Timeout)
	end := func() {
		cancel()
		w.to.slots.release()
	}
	w.attempts++
	w.sent = &Sent{Outbound: w.outbound(body), Time: time.Now()}
	response, err := w.to.http.Do(w.withHeaders(ctx, r, body, key))
	if err == nil && response.StatusCode/100 != 2 {
		w.sent.Status = response.StatusCode
		err = w.to.refusedError(response, key)
	} else if err != nil {
		err = w.to.brokenError(caller, ctx, err)
	}
	if err != nil {
		end()
		w.record(Usage{}, unwrapAttempt(err))
		return nil, err
	}
	w.sent.Status = response.StatusCode
	w.body = &limitedBody{
		body: response.Body, left: maxBodyBytes, cancel: cancel, end: end,
		fault: func(err error) error { return w.to.interruptedError(caller, ctx, err) },
	}
	response.Body = w.body
	return response, nil
}

// withHeaders returns a request with everything that only the host itself may see.
func (w *wire) withHeaders(ctx context.Context, r *http.Request, body []byte, key string) *http.Request {
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

// record records the last request, unless it has been recorded.
func (w *wire) record(usage Usage, err error) {
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

// maxBodyBytes limits how much of a response is read.
const maxBodyBytes = 16 << 20

// limitedBody is the body of a response, with limits of size and time.
type limitedBody struct {
	body   io.ReadCloser
	left   int // bytes
	fault  func(error) error
	cancel func()
	end    func() // called once, by Close
}

func (b *limitedBody) Read(p []byte) (int, error) {
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

// A stream says that it is done before it ends. Its connection can be reused only if the end is read as
// well, which has come by then or comes immediately.
const (
	drainTime  = 50 * time.Millisecond
	drainBytes = 4 << 10
)

// drain reads the rest of a response that has said everything.
func (b *limitedBody) drain() {
	timer := time.AfterFunc(drainTime, b.cancel)
	defer timer.Stop()
	_, _ = io.CopyN(io.Discard, b.body, drainBytes) // what does not end is closed
}

// Close releases the connection and the slot. It may be called twice.
func (b *limitedBody) Close() error {
	err := b.body.Close()
	if b.end != nil {
		b.end()
		b.end = nil
	}
	return err
}
