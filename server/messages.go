package server

import (
	"fmt"
	"strings"
	"sync"

	"go.lsp.dev/protocol"

	"lacuna/handlers"
	"lacuna/knowledge"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/par"
)

// What the session itself says to a person. Everything about questions and answers is in the
// catalogue of package handlers.
const (
	textIndexing     = "Lacuna: indexing"
	textWorking      = "Lacuna"
	textCreate       = "Create a page in a source"
	textOpening      = "opening the sources"
	textNotOpen      = "your sources are not open yet; try again in a moment"
	textNoApplyEdit  = "this editor does not let a server change a document"
	textNoReply      = "this editor did not say whether it has made the change"
	textOtherAnswer  = "the answer below this question is not the one that was written in this session; answer it again first"
	textBeingWritten = "the answer is still being written; try again in a moment"
	textClosed       = "the document is not open"
	textMoved        = "the document has changed"
	textRefused      = "the editor refused the change"
	textNoCreate     = "this editor does not let a server create files; create %s yourself"
	textNobodyAsked  = "nothing is sent to another machine unless a person has asked for it"
	textCannotAsk    = "this editor cannot ask you, and %w"
	textSend         = "Send"
	textShowBody     = "Show what would be sent"
	textNotNow       = "Not now"
	textNoFolder     = "no folder is open; open the one that your notes are in"
	textNoRoot       = "no folder is open; open the one that your notes are in, or name sources in your own settings file %s"
	textOutside      = "%s lies outside of the folder that is open, and only your own settings file may name it: %s"
	textOpenYourself = "name folders in %s, each under a line [[source]] as path = \"…\""
	textNotKept      = "The gap is hidden until the editor is closed, but could not be remembered: %v"
)

// settingsBeginning is a settings file of a workspace that names nothing yet.
const settingsBeginning = `# Folders and files that questions are answered from. A path is relative to this file and stays in its folder;
# what lies elsewhere is named in your own settings file: %s
#
# [[source]]
# path = "guidelines"
`

// mayBeSent asks whether text may leave the machine.
func mayBeSent(out llm.Outbound) string {
	text := fmt.Sprintf("Lacuna is about to send your question and passages of your sources to %s (model %s, another machine).", out.Host, out.Model)
	if out.Details != "" {
		text += " Replaced before sending: " + out.Details + "."
	}
	if out.Unencrypted {
		text += " The connection is not encrypted: whoever is on the way can read it."
	}
	return text + " Send it? A yes is remembered for this workspace."
}

// sendIt asks the same again of a person who has read what would be sent.
func sendIt(out llm.Outbound) string {
	return fmt.Sprintf("Send this to %s? A yes is remembered for this workspace.", out.Host)
}

func cannotOpen(folder string, err error) handlers.Message {
	if folder == "" {
		folder = "your user settings"
	}
	return handlers.Message{Level: handlers.Error, Text: fmt.Sprintf("Lacuna cannot open the sources of %s: %v. Notes can be edited, questions stay unanswered. Correct the cause and restart the server.", folder, err)}
}

func cannotIndex(err error) handlers.Message {
	return handlers.Message{Level: handlers.Error, Text: fmt.Sprintf("Lacuna could not bring its index up to date: %v. It goes on with what it has; lacuna doctor looks for the cause.", err)}
}

func wasDamaged(folder, why string) handlers.Message {
	of := ""
	if folder != "" {
		of = " of " + folder
	}
	return handlers.Message{Level: handlers.Warning, Text: fmt.Sprintf("Lacuna's index%s was damaged (%s) and is being built anew from your sources. Your files are untouched; until that is done, answers may miss something.", of, why)}
}

func settingsProblems(lines []string) handlers.Message {
	return handlers.Message{Level: handlers.Warning, Text: "Lacuna found something wrong with the settings; everything else applies.\n" + strings.Join(lines, "\n")}
}

func notEmbedded(why string) handlers.Message {
	return handlers.Message{Level: handlers.Warning, Text: fmt.Sprintf("Lacuna searches with its built-in encoder, because the one under [embedding] in your settings cannot serve: %s. It is tried again when a source changes.", why)}
}

// stageText says in words what an index is doing.
func stageText(e knowledge.Event) string {
	switch e.Stage {
	case knowledge.Reading:
		return "reading the sources"
	case knowledge.Indexing:
		return "indexing words"
	case knowledge.Training:
		return "learning the vocabulary; search by words works already"
	case knowledge.Fitting:
		return "calibrating; search works already"
	case knowledge.Embedding:
		return fmt.Sprintf("asking the encoder of your settings for vectors (%d %%); search works already", e.Percent)
	case knowledge.Unembedded:
		return "the encoder of your settings cannot serve; the built-in one searches"
	case knowledge.Damaged:
		return "the index was damaged and is being rebuilt"
	case knowledge.Limited:
		return "the sources are more than may be read; searching what was read"
	case knowledge.Unwritten:
		return "the index cannot be written; searching the one that is there"
	case knowledge.Provisional:
		return "the index cannot be written; searching a temporary one"
	case knowledge.SearchOnly:
		return "another editor keeps this index; searching what it has written"
	}
	return string(e.Stage)
}

// stageShare is the part of a refresh, in percent, that each stage takes up to, so that the bar
// only ever grows.
var stageShare = map[knowledge.Stage][2]int{
	knowledge.Reading:  {0, 25},
	knowledge.Indexing: {25, 45},
	knowledge.Training: {45, 85},
	knowledge.Fitting:  {85, 100},
	knowledge.Ready:    {100, 100},
}

func overall(e knowledge.Event) int {
	share := stageShare[e.Stage]
	return share[0] + (share[1]-share[0])*min(max(e.Percent, 0), 100)/100
}

// statusText says what a library that holds something can do.
func statusText(s knowledge.Status) string {
	how := "search by words"
	if s.Encoder {
		how = "search by words and meaning"
	}
	text := fmt.Sprintf("%d passages and %d past questions, %s", s.Passages, s.Pairs, how)
	if s.Building {
		text += ", not yet complete"
	}
	return text
}

// told remembers what was said, so that no message is shown twice in one session.
type told struct {
	mu   sync.Mutex
	said map[string]bool // guarded by mu
}

func (t *told) first(text string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.said == nil {
		t.said = make(map[string]bool)
	}
	if t.said[text] {
		return false
	}
	t.said[text] = true
	return true
}

// tell shows a message that the user did not ask for, once.
func (s *session) tell(m handlers.Message) {
	if s.told.first(m.Text) {
		s.showMessage(m)
	}
}

func (s *session) showMessage(m handlers.Message) {
	kind := protocol.MessageTypeInfo
	switch m.Level {
	case handlers.Warning:
		kind = protocol.MessageTypeWarning
	case handlers.Error:
		kind = protocol.MessageTypeError
	}
	s.conn.Notify(protocol.MethodWindowShowMessage, protocol.ShowMessageParams{Type: kind, Message: m.Text})
}

// contain ends a panic of background work; the session goes on without that piece of it.
func (s *session) contain(what string) {
	if cause := recover(); cause != nil {
		_ = s.recovered(what, cause)
	}
}

// safely makes an error of a panic in work.
func (s *session) safely(what string, work func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = s.recovered(what, cause)
		}
	}()
	return work()
}

// recovered logs a panic and makes an error of it.
func (s *session) recovered(what string, cause any) error {
	s.log.Error("panic contained", "in", what, "cause", cause, "stack", string(par.Stack(cause)))
	return fmt.Errorf("internal error in the %s; the log has the details", what)
}
