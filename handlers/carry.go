package handlers

import (
	"go.lsp.dev/protocol"

	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/knowledge/answer"
)

// This file is for clients that make no edits which a command asks them for, see [Client.ApplyEdit]: a
// code action brings its edit along, once it is chosen where the client can ask then, else in the list.

// Deferred is the data of a code action: the command that makes its edit.
type Deferred struct {
	Command string `json:"command"` // as [Execute] knows it
	Arguments
}

// deferred has a client ask for the edit of an action once it is chosen. The command of the action stays
// beside it.
func deferred(a protocol.CodeAction, command string) protocol.CodeAction {
	arguments, _ := a.Command.Arguments[0].(Arguments) // of an action of ours
	a.Data = Deferred{command, arguments}
	return a
}

// write lists an action whose command writes into the note, in the form in which this client can have
// that done. Known returns the edits that the command would make, as far as they are known without any
// work; it may be nil.
func (m *menu) write(command string, a protocol.CodeAction, known func() []Edit) {
	var edits []Edit
	if known != nil && !m.Client.ApplyEdit && !m.Client.ResolveEdit {
		edits = known()
	}
	switch {
	case a.Command == nil || m.Client.ApplyEdit || !m.Client.CodeActionLiterals:
		m.add(a)
	case m.Client.ResolveEdit:
		a = deferred(a, command)
		a.Command = nil
		m.add(a)
	case len(edits) > 0:
		edit := m.Client.WorkspaceEdit(m.Note, DocumentEdit{URI: m.URI, Version: m.Version, Edits: edits})
		a.Command = nil
		m.addWith(a, &edit)
	default: // the command shows what it finds; from then on it is known
		m.add(a)
	}
}

// knownEdits are the edits that write what is known about the questions; none when something is not.
func (s Snapshot) knownEdits(questions ...note.Question) []Edit {
	var edits []Edit
	for _, q := range questions {
		result, known := s.finding(q)
		if !known || !Recordable(result) {
			return nil
		}
		edits = append(edits, Edit{s.Note.Write(q, Compose(result, s.Path)), originOf(result)})
	}
	return edits
}

// answersNow are the edits of answering the questions where that is no more work than to write down what
// is known.
func (s Snapshot) answersNow(questions ...note.Question) func() []Edit {
	return func() []Edit {
		if s.modelAnswers() {
			return nil
		}
		return s.knownEdits(questions...)
	}
}

// modelAnswers reports whether a model would be asked for an answer that nobody chose a system for.
func (s Snapshot) modelAnswers() bool {
	return s.Models.Configured && !s.Note.Private && s.Settings.Answer.System != answer.OfflineID
}

// found lists the answer of a model that a command could not write, with its edit.
func (m *menu) found(q note.Question) {
	if m.Client.ApplyEdit || m.Client.ResolveEdit || !m.Client.CodeActionLiterals {
		return
	}
	if result, known := m.finding(q); known && len(result.Models) > 0 {
		m.write(commandAnswer, m.action(kindAnswer, messages.TitleWriteFound, commandAnswer, Arguments{Question: q.ID}), func() []Edit { return m.knownEdits(q) })
	}
}
