package prompts

import (
	"regexp"
	"strings"
)

// What models say to a person around what they were asked for. In a note it would stand among the
// sentences of the answer.
var (
	// greeting is a first sentence that is none of the answer: an exclamation, or what announces the rest
	// and ends in a colon.
	greeting = regexp.MustCompile(`(?i)^[\s*]*(?:` +
		`(?:sure|certainly|of course|absolutely|great question|good question|happy to help|gladly|gerne|natürlich|bien sûr|claro|por supuesto|¡claro|当然可以|当然|好的|没问题)(?:[,，]? (?:thing|i can help(?: with that)?))?\s*[!.！。]` +
		`|(?:(?:sure|certainly|of course|okay|ok|gerne|好的|当然)[,，.!。！]?\s*)?(?:here(?:['’]s| is| are)|below (?:is|are)|hier (?:ist|sind)|voici|aquí (?:está|tiene)|以下是|下面是)[^.!?。！？\n]{0,120}[:：]` +
		`|(?:based on|according to|from) the (?:provided |given |above )?(?:contexts?|passages?|documents?|information)(?: provided| given)?[,:]?\s*(?:here(?:['’]s| is| are)[^.!?\n]{0,80})?:` +
		`)[\s*]*`)
	// farewell is a last sentence to the person.
	farewell = regexp.MustCompile(`(?i)(?:^|[.!?。！？)\]*]\s*|\n\s*)(?:[*_>-]*\s*)(?:` +
		`i (?:hope|trust) (?:this|that|it|these)\b[^.!?\n]{0,60}(?:help|useful|clear|answers|clarif|understand)[^.!?\n]{0,60}` +
		`|hope (?:this|that|it) helps[^.!?\n]{0,40}` +
		`|(?:please )?(?:let me know|feel free)\b[^.!?\n]{0,160}` +
		`|(?:please )?(?:do not|don['’]?t) hesitate\b[^.!?\n]{0,160}` +
		`|if you (?:have|need|want|would like)\b[^.!?\n]{0,120}(?:ask|let me know|feel free|question|help|assist)[^.!?\n]{0,80}` +
		`|(?:is there|do you have|would you like|do you want)\b[^.!?\n]{0,160}\?` +
		`|(?:ich hoffe, das hilft|j['’]espère que|espero que)[^.!?\n]{0,80}` +
		`|(?:希望(?:这|以上|对您|能)|如(?:果您)?(?:有|还有)[^。！？\n]{0,12}(?:问题|疑问))[^。！？\n]{0,60}` +
		`)[.!?。！？…]*[\s*_]*$`)
)

// mostCourtesies is how many sentences are taken off each end.
const mostCourtesies = 4

// longestFarewell is where in a text a farewell is looked for, in bytes from its end.
const longestFarewell = 600

// withoutCourtesies takes off a text what is said to the person before and after it. A text that is
// nothing else stays.
func withoutCourtesies(text string) string {
	text = strings.TrimSpace(text)
	if bare := between(text); bare != "" {
		return bare
	}
	return text
}

// between is what stands between the courtesies of a text.
func between(bare string) string {
	for range mostCourtesies {
		at := greeting.FindStringIndex(bare)
		if at == nil {
			break
		}
		bare = bare[at[1]:]
	}
	for range mostCourtesies {
		tail := max(0, len(bare)-longestFarewell)
		at := farewell.FindStringIndex(bare[tail:])
		if at == nil {
			break
		}
		end := tail + at[0]
		if end > 0 || strings.ContainsAny(bare[:min(len(bare), 1)], ".!?)]*") { // the mark before belongs to the text
			end += sizeOfMark(bare[end:])
		}
		bare = strings.TrimRight(bare[:end], " \t\r\n>-_")
	}
	return strings.TrimSpace(bare)
}

// sizeOfMark is the length of the mark of punctuation that a text begins with, in bytes.
func sizeOfMark(text string) int {
	for _, r := range text {
		if strings.ContainsRune(".!?。！？)]*", r) {
			return len(string(r))
		}
		break
	}
	return 0
}
