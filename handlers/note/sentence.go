package note

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
)

// Sentences returns the sentences that cite something, in running text and in answers, in order; with uncited
// also declarative sentences of running text that cite nothing. Of a note that was edited since it was last called
// it reads only what changed, as [Note.WithText] does. The caller must not change the result.
func (n *Note) Sentences(uncited bool) []Sentence {
	n.seen.mu.Lock()
	defer n.seen.mu.Unlock()
	before := n.seen.last
	if before == n && n.seen.uncited == uncited {
		return n.seen.all
	}
	running, ok := []Sentence(nil), false
	if before != nil && n.seen.uncited == uncited {
		running, ok = n.edited(before, uncited)
	}
	if !ok {
		n.seen.cited, running = n.runningSentences(passage.Span{End: len(n.Text) + 1}, uncited)
	}
	n.seen.last, n.seen.uncited, n.seen.running, n.seen.all = n, uncited, running, running
	if statements := n.statements(); len(statements) > 0 {
		n.seen.all = slices.Concat(running, statements)
		slices.SortStableFunc(n.seen.all, func(a, b Sentence) int { return a.Span.Start - b.Span.Start })
	}
	return n.seen.all
}

// edited returns the sentences in running text, given those of an earlier version: what stands above the last
// joint before the change, and below the first that both have behind it, is the same. ok is false without such
// joints. The caller must hold seen.mu.
func (n *Note) edited(before *Note, uncited bool) (running []Sentence, ok bool) {
	same, sameEnd := sameEnds(before.Text, n.Text)
	joint := n.jointBefore(same)
	if joint == none || !before.isJoint(joint) || n.unclosed || before.unclosed || n.front != before.front {
		return nil, false
	}
	above, _ := n.Lines.Span(joint)
	below := len(n.Text) + 1
	lower, down := n.Lines.Count()-before.Lines.Count(), len(n.Text)-len(before.Text)
	for _, line := range n.joints[sort.SearchInts(n.joints, n.Lines.LineAt(len(n.Text)-sameEnd)):] {
		if start, _ := n.Lines.Span(line); start > len(n.Text)-sameEnd && before.isJoint(line-lower) {
			below = start
			break
		}
	}
	at := func(offset int) int {
		return sort.Search(len(n.seen.running), func(i int) bool { return n.seen.running[i].Span.Start >= offset })
	}
	_, changed := n.runningSentences(passage.Span{Start: above, End: below}, uncited)
	running = slices.Concat(n.seen.running[:at(above)], changed, n.seen.running[at(below-down):])
	for i := at(above) + len(changed); i < len(running); i++ {
		s := &running[i]
		s.Span, s.End = spanAt(s.Span.Start, s.Span.End, down), s.End+down
	}
	return running, true
}

// runningSentences returns the sentences of the running text that begins within a part of the note, and the
// paragraphs by their text. The caller must hold seen.mu.
func (n *Note) runningSentences(within passage.Span, uncited bool) (paragraphs map[paragraphKey][]Sentence, all []Sentence) {
	paragraphs = make(map[paragraphKey][]Sentence)
	first := sort.Search(len(n.running), func(i int) bool { return n.running[i].Start >= within.Start })
	for i := first; i < len(n.running) && n.running[i].Start < within.End; {
		last := i + 1
		for last < len(n.running) && n.running[last].continues {
			last++
		}
		span := passage.Span{Start: n.running[i].Start, End: n.running[last-1].End}
		i = last
		text := n.Text[span.Start:span.End]
		if !uncited && !strings.ContainsAny(text, "[`") && !strings.Contains(text, `\href`) {
			continue
		}
		key := paragraphKey{text, uncited}
		found, known := paragraphs[key]
		if !known {
			if found, known = n.seen.cited[key]; !known {
				key.text = strings.Clone(text) // not the whole note
				found = n.paragraph(key.text, uncited)
			}
			paragraphs[key] = found
		}
		for _, s := range found {
			s.Span, s.End = spanAt(s.Span.Start, s.Span.End, span.Start), s.End+span.Start
			if !n.asks(s.Span) {
				all = append(all, s)
			}
		}
	}
	return paragraphs, all
}

// asks reports whether a span is in a question.
func (n *Note) asks(span passage.Span) bool {
	at, _ := slices.BinarySearchFunc(n.Questions, span.Start, func(q Question, start int) int { return q.Span.End - start - 1 })
	return at < len(n.Questions) && n.Questions[at].Span.Start < span.End
}

