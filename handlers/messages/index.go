package messages

import (
	"fmt"

	"lacuna/knowledge"
)

// What a person is told where something could not be kept. Each says what happened, what Lacuna does
// instead, and what can be done.

// SourcesLimited is for the stage [knowledge.Limited].
func SourcesLimited(e knowledge.Event) string {
	return fmt.Sprintf("your sources are more than Lacuna reads: %s. What was read is searched. Leave files out with exclude, or raise the limit under [limits] in your own settings; lacuna sources lists the files.", e.Note)
}

// IndexNotKept is for the stages [knowledge.Unwritten] and [knowledge.Provisional].
func IndexNotKept(e knowledge.Event) string {
	instead := "a temporary index answers instead and is removed at the end"
	if e.Stage == knowledge.Unwritten {
		instead = "the index as it was answers instead, without what has changed since"
	}
	return fmt.Sprintf("the index cannot be written (%s); %s. Make room, or set LACUNA_CACHE_DIR to a folder that can be written.", e.Note, instead)
}
