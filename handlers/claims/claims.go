// Package claims compares the sentences of notes with the passages that they cite, and remembers what it found.
// It decides by package entail, without a model and without a network.
//
// Begin with [Checker].
package claims

import (
	"context"
	"slices"
	"strings"
	"sync"

	"lacuna/handlers/lsp"
	"lacuna/handlers/note"
	"lacuna/knowledge"
	"lacuna/knowledge/entail"
	"lacuna/knowledge/passage"
)

// Finding is what the cited passages hold of a sentence.
type Finding struct {
	Verdict     entail.Verdict
	Unstated    []string     // words of the sentence that they do not state; of Partly only
	Differences []Difference // of Contradicts at least one
	Cited       bool         // the sentence cites Passage; otherwise a search found it
	// Passage is the passage that was compared, or the most telling one. Quote is the sentence of it that tells
	// most, as people read it, at Span of its text; Quote is empty if none does.
	Passage *passage.Passage
	Quote   string
	Span    passage.Span
	// Elsewhere is a finding of a passage that states the sentence, where those that it cites do not; nil if none
	// is known.
	Elsewhere *Finding
	// Said and Stated are the words that differ, or those not stated: spans of the sentence's text and of Quote.
	Said, Stated []passage.Span
}

// Difference is a pair of words that cannot both be true; one of both may be empty.
type Difference struct {
	Kind         entail.Kind
	Said, Stated string
}

// Place returns where the quote is on disk.
func (f Finding) Place() passage.Place { return f.Passage.PlaceOf(f.Span) }

// Source returns a passage in the form that package entail compares.
func Source(p *passage.Passage) entail.Source {
	above := p.Above()
	if p.Question != "" {
		above += "\n" + p.Question
	}
	return entail.Source{Above: above, Text: p.Render().Span(passage.Span{End: len(p.Text)})}
}

// Checker compares sentences and caches what it found. It is safe for concurrent use.
type Checker struct {
	judge func(claim, question string, sources ...entail.Source) entail.Judgement

	mu     sync.Mutex
	known  map[key]*known              // guarded by mu
	kept   int                         // sentences after the last Retain that forgot some; guarded by mu
	judged map[string]entail.Judgement // by the words and the passages compared; guarded by mu
	places *places                     // of the newest library; guarded by mu
}

// key names a sentence: its links are relative to the folder of its note.
type key struct{ note, sentence string }

type known struct {
	finding    Finding
	generation string // of the library
	compared   bool   // there was something to compare with
}

// New returns a checker that knows nothing yet.
func New() *Checker {
	return &Checker{judge: entail.Judge, known: make(map[key]*known), judged: make(map[string]entail.Judgement)}
}

// Find returns what is known of a sentence of the note at a path; it computes nothing.
func (c *Checker) Find(notePath string, s note.Sentence) (Finding, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if k := c.known[key{notePath, s.Key}]; k != nil && k.compared {
		return k.finding, true
	}
	return Finding{}, false
}

// IsFresh reports whether a sentence was compared with this generation of the library.
func (c *Checker) IsFresh(notePath string, s note.Sentence, generation string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.known[key{notePath, s.Key}]
	return k != nil && k.generation == generation
}

// IsQuick reports whether a sentence has nothing to be compared with, so that Check ends at once.
func (c *Checker) IsQuick(library *knowledge.Library, notePath string, s note.Sentence) bool {
	if s.Opinion || len(s.Cites) == 0 {
		return s.Opinion
	}
	at := c.placesOf(library)
	return !slices.ContainsFunc(s.Cites, func(cite note.Cite) bool {
		here, around := at.of(notePath, cite)
		return len(here)+len(around) > 0
	})
}

func (c *Checker) placesOf(library *knowledge.Library) *places {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.places == nil || !c.places.serve(library) {
		c.places = &places{library: library}
	}
	return c.places
}

// Check compares a sentence with the passages that it cites or, if it cites none, with the first that a search
// finds. It reports whether something else is known of it now.
func (c *Checker) Check(ctx context.Context, library *knowledge.Library, notePath string, s note.Sentence) (changed bool) {
	now := &known{generation: library.Generation()}
	switch {
	case s.Opinion:
	case len(s.Cites) > 0:
		now.finding, now.compared = c.cited(library, notePath, s)
		if v := now.finding.Verdict; now.compared && v != entail.States && v != entail.Unchecked {
			if elsewhere, ok := c.searched(ctx, library, notePath, s); ok && elsewhere.Verdict == entail.States {
				now.finding.Elsewhere = &elsewhere
			}
		}
	default:
		now.finding, now.compared = c.searched(ctx, library, notePath, s)
	}
	if ctx.Err() != nil {
		return false
	}
	at := key{notePath, s.Key}
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.known[at]
	c.known[at] = now
	if before == nil {
		return now.compared
	}
	return before.compared != now.compared || before.finding.Verdict != now.finding.Verdict || before.finding.Quote != now.finding.Quote
}

