package handlers

import (
	"fmt"

	"lacuna/knowledge"
)

// What a person is told where something could not be kept. Each says what happened, what Lacuna does
// instead, and what can be done.

// IndexNotKept is for the stages [knowledge.Unwritten] and [knowledge.Provisional].
func IndexNotKept(e knowledge.Event) string {
	instead := "a temporary index answers instead and is removed at the end"
	if e.Stage == knowledge.Unwritten {
		instead = "the index as it was answers instead, without what has changed since"
	}
	return fmt.Sprintf("the index cannot be written (%s); %s. Make room, or set LACUNA_CACHE_DIR to a folder that can be written.", e.Note, instead)
}
