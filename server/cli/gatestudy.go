package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"lacuna/knowledge"
	"lacuna/knowledge/gate"
	"lacuna/knowledge/history"
	"lacuna/knowledge/passage"
	"lacuna/server/workspace"
)

// gateOptions holds the flags of lacuna gate.
type gateOptions struct {
	history   string
	questions string
	queries   string
	policies  []string
	against   string
	price     float64
	folds     int
	seed      uint64
	plots     string
	json      bool
	flags     *pflag.FlagSet
}

// policy returns the one policy that the flags name, or "".
func (o *gateOptions) policy() (string, error) {
	switch len(o.policies) {
	case 0:
		return "", nil
	case 1:
		return o.policies[0], nil
	}
	return "", usageError{errOnePolicy}
}

// errOnePolicy says that train and predict take one policy.
var errOnePolicy = errors.New("--policy: one policy can be trained or asked at a time")

// study is a history in a workspace.
type study struct {
	workspace *workspace.Workspace
	encoder   gate.Encoder // nil where the sources are too few to train one
	items     []gate.Item
	dropped   []gate.Item // whose own source is in the base
}

// study opens the workspace and reads the history. The caller closes the workspace.
func (p *program) study(ctx context.Context, o *gateOptions) (*study, error) {
	w, library, err := p.gateBase(ctx, o)
	if err != nil {
		return nil, err
	}
	items, err := p.gateHistory(ctx, w, o)
	if err != nil {
		w.Close()
		return nil, err
	}
	s := &study{workspace: w, encoder: encoderOf(library)}
	s.items, s.dropped = gate.SplitLeaked(items, sourcesOf(library))
	if len(s.items) == 0 {
		w.Close()
		return nil, usagef("--history: no question is left to learn from")
	}
	return s, nil
}

// sourcesOf returns the passages from which a question of a history may have been made. Accepted answers are
// excluded: in a history of this workspace every accepted question is also a stored one, so without them
// only the answers that went wrong would be left to learn from.
func sourcesOf(library *knowledge.Library) []*passage.Passage {
	return slices.DeleteFunc(slices.Clone(library.Passages()), func(p *passage.Passage) bool { return p.Source == history.SourceName })
}

// gateHistory returns the history that the flags name, or the labels of this workspace.
func (p *program) gateHistory(ctx context.Context, w *workspace.Workspace, o *gateOptions) ([]gate.Item, error) {
	questions, err := p.gateQuestions(ctx, o)
	if err != nil {
		return nil, err
	}
	if o.history == "" {
		return p.ownHistory(w, questions)
	}
	return readFile(ctx, p, "--history", o.history, func(r io.Reader) ([]gate.Item, error) { return gate.Read(r, questions) })
}

// ownHistory returns the labels of this workspace as a history. It warns of unreadable lines and skips them.
func (p *program) ownHistory(w *workspace.Workspace, questions map[string]gate.Question) ([]gate.Item, error) {
	labels, err := w.History().Labels()
	unread, unreadErr := w.History().BadLines()
	if err := errors.Join(err, unreadErr); err != nil {
		return nil, err
	}
	p.warnUnread(unread)
	if len(labels) == 0 {
		return nil, usagef("this workspace has no accepted, rejected or overruled answers yet; give --history FILE\n%s", hint("gate"))
	}
	var rows bytes.Buffer
	for _, l := range labels {
		if err := json.NewEncoder(&rows).Encode(l); err != nil {
			return nil, err
		}
	}
	return gate.Read(&rows, questions)
}

// gateBase opens the workspace and brings its index up to date. Without the flag, the price comes from the
// settings.
func (p *program) gateBase(ctx context.Context, o *gateOptions) (*workspace.Workspace, *knowledge.Library, error) {
	w, library, err := p.openFresh(ctx, "")
	if err != nil {
		return nil, nil, err
	}
	if !o.flags.Changed("price") {
		o.price = w.Settings().Gate.Price
	}
	return w, library, nil
}

// encoderOf returns the encoder of a library, or nil.
func encoderOf(library *knowledge.Library) gate.Encoder {
	if e := gate.LibraryEncoder(library); e != nil {
		return gate.CacheEncodings(e)
	}
	return nil
}

func (p *program) gateQuestions(ctx context.Context, o *gateOptions) (map[string]gate.Question, error) {
	if o.questions == "" {
		return nil, nil
	}
	return readFile(ctx, p, "--questions", o.questions, gate.ReadQuestions)
}

// learners returns the learners called names, in the order of all learners. It fails if one needs an encoder
// and there is none.
func (s *study) learners(o *gateOptions, names ...string) ([]gate.Learner, error) {
	wanted := make(map[string]bool, len(names))
	for _, name := range names {
		if _, err := gate.Find(name, o.price); err != nil {
			return nil, usageError{fmt.Errorf("--policy: %w", err)}
		}
		wanted[name] = true
	}
	var learners []gate.Learner
	for _, l := range gate.Learners(o.price) {
		if !wanted[l.Name] {
			continue
		}
		if l.Encodes && s.encoder == nil {
			return nil, errNoEncoder(l.Name)
		}
		if s.known(l) == 0 {
			return nil, usagef("--policy: %s decides by %s, and no pair of the history has that", l.Name, l.Fields)
		}
		learners = append(learners, l)
	}
	return learners, nil
}

// known counts the pairs that have the fields a policy decides by.
func (s *study) known(l gate.Learner) int {
	if l.Knows == nil {
		return len(s.items)
	}
	n := 0
	for _, i := range s.items {
		if l.Knows(i.Question) {
			n++
		}
	}
	return n
}

// compare cross-validates learners and, on a terminal, shows which one it is at.
func (s *study) compare(ctx context.Context, p *program, o *gateOptions, learners []gate.Learner) (gate.Comparison, error) {
	if !isTerminal(p.console) {
		return gate.Compare(ctx, learners, s.items, s.encoder, o.folds, o.seed, nil)
	}
	defer fmt.Fprint(p.console, "\r\x1b[K")
	return gate.Compare(ctx, learners, s.items, s.encoder, o.folds, o.seed, func(policy string) {
		fmt.Fprintf(p.console, "\r\x1b[Klacuna: cross-validating %s", policy)
	})
}

func errNoEncoder(policy string) error {
	return usagef("--policy: %s compares texts by the encoder that is trained on the sources, and these are too few to train one", policy)
}

// printHistory prints the size of the history.
func (s *study) printHistory(p *program) {
	fmt.Fprintf(p.out, "history: %s of %s\n", count(len(s.items), "pair"), count(len(models(s.items)), "model"))
	if n := len(distinctIDs(s.dropped)); n > 0 {
		fmt.Fprintf(p.out, "left out: %s (%s), whose own source is in the base\n", count(n, "question"), count(len(s.dropped), "pair"))
	}
}

// models returns the models of a history in the order of their first pair.
func models(items []gate.Item) []string {
	var names []string
	seen := make(map[string]bool)
	for _, i := range items {
		if !seen[i.Model] {
			seen[i.Model] = true
			names = append(names, i.Model)
		}
	}
	return names
}

func distinctIDs(items []gate.Item) map[string]bool {
	ids := make(map[string]bool)
	for _, i := range items {
		if i.ID != "" {
			ids[i.ID] = true
		} else {
			ids[strings.ToLower(i.Text)] = true
		}
	}
	return ids
}

// standard is the default policy, against which others are compared.
const standard = "default"
