package handlers

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/knowledge/answer/systems"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/ingest"
)

// commands lists the names that [Execute] knows.
var commands = []string{
	commandAnswer, commandAnswerAll, commandRemove, commandStub, commandDismiss, commandRestore,
	commandWith, commandGaps, commandPreview, commandForget, commandAccept, commandSection, commandSetUp,
	commandShorten, commandTake, commandOpen, commandNoPlace, commandCite, commandWords, commandOpinion,
	commandStatus, commandListGaps, commandListSources, commandListStale, commandShowStale, commandListChanges, commandListTopics,
}

// Commands returns the names of all commands as the client wants them.
func (c Client) Commands() []string {
	names := make([]string, len(commands))
	for i, command := range commands {
		names[i] = c.named(command)
	}
	return names
}

// CanonicalCommand returns the name by which [Execute] knows a command with the client's prefix. It returns
// other names unchanged.
func (c Client) CanonicalCommand(name string) string {
	if rest, ours := strings.CutPrefix(name, cmp.Or(c.CommandPrefix, commandPrefix)); ours {
		return commandPrefix + rest
	}
	return name
}

// CallsModel reports whether a command may call models, and so take long. The others end immediately.
func CallsModel(command string) bool {
	switch command {
	case commandAnswer, commandAnswerAll, commandWith, commandPreview:
		return true
	}
	return false
}

// TakesLong reports whether a command calls models or looks at every note.
func TakesLong(command string) bool {
	return CallsModel(command) || command == commandListStale || command == commandShowStale
}

// ReadOnly reports whether a command only looks something up for a view of the editor, and needs no
// progress.
func ReadOnly(command string) bool {
	switch command {
	case commandStatus, commandListGaps, commandListSources, commandListTopics, commandListChanges:
		return true
	}
	return false
}

// maxQuery limits the bytes of a query: it may come from anywhere.
const maxQuery = 1000

// Execute runs a command, by the name that [Client.CanonicalCommand] gives it, and returns what it wants done to
// the note that the arguments name. Arguments are checked again, since any client may send them. An error says
// why nothing could be done, in words for the user.
func Execute(ctx context.Context, services Services, command string, args []json.RawMessage) (Outcome, protocol.DocumentURI, error) {
	if !slices.Contains(commands, command) {
		return Outcome{}, "", lsp.InvalidParams("%q is no command of Lacuna", command)
	}
	ofWorkspace := command == commandGaps || command == commandSetUp || command == commandForget || ReadOnly(command) ||
		command == commandListStale || command == commandShowStale
	var a Arguments
	if len(args) > 0 || !ofWorkspace {
		var err error
		if a, err = argumentsOf(command, args); err != nil {
			return Outcome{}, "", err
		}
	}
	outcome, err := execute(ctx, services, command, a)
	return outcome, a.URI, err
}

func execute(ctx context.Context, services Services, command string, a Arguments) (Outcome, error) {
	switch command {
	case commandGaps:
		return showGaps(ctx, services, a.URI)
	case commandSetUp:
		return setUpSources(ctx, services, a)
	case commandForget:
		return succeed(ForgetConsent{}, Show{messages.Message{Level: messages.Info, Text: messages.ConsentForgotten}})
	case commandStatus, commandListGaps, commandListSources, commandListTopics:
		return view(ctx, services, command)
	case commandListStale, commandShowStale:
		return listStale(ctx, services, command == commandShowStale)
	}
	s, open := services.Snapshot(a.URI)
	if !open {
		return Outcome{}, lsp.Failed("%s", messages.NoteNotOpen)
	}
	c := call{Snapshot: s, services: services, arguments: a}
	if command == commandListChanges {
		return Outcome{Reply: ListChanges(s)}, nil
	}
	if command == commandAnswerAll {
		return c.answerAll(ctx)
	}
	if command == commandShorten {
		return c.shorten()
	}
	if title, ours := sentenceFixes[command]; ours {
		return c.fixSentence(command, title)
	}
	q, found := s.Note.Find(a.Question)
	if !found {
		return Outcome{}, lsp.Failed("%s", messages.QuestionGone)
	}
	switch command {
	case commandAnswer:
		return c.answerOne(ctx, q)
	case commandWith:
		return c.answerWith(ctx, q)
	case commandPreview:
		return c.preview(ctx, q)
	case commandRemove:
		return c.remove(q)
	case commandStub:
		return c.startPage(q)
	case commandAccept:
		return c.accept(q)
	case commandSection:
		return c.storeSection(q)
	case commandTake:
		return c.take(q)
	case commandOpen:
		return c.open(q)
	case commandNoPlace:
		return c.dismissPlaces(q)
	}
	return c.dismiss(q, command == commandDismiss)
}

