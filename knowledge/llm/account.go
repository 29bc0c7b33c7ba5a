package llm

import (
	"sync"
	"unicode"
	"unicode/utf8"

	openai "github.com/sashabaranov/go-openai"

	"lacuna/prompts"
)

// Account is what the calls of one answer may cost and have cost. It also knows where an answer has
// waited in vain: while the last call at a host failed after all its retries, the next ones there are
// tried once. It is safe for concurrent use.
type Account struct {
	limit int // tokens; 0: none

	mu      sync.Mutex
	settled Usage                      // of calls that ended; guarded by mu
	running map[*accountEntry]struct{} // guarded by mu
	failing map[string]bool            // hosts at which the last call failed, retries and all; guarded by mu
}

// NewAccount returns an account that refuses further calls once so many tokens are spent; 0 means
// no limit. Calls that run by then are not ended, so the sum may go beyond by what those still say.
func NewAccount(tokens int) *Account {
	return &Account{limit: tokens, running: map[*accountEntry]struct{}{}, failing: map[string]bool{}}
}

// Usage is what has been spent, also while calls are running: those are estimated until they end.
// Attempts that failed in the middle count; kept replies do not.
func (a *Account) Usage() Usage {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.usage()
}

// usage is called with mu held.
func (a *Account) usage() Usage {
	sum := a.settled
	for e := range a.running {
		sum = sum.Plus(e.sum())
	}
	return sum
}

// open begins a call, if it may be made.
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

// hostFailing reports whether retries at a host have just been in vain.
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

// accountEntry is one call in an account. Its fields are guarded by the account's mu.
type accountEntry struct {
	account *Account
	ended   Usage // of the attempts that ended
	asked   bool  // an attempt is running
	in, out tally // of the attempt that is running
}

// tally counts what an estimate of tokens is made of.
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

// settle ends an attempt with what the endpoint counted, or with the estimate if it did not.
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

// estimate is what the running attempt has cost so far.
func (e *accountEntry) estimate() Usage {
	if !e.asked {
		return Usage{}
	}
	return Usage{Prompt: e.in.tokens(), Completion: e.out.tokens(), Estimated: true}
}

// sum is what the call has cost so far, as one call, if anything of it was answered.
func (e *accountEntry) sum() Usage {
	sum := e.ended.Plus(e.estimate())
	if sum != (Usage{}) {
		sum.Calls = 1
	}
	return sum
}

// spent is what the call has cost so far.
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