// statements returns the statements of answers that a model or a person worded and that name a source.
func (n *Note) statements() []Sentence {
	var all []Sentence
	questions := make(map[int]string, len(n.Answers))
	for _, q := range n.Questions {
		if q.Answer >= 0 {
			questions[q.Answer] = q.Text
		}
	}
	for i := range n.Answers {
		a := &n.Answers[i]
		for j, said := range a.Statements {
			switch said.Basis {
			case Claim, Partly, Contradicted, Unchecked, Opinion:
			default:
				continue
			}
			s := Sentence{
				Text: said.Text, Span: said.Span, End: n.lineEndBehind(said.Span.End), Answer: i, Statement: j,
				Question: questions[i], Opinion: said.Basis == Opinion,
			}
			for _, number := range said.Cites {
				if c, listed := a.citation(number); listed {
					cite := Cite{Passage: c.Passage, Path: c.Path, Line: c.Line, Quote: c.Quote}
					if c.Wiki {
						cite.Path, cite.Name, cite.Heading = "", c.Path, c.Heading
					}
					s.Cites = append(s.Cites, cite)
				}
			}
			if len(s.Cites) > 0 {
				s.Key = s.key()
				all = append(all, s)
			}
		}
	}
	return all
}

// lineEndBehind returns the end of the line at an offset, without white space.
func (n *Note) lineEndBehind(offset int) int {
	text, start := n.trimmedLine(n.Lines.LineAt(offset))
	return max(offset, start+len(text))
}

func (s *Sentence) key() string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q", s.Text, s.Question)
	for _, c := range s.Cites {
		if c.Passage != (passage.ID{}) {
			sum.Write(c.Passage[:])
			continue
		}
		fmt.Fprintf(sum, " %q %d %q %q", c.Path, c.Line, c.Name, c.Heading)
	}
	return string(sum.Sum(nil)[:12])
}

// seeWords may stand before a citation in brackets.
const seeWords = `see also|see|cf\.?|source:?|vgl\.?|siehe|quelle:?|参见|见|来源：?`

// mention is a citation, or the mark of an opinion, in a paragraph.
type mention struct {
	span    passage.Span // of all that is no word of the sentence
	label   passage.Span // of words in it that are the sentence's
	cites   []Cite
	opinion bool
}

// paragraph returns the sentences of a paragraph.
func (n *Note) paragraph(text string, uncited bool) []Sentence {
	mentions := n.mentions(text)
	if len(mentions) == 0 && !uncited {
		return nil
	}
	masked := []byte(lineEnds.Replace(text)) // a paragraph's lines belong together
	for _, m := range mentions {
		for i := m.span.Start; i < m.span.End; i++ {
			if i < m.label.Start || i >= m.label.End {
				masked[i] = ' '
			}
		}
	}
	for _, at := range emptyBrackets.FindAllIndex(masked, -1) {
		for i := at[0]; i < at[1]; i++ {
			masked[i] = ' '
		}
	}
	spans := passage.Sentences(string(masked), passage.Wrapped)
	sentences := make([]Sentence, len(spans))
	for i, span := range spans {
		words := strings.TrimSpace(spaceBefore.ReplaceAllString(plaintext.OneLine(string(masked[span.Start:span.End])), "$1"))
		sentences[i] = Sentence{Text: n.markup.inline(words), Span: span, End: span.End, Answer: -1}
	}
	for _, m := range mentions {
		owner := -1
		for i, span := range spans {
			if span.Start <= m.span.Start || m.label.Len() > 0 && span.Start <= m.label.Start {
				owner = i
			}
		}
		if owner < 0 && len(spans) > 0 {
			owner = 0
		}
		if owner >= 0 {
			s := &sentences[owner]
			s.Cites, s.Opinion, s.End = append(s.Cites, m.cites...), s.Opinion || m.opinion, max(s.End, m.span.End)
		}
	}
	for i := range sentences {
		sentences[i].Key = sentences[i].key()
	}
	return slices.DeleteFunc(sentences, func(s Sentence) bool {
		return len(s.Cites) == 0 && !uncited || !isDeclarative(s.Text)
	})
}

// isDeclarative reports whether a text says something: it does not ask, and is no head of a list and no label.
func isDeclarative(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text, " \"”»)*_"))
	if strings.ContainsRune("?？:：", last) {
		return false
	}
	han := 0
	for _, r := range text {
		if unicode.Is(unicode.Han, r) {
			han++
		}
	}
	return han >= 5 || len(strings.Fields(text)) >= 3
}

