package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/systems"
	"lacuna/knowledge/gate"
	"lacuna/knowledge/history"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/par"
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

	// of gate collect
	out       string
	system    string
	limit     int
	yes       bool
	collected bool // the history was just collected: say whether a gate is worth having
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
	s.items, s.dropped = gate.SplitLeaked(items, history.NotAccepted(library.Passages()))
	if len(s.items) == 0 {
		w.Close()
		return nil, usagef("--history: no question is left to learn from")
	}
	return s, nil
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

const (
	// defaultCollector is the system that auto means, by its own name, which no gate stands before.
	defaultCollector = "misknow/merged"
	// freeCalls is the number of calls that gate collect makes without --yes.
	freeCalls = 100
	// fewestWorth is the number of questions from which gate collect says that a gate is worth having.
	fewestWorth = 30
)

// pair is a stored question with its answers and what has to be hidden for it.
type pair struct {
	id, source, question string
	golds                []string
	hidden               []int // ordinals of its passages and of its duplicates'
}

// collectedRow is a line of the history that gate collect writes.
type collectedRow struct {
	ID        string   `json:"id"`
	Dataset   string   `json:"dataset"`
	Model     string   `json:"model"`
	Question  string   `json:"question"`
	Closed    string   `json:"closed"`
	Retrieved string   `json:"retrieved"`
	Gold      []string `json:"gold"`
	LeftOut   bool     `json:"left_out"`
}

// gateCollect answers stored questions by the model alone and from the sources without them, writes the
// history and trains on it. What was answered before comes from the cache, so a run that was broken off
// goes on where it was.
func (p *program) gateCollect(ctx context.Context, o *gateOptions) error {
	switch {
	case o.out == "":
		return usagef("gate collect: give --out FILE\n%s", hint("gate"))
	case o.history != "":
		return usagef("gate collect: --history is what it writes: give --out\n%s", hint("gate"))
	case o.limit < 0:
		return usagef("--limit: expected a number from 0, found %d", o.limit)
	}
	rows, err := p.collect(ctx, o)
	if len(rows) > 0 { // even if the rest was broken off
		err = errors.Join(err, writeRows(o.out, rows))
	}
	if err != nil {
		return err
	}
	o.history, o.collected = o.out, true
	return p.gateTrain(ctx, o)
}

// writeRows writes a history, readable by its owner alone: it holds what the sources say.
func writeRows(file string, rows []collectedRow) error {
	var text bytes.Buffer
	for _, r := range rows {
		if err := json.NewEncoder(&text).Encode(r); err != nil {
			return err
		}
	}
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return nil
}

// collect returns the rows of the questions that both systems answered; with an error, those until then.
func (p *program) collect(ctx context.Context, o *gateOptions) ([]collectedRow, error) {
	w, library, err := p.gateBase(ctx, o)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	alone, err := w.Strategy(answer.Request{System: "direct"})
	if err != nil {
		return nil, usageError{err}
	}
	open, err := w.Strategy(answer.Request{System: o.system})
	if err != nil {
		return nil, usageError{err}
	}
	system, known := systems.Lookup(o.system)
	if !known || !system.Models || system.Gate != "" {
		return nil, usagef("--system: %q does not answer with a model from the sources; lacuna systems lists those that do", o.system)
	}
	pairs := sample(pairsOf(library.Passages()), o)
	if len(pairs) == 0 {
		return nil, usagef("gate collect: the sources have no stored questions that may be sent to a model")
	}
	hideNear(pairs, library.Passages())
	calls := len(pairs) * (1 + system.MostCalls(w.Settings().Answer.Rounds))
	model := w.Models()
	fmt.Fprintf(p.Err, "lacuna: %s, at most %d calls of %s at %s; replies that are cached cost none\n",
		count(len(pairs), "stored question"), calls, printable(model.Reader), printable(model.Host))
	if calls > freeCalls && !o.yes {
		return nil, usagef("gate collect: more than %d calls: give --yes, or fewer questions by --limit", freeCalls)
	}
	var rows []collectedRow
	failed := 0
	var why error
	err = par.Ordered(ctx, len(pairs), func(ctx context.Context, n int) ([2]answer.Result, error) {
		var both [2]answer.Result
		fewer := library.Without(pairs[n].hidden)
		for i, strategy := range []answer.Strategy{alone, open} {
			r, err := strategy.Answer(ctx, fewer, answer.Question{Text: pairs[n].question, ID: pairs[n].id})
			if err != nil && ctx.Err() == nil {
				r, err = answer.Result{Failure: err, Reason: answer.ToolFailure}, nil
			}
			if both[i] = r; err != nil {
				return both, err
			}
		}
		return both, nil
	}, func(n int, both [2]answer.Result) error {
		for _, r := range both {
			if r.Failure != nil { // another answer stands in its place
				failed, why = failed+1, r.Failure
				return nil
			}
		}
		rows = append(rows, collectedRow{
			ID: pairs[n].id, Dataset: pairs[n].source, Model: model.Reader, Question: pairs[n].question,
			Closed: said(both[0]), Retrieved: said(both[1]), Gold: pairs[n].golds, LeftOut: true,
		})
		return nil
	})
	if err != nil {
		return rows, err
	}
	if failed > 0 {
		p.warn("%s left out, the last because: %s; run the command again for these alone", count(failed, "question"), faultText(why))
	}
	if len(rows) == 0 {
		return nil, errors.New("no question was answered in both ways")
	}
	return rows, nil
}

