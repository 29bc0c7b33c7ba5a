package gate

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lacuna/knowledge"
	"lacuna/knowledge/gate/fusion"
	"lacuna/knowledge/gate/trees"
	"lacuna/vecmath"
	"lacuna/vecmath/regular"
)

// A gate is stored in a folder as gate.json, which names the other files with their checksums: the past
// questions (JSON Lines), trees (LightGBM's text format) and nets. Their names begin with their checksum's
// first digits, so that replacing gate.json replaces the whole gate in one step. Equal gates make equal files.
const (
	manifestName = "gate.json"
	format       = 1
)

// About describes what a gate was trained on.
type About struct {
	Price     float64 `json:"price"`
	Seed      uint64  `json:"seed"`
	Questions int     `json:"questions"` // of the history
	Differ    int     `json:"differ"`    // questions whose two answers are not equally good
	Dropped   int     `json:"dropped"`   // left out because the base holds their source
}

// manifest is gate.json.
type manifest struct {
	Format  int       `json:"format"`
	Policy  string    `json:"policy"`
	About   About     `json:"trained"`
	Encoder *identity `json:"encoder,omitempty"` // of a policy that uses one
	State   state     `json:"state"`
}

// identity is an encoder as gate.json names it.
type identity struct {
	Identity string `json:"identity"`
	Dim      int    `json:"dim"`
}

// state is a policy in a manifest. Fields that a policy does not have are left out.
type state struct {
	Kind       string       `json:"kind"`
	Model      string       `json:"model,omitempty"` // the policy is for
	Parts      []state      `json:"parts,omitempty"`
	Prior      *priorState  `json:"prior,omitempty"`
	History    *file        `json:"history,omitempty"`
	Labels     *labelCounts `json:"labels,omitempty"`
	Novel      float64      `json:"novel,omitempty"`
	Threshold  float64      `json:"threshold,omitempty"`
	Quality    *file        `json:"quality,omitempty"`
	Net        *file        `json:"net,omitempty"`
	Thresholds *Thresholds  `json:"thresholds,omitempty"`
	Literal    bool         `json:"literal,omitempty"`
	Differ     int          `json:"differ,omitempty"` // past questions for the net
	Share      float64      `json:"share,omitempty"`  // of the first module
}

// file is another file in the folder.
type file struct {
	Name string `json:"file"`
	SHA  string `json:"sha256"`
}

// ErrEncoder says that a gate was trained with an encoder other than the current one.
var ErrEncoder = errors.New("the gate was trained with another encoder; train it again with lacuna gate train")

// ErrRemoved says that a gate needs a policy that earlier versions had ([IsRemoved]).
var ErrRemoved = errors.New("the gate was trained with a policy that was removed (score or arbiter); train it again with lacuna gate train")

// Save writes a policy that a learner of [Learners] made to a folder, in place of the one there.
func Save(ctx context.Context, dir string, p Policy, about About) error {
	b := bundle{contents: make(map[string][]byte)}
	s, err := b.keep(p)
	if err != nil {
		return fmt.Errorf("save the gate %s: %w", p.Name(), err)
	}
	m := manifest{Format: format, Policy: p.Name(), About: about, Encoder: b.encoder, State: s}
	content, err := json.MarshalIndent(m, "", "\t")
	if err != nil {
		return fmt.Errorf("save the gate %s: %w", p.Name(), err)
	}
	err = knowledge.UpdateFile(ctx, filepath.Join(dir, manifestName), func([]byte) ([]byte, error) {
		for _, name := range sortedKeys(b.contents) {
			if err := os.WriteFile(filepath.Join(dir, name), b.contents[name], 0o600); err != nil {
				return nil, err
			}
		}
		return append(content, '\n'), nil
	})
	if err != nil {
		return fmt.Errorf("save the gate %s: %w", p.Name(), err)
	}
	b.sweep(dir)
	return nil
}

// bundle gathers the files of a gate.
type bundle struct {
	contents map[string][]byte
	encoder  *identity
}

// endings holds the file name extensions of the files next to the manifest.
var endings = []string{".jsonl", ".txt", ".net"}

