package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.lsp.dev/protocol"

	"lacuna/handlers"
	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap/ledger"
	"lacuna/knowledge/llm"
	"lacuna/server/dispatch"
)

// personTime bounds an edit, which a person may have to look at first.
const personTime = 2 * time.Minute

// executeCommand runs a command in the slow lane. It takes no snapshot here: a command works on
// the document as it is when it runs, and again when its edit is ready.
func (s *session) executeCommand(params json.RawMessage) (dispatch.Work, error) {
	var p lsp.ExecuteCommandParams
	if err := json.Unmarshal(params, &p); err != nil {
		return dispatch.Work{}, lsp.InvalidParams("%v", err)
	}
	p.Command = s.client.Understood(p.Command)
	return s.command(p.Command, p.WorkDoneToken, func(ctx context.Context, e *editor) (any, error) {
		return handlers.Execute(ctx, e, p.Command, p.Arguments)
	}), nil
}

// command is the work of a command: with progress, and as a thing that the user has asked for.
func (s *session) command(name string, token *lsp.ProgressToken, run func(context.Context, *editor) (any, error)) dispatch.Work {
	return dispatch.Work{Lane: laneOf(name), Run: func(ctx context.Context) (any, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(s.serving, cancel)()
		e := &editor{session: s, shown: &progress{}}
		if !handlers.Quiet(name) || token != nil {
			var given lsp.ProgressToken
			if token != nil {
				given = *token
			}
			e.shown = s.beginProgress(ctx, cancel, given, messages.TitleWorking)
		}
		if handlers.Asks(name) {
			e.answers = true
			s.answering.Add(1)
			s.statusChanged()
			defer s.statusChanged()
			defer s.answering.Add(-1)
		}
		defer e.shown.end("")
		defer e.settle()
		result, err := run(withCommand(ctx, e), e)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return result, err
	}}
}

// laneOf keeps what takes an instant from waiting behind questions to a model.
func laneOf(command string) dispatch.Lane {
	if handlers.Asks(command) {
		return dispatch.Slow
	}
	return dispatch.Brisk
}

// editor is what one running command sees of the session. It implements handlers.Editor.
type editor struct {
	*session
	shown   *progress
	answers bool // whether it counts among the session's answering commands

	at      sync.Mutex
	doc     *document       // last asked for; guarded by at
	base    *base           // of doc; guarded by at
	waiting int             // questions to the person that are open; guarded by at
	asking  []string        // questions put to a strategy; guarded by at
	decided map[string]bool // whether the command may send to a host, as the user said; guarded by at
}

func (e *editor) Snapshot(uri protocol.DocumentURI) (handlers.Snapshot, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	doc := e.documents[lsp.Key(uri)]
	if doc == nil {
		return handlers.Snapshot{}, false
	}
	e.at.Lock()
	e.doc, e.base = doc, doc.base
	e.at.Unlock()
	return e.snapshotOf(doc), true
}

// newestBase is that of the document last asked for; nil if there was none.
func (e *editor) newestBase() *base {
	e.at.Lock()
	defer e.at.Unlock()
	return e.base
}

// Strategy returns a strategy that says what it finds while it runs.
func (e *editor) Strategy(way answer.Request) (answer.Strategy, error) {
	base := e.newestBase()
	if base == nil {
		return nil, errors.New("no document was named")
	}
	told := way.Watch
	way.Watch = func(p answer.Progress) {
		if p.Known != nil {
			e.known(base, *p.Known)
		}
		// Words come faster than anybody reads; those in between are not even put into a sentence.
		if told != nil && (p.Text == "" || e.shown.due()) {
			told(p)
		}
	}
	strategy, err := base.strategy(way)
	if err != nil {
		return nil, err
	}
	return contained{base, strategy}, nil
}

// known shows the evidence and the gaps of an answer that is still under way.
func (e *editor) known(base *base, r answer.Result) {
	base.findings.begun(r)
	e.at.Lock()
	e.asking = append(e.asking, r.Question.Text)
	doc := e.doc
	e.at.Unlock()
	e.publish(doc)
}

