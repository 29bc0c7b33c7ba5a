package note

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/handlers/note/sense"
	"lacuna/knowledge/head"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/question"
)

// run is a stretch of running text: the lines of one paragraph, heading or list item since the
// last question in it.
type run struct {
	pieces   []piece
	explicit bool // it is a question even without a question mark
	whole    bool // the question extends to the end of the paragraph
	// skip says that "lacuna: skip" precedes it: its first question does not count.
	skip bool
}

func (r *run) clear() { *r = run{pieces: r.pieces[:0]} }

// piece holds one line's part of a run.
type piece struct {
	text   string // without markers
	offset int    // of text in the note
	lines  passage.Span
	indent int // column of the text of the list item it stands in; 0 outside of lists
	form   sense.Form
	rest   bool // stands behind a question on its line
}

func (p *piece) cut(n int) { p.text, p.offset = p.text[n:], p.offset+n }

var questionMarker = regexp.MustCompile(`^(?:\*\*|__)?(?i:q|question|问|问题)(?:\*\*|__)?[ \t]*[:：](?:\*\*|__)?[ \t]*`)

// questionMarkerLen returns the length of the "Q:" at the beginning of a line, or 0.
func questionMarkerLen(text string) int {
	head := text[:min(len(text), 24)]
	if strings.IndexByte(head, ':') < 0 && !strings.Contains(head, "：") {
		return 0
	}
	return len(questionMarker.FindString(text))
}

// take adds a line to the run and emits the question that the line ends, if any.
func (s *scanner) take(p piece) {
	if s.run.explicit && !s.run.whole && !beginsLower(p.text) {
		s.flush()
	}
	if s.ask {
		s.flush()
		s.ask, s.run.explicit, s.run.whole = false, true, true
	}
	if marker := questionMarkerLen(p.text); marker > 0 && !s.run.whole {
		s.flush()
		p.cut(marker)
		s.run.explicit = true
	}
	if p.text == "" {
		return
	}
	s.run.skip = s.run.skip || s.skip
	s.skip = false
	s.run.pieces = append(s.run.pieces, p)
	if !s.run.explicit && strings.ContainsAny(p.text, "?？") {
		s.emitAsked()
	}
}

// emitAsked emits the questions of the run that end on its last line, and leaves in the run what stands behind them.
func (s *scanner) emitAsked() {
	r := &s.run
	first := len(r.pieces) - 1
	for first > 0 && continuesIn(r.pieces[first-1].text, r.pieces[first].text) {
		first--
	}
	pieces := slices.Clone(r.pieces[first:])
	last := pieces[len(pieces)-1]
	var joined strings.Builder
	starts := make([]int, len(pieces))
	for i, p := range pieces {
		if i > 0 {
			joined.WriteByte(' ')
		}
		starts[i] = joined.Len()
		joined.WriteString(p.text)
	}
	text := joined.String()
	behind := 0 // offset of the rest in the last piece
	before := r.pieces[:first:first]
	spans := slices.DeleteFunc(sense.Asking(text, s.markup.trail), func(span passage.Span) bool { return span.End <= starts[len(starts)-1] })
	for i, span := range spans {
		rest := strings.Trim(text[span.End:], s.markup.trail)
		asked := between(pieces, starts, span)
		if len(asked) == 0 {
			continue
		}
		if i == 0 {
			s.emitUnmarked(append(before, between(pieces, starts, passage.Span{End: span.Start})...))
		}
		paragraph := asked
		if i == len(spans)-1 && rest == "" {
			paragraph = r.pieces
		}
		s.emit(asked, paragraph, rest != "")
		behind = span.End - starts[len(starts)-1]
	}
	if behind == 0 {
		return
	}
	skip := r.skip
	r.clear()
	if last.cut(behind); strings.TrimSpace(last.text) != "" {
		last.rest = true
		r.pieces, r.skip = append(r.pieces, last), skip
	}
}

// emitUnmarked adds the sentences of running text without a question mark that may ask all the same: tasks to find
// something out, what is said to be unclear, questions whose mark was left out.
func (s *scanner) emitUnmarked(pieces []piece) {
	if s.off || s.run.skip || s.run.explicit || len(pieces) == 0 {
		return
	}
	for i := 1; i < len(pieces); i++ {
		if !continuesIn(pieces[i-1].text, pieces[i].text) || len(pieces[i-1].text) < wrappedFrom {
			s.emitUnmarked(pieces[:i])
			s.emitUnmarked(pieces[i:])
			return
		}
	}
	var joined strings.Builder
	starts := make([]int, len(pieces))
	may := false
	for i, p := range pieces {
		if i > 0 {
			joined.WriteByte(' ')
		}
		starts[i] = joined.Len()
		joined.WriteString(p.text)
		may = may || sense.MayAsk(p.text)
	}
	if !may {
		return
	}
	text := joined.String()
	for _, span := range sense.Sentences(text) {
		sentence := text[span.Start:span.End]
		if !sense.MayAsk(sentence) || strings.HasSuffix(sentence, ":") || strings.HasSuffix(sentence, "：") { // the head of a list
			continue
		}
		asked := between(pieces, starts, span)
		if len(asked) == 0 {
			continue
		}
		first, last := asked[0], asked[len(asked)-1]
		words := s.markup.inline(sentence)
		if strings.IndexFunc(words, isLetterOrDigit) < 0 {
			continue
		}
		s.addQuestion(Question{
			Text: words, Span: passage.Span{Start: first.offset, End: last.offset + len(last.text)}, Answer: -1,
			lines: passage.Span{Start: first.lines.Start, End: last.lines.End}, heading: s.heads, unmarked: true, form: first.form,
			indent: strings.Repeat(" ", last.indent),
		})
	}
}

