// Package messages is the catalogue of what Lacuna tells a user: titles of actions, diagnostics, hovers,
// progress and errors. It decides which sentence fits a result, and never what the result is. Begin at
// [Status], the first line of an answer.
package messages

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lacuna/handlers/note"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/gap/ledger"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/sanitise"
)

// Message is a sentence of the catalogue that an editor shows by itself.
type Message struct {
	Level Level
	Text  string
}

// Level grades a message's importance.
type Level uint8

const (
	Info Level = iota
	Warning
	Error
)

// Sentences about questions, answers and sources. Each says what happened, what Lacuna did instead,
// and what the user can do, as far as each applies.
const (
	Footer = "Evidence from your files; not medical advice; check the source."

	TitleAnswer        = "Answer this question"
	TitleAnswerAgain   = "Answer this question again"
	TitleSetUp         = "Set up sources…"
	TitleWriteFound    = "Write the answer that was found"
	TitleRemove        = "Remove the answer"
	TitleShorten       = "Shorten the answers of this note"
	TitleSearchAgain   = "Search again with “%s”"
	TitleStub          = "Start a page on “%s” in the source “%s”"
	TitleDismiss       = "Dismiss gap"
	TitleRestore       = "Restore dismissed gap"
	TitleRestoreOf     = "Restore dismissed gap “%s”"
	TitleDismissOf     = "Dismiss gap “%s”"
	TitleThorough      = "Answer thoroughly (several model calls)"
	TitleAnotherSystem = "Answer with another system…"
	TitleFromSources   = "Answer from my sources"
	TitleModelAlone    = "Answer by the model alone"
	TitleAccept        = "Save this answer for later questions"
	TitleSection       = "Save this section as the answer to “%s”"
	TitleTake          = "Take as the answer: %s"
	TitleOpen          = "Open %s"
	TitleOwnOpinion    = "Mark as own opinion"
	TitleNoPlace       = "None of these places answers it"
	TitleAskAgain      = "Answer again without cached replies"
	TitlePreview       = "Show what would be sent"
	TitleRefresh       = "Answer again from the current sources"
	TitleBackground    = "Ask the model for background on “%s” (marked as not evidence)"

	LabelAnswer    = "Answer the question"
	LabelAnswerAll = "Answer the open questions"
	LabelRemove    = "Remove the answer"
	LabelShorten   = "Shorten the answers"
	LabelTake      = "Take a place as the answer"
	LabelNoPlace   = "Dismiss the nearest places"
	LabelCite      = "Cite a passage"
	LabelWords     = "Take the source's words"
	LabelOpinion   = "Mark as own opinion"

	AnnotationSources       = "From your sources"
	AnnotationModel         = "Written by a model"
	AnnotationSourcesDetail = "Verbatim, each sentence with its citation"
	AnnotationModelDetail   = "Sentences without a source are marked"

	LensReading    = "The sources are still being read"
	LensNoSources  = "No sources are set up · set up sources…"
	LensMissing    = "The sources cannot be found · set up sources…"
	LensEmpty      = "The sources contain no files · set up sources…"
	LensUnreadable = "No file in the sources can be searched · set up sources…"

	NothingToShorten = "No answer of this note can be shortened."

	StageReading   = "waiting for the first of your sources to be read"
	StageSearching = "searching your sources"
	StageWriting   = "writing the answer into the note"

	NoSources    = "No sources are set up: put files into a folder kb next to the note, list sources in .lacuna.toml, or choose “Set up sources”."
	StillReading = "The sources are still being read, and nothing of them can be searched yet; try again in a moment."

	WhereSources   = "Where are the documents that should answer your questions?"
	ChoiceFolder   = "Create a folder kb here"
	ChoiceSettings = "List folders in .lacuna.toml"

	NotePrivate         = "This note is private: nothing is looked up until you ask."
	NotLookedUp         = "Not looked up yet."
	NothingLookedUp     = "Not looked up: diagnostics.enabled is off. Choose “Answer this question”."
	NotAsking           = "This does not read like a question to your sources, so nothing is looked up until you ask. “Q:” before it makes it one."
	RepliedBelow        = "You answer this yourself, so nothing is looked up until you ask."
	textWordsOnly       = "Search goes by words only until the encoder is trained."
	textIncomplete      = "The sources are still being read; there may be more to find."
	StubPage            = "To be written, with its source. Asked in a note: “%s”"
	SurroundingsChanged = "The text around it has changed since; the sentence itself has not."
	QuoteGone           = "The passage is still there, but it no longer contains this quote."
	FileGone            = "The file no longer exists; this is the text that was read."
	FileChanged         = "The file has changed on disk; this is the text that was read."
	QuoteStands         = "The file still contains this text."
	textNotNeeded       = "Dismissed"
	SourcesDisagree     = "Sources may disagree: one of these sentences says no and another does not."
	QuestionChanged     = "The question was changed or removed while it was being answered, so nothing was written into the note."
	ChooseAgain         = "Choose the action again: this editor can then make the change itself."
	NoteNotOpen         = "The note is no longer open."
	NoteKeepsChanging   = "the note kept changing"
	QuestionGone        = "This question is no longer in the note. Nothing was changed."
	HarvestOff          = "Nothing was saved: answers are saved for later questions only if history.harvest is on in your own settings file."
	SectionStored       = "This section answers its question from now on, as long as it stays as it is."
	SectionNotStored    = "Nothing was saved: write the answer below a heading that asks the question, in a page of your sources, save the page, and try again when it has been read."
	GapGone             = "This gap no longer exists. Nothing was changed."
	PlaceGone           = "This place is no longer among the nearest, or its source has changed. Nothing was changed; answer the question again."
	SentenceGone        = "This sentence has changed, or its source has. Nothing was changed; look at the mark again."
	PlaceNotShown       = "This editor does not open a place for Lacuna: go to the definition of its number, or follow its link."
	NoOpenQuestion      = "This note has no open question."
	NoModel             = "Nothing was asked: this system needs a model, and none is configured. Set model.base_url and model.model in your own settings file; without one, questions are answered from your sources alone."

	PrivateNotStored     = "Nothing was saved: this note is private."
	PrivateOffline       = "This note is private: nothing of it goes to a model, so the answer is from your sources alone."
	WhichSystem          = "Which system should answer?"
	NothingSent          = "Nothing would be sent to another machine."
	PreviewHead          = "What would be sent first. Nothing has been sent."
	PageGone             = "This page is no longer there. Ask for it again."
	ConsentForgotten     = "Nothing more is sent to another machine from this workspace until you allow it again."
	GapReportHead        = "What your sources do not know"
	StaleReportHead      = "What is no longer true in your notes"
	NoGaps               = "The notes of this workspace have no open gaps."
	ReportQuestionGone   = "The question was not stored"
	ReportAnswered       = " — answered in the note"
	ReportNearest        = "Nearest: %s (%s)"
	ReportSearch         = "Search for: %s"
	ReportSince          = "Since %s"
	textNothingNear      = "Nothing is near."
	RelatedHead          = "Asked before:"
	BeingAnswered        = "Being answered…"
	AnsweringSoFar       = "Being answered. Found so far:"
	WhyMissing           = "Why something is missing, in the model's words: "
	BackgroundHead       = "Background from the model, not from your sources:"
	textBackgroundMeans  = "A model wrote this from its own knowledge; none of your sources says it. It is not evidence."
	textUnsupportedMeans = "A model wrote this. It was compared with the passages that were found for the question, and none of them states it; others may. Check it before you rely on it, or delete it."
	textUncheckedMeans   = "A model wrote this. Words alone cannot tell whether the passage says it: compare them."
	textPartlyMeans      = "A model wrote this. The passage that it cites states a part of it."
	textContradictMeans  = "A model wrote this, and the passage that it is compared with says otherwise."
	textOpinionMeans     = "Marked as the writer's own opinion: it is not compared with your sources."
	textByModelMeans     = "Words alone could not tell; a model compared the sentence with the passage."
	NoStubPlace          = "No page was started: none of your sources is a folder inside the workspace. List one in .lacuna.toml, or create a folder kb."
)

