package handlers

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"lacuna/handlers/note"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/gap/ledger"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
)

// Message is something a user reads, from the catalogue of this file.
type Message struct {
	Level Level
	Text  string
}

// Level is how much a message matters.
type Level uint8

const (
	Info Level = iota
	Warning
	Error
)

// The catalogue: every sentence about questions, answers and sources that a person may read. Each
// says what happened, what Lacuna did instead, and what the person can do, as far as each applies.
const (
	textFooter = "Evidence from your files; not medical advice; check the source."

	titleAnswer      = "Answer this question"
	titleAnswerAgain = "Answer this question again"
	titleSetUp       = "Set up sources…"
	titleFound       = "Write the answer that was found"
	titleRemove      = "Remove the answer"
	titleSearchAgain = "Search again with “%s”"
	titleStub        = "Start a page on “%s” in the source “%s”"
	titleDismiss     = "Mark this gap as not needed"
	titleRestore     = "Bring back the gap marked as not needed"
	titleRestoreOf   = "Bring back the gap “%s”"
	titleDismissOf   = "Mark the gap “%s” as not needed"
	titleThorough    = "Answer thoroughly (several calls of the model)"
	titleWith        = "Answer with another system…"
	titleSources     = "Answer from my sources"
	titleAlone       = "Answer by the model alone"
	titleAccept      = "Keep this answer for later questions"
	titleFresh       = "Answer again, asking the model anew"
	titlePreview     = "Show what would be sent"
	titleRefresh     = "Answer again from the sources as they are now"
	titleBackground  = "Ask the model for background on “%s” (marked, no evidence)"

	labelAnswer    = "Answer the question"
	labelAnswerAll = "Answer the open questions"
	labelRemove    = "Remove the answer"

	annotationSources = "From your sources"
	annotationModel   = "Written by a model"
	aboutSources      = "Word for word, each sentence with its citation"
	aboutModel        = "What cites no source is marked"

	stageSearching = "searching your sources"
	stageWriting   = "writing the answer into the note"

	reasonNoSources = "No sources are set up: put files into a folder kb beside the note, name sources in .lacuna.toml, or choose “Set up sources”."
	reasonReading   = "The sources are still being read; try again in a moment."

	textWhereSources = "Where are the documents that questions are to be answered from?"
	choiceFolder     = "Make a folder kb here"
	choiceSettings   = "Name folders in .lacuna.toml"

	textPrivate      = "This note is private: nothing is looked up until you ask."
	textNotYet       = "Not looked up yet."
	textWordsOnly    = "Search goes by words only until the vocabulary has been learnt."
	textIncomplete   = "The sources are still being read; there may be more to find."
	textStub         = "To be written, with where it is from. Asked in a note: %s"
	textMoved        = "The passage around it has changed since; the sentence itself still stands."
	textQuoteGone    = "The passage is still there, but it does not say this in these words."
	textFileGone     = "The file is not there any more: this is what was read."
	textFileChanged  = "Has changed on disk since it was read: this is what was read."
	textStands       = "Stands in the file as cited."
	textNotNeeded    = "Marked as not needed"
	textDiffer       = "The sources may disagree: one of these sentences says no and another does not."
	textGone         = "The question was changed or removed in the meantime, so nothing was written into the note."
	textActAgain     = "Choose the action once more: this editor can make the change by itself then."
	textNotOpen      = "The note is not open any more."
	textKeptChanging = "the note kept changing meanwhile"
	textNoQuestion   = "This question is not in the note any more. Nothing was changed."
	textNotKept      = "Nothing was kept: answers are kept for later questions only where history.harvest is on in your own settings file."
	textNoGap        = "This gap is not there any more. Nothing was changed."
	textNothingOpen  = "No question is open in this note."
	textNoModel      = "Nothing was asked: this way of answering needs a model, and none is configured. Set model.base_url and model.model in your own settings file; without one, questions are answered from your sources alone."

	textPrivateNotKept   = "Nothing was kept: this note is private."
	textPrivateOffline   = "This note is private: nothing of it goes to a model, so the answer is from your sources alone."
	textLinkLeftOut      = "⟨address left out⟩"
	textWhichSystem      = "Which system should answer?"
	textNothingSent      = "Nothing would be sent to another machine."
	textPreview          = "What would be sent first. Nothing has been sent."
	textConsentForgotten = "Nothing more is sent to another machine from this workspace until you allow it again."
	textGapReport        = "What your sources do not know"
	textNoGaps           = "No gap is open in the notes of this workspace."
	reportQuestionGone   = "The question was not kept"
	reportAnswered       = " — answered in the note"
	reportNearest        = "Nearest: %s (%s)"
	reportSearch         = "Search for: %s"
	reportSince          = "Since %s"
	textNearest          = "Possibly: what comes nearest in your sources"
	textBeingAnswered    = "Being answered…"
	textAnswering        = "Being answered. Found so far:"
	textThought          = "Why something is missing, in the model's words: "
	textBackgroundHead   = "Background from the model, not from your sources:"
	textBackgroundMeans  = "The model wrote this from what it has learnt. Nothing in your sources says it, so there is nothing to check it against here: it is no evidence."
	textUnsupportedMeans = "The model wrote this, and nothing that was found in your sources supports it. Check it before you rely on it, or delete it."
	textNoStubPlace      = "No page was started: none of your sources is a folder of pages inside the workspace. Name one in .lacuna.toml, or add a folder kb."
)

