package recording

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"

	"lacuna/knowledge/llm"
	"lacuna/vecmath/regular"
)

// Player stands in for endpoints with what was recorded. It implements [llm.Tape] and is safe for concurrent
// use.
type Player struct {
	runs    []Run
	torn    int
	calls   map[string][]*Line         // by question and content, in order
	loose   map[string][]*Line         // by content, in order of questions
	asked   map[string][]*Line         // by question
	byName  map[string][]*Line         // by template, or role where there is none
	vectors map[string][]float32       // by model and text
	remarks map[string]json.RawMessage // by question
	digests map[string]bool            // of the passages that were searched

	mu           sync.Mutex
	counts       map[string]int     // calls by question and content; guarded by mu
	used         map[*Line]bool     // guarded by mu
	otherSources bool               // passages are searched that were not then; guarded by mu
	given        int                // calls that got their outcome; guarded by mu
	played       map[string]bool    // questions for which calls were made; guarded by mu
	misses       map[string][]*Miss // by question; guarded by mu
}

// Open reads a recording, plain or compressed with gzip.
func Open(path string) (*Player, error) {
	file, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	p, err := Read(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

// errNoRecording is returned for a file that is something else.
var errNoRecording = errors.New("this is not a recording, which begins with " + beginning + "1, …")

// Read reads a recording.
func Read(from io.Reader) (*Player, error) {
	in := bufio.NewReaderSize(from, 1<<16)
	if magic, err := in.Peek(2); err == nil && bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		plain, err := gzip.NewReader(in)
		if err != nil {
			return nil, err
		}
		in = bufio.NewReaderSize(plain, 1<<16)
	}
	p := &Player{
		calls: map[string][]*Line{}, loose: map[string][]*Line{}, asked: map[string][]*Line{}, byName: map[string][]*Line{},
		vectors: map[string][]float32{}, remarks: map[string]json.RawMessage{}, digests: map[string]bool{},
		counts: map[string]int{}, used: map[*Line]bool{}, played: map[string]bool{}, misses: map[string][]*Miss{},
	}
	newest := map[string]string{} // the session in which equal calls for a question were last recorded
	for {
		text, err := in.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, err
		}
		if text = bytes.TrimSpace(text); len(text) > 0 {
			if bad := p.add(text, newest); bad != nil {
				return nil, bad
			}
		}
		if err != nil { // the end, or where a compressed file was cut off
			break
		}
	}
	if len(p.runs) == 0 {
		return nil, errNoRecording
	}
	p.order()
	return p, nil
}

// add reads one line. A line that is not whole is counted and left out.
func (p *Player) add(text []byte, newest map[string]string) error {
	if bytes.HasPrefix(text, []byte(beginning)) {
		var run Run
		switch err := json.Unmarshal(text, &run); {
		case err != nil:
			p.torn++
			return nil
		case run.Format > format:
			return fmt.Errorf("it is a recording of form %d; this version of the program reads up to %d", run.Format, format)
		}
		p.runs = append(p.runs, run)
		return nil
	}
	if len(p.runs) == 0 {
		return errNoRecording
	}
	l := new(Line)
	switch err := json.Unmarshal(text, l); {
	case err != nil:
		p.torn++
	case l.Digest != "":
		p.digests[l.Digest] = true
	case l.Remark != nil:
		p.remarks[l.Question] = l.Remark
	default:
		key := l.Question + "\n" + l.content()
		if session := p.runs[len(p.runs)-1].Session; newest[key] != session { // what an earlier one recorded does not count
			newest[key], p.calls[key] = session, nil
		}
		p.calls[key] = append(p.calls[key], l)
		if len(l.Vectors) == len(l.Texts) {
			for i, text := range l.Texts {
				if v := decode(l.Vectors[i]); v != nil {
					p.vectors[l.Model+"\n"+text] = v
				}
			}
		}
	}
	return nil
}

// order puts calls into an order that does not depend on what ran concurrently.
func (p *Player) order() {
	var all []*Line
	for _, lines := range p.calls {
		slices.SortStableFunc(lines, func(a, b *Line) int { return a.N - b.N })
		all = append(all, lines...)
	}
	content := map[*Line]string{}
	for _, l := range all {
		content[l] = l.content()
	}
	slices.SortFunc(all, func(a, b *Line) int {
		return cmp.Or(cmp.Compare(a.Question, b.Question), cmp.Compare(content[a], content[b]), a.N-b.N)
	})
	for _, l := range all {
		p.loose[content[l]] = append(p.loose[content[l]], l)
		p.asked[l.Question] = append(p.asked[l.Question], l)
		p.byName[nameOf(l)] = append(p.byName[nameOf(l)], l)
	}
}

