package llm

import (
	"sync"
	"unicode"
	"unicode/utf8"

	openai "github.com/sashabaranov/go-openai"

	"lacuna/prompts"
)

// Account limits and counts the tokens of one answer. It also remembers hosts that failed: while the
// last call at a host failed after all retries, the next calls there are tried once. It is safe for
// concurrent use.
type Account struct {
	limit int // tokens; 0: none

	mu      sync.Mutex
	settled Usage                      // of finished calls; guarded by mu
	running map[*accountEntry]struct{} // guarded by mu
	failing map[string]bool            // hosts whose last call failed after all retries; guarded by mu
}

// NewAccount returns an account that refuses further calls once limit tokens are spent; 0 means no
// limit. Running calls are not interrupted, so the sum may exceed the limit.
func NewAccount(tokens int) *Account {
	return &Account{limit: tokens, running: map[*accountEntry]struct{}{}, failing: map[string]bool{}}
}

// Usage returns what has been spent so far, with estimates for running calls. Interrupted attempts
// count; cached replies do not.
func (a *Account) Usage() Usage {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.usage()
}

// usage requires mu.
func (a *Account) usage() Usage {
	sum := a.settled
	for e := range a.running {
		sum = sum.Plus(e.sum())
	}
	return sum
}

// open begins a call, unless the limit is reached.
func (a *Account) open() (*accountEntry, bool) {
	if a == nil {
		a = NewAccount(0) // of this call alone
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if spent := a.usage(); a.limit > 0 && spent.Prompt+spent.Completion >= a.limit {
		return nil, false
	}
	e := &accountEntry{account: a}
	a.running[e] = struct{}{}
	return e, true
}

// add counts a call that was not made now.
func (a *Account) add(u Usage) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.settled = a.settled.Plus(u)
}

// hostFailing reports whether the last call at a host failed after all retries.
func (a *Account) hostFailing(host string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.failing[host]
}

// recordOutcome remembers how a call at a host ended.
func (a *Account) recordOutcome(host string, fault Fault) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch fault {
	case Unreachable, ServerFault, CutOff, RateLimited, TimedOut:
		a.failing[host] = true
	case "":
		delete(a.failing, host)
	}
}

// accountEntry is one call in an account. The account's mu guards its fields.
type accountEntry struct {
	account *Account
	ended   Usage // of finished attempts
	asked   bool  // an attempt is running
	in, out tally // of the running attempt
}

// tally estimates tokens.
type tally struct{ han, bytes int }

func (t *tally) add(text string) {
	for _, r := range text {
		switch {
		case r < utf8.RuneSelf:
			t.bytes++
		case unicode.Is(unicode.Han, r):
			t.han++
		default:
			t.bytes += utf8.RuneLen(r)
		}
	}
}

func (t tally) tokens() int { return t.han + (t.bytes+3)/4 }

// prompt begins an attempt.
func (e *accountEntry) prompt(messages []prompts.Message) {
	e.account.mu.Lock()
	defer e.account.mu.Unlock()
	e.asked = true
	for _, m := range messages {
		e.in.add(m.Text)
	}
}

// completion counts a piece of the reply.
func (e *accountEntry) completion(text string) {
	if text == "" {
		return
	}
	e.account.mu.Lock()
	defer e.account.mu.Unlock()
	e.out.add(text)
}

// settle ends an attempt with the endpoint's count, or with the estimate.
func (e *accountEntry) settle(counted *openai.Usage) Usage {
	e.account.mu.Lock()
	defer e.account.mu.Unlock()
	usage := e.estimate()
	if counted != nil {
		usage = Usage{Prompt: counted.PromptTokens, Completion: counted.CompletionTokens}
		if d := counted.CompletionTokensDetails; d != nil {
			usage.Reasoning = d.ReasoningTokens
		}
	}
	e.ended = e.ended.Plus(usage)
	e.asked, e.in, e.out = false, tally{}, tally{}
	usage.Calls = 1
	return usage
}

// estimate returns the cost of the running attempt so far.
func (e *accountEntry) estimate() Usage {
	if !e.asked {
		return Usage{}
	}
	return Usage{Prompt: e.in.tokens(), Completion: e.out.tokens(), Estimated: true}
}

// sum returns the cost of the call so far, as one call, if any attempt was answered.
func (e *accountEntry) sum() Usage {
	sum := e.ended.Plus(e.estimate())
	if sum != (Usage{}) {
		sum.Calls = 1
	}
	return sum
}

// spent is [accountEntry.sum] for callers without mu.
func (e *accountEntry) spent() Usage {
	e.account.mu.Lock()
	defer e.account.mu.Unlock()
	return e.sum()
}

// close ends the call.
func (e *accountEntry) close() {
	a := e.account
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.running, e)
	a.settled = a.settled.Plus(e.sum())
}