// argumentsOf reads the one argument of a command.
func argumentsOf(command string, args []json.RawMessage) (a Arguments, err error) {
	if len(args) != 1 {
		return a, lsp.InvalidParams("%s takes one argument, got %d", command, len(args))
	}
	if err := json.Unmarshal(args[0], &a); err != nil {
		return a, lsp.InvalidParams("%s: %v", command, err)
	}
	a.V = cmp.Or(a.V, a.Version)
	switch {
	case a.V != argumentsVersion:
		return a, lsp.InvalidParams("%s: arguments of version %d, want %d", command, a.V, argumentsVersion)
	case !knownSystem(a.System):
		return a, lsp.InvalidParams("%s: no answering system is called %q; known: auto, thorough, %s", command, a.System, strings.Join(systems.IDs(), ", "))
	case len(a.Query) > maxQuery:
		return a, lsp.InvalidParams("%s: query of %d bytes, at most %d", command, len(a.Query), maxQuery)
	}
	return a, nil
}

// shorten writes the answers of the note in the lean form.
func (c call) shorten() (Outcome, error) {
	return Outcome{Edit: &NoteEdit{
		Label: messages.LabelShorten,
		Make:  func(now Snapshot) ([]Edit, []Answered) { return now.shortened(), nil },
		Conclude: func(w Written) (Outcome, error) {
			if w.Err == nil && !w.Done {
				return succeed(Show{messages.Message{Level: messages.Info, Text: messages.NothingToShorten}})
			}
			return Outcome{Reply: Reply{Done: w.Done}}, w.Err
		},
	}}, nil
}

// shortened returns the edits that write the answers of the note in the lean form.
func (s Snapshot) shortened() []Edit {
	var edits []Edit
	for _, e := range Shorten(s.Note, s.Path, s.form()) {
		edits = append(edits, Edit{Edit: e})
	}
	return edits
}

// remove removes an answer. If there is none, for instance because the editor has applied the edit of the
// code action, it does nothing.
func (c call) remove(q note.Question) (Outcome, error) {
	return Outcome{Edit: &NoteEdit{
		Label: messages.LabelRemove,
		Make: func(now Snapshot) ([]Edit, []Answered) {
			if q, found := now.Note.Find(q.ID); found && q.Answer >= 0 {
				return []Edit{{Edit: now.Note.Remove(q)}}, nil
			}
			return nil, nil
		},
		Conclude: func(w Written) (Outcome, error) {
			switch {
			case w.Err != nil:
				return Outcome{}, w.Err
			case !w.Done && w.Reason != "": // without a reason there was no answer
				return Outcome{}, lsp.Failed("%s", messages.NotRemoved(w.Reason))
			}
			return Outcome{Reply: Reply{Done: w.Done}}, nil
		},
	}}, nil
}

// dismiss dismisses a gap or restores it.
func (c call) dismiss(q note.Question, dismissed bool) (Outcome, error) {
	g, found := c.gapOf(q)
	if !found {
		return Outcome{}, lsp.Failed("%s", messages.GapGone)
	}
	return succeed(Dismiss{Note: c.Note, Question: q, Gap: g.ID, Dismissed: dismissed})
}

// gapOf returns the gap that the arguments name: by its identity, or the first with that code.
func (c call) gapOf(q note.Question) (gap.Gap, bool) {
	for _, g := range c.gaps(q) {
		if c.arguments.Gap == g.ID || c.arguments.Gap == "" && c.arguments.Code == g.Code {
			return g, true
		}
	}
	return gap.Gap{}, false
}

// knownSystem reports whether id names a system, or stands for one.
func knownSystem(id string) bool {
	_, known := systems.Lookup(id)
	return known || id == "" || id == systemAuto || id == systemThorough
}

// view runs the commands for views of the editor.
func view(ctx context.Context, services Services, command string) (Outcome, error) {
	o := services.Overview(ctx)
	switch command {
	case commandListGaps:
		return Outcome{Reply: ListGaps(o)}, ctx.Err()
	case commandListSources:
		return Outcome{Reply: ListSources(o)}, ctx.Err()
	case commandListTopics:
		return Outcome{Reply: ListTopics(o)}, ctx.Err()
	}
	return Outcome{Reply: ViewStatus(o)}, ctx.Err()
}

// listStale lists what is no longer true in the notes, as the reply or as a page.
func listStale(ctx context.Context, services Services, page bool) (Outcome, error) {
	stale, notes, err := services.StaleNotes(ctx)
	switch {
	case ctx.Err() != nil:
		return Outcome{}, ctx.Err()
	case err != nil:
		return Outcome{}, lsp.Failed("%v", err)
	}
	listed := ListStale(services.Overview(ctx), stale, notes)
	switch {
	case !page:
		return Outcome{Reply: listed}, nil
	case len(listed.Marks) == 0:
		return Outcome{Effects: []Effect{Show{messages.Message{Level: messages.Info, Text: listed.Message}}}, Reply: Reply{}}, nil
	}
	report := StaleReport(stale)
	return succeed(Offer{messages.StaleReportHead, report, report})
}