// wrappedFrom is the least number of bytes of a line that goes on below it, where nothing is asked: many a note has a
// thought a line, without a full stop.
const wrappedFrom = 50

// between returns the parts of pieces, which begin at some offsets of a text, within a span of it.
func between(pieces []piece, starts []int, span passage.Span) []piece {
	var parts []piece
	for i, p := range pieces {
		from, to := max(span.Start-starts[i], 0), min(span.End-starts[i], len(p.text))
		if from >= to {
			continue
		}
		p.text = p.text[:to]
		p.cut(from)
		parts = append(parts, p)
	}
	return parts
}

// flush ends the run and emits its question, if it has an explicit one.
func (s *scanner) flush() {
	if s.run.explicit && len(s.run.pieces) > 0 {
		s.emit(s.run.pieces, s.run.pieces, false)
	} else {
		s.emitUnmarked(s.run.pieces)
	}
	s.run.clear()
}

// emit adds to the note the question that the pieces make up. A question with options is the whole paragraph: every
// detail of a case may decide. goesOn says that more follows on its last line.
func (s *scanner) emit(pieces, paragraph []piece, goesOn bool) {
	if s.off || s.run.skip {
		return
	}
	o := options{last: none}
	if !goesOn {
		o = s.optionsBelow(s.note.Lines.LineAt(pieces[len(pieces)-1].lines.Start) + 1)
	}
	if o.all != nil {
		pieces = paragraph
	}
	texts := make([]string, len(pieces))
	for i, p := range pieces {
		texts[i] = p.text
	}
	text := s.markup.inline(strings.Join(texts, " "))
	if strings.IndexFunc(text, isLetterOrDigit) < 0 {
		return
	}
	first, last := pieces[0], pieces[len(pieces)-1]
	lines := passage.Span{Start: first.lines.Start, End: last.lines.End}
	if o.all == nil && !s.inBox() {
		if attached := s.attachedBelow(s.note.Lines.LineAt(lines.End)+1, goesOn, s.listIndent == 0 && !s.heads); attached != none {
			_, lines.End = s.note.Lines.Span(attached)
			s.keep = attached
		}
	}
	s.addQuestion(Question{
		Text:    text,
		Span:    passage.Span{Start: first.offset, End: last.offset + len(last.text)},
		Answer:  -1,
		lines:   lines,
		heading: s.heads,
		indent:  strings.Repeat(" ", last.indent),
		form:    first.form, explicit: s.run.explicit,
	})
	s.giveOptions(&s.note.candidates[s.below], o)
}

// addQuestion adds a question; those that end on one line are answered below it by turns.
func (s *scanner) addQuestion(q Question) {
	n := s.note
	if s.below == none || n.candidates[s.below].lines.End != q.lines.End {
		s.group = len(n.candidates)
	}
	s.below = len(n.candidates)
	n.candidates = append(n.candidates, q)
}

// continuesIn reports whether a sentence continues on the next line. Notes break lines for many reasons, so that
// one counts only behind a long line without a full stop, or in lower case behind one that asks already or cannot end a sentence.
func continuesIn(line, next string) bool {
	end, _ := utf8.DecodeLastRuneInString(line)
	if strings.ContainsRune(".!?:;。！？：；", end) || sense.BeginsAsking(next) {
		return false
	}
	if length := utf8.RuneCountInString(line); length >= wrappedFrom {
		return true
	}
	last := line[lastStop(line):]
	return beginsLower(next) && (last != "" && sense.BeginsAsking(strings.ToUpper(last[:1])+last[1:]) || endsOpen.MatchString(last))
}

// lastStop returns where the last sentence of a line begins.
func lastStop(line string) int {
	at := strings.LastIndexAny(line, ".!?;:")
	return at + 1 + len(line[at+1:]) - len(strings.TrimLeft(line[at+1:], " \t\"”)"))
}