// directiveText says what a directive in a note does.
func directiveText(word string) string {
	switch word {
	case "ask":
		return "The paragraph below is a question"
	case "skip":
		return "The question below is none"
	case "off":
		return "Nothing is asked from here on"
	case "on":
		return "Questions count again from here on"
	case "private":
		return "Nothing is looked up until you ask, and nothing goes to a model"
	}
	return ""
}

// Status is the first line of an answer. It says who answered, how far the answer goes and, if it
// does not, why.
func Status(r answer.Result) string { return status(r, true) }

// status is the same, with what is missing named or not.
func status(r answer.Result, named bool) string {
	sources := sourcesOf(r)
	by := byWhom(r)
	from := by + " from " + count(sources, "source")
	if rests(r, answer.Background) {
		from += ", and with background of its own"
	}
	missing, partly := firstMissing(r.Gaps)
	lack := ""
	if named && partly {
		lack = ": " + missingWords(missing)
	}
	switch {
	case r.State == answer.Nothing:
		return note.NotAnswered + ": " + whyNot(r)
	case by != "" && sources == 0 && partly:
		return "Possibly answered" + by + " alone, not from your sources" + lack
	case by != "" && sources > 0 && r.Afterwards:
		far := "Answered"
		if partly || r.State == answer.Possibly {
			far = "Partly answered"
		}
		return far + by + " alone; your sources hold " + heldOf(r) + lack
	case by != "" && sources == 0:
		return "Answered" + by + " alone, not from your sources"
	case by != "" && partly:
		return "Partly answered" + from + lack
	case r.State == answer.Possibly && partly && named:
		return "Possibly" + lack + ". The nearest:"
	case r.State == answer.Possibly && by == "" && gap.Missing(r.MissingProbability):
		return textNearest
	case r.State == answer.Possibly && by == "":
		return "Possibly: one passage may answer this"
	}
	if r.State == answer.Possibly {
		return "Possibly answered" + from
	}
	return "Answered" + from
}

// heldOf says how many sentences of an answer were found in the sources.
func heldOf(r answer.Result) string {
	held, all := 0, 0
	for _, s := range r.Statements {
		if b, ok := bulletOf(r, s); ok {
			all++
			if b.Basis == note.Claim {
				held++
			}
		}
	}
	if all == 1 {
		return "its one sentence"
	}
	return fmt.Sprintf("%d of its %d sentences", held, all)
}

// byWhom names the models that wrote an answer, if any did.
func byWhom(r answer.Result) string {
	if !written(r) {
		return ""
	}
	if len(r.Models) == 0 {
		return " by a model"
	}
	return " by " + modelNames(r)
}