func (b *bundle) file(name, ending string, content []byte) *file {
	sum := sha256.Sum256(content)
	f := file{SHA: hex.EncodeToString(sum[:])}
	f.Name = name + "-" + f.SHA[:12] + ending
	b.contents[f.Name] = content
	return &f
}

// sweep removes the files of an earlier gate. A file that cannot be removed does no harm.
func (b *bundle) sweep(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if _, ours := b.contents[entry.Name()]; !ours && slices.Contains(endings, filepath.Ext(entry.Name())) {
			_ = os.Remove(filepath.Join(dir, entry.Name()))
		}
	}
}

func (b *bundle) uses(e Encoder) { b.encoder = &identity{e.Identity(), e.Dim()} }

// keep describes a policy. The manifest has the name of the whole.
func (b *bundle) keep(p Policy) (state, error) {
	switch p := p.(type) {
	case Fixed, refusal, selfReport:
		return state{Kind: p.Name()}, nil
	case *Prior:
		return state{Kind: "prior", Prior: p.state()}, nil
	case fallback:
		inner, err := b.keep(p.Policy)
		return state{Kind: "fallback", Parts: []state{inner}}, err
	case perModel:
		s := state{Kind: "apart"}
		for _, model := range sortedKeys(p.models) {
			part, err := b.keep(p.models[model])
			if err != nil {
				return s, err
			}
			part.Model = model
			s.Parts = append(s.Parts, part)
		}
		return s, nil
	}
	return b.encoding(p)
}

// encoding describes a policy that compares texts.
func (b *bundle) encoding(p Policy) (s state, err error) {
	switch p := p.(type) {
	case skr:
		s = state{Kind: "skr-knn", Labels: &labelCounts{p.better, p.worse, p.same}, History: b.history(p.past)}
	case siamese:
		s = state{Kind: "sn"}
		b.siamese(&s, p)
	case quality:
		s = state{Kind: "rqm"}
		err = b.quality(&s, p)
	case linear:
		s = state{Kind: "linear", Share: p.share}
		b.siamese(&s, p.sn)
		err = b.quality(&s, p.rqm)
		s.Threshold = p.threshold
	case ccsk:
		s = state{Kind: "ccsk", Literal: p.literal, Differ: p.differ, Thresholds: &p.thresholds}
		b.siamese(&s, p.sn)
		err = errors.Join(b.quality(&s, p.rqm), b.net(&s, p.net))
	default:
		err = fmt.Errorf("a policy of type %T cannot be stored", p)
	}
	return s, err
}

func (b *bundle) siamese(s *state, sn siamese) {
	s.History, s.Novel, s.Threshold = b.history(sn.past), sn.novel, sn.threshold
}

func (b *bundle) quality(s *state, q quality) error {
	b.uses(q.encoder)
	s.Threshold = q.threshold
	if q.model == nil {
		return nil
	}
	var text bytes.Buffer
	if err := q.model.Write(&text); err != nil {
		return err
	}
	s.Quality = b.file("quality", ".txt", text.Bytes())
	return nil
}

func (b *bundle) net(s *state, n *fusion.Net) error {
	if n == nil {
		return nil
	}
	var content bytes.Buffer
	if _, err := n.WriteTo(&content); err != nil {
		return err
	}
	s.Net = b.file("fusion", ".net", content.Bytes())
	return nil
}

// pastRow is a line of a file of past questions.
type pastRow struct {
	ID       string `json:"id"`
	Question string `json:"question"`
	Label    Label  `json:"label"`
}

func (b *bundle) history(p *pastQuestions) *file {
	b.uses(p.encoder)
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	encoder.SetEscapeHTML(false)
	for _, i := range p.items {
		_ = encoder.Encode(pastRow{i.ID, i.Text, i.Label()}) // strings are always written
	}
	return b.file("history", ".jsonl", lines.Bytes())
}

// labelCounts counts the labels of a history.
type labelCounts struct {
	Better int `json:"better"`
	Worse  int `json:"worse"`
	Same   int `json:"same"`
}

// priorState is a [Prior] in a manifest.
type priorState struct {
	Name   string       `json:"name"`
	Price  float64      `json:"price"`
	All    int          `json:"questions"`
	Groups []groupState `json:"groups,omitempty"` // a group without a question type is the whole model
}

