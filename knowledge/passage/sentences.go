package passage

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/plaintext"
)

// Sentences returns the sentences of text in order, as spans that never overlap, are never empty
// and never begin or end with white space. What lies between them is markup, white space, or
// something no sentence may hold: code, images, HTML comments.
//
// A sentence ends at a full stop, exclamation or question mark, with the closing quotes and
// brackets behind it, where white space and something that can open a sentence follow; not after
// an abbreviation, an initial, or the number of a list, and not inside brackets that close soon.
// The Chinese marks 。！？； end one without white space. A bullet begins one.
// A heading, a list item, a table row and a line end that is not a soft wrap end one too; in
// Markdown only a hard break is such a line end, in plain text a line that stopped although the
// next word would have fitted.
// The marker of a list item and the outer bars of a row are not part of them.
//
// The cost is linear in the length of text, whatever it holds.
func Sentences(text string, format Format) []Span {
	var spans []Span
	add := func(s Span) {
		if s = trim(text, s); s.Len() > 0 {
			spans = append(spans, s)
		}
	}
	for _, b := range blocks(text, format) {
		if b.whole {
			add(b.Span)
			continue
		}
		split(text, b.Span, add)
	}
	return spans
}

// sentencesIn returns the sentences of a block of a text behind its marker. Its lines are known to belong
// together, except in plain text, where they may be an address or a verse.
func sentencesIn(text string, marker int, format Format) []Span {
	var found []block
	switch format {
	case Markdown:
		found = runBlocks(text, marker)
	case Wrapped:
		found = []block{{Span: Span{marker, len(text)}}}
	default:
		return Sentences(text, format)
	}
	var spans []Span
	for _, b := range found {
		split(text, b.Span, func(s Span) {
			if s = trim(text, s); s.Len() > 0 {
				spans = append(spans, s)
			}
		})
	}
	return spans
}

func blocks(text string, format Format) []block {
	if format == Markdown {
		return markdownBlocks(text)
	}
	return plainBlocks(text)
}

// trim removes white space and a bullet from a span; it returns an empty span if no letter or digit is
// left.
func trim(text string, s Span) Span {
	body := text[s.Start:s.End]
	trimmed := strings.TrimLeftFunc(body, unicode.IsSpace)
	trimmed = strings.TrimLeftFunc(trimmed[bulletLen(trimmed):], unicode.IsSpace)
	start := s.End - len(trimmed)
	trimmed = strings.TrimRightFunc(trimmed, unicode.IsSpace)
	if strings.IndexFunc(trimmed, IsWordRune) < 0 {
		return Span{}
	}
	return Span{Start: start, End: start + len(trimmed)}
}

// split splits one block of running text into sentences, in order. What holds no letter belongs to the
// sentence after it, or at the end to the one before.
func split(text string, block Span, emit func(Span)) {
	s := splitter{body: text[:block.End], start: block.Start, emit: emit}
	for i := block.Start; i < block.End; {
		r, size := utf8.DecodeRuneInString(s.body[i:])
		switch {
		case isHanStop(r):
			end := skipClosers(s.body, skipStops(s.body, i), false)
			if s.letters && !s.enclosed(i) {
				s.end(end, end)
			}
			i = end
		case r == '.' || r == '!' || r == '?' || r == '…':
			i = s.stop(i, r)
		case bulletInside[r] && s.letters && spaced(s.body, i, size):
			s.end(i, i)
			i += size
		default:
			s.see(i, r)
			i += size
		}
	}
	switch {
	case s.start >= block.End:
	case s.letters || s.last.Len() == 0:
		s.end(block.End, block.End)
	case IsWordRune(lastWordRune(s.body[s.start:])):
		s.last.End = block.End
	}
	if s.last.Len() > 0 {
		emit(s.last)
	}
}

// splitter finds the ends of sentences.
type splitter struct {
	body    string
	start   int  // of the open sentence
	letters bool // it has some
	opened  int  // 1 plus the offset of its last bracket that is open; 0 for none
	last    Span // the sentence before it
	emit    func(Span)
}

// see takes note of a rune inside a sentence.
func (s *splitter) see(at int, r rune) {
	switch {
	case r == '(' || r == '（':
		if s.letters {
			s.opened = at + 1
		}
	case r == ')' || r == '）':
		s.opened = 0
	case !s.letters && unicode.IsLetter(r):
		s.letters = true
	}
}

