package handlers

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/gap/ledger"
	"lacuna/knowledge/history"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/question"
	"lacuna/knowledge/sanitise"
)

// Contents of the views that editors have: a status bar, a list of gaps, a list of sources. Every view is
// the reply of a command, so that it needs nothing but the protocol.

// FolderState says what a folder of the editor can do now.
type FolderState string

const (
	Ready         FolderState = "ready"
	Indexing      FolderState = "indexing"       // questions are answered from what has been read so far
	SearchingOnly FolderState = "searching only" // another process writes the index
	Trouble       FolderState = "trouble"        // the message says what failed
	NoSources     FolderState = "off"            // there is nothing to answer from
)

// Overview holds everything a session knows about open folders and notes.
type Overview struct {
	Folders   []Folder
	Answering int // running commands that answer questions
	Client    Client
}

// Folder is a workspace in an overview.
type Folder struct {
	Path    string // empty when the editor has no folder open
	Name    string // the editor's name for it, or the folder's
	State   FolderState
	Message string
	Percent int // progress of State, 0..100
	Gate    string
	// Decision says what the newest answer of a model was made from, as [messages.HowAnswered] does.
	Decision string
	Models   Models
	Library  *knowledge.Library
	Sources  []ingest.Source
	Gaps     []ledger.Item
	Open     map[string]Page // the open notes, by the names that Gaps gives them
	// Asked lists the questions of all notes that are not private; nil stands for none.
	Asked func() []Asked
}

// Asked is a question of a note with what is known of it.
type Asked struct {
	Ref   ledger.QuestionRef
	Line  int          // from 1
	State answer.State // of its newest answer; empty if it has not been looked up
}

// viewVersion is raised when the meaning of a view changes.
const viewVersion = 1

// StatusView is the answer of lacuna.status and the content of the notification lacuna/status.
type StatusView struct {
	Version   int            `json:"version"`
	Folders   []FolderStatus `json:"folders"`
	Answering int            `json:"answering"`
}

// FolderStatus is a folder in a [StatusView].
type FolderStatus struct {
	folderView
	State    FolderState  `json:"state"`
	Sources  SourcesState `json:"sources"` // whether there is anything to answer from
	Message  string       `json:"message"`
	Percent  int          `json:"percent"`
	Passages int          `json:"passages"` // including stored questions
	Files    int          `json:"files"`    // that were read
	Skipped  int          `json:"skipped"`
	Failed   int          `json:"failed"`
	Gaps     int          `json:"gaps"`
	Open     int          `json:"open"`  // open questions of open notes
	Model    string       `json:"model"` // empty without one
	Gate     string       `json:"gate"`  // the policy of the settings; empty without a model
	// Decision says what the newest answer of a model in this session was made from, and why.
	Decision string `json:"decision"`
}

type folderView struct {
	URI  protocol.DocumentURI `json:"uri"` // empty when the editor has no folder open
	Name string               `json:"name"`
}

// GapsView is the answer of lacuna.listGaps.
type GapsView struct {
	Version int       `json:"version"`
	Gaps    []GapView `json:"gaps"`
	Message string    `json:"message,omitempty"` // why there are none
}

// GapView is an open gap. It has the range of the question if the note is open.
type GapView struct {
	URI         protocol.DocumentURI `json:"uri"`
	Range       *protocol.Range      `json:"range,omitempty"`
	Question    string               `json:"question"`
	QuestionID  string               `json:"questionId"`        // the argument question of the commands about a gap
	Line        int                  `json:"line,omitempty"`    // of the question, from 1
	Subject     string               `json:"subject,omitempty"` // of the question, as it is understood
	Level       string               `json:"level"`             // warning (almost certainly missing) or information
	Open        bool                 `json:"open"`              // the note has no answer to the question, as far as is known
	Gap         string               `json:"gap"`               // their argument gap
	Text        string               `json:"text"`
	Query       string               `json:"query,omitempty"`
	Code        gap.Code             `json:"code"`
	Status      gap.Status           `json:"status"`
	Probability float64              `json:"probability"`
	Since       *time.Time           `json:"since,omitempty"` // only for gaps in the ledger
}

