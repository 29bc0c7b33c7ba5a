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
	"path/filepath"

	"lacuna/knowledge/gate/fusion"
	"lacuna/knowledge/gate/trees"
	"lacuna/vecmath"
	"lacuna/vecmath/regular"
)

// Gate is a policy as it was kept in a folder.
type Gate struct {
	Policy Policy // may be an [Arbiter]
	About  About
}

// Open reads the gate that [Save] wrote to a folder, with the encoder that serves now; nil is none.
//
// A gate comes back in every case. With an error it retrieves for every question and says why: the
// error wraps [fs.ErrNotExist] if none has been trained, [ErrEncoder] if it was trained with another
// encoder, and [ErrRemoved] if its policy was removed; otherwise its files are damaged.
func Open(dir string, e Encoder) (*Gate, error) {
	g, err := open(dir, e)
	if errors.Is(err, fs.ErrNotExist) {
		// The file may be of a gate that has just been replaced by a newer one.
		g, err = open(dir, e)
	}
	switch {
	case err == nil:
		return g, nil
	case errors.Is(err, ErrEncoder), errors.Is(err, ErrRemoved):
	case errors.Is(err, fs.ErrNotExist):
		return &Gate{Policy: retrieving("no gate has been trained")}, fmt.Errorf("open the gate: %w", err)
	default:
		err = fmt.Errorf("open the gate: %w; train it anew with lacuna gate train", err)
	}
	return &Gate{Policy: retrieving(err.Error())}, err
}

// retrieving is the policy that always retrieves, with a reason.
func retrieving(why string) Policy { return Fixed{name: Always.name, retrieve: true, why: why} }

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
		return nil, fmt.Errorf("%s: the policy %q is kept under the name %q", manifestName, p.Name(), m.Policy)
	}
	return &Gate{p, m.About}, nil
}

// folder is a gate's folder while it is read.
type folder struct {
	dir     string
	encoder Encoder
	policy  string // name of the whole
}

// read returns the content of a file and refuses it if it is another than it was.
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

// policyOf makes a policy of what is kept of it.
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
		a := apart{name: f.policy, models: make(map[string]Policy, len(s.Parts))}
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

func (f folder) past(s state) (*past, error) {
	p := &past{encoder: f.encoder, rows: vecmath.NewRows(f.encoder.Dim())}
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
