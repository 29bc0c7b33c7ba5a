package handlers

// The part of the catalogue that stands behind questions in an outline.
const (
	stateAnswering = "being answered"
	stateAnswered  = "answered"
	stateOpen      = "open"
)

// questionState says in a few words how a question stands.
func questionState(answered bool, gaps int) string {
	state := stateOpen
	if answered {
		state = stateAnswered
	}
	if gaps > 0 {
		state += ", " + count(gaps, "gap")
	}
	return state
}
