package evaluation

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"lacuna/knowledge"
	"lacuna/knowledge/eval"
)

// StrangeRecords says how many of the records that questions call relevant no source has, as if the questions were of
// other sources; "" if there are none.
func StrangeRecords(library *knowledge.Library, queries []eval.Query) string {
	known := map[string]bool{}
	for _, passage := range library.Passages() {
		known[passage.Record] = true
	}
	relevant, strange, example := map[string]bool{}, 0, ""
	for _, q := range queries {
		for _, record := range slices.Sorted(maps.Keys(q.Grades)) {
			if q.Grades[record] < 1 || relevant[record] {
				continue
			}
			if relevant[record] = true; !known[record] {
				strange, example = strange+1, cmp.Or(example, record)
			}
		}
	}
	if strange == 0 {
		return ""
	}
	return fmt.Sprintf("relevant records that no source has, such as %s: %d of %d; they count as not found", example, strange, len(relevant))
}