var (
	emptyBrackets = regexp.MustCompile(`[(（]\s*(?i:` + seeWords + `)?[\s,;]*[)）]`)
	openBracket   = regexp.MustCompile(`[(（]\s*(?i:` + seeWords + `)?$`)
	lineEnds      = strings.NewReplacer("\n", " ", "\r", " ")
	spaceBefore   = regexp.MustCompile(`\s+([.,;:!?。，；：！？])`)
	opinionMark   = regexp.MustCompile(`\(own opinion\)|\(eigene Meinung\)|（个人意见）`)

	pandocKey = regexp.MustCompile(`\[[^\[\]@]*@[^\[\]]*\]`)
	oneKey    = regexp.MustCompile(`@\{?([\pL\pN_][\pL\pN_:.#$%&+?<>~/-]*)`)
	inlined   = regexp.MustCompile(`!?\[([^\[\]]*)\]\(\s*(?:<([^<>#]*)(#[^<>]*)?>|([^()<>#\s]+)(#[^()<>\s]*)?)(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)`)
	lineOf    = regexp.MustCompile(`^#(?:L|page=|paragraph=|slide=|cell=|part=)(\d{1,9})`)
	afterLink = regexp.MustCompile(`^(?:\[[^\[\]]*\]|\{[^{}]*\})`)
	placeName = regexp.MustCompile(`^(.*?)(?:(?::|, p\. )(\d{1,9}))?$`)
)

// mentions finds the citations of a paragraph, in order.
func (n *Note) mentions(text string) []mention {
	var found []mention
	add := func(m mention) {
		if !slices.ContainsFunc(found, func(had mention) bool { return had.span.Start < m.span.End && m.span.Start < had.span.End }) {
			found = append(found, m)
		}
	}
	for _, at := range opinionMark.FindAllStringIndex(text, -1) {
		add(mention{span: spanAt(at[0], at[1], 0), opinion: true})
	}
	if n.Language == Markdown {
		for _, at := range inlined.FindAllStringSubmatchIndex(text, -1) {
			part := func(i int) string {
				if at[2*i] < 0 {
					return ""
				}
				return text[at[2*i]:at[2*i+1]]
			}
			path, behind := part(2)+part(4), part(3)+part(5)
			if text[at[0]] == '!' || path == "" || urlScheme.MatchString(path) {
				continue
			}
			c := Cite{Path: unescapePath(n.markup.unescape(path))}
			if line := lineOf.FindStringSubmatch(behind); line != nil {
				c.Line, _ = strconv.Atoi(line[1])
			}
			m := mention{span: spanAt(at[0], at[1], 0), cites: []Cite{c}}
			if label := part(1); !isPlace(label) && !endsSentence(text, m.span, c.Line) {
				m.label = spanAt(at[2], at[3], 0)
			}
			add(m)
		}
		for _, at := range wikiLink.FindAllStringSubmatchIndex(text, -1) {
			if text[at[0]] == '!' {
				continue
			}
			m := mention{span: spanAt(at[0], at[1], 0), cites: []Cite{{Name: strings.TrimSpace(text[at[2]:at[3]])}}}
			if at[4] >= 0 {
				m.cites[0].Heading = text[at[4]:at[5]]
			}
			switch {
			case endsSentence(text, m.span, 0), at[6] < 0 && isLoose(text, m.span):
			case at[6] >= 0:
				m.label = spanAt(at[6], at[7], 0)
			default:
				m.label = spanAt(at[2], at[3], 0)
			}
			add(m)
		}
		for _, at := range pandocKey.FindAllStringIndex(text, -1) {
			m := mention{span: spanAt(at[0], at[1], 0)}
			for _, key := range oneKey.FindAllStringSubmatch(text[at[0]:at[1]], -1) {
				m.cites = append(m.cites, Cite{Name: strings.TrimRight(key[1], ".:,;")})
			}
			if len(m.cites) > 0 {
				add(m)
			}
		}
	} else {
		for _, l := range n.linksOf(text, 0) {
			m, c := mention{span: l.span}, Cite{Path: l.Path}
			if pattern := fileLinks[n.Language]; l.Label == "" && pattern != nil {
				for _, at := range pattern.FindAllStringIndex(text, -1) {
					if at[0] <= l.span.Start && l.span.End <= at[1] {
						m.span = spanAt(at[0], at[1], 0)
						m.span.End += len(afterLink.FindString(text[at[1]:]))
						if strings.HasSuffix(text[:m.span.End], "[") { // AsciiDoc
							m.span.End--
							m.span.End += len(afterLink.FindString(text[m.span.End:]))
						}
					}
				}
			}
			if l.Label != "" {
				m.span.Start, m.span.End = m.span.Start-1, m.span.End+1 // the brackets
				c.Name = l.Label
			}
			if line := placeName.FindStringSubmatch(l.suffix); line != nil && line[2] != "" {
				c.Line, _ = strconv.Atoi(line[2])
			} else if line := lineOf.FindStringSubmatch(l.suffix); line != nil {
				c.Line, _ = strconv.Atoi(line[1])
			}
			m.cites = []Cite{c}
			add(m)
		}
	}
	slices.SortFunc(found, func(a, b mention) int { return a.span.Start - b.span.Start })
	return found
}

