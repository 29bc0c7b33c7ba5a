package recording

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"lacuna/knowledge/llm"
	"lacuna/knowledge/sanitise"
)

// Miss is a call that a recording does not hold, with the nearest one that it holds. As an error it is one
// line.
type Miss struct {
	Question string
	Name     string // of the template, or the job of a model that has none, such as "embedding"
	// Changed says that the template's text is another than the one that was recorded.
	Changed bool
	Nearest bool // there is a call to compare with
	// Part is what differs first: "model", "role", "system", "prompt", "turns", a parameter such as "seed",
	// "schema" or "texts".
	Part          string
	LineOf        int    // of the part, from 1, where it begins to differ
	Recorded, Now string // the beginning of the difference, with a little before it
}

func (m *Miss) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the recording holds no such call of %s", m.Name)
	switch {
	case !m.Nearest:
		b.WriteString("; none of this name was recorded")
		return b.String()
	case m.Changed:
		b.WriteString(": its template has changed")
	case m.Part == "prompt" || m.Part == "turns" || m.Part == "texts":
		b.WriteString(": its template is as recorded, but not what stands in it (the question, sources, settings or an earlier step)")
	}
	where := m.Part
	if m.LineOf > 0 {
		where = fmt.Sprintf("line %d of the %s", m.LineOf, m.Part)
	}
	fmt.Fprintf(&b, "; first difference, in %s: recorded %q, now %q", where, m.Recorded, m.Now)
	return b.String()
}

// miss notes a call that the recording does not hold. It requires mu.
func (p *Player) miss(x *llm.Exchange, l *Line) error {
	m := &Miss{Question: l.Question, Name: nameOf(l)}
	if near := p.nearest(l); near != nil {
		m.Nearest = true
		m.Changed = near.Version != l.Version
		m.compare(near, l)
	}
	p.misses[l.Question] = append(p.misses[l.Question], m)
	return &llm.Error{Fault: llm.NotRecorded, Role: x.Role, Model: x.Model, Err: m}
}

// maxCompared limits how many recorded calls are compared with one that is not recorded.
const maxCompared = 500

// nearest returns the recorded call of the same name that has most in common with l: of the same question
// if there is one.
func (p *Player) nearest(l *Line) *Line {
	var best *Line
	most := -1
	for _, lines := range [][]*Line{p.asked[l.Question], p.byName[nameOf(l)]} {
		if best != nil {
			break
		}
		for i, other := range lines {
			if i == maxCompared {
				break
			}
			if nameOf(other) != nameOf(l) || other.Stage == llm.WindowStage {
				continue
			}
			if common := commonBytes(withoutCodes(l.whole()), withoutCodes(other.whole())); common > most {
				best, most = other, common
			}
		}
	}
	return best
}

// whole returns all texts of a call.
func (l *Line) whole() string {
	texts := []string{l.System, l.Prompt}
	for _, m := range l.Turns {
		texts = append(texts, m.Text)
	}
	return strings.Join(append(texts, l.Texts...), "\n")
}

// commonBytes returns the length of the common beginning and end of two texts.
func commonBytes(a, b string) int {
	start := commonStart(a, b)
	a, b = a[start:], b[start:]
	end := 0
	for end < min(len(a), len(b)) && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	return start + end
}

func commonStart(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// compare finds the first difference between a recorded call and a new one.
func (m *Miss) compare(recorded, now *Line) {
	turns := func(l *Line) string {
		var texts []string
		for _, t := range l.Turns {
			texts = append(texts, t.Role+": "+t.Text)
		}
		return strings.Join(texts, "\n")
	}
	for _, part := range []struct {
		name          string
		recorded, now string
		lines         bool
	}{
		{"model", recorded.Model, now.Model, false},
		{"role", string(recorded.Role), string(now.Role), false},
		{"system", recorded.System, now.System, true},
		{"prompt", recorded.Prompt, now.Prompt, true},
		{"turns", turns(recorded), turns(now), true},
		{"temperature", number(recorded, sampling.temperature), number(now, sampling.temperature), false},
		{"top_p", number(recorded, sampling.topP), number(now, sampling.topP), false},
		{"max_tokens", number(recorded, sampling.maxTokens), number(now, sampling.maxTokens), false},
		{"seed", number(recorded, sampling.seed), number(now, sampling.seed), false},
		{"schema", string(recorded.Schema), string(now.Schema), false},
		{"texts", strings.Join(recorded.Texts, "\n"), strings.Join(now.Texts, "\n"), true},
	} {
		if part.recorded == part.now {
			continue
		}
		m.Part = part.name
		before, after := part.recorded, part.now
		if a, b := withoutCodes(before), withoutCodes(after); a != b {
			before, after = a, b
		}
		at := commonStart(before, after)
		if part.lines {
			m.LineOf = 1 + strings.Count(after[:at], "\n")
		}
		m.Recorded, m.Now = excerpt(before, at), excerpt(after, at)
		return
	}
	m.Part = "number of calls"
}

// delimiterCode matches the delimiters of data in a prompt. Their code is a hash over the prompt, so it differs
// wherever anything does.
var delimiterCode = regexp.MustCompile(`(<<<data )[b-t]{16}|[b-t]{16}( data>>>)`)

func withoutCodes(prompt string) string { return delimiterCode.ReplaceAllString(prompt, "$1…$2") }

// number returns a parameter of a call for people.
func number(l *Line, of func(sampling) float64) string {
	if l.Sampling == nil {
		return "none"
	}
	return fmt.Sprint(of(*l.Sampling))
}

func (s sampling) temperature() float64 { return s.Temperature }
func (s sampling) topP() float64        { return s.TopP }
func (s sampling) maxTokens() float64   { return float64(s.MaxTokens) }
func (s sampling) seed() float64        { return float64(s.Seed) }

// Sizes of an excerpt, in bytes.
const (
	beforeDifference = 40
	fromDifference   = 80
)

// excerpt returns a text around a place, on one line.
func excerpt(text string, at int) string {
	start, end := max(0, at-beforeDifference), min(len(text), at+fromDifference)
	for start > 0 && !utf8.RuneStart(text[start]) {
		start--
	}
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end++
	}
	part := sanitise.Line(text[start:end])
	if start > 0 {
		part = "…" + part
	}
	if end < len(text) {
		part += "…"
	}
	return part
}
