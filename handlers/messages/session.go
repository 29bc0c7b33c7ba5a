package messages

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"lacuna/knowledge"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/sanitise"
)

// What the session says about itself: folders, documents and editors.
const (
	TitleIndexing       = "Lacuna: indexing"
	TitleJudging        = "Lacuna: looking up the questions of your notes"
	TitleWorking        = "Lacuna"
	LabelCreatePage     = "Create a page in a source"
	OpeningSources      = "opening the sources"
	SourcesNotOpen      = "your sources are not open yet; try again in a moment"
	NoApplyEdit         = "this editor does not accept edits from a server"
	NoEditReply         = "this editor did not say whether it has made the change"
	OtherAnswer         = "the answer below this question was not written in this session; answer the question again first"
	BeingWritten        = "the answer is still being written; try again in a moment"
	DocumentClosed      = "the document is not open"
	DocumentChanged     = "the document has changed"
	EditRefused         = "the editor refused the change"
	NoCreateFile        = "this editor does not let a server create files; create %s yourself"
	NoRename            = "only a source that an answer cites can be renamed here; put the cursor on a citation"
	NoRenameGone        = "your sources no longer have the file that is cited here; answer the question again, or correct the link"
	NoRenameFiles       = "this editor does not let a server rename files; rename the file yourself, and citations follow"
	NamedInSettings     = "%s is named by your settings or kept by Lacuna, so its name stays; change path under [[source]] instead"
	NoFileName          = "“%s” is not the name of a file; give one without a folder, such as metformin-2025.md"
	NameTaken           = "there is a file %s already; choose another name"
	NotRequested        = "nothing is sent to another machine unless you asked for it"
	CannotAsk           = "this editor cannot ask you for permission, and %w"
	ChoiceSend          = "Send"
	ChoiceShowBody      = "Show what would be sent"
	ChoiceNotNow        = "Not now"
	NoFolder            = "no folder is open; open the one with your notes"
	NoFolderToName      = "no folder is open; open the one with your notes, or name sources in your own settings file %s"
	OutsideFolder       = "%s is outside the open folder, and only your own settings file may name it: %s"
	NameSourcesYourself = "name folders in %s, each under a line [[source]] as path = \"…\""
	GapNotRemembered    = "The gap is hidden until the editor is closed, but could not be remembered: %v"
)

// SettingsTemplate is a settings file of a workspace that names nothing yet.
const SettingsTemplate = `# Folders and files that answer your questions. A path is relative to this file and stays in its folder;
# name sources elsewhere in your own settings file: %s
#
# [[source]]
# path = "guidelines"
`

// MaySend asks whether text may leave the machine; about says what that text holds, a line each. The first
// paragraph is the heading where an editor has one.
func MaySend(out llm.Outbound, about []string) string {
	lines := OutgoingLines(out, about)
	return fmt.Sprintf("Lacuna is about to send your question and passages of your sources to %s (model %s, another machine).\n\n%s\n\nSend it? A yes also covers the requests that follow, and is remembered for this workspace.",
		out.Host, out.Model, strings.Join(lines, "\n"))
}

// OutgoingLines says of a request what it holds, what was replaced in it and whether others can read it.
func OutgoingLines(out llm.Outbound, about []string) []string {
	lines := slices.Clone(about)
	if out.Details != "" {
		lines = append(lines, Redacted(out.Details)+".")
	}
	if out.Unencrypted {
		lines = append(lines, OutgoingUnencrypted)
	}
	return lines
}

// MaySendShown asks again after the user has read what would be sent.
func MaySendShown(out llm.Outbound) string {
	return fmt.Sprintf("Send this to %s? A yes is remembered for this workspace.", out.Host)
}

func CannotOpen(folder string, err error) Message {
	if folder == "" {
		folder = "your user settings"
	}
	return Message{Level: Error, Text: fmt.Sprintf("Lacuna cannot open the sources of %s: %v. Notes can be edited, questions stay unanswered. Correct the cause and restart the server.", folder, err)}
}

func CannotIndex(err error) Message {
	return Message{Level: Error, Text: fmt.Sprintf("Lacuna could not bring its index up to date: %v. It continues with the existing index; lacuna doctor looks for the cause.", err)}
}

func IndexDamaged(folder, why string) Message {
	of := ""
	if folder != "" {
		of = " of " + folder
	}
	return Message{Level: Warning, Text: fmt.Sprintf("Lacuna's index%s was damaged (%s) and is being rebuilt from your sources. Your files are untouched; until then, answers may miss something.", of, why)}
}

