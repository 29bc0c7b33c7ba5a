package extract

import (
	"regexp"
	"slices"
)

// aimPattern matches sentences that say what a study set out to find: to a reader with the same question
// they only repeat it. English and Chinese; other languages are left alone.
var aimPattern = regexp.MustCompile(`(?i)^\W*(?:[a-z]{3,}:\s*)?to\s+(?:determine|assess|evaluate|investigate|examine|study|compare|explore|identify|test|describe|` +
	`analy[sz]e|clarify|establish|understand|develop|report|review|measure|quantify|estimate|characteri[sz]e|find\s+out|see\s+(?:if|whether))\b|` +
	`\b(?:aims?|objectives?|purpose|goal)\b[^.]{0,60}?\b(?:is|was|are|were)\s+to\b|` +
	`\b(?:this|the\s+(?:present|current))\s+(?:study|trial|paper|article|review|report|work|analysis)\s+(?:aim(?:s|ed)|was\s+designed|sought|` +
	`(?:examine|investigate|evaluate|assesse|explore|compare)[sd])\b|` +
	`\bwe\s+(?:(?:therefore|here|thus)\s+)?(?:aim(?:ed)?|sought|set\s+out|wanted|planned)\s+to\b|` +
	`\bwe\s+(?:investigated?|examined?|evaluated?|assess(?:ed)?|explored?|stud(?:y|ied)|test(?:ed)?|asked?|hypothesi[sz]ed?)\s+(?:whether|if|how|that)\b|` +
	`^\W*目的|旨在|(?:本文|本研究)(?:探讨|研究|目的)`)

// A result is told by verbs that say so, and by the ways of comparing and denying in which results are
// written.
var (
	resultPattern     = regexp.MustCompile(`(?i)\b(?:found|show(?:s|ed|n)|demonstrat(?:es|ed)|reveal(?:s|ed)|conclude[sd]?|result(?:s|ed)\s+in)\b|结果|发现|表明|显示|证实`)
	comparisonPattern = regexp.MustCompile(`(?i)\b(?:significant(?:ly)?|correlat(?:es|ed)\s+(?:with|positively|negatively)|` +
		`(?:was|were|is|are)\s+(?:not\s+)?(?:\w+\s+)?(?:associated|related|correlated|predictive|effective|similar|comparable|superior|increased|decreased|reduced|` +
		`higher|lower|greater|better|worse|more|less|different)|` +
		`no\s+(?:\w+\s+)?(?:evidence|differences?|effect|association|correlation|relationship|impact|change)|` +
		`(?:did|does|do)\s+not|(?:more|less)\s+likely|improve[sd]|predict(?:s|ed))\b|\bp\s*[<=>]`)
)

// statesAim reports whether a sentence says what was to be found out, and nothing about what was.
func statesAim(text string) bool {
	return aimPattern.MatchString(text) && !resultPattern.MatchString(text)
}

// aimReach is how far the finding of a study may score below its aim, which shares more words with the
// question. Measured on PubMedQA: of 400 leads 171 state an aim, and 80 of them bring a finding; what is
// shown holds .115 of the word pairs of the authors' conclusion instead of .109, and its F1 stays. Showing
// the finding instead of the aim costs .02 of the lead's ROUGE-L, because conclusions repeat the words of
// aims.
const aimReach = .3

// finding returns the best sentence of the lead's document that states a result, if the lead states only
// an aim.
func (r *reading) finding(order []int, scores []float64) (int, bool) {
	lead := &r.sentences[order[0]]
	if !statesAim(lead.text) {
		return 0, false
	}
	study := r.pages[lead.page].hit.Passage
	at := slices.IndexFunc(order, func(i int) bool {
		s := &r.sentences[i]
		from := r.pages[s.page].hit.Passage
		return from.Source == study.Source && from.Document == study.Document && scores[i] >= scores[order[0]]-aimReach &&
			!aimPattern.MatchString(s.text) && (resultPattern.MatchString(s.text) || comparisonPattern.MatchString(s.text))
	})
	if at < 0 {
		return 0, false
	}
	return order[at], true
}