// Directive describes a directive in a note.
func Directive(word string) string {
	switch word {
	case "ask":
		return "The paragraph below is a question"
	case "skip":
		return "The text below is not a question"
	case "off":
		return "Questions are ignored from here on"
	case "on":
		return "Questions count again from here on"
	case "private":
		return "Nothing is looked up until you ask, and nothing goes to a model"
	}
	return ""
}

// Status returns the first line of an answer: who answered, how much of the question, and if not, why.
func Status(r answer.Result) string { return status(r, true) }

// status is Status; named says whether it names what is missing.
func status(r answer.Result, named bool) string {
	sources := sourcesOf(r)
	by := writtenBy(r)
	from := by + " from " + count(sources, "source")
	if hasBasis(r, answer.Background) {
		from += ", and with background of its own"
	}
	missing, partly := firstMissing(r.Gaps)
	lack := ""
	if named && partly {
		lack = ": " + missingWords(missing)
	}
	switch {
	case r.Taken:
		return note.Taken
	case r.Reason == answer.NoPlace:
		return note.NoPlace
	case r.State == answer.Nothing && partly:
		return note.NotAnswered + ": " + WhyNoAnswer(r) + ". " + textNothingNear
	case r.State == answer.Nothing:
		return note.NotAnswered + ": " + WhyNoAnswer(r)
	case by != "" && sources > 0 && r.CitedAfterwards:
		far := "Answered"
		if partly || r.State == answer.Nearest {
			far = "Partly answered"
		}
		return far + by + " alone; your sources hold " + sentencesHeld(r) + lack
	case by != "" && sources > 0 && !hasBasis(r, answer.Claim) && !hasBasis(r, answer.Quote):
		return "Written" + by + ", to compare with " + count(sources, "source") + lack
	case by != "" && sources == 0:
		return "Written" + by + " alone, not from your sources" + lack
	case by != "" && partly:
		return "Partly answered" + from + lack
	case r.State == answer.Nearest && by == "" && lack == "":
		return note.Perhaps
	case r.State == answer.Nearest && by == "":
		return UpperFirst(missingWords(missing)) + ". " + note.NearestPlaces
	case r.State == answer.Nearest:
		return "Partly answered" + from
	}
	return "Answered" + from
}

