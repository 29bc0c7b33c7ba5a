package messages

import (
	"cmp"
	"fmt"
	"strings"

	"lacuna/handlers/claims"
	"lacuna/handlers/note"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/entail"
	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/sanitise"
	"lacuna/knowledge/superseded"
)

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

// RewordedCitation is about a quote whose sentence says something else in its source now.
func RewordedCitation(path, quote string, now claims.Rewording) string {
	was, is := differingWords(quote, now)
	var change string
	switch {
	case len(was) == 0 && len(is) == 0:
		change = "punctuation or white space"
	case len(is) == 0:
		change = strings.Join(was, ", ") + " is gone"
	case len(was) == 0:
		change = strings.Join(is, ", ") + " is new"
	default:
		change = strings.Join(was, ", ") + " is now " + strings.Join(is, ", ")
	}
	return fmt.Sprintf("The cited sentence of %s has changed: %s. Answer the question again, or compare both.", path, change)
}

// EditedQuote is about a quote that somebody edited: its sentence is in the source as it was.
func EditedQuote(path, quote string, source claims.Rewording) string {
	said, stated := differingWords(quote, source)
	var difference string
	switch {
	case len(said) == 0 && len(stated) == 0:
		difference = "other punctuation or white space"
	case len(stated) == 0:
		difference = "nothing of " + strings.Join(said, ", ")
	case len(said) == 0:
		difference = strings.Join(stated, ", ") + " as well"
	default:
		difference = strings.Join(stated, ", ") + ", not " + strings.Join(said, ", ")
	}
	return fmt.Sprintf("The quote was edited: %s says %s. Undo the change, or answer the question again.", path, difference)
}

// differingWords returns the words that only a quote has, and those that only its sentence in the source has.
func differingWords(quote string, source claims.Rewording) (said, stated []string) {
	for _, s := range source.Lost {
		said = append(said, "“"+sanitise.Visible(quote[s.Start:s.End])+"”")
	}
	for _, s := range source.New {
		stated = append(stated, "“"+sanitise.Visible(source.Now[s.Start:s.End])+"”")
	}
	return said, stated
}

// Superseded says why a cited source is no longer the one to rely on.
func Superseded(path string, f superseded.Finding) string {
	newer := "“" + f.Name + "”"
	switch {
	case f.Reason == superseded.Overdue:
		return fmt.Sprintf("%s was due for review by %s. Check whether it still holds.", path, f.Due)
	case f.Reason == superseded.Newer:
		return fmt.Sprintf("There is a newer version of %s in your sources: %s. Compare both.", path, newer)
	case f.By == nil:
		return fmt.Sprintf("%s says that %s replaces it, which is not in your sources. Check whether it still holds.", path, newer)
	}
	return fmt.Sprintf("%s is replaced by %s. Compare both.", path, newer)
}

// SourcesConflict names the words of two sources that cannot both be true.
func SourcesConflict(c answer.SourceConflict) string {
	d := c.Differences[0]
	return fmt.Sprintf("Your sources disagree: “%s” in %s, “%s” in %s. Compare both.", plaintext.OneLine(d.Said), sourceName(c.A), plaintext.OneLine(d.Stated), sourceName(c.B))
}

// SidesOfConflict is a line of an answer that quotes two sources that cannot both hold.
func SidesOfConflict(c answer.SourceConflict) string {
	side := func(c answer.Citation) string {
		return fmt.Sprintf("“%s” (%s)", plaintext.OneLine(c.Shown()), sourceName(c))
	}
	return "Your sources disagree: " + side(c.A) + " – " + side(c.B)
}

// ConflictSide is one of two sides of a conflict in a hover.
func ConflictSide(sentence string) string { return "“" + sentence + "”" }

// ConflictHead stands above the sides of a conflict in a hover.
const ConflictHead = "Your sources disagree. Lacuna does not decide which is right:"

func sourceName(c answer.Citation) string {
	return At(c.Passage.Source+"/"+c.Passage.Record, c.Passage, c.Place().Line)
}

// EarlyAnswer is about a question whose block was written before all sources had been read.
const EarlyAnswer = "This was answered when only some of your sources had been read. All have been read since: answer it again."

// NowAnswered is about a question whose block says that the sources do not answer it.
const NowAnswered = "Your sources now answer this question, which they did not when this was written. Answer it again."

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
	Unsupported     = "This sentence was compared with the passages that were found for the question, and none of them states it. Check it, answer again, or delete it."
	Uncited         = "This sentence of a model's answer has no citation. Answer the question again, or check it and add its source."
	BackgroundClaim = "Background from the model: none of your sources says this, and it is not evidence."
)

// Contradicted is about a statement that a source contradicts: the words that differ, as far as they are known.
func Contradicted(s note.Statement) string {
	return Sentences("The source says otherwise.", differ(s.Differences), whoChecked(s), "Compare both, and correct or delete the sentence.")
}