type groupState struct {
	Model string       `json:"model"`
	Kind  QuestionType `json:"shape,omitempty"`
	tally
}

func (p *Prior) state() *priorState {
	s := &priorState{Name: p.name, Price: p.price, All: p.all}
	for model, t := range p.models {
		s.Groups = append(s.Groups, groupState{model, "", t})
	}
	for g, t := range p.groups {
		s.Groups = append(s.Groups, groupState{g.model, g.kind, t})
	}
	slices.SortFunc(s.Groups, func(a, b groupState) int {
		return strings.Compare(a.Model+"\x00"+string(a.Kind), b.Model+"\x00"+string(b.Kind))
	})
	return s
}

func (s *priorState) prior() *Prior {
	p := &Prior{name: s.Name, price: s.Price, groups: make(map[group]tally), models: make(map[string]tally), all: s.All}
	for _, g := range s.Groups {
		if g.Kind == "" {
			p.models[g.Model] = g.tally
		} else {
			p.groups[group{g.Model, g.Kind}] = g.tally
		}
	}
	return p
}

// Gate is a policy read from a folder.
type Gate struct {
	Policy Policy // may be an [Arbiter]
	About  About
}

// Open reads the gate that [Save] wrote to a folder, with the current encoder, which may be nil.
//
// It always returns a gate. With an error the gate retrieves for every question and says why: the
// error wraps [fs.ErrNotExist] if none has been trained, [ErrEncoder] if it was trained with another
// encoder, and [ErrRemoved] if its policy was removed; otherwise its files are damaged.
func Open(dir string, e Encoder) (*Gate, error) {
	g, err := open(dir, e)
	if errors.Is(err, fs.ErrNotExist) {
		// A newer gate may just have replaced the file.
		g, err = open(dir, e)
	}
	switch {
	case err == nil:
		return g, nil
	case errors.Is(err, ErrEncoder), errors.Is(err, ErrRemoved):
	case errors.Is(err, fs.ErrNotExist):
		return &Gate{Policy: alwaysBecause("no gate has been trained")}, fmt.Errorf("open the gate: %w", err)
	default:
		err = fmt.Errorf("open the gate: %w; train it again with lacuna gate train", err)
	}
	return &Gate{Policy: alwaysBecause(err.Error())}, err
}

// retrieving is the policy that always retrieves, with a reason.
func alwaysBecause(why string) Policy { return Fixed{name: Always.name, retrieve: true, why: why} }

func open(dir string, e Encoder) (*Gate, error) {
	content, err := regular.ReadFile(filepath.Join(dir, manifestName))
	if err != nil {
		return nil, err
	}
	var m manifest
	if err := json.Unmarshal(content, &m); err != nil {
		return nil, fmt.Errorf("%s: %w", manifestName, err)
	}
	if m.Format != format {
		return nil, fmt.Errorf("%s: format %d, this version reads %d", manifestName, m.Format, format)
	}
	if IsRemoved(m.Policy) || IsRemoved(m.State.Kind) {
		return nil, ErrRemoved
	}
	if m.Encoder != nil && (e == nil || *m.Encoder != identity{e.Identity(), e.Dim()}) {
		return nil, ErrEncoder
	}
	f := folder{dir: dir, encoder: e, policy: m.Policy}
	p, err := f.policyOf(m.State)
	if err != nil {
		return nil, err
	}
	if p.Name() != m.Policy {
		return nil, fmt.Errorf("%s: the policy %q is stored under the name %q", manifestName, p.Name(), m.Policy)
	}
	return &Gate{p, m.About}, nil
}

// folder reads a gate's folder.
type folder struct {
	dir     string
	encoder Encoder
	policy  string // name of the whole
}

// read returns the content of a file and refuses it if its checksum differs.
func (f folder) read(from *file) ([]byte, error) {
	if filepath.Base(from.Name) != from.Name {
		return nil, fmt.Errorf("%s names the file %q", manifestName, from.Name)
	}
	content, err := regular.ReadFile(filepath.Join(f.dir, from.Name))
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != from.SHA {
		return nil, fmt.Errorf("%s is damaged, its checksum does not fit", from.Name)
	}
	return content, nil
}

