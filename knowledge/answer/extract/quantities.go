package extract

import (
	"regexp"
)

// Questions that only a figure answers, questions among them that a rhythm answers, and what counts as a
// figure: a number in digits or words, a share, a span of time. They match English only and leave other
// questions alone.
var (
	asksFigure = regexp.MustCompile(`(?i)\bhow\s+(?:much|many|long|often|quickly|soon|frequently)\b|` +
		`\bwhat\s+(?:does|do|did)\b.*\bcosts?\s*\W*$|` +
		`\bwhat\s+(?:is|are|was|were)\s+(?:the\s+)?(?:\w+\s+){0,2}(?:cost|price|fee|dose|dosage|number)\b`)
	asksRhythm = regexp.MustCompile(`(?i)\bhow\s+(?:often|frequently)\b`)

	figurePattern = regexp.MustCompile(`(?i)[0-9]|` +
		`\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|` +
		`forty|fifty|sixty|seventy|eighty|ninety|hundreds?|thousands?|millions?|dozens?|` +
		`half|third|quarter|double|once|twice|all|none|nothing|no|free|unlimited|` +
		`overnight|immediately|permanent(?:ly)?|indefinitely|lifelong|for\s+life|until)\b|` +
		`\b(?:an?|per|each|every|few|several|some)\s+(?:seconds?|minutes?|hours?|days?|nights?|weeks?|` +
		`fortnights?|months?|quarters?|years?|decades?)\b`)
	rhythmPattern = regexp.MustCompile(`(?i)\b(?:every|each|hourly|daily|nightly|weekly|fortnightly|monthly|` +
		`quarterly|yearly|annual(?:ly)?|always|never|regularly|rarely)\b`)
)

// wantsFigure reports whether the question asks for a figure that the text does not hold.
func (r *reading) wantsFigure(text string) bool {
	if !asksFigure.MatchString(r.question) || figurePattern.MatchString(text) {
		return false
	}
	return !asksRhythm.MatchString(r.question) || !rhythmPattern.MatchString(text)
}
