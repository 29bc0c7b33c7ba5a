package papers

import (
	"fmt"
	"slices"
	"strings"

	"lacuna/knowledge/experiment/dataset"
)

// Data is a file that somebody gave.
type Data struct {
	File string
	Slot string // it is meant for; empty lets the content tell
	set  dataset.Dataset
	isOf []string // slots of any artefact that its form or its name tells
}

// DataError says what is wrong with a file that was given, of an artefact that is made without asking anything.
type DataError struct{ error }

// Unwrap returns what is wrong.
func (e DataError) Unwrap() error { return e.error }

// Fill assigns data to the slots of an artefact: as it was said, or by its form, its name or the kind of its questions. A
// file that holds several sets fills several slots. The error says which slot a file could be meant for, or why for none.
func Fill(slots []Slot, data []Data) ([]Given, error) {
	filled := make([]Given, len(slots))
	for _, d := range data {
		fits, err := place(slots, d)
		if err != nil {
			return nil, err
		}
		for i, g := range fits {
			if filled[i].File != "" {
				return nil, fmt.Errorf("both %s and %s are for %s; say which is which, as in %s=%s", filled[i].File, d.File, slots[i].ID, slots[i].ID, d.File)
			}
			filled[i] = g
		}
	}
	return slices.DeleteFunc(filled, func(g Given) bool { return g.File == "" }), nil
}

// place returns the slots that a data set fills, by their number.
func place(slots []Slot, data Data) (map[int]Given, error) {
	d, name, file := data.set, data.Slot, data.File
	if name != "" && !slices.ContainsFunc(slots, func(s Slot) bool { return s.ID == name }) {
		return nil, fmt.Errorf("%s=%s: this artefact takes %s", name, file, join(slots, Slot.describe))
	}
	given := func(i int, part string) map[int]Given {
		return map[int]Given{i: {Slot: slots[i], File: file, Part: part}}
	}
	if at := slices.IndexFunc(slots, func(s Slot) bool { return s.Recorded && s.ID == name }); at >= 0 {
		return given(at, ""), nil
	}
	parts := map[int]Given{}
	for i, s := range slots {
		part := d.Part(s.ID)
		if len(part.Questions) > 0 && s.takes(part) && (name == "" || name == s.ID) {
			parts[i] = given(i, s.ID)[i]
		}
	}
	if len(parts) > 0 {
		return parts, nil
	}
	elsewhere := len(data.isOf) > 0 && !slices.ContainsFunc(slots, func(s Slot) bool { return slices.Contains(data.isOf, s.ID) })
	var byForm, byName, byKind []int
	for i, s := range slots {
		fits := s.takes(d)
		switch {
		case s.ID == name && !fits:
			return nil, fmt.Errorf("%s: its questions are of the kind %q in %q, and %s takes %s", file, d.Kind, d.Language, s.ID, s.wants())
		case s.ID == name:
			return given(i, ""), nil
		case !fits, elsewhere && len(s.Kinds) == 1:
			continue
		}
		if s.hasForm(d) {
			byForm = append(byForm, i)
		}
		if s.isNamed(d) {
			byName = append(byName, i)
		}
		byKind = append(byKind, i)
	}
	for _, found := range [][]int{byForm, byName, byKind} {
		if len(found) == 1 {
			return given(found[0], ""), nil
		}
	}
	if len(byKind) == 0 && elsewhere && slices.ContainsFunc(slots, func(s Slot) bool { return s.takes(d) }) {
		return nil, fmt.Errorf("%s: it looks like %s, and this artefact takes %s; say what it is, as in %s=%s", file, strings.Join(data.isOf, " or "), join(slots, Slot.describe), slots[0].ID, file)
	}
	if len(byKind) == 0 {
		return nil, fmt.Errorf("%s: its questions are of the kind %q in %q; this artefact takes %s", file, d.Kind, d.Language, join(slots, Slot.describe))
	}
	return nil, fmt.Errorf("%s: it could be any of %s; say which, as in %s=%s", file, join(byKind, func(i int) string { return slots[i].ID }), slots[byKind[0]].ID, file)
}