// sentencesHeld counts the sentences of an answer that were found in the sources.
func sentencesHeld(r answer.Result) string {
	held, all := 0, 0
	for _, b := range Bullets(r) {
		switch b.Basis {
		case note.Place:
			continue
		case note.Claim:
			held++
		}
		all++
	}
	if all == 1 {
		return "its one sentence"
	}
	return fmt.Sprintf("%d of its %d sentences", held, all)
}

// writtenBy names the models that wrote an answer, if any did.
func writtenBy(r answer.Result) string {
	if !WrittenByModel(r) {
		return ""
	}
	if len(r.Models) == 0 {
		return " by a model"
	}
	return " by " + modelNames(r)
}

func cachedReply(kept time.Time) string {
	if kept.IsZero() {
		return ""
	}
	return " (cached reply of " + kept.Format("2 January 2006") + ")"
}

// WrittenByModel reports whether a model wrote the answer, rather than quoted the sources.
func WrittenByModel(r answer.Result) bool {
	return r.Choice != "" && r.System != answer.OfflineID || slices.ContainsFunc(r.Statements, func(s answer.Statement) bool { return s.Basis != answer.Quote })
}

func hasBasis(r answer.Result, basis answer.Basis) bool {
	return slices.ContainsFunc(r.Statements, func(s answer.Statement) bool { return s.Basis == basis })
}

// firstMissing returns the first gap that is probable enough and still open.
func firstMissing(gaps []gap.Gap) (gap.Gap, bool) {
	at := slices.IndexFunc(gaps, func(g gap.Gap) bool {
		return gap.Missing(g.Probability) && (g.Status == gap.Open || g.Status == "")
	})
	if at < 0 {
		return gap.Gap{}, false
	}
	return ShownGap(gaps[at]), true
}