// settle takes back what was shown of answers that came to nothing.
func (e *editor) settle() {
	e.at.Lock()
	doc, base, asking := e.doc, e.base, e.asking
	e.at.Unlock()
	had := false
	for _, text := range asking {
		had = base.findings.over(text) || had
	}
	if had {
		e.publish(doc)
	}
}

// contained is a strategy whose panic is an error, so that a command can still tell the user. A
// quote that is no longer in its file has the sources read again: not every client tells of files
// that change.
type contained struct {
	base  *base
	inner answer.Strategy
}

func (c contained) Answer(ctx context.Context, library *knowledge.Library, q answer.Question) (result answer.Result, err error) {
	err = c.base.s.safely("strategy", func() error {
		result, err = c.inner.Answer(ctx, library, q)
		return err
	})
	if result.Dropped > 0 {
		wake(c.base.stale)
	}
	return result, err
}

func (e *editor) Show(_ context.Context, m messages.Message) { e.showMessage(m) }

func (e *editor) Report(stage string, percent int) { e.shown.report(stage, percent) }

func (e *editor) Dismiss(uri protocol.DocumentURI, q note.Question, gapID string, dismissed bool) {
	doc := e.document(uri)
	if doc == nil {
		return
	}
	ctx, cancel := context.WithTimeout(e.conn.Context(), replyTime)
	defer cancel()
	if err := doc.base.ledger().Dismiss(ctx, askedIn(doc.name(), q), gapID, dismissed); err != nil {
		e.log.Error("dismissal not kept", "err", err)
		e.showMessage(messages.Message{Level: messages.Warning, Text: fmt.Sprintf(messages.GapNotRemembered, err)})
	}
	doc.base.findings.touch()
	e.publish(doc)
}

func (e *editor) Learn(uri protocol.DocumentURI, q note.Question, r answer.Result) {
	doc := e.document(uri)
	if doc == nil {
		return
	}
	ctx, cancel := context.WithTimeout(e.conn.Context(), replyTime)
	defer cancel()
	doc.base.learn(ctx, askedIn(doc.name(), q), r)
	doc.base.findings.over(q.Text)
	if decision := messages.HowAnswered(r); decision != "" {
		doc.base.decision.Store(decision)
	}
	e.publish(doc)
}

// document returns an open note, or nil.
func (s *session) document(uri protocol.DocumentURI) *document {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.documents[lsp.Key(uri)]
}

// OpenGaps groups the open gaps of the workspace of a document, or of the first one.
func (e *editor) OpenGaps(ctx context.Context, uri protocol.DocumentURI) ([]ledger.Cluster, error) {
	base := e.baseOf(uri)
	if base == nil {
		return nil, nil
	}
	return ledger.Clusters(base.library(), e.openGaps(ctx, base)), ctx.Err()
}

func (s *session) baseOf(uri protocol.DocumentURI) *base {
	s.mu.Lock()
	defer s.mu.Unlock()
	if doc := s.documents[lsp.Key(uri)]; doc != nil {
		return doc.base
	}
	if path, ok := lsp.Path(uri); ok { // a folder, or a file that is not open
		if at := slices.IndexFunc(s.bases, func(b *base) bool { return within(path, b.folder) }); at >= 0 {
			return s.bases[at]
		}
	}
	if len(s.bases) > 0 {
		return s.bases[0]
	}
	return nil
}

// Preview returns what answering in that way would send.
func (e *editor) Preview(ctx context.Context, uri protocol.DocumentURI, question answer.Question, way answer.Request) ([]llm.Outbound, error) {
	base := e.baseOf(uri)
	if base == nil {
		return nil, lsp.Failed("%s", messages.DocumentClosed)
	}
	w := base.now.Load().workspace
	if w == nil {
		return nil, lsp.Failed("%s", messages.SourcesNotOpen)
	}
	return w.Preview(ctx, base.library(), question, way)
}

// ForgetConsent takes back every permission to send something of the workspace of a document.
func (e *editor) ForgetConsent(ctx context.Context, uri protocol.DocumentURI) error {
	base := e.baseOf(uri)
	if base == nil {
		return lsp.Failed("%s", messages.DocumentClosed)
	}
	w := base.now.Load().workspace
	if w == nil {
		return lsp.Failed("%s", messages.SourcesNotOpen)
	}
	return w.Forget(ctx, "")
}
