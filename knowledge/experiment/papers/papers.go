// Package papers has the tables and figures of the three papers whose systems Lacuna runs, with what was published, and
// makes each again from the user's model, sources and questions.
//
// Begin with [All]. An [Artefact] says what it needs ([Needs], [Slot]) and makes a [Made] with a [Bench]. Each paper is
// one file, which holds its published figures and lists its artefacts; a figure that is more than a table is one file
// with a function that returns its Artefact, and one line in that list.
package papers

import (
	"fmt"
	"slices"
	"strings"

	"lacuna/knowledge/experiment/dataset"
	"lacuna/vecmath/regular"
)

// All returns the papers with their artefacts.
func All() []Paper { return []Paper{misknow(), ccsk(), medrgag()} }

// Find returns a paper and its artefact. The error names those that there are.
func Find(paper, artefact string) (Paper, Artefact, error) {
	all := All()
	at := slices.IndexFunc(all, func(p Paper) bool { return p.ID == paper })
	if at < 0 {
		return Paper{}, Artefact{}, fmt.Errorf("no paper is called %q; known: %s", paper, join(all, func(p Paper) string { return p.ID }))
	}
	p := all[at]
	if at = slices.IndexFunc(p.Artefacts, func(a Artefact) bool { return a.ID == artefact }); at < 0 {
		return Paper{}, Artefact{}, fmt.Errorf("%s has no %q; known: %s", paper, artefact, join(p.Artefacts, func(a Artefact) string { return a.ID }))
	}
	return p, p.Artefacts[at], nil
}

// Read reads a file that is written as FILE or SLOT=FILE. The error says what is wrong with it.
func Read(text string) (Data, error) {
	slot, file, named := strings.Cut(text, "=")
	if named = named && !strings.ContainsAny(slot, `./\`); !named { // a file's own name may have the sign
		slot, file = "", text
	}
	var known []Slot
	for _, p := range All() {
		for _, a := range p.Artefacts {
			for _, s := range a.Slots {
				if !slices.ContainsFunc(known, func(k Slot) bool { return k.ID == s.ID }) {
					known = append(known, s)
				}
			}
		}
	}
	if named && !slices.ContainsFunc(known, func(s Slot) bool { return s.ID == slot }) {
		return Data{}, fmt.Errorf("%s: no data set is called %q; known: %s", text, slot, join(known, func(s Slot) string { return s.ID }))
	}
	if slices.ContainsFunc(known, func(s Slot) bool { return s.ID == slot && s.Recorded }) {
		opened, err := regular.Open(file)
		if err != nil {
			return Data{}, err
		}
		return Data{File: file, Slot: slot}, opened.Close()
	}
	set, err := dataset.Read(file, "")
	d := Data{File: file, Slot: slot, set: set}
	for _, s := range known {
		if err == nil && len(s.Kinds) == 1 && s.takes(set) && (s.hasForm(set) || s.isNamed(set)) {
			d.isOf = append(d.isOf, s.ID)
		}
	}
	return d, err
}
