package knowledge

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"

	"lacuna/knowledge/dense"
	"lacuna/knowledge/par"
	"lacuna/knowledge/passage"
	"lacuna/vecmath"
	"lacuna/vecmath/regular"
)

// Files in the folder of a shelf that has an encoder.
const (
	encoderName = "encoder"
	vectorsName = "vectors"
	trainedName = "trained" // the identities of the passages that the encoder was trained on
)

// retrainAt is the share of passages new to the encoder beyond which it is trained again. With half
// of the passages unseen a mixed search keeps over half of its gain (measured), so a fifth costs
// little.
const retrainAt = 0.20

// train trains the encoders of the shelves that have none or have outgrown theirs.
func (x *Index) train(ctx context.Context) error {
	if len(x.state.untrained) == 0 {
		return nil
	}
	x.nowBuilding()
	percent := x.percent(Training)
	shelves := slices.Clone(x.state.shelves)
	var trained []passage.Kind
	for i, shelf := range shelves {
		if !slices.Contains(x.state.untrained, shelf.kind) || shelf.N() < leastTrained {
			continue
		}
		if err := x.probe(); err != nil { // what is learnt could not be kept
			return err
		}
		var better *Collection
		err := par.LowPriority(func() (err error) {
			better, err = shelf.withEncoder(ctx, x.state.passages, dense.Options{Progress: func(done, total int) {
				percent(100 * (len(trained)*total + done) / (len(x.state.untrained) * total))
				x.giveWay()
			}})
			return err
		})
		if errors.Is(err, dense.ErrTooSmall) {
			continue
		}
		if err != nil {
			return fmt.Errorf("train the encoder: %w", err)
		}
		shelves[i] = better
		trained = append(trained, shelf.kind)
	}
	if len(trained) == 0 {
		x.state = x.state.with(func(s *state) { s.untrained = nil })
		return nil
	}
	return x.step(x.state.manifest.Passages, func(g *generation) (*state, error) {
		// What companions learnt with another encoder serves until they are fitted again.
		if err := g.adopt(x.state.generation, func(name string) bool {
			return name != fittedName && !slices.ContainsFunc(trained, func(k passage.Kind) bool { return ofEncoder(name, k) })
		}); err != nil {
			return nil, err
		}
		for i, shelf := range shelves {
			if slices.Contains(trained, shelf.kind) {
				var err error
				if shelves[i], err = shelf.saveEncoder(g, x.state.passages); err != nil {
					return nil, err
				}
			}
		}
		return x.state.with(func(s *state) { s.shelves = shelves }), nil
	})
}

// ofEncoder reports whether a file of a generation belongs to the encoder of a kind's shelf.
func ofEncoder(name string, kind passage.Kind) bool {
	folder, base := path.Split(name)
	return folder == string(kind)+"/" && (base == encoderName || base == vectorsName || base == trainedName)
}

// saveEncoder writes a newly trained encoder and its vectors, and returns the shelf that reads the
// vectors from their file.
func (s *Collection) saveEncoder(g *generation, passages []*passage.Passage) (*Collection, error) {
	dir := filepath.Join(g.dir, string(s.kind))
	err := errors.Join(
		writeTo(filepath.Join(dir, encoderName), s.encoder),
		writeIDs(filepath.Join(dir, trainedName), s.passages(passages)),
	)
	if err != nil {
		return nil, err
	}
	return s.saveVectors(dir)
}

// saveVectors writes the shelf's vectors into its folder, and returns the shelf that reads them from
// there, so that they do not stay in memory and processes share them.
func (s *Collection) saveVectors(dir string) (*Collection, error) {
	file := filepath.Join(dir, vectorsName)
	if err := writeTo(file, s.vectors); err != nil {
		return nil, err
	}
	saved := *s
	var err error
	saved.vectors, err = vecmath.OpenIndex(file)
	return &saved, err
}

func writeTo(path string, content io.WriterTo) error {
	f, err := regular.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<16)
	_, err = content.WriteTo(w)
	return errors.Join(err, w.Flush(), f.Close())
}