// WhyNoAnswer says why an answer abstains.
func WhyNoAnswer(r answer.Result) string {
	missing, partly := firstMissing(r.Gaps)
	switch {
	case r.Reason == answer.NoSources:
		return "there are no sources to search"
	case r.Reason == answer.NotRead:
		return "nothing near in what has been read of your sources so far"
	case r.Reason == answer.ToolFailure && r.Dropped > 0:
		return "what was found has changed on disk since it was read"
	case r.Reason == answer.ToolFailure:
		return "the search failed"
	case partly:
		return missingWords(missing)
	case len(r.Away) > 0:
		return "nothing near in the sources that could be asked"
	case r.Reason == answer.OffTopic:
		return "your sources are about other topics"
	case r.Reason == answer.NoTopic:
		return "nothing on this topic in your sources"
	case r.Reason == answer.NoAspect:
		return "your sources cover the topic but not this aspect"
	case r.Reason == answer.Conflict:
		return "your sources disagree"
	}
	return "nothing in your sources is near"
}

// StatusWithoutGaps is [Status] for where the gaps are listed below it, and below them the nearest places with
// [HeadOfPlaces]. It is empty if those say everything.
func StatusWithoutGaps(r answer.Result) string {
	_, missing := firstMissing(r.Gaps)
	switch {
	case r.State == answer.Nearest && !WrittenByModel(r):
		return ""
	case r.State == answer.Nothing && missing && r.Reason != answer.NoPlace:
		return note.NotAnswered + ". " + textNothingNear
	case r.State == answer.Nothing:
		return status(r, false) + "."
	}
	return status(r, false)
}

// StatusBeforePlaces is [Status] for where the nearest places follow with [HeadOfPlaces]; it may be empty.
func StatusBeforePlaces(r answer.Result) string {
	return strings.TrimSuffix(strings.TrimSuffix(Status(r), note.Perhaps), " "+note.NearestPlaces)
}

// HeadOfPlaces stands before the nearest places of a result.
func HeadOfPlaces(r answer.Result) string {
	if _, missing := firstMissing(r.Gaps); missing || WrittenByModel(r) {
		return note.NearestPlaces
	}
	return note.Perhaps
}

// GapLine names a gap and how certain it is, or what became of it.
func GapLine(g gap.Gap, dismissed bool) string {
	return GapState(g, dismissed) + ". " + UpperFirst(g.Text)
}

// GapState says how certain a gap is, or what became of it.
func GapState(g gap.Gap, dismissed bool) string {
	switch {
	case dismissed:
		return textNotNeeded
	case g.Status == gap.Retrieved:
		return "Missing at first, then found in your sources"
	case g.Status == gap.Generated:
		return "Not in your sources; a model wrote background on it, which is not evidence"
	}
	return certainty(g.Probability)
}

// missingWords names a gap within a sentence. A model may have written its gap in any form, so that one
// is quoted.
func missingWords(g gap.Gap) string {
	if g.Code == gap.MissingKnowledge {
		return "your sources lack “" + g.Text + "”"
	}
	return lowerFirst(g.Text)
}

// GapMessage is the message of the diagnostic of a gap.
func GapMessage(g gap.Gap) string {
	if g.Code != gap.MissingKnowledge {
		return g.Text
	}
	if g.Status == gap.Generated {
		return UpperFirst(missingWords(g)) + ". A model wrote background on it, which is not evidence."
	}
	return UpperFirst(missingWords(g))
}

func Nearest(nearest []*passage.Passage) string {
	titles := make([]string, len(nearest))
	for i, p := range nearest {
		titles[i] = Breadcrumb(p)
	}
	return "Nearest in your sources: " + strings.Join(titles, "; ")
}

func FoundIn(places string) string { return "Found in: " + places }

func AnsweredOn(date string) string { return "Answered on " + date + "." }

// DatedOn says which date a document bears.
func DatedOn(date string) string { return "Dated " + date + "." }

// AcceptedFrom says by which system an answer that was accepted had been given, and what it rests on.
func AcceptedFrom(system string, places []string) string {
	return "You accepted this answer of " + system + ". It rests on " + strings.Join(places, ", ") + "."
}

// ChosenOption names the option that an answer takes.
func ChosenOption(letter string) string { return "Chosen: " + Shorten(Sanitise(letter, nil), 60) }

// NoOption says that the sources do not decide between the options of a question.
const NoOption = "Your sources bear out none of the options more than the others."

