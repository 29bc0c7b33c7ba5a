package llm

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"

	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/sanitise"
)

// errTooLong says that a response exceeded every limit.
var errTooLong = errors.New("the reply does not end")

const (
	maxErrorBytes = 64 << 10
	maxErrorRunes = 240
	// maxWait limits how long a call waits if the endpoint asks to come back later.
	maxWait = 30 * time.Second
)

// retryDelays lists the delays before the retries.
var retryDelays = []time.Duration{500 * time.Millisecond, 2 * time.Second}

// attemptError is an attempt that failed before a reply began.
type attemptError struct {
	err        *Error
	transient  bool          // it may pass by itself
	retryAfter time.Duration // the endpoint asks to wait this long; 0: it does not say
}

func (f *attemptError) Error() string { return f.err.Error() }

// unwrapAttempt returns the cause of an attemptError, or err itself.
func unwrapAttempt(err error) error {
	if f := (*attemptError)(nil); errors.As(err, &f) {
		return f.err
	}
	return err
}

// retryIn returns whether to try again after retries attempts, and when.
func (f *attemptError) retryIn(retries int) (wait time.Duration, again bool) {
	if !f.transient || retries >= len(retryDelays) || f.retryAfter > maxWait {
		return 0, false
	}
	return max(retryDelays[retries], f.retryAfter), true
}

// refusedError returns the error of an unsuccessful response, and closes it.
func (e *endpoint) refusedError(response *http.Response, key string) error {
	defer response.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(response.Body, maxErrorBytes)) // what came is all there is to show
	said := messageOf([]byte(sanitise.Redact(string(body))))            // before it is cut
	if key != "" {
		said = strings.ReplaceAll(said, key, "…") // however short it is
	}
	status := response.StatusCode
	fault, setting, passes := classify(status, said)
	failed := e.newError(fault, setting, describeStatus(status, oneLine(said)))
	failed.Status, failed.said = status, said
	return &attemptError{err: failed, transient: passes, retryAfter: retryAfter(response.Header.Get("Retry-After"), dateOf(response))}
}

// classify returns what a status means, which key of the endpoint's settings to change, and whether the
// error may pass by itself.
func classify(status int, said string) (fault Fault, setting string, passes bool) {
	said = strings.ToLower(said)
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return Unauthorised, "api_key", false
	case status == http.StatusProxyAuthRequired:
		return Unauthorised, "proxy", false
	case status == http.StatusNotFound && strings.Contains(said, "model"):
		return NotFound, "model", false
	case status == http.StatusBadRequest && unknownModel(said):
		return NotFound, "model", false
	case status == http.StatusNotFound || status == http.StatusMethodNotAllowed || status/100 == 3,
		status == http.StatusBadRequest && strings.Contains(said, "https server"): // asked without TLS
		return NotFound, "base_url", false
	case status == http.StatusTooManyRequests:
		spent := strings.Contains(said, "quota") || strings.Contains(said, "billing")
		return RateLimited, "parallel", !spent
	case status == http.StatusNotImplemented:
		return ServerFault, "base_url", false
	case status >= http.StatusInternalServerError:
		refused := aboutForm(said) || status == http.StatusInternalServerError && aboutRoles(said)
		return ServerFault, "base_url", !refused
	}
	return Refused, "model", false
}

// unknownModel reports whether a message says that there is no such model; endpoints do so with 400 as
// well as 404.
func unknownModel(said string) bool {
	if !strings.Contains(said, "model") {
		return false
	}
	for _, words := range []string{"not found", "does not exist", "not exist", "unknown model", "invalid model", "no such model", "not a valid model"} {
		if strings.Contains(said, words) {
			return true
		}
	}
	return false
}

