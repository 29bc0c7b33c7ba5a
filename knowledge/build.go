package knowledge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"lacuna/knowledge/dense"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
)

// Build makes a library of passages in one go, with its files in the folder dir. An [Index] does
// the same in steps and keeps it up to date; Build is for tests and measurements.
func Build(ctx context.Context, passages []*passage.Passage, dir string) (*Library, error) {
	c := contents{passages: passages}
	for _, kind := range []passage.Kind{passage.Text, passage.QA} {
		ordinals := shelved(passages, kind)
		if len(ordinals) == 0 {
			continue
		}
		shelf, err := buildShelf(ctx, filepath.Join(dir, string(kind)), passages, kind, nil, nil)
		if err != nil {
			return nil, err
		}
		trained, err := shelf.withEncoder(ctx, passages, dense.Options{})
		switch {
		case err == nil:
			shelf = trained
		case !errors.Is(err, dense.ErrTooSmall):
			return nil, err
		}
		c.shelves = append(c.shelves, shelf)
	}
	c.generation = generationOf(passages)
	return newLibrary(c), nil
}

// generationOf identifies passages and their order.
func generationOf(passages []*passage.Passage) string {
	h := sha256.New()
	for _, p := range passages {
		fmt.Fprintf(h, "%s %q %q\n", p.ID, p.Source, p.Record)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// buildShelf indexes the passages of one kind, of which there must be some, into a folder. What is
// known of those that the last state has already is taken over; there need not be a last state.
func buildShelf(ctx context.Context, dir string, passages []*passage.Passage, kind passage.Kind, last *state, report func(done int)) (*Collection, error) {
	ordinals := shelved(passages, kind)
	texts := lexical.Texts{
		N:    len(ordinals),
		Text: func(place int) string { return passages[ordinals[place]].Indexed() },
	}
	if old := last.shelf(kind); old != nil {
		found := old.recognise(last.passages, passages, ordinals)
		texts.Old, texts.OldDir = old.index, filepath.Join(last.dir, string(kind), lexicalName)
		texts.Known = func(place int) (int, bool) { return found[place], found[place] >= 0 }
	}
	lexicalDir := filepath.Join(dir, lexicalName)
	if err := lexical.Build(ctx, lexicalDir, parameters(kind), texts, report); err != nil {
		return nil, err
	}
	index, err := openIndex(dir, kind)
	if err != nil {
		return nil, err
	}
	return newShelf(kind, ordinals, index)
}

// shelf returns the shelf of a kind, or nil.
func (s *state) shelf(kind passage.Kind) *Collection {
	if s == nil {
		return nil
	}
	if i := slices.IndexFunc(s.shelves, func(s *Collection) bool { return s.kind == kind }); i >= 0 {
		return s.shelves[i]
	}
	return nil
}

// openIndex opens the lexical index in the folder of a shelf.
func openIndex(dir string, kind passage.Kind) (*lexical.Index, error) {
	index, err := lexical.Open(filepath.Join(dir, lexicalName))
	if err != nil {
		return nil, err
	}
	if index.Parameters() != parameters(kind) {
		return nil, fmt.Errorf("%w, with %+v", lexical.ErrOtherVersion, index.Parameters())
	}
	return index, nil
}

// lexicalName is the folder of a shelf's lexical index within the shelf's own.
const lexicalName = "lexical"
