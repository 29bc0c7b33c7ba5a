package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lacuna/knowledge/ingest"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/share"
)

// publisherRole stands in the audit where a request to a model has its role.
const publisherRole llm.Role = "publisher"

// Publication returns what a source publishes: its files as they are, those that are searched. A file that holds anything
// private is withheld as a whole; withheld names such files. The index must be up to date.
func (w *Workspace) Publication(name string) (p share.Publication, withheld []string, err error) {
	at := slices.IndexFunc(w.loaded.Settings.Sources, func(s ingest.Source) bool { return s.Name == name })
	if at < 0 {
		var known []string
		for _, s := range w.loaded.Settings.Sources {
			known = append(known, s.Name)
		}
		return p, nil, fmt.Errorf("no source %q; known: %s", name, strings.Join(known, ", "))
	}
	source := w.loaded.Settings.Sources[at]
	p.Source = share.Source{Name: source.Name, Kind: source.Kind, Fields: source.Fields, Chunks: source.Chunker}
	if info, err := os.Stat(source.Path); err == nil && info.Mode().IsRegular() {
		p.Source.File = filepath.Base(source.Path)
	}
	private := make(map[string]bool)
	for _, passage := range w.Library().Passages() {
		if passage.Private {
			private[passage.Place.File] = true
		}
	}
	for _, file := range w.Library().Files() {
		if file.Source != name || file.State != ingest.Indexed {
			continue
		}
		within := p.Source.File
		if within == "" {
			if within, err = filepath.Rel(source.Path, file.File); err != nil {
				return p, nil, err
			}
		}
		within = filepath.ToSlash(within)
		if private[file.File] {
			withheld = append(withheld, within)
			continue
		}
		p.Files = append(p.Files, share.File{Name: within, Path: file.File})
	}
	return p, withheld, nil
}

// RecordPublished writes into the audit, if the settings keep one, what was published where.
func (w *Workspace) RecordPublished(place string, done share.Published, at time.Time) {
	if w.audit == nil {
		return
	}
	body := fmt.Appendf(nil, "source %q, number %d, card %x, %d files, %d bytes", done.Head.Source, done.Head.Number, done.Head.Card.SHA256, done.Card.Files, done.Card.Bytes)
	w.audit.record(llm.Sent{Outbound: llm.Outbound{Host: place, Model: done.Head.Source, Role: publisherRole, Body: body}, Time: at})
}

// Mirrors returns the mirrors that the workspace's sources are from, in the order of the sources.
func (w *Workspace) Mirrors() []*share.Mirror {
	var mirrors []*share.Mirror
	for _, s := range w.loaded.Settings.Sources {
		m, is := share.Of(s.Path)
		if is && !slices.ContainsFunc(mirrors, func(other *share.Mirror) bool { return other.Folder == m.Folder }) {
			mirrors = append(mirrors, m)
		}
	}
	return mirrors
}