// showGaps shows the open gaps of a workspace in a separate document.
func showGaps(ctx context.Context, services Services, uri protocol.DocumentURI) (Outcome, error) {
	open, err := services.OpenGaps(ctx, uri)
	switch {
	case ctx.Err() != nil:
		return Outcome{}, ctx.Err()
	case err != nil:
		return Outcome{}, lsp.Failed("%v", err)
	case len(open) == 0:
		why := cmp.Or(services.Overview(ctx).whyNothing(), messages.NoGaps)
		return Outcome{Effects: []Effect{Show{messages.Message{Level: messages.Info, Text: why}}}, Reply: Reply{}}, nil
	}
	report := GapReport(open)
	return succeed(Offer{messages.GapReportHead, report, report})
}

// setUpSources adds a source to a workspace: the folder or file that the arguments name, or what the user
// chooses. If the client cannot ask, it creates a folder kb.
func setUpSources(ctx context.Context, services Services, a Arguments) (Outcome, error) {
	if a.Path == "" {
		chosen, ok := services.Choose(ctx, messages.WhereSources, []string{messages.ChoiceFolder, messages.ChoiceSettings})
		switch {
		case ctx.Err() != nil:
			return Outcome{}, ctx.Err()
		case ok && chosen == 1:
			return succeed(OpenSettings{})
		case !ok && services.Overview(ctx).Client.ShowMessageActions: // closed without an answer
			return Outcome{Reply: Reply{}}, nil
		}
	}
	return succeed(AddSource{a.Path})
}

// accept saves an answer as a stored question.
func (c call) accept(q note.Question) (Outcome, error) {
	switch {
	case c.Note.Private:
		return Outcome{}, lsp.Failed("%s", messages.PrivateNotStored)
	case !c.Settings.History.Harvest:
		return Outcome{}, lsp.Failed("%s", messages.HarvestOff)
	}
	return succeed(Accept{q})
}

// placeOf returns the nearest place that the arguments name, if its source still holds it.
func (c call) placeOf(q note.Question) (nearestPlace, error) {
	for _, p := range c.nearestPlaces(q) {
		if p.N == max(c.arguments.Place, 1) && (c.arguments.Passage == "" || c.arguments.Passage == p.id()) {
			return p, nil
		}
	}
	return nearestPlace{}, lsp.Failed("%s", messages.PlaceGone)
}

// take makes one of the nearest places the answer, after comparing it with its file again. It stores nothing: like
// every answer it is accepted when the note is saved with it, so that an undo leaves no trace.
func (c call) take(q note.Question) (Outcome, error) {
	p, err := c.placeOf(q)
	if err != nil {
		return Outcome{}, err
	}
	if text, err := ingest.Resolve(p.place()); err != nil || text != p.passage.Text[p.span.Start:p.span.End] {
		return Outcome{}, lsp.Failed("%s", messages.PlaceGone)
	}
	return c.write(messages.LabelTake, []Answered{{q, c.taken(q, p)}}), nil
}

// open shows one of the nearest places in its file.
func (c call) open(q note.Question) (Outcome, error) {
	p, err := c.placeOf(q)
	if err != nil {
		return Outcome{}, err
	}
	target, _, ok := c.target(p.citedPlace)
	if !ok || !c.Client.ShowDocument {
		return Outcome{}, lsp.Failed("%s", messages.PlaceNotShown)
	}
	return succeed(OpenPlace{target})
}

// dismissPlaces takes the nearest places out of the note: the user has seen them, and none answers.
func (c call) dismissPlaces(q note.Question) (Outcome, error) {
	if len(c.nearestPlaces(q)) == 0 {
		return Outcome{}, lsp.Failed("%s", messages.PlaceGone)
	}
	result, _ := c.finding(q)
	return c.write(messages.LabelNoPlace, []Answered{{q, c.withoutPlaces(q, result)}}), nil
}

// sentenceFixes has the labels of the commands that edit one sentence.
var sentenceFixes = map[string]string{commandCite: messages.LabelCite, commandWords: messages.LabelWords, commandOpinion: messages.LabelOpinion}

// fixSentence makes an edit of a sentence that was compared with a source. Words of the source are compared with
// its file again.
func (c call) fixSentence(command, title string) (Outcome, error) {
	fix, ok := c.sentenceFix(c.arguments.Sentence, command)
	if !ok {
		return Outcome{}, lsp.Failed("%s", messages.SentenceGone)
	}
	if f := fix.source; f.Passage != nil && command != commandOpinion {
		if text, err := ingest.Resolve(f.Place()); err != nil || text != f.Passage.Text[f.Span.Start:f.Span.End] {
			return Outcome{}, lsp.Failed("%s", messages.SentenceGone)
		}
	}
	return Outcome{Edit: &NoteEdit{
		Label: title,
		Make: func(now Snapshot) ([]Edit, []Answered) {
			if fix, ok := now.sentenceFix(c.arguments.Sentence, command); ok {
				return []Edit{fix.edit}, nil
			}
			return nil, nil
		},
		Conclude: func(w Written) (Outcome, error) {
			switch {
			case w.Err != nil:
				return Outcome{}, w.Err
			case !w.Done:
				return Outcome{}, lsp.Failed("%s", messages.SentenceGone)
			}
			return Outcome{Reply: Reply{Done: true}}, nil
		},
	}}, nil
}
