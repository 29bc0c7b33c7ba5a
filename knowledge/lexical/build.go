package lexical

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"

	"lacuna/vecmath/mapped"
)

// Texts holds the texts that an index is built from.
type Texts struct {
	N    int
	Text func(ordinal int) string
	// Old, if not nil, is an index of which the new one keeps what it can: the terms of the texts
	// that it has already, and most of the postings. OldDir is where its files are now. Known
	// returns the ordinal there of a text, or false; no two texts have the same one. Text is not
	// called for texts that are known.
	Old    *Index
	OldDir string
	Known  func(ordinal int) (old int, known bool)
}

// Build writes an index of texts into the folder dir, which it makes. report, if not nil, hears how
// many texts are done. The folder is complete only when Build returns nil; what an interrupted
// Build leaves behind, [Open] refuses. The terms and their numbers are the same with an old index
// and without.
//
// Build holds the terms' numbers of all texts in memory, but not the texts.
func Build(ctx context.Context, dir string, p Parameters, texts Texts, report func(done int)) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("lexical index: %w", err)
		}
	}()
	defer recoverTo(&err, "build")
	defer mapped.Release(nil, mapped.Guard()) // an older index is read
	if texts.N == 0 {
		return errors.New("no texts")
	}
	if err := p.check(); err != nil {
		return err
	}
	if report == nil {
		report = func(int) {}
	}
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o700)); err != nil {
		return err
	}
	b := &build{ctx: ctx, dir: dir, texts: texts, report: report}
	b.manifest = manifest{
		Format: formatVersion, Analysis: analysisVersion, Parameters: p,
		Texts: texts.N, Files: make(map[string]file),
	}
	for _, step := range []func() error{b.analyze, b.writeForward, b.writeBounds, b.writeParts} {
		if err := step(); err != nil {
			return err
		}
	}
	return b.manifest.write(dir)
}

// build is the state of [Build].
type build struct {
	ctx      context.Context
	dir      string
	texts    Texts
	report   func(done int)
	forward  *forward
	manifest manifest
}

// known returns the ordinal of a text in the old index.
func (b *build) known(ordinal int) (int, bool) {
	if b.texts.Old == nil {
		return 0, false
	}
	return b.texts.Known(ordinal)
}

// analyze gathers the terms of all texts. Terms of known texts are translated: at most their numbers are
// new.
func (b *build) analyze() error {
	gathered := newForwardBuilder()
	var translation []uint32 // from the old numbers, plus one; 0 where there is none yet
	if b.texts.Old != nil {
		translation = make([]uint32, len(b.texts.Old.Vocabulary()))
	}
	for ordinal := range b.texts.N {
		if ordinal%256 == 0 && b.ctx.Err() != nil {
			return b.ctx.Err()
		}
		if old, known := b.known(ordinal); known {
			for _, number := range b.texts.Old.TermNumbers(old) {
				if translation[number] == 0 {
					translation[number] = gathered.numberOf(b.texts.Old.Vocabulary()[number]) + 1
				}
				gathered.add(translation[number] - 1)
			}
		} else {
			analyze(b.texts.Text(ordinal), func(term string, _, _ int) { gathered.add(gathered.numberOf(term)) })
		}
		gathered.endText()
	}
	if uint64(len(gathered.terms)) > math.MaxUint32 {
		return fmt.Errorf("%d terms are more than an index can hold", len(gathered.terms))
	}
	b.forward = gathered.finish()
	return nil
}

func (b *build) writeForward() error { return b.write(forwardName, b.forward.writeTo) }

func (b *build) writeBounds() error {
	return b.write(boundsName, newBounds(b.forward, b.manifest.Parameters).writeTo)
}

// write writes a file and describes it in the manifest.
func (b *build) write(name string, write func(io.Writer) error) error {
	if err := writeFile(filepath.Join(b.dir, name), write); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return b.manifest.describe(b.dir, name)
}

// writeParts keeps the parts of the old index that are worth it and writes others with all other
// texts.
func (b *build) writeParts() error {
	kept, rest := b.plan()
	last := 0
	var ordinals []uint32
	for _, p := range kept {
		for _, name := range b.texts.Old.manifest.filesOf(p.name) {
			path := filepath.FromSlash(name)
			if err := adopt(filepath.Join(b.texts.OldDir, path), filepath.Join(b.dir, path)); err != nil {
				return err
			}
			b.manifest.Files[name] = b.texts.Old.manifest.Files[name]
		}
		var number int
		if _, err := fmt.Sscanf(p.name, partPrefix+"%d", &number); err != nil {
			return fmt.Errorf("part %q: %w", p.name, err)
		}
		last = max(last, number)
		b.manifest.Parts = append(b.manifest.Parts, partSize{p.name, len(p.ordinals)})
		ordinals = append(ordinals, p.ordinals...)
	}
	done := b.texts.N - len(rest)
	for texts := range slices.Chunk(rest, largestPart) {
		last++
		name := fmt.Sprint(partPrefix, last)
		report := func(written int) { b.report(done + written) }
		if err := writePart(b.ctx, filepath.Join(b.dir, name), b.forward, texts, report); err != nil {
			return fmt.Errorf("postings: %w", err)
		}
		if err := b.manifest.describePart(b.dir, name); err != nil {
			return err
		}
		b.manifest.Parts = append(b.manifest.Parts, partSize{name, len(texts)})
		done += len(texts)
	}
	ordinals = append(ordinals, rest...)
	return b.write(ordinalsName, func(w io.Writer) error {
		_, err := w.Write(mapped.Bytes(ordinals))
		return err
	})
}

// plan chooses the parts of the old index that stay, with their new ordinals, and the texts that
// need another. A part is rewritten, together with those, when a quarter of it is gone or it is
// at most four times as large as they are: so the parts are few, and a text is written few times.
func (b *build) plan() (kept []*part, rest []uint32) {
	now := b.ordinalsNow()
	for ordinal := range b.texts.N {
		if _, known := b.known(ordinal); !known {
			rest = append(rest, uint32(ordinal))
		}
	}
	if b.texts.Old == nil {
		return nil, rest
	}
	parts := make([]*part, 0, len(b.texts.Old.parts))
	for _, p := range b.texts.Old.parts {
		parts = append(parts, p.renumber(now))
	}
	slices.SortStableFunc(parts, func(a, b *part) int { return cmp.Compare(a.texts, b.texts) })
	for _, p := range parts {
		if p.texts*4 < len(p.ordinals)*3 || p.texts <= 4*len(rest) {
			rest = append(rest, p.present()...)
		} else {
			kept = append(kept, p)
		}
	}
	slices.Sort(rest)
	slices.Reverse(kept)
	return kept, rest
}

// ordinalsNow returns the ordinals that the texts of the old index have now.
func (b *build) ordinalsNow() []uint32 {
	if b.texts.Old == nil {
		return nil
	}
	now := slices.Repeat([]uint32{noOrdinal}, b.texts.Old.N())
	for ordinal := range b.texts.N {
		if old, known := b.known(ordinal); known {
			now[old] = uint32(ordinal)
		}
	}
	return now
}