func keptFrom(kept time.Time) string {
	if kept.IsZero() {
		return ""
	}
	return " (kept reply of " + kept.Format("2 January 2006") + ")"
}

// written reports whether a model wrote the answer, rather than quoted the sources.
func written(r answer.Result) bool {
	return r.Choice != "" || rests(r, answer.Claim) || rests(r, answer.Background) || rests(r, answer.Unsupported)
}

func rests(r answer.Result, basis answer.Basis) bool {
	return slices.ContainsFunc(r.Statements, func(s answer.Statement) bool { return s.Basis == basis })
}

// firstMissing is the first gap that is taken to be one and that nothing has filled.
func firstMissing(gaps []gap.Gap) (gap.Gap, bool) {
	at := slices.IndexFunc(gaps, func(g gap.Gap) bool {
		return gap.Missing(g.Probability) && (g.Status == gap.Open || g.Status == "")
	})
	if at < 0 {
		return gap.Gap{}, false
	}
	return shownGap(gaps[at]), true
}

// whyNot says why an answer abstains.
func whyNot(r answer.Result) string {
	missing, partly := firstMissing(r.Gaps)
	switch {
	case r.Reason == answer.NoSources:
		return "there are no sources to search"
	case r.Reason == answer.ToolFailure && r.Dropped > 0:
		return "what was found has changed on disk since it was read"
	case r.Reason == answer.ToolFailure:
		return "the search failed"
	case partly:
		return missingWords(missing)
	case r.Reason == answer.OffTopic:
		return "your sources are about other subjects"
	case r.Reason == answer.NoTopic:
		return "nothing on this subject in your sources"
	case r.Reason == answer.NoAspect:
		return "your sources treat the subject, but not this side of it"
	case r.Reason == answer.Conflict:
		return "your sources contradict each other"
	}
	return "nothing in your sources comes close enough"
}

// answeredFrom is the status of an answer without its gaps, which are listed beside it.
func answeredFrom(r answer.Result) string { return status(r, false) }

// nothingFound heads what is said about a question that has no answer.
func nothingFound(r answer.Result) string {
	if _, missing := firstMissing(r.Gaps); missing {
		return "Nothing found that answers this."
	}
	return "Nothing found: " + whyNot(r) + "."
}

// gapText names a gap and how certain it is, or what became of it.
func gapText(g gap.Gap, dismissed bool) string {
	how := certainty(g.Probability)
	switch {
	case dismissed:
		how = textNotNeeded
	case g.Status == gap.Retrieved:
		how = "Missing at first, then found in your sources"
	case g.Status == gap.Generated:
		how = "Not in your sources; a model wrote background on it, which is no evidence"
	}
	return how + ". " + upperFirst(g.Text)
}

// missingWords names a gap within a sentence. What a model missed it may have put in any form.
func missingWords(g gap.Gap) string {
	if g.Code == gap.MissingKnowledge {
		return "your sources lack “" + g.Text + "”"
	}
	return lowerFirst(g.Text)
}

// gapMessage is the message of the diagnostic of a gap.
func gapMessage(g gap.Gap) string {
	if g.Code != gap.MissingKnowledge {
		return g.Text
	}
	if g.Status == gap.Generated {
		return upperFirst(missingWords(g)) + ". A model wrote background on it, which is no evidence."
	}
	return upperFirst(missingWords(g))
}

func nearestText(nearest []*passage.Passage) string {
	titles := make([]string, len(nearest))
	for i, p := range nearest {
		titles[i] = breadcrumb(p)
	}
	return "Nearest in your sources: " + strings.Join(titles, "; ")
}

func foundIn(places string) string { return "Found in: " + places }

func answeredOn(date string) string { return "Answered on " + date + "." }

// acceptedFrom says by which system an answer that was accepted had been given, and what it rests on.
func acceptedFrom(system string, places []string) string {
	return "You accepted this answer of " + system + ". It rests on " + strings.Join(places, ", ") + "."
}

