package answer

import "lacuna/knowledge"

// Supports reports whether a passage supports a sentence, by the test that decides about citations but
// without looking at the disk.
func Supports(library *knowledge.Library, sentence string, ordinal int) bool {
	r := &run{library: library}
	c := r.newClaim(sentence)
	s := newSource(Evidence{Hit: &knowledge.Hit{Passage: library.Passages()[ordinal], Ordinal: ordinal}})
	found, ok := r.best(s, c)
	return ok && found.holds && c.faithful(s.amounts, s.folded)
}
