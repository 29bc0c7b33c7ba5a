package gate

import (
	"regexp"
	"strings"

	"lacuna/knowledge/passage"
)

// refusals matches the ways in which a response says that it is no answer.
var refusals = regexp.MustCompile(`(?i)\b(?:cannot|can(?:no|')t|could not|couldn't)\s+(?:be\s+)?(?:determined?|provided?|answer(?:ed)?|cho(?:ose|sen)|sa(?:y|id)|tell)\b` +
	`|\b(?:not possible|impossible|unable)\s+to\b` +
	`|\b(?:not enough|insufficient|without(?: \w+){0,2}|no)\s+(?:\w+\s+)?(?:information|images?|data|context)\b` +
	`|\bnot\s+(?:provided|mentioned|listed|given|specified|stated|clear)\b` +
	`|\bnone of the (?:given|above|options|documents|contexts)\b` +
	`|\b(?:does|do) not (?:provide|mention|include|match|specify|contain|say)\b` +
	`|\bmore information\b|\bincomplete\b|\bI (?:do not|don't) know\b` +
	`|无法(?:回答|确定|判断|得知)|不(?:知道|清楚|确定)|没有(?:足够的?)?(?:信息|资料|提到|提及)|未(?:提及|提到|说明|给出)`)

// Refuses reports whether a response is no answer: it is empty, it chooses no letter of a question with
// options, or it ends in saying that it has no answer.
func Refuses(q Question, r *Response) bool {
	switch {
	case r == nil:
		return true
	case r.Hidden:
		return false
	case len(q.Options) > 0:
		return r.Choice == ""
	case strings.TrimSpace(r.Text) == "":
		return true
	}
	spans := passage.Sentences(r.Text, passage.Plain)
	return refusals.MatchString(r.Text[spans[max(0, len(spans)-2)].Start:]) && !claims(r.Text, spans)
}

// claims reports whether a sentence before the last two says something without refusing: an answer that ends
// in a caveat is an answer.
func claims(text string, spans []passage.Span) bool {
	for _, s := range spans[:max(0, len(spans)-2)] {
		if !refusals.MatchString(text[s.Start:s.End]) {
			return true
		}
	}
	return false
}
