package answer

import "lacuna/knowledge"

// Supports reports whether a passage supports a sentence, by the test that decides about citations but
// without looking at the disk.
func Supports(library *knowledge.Library, sentence string, ordinal int) bool {
	r := &run{library: library}
	s := newSource(Evidence{Hit: &knowledge.Hit{Passage: library.Passages()[ordinal], Ordinal: ordinal}})
	_, ok := r.supports(s, r.newClaim(sentence))
	return ok
}