// cited compares a sentence with the passages that it cites. If it cites a file, and the place in it does not
// state the sentence, the passages of the file that are most like it may.
func (c *Checker) cited(library *knowledge.Library, notePath string, s note.Sentence) (Finding, bool) {
	at := c.placesOf(library)
	var exact, wider []*passage.Passage
	for _, cite := range s.Cites {
		here, around := at.of(notePath, cite)
		if len(here) == 0 {
			here, around = likest(s.Text, around, mostOfFile), nil
		}
		exact, wider = append(exact, here...), append(wider, around...)
	}
	exact = distinct(exact)
	if len(exact) == 0 {
		return Finding{}, false
	}
	found := c.compare(s, exact)
	if found.Verdict == entail.States || len(wider) == 0 {
		return found, true
	}
	wider = likest(s.Text, slices.DeleteFunc(distinct(wider), func(p *passage.Passage) bool { return slices.Contains(exact, p) }), mostOfFile)
	if len(wider) > 0 {
		if elsewhere := c.compare(s, append(slices.Clone(exact), wider...)); elsewhere.Verdict == entail.States {
			return elsewhere, true
		}
	}
	return found, true
}

// Bounds on the passages that a sentence is compared with.
const (
	mostOfFile = 3
	mostHits   = 3
)

// searched compares a sentence that cites nothing with what a search for it finds. Only what it agrees with or
// what contradicts it counts: that others do not speak of it says nothing. A note that is a source itself does not vouch
// for its own sentences.
func (c *Checker) searched(ctx context.Context, library *knowledge.Library, notePath string, s note.Sentence) (Finding, bool) {
	hits, err := library.Search(ctx, knowledge.Query{Text: s.Text, K: 2 * mostHits})
	if err != nil {
		return Finding{}, false
	}
	own := lsp.PathKey(notePath)
	var near []*passage.Passage
	for _, hit := range hits {
		if p := hit.Passage; len(near) < mostHits && (notePath == "" || lsp.PathKey(p.Place.File) != own) {
			near = append(near, p)
		}
	}
	if len(near) == 0 {
		return Finding{}, false
	}
	found := c.compare(s, near)
	found.Cited = false
	return found, found.Verdict == entail.States || found.Verdict == entail.Contradicts
}

// compare judges a sentence against passages, or remembers the judgement.
func (c *Checker) compare(s note.Sentence, with []*passage.Passage) Finding {
	var name strings.Builder
	name.WriteString(s.Text + "\x00" + s.Question)
	for _, p := range with {
		name.Write(p.ID[:])
	}
	c.mu.Lock()
	j, known := c.judged[name.String()]
	c.mu.Unlock()
	sources := make([]entail.Source, len(with))
	for i, p := range with {
		sources[i] = Source(p)
	}
	if !known {
		j = c.judge(s.Text, s.Question, sources...)
		c.mu.Lock()
		c.judged[name.String()] = j
		c.mu.Unlock()
	}
	return findingOf(s, j, with, sources)
}

// findingOf puts a judgement into words.
func findingOf(s note.Sentence, j entail.Judgement, with []*passage.Passage, sources []entail.Source) Finding {
	f := Finding{Verdict: j.Verdict, Cited: true, Passage: with[0]}
	for _, span := range j.Unstated {
		if inside(span, s.Text) && span.Len() > 0 {
			f.Unstated, f.Said = append(f.Unstated, s.Text[span.Start:span.End]), append(f.Said, span)
		}
	}
	told := telling(j)
	if told.Len() > 0 && told.Source < len(with) && inside(told.Span, sources[told.Source].Text) {
		f.Passage, f.Quote = with[told.Source], strings.TrimSpace(sources[told.Source].Text[told.Start:told.End])
		f.Span = passage.Span{End: len(f.Passage.Text)}
		if span, ok := f.Passage.Render().Find(f.Quote); ok {
			f.Span = span
		}
	}
	for _, d := range j.Differences {
		one := Difference{Kind: d.Kind}
		if inside(d.Claimed, s.Text) && d.Claimed.Len() > 0 {
			one.Said, f.Said = s.Text[d.Claimed.Start:d.Claimed.End], append(f.Said, d.Claimed)
		}
		if d.Stated.Len() > 0 && d.Stated.Source < len(with) && inside(d.Stated.Span, sources[d.Stated.Source].Text) {
			one.Stated = sources[d.Stated.Source].Text[d.Stated.Start:d.Stated.End]
			if by := d.Stated.Start - told.Start; d.Stated.Source == told.Source && by >= 0 && d.Stated.End <= told.End {
				f.Stated = append(f.Stated, passage.Span{Start: by, End: by + d.Stated.Len()})
			}
		}
		f.Differences = append(f.Differences, one)
	}
	return f
}

// telling returns the evidence to show: of a contradiction the sentence with the first words that differ.
func telling(j entail.Judgement) entail.Quote {
	for _, d := range j.Differences {
		for _, e := range j.Evidence {
			if d.Stated.Len() > 0 && e.Source == d.Stated.Source && e.Start <= d.Stated.Start && d.Stated.End <= e.End {
				return e
			}
		}
	}
	if len(j.Evidence) > 0 {
		return j.Evidence[0]
	}
	return entail.Quote{}
}

func inside(span passage.Span, text string) bool {
	return 0 <= span.Start && span.Start <= span.End && span.End <= len(text)
}

// Retain forgets the sentences that live does not yield once there may be many others, so that what was typed on
// the way to a sentence does not pile up.
func (c *Checker) Retain(live func(yield func(notePath string, s note.Sentence) bool)) {
	c.mu.Lock()
	many := len(c.known) > 2*c.kept+mostForgotten
	c.mu.Unlock()
	if !many {
		return
	}
	alive := make(map[key]bool)
	for path, s := range live {
		alive[key{path, s.Key}] = true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for at := range c.known {
		if !alive[at] {
			delete(c.known, at)
		}
	}
	c.kept = len(c.known)
	clear(c.judged)
}

// mostForgotten is how many sentences that are in no open note are remembered in any case.
const mostForgotten = 1000