// chosen names the option that an answer takes.
func chosen(letter string) string { return "Chosen: " + shorten(harmless(letter, nil), 60) }

// askedBefore says that a question was asked before, and when.
func askedBefore(question, date string) string {
	if date == "" {
		return fmt.Sprintf("Previously answered: “%s”", question)
	}
	return fmt.Sprintf("Previously answered on %s: “%s”", date, question)
}

// certainty is a gap's probability in words.
func certainty(probability float64) string {
	switch {
	case probability >= 0.9:
		return "Almost certainly a gap"
	case probability >= 0.6:
		return "Probably a gap"
	}
	return "Possibly a gap"
}

// abilities says what a library that has something cannot do yet; empty when it can do everything.
func abilities(s knowledge.Status) string {
	switch {
	case s.Passages+s.Pairs == 0:
		return ""
	case s.Building && s.Encoder:
		return textIncomplete
	case !s.Encoder && s.Building:
		return textWordsOnly
	}
	return ""
}

// noneReadable says of files that none of them can be searched.
func noneReadable(files []ingest.FileReport) string {
	first := files[0]
	why := visible(shorten(oneLine(first.Reason), maxReason))
	if len(files) == 1 {
		return fmt.Sprintf("The one file of your sources cannot be searched: %s: %s.", visible(filepath.Base(first.File)), why)
	}
	return fmt.Sprintf("None of the %d files of your sources can be searched. The first is %s: %s. The list of sources has all of them.", len(files), visible(filepath.Base(first.File)), why)
}

// sourceMissing says that a source is not there, and how many more are not.
func sourceMissing(f ingest.FileReport, more int) string {
	text := fmt.Sprintf("The source %s cannot be read: %s.", visible(f.File), visible(shorten(oneLine(f.Reason), maxReason)))
	if more > 0 {
		text += fmt.Sprintf(" Nor can %s.", count(more, "other one"))
	}
	return text
}

// sourcesEmpty says where files are awaited.
func sourcesEmpty(sources []ingest.Source) string {
	return fmt.Sprintf("Your sources hold no files that can be read: put some into %s.", visible(sources[0].Path))
}

// sourceAdded says what has become a source, and whether it was made for that.
func sourceAdded(path string, made bool) string {
	if made {
		return fmt.Sprintf("Questions are answered from %s from now on. Put your documents there.", visible(path))
	}
	return fmt.Sprintf("Questions are answered from %s from now on.", visible(path))
}

// lensNothing is what the line above the first question says while there is nothing to answer from.
func lensNothing(state SourcesState) string {
	switch state {
	case SourcesRead:
		return "The sources are still being read"
	case SourcesNone:
		return "No sources are set up · set up sources…"
	case SourcesMissing:
		return "The sources cannot be found · set up sources…"
	case SourcesEmpty:
		return "The sources hold no files · set up sources…"
	}
	return "No file of the sources can be searched · set up sources…"
}

// lensTitle says on one line what to expect of answering a question, or what its answer has.
func lensTitle(answered bool, r answer.Result, known bool, open, generated int) string {
	title := "Answer"
	if answered {
		title = "Answer again"
	}
	switch sources := sourcesOf(r); {
	case !known:
	case r.State == answer.Nothing:
		title += " · nothing found"
	case written(r) && sources == 0:
		title += " · by the model alone"
	case r.State == answer.Possibly && !written(r):
		title += " · one possible passage"
	default:
		title += " · " + count(sources, "source")
	}
	title += lensDecision(r.Decision)
	if open > 0 {
		title += ", " + count(open, "gap")
	}
	if generated > 0 {
		title += fmt.Sprintf(", %d with background only", generated)
	}
	return title
}

func titleAnswerAll(open int) string {
	if open == 1 {
		return "Answer the one open question of this note"
	}
	return fmt.Sprintf("Answer all %d open questions of this note", open)
}

func titleAnswerOf(question string) string { return "Answer “" + shorten(question, 60) + "”" }