// enclosed reports whether an offset is inside brackets that close soon.
func (s *splitter) enclosed(at int) bool {
	const before, after = 200, 120
	if s.opened == 0 || at-s.opened > before {
		return false
	}
	rest := s.body[at:min(len(s.body), at+after)]
	end := strings.IndexAny(rest, "()（）")
	if end < 0 || strings.HasPrefix(rest[end:], "(") || strings.HasPrefix(rest[end:], "（") {
		return false
	}
	return true
}

// end ends the open sentence; the next begins at an offset.
func (s *splitter) end(at, next int) {
	if s.last.Len() > 0 {
		s.emit(s.last)
	}
	s.last = Span{s.start, at}
	s.start, s.letters, s.opened = next, false, 0
}

// stop decides whether a sentence ends with the mark at an offset, and returns where to go on.
func (s *splitter) stop(at int, r rune) int {
	after := skipStops(s.body, at)
	closed := skipClosers(s.body, after, true)
	end := skipReference(s.body, closed)
	next := skipSpace(s.body, end)
	if quote, size := utf8.DecodeRuneInString(s.body[next:]); quote == '»' && next > end { // French
		end = next + size
		next = skipSpace(s.body, end)
	}
	for i := at; i < end; {
		r, size := utf8.DecodeRuneInString(s.body[i:])
		if r == ')' || r == '）' {
			s.opened = 0
		}
		i += size
	}
	single := r == '.' && after == at+1
	switch {
	case next == end || next == len(s.body) || !s.letters || !opensSentence(s.body[next:]):
	case s.enclosed(end):
	case single && abbreviated(s.body, s.start, at, next, closed > after):
	default:
		s.end(end, next)
		return next
	}
	return end
}

// spaced reports whether a mark stands between white space.
func spaced(body string, at, size int) bool {
	before, _ := utf8.DecodeLastRuneInString(body[:at])
	after, _ := utf8.DecodeRuneInString(body[at+size:])
	return unicode.IsSpace(before) && unicode.IsSpace(after)
}

// bulletInside holds the marks that begin an item inside a line.
var bulletInside = map[rune]bool{'•': true, '▪': true, '◦': true, '‣': true, '●': true}

// lastWordRune returns the last letter or digit of a text, or 0.
func lastWordRune(text string) rune {
	if at := strings.LastIndexFunc(text, IsWordRune); at >= 0 {
		r, _ := utf8.DecodeRuneInString(text[at:])
		return r
	}
	return 0
}

func isHanStop(r rune) bool {
	return r == '。' || r == '！' || r == '？' || r == '；' || r == '｡'
}

func skipStops(body string, i int) int {
	return skipRunes(body, i, func(r rune) bool {
		return r == '.' || r == '!' || r == '?' || r == '…' || isHanStop(r)
	})
}

// skipClosers skips quotes and brackets that belong to the sentence they close, and Markdown's emphasis
// marks. A quote before a space closes; it cannot do anything else. If latin is set, that includes the
// quotes that open in other languages.
func skipClosers(body string, i int, latin bool) int {
	return skipRunes(body, i, func(r rune) bool {
		return unicode.In(r, unicode.Pe, unicode.Pf) || strings.ContainsRune("\"'*_`~", r) || latin && (r == '“' || r == '‘' || r == '«')
	})
}

func skipSpace(body string, i int) int { return skipRunes(body, i, unicode.IsSpace) }

func skipRunes(body string, i int, in func(rune) bool) int {
	for i < len(body) {
		r, size := utf8.DecodeRuneInString(body[i:])
		if !in(r) {
			break
		}
		i += size
	}
	return i
}

// skipReference skips references after the full stop: superscript numbers, [12], [3,4] or [^note]; and,
// behind a space, short brackets such as [2024], [new 2021] or [emphasis added], unless they are a link.
func skipReference(body string, i int) int {
	const longest = 40
	i = skipRunes(body, i, func(r rune) bool { return strings.ContainsRune("¹²³⁰⁴⁵⁶⁷⁸⁹⁻", r) })
	at := skipRunes(body, i, func(r rune) bool { return r == ' ' || r == '\n' || r == '*' })
	if at >= len(body) || body[at] != '[' {
		return i
	}
	window := body[at:min(len(body), at+longest)]
	end := strings.IndexByte(window, ']')
	if end < 0 {
		return i
	}
	inside, behind := window[1:end], body[at+end+1:]
	number := strings.HasPrefix(inside, "^") || inside != "" && strings.Trim(inside, "0123456789,;–- ") == ""
	switch {
	case at == i && !number, strings.HasPrefix(behind, "("), strings.HasPrefix(behind, "["), strings.HasPrefix(behind, ":"), strings.ContainsAny(inside, "[|"):
		return i
	case at > i && strings.TrimSpace(behind) != "":
		if next := skipSpace(behind, 0); next == 0 && behind[0] != '*' || !number && !opensSentence(behind[next:]) {
			return i
		}
	}
	return skipClosers(body, at+end+1, true)
}

