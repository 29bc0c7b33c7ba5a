package knowledge

import (
	"path/filepath"
)

// refitAt is the share of passages that came or went beyond which the companions are fitted again.
// What they learn are statistics of the whole base.
const refitAt = 0.05

// isFitted reports whether every companion has learnt about the passages of s, or nearly these.
func (x *Index) isFitted(s *state) bool {
	for _, companion := range x.options.Companions {
		if _, ok := s.blobs[companion.Name()]; !ok {
			return false
		}
	}
	return len(x.options.Companions) == 0 || x.nearlyFitted(s)
}

// nearlyFitted reports whether the last fit was to nearly the passages of s.
func (x *Index) nearlyFitted(s *state) bool {
	added, gone := turnover(filepath.Join(s.dir, fittedName), s.passages)
	return max(added, gone) <= refitAt
}