// savedEncoder is the encoder of a shelf's folder with its vectors; nil where there is none.
type savedEncoder struct {
	encoder *dense.Encoder
	vectors *vecmath.Index
}

// openEncoder opens what saveEncoder wrote of a kind.
func (g *generation) openEncoder(kind passage.Kind) (*savedEncoder, error) {
	dir := filepath.Join(g.dir, string(kind))
	encoder, err := dense.Open(filepath.Join(dir, encoderName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	sealed, err := g.sealed(string(kind) + "/" + vectorsName)
	if err != nil {
		return nil, err
	}
	vectors, err := vecmath.OpenSealed(filepath.Join(dir, vectorsName), sealed.CRC32)
	if err != nil {
		return nil, err
	}
	return &savedEncoder{encoder, vectors}, nil
}

// withSaved returns the shelf with the encoder that its folder holds, or as it is.
func (s *Collection) withSaved(saved *savedEncoder) (*Collection, error) {
	if saved == nil {
		return s, nil
	}
	vectors, dim := saved.vectors, saved.encoder.Dim()
	if vectors.Len() != s.N() || vectors.Dim() != dim {
		return nil, fmt.Errorf("%d vectors of %d components for %d passages and %d", vectors.Len(), vectors.Dim(), s.N(), dim)
	}
	return s.with(saved.encoder, vectors), nil
}

// inheritEncoder gives a shelf of the next generation the encoder of the last one, which encodes
// only the passages that are new.
func (x *Index) inheritEncoder(g *generation, shelf *Collection, passages []*passage.Passage) (*Collection, error) {
	i := slices.IndexFunc(x.state.shelves, func(s *Collection) bool { return s.kind == shelf.kind && s.encoder != nil })
	if i < 0 {
		return shelf, nil
	}
	old := x.state.shelves[i]
	if err := g.adopt(x.state.generation, func(name string) bool {
		return ofEncoder(name, shelf.kind) && path.Base(name) != vectorsName
	}); err != nil {
		return nil, err
	}
	vectors := vecmath.NewIndex(shelf.encodeNew(passages, old, x.state.passages))
	return shelf.with(old.encoder, vectors).saveVectors(filepath.Join(g.dir, string(shelf.kind)))
}

// encodeNew returns the vectors of the shelf's texts under the encoder of an older shelf. Texts
// that stand there keep their vectors.
func (s *Collection) encodeNew(passages []*passage.Passage, old *Collection, oldPassages []*passage.Passage) *vecmath.Rows {
	found := old.recognise(oldPassages, passages, s.ordinals)
	data := make([]float32, 0, s.N()*old.encoder.Dim())
	nothing := make([]float32, old.encoder.Dim())
	for place := range s.N() {
		if found[place] >= 0 {
			data = old.vectors.AppendRow(data, found[place])
		} else if vector, known := old.encoder.Encode(s.index.Terms(place)); known {
			data = append(data, vector...)
		} else {
			data = append(data, nothing...)
		}
	}
	rows, err := vecmath.RowsOf(old.encoder.Dim(), data)
	if err != nil {
		panic("knowledge: encoder made an impossible vector: " + err.Error())
	}
	return rows
}

// passages returns the passages of the shelf, in its order.
func (s *Collection) passages(all []*passage.Passage) []*passage.Passage {
	own := make([]*passage.Passage, len(s.ordinals))
	for place, ordinal := range s.ordinals {
		own[place] = all[ordinal]
	}
	return own
}

// outgrown returns the kinds whose shelves are large enough for an encoder and have none, or one
// to which too many passages are new.
func (s *state) outgrown() []passage.Kind {
	var kinds []passage.Kind
	for _, shelf := range s.shelves {
		if shelf.N() < leastTrained {
			continue
		}
		trained := filepath.Join(s.dir, string(shelf.kind), trainedName)
		if added, _ := unlike(trained, shelf.passages(s.passages)); shelf.encoder == nil || added > retrainAt {
			kinds = append(kinds, shelf.kind)
		}
	}
	return kinds
}
