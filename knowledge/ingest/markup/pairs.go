package markup

import (
	"regexp"
	"slices"
	"strings"

	"lacuna/knowledge/document"
	"lacuna/knowledge/passage"
)

// Pair is a question that a document marks with "Q:", and the answer behind its "A:".
type Pair struct {
	passage.Span // of both, with their marks
	Question     string
	Answer       passage.Span
	Headings     []string // outermost first
}

var (
	questionMark = regexp.MustCompile(`^[ \t]*(?:#{1,6}[ \t]+|[-*+][ \t]+)?(?:\*\*|__)?(?:[Qq](?:uestion)?|问)(?:\*\*|__)?[:：](?:\*\*|__)?[ \t]*`)
	answerMark   = regexp.MustCompile(`^[ \t]*(?:#{1,6}[ \t]+|[-*+][ \t]+)?(?:\*\*|__)?(?:[Aa](?:nswer)?|答)(?:\*\*|__)?[:：](?:\*\*|__)?[ \t]*`)
)

// pairsOf returns the pairs of a Markdown document whose blocks and code are given. A question ends
// at a blank line or at its answer, which must follow; an answer ends at the next question, heading or
// hidden text.
func pairsOf(body string, blocks []document.Block, code []passage.Span) []Pair {
	s := pairScanner{body: body}
	for _, b := range blocks {
		if b.Kind == passage.Heading {
			s.headings = append(s.headings, b)
		}
	}
	for line := wholeLines(body, 0, 0); line.Start < len(body); line = nextLine(body, line.End) {
		if !overlaps(code, passage.Span{Start: line.Start, End: line.End + 1}) {
			s.line(line)
		}
	}
	s.close(len(body))
	return s.pairs
}

// pairScanner finds pairs line by line.
type pairScanner struct {
	body     string
	headings []document.Block // not yet passed
	path     []document.Block
	open     Pair
	state    pairState
	pairs    []Pair
}

type pairState int

const (
	outside       pairState = iota
	inQuestion              // its lines
	afterQuestion           // behind them
	answering
)

func (s *pairScanner) line(line passage.Span) {
	text := s.body[line.Start:line.End]
	question, answer := questionMark.FindString(text), answerMark.FindString(text)
	if len(s.headings) > 0 && s.headings[0].Start <= line.Start {
		h := s.headings[0]
		s.headings = s.headings[1:]
		if question == "" && (answer == "" || s.state == outside) {
			s.close(line.Start)
			s.path = slices.DeleteFunc(s.path, func(above document.Block) bool { return above.Level >= h.Level })
			if h.Label != "" {
				s.path = append(s.path, h)
			}
			return
		}
	}
	switch {
	case question != "":
		s.close(line.Start)
		s.state = inQuestion
		s.open = Pair{Span: passage.Span{Start: line.Start}, Question: text[len(question):]}
		for _, h := range s.path {
			s.open.Headings = append(s.open.Headings, h.Label)
		}
	case answer != "" && (s.state == inQuestion || s.state == afterQuestion):
		s.state = answering
		s.open.Answer.Start = line.Start + len(answer)
	case s.state == inQuestion && strings.TrimSpace(text) != "":
		s.open.Question += " " + text
	case s.state == inQuestion:
		s.state = afterQuestion
	case s.state == afterQuestion && strings.TrimSpace(text) != "":
		s.state = outside
	}
}

// close ends the open pair before an offset, and adds it if it is complete.
func (s *pairScanner) close(end int) {
	if s.state == answering {
		p := s.open
		if hidden := hiddenOpening.FindStringIndex(s.body[p.Answer.Start:end]); hidden != nil {
			end = p.Answer.Start + hidden[0]
		}
		p.Answer = trim(s.body, passage.Span{Start: p.Answer.Start, End: end})
		p.Question = strings.TrimSpace(headingText(p.Question))
		p.End = p.Answer.End
		if p.Question != "" && p.Answer.Len() > 0 && !hiddenOpening.MatchString(p.Question) {
			s.pairs = append(s.pairs, p)
		}
	}
	s.state = outside
}

// withoutPairs returns the blocks outside the pairs. Text on both sides of a pair shares no passage.
func withoutPairs(blocks []document.Block, pairs []Pair) []document.Block {
	if len(pairs) == 0 {
		return blocks
	}
	var left []document.Block
	moved := make([]int, len(blocks)+1) // 1 plus the new index of each block, by 1 plus the old
	apart := false
	for i, b := range blocks {
		for len(pairs) > 0 && pairs[0].End <= b.Start {
			pairs, apart = pairs[1:], true
		}
		for _, p := range pairs {
			if p.Start >= b.End {
				break
			}
			if before := b; p.Start > b.Start && b.Kind != passage.Heading {
				before.End, before.Apart = p.Start, before.Apart || apart
				left, apart = append(left, before), false
			}
			b.Start, apart = min(max(b.Start, p.End), b.End), true
		}
		if b.Len() == 0 {
			continue
		}
		b.Apart = b.Apart || apart
		apart = false
		left = append(left, b)
		moved[i+1] = len(left)
	}
	for i := range left {
		left[i].Lead = moved[left[i].Lead]
	}
	return left
}