// StaleNote is a note in which something is no longer true, with what that is.
type StaleNote struct {
	Snapshot
	Problems []Problem
}

// StaleView is the answer of lacuna.listStale.
type StaleView struct {
	Version int         `json:"version"`
	Notes   int         `json:"notes"` // that were looked at
	Marks   []StaleMark `json:"marks"`
	Message string      `json:"message,omitempty"` // why there are none
}

// StaleMark is a place of a note that is no longer true. It stands there in the file if the note is not open.
type StaleMark struct {
	URI      protocol.DocumentURI `json:"uri"`
	Range    protocol.Range       `json:"range"`
	Code     string               `json:"code"`
	Severity string               `json:"severity"` // hint, information, warning or error
	Text     string               `json:"text"`
	// Elsewhere says that the cited words still stand in the sources, only not where they were cited.
	Elsewhere bool                                    `json:"elsewhere"`
	Related   []protocol.DiagnosticRelatedInformation `json:"related"` // in the sources
}

// SourcesView is the answer of lacuna.listSources.
type SourcesView struct {
	Version int             `json:"version"`
	Folders []FolderSources `json:"folders"`
	Message string          `json:"message,omitempty"` // why there is nothing to answer from
}

// FolderSources lists the sources of a folder.
type FolderSources struct {
	folderView
	Sources []SourceView `json:"sources"`
}

// SourceView is a source with its files, first those that were not read, or only in part.
type SourceView struct {
	Name     string               `json:"name"`
	Root     protocol.DocumentURI `json:"root"`
	Indexed  int                  `json:"indexed"`
	Partly   int                  `json:"partly"` // of Indexed
	Skipped  int                  `json:"skipped"`
	Failed   int                  `json:"failed"`
	Passages int                  `json:"passages"`
	Kept     string               `json:"kept,omitempty"`    // the share of the words that are searched, in words
	LeftOut  string               `json:"leftOut,omitempty"` // what readers left out on purpose, in words
	Files    []FileView           `json:"files"`
	Left     int                  `json:"left,omitempty"` // files beyond the first mostFiles
	// Others has a line for each group of skipped files that are not listed one by one: files without
	// text, files in other formats, excluded files.
	Others []string `json:"others,omitempty"`
}

// FileView is a file of a source. The reason says why it was not, or only in part, read.
type FileView struct {
	URI      protocol.DocumentURI `json:"uri"`
	Path     string               `json:"path"` // from the source's root, with slashes
	State    ingest.FileState     `json:"state"`
	Partly   bool                 `json:"partly,omitempty"` // indexed, without a good part of its text
	Reason   string               `json:"reason,omitempty"`
	Advice   string               `json:"advice,omitempty"`
	Passages int                  `json:"passages"`
	Kept     string               `json:"kept,omitempty"`    // as in [SourceView]
	Blocks   string               `json:"blocks,omitempty"`  // how many of each kind, in words
	LeftOut  string               `json:"leftOut,omitempty"` // as in [SourceView]
}

// mostFiles bounds the files listed for one source.
const mostFiles = 5000

// ViewStatus summarises an overview.
func ViewStatus(o Overview) StatusView {
	view := StatusView{Version: viewVersion, Folders: []FolderStatus{}, Answering: o.Answering}
	for _, f := range o.Folders {
		status := FolderStatus{
			folderView: f.view(), State: f.State, Message: f.Message, Percent: f.Percent,
			Passages: len(f.Library.Passages()), Gaps: len(f.Gaps), Decision: f.Decision,
		}
		status.Sources, _ = StateOfSources(f.Sources, f.Library)
		if f.Models.Configured {
			status.Model, status.Gate = f.Models.Reader, f.Gate
		}
		for _, page := range f.Open {
			status.Open += len(page.Note.OpenQuestions())
		}
		for _, file := range f.Library.Files() {
			switch file.State {
			case ingest.Indexed:
				status.Files++
			case ingest.Skipped:
				status.Skipped++
			case ingest.Failed:
				status.Failed++
			}
		}
		view.Folders = append(view.Folders, status)
	}
	return view
}

// whyNothing says why no folder has anything to answer from; it is empty if one has.
func (o Overview) whyNothing() string {
	why := ""
	for _, f := range o.Folders {
		state, text := StateOfSources(f.Sources, f.Library)
		if state == SourcesReady {
			return ""
		}
		why = cmp.Or(why, text)
	}
	return why
}