// nameOf returns what names a call for people: its template, or the job of another model.
func nameOf(l *Line) string { return cmp.Or(l.Template, string(l.Role)) }

// Runs returns the runs that were recorded, oldest first; at least one.
func (p *Player) Runs() []Run { return p.runs }

// Torn returns how many lines were left out because they are not whole.
func (p *Player) Torn() int { return p.torn }

// Remark returns the last remark about a question, or nil.
func (p *Player) Remark(question string) json.RawMessage { return p.remarks[question] }

// Searched notes a hash of the passages that are searched.
func (p *Player) Searched(digest string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.otherSources = p.otherSources || len(p.digests) > 0 && !p.digests[digest]
}

// Before implements [llm.Tape]: every call has an outcome here, if only that it was not recorded.
func (p *Player) Before(x *llm.Exchange) bool {
	l := lineOf(x)
	content := l.content()
	key := l.Question + "\n" + content
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.counts[key]
	p.counts[key]++
	p.played[l.Question] = true
	lines := p.calls[key]
	if len(lines) == 0 { // asked for another question, or for none
		lines = p.loose[content]
	}
	var found *Line
	for _, recorded := range lines {
		if found == nil || recorded.N <= n {
			found = recorded
		}
	}
	switch {
	case found != nil:
		p.used[found] = true
		found.outcome(x)
		if len(x.Vectors) > 0 && x.Err == nil && !p.vectorsOf(x) {
			x.Err = p.miss(x, l)
		}
	case x.Stage == llm.WindowStage: // it fits, as almost all prompts do
		return true
	case len(x.Vectors) > 0 && p.vectorsOf(x):
	default:
		x.Err = p.miss(x, l)
	}
	if x.Err == nil && x.Stage != llm.WindowStage {
		p.given++
	}
	return true
}

// vectorsOf fills in the vectors of all texts of an exchange, in whatever batches they were recorded.
func (p *Player) vectorsOf(x *llm.Exchange) bool {
	for i, text := range x.Texts {
		v, has := p.vectors[x.Model+"\n"+text]
		if !has {
			return false
		}
		x.Vectors[i] = slices.Clone(v)
	}
	return true
}

// After implements [llm.Tape]; nothing is called.
func (p *Player) After(*llm.Exchange) {}

// Misses returns the calls for a question that the recording does not hold, the first one first.
func (p *Player) Misses(question string) []*Miss {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.misses[question])
}

// Summary says how a replay went.
type Summary struct {
	Calls        int // that got their outcome from the recording
	Questions    int // all of whose calls were recorded
	Missed       []Missed
	Unused       []Unused
	OtherSources bool // the passages that were searched are not those of the recording
}

// Missed names a template whose calls were the first of some questions that were not recorded.
type Missed struct {
	Name      string
	Changed   bool     // its text is another than the recorded one
	Questions []string // in alphabetical order; "" for calls that were made for no question
}

// Unused has the templates of the calls that were recorded for a question and not made again, one for each
// call, in alphabetical order. The replay has taken another way.
type Unused struct {
	Question string
	Names    []string
}

// Summary returns how the replay has gone so far.
func (p *Player) Summary() Summary {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := Summary{Calls: p.given, OtherSources: p.otherSources}
	by := map[string]*Missed{}
	for _, question := range slices.Sorted(maps.Keys(p.played)) {
		misses := p.misses[question]
		if len(misses) > 0 {
			first := misses[0]
			if by[first.Name] == nil {
				by[first.Name] = &Missed{Name: first.Name}
			}
			m := by[first.Name]
			m.Changed, m.Questions = m.Changed || first.Changed, append(m.Questions, question)
			continue
		}
		if question == "" {
			continue
		}
		s.Questions++
		if names := p.unused(question); len(names) > 0 {
			s.Unused = append(s.Unused, Unused{question, names})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(by)) {
		s.Missed = append(s.Missed, *by[name])
	}
	return s
}

// unused requires mu.
func (p *Player) unused(question string) []string {
	var names []string
	for _, l := range p.asked[question] {
		if !p.used[l] && l.Stage != llm.WindowStage && len(l.Vectors) == 0 { // vectors are found by their texts
			names = append(names, nameOf(l))
		}
	}
	slices.Sort(names)
	return names
}