func stageAnswering(i, of int) string { return fmt.Sprintf("question %d of %d", i+1, of) }

// message sums up a command that answered several questions.
func (s summary) message() Message {
	m := Message{Info, fmt.Sprintf("%d of %s answered.", s.given, count(s.asked, "question"))}
	if left := s.asked - s.given - s.without; left > 0 {
		others, each := fmt.Sprintf("the other %d", left), "each says"
		if left == 1 {
			others, each = "the other one", "it says"
		}
		m.Text += fmt.Sprintf(" For %s your sources have nothing that fits; %s why", others, each)
		if s.written {
			m.Text += " below it"
		}
		m.Text += "."
	}
	if s.without > 0 {
		m.Text = sentences(m.Text, notSearched(s.without))
	}
	if s.dropped > 0 {
		m.Text = sentences(m.Text, changedOnDisk(s.dropped))
	}
	if s.refused > 0 {
		m.Text = sentences(m.Text, refusedCitations(s.refused))
	}
	if s.private {
		m.Text += " " + textPrivateOffline
	}
	if s.failure != nil {
		what, advice := failed(s.failure)
		m.Level, m.Text = Warning, sentences(m.Text, what, advice)
	}
	if s.givenUp > 0 {
		m.Text += fmt.Sprintf(" After %d failures in a row, the last %s answered without the model.", maxFailures, wasOrWere(s.givenUp, "question"))
	}
	return m
}

func wasOrWere(n int, noun string) string {
	if n == 1 {
		return "1 " + noun + " was"
	}
	return count(n, noun) + " were"
}

// notSearched says of how many questions nothing is known.
func notSearched(n int) string {
	return fmt.Sprintf("%s left as before, because the search failed; you can try again.", wasOrWere(n, "question"))
}

func notWritten(reason string) string {
	return fmt.Sprintf("The answer could not be written into the note: %s. Here it is instead.", strings.TrimRight(reason, ". "))
}

func notRemoved(reason string) string {
	return fmt.Sprintf("The answer was not removed: %s.", strings.TrimRight(reason, ". "))
}

func notAsked(err error) string { return fmt.Sprintf("Nothing was asked: %v.", err) }

func cannotSay(err error) string {
	return fmt.Sprintf("The question could not be answered: %v. Nothing was changed; you can try again.", err)
}

// failure says why an answer has nothing to show although it should.
func failure(r answer.Result) string {
	if r.Failure != nil {
		return cannotSay(r.Failure)
	}
	return changedOnDisk(r.Dropped)
}

func noPage(err error) string { return fmt.Sprintf("No page was started: %v.", err) }

func changedOnDisk(dropped int) string {
	if dropped == 1 {
		return "One sentence was left out because its file has changed since it was read; answer again in a moment."
	}
	return fmt.Sprintf("%d sentences were left out because their files have changed since they were read; answer again in a moment.", dropped)
}

// meaning says what it means that a statement has no citation; empty for those that have one.
func meaning(basis note.Basis) string {
	switch basis {
	case note.Background:
		return textBackgroundMeans
	case note.Unsupported:
		return textUnsupportedMeans
	}
	return ""
}

// clusterTitle heads the gaps that ask for nearly the same.
func clusterTitle(c ledger.Cluster) string {
	name := shorten(harmless(c.Name, nil), gap.MaxText)
	if len(c.Gaps) == 1 {
		return name
	}
	return fmt.Sprintf("%s (%s)", name, count(len(c.Gaps), "question"))
}

// count writes a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func lowerFirst(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	second, _ := utf8.DecodeRuneInString(s[size:])
	if unicode.IsUpper(second) { // an abbreviation
		return s
	}
	return string(unicode.ToLower(first)) + s[size:]
}

// shorten cuts a text to so many characters at a word's end.
func shorten(s string, maxChars int) string {
	if utf8.RuneCountInString(s) <= maxChars {
		return s
	}
	cut := string([]rune(s)[:maxChars-1])
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,;:") + "…"
}