// policyOf makes a policy from its state.
func (f folder) policyOf(s state) (Policy, error) {
	switch s.Kind {
	case "fallback":
		if len(s.Parts) != 1 {
			return nil, fmt.Errorf("%s: a fallback of %d policies", manifestName, len(s.Parts))
		}
		p, err := f.policyOf(s.Parts[0])
		return fallback{p, f.policy}, err
	case "prior":
		if s.Prior == nil {
			return nil, fmt.Errorf("%s: a prior without its figures", manifestName)
		}
		return s.Prior.prior(), nil
	case "apart":
		a := perModel{name: f.policy, models: make(map[string]Policy, len(s.Parts))}
		for _, part := range s.Parts {
			p, err := f.policyOf(part)
			if err != nil {
				return nil, err
			}
			a.models[part.Model] = p
		}
		return a, nil
	}
	if l, err := Find(s.Kind, DefaultPrice); err == nil && l.Rule {
		return l.Fit(context.Background(), nil, nil, 0)
	}
	if f.encoder == nil {
		return nil, fmt.Errorf("%s: a policy of kind %q that names no encoder", manifestName, s.Kind)
	}
	return f.encoding(s)
}

// encoding makes a policy that compares texts.
func (f folder) encoding(s state) (Policy, error) {
	switch s.Kind {
	case "skr-knn":
		if s.Labels == nil {
			return nil, fmt.Errorf("%s: skr-knn without the numbers of its labels", manifestName)
		}
		p, err := f.past(s)
		return skr{p, s.Labels.Better, s.Labels.Worse, s.Labels.Same}, err
	case "sn":
		return f.siamese(s)
	case "rqm":
		return f.quality(s)
	case "linear":
		sn, err := f.siamese(s)
		if err != nil {
			return nil, err
		}
		rqm, err := f.quality(s)
		return linear{sn, rqm, s.Share, s.Threshold}, err
	case "ccsk":
		return f.ccsk(s)
	}
	return nil, fmt.Errorf("%s: a policy of the unknown kind %q", manifestName, s.Kind)
}

func (f folder) ccsk(s state) (Policy, error) {
	if s.Thresholds == nil {
		return nil, fmt.Errorf("%s: ccsk without its thresholds", manifestName)
	}
	c := ccsk{name: f.policy, encoder: f.encoder, literal: s.Literal, differ: s.Differ, thresholds: *s.Thresholds}
	var err error
	if c.sn, err = f.siamese(s); err != nil {
		return nil, err
	}
	if c.rqm, err = f.quality(s); err != nil || s.Net == nil {
		return c, err
	}
	content, err := f.read(s.Net)
	if err != nil {
		return nil, err
	}
	if c.net, err = fusion.Read(bytes.NewReader(content)); err != nil {
		return nil, err
	}
	if c.net.Dim() != f.encoder.Dim() {
		return nil, ErrEncoder
	}
	return c, nil
}

func (f folder) siamese(s state) (siamese, error) {
	p, err := f.past(s)
	return siamese{f.policy, p, s.Novel, s.Threshold}, err
}

func (f folder) quality(s state) (quality, error) {
	q := quality{encoder: f.encoder, threshold: s.Threshold}
	if s.Quality == nil {
		return q, nil
	}
	content, err := f.read(s.Quality)
	if err == nil {
		q.model, err = trees.Read(bytes.NewReader(content))
	}
	return q, err
}

func (f folder) past(s state) (*pastQuestions, error) {
	p := &pastQuestions{encoder: f.encoder, rows: vecmath.NewRows(f.encoder.Dim())}
	if s.History == nil {
		return nil, fmt.Errorf("%s: %s without its past questions", manifestName, s.Kind)
	}
	content, err := f.read(s.History)
	if err != nil {
		return nil, err
	}
	lines := json.NewDecoder(bytes.NewReader(content))
	for lines.More() {
		var row pastRow
		if err := lines.Decode(&row); err != nil {
			return nil, fmt.Errorf("%s: %w", s.History.Name, err)
		}
		i := Item{Question: Question{ID: row.ID, Text: row.Question}, Score: row.Label.scores()}
		if err := p.add(i); err != nil {
			return nil, fmt.Errorf("%s: %w", s.History.Name, err)
		}
	}
	return p, nil
}
