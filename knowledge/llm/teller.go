package llm

import (
	"strings"
	"time"
	"unicode"

	"lacuna/knowledge/sanitise"
	"lacuna/prompts"
)

// maxPlaceholder is the longest that the placeholder of a redaction may be, in bytes.
const maxPlaceholder = 64

// teller passes a reply on while it is written: without its reasoning, with what redaction took out
// put back, and without saying anything twice when a reply has to be begun again.
type teller struct {
	delta   func(string)        // nil: nobody listens
	restore func(string) string // nil: nothing was replaced
	first   time.Time           // when the first piece came

	shown    string // all that was passed on
	restored strings.Builder
	used     int  // bytes of the reply that are in restored
	replying bool // reasoning is over, or there was none
	start    int  // where the reply begins in the text
}

// begin starts anew, as the reply does.
func (t *teller) begin() {
	t.restored.Reset()
	t.used, t.start, t.replying = 0, 0, false
}

// tell takes the next piece of a reply; whole is all of its text so far, with that piece.
func (t *teller) tell(reasoning, piece string, whole *strings.Builder) {
	if reasoning+piece == "" {
		return
	}
	if t.first.IsZero() {
		t.first = time.Now()
	}
	if t.delta == nil || piece == "" {
		return
	}
	if reply, has := t.reply(piece, whole.String()); has {
		t.show(reply)
	}
}

// reply returns the text of a reply without its reasoning, as far as it is written. It agrees with
// [prompts.SplitReasoning] and does not read all of the text again for every piece.
func (t *teller) reply(piece, text string) (string, bool) {
	if !t.replying && !prompts.MayThink(text) {
		t.replying = true
	}
	if !t.replying && strings.ContainsAny(piece, ">]▷") {
		t.start = prompts.ReasoningEnd(text)
		t.replying = t.start > 0
	}
	if t.start == 0 {
		return text, t.replying
	}
	return strings.TrimLeftFunc(text[t.start:], unicode.IsSpace), true
}

// show passes on what is new in a reply. A placeholder that may not be whole is held back.
func (t *teller) show(reply string) {
	if t.restore == nil {
		t.pass(reply)
		return
	}
	end := len(reply)
	if open := strings.LastIndexByte(reply, '['); open >= 0 && end-open < maxPlaceholder && !strings.Contains(reply[open:], "]") {
		end = open
	}
	if end <= t.used {
		return
	}
	t.restored.WriteString(t.restore(reply[t.used:end]))
	t.used = end
	t.pass(t.restored.String())
}

// pass passes on what goes beyond what was shown; what contradicts it stays untold.
func (t *teller) pass(reply string) {
	reply = sanitise.RedactPart(reply)
	if more, goesOn := strings.CutPrefix(reply, t.shown); goesOn && more != "" {
		t.shown = reply
		t.delta(more)
	}
}

// rest passes on what is left of a reply that has ended.
func (t *teller) rest(reply string) {
	if t.delta != nil {
		t.pass(reply)
	}
}
