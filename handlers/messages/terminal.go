package messages

// What the board of "lacuna tui" says.
const (
	BoardReading     = "Reading the notes again…"
	BoardAnswering   = "Answering…"
	BoardDismissing  = "Dismissing…"
	BoardRestoring   = "Restoring…"
	BoardBusy        = "Wait until this is done: %s"
	BoardNotDone     = "Not done: %v"
	BoardNotOpened   = "Not opened: %v"
	BoardNotRead     = "The notes cannot be read: %v"
	BoardNoGap       = "This question has no gap to dismiss."
	BoardNothingBack = "Nothing was dismissed here."
	BoardTooSmall    = "Make the window larger."
	BoardNoQuestions = "No note of this folder asks a question; a line that ends in “?” is one."
	BoardNoneFits    = "No question fits the filter; Esc takes it away."
	BoardNoGaps      = "No question has a gap; Tab shows all questions."
	BoardDismissed   = "The gaps of this question are dismissed; u takes it back."
	BoardRestored    = "The gaps of this question are marked again."
)
