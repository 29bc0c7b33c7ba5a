package messages

import "fmt"

// Messages of diagnostics on citations.
func NoSuchSource(n int) string {
	return fmt.Sprintf("The list of sources below has no number %d. Answer the question again to restore it.", n)
}

func BrokenCitation(path string) string {
	return fmt.Sprintf("The cited file %s is no longer in your sources. Answer the question again, or put the file back.", path)
}

func StaleCitation(path string) string {
	return fmt.Sprintf("%s has changed and no longer holds the cited passage. Answer the question again.", path)
}

// CitedElsewhere is about a citation whose words stand in another file, under another title or heading: the
// file may have another name now, or the words may be about something else.
func CitedElsewhere(path string) string {
	return fmt.Sprintf("%s no longer contains the cited passage. The same words appear elsewhere, under another title or heading: check whether they mean the same.", path)
}

func ChangedQuote(path string) string {
	return fmt.Sprintf("The quote differs from what %s says. Undo the change, or answer the question again.", path)
}

// Messages of diagnostics on files of the sources.
func SkippedFile(reason string) string { return "This file is not searched: " + reason + "." }

// PartlyRead says why not all of a file is searched, and what the user can do, if that is known.
func PartlyRead(reason, advice string) string {
	text := "Not all of this file is searched: " + reason + "."
	if advice != "" {
		text += " " + UpperFirst(advice) + "."
	}
	return text
}

func HiddenText(places int) string {
	return fmt.Sprintf("This file contains text that a reader does not see (comments, invisible characters) in %s. Comments are not searched. Review it, and remove what is not yours.", count(places, "place"))
}

// Messages of diagnostics on lines about privacy.
const (
	UnclearPrivateNote   = "This line seems to say that the note is private, so the note is treated as private: nothing of it goes to a model. Write “lacuna: private”, or remove the line."
	UnclearPrivateSource = "This line seems to say that this is private, so it is treated as private: it is never put into a prompt. Write “lacuna: private”, or remove the line."
)

// Messages of diagnostics on what a model wrote.
const (
	Unsupported     = "Nothing found in your sources supports this sentence. Check it, answer again, or delete it."
	Uncited         = "This sentence of a model's answer has no citation. Answer the question again, or check it and add its source."
	BackgroundClaim = "Background from the model: none of your sources says this, and it is not evidence."
)

func MoreMarks(left int) string {
	return fmt.Sprintf("%d more marks in this note are not shown: the setting diagnostics.max limits them.", left)
}
