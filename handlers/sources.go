package handlers

import (
	"slices"

	"lacuna/handlers/messages"
	"lacuna/knowledge"
	"lacuna/knowledge/history"
	"lacuna/knowledge/ingest"
)

// SourcesState says whether there is anything to answer from, and if not, why. Without anything, no
// question has been looked up, and nothing may be said about what the sources contain.
type SourcesState string

const (
	SourcesReady      SourcesState = "ready"
	SourcesRead       SourcesState = "reading"    // for the first time
	SourcesNone       SourcesState = "none"       // none are set up
	SourcesMissing    SourcesState = "missing"    // nothing can be read where they are said to be
	SourcesEmpty      SourcesState = "empty"      // they hold no files
	SourcesUnreadable SourcesState = "unreadable" // not one of their files could be used
)

// StateOfSources compares the sources in the settings with what was read. The text is for the user; it is
// empty if there is something to answer from.
func StateOfSources(sources []ingest.Source, l *knowledge.Library) (state SourcesState, text string) {
	status := l.Status()
	switch {
	case status.Passages+status.Pairs > 0:
		return SourcesReady, ""
	case status.Building:
		return SourcesRead, messages.StillReading
	}
	sources = slices.DeleteFunc(slices.Clone(sources), func(s ingest.Source) bool { return s.Name == history.SourceName })
	var missing, bad []ingest.FileReport
	for _, f := range l.Files() {
		atRoot := slices.ContainsFunc(sources, func(s ingest.Source) bool { return s.Path == f.File })
		switch {
		case f.State == ingest.Failed && atRoot:
			missing = append(missing, f)
		case f.State != ingest.Indexed || f.Reason != "":
			bad = append(bad, f)
		}
	}
	switch {
	case len(sources) == 0:
		return SourcesNone, messages.NoSources
	case len(bad) > 0:
		return SourcesUnreadable, messages.NoneReadable(bad)
	case len(missing) > 0:
		return SourcesMissing, messages.SourceMissing(missing[0], len(missing)-1)
	}
	return SourcesEmpty, messages.SourcesEmpty(sources)
}

// cannotAnswer says why nothing can be answered; it is empty when something can.
func (s Snapshot) cannotAnswer() string {
	_, reason := s.stateOfSources()
	return reason
}

// stateOfSources is [StateOfSources] for who asks for an answer: an engine may have it where this machine has nothing.
func (s Snapshot) stateOfSources() (SourcesState, string) {
	state, why := StateOfSources(s.Settings.Sources, s.Library)
	if len(s.Engines) > 0 && state != SourcesRead {
		return SourcesReady, ""
	}
	return state, why
}

// canSetUp reports whether naming or filling a source would help.
func (s Snapshot) canSetUp() bool {
	state, _ := s.stateOfSources()
	return state != SourcesReady && state != SourcesRead
}
