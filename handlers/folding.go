package handlers

import (
	"context"

	"go.lsp.dev/protocol"
)

// FoldingRanges are the answers of a note, from the line that says how far the question is answered to
// the last, so that what remains of a folded answer says something. The result is never nil.
func FoldingRanges(ctx context.Context, s Snapshot) ([]protocol.FoldingRange, error) {
	folds := []protocol.FoldingRange{}
	for _, block := range s.Note.Answers {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if s.Client.FoldLimit > 0 && len(folds) == s.Client.FoldLimit {
			break
		}
		span := s.rangeOf(block.Span)
		if status := span.Start.Line + 1; status < span.End.Line {
			folds = append(folds, protocol.FoldingRange{StartLine: status, EndLine: span.End.Line, Kind: protocol.RegionFoldingRange})
		}
	}
	return folds, nil
}