// opensSentence reports whether rest begins as a sentence can: with a capital, also as in pH, a letter of
// a script without case, a digit, an opening quote or bracket, a dash, a bullet, or emphasis.
func opensSentence(rest string) bool {
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case unicode.IsUpper(r), unicode.IsTitle(r), unicode.Is(unicode.Lo, r), unicode.IsDigit(r):
		return true
	case unicode.In(r, unicode.Ps, unicode.Pi, unicode.Pd, unicode.Sm, unicode.Sc):
		return true
	case unicode.IsLower(r):
		second, _ := utf8.DecodeRuneInString(rest[size:])
		return unicode.IsUpper(second)
	}
	return r != utf8.RuneError && strings.ContainsRune("\"'•·◦▪●*_`¿¡§„", r)
}

// abbreviated reports whether the full stop at dot belongs to the word before it. The sentence
// began at start, and what follows begins at next; closed says that a quote or bracket closes between.
func abbreviated(body string, start, dot, next int, closed bool) bool {
	from := wordStart(body, start, dot)
	word := body[from:dot]
	if word == "" || isLabel(body[start:dot]) {
		return word != ""
	}
	key := strings.ToLower(word)
	follower := body[next:wordEnd(body, next)]
	starts := starters[strings.ToLower(follower)]
	switch {
	case isNumber(word):
		return len(word) <= 2 && (months[strings.ToLower(follower)] || ordinalAfter[strings.ToLower(wordBefore(body, start, from))])
	case strings.Trim(word, "0123456789.") == "":
		return sections[strings.ToLower(wordBefore(body, start, from))] && strings.TrimSpace(body[start:from]) == wordBefore(body, start, from)
	case isInitials(word):
		before := wordBefore(body, start, from)
		if utf8.RuneCountInString(before) == 1 && unicode.IsLower(rune(before[0])) { // z. B.
			return true
		}
		if utf8.RuneCountInString(word) == 1 && labels[strings.ToLower(before)] {
			return false
		}
		return !starts && !closed
	case utf8.RuneCountInString(word) == 1 && unicode.IsLower(rune(word[0])): // d. h., but not 4 g.
		before := wordBefore(body, start, from)
		return strings.IndexByte(" \n(", body[max(0, from-1)]) >= 0 && (!isNumber(before) || utf8.RuneCountInString(follower) == 1) && !labels[strings.ToLower(before)]
	case key == "a.m" || key == "p.m":
		return months[strings.ToLower(follower)] || hours[strings.ToLower(follower)]
	case openEnded[key]:
		return closed && !starts
	}
	if numbered[key] {
		r, _ := utf8.DecodeRuneInString(follower)
		return unicode.IsDigit(r) || utf8.RuneCountInString(follower) == 1 && unicode.IsUpper(r) && !starts
	}
	if perhaps[key] {
		return !starts && !closed
	}
	return abbreviations[key] || strings.HasSuffix(key, "str") && len(key) > 5
}

// wordStart returns where the word that ends at end begins. Full stops inside belong to it.
// Abbreviations are short, so the walk stops early and the cost of a text stays linear.
func wordStart(body string, start, end int) int {
	const longest = 16
	at := end
	for at > start && end-at < longest {
		r, size := utf8.DecodeLastRuneInString(body[start:at])
		if !IsWordRune(r) && r != '.' {
			break
		}
		at -= size
	}
	return at
}

// wordEnd returns where the word that begins at start ends, or where it becomes too long to be looked up.
func wordEnd(body string, start int) int {
	const longest = 24
	at := start
	for at < len(body) && at-start < longest {
		r, size := utf8.DecodeRuneInString(body[at:])
		if !IsWordRune(r) {
			break
		}
		at += size
	}
	return at
}

// wordBefore returns the word that ends before an offset, without its full stop.
func wordBefore(body string, start, at int) string {
	const furthest = 4
	end := at
	for end > start && at-end < furthest && strings.IndexByte(" \n\t.\r", body[end-1]) >= 0 {
		end--
	}
	return body[wordStart(body, start, end):end]
}

func isNumber(word string) bool { return strings.Trim(word, "0123456789") == "" }

// isInitials reports whether word is capitals with full stops between them: J, or J.R.
func isInitials(word string) bool {
	wantLetter := true
	for _, r := range word {
		if wantLetter && !unicode.IsUpper(r) || !wantLetter && r != '.' {
			return false
		}
		wantLetter = !wantLetter
	}
	return !wantLetter
}

