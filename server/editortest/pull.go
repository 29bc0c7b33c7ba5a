package editortest

import (
	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
)

// Pulling returns the options of an editor like o that asks for diagnostics.
func (o Options) Pulling() Options {
	o.Pull = true
	o.Capabilities = deepCopy(o.Capabilities)
	workspace, _ := o.Capabilities["workspace"].(map[string]any)
	document, _ := o.Capabilities["textDocument"].(map[string]any)
	if workspace == nil || document == nil {
		workspace, document = map[string]any{}, map[string]any{}
		o.Capabilities["workspace"], o.Capabilities["textDocument"] = workspace, document
	}
	workspace["diagnostics"] = map[string]any{"refreshSupport": true}
	document["diagnostic"] = map[string]any{"dynamicRegistration": false, "relatedDocumentSupport": false}
	return o
}

func deepCopy(m map[string]any) map[string]any {
	whole := make(map[string]any, len(m))
	for key, value := range m {
		if inner, ok := value.(map[string]any); ok {
			value = deepCopy(inner)
		}
		whole[key] = value
	}
	return whole
}

// pull asks for the diagnostics of a document without waiting, one request after the other.
func (e *Editor) pull(uri protocol.DocumentURI) {
	if !e.options.Pull {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	p := e.pulls[uri]
	if p == nil {
		p = &pulled{}
		e.pulls[uri] = p
	}
	if p.again = p.asking; !p.asking {
		p.asking = true
		go e.pullNow(uri, p)
	}
}

func (e *Editor) pullNow(uri protocol.DocumentURI, p *pulled) {
	for more := true; more; {
		e.mu.Lock()
		p.again = false
		p.asked++
		params := lsp.DocumentDiagnosticParams{TextDocument: protocol.TextDocumentIdentifier{URI: uri}, PreviousResultID: p.id}
		e.mu.Unlock()
		var report lsp.DocumentDiagnosticReport
		err := e.Begin(lsp.MethodDiagnostic, params).Wait(&report)
		e.mu.Lock()
		switch {
		case e.closed:
			p.again = false
		case err != nil:
			e.t.Errorf("pull %s: %v", uri, err)
		case report.Kind == "unchanged" && report.ResultID == params.PreviousResultID && report.Items == nil:
			p.unchanged++
		case report.Kind == "full" && report.Items != nil:
			p.id = report.ResultID
			e.findings[uri] = lsp.PublishDiagnosticsParams{URI: uri, Diagnostics: report.Items}
		default:
			e.t.Errorf("pull %s: odd report %+v", uri, report)
		}
		more = p.again
		p.asking = more
		e.changed.Broadcast()
		e.mu.Unlock()
	}
}

// Pulls returns how often the diagnostics of a document were asked for, and how many answers said that
// they are unchanged.
func (e *Editor) Pulls(uri protocol.DocumentURI) (asked, unchanged int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if p := e.pulls[uri]; p != nil {
		return p.asked, p.unchanged
	}
	return 0, 0
}
