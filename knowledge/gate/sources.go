package gate

import (
	"regexp"
	"strings"

	"lacuna/knowledge/eval"
	"lacuna/knowledge/passage"
)

// SplitOff takes out of a history the questions whose own source is among the passages. A base that
// explains the very questions of the history hands a gate the answers, and what is learnt from them
// holds for no other question: measured, 785 explanations of questions of the history raised a
// learned gate from within chance to two points.
//
// A question is taken for one of the passages' where it is a stored question in the same words, or
// stands as their title, and where its identity is that of their record or shares a number of it: a
// run of at least seven hexadecimal digits, as records and questions made of them often do.
func SplitOff(history []Item, passages []*passage.Passage) (kept, dropped []Item) {
	records, questions := make(map[string]bool), make(map[string]bool)
	for _, p := range passages {
		for _, key := range keysOf(p.Record) {
			records[key] = true
		}
		for _, text := range []string{p.Question, p.Title} {
			if words := eval.Words(text); len(words) >= leastWords {
				questions[strings.Join(words, " ")] = true
			}
		}
	}
	for _, i := range history {
		if questions[eval.Normalize(i.Text)] || anyOf(records, keysOf(i.ID)) {
			dropped = append(dropped, i)
		} else {
			kept = append(kept, i)
		}
	}
	return kept, dropped
}

// leastWords that a question or title needs to tell one source from another.
const leastWords = 3

// numbers are what identities of records and of questions made of them have in common.
var numbers = regexp.MustCompile(`[0-9a-f]{7,}`)

// keysOf are the names under which an identity is compared. Runs of letters alone are words.
func keysOf(id string) []string {
	id = strings.ToLower(strings.TrimSpace(id))
	if id == "" {
		return nil
	}
	keys := []string{"=" + id}
	for _, run := range numbers.FindAllString(id, -1) {
		if strings.ContainsAny(run, "0123456789") {
			keys = append(keys, run)
		}
	}
	return keys
}

func anyOf(set map[string]bool, keys []string) bool {
	for _, key := range keys {
		if set[key] {
			return true
		}
	}
	return false
}