func (f Folder) view() folderView {
	v := folderView{Name: f.Name}
	if f.Path != "" {
		v.URI = lsp.URI(f.Path)
	}
	return v
}

// ListGaps lists the open gaps of all folders in the order of their notes, sanitised.
func ListGaps(o Overview) GapsView {
	view := GapsView{Version: viewVersion, Gaps: []GapView{}}
	for _, f := range o.Folders {
		for _, listed := range f.Gaps {
			g := messages.ShownGap(listed.Gap)
			if g.Text == "" {
				continue
			}
			shown := GapView{
				URI: noteURI(listed.Ref.Note), Question: plaintext.OneLine(sanitise.Visible(listed.Ref.Text)), QuestionID: listed.Ref.Question, Open: !listed.Answered,
				Gap: g.ID, Text: sanitise.Visible(messages.GapMessage(g)), Query: g.Query, Code: g.Code,
				Status: cmp.Or(g.Status, gap.Open), Probability: g.Probability,
				Line: listed.Line, Subject: messages.Subject(question.Read(listed.Ref.Text)), Level: levelInformation,
			}
			if g.Severity() == gap.Warning {
				shown.Level = levelWarning
			}
			if !listed.Since.IsZero() {
				shown.Since = &listed.Since
			}
			if page, open := f.Open[listed.Ref.Note]; open {
				shown.URI = page.URI
				if q, there := page.Note.Find(note.QuestionID(listed.Ref.Question)); there {
					at := SpanRange(page.Note.Lines, q.Span, o.Client.Encoding)
					shown.Range = &at
				}
			}
			view.Gaps = append(view.Gaps, shown)
		}
	}
	slices.SortStableFunc(view.Gaps, func(a, b GapView) int {
		return cmp.Or(strings.Compare(string(a.URI), string(b.URI)), cmp.Compare(a.line(), b.line()))
	})
	if len(view.Gaps) == 0 {
		view.Message = cmp.Or(o.whyNothing(), messages.NoGaps)
	}
	return view
}

// ListStale lists what is no longer true in notes, of which so many were looked at.
func ListStale(o Overview, stale []StaleNote, notes int) StaleView {
	view := StaleView{Version: viewVersion, Notes: notes, Marks: []StaleMark{}}
	for _, n := range stale {
		for _, p := range n.Problems {
			mark := StaleMark{
				URI: n.URI, Range: n.rangeOf(p.Span), Code: p.Code, Severity: p.Level, Text: p.Message, Elsewhere: p.HoldsElsewhere(),
				Related: []protocol.DiagnosticRelatedInformation{},
			}
			for _, r := range p.Related {
				mark.Related = append(mark.Related, protocol.DiagnosticRelatedInformation{Location: lineLocation(r.File, r.Line), Message: r.Message})
			}
			view.Marks = append(view.Marks, mark)
		}
	}
	if len(view.Marks) == 0 {
		view.Message = cmp.Or(o.whyNothing(), messages.NothingStale(notes))
	}
	return view
}

// StaleReport returns a page of Markdown about what is no longer true in notes.
func StaleReport(stale []StaleNote) string {
	var b strings.Builder
	for i, n := range stale {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "## %s\n\n", escapeMarkdown(plaintext.OneLine(filepath.Base(cmp.Or(n.Path, string(n.URI))))))
		for _, p := range n.Problems {
			line := int(n.rangeOf(p.Span).Start.Line) + 1
			fmt.Fprintf(&b, "- %s%s\n", escapeMarkdown(plaintext.OneLine(p.Message)), noteLink(n.Path, line))
			for _, r := range p.Related {
				at := escapeMarkdown(plaintext.OneLine(fmt.Sprintf("%s:%d", filepath.Base(r.File), r.Line)))
				fmt.Fprintf(&b, "  - %s ([%s](<%s>))\n", escapeMarkdown(plaintext.OneLine(r.Message)), at, lsp.LineURI(r.File, r.Line))
			}
		}
	}
	return b.String()
}

