package extract

import (
	"regexp"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/lexical"
)

// asksYesNo matches questions that want a yes or a no.
var asksYesNo = regexp.MustCompile(`(?i)^\W*(?:am|are|can|could|did|do|does|has|have|is|may|might|must|should|was|were|will|would)\b|吗|是否|能不能|可不可以|有没有`)

// Negations lists words that deny, without words that also name things: "heart failure", "非甾体"
// (non-steroidal).
var Negations = map[string]bool{
	"no": true, "not": true, "never": true, "none": true, "nor": true, "neither": true,
	"without": true, "cannot": true, "isn": true, "aren": true, "wasn": true, "weren": true,
	"don": true, "doesn": true, "didn": true, "couldn": true, "shouldn": true,
	"lack": true, "lacks": true, "lacked": true, "lacking": true, "absence": true, "absent": true,
	"fail": true, "fails": true, "failed": true, "unlikely": true, "unable": true,
	"inconclusive": true, "ineffective": true, "contraindicated": true,
	"不": true, "没": true, "无": true, "未": true, "勿": true,
}

// negates reports whether a text denies something.
func negates(text string) bool {
	for _, word := range lexical.Words(text) {
		if Negations[word] {
			return true
		}
	}
	return false
}

// Disagree reports whether, for a yes-or-no question, a statement of one document negates and one of
// another does not. A verdict from that would be no better than always "yes" (measured), so the reader is
// told and decides.
func Disagree(question string, statements []answer.Statement, citations []answer.Citation) bool {
	if !asksYesNo.MatchString(question) {
		return false
	}
	denying, affirming := make(map[string]bool), make(map[string]bool)
	for _, s := range statements {
		from := citations[s.Citations[0]-1].Passage
		document := from.Source + "\x00" + from.Document
		if negates(s.Text) {
			denying[document] = true
		} else {
			affirming[document] = true
		}
	}
	for document := range denying {
		for other := range affirming {
			if document != other {
				return true
			}
		}
	}
	return false
}