// brokenError returns the error of a request without a response. caller is the context without the
// attempt's deadline.
func (e *endpoint) brokenError(caller, attempt context.Context, err error) error {
	var stray *strayError
	var dns *net.DNSError
	var op *net.OpError
	switch {
	case caller.Err() != nil:
		return caller.Err()
	case attempt.Err() != nil:
		return e.timeoutError()
	case errors.As(err, &stray):
		return e.newError(NotFound, "base_url", stray)
	case errors.As(err, &dns):
		return &attemptError{err: e.newError(Unreachable, "base_url", fmt.Errorf("host %s not found", dns.Name)), transient: dns.IsTemporary}
	case errors.As(err, &op) && op.Op == "dial":
		return &attemptError{err: e.newError(Unreachable, "base_url", op.Err), transient: errors.Is(err, syscall.ECONNREFUSED)}
	case tlsWords(err) != "":
		return e.newError(Untrusted, "base_url", errors.New(tlsWords(err)))
	case errors.As(err, &op) && op.Op == "proxyconnect":
		return e.newError(Unreachable, "proxy", op.Err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return &attemptError{err: e.newError(CutOff, "base_url", errors.New("the connection broke before the reply")), transient: true}
	}
	if err = rootCause(err); strings.Contains(err.Error(), "malformed HTTP") { // net/http has no value for it
		return e.newError(Malformed, "base_url", errors.New("the server does not speak HTTP"))
	}
	return e.newError(Unreachable, "base_url", err)
}

// tlsWords returns what is wrong with an endpoint's certificate or encryption; "" if something else
// failed.
func tlsWords(err error) string {
	var (
		authority x509.UnknownAuthorityError
		host      x509.HostnameError
		invalid   x509.CertificateInvalidError
		record    tls.RecordHeaderError
		alert     tls.AlertError
		verify    *tls.CertificateVerificationError
	)
	switch {
	case errors.As(err, &host):
		return "its certificate is not valid for " + host.Host
	case errors.As(err, &authority):
		return "its certificate is signed by an unknown authority; add that authority to the system's certificates"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "its certificate has expired or is not valid yet"
	case errors.As(err, &invalid), errors.As(err, &verify):
		return "its certificate is not valid"
	case errors.As(err, &record):
		return "it does not speak TLS; try an address that begins with http://"
	case errors.As(err, &alert), strings.Contains(err.Error(), "tls: "):
		return "the TLS handshake failed"
	case strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return "it does not speak TLS; try an address that begins with http://"
	}
	return ""
}

// interruptedError returns the error of a response that broke while being read.
func (e *endpoint) interruptedError(caller, attempt context.Context, err error) error {
	switch {
	case caller.Err() != nil:
		return caller.Err()
	case attempt.Err() != nil:
		return e.timeoutError()
	case errors.Is(err, errTooLong):
		return e.newError(TooLong, "max_tokens", err)
	}
	return e.newError(CutOff, "base_url", errors.New("the connection broke in the middle of the reply"))
}

// timeoutError returns the error of an attempt that took too long.
func (e *endpoint) timeoutError() *Error {
	return e.newError(TimedOut, "timeout", fmt.Errorf("no complete reply within %s", e.Timeout))
}

// rootCause unwraps an error of net/http, whose wrappers repeat the address.
func rootCause(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

// retryAfter parses the header Retry-After: seconds, or a date.
func retryAfter(value string, now time.Time) time.Duration {
	if seconds, err := strconv.Atoi(value); err == nil {
		return time.Duration(min(max(seconds, 0), 1<<20)) * time.Second
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(0, date.Sub(now))
	}
	return 0
}

// dateOf returns the time by the clock of the server, which its other times are by, or by ours if it does not tell.
func dateOf(response *http.Response) time.Time {
	if date, err := http.ParseTime(response.Header.Get("Date")); err == nil {
		return date
	}
	return time.Now()
}

// describeStatus returns what a status means and what the endpoint said.
func describeStatus(status int, said string) error {
	words := strconv.Itoa(status)
	if text := http.StatusText(status); text != "" {
		words += " " + text
	}
	if said != "" {
		words += ": " + said
	}
	return errors.New(words)
}

// messageOf finds the message in the body of an error, in any of the usual forms. It is untrusted.
func messageOf(body []byte) string {
	type form struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	var said form
	if several := []form(nil); json.Unmarshal(body, &several) == nil && len(several) > 0 { // as Google does
		said = several[0]
	} else if json.Unmarshal(body, &said) != nil {
		if text := strings.TrimSpace(string(body)); !strings.HasPrefix(text, "<") {
			return text
		}
		return "a web page"
	}
	for _, part := range []json.RawMessage{said.Error, said.Detail} {
		if said := messageText(part); said != "" {
			return templateMessage(said)
		}
	}
	return templateMessage(said.Message)
}

// jinja precedes the message that a template raised, after the lines of the template, in errors of
// llama.cpp.
const jinja = "Jinja Exception: "

// templateMessage drops what precedes the message proper.
func templateMessage(said string) string {
	if at := strings.LastIndex(said, jinja); at >= 0 {
		return said[at:]
	}
	return said
}

// messageText returns a JSON string, the message of a JSON object, the places and messages in a list of
// failed checks, or the JSON itself. It leaves out the request, which such lists repeat.
func messageText(part json.RawMessage) string {
	var text string
	var object struct{ Message string }
	var checks []struct {
		Loc []any
		Msg string
	}
	switch {
	case len(part) == 0 || string(part) == "null":
		return ""
	case json.Unmarshal(part, &text) == nil:
		return text
	case json.Unmarshal(part, &object) == nil && object.Message != "":
		return object.Message
	case json.Unmarshal(part, &checks) == nil && len(checks) > 0 && checks[0].Msg != "":
		var all []string
		for _, c := range checks {
			var place []string
			for _, step := range c.Loc {
				place = append(place, fmt.Sprint(step))
			}
			all = append(all, strings.Join(place, ".")+": "+c.Msg)
		}
		return strings.Join(all, "; ")
	}
	return string(part)
}

// oneLine returns a text on one line, shortened.
func oneLine(text string) string {
	return plaintext.Clip(sanitise.Line(text), maxErrorRunes)
}