// isLoose reports whether a link stands before the end of a sentence and behind no word that needs it.
func isLoose(text string, link passage.Span) bool {
	behind := strings.TrimLeft(text[link.End:], " \n\t")
	if behind != "" && !strings.ContainsAny(behind[:1], ".!") && !strings.HasPrefix(behind, "。") {
		return false
	}
	words := strings.Fields(text[:link.Start])
	return len(words) > 0 && !needsObject[strings.ToLower(words[len(words)-1])]
}

// needsObject has words that a sentence does not end with.
var needsObject = plaintext.Set("a an the of with by to in on for and or from than as into at about is are was were see called is versus vs not no " +
	"der die das den dem des ein eine einem einen von mit durch zu in auf für und oder aus als bei über ist sind war siehe")

// isPlace reports whether the label of a link names a place of a source, and is no word of the sentence: as
// completion and quick fixes write it, or a number.
func isPlace(label string) bool {
	return strings.ContainsAny(label, "/›") || placeEnd.MatchString(label) || strings.Trim(label, "0123456789 ^*") == ""
}

var placeEnd = regexp.MustCompile(`(?::|, p\. )\d{1,9}$`)

// endsSentence reports whether a link to a line of a file stands behind a sentence or in brackets of its own:
// then its label is no word of the sentence.
func endsSentence(text string, link passage.Span, line int) bool {
	before, behind := strings.TrimRight(text[:link.Start], " \n\t"), strings.TrimLeft(text[link.End:], " \n\t")
	if openBracket.MatchString(before) {
		return strings.HasPrefix(behind, ")") || strings.HasPrefix(behind, "）") || strings.HasPrefix(behind, ",") || strings.HasPrefix(behind, ";")
	}
	last, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(behind)
	if strings.ContainsRune(".!。！", last) {
		return behind == "" || unicode.IsUpper(next) || next == '[' || unicode.Is(unicode.Han, next) || line > 0
	}
	return false
}

// Cite returns the edit that puts a citation behind a sentence of running text.
func (n *Note) Cite(s Sentence, source BlockSource) Edit {
	return Edit{Span: passage.Span{Start: s.End, End: s.End}, NewText: " " + n.Language.Link(source)}
}

// Own returns the edit that marks a sentence as the writer's own.
func (n *Note) Own(s Sentence) Edit {
	at := s.End
	if s.Answer >= 0 { // its marks stay, and a remark goes
		at = s.Span.End
		rest := n.Text[at:s.End]
		if marks := leadingMarks.FindString(rest); marks != "" {
			at += len(marks)
		}
		return Edit{Span: passage.Span{Start: at, End: s.End}, NewText: " " + OwnOpinion}
	}
	return Edit{Span: passage.Span{Start: at, End: at}, NewText: " " + OwnOpinion}
}

var leadingMarks = regexp.MustCompile(`^(?: ` + markPattern + `)+`)

// Quote returns the edit that puts a verbatim quote with its citation in place of a sentence. In an answer the
// citation is a number of its list, source.N; in running text it is a link.
func (n *Note) Quote(s Sentence, quote string, source BlockSource) Edit {
	span := passage.Span{Start: s.Span.Start, End: s.End}
	if s.Answer >= 0 {
		return Edit{Span: span, NewText: n.markup.quote(Bullet{Text: quote}, fmt.Sprintf("[%d]", source.N))}
	}
	text := n.markup.leftQuote + n.markup.escape(plaintext.OneLine(quote)) + n.markup.rightQuote
	return Edit{Span: span, NewText: text + " " + n.Language.Link(source)}
}