// endsOpen matches a line that the next one must go on with, however short it is.
var endsOpen = regexp.MustCompile(`(?i)(?:[,(–—&/+]|\b(?:a|an|the|of|for|in|on|at|to|with|by|from|as|than|and|or|but|if|whether|that|which|is|are|was|be|der|die|das|den|dem|des|ein|eine|einer|einem|einen|in|im|von|mit|bei|zu|zum|zur|auf|für|und|oder|ob|dass|als|ist|sind))$`)

func beginsLower(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLower(first)
}

// options are the options below a question with the line of the last.
type options struct {
	all  []question.Option
	last int
}

// optionsBelow looks for options on the lines from first on. It notes how far it looked: what those lines say decides
// how the question is read.
func (s *scanner) optionsBelow(first int) options {
	n := s.note
	var r question.OptionReader
	o := options{last: none}
	lettered := letters{}
	blank, indent := false, 0
	line := first
scan:
	for ; line < n.Lines.Count(); line++ {
		text, offset := n.trimmedLine(line)
		start, _ := n.Lines.Span(line)
		if text == "" {
			if blank {
				break
			}
			blank = true
			continue
		}
		if _, opens := s.markup.opens(text); opens {
			break
		}
		column := head.Columns(n.Text[start:offset])
		said, kind := s.markup.option(text, &lettered)
		switch {
		case kind == aroundOptions && (o.last == none || lettered.open):
		case kind == endOfOptions && o.last != none:
			o.last = line
			line++
			break scan
		case kind == optionText && r.Add(said):
			o.last, indent = line, column
		case kind == optionText && !blank && o.last == line-1 && s.continuesOption(text, said, column, indent):
			r.Continue(said)
			o.last = line
		default:
			break scan
		}
		blank = false
	}
	s.looked = max(s.looked, line)
	if o.all = r.Options(); o.all == nil {
		return options{last: none}
	}
	for i := range o.all {
		o.all[i].Text = s.markup.inline(o.all[i].Text)
		if o.all[i].Text == "" {
			return options{last: none}
		}
	}
	return o
}

// continuesOption reports whether a line goes on with the option above it: it is indented more, or goes on in lower
// case, and begins nothing else.
func (s *scanner) continuesOption(text, said string, column, indent int) bool {
	if said != text || strings.HasPrefix(text, s.markup.comment) || strings.ContainsRune("#>|`~=-*+\\.[<", rune(text[0])) {
		return false
	}
	return column > indent || beginsLower(text)
}

// beginsOptions reports whether options begin on a line, so that a question without a question mark ends above it.
func (s *scanner) beginsOptions(line int) bool {
	looked := s.looked
	o := s.optionsBelow(line)
	s.looked = max(looked, s.looked)
	return o.all != nil && line <= o.last
}

// giveOptions makes options a part of a question.
func (s *scanner) giveOptions(q *Question, o options) {
	if o.all == nil {
		return
	}
	_, end := s.note.Lines.Span(o.last)
	q.Options, q.lines = o.all, passage.Span{Start: q.lines.Start, End: max(q.lines.End, end)}
	s.options = o.last
}

// Asked returns the question with its options, a line each: what two questions must share to have one answer.
func (q Question) Asked() string {
	var b strings.Builder
	b.WriteString(q.Text)
	for _, o := range q.Options {
		b.WriteString("\n" + o.Letter + ". " + o.Text)
	}
	return b.String()
}

// identify gives each question its identity.
func (n *Note) identify() {
	readings, least := make([]sense.Reading, len(n.candidates)), make([]float64, len(n.candidates)) // to be certain
	for i := range n.candidates {
		q := &n.candidates[i]
		q.Replied = n.replies(*q)
		c := n.candidate(*q)
		readings[i], least[i] = n.read(c), certainFrom
		switch {
		case headsNothing(c):
			least[i] = 0
		case asksAsTask(c):
			least[i] = openTaskFrom
		}
	}
	open := sense.Open(readings)
	seen := make(map[QuestionID]int, len(n.candidates))
	for i := range n.candidates {
		q := &n.candidates[i]
		if q.root == "" {
			q.root = rootOf(q.Asked())
		}
		if q.Sense = q.senseOf(open[i]); open[i] >= least[i] {
			q.Sense = Certain
		}
		q.ID = q.root
		seen[q.ID]++
		if times := seen[q.ID]; times > 1 {
			q.ID = QuestionID(fmt.Sprintf("%s-%d", q.root, times))
		}
	}
	n.Questions = slices.DeleteFunc(slices.Clone(n.candidates), func(q Question) bool {
		return q.unmarked && q.Sense == Unlikely && q.Answer < 0
	})
}

// rootOf returns the identity of the first question with that text.
func rootOf(text string) QuestionID {
	folded := strings.Map(func(r rune) rune {
		if isLetterOrDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
	sum := sha256.Sum256([]byte(folded))
	return QuestionID(hex.EncodeToString(sum[:4]))
}

func isLetterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
