package handlers

import (
	"context"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
)

// DocumentEdit is a set of edits of one version of one document.
type DocumentEdit struct {
	URI     protocol.DocumentURI
	Version int32
	Edits   []Edit
}

// Changes reports whether the edits change anything in the note.
func (e DocumentEdit) Changes(n *note.Note) bool {
	return slices.ContainsFunc(e.Edits, func(one Edit) bool { return n.Text[one.Span.Start:one.Span.End] != one.NewText })
}

// Made reports whether the note now contains the edits that were made for the note before.
func (e DocumentEdit) Made(before, now *note.Note) bool {
	if !e.Changes(before) || before.Text == now.Text {
		return false
	}
	after := before.Text
	for _, one := range slices.Backward(slices.SortedStableFunc(slices.Values(e.Edits), func(a, b Edit) int { return a.Span.Start - b.Span.Start })) {
		after = after[:one.Span.Start] + one.NewText + after[one.Span.End:]
	}
	if now.Text == after {
		return true
	}
	return !slices.ContainsFunc(e.Edits, func(one Edit) bool { // something else has been typed as well
		return one.NewText == "" || strings.Contains(before.Text, one.NewText) || !strings.Contains(now.Text, one.NewText)
	})
}

// WorkspaceEdit converts the edit of a note to the form that the client takes: with a version if possible,
// and with annotations that say whose words they are. It needs no confirmation, because the user asked for
// it.
func (c Client) WorkspaceEdit(n *note.Note, e DocumentEdit) lsp.WorkspaceEdit {
	edits := make([]lsp.TextEdit, len(e.Edits))
	annotated := make(map[string]protocol.ChangeAnnotation)
	for i, one := range e.Edits {
		edits[i].TextEdit = protocol.TextEdit{Range: SpanRange(n.Lines, one.Span, c.Encoding), NewText: one.NewText}
		if about, ok := annotations[one.Origin]; ok && c.ChangeAnnotations && c.DocumentChanges {
			edits[i].AnnotationID = string(one.Origin)
			annotated[string(one.Origin)] = about
		}
	}
	if !c.DocumentChanges {
		return lsp.WorkspaceEdit{Changes: map[protocol.DocumentURI][]lsp.TextEdit{e.URI: edits}}
	}
	return lsp.WorkspaceEdit{
		DocumentChanges:   []any{lsp.NewTextDocumentEdit(e.URI, &e.Version, edits)},
		ChangeAnnotations: annotated,
	}
}

var annotations = map[Origin]protocol.ChangeAnnotation{
	Sources: {Label: messages.AnnotationSources, Description: messages.AnnotationSourcesDetail},
	Model:   {Label: messages.AnnotationModel, Description: messages.AnnotationModelDetail},
}

// attempts bounds the tries of an edit that fails because the user typed before it was applied.
const attempts = 5

// EditTarget is a note in an editor that may be edited.
type EditTarget interface {
	// Snapshot returns the document as it is now.
	Snapshot(uri protocol.DocumentURI) (Snapshot, bool)
	// ApplyEdit asks the editor to change the document, if it is still at that version, and returns
	// once the editor has reported the change or is not expected to any more. Applied is false with a
	// reason when the editor refused or the document has moved. Not every editor says when an edit was
	// not made because the document has moved.
	ApplyEdit(ctx context.Context, label string, edit DocumentEdit) (applied bool, reason string, err error)
}

// Write makes an edit of a note, and again when the note changes before the editor has applied it. It returns
// the answers that were written. The caller must hold the edit lock of the note.
func (e NoteEdit) Write(ctx context.Context, target EditTarget, uri protocol.DocumentURI) (answers []Answered, w Written) {
	for range attempts {
		now, open := target.Snapshot(uri)
		if !open {
			return nil, Written{Reason: messages.NoteNotOpen}
		}
		edits, answers := e.Make(now)
		if len(edits) == 0 {
			return nil, Written{}
		}
		edit := DocumentEdit{URI: now.URI, Version: now.Version, Edits: edits}
		applied, reason, err := target.ApplyEdit(ctx, e.Label, edit)
		if err != nil {
			return nil, Written{Done: applied, Err: err}
		}
		after, open := target.Snapshot(uri)
		moved := open && after.Version != now.Version
		switch {
		case applied && !(moved && edit.missing(now, after, e.Make)):
			return answers, Written{Done: true}
		case !applied && !moved:
			return nil, Written{Reason: reason} // refused, and not because the note moved
		}
	}
	return nil, Written{Reason: messages.NoteKeepsChanging}
}

// missing reports whether an edit was not made although the editor says so: in the note as it is after
// it, the same words would have to take the place of the same words.
func (e DocumentEdit) missing(now, then Snapshot, make func(Snapshot) ([]Edit, []Answered)) bool {
	before, after := now.Note, then.Note
	if before.Text == after.Text { // it has been undone already; where it was dropped, something else was typed
		return false
	}
	there := !slices.ContainsFunc(e.Edits, func(one Edit) bool {
		return one.NewText == "" || !strings.Contains(after.Text, one.NewText)
	})
	if there || !e.Changes(before) {
		return false
	}
	again, _ := make(then)
	if len(again) != len(e.Edits) {
		return false
	}
	for i, edit := range e.Edits {
		was, is := before.Text[edit.Span.Start:edit.Span.End], after.Text[again[i].Span.Start:again[i].Span.End]
		if was != is || edit.NewText != again[i].NewText {
			return false
		}
	}
	return true
}
