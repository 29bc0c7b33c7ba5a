package history

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
)

// Pair is a question with the answer that the user accepted, and where the answer is from.
type Pair struct {
	ID       string  `json:"id"` // of the question in its note
	Question string  `json:"question"`
	Answer   string  `json:"answer"` // the sentences that rest on sources, one a paragraph
	Date     string  `json:"date"`   // day of acceptance, such as 2026-11-21
	Note     string  `json:"note"`
	System   string  `json:"system"`
	Models   string  `json:"models,omitempty"` // names, separated by commas
	Cited    []Cited `json:"cited"`            // never empty
}

// Cited is a passage that a pair rests on.
type Cited struct {
	Source  string     `json:"source"`
	Record  string     `json:"record"`
	Passage passage.ID `json:"passage"`
	Hash    string     `json:"sha256"` // of the passage's text
	Quote   string     `json:"quote"`
}

// Near returns 1 if a passage stands where the citation was, for [knowledge.Library.Resolve].
func (c Cited) Near(p *passage.Passage) int {
	if p.Source == c.Source && p.Record == c.Record {
		return 1
	}
	return 0
}

// Why an answer cannot be stored as a pair.
var (
	ErrNoEvidence = errors.New("nothing of this answer rests on your sources")
	ErrPrivate    = errors.New("this answer rests on a private document")
	ErrAccepted   = errors.New("this answer is an accepted one already")
)

// PairOf makes a pair of an answer to a question in a note. It takes the sentences that quote or cite a
// source and leaves out what a model wrote of its own.
func PairOf(r answer.Result, question, note string, at time.Time) (Pair, error) {
	p := Pair{
		ID: PairID(note, question), Question: question, Date: at.Format(time.DateOnly), Note: note,
		System: r.System, Models: strings.Join(r.Models, ", "),
	}
	used := make(map[int]bool)
	var said []string
	for _, s := range r.Statements {
		if s.Basis != answer.Quote && s.Basis != answer.Claim || len(s.Citations) == 0 {
			continue
		}
		said = append(said, s.Reads())
		for _, n := range s.Citations {
			used[n] = true
		}
	}
	for _, c := range r.Citations {
		switch from := c.Passage; {
		case !used[c.N]:
		case from.Private:
			return Pair{}, ErrPrivate
		case from.Source == SourceName:
			return Pair{}, ErrAccepted
		default:
			p.Cited = append(p.Cited, Cited{from.Source, from.Record, from.ID, sum(from.Text), c.Quote})
		}
	}
	if len(p.Cited) == 0 {
		return Pair{}, ErrNoEvidence
	}
	p.Answer = strings.Join(said, "\n\n")
	return p, nil
}

// CheckKeepable returns the reason why an answer cannot be stored as a pair, or nil.
func CheckKeepable(r answer.Result) error {
	_, err := PairOf(r, "", "", time.Time{})
	return err
}

// PairID returns the identity of the pair for a question in a note.
func PairID(note, question string) string { return identity(note, question) }

// evidence holds the passages that pairs cite and may rest on.
type evidence map[passage.TextID][]*passage.Passage

func evidenceOf(library *knowledge.Library, pairs []Pair) evidence {
	e := make(evidence)
	for _, p := range pairs {
		for _, c := range p.Cited {
			e[c.Passage.Text()] = nil
		}
	}
	for _, p := range library.Passages() {
		if _, cited := e[p.ID.Text()]; cited && p.Source != SourceName && !p.Private {
			e[p.ID.Text()] = append(e[p.ID.Text()], p)
		}
	}
	return e
}

// check returns nil if everything that a pair cites stands in the library and on disk, and otherwise what
// does not.
func (e evidence) check(p Pair) error {
	if len(p.Cited) == 0 {
		return ErrNoEvidence
	}
	for _, c := range p.Cited {
		if !e.stands(c) {
			return fmt.Errorf("%s/%s does not say any more what the answer rests on", c.Source, c.Record)
		}
	}
	return nil
}

// stands reports whether the cited passage stands unchanged: under its title and headings wherever its file
// is now, or in its record under other headings.
func (e evidence) stands(c Cited) bool {
	for _, p := range e[c.Passage.Text()] {
		if c.Near(p) == 0 && !p.Has(c.Passage) || sum(p.Text) != c.Hash || !strings.Contains(p.Text, c.Quote) {
			continue
		}
		if onDisk, err := ingest.Resolve(p.Place); err == nil && onDisk == p.Text {
			return true
		}
	}
	return false
}

// identity returns the identity of what is stored about a question in a note.
func identity(parts ...string) string { return sum(strings.Join(parts, "\x00"))[:12] }

func sum(text string) string {
	digest := sha256.Sum256([]byte(text))
	return hex.EncodeToString(digest[:])
}

// SourceName is the name under which the published pairs are a source of the library.
const SourceName = "accepted answers"

// NotAccepted returns the passages from which a question of a history may have been made. Accepted answers are left out:
// in a history of their own workspace every accepted question is also a stored one, so that with them only the answers
// that went wrong would be left to learn from.
func NotAccepted(passages []*passage.Passage) []*passage.Passage {
	return slices.DeleteFunc(slices.Clone(passages), func(p *passage.Passage) bool { return p.Source == SourceName })
}
