package knowledge

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"lacuna/knowledge/par"
	"lacuna/vecmath/mapped"
	"lacuna/vecmath/regular"
)

// Reading by [Index.Scrub]: so much at a time, and so long a rest after it, which makes at most 20 MB
// a second.
const (
	scrubBlock = 1 << 20
	scrubRest  = 50 * time.Millisecond
)

// Scrub reads every byte of the newest library's files, slowly and at low priority, and compares it with the
// checksums written with it. Opening an index does so too; Scrub is for an index that stays open for days,
// while a disk or memory may lose a bit. A difference is recorded and returned: [Index.Intact] becomes
// false, and the next [Index.Refresh] builds the index again. A missing file is left to Intact. If ctx ends
// first, Scrub returns its error. It is safe for concurrent use.
func (x *Index) Scrub(ctx context.Context) error {
	g := x.Library().disk
	if g == nil {
		return nil
	}
	return par.LowPriority(func() error {
		buffer := make([]byte, scrubBlock)
		for _, file := range g.manifest.Contents {
			sum, err := x.checksum(ctx, filepath.Join(g.dir, filepath.FromSlash(file.Name)), buffer)
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case errors.Is(err, fs.ErrNotExist): // a newer generation may have taken its place
				continue
			case err == nil && sum != file.CRC32:
				err = fmt.Errorf("%s has changed on the disk", file.Name)
			}
			if err != nil {
				g.recordDamage(err)
				return err
			}
		}
		return nil
	})
}

// checksum returns the CRC-32C of a file, which it reads in blocks with rests in between.
func (x *Index) checksum(ctx context.Context, path string, buffer []byte) (uint32, error) {
	f, err := regular.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	sum := crc32.New(mapped.Castagnoli)
	for {
		x.yield()
		n, err := f.Read(buffer)
		_, _ = sum.Write(buffer[:n]) // a checksum takes everything
		switch {
		case errors.Is(err, io.EOF):
			return sum.Sum32(), nil
		case err != nil:
			return 0, err
		case n < len(buffer):
			continue // it was the end, or the next read says so
		}
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(scrubRest):
		}
	}
}