// PreviouslyAnswered says that a question was asked before, and when.
func PreviouslyAnswered(question, date string) string {
	if date == "" {
		return fmt.Sprintf("Previously answered: “%s”", question)
	}
	return fmt.Sprintf("Previously answered on %s: “%s”", date, question)
}

// AskedBefore names a stored question that is near, and when it was answered.
func AskedBefore(question, date string) string {
	if date == "" {
		return "“" + question + "”"
	}
	return "“" + question + "” (" + date + ")"
}

// Related returns the stored questions that are near, without those that the result shows itself.
func Related(r answer.Result) []*passage.Passage {
	var related []*passage.Passage
	for _, hit := range r.Related {
		if !slices.ContainsFunc(r.Citations, func(c answer.Citation) bool { return c.Passage.ID == hit.Passage.ID }) {
			related = append(related, hit.Passage)
		}
	}
	return related
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

// SearchIncomplete says what a library that has something cannot do yet; empty when it can do everything.
func SearchIncomplete(s knowledge.Status) string {
	switch {
	case s.Passages+s.Pairs == 0:
		return ""
	case s.Building && (s.Encoder || s.Partial):
		return textIncomplete
	case !s.Encoder && s.Building:
		return textWordsOnly
	}
	return ""
}

// NoneReadable says that none of the files can be searched.
func NoneReadable(files []ingest.FileReport) string {
	first := files[0]
	why := sanitise.Visible(Shorten(plaintext.OneLine(first.Reason), maxReason))
	if len(files) == 1 {
		return fmt.Sprintf("The only file in your sources cannot be searched: %s: %s.", sanitise.Visible(filepath.Base(first.File)), why)
	}
	return fmt.Sprintf("None of the %d files in your sources can be searched. The first is %s: %s. The list of sources shows all of them.", len(files), sanitise.Visible(filepath.Base(first.File)), why)
}

// SourceMissing says that a source cannot be read, and how many others cannot.
func SourceMissing(f ingest.FileReport, more int) string {
	text := fmt.Sprintf("The source %s cannot be read: %s.", sanitise.Visible(f.File), sanitise.Visible(Shorten(plaintext.OneLine(f.Reason), maxReason)))
	if more > 0 {
		text += fmt.Sprintf(" Neither can %s.", count(more, "other one"))
	}
	return text
}

// SourcesEmpty says where to put files.
func SourcesEmpty(sources []ingest.Source) string {
	return fmt.Sprintf("Your sources contain no files that can be read: put some into %s.", sanitise.Visible(sources[0].Path))
}

// SourceAdded says which path is a source now; made says that Lacuna created the folder.
func SourceAdded(path string, made bool) string {
	if made {
		return fmt.Sprintf("Questions are now answered from %s. Put your documents there.", sanitise.Visible(path))
	}
	return fmt.Sprintf("Questions are now answered from %s.", sanitise.Visible(path))
}

// LensTitle says on one line what answering a question would give, or what its answer has.
func LensTitle(answered bool, r answer.Result, known bool, open, generated int) string {
	title := "Answer"
	if answered {
		title = "Answer again"
	}
	switch sources := sourcesOf(r); {
	case !known:
	case r.Reason == answer.NoPlace:
	case r.State == answer.Nothing:
		title += " · nothing near"
	case WrittenByModel(r) && sources == 0:
		title += " · by the model alone"
	case r.State == answer.Nearest && !WrittenByModel(r):
		title += " · " + count(len(r.Nearest), "nearest place")
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

func TitleAnswerAll(open int) string {
	if open == 1 {
		return "Answer the one open question of this note"
	}
	return fmt.Sprintf("Answer all %d open questions of this note", open)
}

func TitleAnswerOf(question string) string { return "Answer “" + Shorten(question, 60) + "”" }

func StageAnswering(i, of int) string { return fmt.Sprintf("question %d of %d", i+1, of) }

// Summary counts the outcomes of several questions.
type Summary struct {
	Asked, Given int
	Partly       int // of which a model answered a part
	Near         int // of which only the nearest places are shown
	Private      bool
	Without      int   // of which nothing is known, because the search failed
	Dropped      int   // Sentences left out
	Refused      int   // citations of models left out
	Failure      error // the last one; nil when there was none
	GivenUp      int   // questions that were not put to a model any more
}

// Message sums up a command that answered several questions. The command stops asking the model after
// maxFailures failures in a row.
func (s Summary) Message(maxFailures int) Message {
	m := Message{Info, fmt.Sprintf("%d of %s answered", s.Given, count(s.Asked, "question"))}
	if s.Partly > 0 {
		m.Text += fmt.Sprintf(", %d partly", s.Partly)
	}
	m.Text += "."
	if s.Near > 0 {
		m.Text += fmt.Sprintf(" For %d the nearest places are shown: see whether one answers.", s.Near)
	}
	if left := s.Asked - s.Given - s.Partly - s.Near - s.Without; left > 0 {
		m.Text += fmt.Sprintf(" For %d nothing in your sources is near.", left)
	}
	if s.Without > 0 {
		m.Text = Sentences(m.Text, notSearched(s.Without))
	}
	if s.Dropped > 0 {
		m.Text = Sentences(m.Text, ChangedOnDisk(s.Dropped))
	}
	if s.Refused > 0 {
		m.Text = Sentences(m.Text, RefusedCitations(s.Refused))
	}
	if s.Private {
		m.Text += " " + PrivateOffline
	}
	if s.Failure != nil {
		what, advice := failureText(s.Failure)
		m.Level, m.Text = Warning, Sentences(m.Text, what, advice)
	}
	if s.GivenUp > 0 {
		m.Text += fmt.Sprintf(" After %d failures in a row, the last %s answered without the model.", maxFailures, countWere(s.GivenUp, "question"))
	}
	return m
}

func countWere(n int, noun string) string {
	if n == 1 {
		return "1 " + noun + " was"
	}
	return count(n, noun) + " were"
}

// notSearched says for how many questions the search failed.
func notSearched(n int) string {
	return fmt.Sprintf("%s left unchanged because the search failed; try again.", countWere(n, "question"))
}

func NotWritten(reason string) string {
	return fmt.Sprintf("The answer could not be written into the note: %s. Here it is instead.", strings.TrimRight(reason, ". "))
}

func NotRemoved(reason string) string {
	return fmt.Sprintf("The answer was not removed: %s.", strings.TrimRight(reason, ". "))
}

func NotAsked(err error) string { return fmt.Sprintf("Nothing was asked: %v.", err) }

func NotSaved(err error) string { return fmt.Sprintf("Nothing was saved: %v.", err) }

func CannotAnswer(err error) string {
	return fmt.Sprintf("The question could not be answered: %v. Nothing was changed; you can try again.", err)
}

// AnswerFailure says why an answer that should have something to show has nothing.
func AnswerFailure(r answer.Result) string {
	if r.Failure != nil {
		return CannotAnswer(r.Failure)
	}
	return ChangedOnDisk(r.Dropped)
}

func NoPage(err error) string { return fmt.Sprintf("No page was started: %v.", err) }

func ChangedOnDisk(dropped int) string {
	if dropped == 1 {
		return "One sentence was left out because its file has changed since it was read; answer again in a moment."
	}
	return fmt.Sprintf("%d sentences were left out because their files have changed since they were read; answer again in a moment.", dropped)
}

// BasisMeaning explains a statement that no source simply states; it is empty for others.
func BasisMeaning(s note.Statement) string {
	var means string
	switch s.Basis {
	case note.Background:
		means = textBackgroundMeans
	case note.Unsupported:
		means = textUnsupportedMeans
	case note.Unchecked:
		means = textUncheckedMeans
	case note.Partly:
		means = Sentences(textPartlyMeans, notStated(s.Unstated))
	case note.Contradicted:
		means = Sentences(textContradictMeans, differ(s.Differences))
	case note.Opinion:
		means = textOpinionMeans
	}
	if s.ByModel {
		means = Sentences(means, textByModelMeans)
	}
	return means
}

// ClusterTitle heads gaps that ask for nearly the same.
func ClusterTitle(c ledger.Cluster) string {
	name := Shorten(Sanitise(c.Name, nil), gap.MaxText)
	if len(c.Gaps) == 1 {
		return name
	}
	return fmt.Sprintf("%s (%s)", name, count(len(c.Gaps), "question"))
}