// line returns the line of the question, or 0 if it is not known.
func (g GapView) line() uint32 {
	if g.Range == nil {
		return 0
	}
	return g.Range.Start.Line
}

// noteURI returns the URI of a note from its name in the ledger.
func noteURI(name string) protocol.DocumentURI {
	if filepath.IsAbs(name) {
		return lsp.URI(name)
	}
	return protocol.DocumentURI(name)
}

// TopicsView is the answer of lacuna.listTopics: what the notes ask, by subject, and how far the sources know it.
type TopicsView struct {
	Version int         `json:"version"`
	Topics  []TopicView `json:"topics"` // those with most questions first
}

// TopicView is a subject with its questions.
type TopicView struct {
	Subject   string      `json:"subject"` // empty for questions of which none can be told
	Questions []AskedView `json:"questions"`
}

// AskedView is a question in a [TopicView].
type AskedView struct {
	URI      protocol.DocumentURI `json:"uri"`
	Line     int                  `json:"line"` // from 1
	Question string               `json:"question"`
	Coverage Coverage             `json:"coverage"`
}

// Coverage says how far the sources know what a question asks for.
type Coverage string

const (
	Covered    Coverage = "answered"
	NearPlaces Coverage = "nearest" // only places that come near
	Lacking    Coverage = "missing"
	NotJudged  Coverage = "unknown" // not looked up yet
)

// ListTopics lists the questions of all notes by their subjects.
func ListTopics(o Overview) TopicsView {
	view := TopicsView{Version: viewVersion, Topics: []TopicView{}}
	at := make(map[string]int) // in view.Topics, by the subject in lower case
	for _, f := range o.Folders {
		if f.Asked == nil {
			continue
		}
		missing := make(map[ledger.QuestionRef]bool)
		for _, g := range f.Gaps {
			missing[g.Ref] = true
		}
		for _, asked := range f.Asked() {
			shown := AskedView{URI: noteURI(asked.Ref.Note), Line: asked.Line, Question: plaintext.OneLine(sanitise.Visible(asked.Ref.Text)), Coverage: NotJudged}
			if page, open := f.Open[asked.Ref.Note]; open {
				shown.URI = page.URI
			}
			switch {
			case missing[asked.Ref] || asked.State == answer.Nothing:
				shown.Coverage = Lacking
			case asked.State == answer.Answered:
				shown.Coverage = Covered
			case asked.State == answer.Nearest:
				shown.Coverage = NearPlaces
			}
			subject := messages.Subject(question.Read(asked.Ref.Text))
			key := strings.ToLower(subject)
			if _, known := at[key]; !known {
				at[key] = len(view.Topics)
				view.Topics = append(view.Topics, TopicView{Subject: subject, Questions: []AskedView{}})
			}
			view.Topics[at[key]].Questions = append(view.Topics[at[key]].Questions, shown)
		}
	}
	slices.SortStableFunc(view.Topics, func(a, b TopicView) int {
		return cmp.Or(cmp.Compare(len(b.Questions), len(a.Questions)), strings.Compare(strings.ToLower(a.Subject), strings.ToLower(b.Subject)))
	})
	return view
}

// ListSources lists what became of every file of the sources.
func ListSources(o Overview) SourcesView {
	view := SourcesView{Version: viewVersion, Folders: []FolderSources{}, Message: o.whyNothing()}
	for _, f := range o.Folders {
		files := make(map[string][]ingest.FileReport)
		for _, file := range f.Library.Files() {
			files[file.Source] = append(files[file.Source], file)
		}
		folder := FolderSources{folderView: f.view(), Sources: []SourceView{}}
		for _, source := range f.Sources {
			if source.Name == history.SourceName && len(files[source.Name]) == 0 {
				continue // the user did not set it up, and it is empty
			}
			folder.Sources = append(folder.Sources, sourceView(source, files[source.Name]))
		}
		view.Folders = append(view.Folders, folder)
	}
	return view
}

