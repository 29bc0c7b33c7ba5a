package ingest

import (
	"regexp"
	"slices"
	"strings"

	"lacuna/knowledge/passage"
)

// pair is a question that a document marks with "Q:", and the answer behind its "A:".
type pair struct {
	passage.Span // of both, with their marks
	question     string
	answer       passage.Span
	headings     []string
}

var (
	questionMark = regexp.MustCompile(`^[ \t]*(?:#{1,6}[ \t]+|[-*+][ \t]+)?(?:\*\*|__)?(?:[Qq](?:uestion)?|问)(?:\*\*|__)?[:：](?:\*\*|__)?[ \t]*`)
	answerMark   = regexp.MustCompile(`^[ \t]*(?:#{1,6}[ \t]+|[-*+][ \t]+)?(?:\*\*|__)?(?:[Aa](?:nswer)?|答)(?:\*\*|__)?[:：](?:\*\*|__)?[ \t]*`)
)

// pairsOf finds the pairs of a Markdown document whose headings and code are given. A question ends
// at a blank line or its answer, which must follow; an answer ends at the next question, heading or
// anything that a reader does not see.
func pairsOf(body string, headings []heading, code []passage.Span) []pair {
	s := pairScanner{body: body, headings: headings}
	for line := wholeLines(body, 0, 0); line.Start < len(body); line = nextLine(body, line.End) {
		if !overlaps(code, passage.Span{Start: line.Start, End: line.End + 1}) {
			s.line(line)
		}
	}
	s.close(len(body))
	return s.pairs
}

// pairScanner reads a document line by line.
type pairScanner struct {
	body     string
	headings []heading // not yet passed
	path     []heading
	open     pair
	state    pairState
	pairs    []pair
}

type pairState int

const (
	outside    pairState = iota
	inQuestion           // its lines
	asked                // behind them
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
			s.path = slices.DeleteFunc(s.path, func(above heading) bool { return above.level >= h.level })
			if h.text != "" {
				s.path = append(s.path, h)
			}
			return
		}
	}
	switch {
	case question != "":
		s.close(line.Start)
		s.state = inQuestion
		s.open = pair{Span: passage.Span{Start: line.Start}, question: text[len(question):]}
		for _, h := range s.path {
			s.open.headings = append(s.open.headings, h.text)
		}
	case answer != "" && (s.state == inQuestion || s.state == asked):
		s.state = answering
		s.open.answer.Start = line.Start + len(answer)
	case s.state == inQuestion && strings.TrimSpace(text) != "":
		s.open.question += " " + text
	case s.state == inQuestion:
		s.state = asked
	case s.state == asked && strings.TrimSpace(text) != "":
		s.state = outside
	}
}

// close ends the open pair before an offset and keeps it if it is whole.
func (s *pairScanner) close(end int) {
	if s.state == answering {
		p := s.open
		if hidden := hiddenOpening.FindStringIndex(s.body[p.answer.Start:end]); hidden != nil {
			end = p.answer.Start + hidden[0]
		}
		p.answer = trimSpace(s.body, passage.Span{Start: p.answer.Start, End: end})
		p.question = strings.TrimSpace(headingText(p.question))
		p.End = p.answer.End
		if p.question != "" && p.answer.Len() > 0 && !hiddenOpening.MatchString(p.question) {
			s.pairs = append(s.pairs, p)
		}
	}
	s.state = outside
}

// passage returns the pair as a passage of the document that base describes.
func (p *pair) passage(base passage.Passage, text string) passage.Passage {
	base.Kind = passage.QA
	base.Question = p.question
	base.Text = text[p.answer.Start:p.answer.End]
	base.Headings = p.headings
	base.Title = ""
	base.Identify("")
	return base
}
