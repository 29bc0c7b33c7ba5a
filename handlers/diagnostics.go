package handlers

import (
	"path/filepath"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
	"lacuna/handlers/note"
)

// diagnosticSource is how clients name the sender of a diagnostic.
const diagnosticSource = "lacuna"

// DiagnosticData goes with the diagnostic of a gap to a client and comes back unchanged.
type DiagnosticData struct {
	V        int             `json:"v"`
	Question note.QuestionID `json:"question"`
	Code     string          `json:"code"`
	Gap      string          `json:"gap"` // [gap.Gap.ID]
	Query    string          `json:"query"`
}

// Diagnostics are the problems of a note as the client can take them; never nil.
func Diagnostics(s Snapshot) []protocol.Diagnostic {
	problems := Problems(s)
	diagnostics := make([]protocol.Diagnostic, len(problems))
	for i, p := range problems {
		diagnostics[i] = s.diagnostic(p)
	}
	return diagnostics
}

var severities = map[string]protocol.DiagnosticSeverity{
	levelHint:        protocol.DiagnosticSeverityHint,
	levelInformation: protocol.DiagnosticSeverityInformation,
	levelWarning:     protocol.DiagnosticSeverityWarning,
	levelError:       protocol.DiagnosticSeverityError,
}

func (s Snapshot) diagnostic(p Problem) protocol.Diagnostic {
	d := protocol.Diagnostic{
		Range:    s.rangeOf(p.Span),
		Severity: severities[p.Level],
		Code:     p.Code,
		Source:   diagnosticSource,
		Message:  p.Message,
	}
	if s.Client.RelatedInformation {
		for _, r := range p.Related {
			d.RelatedInformation = append(d.RelatedInformation, protocol.DiagnosticRelatedInformation{
				Location: lineLocation(r.File, r.Line), Message: r.Message,
			})
		}
	}
	if s.Client.CodeDescription && s.Pages != "" {
		d.CodeDescription = &protocol.CodeDescription{Href: lsp.URI(filepath.Join(s.Pages, p.Code+".md"))}
	}
	if s.Client.DiagnosticData && p.Question != "" {
		d.Data = DiagnosticData{V: argumentsVersion, Question: p.Question, Code: p.Code, Gap: p.Gap, Query: p.Query}
	}
	return d
}
