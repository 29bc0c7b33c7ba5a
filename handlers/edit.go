package handlers

import (
	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
)

// WorkspaceEdit is the edit of a note as the client takes it: of a version where it can be, and with
// annotations that say whose words they are. Nothing needs to be confirmed, because a person has asked
// for it.
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