// said returns the text of an answer without its citations; empty where nothing answers.
func said(r answer.Result) string {
	var text []string
	for _, s := range r.Statements {
		text = append(text, s.Reads())
	}
	return strings.Join(text, " ")
}

// pairsOf returns the stored questions among passages, each once. Questions of private documents and answers that
// were accepted in this workspace, which a model may have written, are not among them.
func pairsOf(passages []*passage.Passage) []pair {
	var pairs []pair
	at := make(map[string]int)
	for _, p := range passages {
		question := strings.Join(lexical.Words(p.Question), " ")
		if p.Kind != passage.QA || p.Private || p.Source == history.SourceName || question == "" {
			continue
		}
		i, known := at[question]
		if !known {
			i = len(pairs)
			at[question] = i
			pairs = append(pairs, pair{id: p.Source + "/" + p.Record, source: p.Source, question: p.Question})
		}
		pairs[i].golds = append(pairs[i].golds, p.Text)
	}
	return pairs
}

const (
	// runLength is the number of words of a run by which answers are compared. A text without as many is a run itself.
	runLength = 5
	// nearShare is the share of the runs of the shorter of two answers from which they are near-duplicates.
	nearShare = 0.5
)

// hideNear says what has to be hidden for each pair: itself, and its near-duplicates, which are stored questions
// with the same words in any form and order and those with nearly the same answer, or one that holds it.
func hideNear(pairs []pair, passages []*passage.Passage) {
	byTerms := make(map[string][]int) // pairs by question
	byRun := make(map[string][]int)   // pairs by what their answers hold
	runs := make([]int, len(pairs))   // of the answers of each
	for i, p := range pairs {
		byTerms[termsKey(p.question)] = append(byTerms[termsKey(p.question)], i)
		held := runsOf(p.golds...)
		runs[i] = len(held)
		for _, run := range held {
			byRun[run] = append(byRun[run], i)
		}
	}
	for n, p := range passages {
		if p.Kind != passage.QA {
			continue
		}
		for _, i := range byTerms[termsKey(p.Question)] {
			pairs[i].hidden = append(pairs[i].hidden, n)
		}
		own, shared := runsOf(p.Text), make(map[int]int)
		for _, run := range own {
			for _, i := range byRun[run] {
				shared[i]++
			}
		}
		for i, both := range shared {
			if float64(both) >= nearShare*float64(min(len(own), runs[i])) && !slices.Contains(pairs[i].hidden, n) {
				pairs[i].hidden = append(pairs[i].hidden, n)
			}
		}
	}
}

// termsKey is equal for questions with the same words in any form and order.
func termsKey(question string) string {
	terms := lexical.Terms(question)
	slices.Sort(terms)
	return strings.Join(slices.Compact(terms), " ")
}

// runsOf returns the runs of words in texts, each once.
func runsOf(texts ...string) []string {
	var runs []string
	for _, text := range texts {
		words := lexical.Words(text)
		for i := range max(min(1, len(words)), len(words)-runLength+1) {
			runs = append(runs, strings.Join(words[i:min(i+runLength, len(words))], " "))
		}
	}
	slices.Sort(runs)
	return slices.Compact(runs)
}

// sample returns as many pairs as the flags ask for, in their order; the seed draws them.
func sample(pairs []pair, o *gateOptions) []pair {
	if o.limit == 0 || o.limit >= len(pairs) {
		return pairs
	}
	drawn := rand.New(rand.NewPCG(o.seed, 0)).Perm(len(pairs))[:o.limit]
	slices.Sort(drawn)
	return convert(drawn, func(n int) pair { return pairs[n] })
}

// worth says whether a gate is worth having here. A gate has to beat both ways of doing without one by more
// than chance.
func (s *study) worth(c gate.Comparison, l gate.Learner) string {
	always, never := c.Gain(l.Name, "always"), c.Gain(l.Name, "never")
	against := fmt.Sprintf("against always searching %s gains %s, against never searching %s", l.Name, points(always), points(never))
	alone := c.Gain("never", "always")
	switch {
	case len(s.items) < fewestWorth:
		return fmt.Sprintf("%s are too few to say whether a gate is worth having here: collect at least %d.", count(len(s.items), "question"), fewestWorth)
	case always.Low > 0 && never.Low > 0 && l.Encodes:
		return "A gate may be worth having here: " + against + ". It compares texts by an encoder that has read the stored answers, so new questions gain less."
	case always.Low > 0 && never.Low > 0:
		return "A gate is worth having here: " + against + "."
	case alone.Low > 0:
		return "No gate is shown to be worth having here: " + against + ". The model alone is better than searching (" + points(alone) + `): gate.policy = "never" is the plain choice.`
	}
	return "No gate is shown to be worth having here: " + against + `. Leave gate.policy at "always".`
}
