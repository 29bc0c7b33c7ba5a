package agents

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"lacuna/handlers/messages"
	"lacuna/knowledge"
	"lacuna/knowledge/gap/ledger"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
)

const (
	fewGaps  = 50  // in one reply, unless the agent says how many
	mostGaps = 200 // in one reply
)

type gapsInput struct {
	Question string   `json:"question,omitempty" jsonschema:"the question, self-contained; without it the gaps of all notes are listed"`
	Sources  []string `json:"sources,omitempty" jsonschema:"names of sources to use for the question; all without it"`
	Most     int      `json:"most,omitempty" jsonschema:"gaps of notes in one reply: 50 without it, 200 at most"`
	Cursor   string   `json:"cursor,omitempty" jsonschema:"next of the reply before, to go on with the list"`
}

type gapsOutput struct {
	State string     `json:"state,omitempty" jsonschema:"of the question: answered, nearest or nothing"`
	Gaps  []notedGap `json:"gaps"`
	Total int        `json:"total" jsonschema:"how many gaps there are"`
	Next  string     `json:"next,omitempty" jsonschema:"the cursor of the rest"`
}

// notedGap is a gap with the question that it belongs to.
type notedGap struct {
	Gap
	Question string `json:"question,omitempty" jsonschema:"the question of a note"`
	Note     string `json:"note,omitempty" jsonschema:"the file of the note"`
	Answered bool   `json:"answered,omitempty" jsonschema:"the note has an answer nevertheless"`
	URI      string `json:"uri,omitempty" jsonschema:"the gap as a resource"`
}

func (o *gapsOutput) texts() (all []text) {
	for i := range o.Gaps {
		all = append(all, o.Gaps[i].texts()...)
	}
	return all
}

func (s *server) gaps(ctx context.Context, in gapsInput) (*gapsOutput, error) {
	if plaintext.OneLine(in.Question) == "" {
		return s.listGaps(ctx, in)
	}
	r, err := s.answer(ctx, questionInput{in.Question, in.Sources})
	if err != nil {
		return nil, err
	}
	out := &gapsOutput{State: string(r.State), Gaps: []notedGap{}}
	for _, g := range gapsOf(r.Gaps) {
		out.Gaps = append(out.Gaps, notedGap{Gap: g})
	}
	out.Total = len(out.Gaps)
	return out, nil
}

func (o *notedGap) texts() []text { return []text{{&o.Question, &o.Text, &o.Search}, {&o.Note}} }

func (s *server) listGaps(ctx context.Context, in gapsInput) (*gapsOutput, error) {
	if s.Gaps == nil {
		return nil, errors.New(messages.AgentNoQuestion)
	}
	library, err := s.library(ctx)
	if err != nil {
		return nil, err
	}
	all, err := s.workspaceGaps(ctx, library)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(all))
	for i, g := range all {
		ids[i] = gapID(g)
	}
	most := fewGaps
	if in.Most > 0 {
		most = min(in.Most, mostGaps)
	}
	from, to, next, err := page(in.Cursor, digest(ids...), len(all), most)
	if err != nil {
		return nil, err
	}
	out := &gapsOutput{Gaps: []notedGap{}, Total: len(all), Next: next}
	for _, g := range all[from:to] {
		out.Gaps = append(out.Gaps, s.noted(g))
	}
	return out, nil
}

func (s *server) noted(g ledger.Item) notedGap {
	return notedGap{
		Gap:      Gap{string(g.Gap.Code), g.Gap.Text, g.Gap.Query, g.Gap.Probability},
		Question: g.Ref.Text, Note: s.place(passage.Place{File: g.Ref.Note}).File, Answered: g.Answered, URI: gapAddress + gapID(g),
	}
}

// workspaceGaps returns the gaps of all notes. They are sought again if the sources have changed or some time has passed, because
// notes change too.
func (s *server) workspaceGaps(ctx context.Context, library *knowledge.Library) ([]ledger.Item, error) {
	if s.Gaps == nil {
		return nil, nil
	}
	select {
	case s.found.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-s.found.turn }()
	if s.found.at.IsZero() || s.Now().Sub(s.found.at) >= gapsUpToDate || !slices.Equal(s.found.of, library.Passages()) {
		gaps, err := s.Gaps(ctx, library, func(done, total int) { report(ctx, working, done, total) })
		if err != nil {
			return nil, err
		}
		s.found.of, s.found.gaps, s.found.at = library.Passages(), gaps, s.Now()
	}
	return s.found.gaps, nil
}

// gapAddress begins the address of a gap as a resource.
const gapAddress = "lacuna://gap/"

// digest returns what names some texts together.
func digest(texts ...string) string {
	h := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return hex.EncodeToString(h[:12])
}

func gapID(i ledger.Item) string { return digest(i.Ref.Note, i.Ref.Question, i.Gap.ID) }

// page returns which items of a list a cursor stands for, and the cursor of the next ones, if there are any. version changes with the
// list.
func page(cursor, version string, items, most int) (from, to int, next string, err error) {
	if cursor != "" {
		of, at, _ := strings.Cut(cursor, "-")
		if from, err = strconv.Atoi(at); err != nil || of != version[:8] || from < 0 || from > items {
			return 0, 0, "", &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: messages.AgentCursor}
		}
	}
	if to = min(from+most, items); to < items {
		next = version[:8] + "-" + strconv.Itoa(to)
	}
	return from, to, next, nil
}