func SettingsProblems(lines []string) Message {
	return Message{Level: Warning, Text: "Lacuna found problems in the settings; everything else applies.\n" + strings.Join(lines, "\n")}
}

func RemoteEncoderFailed(why string) Message {
	return Message{Level: Warning, Text: fmt.Sprintf("Lacuna searches with its built-in encoder, because the one under [embedding] in your settings is not available: %s. It is tried again when a source changes.", why)}
}

// JudgingNotes says how many notes with questions have been looked up in the background.
func JudgingNotes(done, of int) string { return fmt.Sprintf("%d of %s", done, Count(of, "note")) }

// NotesCompared says how many notes have been compared with the sources so far.
func NotesCompared(n int) string { return Count(n, "note") + " compared" }

// NothingStale says that nothing is marked in so many notes.
func NothingStale(notes int) string {
	if notes == 0 {
		return "No note was compared: there is none that is not a source itself."
	}
	return "Nothing is marked as no longer true; " + countWere(notes, "note") + " compared with your sources."
}

// JudgedQuestions says how many questions were looked up in the background.
func JudgedQuestions(n int) string { return Count(n, "question") + " looked up" }

// IndexStage says in words what an index is doing, how far it has come, and how long it still takes.
func IndexStage(e knowledge.Event) string {
	switch e.Stage {
	case knowledge.Reading:
		if e.TotalFiles == 0 {
			return "looking for changes in the sources"
		}
		text := fmt.Sprintf("read %s of %s, %s", Number(e.Files), Count(e.TotalFiles, "file"), Count(e.Passages, "passage"))
		if e.File != "" {
			text += ", now " + Shorten(sanitise.Visible(plaintext.OneLine(path.Base(e.File))), maxFileName)
		}
		return text + timeLeft(e.Left)
	case knowledge.Indexing:
		return fmt.Sprintf("indexing the words of %s, %d %%%s", Count(e.Passages, "passage"), e.Percent, timeLeft(e.Left))
	case knowledge.Training:
		return fmt.Sprintf("training the encoder, %d %%%s; search by words already works", e.Percent, timeLeft(e.Left))
	case knowledge.Writing:
		return fmt.Sprintf("writing the index%s; search by words already works", timeLeft(e.Left))
	case knowledge.Fitting:
		return fmt.Sprintf("calibrating%s; search already works", timeLeft(e.Left))
	case knowledge.Embedding:
		return fmt.Sprintf("fetching vectors from the remote encoder, %d %%%s; search already works", e.Percent, timeLeft(e.Left))
	case knowledge.Unembedded:
		return "the remote encoder is not available; the built-in one is used"
	case knowledge.Damaged:
		return "the index was damaged and is being rebuilt"
	case knowledge.Limited:
		return "the sources exceed a limit; searching what was read"
	case knowledge.Unwritten:
		return "the index cannot be written; searching the one that is there"
	case knowledge.Provisional:
		return "the index cannot be written; searching a temporary one"
	case knowledge.SearchOnly:
		return "read-only: another Lacuna process is updating this index"
	}
	return string(e.Stage)
}

// maxFileName bounds the name of a file in a message, in characters.
const maxFileName = 30

// timeLeft says after a comma about how long something still takes; empty if that is not known.
func timeLeft(left time.Duration) string {
	switch {
	case left <= 0:
		return ""
	case left < 5*time.Second:
		return ", a few seconds left"
	case left < 25*time.Second:
		return fmt.Sprintf(", about %d s left", int((left+5*time.Second-1)/(5*time.Second))*5)
	case left <= 50*time.Second:
		return fmt.Sprintf(", about %d s left", int((left+10*time.Second-1)/(10*time.Second))*10)
	case left < 55*time.Minute:
		return fmt.Sprintf(", about %d min left", int((left+30*time.Second)/time.Minute))
	}
	tens := int((left + 5*time.Minute) / (10 * time.Minute))
	if tens%6 == 0 {
		return fmt.Sprintf(", about %d h left", tens/6)
	}
	return fmt.Sprintf(", about %d h %d min left", tens/6, tens%6*10)
}

// LibraryStatus says what a library that holds something can do.
func LibraryStatus(s knowledge.Status) string {
	how := "search by words"
	if s.Encoder {
		how = "search by words and meaning"
	}
	text := fmt.Sprintf("%d passages and %d stored questions, %s", s.Passages, s.Pairs, how)
	if s.Building {
		text += ", not yet complete"
	}
	return text
}