// isLabel reports whether a text is the label of an item, such as 4.2(b), (iv), A or N.B.
func isLabel(text string) bool {
	const longest = 12
	if len(text) > longest+8 {
		return false
	}
	text = strings.TrimSpace(text)
	if text == "" || len(text) > longest {
		return false
	}
	run := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
			run++
			if run > 1 && strings.IndexByte("ivxlcIVXLC", c) < 0 || run == 2 && strings.IndexByte("ivxlcIVXLC", text[i-1]) < 0 {
				return false
			}
		case '0' <= c && c <= '9' || strings.IndexByte(".()[]*-", c) >= 0:
			run = 0
		default:
			return false
		}
	}
	return true
}

// labels holds the words after which a single letter is a label rather than an initial, as in "vitamin
// D" or "hepatitis B".
var labels = plaintext.Set(`annex appendix box category class exhibit factor figure form grade group hepatitis immunoglobulin influenza
	item level model option part phase plan point schedule section stage step table team type unit vitamin`)

// sections holds the words after which a number with full stops names a section.
var sections = plaintext.Set("section article clause chapter part rule step table figure abschnitt artikel kapitel paragraph ziffer")

// abbreviations holds words whose full stop never ends a sentence.
var abbreviations = plaintext.Set(`e.g i.e eg ie vs viz cf al ca approx resp excl incl esp a.k.a
	dr drs mr mrs ms mx prof profs rev hon lt col gen capt maj sgt cmdr gov sen rep pres supt messrs mt ft bro
	fig figs eq eqs vol vols pp eds bros est op
	sp spp subsp ssp
	jan feb mar apr jun jul aug sep sept oct nov dec dez okt
	abb bzw d.h evtl ggf u.a z.b vgl zzgl inkl exkl mind gem sog bspw hrsg bd med phil jur nat tel
	stat ann supp cir calif colo conn fla mich minn neb nev okla tenn tex vt wis wyo bgbl gvbl
	mme mlle env ex ej sra srta sig dott avv ing ee`)

// numbered holds words that are abbreviations only before a number or a letter: "no. 5", but "The answer
// is no."
var numbered = plaintext.Set(`abs anl app appx art arts cap ch chap ed kap max min no nos nr núm p pag pág par para paras ref refs rn sec secs sect sects
	tab var ver ziff`)

// perhaps holds abbreviations that may end a sentence; they do before a word that often opens one.
var perhaps = plaintext.Set(`adm ala ariz ark ga ill ind kan ky mass md mont pa va wash assn ave blvd co corp dept dx hr hrs hx ibid inc jr lb lbs ltd llc m.d mio mo mrd oz ph.d pt rd sr st
	tbsp tsp univ uu wk yr yrs`)

// openEnded holds abbreviations at the end of a list, which a capital shows to be the sentence's too.
var openEnded = plaintext.Set("etc usw ecc u.s.w")

// starters holds words that often open a sentence and are no names.
var starters = plaintext.Set(`a after all also although an and another any are as at because before both but by can do does during each every for from
	he her here his how however i if in is it its many most no not nobody of on once one only or other others our she since so some such that the
	their then there therefore these they this those though thus to under unless until use we what when where whether which while who why with
	you your
	aber als am auch auf bei das dann der die diese dieser dieses doch ein eine er es für ihr ihre im in ist man mit nach nicht oder sie sind so
	und von vor wenn wer wie wir zu zum zur
	ce ces cet cette dans elle elles en et il ils je la le les leur mais nous on par pour sur un une vous
	al como con cuando del el ella ellos esta este esto hay las los más no para pero por se si sin su sus un una
	che chi come con da dal di è e gli i il la le lo ma nel non per quando questo se sono una`)

// months holds the names after which a number with a full stop is a day, and those of days.
var months = plaintext.Set(`januar jänner februar märz april mai juni juli august september oktober november dezember
	january february march may june july october december
	monday tuesday wednesday thursday friday saturday sunday
	montag dienstag mittwoch donnerstag freitag samstag sonntag
	jan feb apr jun jul aug sep sept okt oct nov dez dec`)

// hours holds the zones that follow a time of day.
var hours = plaintext.Set("est edt et cst cdt ct mst mdt mt pst pdt pt gmt utc cet cest bst")

// ordinalAfter holds the German words after which a number with a full stop is an ordinal.
var ordinalAfter = plaintext.Set("der die das dem den des im am vom zum zur beim bis ab seit nach vor jeder jede jedes ein einer")
