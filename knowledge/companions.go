package knowledge

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"lacuna/knowledge/par"
)

// fit fits the companions that have not learnt from these passages and writes their blobs. A companion that
// fails is tried again by the next refresh.
func (x *Index) fit(ctx context.Context) error {
	if x.state.calibrated || len(x.state.passages) == 0 {
		return nil
	}
	if err := x.probe(); err != nil { // or the work would be lost
		return err
	}
	blobs, learnt, failures := x.learn(ctx)
	if ctx.Err() != nil || len(learnt) == 0 {
		return failures
	}
	err := x.step(x.state.manifest.Passages, func(g *generation) (*state, error) {
		err := g.adopt(x.state.generation, func(name string) bool {
			folder, base := path.Split(name)
			_, kept := blobs[base]
			return name != fittedName && (folder != blobsName+"/" || kept && !slices.Contains(learnt, base))
		})
		if err != nil {
			return nil, err
		}
		return x.state.with(func(s *state) { s.blobs = blobs }), x.writeBlobs(g, blobs, learnt)
	})
	return errors.Join(err, failures)
}

// learn fits the companions that need it. It returns the blobs of all of them, and the names of those it has
// fitted.
func (x *Index) learn(ctx context.Context) (blobs map[string][]byte, learnt []string, failures error) {
	blobs = maps.Clone(x.state.blobs)
	if blobs == nil {
		blobs = map[string][]byte{}
	}
	onlyMissing := x.nearlyFitted(x.state)
	percent := x.percent(Fitting)
	for i, companion := range x.options.Companions {
		if _, known := blobs[companion.Name()]; known && onlyMissing {
			continue
		}
		percent(100 * i / len(x.options.Companions))
		sofar := x.state.with(func(s *state) { s.blobs = maps.Clone(blobs) }).library(true)
		var blob []byte
		err := par.LowPriority(func() (err error) {
			blob, err = companion.Fit(ctx, sofar)
			return err
		})
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if err != nil {
			failures = errors.Join(failures, fmt.Errorf("fit %s: %w", companion.Name(), err))
			delete(blobs, companion.Name())
			continue
		}
		blobs[companion.Name()] = blob
		learnt = append(learnt, companion.Name())
	}
	return blobs, learnt, failures
}

func (x *Index) writeBlobs(g *generation, blobs map[string][]byte, learnt []string) error {
	if err := os.MkdirAll(filepath.Join(g.dir, blobsName), 0o700); err != nil {
		return err
	}
	for _, name := range learnt {
		if err := os.WriteFile(filepath.Join(g.dir, blobsName, name), blobs[name], 0o600); err != nil {
			return err
		}
	}
	return writeIDs(filepath.Join(g.dir, fittedName), x.state.passages)
}

// inheritBlobs adopts the last generation's blobs if most of its passages are in the next one.
func (x *Index) inheritBlobs(g *generation, next *state) error {
	if x.state.generation == nil {
		return nil
	}
	added, gone := turnover(filepath.Join(x.state.dir, fittedName), next.passages)
	if max(added, gone) > retrainAt {
		return nil
	}
	next.blobs = x.state.blobs
	return g.adopt(x.state.generation, func(name string) bool {
		return name == fittedName || strings.HasPrefix(name, blobsName+"/")
	})
}
