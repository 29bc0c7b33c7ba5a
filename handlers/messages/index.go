package messages

import (
	"fmt"

	"lacuna/knowledge"
)

// SourcesLimited describes the stage [knowledge.Limited].
func SourcesLimited(e knowledge.Event) string {
	return fmt.Sprintf("your sources exceed what Lacuna reads: %s. What was read is searched. Leave files out with exclude, or raise the limit under [limits] in your own settings; lacuna sources lists the files.", e.Note)
}

// IndexNotKept describes the stages [knowledge.Unwritten] and [knowledge.Provisional].
func IndexNotKept(e knowledge.Event) string {
	instead := "a temporary index is used instead and removed at the end"
	if e.Stage == knowledge.Unwritten {
		instead = "the previous index is used instead, without later changes"
	}
	return fmt.Sprintf("the index cannot be written (%s); %s. Free disk space, or set LACUNA_CACHE_DIR to a writable folder.", e.Note, instead)
}
