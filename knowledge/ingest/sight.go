package ingest

import (
	"context"
	"crypto/sha256"
	"fmt"
)

// Sight is what one sees of sources without opening a file. Two are equal when no file has come, gone
// or moved, and none has another size or time of change.
type Sight [sha256.Size]byte

// Look returns what is to be seen of the sources now. The error is ctx's.
func Look(ctx context.Context, sources []Source) (Sight, error) {
	h := sha256.New()
	for _, source := range sources {
		found, err := walk(ctx, source)
		if err != nil {
			return Sight{}, err
		}
		for _, c := range found {
			fmt.Fprintf(h, "%q %q %d %d %q\n", source.Name, c.path, c.size, c.changed.UnixNano(), c.reason)
		}
	}
	return Sight(h.Sum(nil)), nil
}
