package knowledge

import (
	"errors"

	"lacuna/knowledge/mapped"
)

// ErrDamaged means that a file of the index could not be read while it was searched: somebody cut it
// off, or its disk fails. The next [Index.Refresh] builds the index anew.
var ErrDamaged = errors.New("the index was damaged while it was in use and has to be built anew; ask again in a moment")

// survived returns the error that work on the files of a generation ended with: [ErrDamaged] where
// one of them could not be read, which is noted with the generation. recovered is what the work
// panicked with, or nil; what is no fault of a file goes on as a panic. There need not be a
// generation.
func (g *generation) survived(recovered any, err error) error {
	switch {
	case recovered == nil && !mapped.IsFault(err):
		return err
	case recovered != nil && !mapped.IsFault(recovered):
		panic(recovered)
	}
	if g != nil {
		g.fault.Store(true)
	}
	return ErrDamaged
}
