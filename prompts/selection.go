package prompts

// Selection is the reply to [SelectDocs]: numbers of documents in the order chosen, within
// 1..documents, each once, at most top.
type Selection struct {
	Requirements []string
	Selected     []int
}

// ParseSelection reads a selection; one of no document that exists is an error.
func ParseSelection(reply string, documents, top int) (Selection, Path, error) {
	s, path, err := decode(reply, []field{selectedField, neededField}, func(value any) (Selection, bool) {
		o, ok := objectIn(value, selectedField)
		if _, mapped := o["point"]; mapped || !ok { // a point with its documents, of a reply that was cut off
			return Selection{}, false
		}
		needed, _ := o.get(neededField)
		selected, _ := o.get(selectedField)
		s := Selection{distinct(listOf(needed), 16, longestItem), chosen(selected, documents, top)}
		return s, len(s.Selected) > 0
	})
	if err != errNoSense {
		return s, path, err
	}
	// A list alone will do, but not one in prose, which cites in the same form.
	s, path, err = decode(reply, nil, func(value any) (Selection, bool) {
		array, ok := value.([]any)
		s := Selection{Selected: chosen(array, documents, top)}
		return s, ok && len(s.Selected) > 0
	})
	if err == nil && path != Bare && path != Fenced {
		return Selection{}, Unparsed, errNoSense
	}
	return s, path, err
}

func chosen(value any, documents, top int) []int {
	ids := within(intsOf(value), documents)
	return ids[:min(len(ids), max(top, 0))]
}