func sourceView(source ingest.Source, files []ingest.FileReport) SourceView {
	view := SourceView{Name: source.Name, Root: lsp.URI(source.Path), Files: []FileView{}}
	slices.SortStableFunc(files, func(a, b ingest.FileReport) int {
		return cmp.Or(cmp.Compare(urgency(a), urgency(b)), strings.Compare(a.File, b.File))
	})
	var totals ingest.Totals
	for _, file := range files {
		totals.Add(&file)
		_, unread := file.Unread()
		_, excluded := file.Excluded()
		if unread || excluded {
			continue
		}
		if len(view.Files) == mostFiles {
			view.Left++
			continue
		}
		shown := FileView{
			URI: lsp.URI(file.File), Path: relativePath(source.Path, file.File), State: file.State,
			Partly: file.Partly(), Reason: sanitise.Visible(file.Reason), Advice: messages.Advice(&file), Passages: file.Passages,
			Kept: messages.Kept(&file.Coverage), Blocks: messages.Blocks(file.Blocks), LeftOut: messages.LeftOut(file.Omitted),
		}
		if shown.Partly {
			shown.Reason = messages.WhyPartly(&file)
		}
		view.Files = append(view.Files, shown)
	}
	view.Indexed, view.Partly, view.Skipped, view.Failed, view.Passages = totals.Indexed, totals.Partly, totals.Skipped, totals.Failed, totals.Passages
	view.Kept, view.LeftOut, view.Others = messages.Kept(&totals.Coverage), messages.LeftOut(totals.Omitted), messages.OtherFiles(&totals)
	return view
}

// urgency sorts what needs the user's attention first.
func urgency(f ingest.FileReport) int {
	switch {
	case f.State == ingest.Failed:
		return 0
	case f.Partly():
		return 1
	case f.State == ingest.Skipped:
		return 2
	case f.Reason != "":
		return 3
	}
	return 4
}

// relativePath returns the path of a file inside a folder, or its name if the source is the file itself.
func relativePath(folder, file string) string {
	rel, err := filepath.Rel(folder, file)
	if err != nil || rel == "." {
		return filepath.Base(file)
	}
	return filepath.ToSlash(rel)
}

// GapReport returns a page of Markdown about the gaps of a workspace, similar gaps together, each with its
// question, its note, the nearest passages and what to search for. Untrusted text in it is sanitised.
func GapReport(clusters []ledger.Cluster) string {
	var b strings.Builder
	for i, cluster := range clusters {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "## %s\n\n", escapeMarkdown(messages.ClusterTitle(cluster)))
		for _, listed := range cluster.Gaps {
			reportGap(&b, listed)
		}
	}
	return b.String()
}

func reportGap(b *strings.Builder, listed ledger.Item) {
	g := messages.ShownGap(listed.Gap)
	item := func(text string) { fmt.Fprintf(b, "  - %s\n", plaintext.OneLine(text)) } // names of files may contain line ends
	fmt.Fprintf(b, "- %s\n", escapeMarkdown(plaintext.OneLine(messages.GapLine(g, false))))
	asked := escapeMarkdown(plaintext.OneLine(listed.Ref.Text))
	if asked == "" {
		asked = messages.ReportQuestionGone
	}
	if listed.Answered {
		asked += messages.ReportAnswered
	}
	item(asked + noteLink(listed.Ref.Note, listed.Line))
	for _, p := range g.Nearest {
		at := escapeMarkdown(plaintext.OneLine(label(p, p.Place.Line)))
		item(fmt.Sprintf(messages.ReportNearest, escapeMarkdown(plaintext.OneLine(messages.Breadcrumb(p))), fmt.Sprintf("[%s](<%s>)", at, lsp.LineURI(p.Place.File, p.Place.Line))))
	}
	if query := plaintext.OneLine(g.Query); query != "" {
		item(escapeMarkdown(fmt.Sprintf(messages.ReportSearch, query)))
	}
	if !listed.Since.IsZero() {
		item(fmt.Sprintf(messages.ReportSince, listed.Since.Format("2 January 2006")))
	}
}

// noteLink returns a link to a question in its note, if the note has a file.
func noteLink(name string, line int) string {
	if !filepath.IsAbs(name) {
		return ""
	}
	label := filepath.Base(name)
	if line > 0 {
		label = fmt.Sprintf("%s:%d", label, line)
	}
	return fmt.Sprintf(" ([%s](<%s>))", escapeMarkdown(plaintext.OneLine(label)), lsp.LineURI(name, line))
}
