package llm

import "fmt"

// Fault is what went wrong with a call, as far as a user can do something about it.
type Fault string

const (
	Unreachable  Fault = "unreachable"  // nothing listens there, or the name does not resolve
	Untrusted    Fault = "untrusted"    // it cannot prove who it is, or does not speak TLS
	Unauthorised Fault = "unauthorised" // 401, 403, or a key that cannot be had
	NotFound     Fault = "not-found"    // the address or the model is wrong
	RateLimited  Fault = "rate-limited" // 429 after all retries
	ServerFault  Fault = "server-fault" // 5xx after all retries
	Refused      Fault = "refused"      // other 4xx
	Malformed    Fault = "malformed"    // not the answer of such an endpoint
	CutOff       Fault = "cut-off"      // the connection broke before the reply was whole
	TimedOut     Fault = "timed-out"    // slower than the deadline of the call
	TooLong      Fault = "too-long"     // the reply went on beyond every limit
	NotPermitted Fault = "not-permitted"
	OverBudget   Fault = "over-budget"
	Unset        Fault = "unset" // no model plays the role
)

// Error is a call that failed.
type Error struct {
	Fault   Fault
	Role    Role   // or "embedding", "rerank"
	Host    string // host and port; empty for OverBudget and Unset
	Model   string
	Status  int    // of HTTP; 0 when no response came
	Setting string // the key of the setting to change; empty for NotPermitted and OverBudget
	Err     error  // in words, of one line; may be nil
	said    string // what the endpoint said, whole; text of a stranger
}

func (e *Error) Error() string {
	s := fmt.Sprintf("%s: %s", e.Role, e.Fault)
	if e.Host != "" {
		s += " (" + e.Host + ")"
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }
