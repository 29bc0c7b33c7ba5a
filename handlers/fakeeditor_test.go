package handlers

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/protocol"
	"golang.org/x/tools/txtar"

	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/handlers/position"
	"lacuna/handlers/settings"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/gap/ledger"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/passage"
)

// fakeEditor is an editor with a note and some sources, and the choices of its user. It implements Services and EditTarget.
type fakeEditor struct {
	t       *testing.T
	folder  string
	index   *knowledge.Index
	now     Snapshot
	cursor  protocol.Position
	results map[string]answer.Result // by a part of the question
	parts   map[string]answer.Result
	asked   []string        // ways in which questions were asked
	reports []string        // of progress
	choices []int           // to come
	gone    map[string]bool // dismissed gaps
	said    []string        // what was shown and offered
	created []string
	// beforeEdit runs before an edit is applied; what it returns is a refusal.
	beforeEdit func() (refusal string)
	// afterEdit runs when an edit has been made, with the text before it.
	afterEdit func(before string)
}

func newFakeEditor(t *testing.T, archive *txtar.Archive) *fakeEditor {
	d := &fakeEditor{t: t, folder: t.TempDir(), results: make(map[string]answer.Result), parts: make(map[string]answer.Result), gone: make(map[string]bool)}
	text, name := "", ""
	for _, f := range archive.Files {
		switch {
		case strings.HasPrefix(f.Name, "kb/"):
			path := filepath.Join(d.folder, filepath.FromSlash(f.Name))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, f.Data, 0o644); err != nil {
				t.Fatal(err)
			}
		case strings.HasPrefix(f.Name, "note."):
			text, name = string(f.Data), f.Name
		}
	}
	set := settings.Default()
	set.Answer.Block = "full" // what the tests find by its marks; lean_test.go has the lean form
	set.Sources = []ingest.Source{{Name: "kb", Kind: passage.Text, Path: filepath.Join(d.folder, "kb"), Implicit: true, Confined: true}}
	index, err := knowledge.Open(knowledge.Options{Sources: set.Sources, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := index.Close(); err != nil {
			t.Error(err)
		}
	})
	d.index = index
	path := filepath.Join(d.folder, name)
	d.now = Snapshot{
		URI: lsp.URI(path), Path: path, Settings: set,
		Client: Client{
			Encoding: position.UTF16, ApplyEdit: true, DocumentChanges: true, HoverMarkdown: true, CodeActionLiterals: true,
			IsPreferred: true, Disabled: true, RelatedInformation: true, DiagnosticData: true, ResourceCreate: true,
		},
		Finding:   func(q note.Question) (answer.Result, bool) { return find(d.results, q.Text) },
		Part:      func(q note.Question) (answer.Result, bool) { return find(d.parts, q.Text) },
		Dismissed: func(q note.Question, gapID string) bool { return d.gone[string(q.ID)+gapID] },
	}
	d.now.Note = note.Parse(text, note.LanguageOf("", name))
	d.reread()
	for _, f := range archive.Files {
		if question, ok := strings.CutPrefix(f.Name, "result "); ok {
			d.results[question] = d.result(string(f.Data))
		}
		if question, ok := strings.CutPrefix(f.Name, "part "); ok {
			d.parts[question] = d.result(string(f.Data))
		}
	}
	return d
}

func (d *fakeEditor) reread() {
	if err := d.index.Refresh(context.Background()); err != nil {
		d.t.Fatal(err)
	}
	d.now.Library = d.index.Library()
}

// result reads a result, one thing a line.
func (d *fakeEditor) result(text string) answer.Result {
	r := answer.Result{State: answer.Answered, System: answer.OfflineID}
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch key {
		case "state":
			r.State = answer.State(value)
		case "reason":
			r.Reason = answer.Reason(value)
		case "lead":
			r.Statements[len(r.Statements)-1].Lead = value
		case "differ":
			r.Disagree = true
		case "decision": // "decision search|skip|kept WHY"
			what, why, _ := strings.Cut(value, " ")
			r.Decision = &answer.Decision{Retrieve: what != "skip", OwnAnswer: what == "kept", Policy: "sn", Score: .4, Threshold: .5, Why: why}
			if r.Decision.Retrieve {
				r.Decision.Score = .6
			}
		case "past":
			helped, question, _ := strings.Cut(value, " ")
			r.Decision.Near = append(r.Decision.Near, answer.PastQuestion{Question: question, Similarity: .83, Helped: helped == "helped"})
		case "refused":
			r.Refused++
		case "dropped":
			r.Dropped++
		case "cite":
			d.cite(&r, value)
		case "quote":
			c := d.cite(&r, value)
			r.Statements = append(r.Statements, answer.Statement{Text: c.Quote, Shown: c.Shown(), Citations: []int{c.N}})
		case "claim": // with its citations: "claim 1,2 Words."
			numbers, words, _ := strings.Cut(value, " ")
			claim := answer.Statement{Basis: answer.Claim, Text: unescaped(words)}
			for number := range strings.SplitSeq(numbers, ",") {
				n, err := strconv.Atoi(number)
				if err != nil {
					d.t.Fatal(err)
				}
				claim.Citations = append(claim.Citations, n)
			}
			r.Statements = append(r.Statements, claim)
		case "background", "unsupported":
			r.Statements = append(r.Statements, answer.Statement{Basis: answer.Basis(key), Text: unescaped(value)})
		case "found":
			p, _ := d.passage(value)
			r.Evidence = append(r.Evidence, knowledge.Hit{Passage: p})
		case "system":
			r.System = value
		case "model":
			r.Models = append(r.Models, value)
			r.Usage = llm.Usage{Calls: 3, Prompt: 1200, Completion: 80}
			r.Timings.Total = 2500 * time.Millisecond
		case "thought":
			r.Thought = unescaped(value)
		case "written":
			point, words, _ := strings.Cut(value, " | ")
			r.Generated = append(r.Generated, answer.Generated{Point: point, Text: unescaped(words)})
		case "kept":
			kept, err := time.Parse(time.DateOnly, value)
			if err != nil {
				d.t.Fatal(err)
			}
			r.CachedAt = kept
		case "failed":
			fault, rest, _ := strings.Cut(value, " ")
			host, reason, _ := strings.Cut(rest, " ")
			failed := &llm.Error{Fault: llm.Fault(fault), Role: llm.Reader, Host: host, Setting: "model.base_url"}
			switch {
			case failed.Fault == llm.NotPermitted:
				failed.Setting, failed.Err = "", messages.ErrNotAllowed
			case reason != "":
				failed.Err, failed.Status = errors.New(reason), 400
			}
			r.Failure = fmt.Errorf("read: %w", failed)
		case "status":
			g := &r.Gaps[len(r.Gaps)-1]
			status, evidence, _ := strings.Cut(value, " | ")
			if g.Status = gap.Status(status); evidence != "" {
				p, _ := d.passage(evidence)
				g.Evidence = []passage.ID{p.ID}
			}
		case "stored":
			p, _ := d.passage(value)
			r.Stored = &answer.Stored{Passage: p, Date: p.Date}
		case "gap":
			field := strings.SplitN(value, " | ", 5)
			probability, err := strconv.ParseFloat(field[1], 64)
			if err != nil {
				d.t.Fatal(err)
			}
			text := unescaped(field[2])
			g := gap.Gap{ID: gap.IDOf(gap.Code(field[0]), text), Code: gap.Code(field[0]), Probability: probability, Text: text, Query: unescaped(field[3])}
			if len(field) > 4 {
				p, _ := d.passage(field[4])
				g.Nearest = []*passage.Passage{p}
			}
			r.Gaps = append(r.Gaps, g)
		default:
			d.t.Fatalf("result has %q", line)
		}
	}
	return r.WithGaps(r.Gaps)
}

// cite adds a citation of the words.
func (d *fakeEditor) cite(r *answer.Result, words string) answer.Citation {
	p, span := d.passage(words)
	c := answer.Citation{N: len(r.Citations) + 1, Passage: p, Span: span, Quote: p.Text[span.Start:span.End]}
	r.Citations = append(r.Citations, c)
	return c
}

// unescaped puts in what an archive cannot show: a line end for \n, other characters by number.
func unescaped(text string) string {
	text = strings.ReplaceAll(text, `\n`, "\n")
	return regexp.MustCompile(`⟨U\+[0-9A-F]+⟩`).ReplaceAllStringFunc(text, func(name string) string {
		code, _ := strconv.ParseUint(name[len("⟨U+"):len(name)-len("⟩")], 16, 32)
		return string(rune(code))
	})
}

// passage finds the passage that holds a text, in which "\n" stands for a line end.
func (d *fakeEditor) passage(text string) (*passage.Passage, passage.Span) {
	text = strings.ReplaceAll(text, `\n`, "\n")
	for _, p := range d.now.Library.Passages() {
		if at := strings.Index(p.Text, text); at >= 0 {
			return p, passage.Span{Start: at, End: at + len(text)}
		}
	}
	d.t.Fatalf("no passage holds %q", text)
	return nil, passage.Span{}
}

func find(results map[string]answer.Result, question string) (answer.Result, bool) {
	for part, r := range results {
		if strings.Contains(question, part) {
			return r, true
		}
	}
	return answer.Result{}, false
}

func (d *fakeEditor) step(step string) {
	word, rest, _ := strings.Cut(step, " ")
	switch word {
	case "dismiss":
		d.run(commandDismiss, Arguments{Question: d.now.Note.Questions[0].ID, Code: gap.Code(rest)})
	case "answer":
		d.run(commandAnswerAll, Arguments{})
	case "edit":
		d.edit(rest)
	case "change":
		file, change, _ := strings.Cut(rest, ": ")
		path := filepath.Join(d.folder, filepath.FromSlash(file))
		data, err := os.ReadFile(path)
		if err != nil {
			d.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(d.replace(string(data), change)), 0o644); err != nil {
			d.t.Fatal(err)
		}
	case "remove":
		if err := os.Remove(filepath.Join(d.folder, filepath.FromSlash(rest))); err != nil {
			d.t.Fatal(err)
		}
	case "reread":
		d.reread()
	case "at":
		offset := strings.Index(d.now.Note.Text, rest)
		if offset < 0 {
			d.t.Fatalf("the note has no %q:\n%s", rest, d.now.Note.Text)
		}
		d.cursor = offsetPosition(d.now.Note.Lines, offset+min(1, len(rest)-1), d.now.Client.Encoding)
	case "model":
		d.now.Models = Models{Configured: true, Host: "model.test", Remote: rest == "remote"}
	case "harvest":
		d.now.Settings.History.Harvest = true
	case "choose":
		at, err := strconv.Atoi(rest)
		if err != nil {
			d.t.Fatal(err)
		}
		d.now.Client.ShowMessageActions = true
		d.choices = append(d.choices, at)
	case "run":
		command, arguments, _ := strings.Cut(rest, " ")
		a := Arguments{Question: d.now.Note.Questions[0].ID}
		if arguments != "" {
			if err := json.Unmarshal([]byte(arguments), &a); err != nil {
				d.t.Fatal(err)
			}
		}
		d.run(command, a)
	case "without":
		switch rest {
		case "sources":
			d.now.Library, d.now.Settings.Sources = &knowledge.Library{}, nil
		case "literals":
			d.now.Client.CodeActionLiterals = false
		}
	default:
		d.t.Fatalf("unknown step %q", step)
	}
}

// edit changes the note as a user would, by "OLD => NEW".
func (d *fakeEditor) edit(change string) {
	d.now.Note = note.Parse(d.replace(d.now.Note.Text, change), d.now.Note.Language)
	d.now.Version++
}

func (d *fakeEditor) replace(text, change string) string {
	before, after, ok := strings.Cut(strings.ReplaceAll(change, `\n`, "\n"), " => ")
	if !ok || !strings.Contains(text, before) {
		d.t.Fatalf("cannot change %q in:\n%s", change, text)
	}
	return strings.Replace(text, before, after, 1)
}

// run executes a command and reports what the user hears of it.
func (d *fakeEditor) run(command string, a Arguments) {
	a.V, a.URI = argumentsVersion, d.now.URI
	raw, err := json.Marshal(a)
	if err != nil {
		d.t.Fatal(err)
	}
	if _, err := d.execute(context.Background(), command, []json.RawMessage{raw}); err != nil {
		d.said = append(d.said, "error: "+err.Error())
	}
}

// The services.

func (d *fakeEditor) Snapshot(uri protocol.DocumentURI) (Snapshot, bool) {
	return d.now, d.now.Note != nil && uri == d.now.URI
}

// execute runs a command and has what it wants done, as the session does.
func (d *fakeEditor) execute(ctx context.Context, command string, args []json.RawMessage) (any, error) {
	outcome, uri, err := Execute(ctx, d, command, args)
	if err != nil {
		return nil, err
	}
	for _, effect := range outcome.Effects {
		if err := d.perform(effect); err != nil {
			return nil, err
		}
	}
	if outcome.Edit == nil {
		return outcome.Reply, nil
	}
	_, written := outcome.Edit.Write(ctx, d, uri)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	after, err := outcome.Edit.Conclude(written)
	for _, effect := range after.Effects {
		if err := d.perform(effect); err != nil {
			return nil, err
		}
	}
	return after.Reply, err
}

func (d *fakeEditor) perform(effect Effect) error {
	switch e := effect.(type) {
	case Show:
		d.Show(e.Message)
	case Offer:
		d.said = append(d.said, e.Title+"\n\n"+e.Markdown)
	case Dismiss:
		d.gone[string(e.Question.ID)+e.Gap] = e.Dismissed
	case Overrule:
		d.said = append(d.said, fmt.Sprintf("overruled: %s, then %s", e.First.System, e.Second.System))
	case Accept:
		d.said = append(d.said, "accepted: "+e.Question.Text)
	case CreateFile:
		d.created = append(d.created, e.Path)
		return os.WriteFile(e.Path, []byte(e.Text), 0o644)
	case AddSource:
		d.said = append(d.said, messages.SourceAdded(filepath.Join(d.folder, e.Path), e.Path == ""))
	}
	return nil
}

func (d *fakeEditor) AwaitSources(_ context.Context, n Snapshot) Snapshot { return n }

func (d *fakeEditor) Answer(_ context.Context, _ Snapshot, _ note.Question, q answer.Question, way answer.Request) (answer.Result, error) {
	asked := q.Text + " | " + cmp.Or(way.System, "auto")
	if way.Fresh {
		asked += ", anew"
	}
	if len(q.Queries) > 0 {
		asked += " | " + strings.Join(q.Queries, ", ")
	}
	d.asked = append(d.asked, asked)
	r, known := find(d.results, q.Text)
	if !known {
		r = answer.Result{State: answer.Nothing, Reason: answer.Weak}
	}
	if way.Watch != nil && len(r.Models) > 0 {
		way.Watch(answer.Progress{Stage: answer.StageRetrieve, Total: 4})
		way.Watch(answer.Progress{Stage: answer.StageJudge, Done: 2, Total: 4})
		way.Watch(answer.Progress{Stage: answer.StageRead, Done: 3, Total: 4, Text: "The usual dose, as ![x](https://evil.test) far as the sources go and the model has written by now, is 5 mg"})
	}
	return r, nil
}

func (d *fakeEditor) ApplyEdit(_ context.Context, _ string, edit DocumentEdit) (bool, string, error) {
	if d.beforeEdit != nil {
		if refusal := d.beforeEdit(); refusal != "" {
			return false, refusal, nil
		}
	}
	if d.now.Note == nil || edit.Version != d.now.Version {
		return false, "the document has changed", nil
	}
	edits := slices.Clone(edit.Edits)
	slices.SortFunc(edits, func(a, b Edit) int { return b.Span.Start - a.Span.Start })
	text := d.now.Note.Text
	for _, e := range edits {
		text = text[:e.Span.Start] + e.NewText + text[e.Span.End:]
	}
	before := d.now.Note.Text
	d.now.Note = note.Parse(text, d.now.Note.Language)
	d.now.Version++
	if d.afterEdit != nil {
		d.afterEdit(before)
	}
	return true, "", nil
}

func (d *fakeEditor) Show(m messages.Message) { d.said = append(d.said, m.Text) }

func (d *fakeEditor) Report(stage string, percent int) {
	d.reports = append(d.reports, fmt.Sprintf("%d%% %s", percent, stage))
}

func (d *fakeEditor) Choose(_ context.Context, message string, items []string) (int, bool) {
	d.said = append(d.said, message+"\n- "+strings.Join(items, "\n- "))
	if len(d.choices) == 0 {
		return 0, false
	}
	next := d.choices[0]
	d.choices = d.choices[1:]
	return next, true
}

func (d *fakeEditor) StaleNotes(context.Context) ([]StaleNote, int, error) {
	if problems := StaleProblems(d.now); len(problems) > 0 {
		return []StaleNote{{d.now, problems}}, 1, nil
	}
	return nil, 1, nil
}

func (d *fakeEditor) OpenGaps(context.Context, protocol.DocumentURI) ([]ledger.Cluster, error) {
	var open []ledger.Item
	for _, q := range d.now.Note.Questions {
		for _, g := range d.now.gaps(q) {
			if d.now.isOpen(q, g) {
				open = append(open, ledger.Item{Ref: ledger.QuestionRef{Note: d.now.Path, Question: string(q.ID), Text: q.Text}, Gap: g})
			}
		}
	}
	return ledger.Clusters(d.now.Library, open), nil
}

func (d *fakeEditor) Preview(_ context.Context, _ protocol.DocumentURI, q answer.Question, way answer.Request) ([]llm.Outbound, error) {
	if !d.now.Models.Remote || way.System == answer.OfflineID {
		return nil, nil
	}
	return []llm.Outbound{{
		Host: d.now.Models.Host, Model: "m", Role: llm.Reader, Stage: "draft",
		Body: fmt.Appendf(nil, `{"q":%q,"e":"\u0060\u0060\u0060 <b>"}`, q.Text), Details: "1 date",
	}}, nil
}

func (d *fakeEditor) Overview(context.Context) Overview {
	var open []ledger.Item
	for _, q := range d.now.Note.Questions {
		for _, g := range d.now.gaps(q) {
			if d.now.isOpen(q, g) {
				open = append(open, ledger.Item{Ref: ledger.QuestionRef{Note: d.now.Path, Question: string(q.ID), Text: q.Text}, Gap: g})
			}
		}
	}
	return Overview{Client: d.now.Client, Folders: []Folder{{
		Path: "/notes", Name: "notes", State: Ready, Percent: 100, Library: d.now.Library, Gaps: open,
		Open: map[string]Page{d.now.Path: {URI: d.now.URI, Path: d.now.Path, Note: d.now.Note}},
	}}}
}
