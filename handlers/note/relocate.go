package note

// Relocate returns the edit that has a listed source lead to another path, under another label. The
// rest of the listing stays as it reads.
func (n *Note) Relocate(c Citation, label, path string) Edit {
	return Edit{Span: c.Span, NewText: n.Language.markup().source(BlockSource{
		N: c.N, Passage: c.Passage, Label: label, Path: path, Line: c.Line, Quote: c.Quote,
	})}
}