// PartlyStated is about a statement that its source states only in part.
func PartlyStated(s note.Statement) string {
	return Sentences(cmp.Or(notStated(s.Unstated), "The cited passage does not state all of this."), whoChecked(s), "Check that part, or leave it out.")
}

// ClaimContradicted is about a sentence of a note that a source contradicts now.
func ClaimContradicted(f claims.Finding) string {
	var differences []note.Difference
	for _, d := range f.Differences {
		differences = append(differences, note.Difference{Said: sanitise.Visible(d.Said), Stated: sanitise.Visible(d.Stated)})
	}
	where := sanitise.Visible(whereOf(f))
	if !f.Cited {
		return Sentences(where+" says otherwise.", differ(differences), "Compare both; cite the passage that is right.")
	}
	return Sentences("The cited source says otherwise ("+where+").", differ(differences), "Compare both, and correct the sentence or its citation.")
}

// ClaimNotStated is about a sentence of a note that the passages it cites do not state, or not all of it.
func ClaimNotStated(f claims.Finding) string {
	message := "The cited passage does not speak of this"
	if f.Verdict == entail.Partly {
		message = cmp.Or(strings.TrimSuffix(notStated(f.Unstated), "."), "The cited passage does not state all of this")
	}
	message += " (compared with " + sanitise.Visible(whereOf(f)) + ")."
	if f.Elsewhere != nil {
		message += " " + sanitise.Visible(whereOf(*f.Elsewhere)) + " states it."
	}
	return message
}

// whereOf names the place that a finding compared a sentence with.
func whereOf(f claims.Finding) string {
	return At(f.Passage.Source+"/"+f.Passage.Record, f.Passage, f.Place().Line)
}

// ClaimVerdict says in a hover how a passage and a sentence stand to each other; empty if nothing is to say.
func ClaimVerdict(f claims.Finding) string {
	switch f.Verdict {
	case entail.States:
		return "The source states this."
	case entail.Partly:
		return cmp.Or(notStated(f.Unstated), "The source does not state all of this.")
	case entail.Contradicts:
		return "The source says otherwise."
	case entail.Absent:
		return "The cited passage does not speak of this."
	}
	return "Words alone cannot tell whether the source states this."
}

// Where a hover puts a sentence and that of its source below each other.
func ClaimHere(sentence string) string { return "The note: " + sentence }

func ClaimThere(quote string) string { return "The source: " + quote }

// ComparedWith names the passage that a sentence was compared with.
func ComparedWith(f claims.Finding) string { return "Compared with " + whereOf(f) + "." }

// StatedElsewhere names a passage that states a sentence, where those that it cites do not.
func StatedElsewhere(f claims.Finding) string {
	return whereOf(f) + " states it: “" + f.Quote + "”"
}

// TitleCite is the title of the fix that cites a passage behind a sentence.
func TitleCite(f claims.Finding) string {
	return "Cite this passage: " + sanitise.Visible(whereOf(f))
}

// TitleTakeWords is the title of the fix that puts a source's words in place of a sentence.
func TitleTakeWords(f claims.Finding) string {
	return "Take the source's words: “" + Shorten(sanitise.Visible(f.Quote), 80) + "”"
}

func whoChecked(s note.Statement) string {
	if s.ByModel {
		return "This is a model's opinion."
	}
	return ""
}

// Remark returns what is said behind a statement where its sources are named: how far they carry it.
func Remark(b note.Bullet) string {
	switch b.Basis {
	case note.Partly:
		return strings.TrimSuffix(lowerFirst(cmp.Or(notStated(b.Unstated), "Not all of it is stated there.")), ".")
	case note.Contradicted:
		return strings.TrimSuffix(cmp.Or(lowerFirst(differ(b.Differences)), "the source says otherwise"), ".")
	case note.Unchecked:
		if len(b.Citations) > 0 {
			return "compare"
		}
	}
	return strings.Trim(note.Remark(b.Basis), "()")
}

// notStated names the parts of a sentence that its source does not state; empty for none.
func notStated(parts []string) string {
	if len(parts) == 0 {
		return ""
	}
	return "Not stated there: “" + strings.Join(parts, "”, “") + "”."
}

// differ names the words in which a source and a sentence differ; empty for none.
func differ(differences []note.Difference) string {
	var parts []string
	for _, d := range differences {
		switch {
		case d.Stated != "" && d.Said != "":
			parts = append(parts, fmt.Sprintf("it says “%s” where the sentence says “%s”", d.Stated, d.Said))
		case d.Stated != "":
			parts = append(parts, fmt.Sprintf("it says “%s”", d.Stated))
		case d.Said != "":
			parts = append(parts, fmt.Sprintf("it does not say “%s”", d.Said))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return UpperFirst(strings.Join(parts, ", and ")) + "."
}

func MoreMarks(left int) string {
	return fmt.Sprintf("%d more marks in this note are not shown: the setting diagnostics.max limits them.", left)
}
