package redact

import (
	"bytes"
	"cmp"
	"compress/gzip"
	_ "embed"
	"encoding/binary"
	"hash/maphash"
	"io"
	"math"
	"math/bits"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// The tagger weighs what the rules and the lists say of each piece of a text, and what stands around it: a
// conditional random field with one label a piece (J. Lafferty and others, "Conditional random fields", ICML 2001), twice:
// the second pass sees what the first one found (see stacked.go). It was trained on invented notes; TestTagger makes its weights.

//go:embed tagger.txt.gz
var packedTagger []byte

// label is what a piece of a text is a part of.
type label uint8

const (
	nothing label = iota
	ofName
	ofPlace
	ofDate
	ofNumber
	ofContact
	ofAge
	labelCount
)

// labelLetters names the labels in the file of weights.
const labelLetters = "-NPDICA"

// passes is how often the tagger reads a text.
const passes = 2

// tagger is a linear chain, of each pass: the score of a sequence of labels is the sum of the weights of the features of each
// piece with its label, and of each label with the one before it. It keeps more than a million features as the lines of
// tagger.txt.gz, and reads the weights of those that a text has.
type tagger struct {
	lines   []byte
	places  []uint32 // one more than where a line begins in lines, at the hash of its feature or behind; 0 is none
	seed    maphash.Seed
	follows [passes][labelCount][labelCount]float64 // by the label before
}

var trained = sync.OnceValue(readTagger)

// readTagger unpacks the features, and finds their places while the rest is unpacked.
func readTagger() *tagger {
	packed, err := gzip.NewReader(bytes.NewReader(packedTagger))
	if err != nil {
		panic("redact: " + err.Error())
	}
	size := binary.LittleEndian.Uint32(packedTagger[len(packedTagger)-4:]) // a gzip file ends with it
	t := &tagger{lines: make([]byte, size), seed: maphash.MakeSeed()}
	unpacked := make(chan int) // how many bytes are
	var failed error
	go func() {
		defer close(unpacked)
		for n := 0; n < len(t.lines) && failed == nil; {
			var more int
			more, failed = io.ReadFull(packed, t.lines[n:min(n+1<<20, len(t.lines))])
			n += more
			unpacked <- n
		}
	}()
	t.places = make([]uint32, 1<<bits.Len32(size/20)) // a line has some forty bytes: half of them are empty or more
	begin := 0
	for n := range unpacked {
		for {
			length := bytes.IndexByte(t.lines[begin:n], '\n')
			if length < 0 {
				break
			}
			t.add(begin, t.lines[begin:begin+length])
			begin += length + 1
		}
	}
	if failed != nil {
		panic("redact: " + failed.Error())
	}
	return t
}

// add adds a line: a feature, and for each pass a tab and its weights in hundredths behind the letters of their labels. The
// feature "follows X" has the weights of the labels behind X.
func (t *tagger) add(begin int, line []byte) {
	feature, values, ok := bytes.Cut(line, []byte("\t"))
	if !ok {
		return // a comment
	}
	if before, ok := bytes.CutPrefix(feature, []byte("follows ")); ok {
		for pass, weights := range weightsOf(values) {
			for l, w := range weights {
				t.follows[pass][strings.IndexByte(labelLetters, before[0])][l] = float64(w)
			}
		}
		return
	}
	at := t.start(maphash.Bytes(t.seed, feature))
	for t.places[at] != 0 {
		at = t.next(at)
	}
	t.places[at] = uint32(begin) + 1
}

func (t *tagger) start(hash uint64) int { return int(hash & uint64(len(t.places)-1)) }
func (t *tagger) next(at int) int       { return (at + 1) & (len(t.places) - 1) }

// weights returns those of a feature: none if it was in no training text.
func (t *tagger) weights(feature string) (weights [passes][labelCount]float32, ok bool) {
	for at := t.start(maphash.String(t.seed, feature)); t.places[at] != 0; at = t.next(at) {
		line := t.lines[t.places[at]-1:]
		if len(feature) < len(line) && string(line[:len(feature)]) == feature && line[len(feature)] == '\t' {
			return weightsOf(line[len(feature)+1:]), true
		}
	}
	return weights, false
}

// weightsOf reads weights up to the end of a line.
func weightsOf(values []byte) (weights [passes][labelCount]float32) {
	for pass, at := 0, 0; at < len(values) && values[at] != '\n'; at++ {
		switch values[at] {
		case '\t':
			pass++
		case ' ':
		default:
			l := strings.IndexByte(labelLetters, values[at])
			sign, n := 1, 0
			if values[at+1] == '-' {
				sign = -1
				at++
			}
			for at+1 < len(values) && isDigit(values[at+1]) {
				at++
				n = 10*n + int(values[at]-'0')
			}
			weights[pass][l] = float32(sign*n) / 100
		}
	}
	return weights
}

// probabilities returns for each piece of a text the probability of each label, by the forward-backward algorithm, after
// both passes.
func (t *tagger) probabilities(e *evidence) [][labelCount]float64 {
	scores := t.scores(e.features)
	first := marginals(scores[0], &t.follows[0])
	for i, row := range t.scores(e.secondFeatures(first))[1] {
		for l, score := range row {
			scores[1][i][l] += score
		}
	}
	return marginals(scores[1], &t.follows[1])
}

// scores returns the sums of the weights of the features of each piece, of each pass.
func (t *tagger) scores(features [][]string) (scores [passes][][labelCount]float64) {
	for pass := range scores {
		scores[pass] = make([][labelCount]float64, len(features))
	}
	for i, names := range features {
		for _, name := range names {
			weights, ok := t.weights(name)
			if !ok {
				continue
			}
			for pass := range weights {
				for l, w := range weights[pass] {
					scores[pass][i][l] += float64(w)
				}
			}
		}
	}
	return scores
}

// marginals returns the probability of each label of each piece, given their scores and those of two neighbours. The
// scores of a row are scaled so that nothing overflows.
func marginals(scores [][labelCount]float64, follows *[labelCount][labelCount]float64) [][labelCount]float64 {
	n := len(scores)
	if n == 0 {
		return nil
	}
	var step [labelCount][labelCount]float64
	for a := range labelCount {
		for b := range labelCount {
			step[a][b] = math.Exp(follows[a][b])
		}
	}
	local := make([][labelCount]float64, n)
	forward, backward := make([][labelCount]float64, n), make([][labelCount]float64, n)
	for i := range n {
		most := math.Inf(-1)
		for _, s := range scores[i] {
			most = max(most, s)
		}
		for l := range labelCount {
			local[i][l] = math.Exp(scores[i][l] - most)
			if i == 0 {
				forward[i][l] = local[i][l]
				continue
			}
			sum := 0.0
			for a := range labelCount {
				sum += forward[i-1][a] * step[a][l]
			}
			forward[i][l] = sum * local[i][l]
		}
		scale(&forward[i])
	}
	for l := range labelCount {
		backward[n-1][l] = 1
	}
	for i := n - 2; i >= 0; i-- {
		for l := range labelCount {
			for b := range labelCount {
				backward[i][l] += step[l][b] * local[i+1][b] * backward[i+1][b]
			}
		}
		scale(&backward[i])
	}
	for i := range n {
		for l := range labelCount {
			forward[i][l] *= backward[i][l]
		}
		scale(&forward[i])
	}
	return forward
}

// scale makes the sum of a row one.
func scale(row *[labelCount]float64) {
	sum := 0.0
	for _, v := range row {
		sum += v
	}
	for l := range row {
		row[l] /= sum
	}
}

// classOfLabel is the class of what no rule has found.
var classOfLabel = [labelCount]Class{ofName: Name, ofPlace: Place, ofDate: Date, ofNumber: Record, ofContact: Phone, ofAge: Age}

// labelOfClass is the label that a class of the rules agrees with.
var labelOfClass = map[Class]label{
	Name: ofName, Place: ofPlace, Date: ofDate, Age: ofAge, Phone: ofContact, Email: ofContact, URL: ofContact, IP: ofContact,
	SSN: ofNumber, Record: ofNumber, Account: ofNumber, Licence: ofNumber, Vehicle: ofNumber, Device: ofNumber,
}

// choose returns the identifiers of a view: the runs of pieces that are a part of one with a probability of at least the
// threshold. The class is that of the rule that found a piece, if the tagger agrees.
func (e *evidence) choose(text string, p [][labelCount]float64, from *thresholds) []hit {
	p = e.evenPairs(p)
	classes := e.classes(text, p, from)
	e.agreePairs(classes)
	var hits []hit
	for i, piece := range e.pieces {
		c := classes[i]
		if c == "" {
			continue
		}
		if last := len(hits) - 1; last >= 0 && labelOfClass[hits[last].class] == labelOfClass[c] && strings.Trim(text[hits[last].end:piece.start], " \t\r") == "" {
			hits[last].end = piece.end
			continue
		}
		hits = append(hits, hit{c, piece.start, piece.end, "tagger"})
	}
	hits = slices.DeleteFunc(hits, func(h hit) bool {
		part := text[h.start:h.end] // a mark alone is none, and the letters of IL-12 without their number
		return !strings.ContainsFunc(part, isAlphanumeric) || labelOfClass[h.class] == ofNumber && strings.HasSuffix(part, "-") && digitsOf(part) == ""
	})
	likely := make([]float64, len(p))
	for i := range p {
		likely[i] = 1 - p[i][nothing]
	}
	hits = e.wholePlaces(text, likely, e.whole(text, hits))
	for i, h := range hits {
		h.start, h.end = wholeCode(text, h.start, h.end)
		switch labelOfClass[h.class] {
		case ofNumber:
			h.start, h.end = wholeNumber(text, h.start, h.end)
		case ofDate:
			h.start, h.end = withWeekday(text, h.start, h.end)
		case ofName:
			h.start, h.end = wholeName(text, h.start, h.end)
		}
		hits[i] = h
	}
	return hits
}

// classes returns the class of each piece that is to be replaced; "" for the others.
func (e *evidence) classes(text string, p [][labelCount]float64, from *thresholds) []Class {
	classes := make([]Class, len(e.pieces))
	for i, piece := range e.pieces {
		best := ofName
		for l := ofName; l < labelCount; l++ {
			if p[i][l] > p[i][best] {
				best = l
			}
		}
		least := from.alone[best]
		if e.class[i] != "" {
			least = from.found[best]
		}
		switch {
		case piece.kind == 'h':
			least /= 2 // of a Chinese name every character must be found
		case best == ofAge && piece.kind == 'd' && (len(piece.text) < 2 || len(piece.text) == 2 && piece.text[0] != '9'):
			continue
		}
		if piece.kind == 'w' && piece.text == piece.lower && (never[piece.lower] || functionWords[piece.lower]) {
			least = max(least, leastFunction)
			if best == ofContact || best == ofNumber {
				least = 1
			}
		}
		if (best == ofName || best == ofPlace) && piece.isOrdinary() {
			least = max(least, leastFunction)
		}
		if e.public[i] && (best == ofName || best == ofPlace) {
			least = max(least, leastPublic)
		}
		switch {
		case !e.common[i]:
		case best == ofName && e.class[i] != Name:
			least = max(least, leastCommon)
		case best == ofPlace && e.class[i] != Place && !isInstitution(piece.lower):
			least = max(least, leastCommonPlace)
		}
		if best == ofName && e.class[i] == Name && (isTitledAt(e, i) || e.isLabelled(i)) {
			least = min(least, leastAnnounced)
		}
		if e.trusted[i] {
			best, least = ofPlace, min(least, leastTrusted)
		}
		least = max(least, e.guard(text, i, best))
		if best == ofDate && !e.certain[i] {
			least = max(least, e.leastOfDecimal(text, i))
		}
		isSureDate := best == ofDate && !e.public[i] && 1-p[i][nothing] >= guardDate && !apgar.MatchString(text[max(0, piece.start-24):piece.start])
		if piece.kind == 'l' || piece.text == "," && e.explains(i+1) || !e.certain[i] && (e.ruled[i] || 1-p[i][nothing] < least || e.isClinical(text, i, best) && !isSureDate) || isCoded(text, piece) && !isSureDate || best == ofDate && isLevel(text, piece.start) || best == ofDate && e.isCount(text, i) {
			continue
		}
		c := classOfLabel[best]
		if labelOfClass[e.class[i]] == best || e.certain[i] {
			c = e.class[i]
		}
		classes[i] = c
	}
	return classes
}

// explains reports whether a piece is short for a name that is said behind it: MI = Mary Ives.
func (e *evidence) explains(i int) bool {
	return i+1 < len(e.pieces) && e.pieces[i].kind == 'w' && len(e.pieces[i].text) <= maxInitials && e.pieces[i+1].text == "="
}

// whole extends hits to all of the date, number, contact or address that a rule found where they are: of "Monday, the 3rd of
// March" no word stays. Of an address half must be found, and of a number a third.
func (e *evidence) whole(text string, hits []hit) []hit {
	n := len(hits)
	for _, r := range e.ruleHits {
		if r.class == Name || r.class == Age {
			continue
		}
		covered := 0
		for _, h := range hits[:n] {
			if from, to := max(h.start, r.start), min(h.end, r.end); from < to && labelOfClass[h.class] == labelOfClass[r.class] {
				covered += countAlphanumeric(text[from:to])
			}
		}
		all := countAlphanumeric(text[r.start:r.end])
		least := map[label]int{ofDate: 1, ofPlace: (all + 1) / 2}[labelOfClass[r.class]]
		if covered < all && covered >= max(1, cmp.Or(least, (all+2)/3)) {
			hits = append(hits, r)
		}
	}
	return mergeHits(hits)
}

func countAlphanumeric(s string) int {
	n := 0
	for _, r := range s {
		if isAlphanumeric(r) {
			n++
		}
	}
	return n
}

// evenPairs gives both numbers of a pair, and the mark between them, the mean of their probabilities: a half of a date or of a
// score is never replaced alone.
func (e *evidence) evenPairs(p [][labelCount]float64) [][labelCount]float64 {
	p = slices.Clone(p)
	for i := range e.pieces {
		if !e.isPair(i) {
			continue
		}
		var mean [labelCount]float64
		for l := range mean {
			mean[l] = (p[i][l] + p[i+2][l]) / 2
		}
		p[i], p[i+1], p[i+2] = mean, mean, mean
	}
	return p
}

// agreePairs leaves what is kept of a pair out of classes whole.
func (e *evidence) agreePairs(classes []Class) {
	for i := range e.pieces {
		if e.isPair(i) && (classes[i] == "" || classes[i+2] == "") && !e.certain[i] && !e.certain[i+2] {
			classes[i], classes[i+1], classes[i+2] = "", "", ""
		}
	}
}

// isPair reports whether a pair begins with a piece.
func (e *evidence) isPair(i int) bool {
	return i+2 < len(e.pieces) && e.pair[i].month != "" && e.pieces[i].kind == 'd' && e.pieces[i+1].kind == 'm' && e.pieces[i+2].kind == 'd' &&
		!e.pieces[i+1].spaced && !e.pieces[i+2].spaced && e.pair[i+2] == e.pair[i]
}

// wholeCode extends a part of a code of letters and digits, such as the digits of K441709, to all of it.
func wholeCode(text string, start, end int) (int, int) {
	joins := func(at int) bool { // a letter and a digit touch there
		if at <= 0 || at >= len(text) || !utf8.RuneStart(text[at]) {
			return false
		}
		a, b := text[at-1], text[at]
		return isDigit(a) && isLatin(b) || isLatin(a) && isDigit(b)
	}
	for joins(start) {
		for class := isDigit(text[start-1]); start > 0 && (isDigit(text[start-1]) && class || isLatin(text[start-1]) && !class); {
			start--
		}
	}
	for joins(end) {
		for class := isDigit(text[end]); end < len(text) && (isDigit(text[end]) && class || isLatin(text[end]) && !class); {
			end++
		}
	}
	return start, end
}

var (
	// codeBefore and codeAfter match the parts of a code before and behind one of them, such as NP22/ or -S-31.
	codeBefore = regexp.MustCompile(`(?:^|[\s(#"=])((?:[A-Z\d]{1,8}[-/_.*])+)$`)
	codeAfter  = regexp.MustCompile(`^(?:[-/_.*][A-Z\d]{1,12})+`)
	// lettersBefore matches the letters of a hospital before the groups of a number, groupsBehind the groups behind some.
	lettersBefore = regexp.MustCompile(`(?:^|[\n(]|  |[,;] )((?:[A-Z]{2,4}|[A-Z]{1,3}-[A-Z]{1,3}) )$`)
	groupsBehind  = regexp.MustCompile(`^(?: \d{3,7}){1,3}\b`)
)

// wholeNumber extends a part of a number of somebody to all of it: over marks, if what stands there is no word and no date, and
// to the letters before its groups.
func wholeNumber(text string, start, end int) (int, int) {
	for start < end && strings.IndexByte("-/_.", text[start]) >= 0 {
		start++
	}
	from := max(0, start-maxCode)
	for !utf8.RuneStart(text[from]) {
		from++
	}
	if m := codeBefore.FindStringSubmatchIndex(text[from:start]); m != nil && isCodePart(text[from+m[2]:start]) {
		start = from + m[2]
	}
	if n := len(codeAfter.FindString(text[end:min(len(text), end+maxCode)])); n > 0 && isCodePart(text[end:end+n]) && (end+n == len(text) || !wordRune(rune(text[end+n]))) {
		end += n
	}
	if strings.ContainsFunc(text[start:end], unicode.IsDigit) {
		if n := len(groupsBehind.FindString(text[end:])); n > 0 && isUpperAll(text[start:end]) && !unitNear(text[end+n:]) {
			end += n
		}
		if m := lettersBefore.FindStringSubmatchIndex(text[from:start]); m != nil {
			letters := strings.TrimSpace(text[from+m[2] : start])
			if _, label := kindOf(letters); !label && !clinicalCodes[letters] && !measured[letters] {
				start = from + m[2]
			}
		}
	} else if n := len(groupsBehind.FindString(text[end:])); n > 0 && isCaps(text[start:end]) && !unitNear(text[end+n:]) {
		end += n
	}
	return start, end
}

var (
	// weekdayBefore matches a weekday before its date. In small letters the short ones of German stand before 14.3. alone, and a letter
	// stands where an entry begins.
	weekdayBefore = regexp.MustCompile(`(?:^|[^\pL\d])((?:(?i:` + weekdayLong + `|mon(?:day)?|tue(?:s|sday)?|wed(?:s|nesday)?|thu(?:rs?|rsday)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?|lunes|martes|mi[ée](?:r(?:coles)?)?|jue(?:ves)?|vie(?:rnes)?|s[áa]b(?:ado)?|domingo|lun|dom|xov|dilluns|dimarts|dimecres|dijous|divendres)|Mo|Di|Mi|Do|Fr|Sa|So|Tu|We|Th|Su)\b[.,]? {0,2}(?i:(?:den|der|dem|the|el) )?)$`)
	smallWeekday  = regexp.MustCompile(`(?:^|[^\pL\d])((?i:mo|di|mi|do|fr|sa|so)[.,]? )$`)
	weekdayLetter = regexp.MustCompile(`(?:^|\n|[:;,(|–-] )[ \t*-]*([MTWRF] )$`)
	weekdayBehind = regexp.MustCompile(`^\.? ?\((?:周|星期|礼拜)?[一二三四五六日天]\)|^\.? ?\((?i:` + weekday + `)\.?\)`)
	// dayOfGerman matches a day and a month with their stops.
	dayOfGerman = regexp.MustCompile(`^\d{1,2}\. ?\d{1,2}\.`)
)

// withWeekday extends a date to the weekday before or behind it.
func withWeekday(text string, start, end int) (int, int) {
	if end > start && isDigit(text[start]) {
		before := text[wholeRune(text, start-maxCode):start]
		m := weekdayBefore.FindStringSubmatchIndex(before)
		if m == nil && dayOfGerman.MatchString(text[start:]) {
			m = smallWeekday.FindStringSubmatchIndex(before)
		}
		if m == nil {
			m = weekdayLetter.FindStringSubmatchIndex(before)
		}
		if m != nil {
			start -= len(before) - m[2]
		}
	}
	return start, end + len(weekdayBehind.FindString(text[end:min(len(text), end+maxCode)]))
}

var (
	// initialBefore matches an initial before a name, nameJoined what a hyphen or an apostrophe joins to it.
	initialBefore = regexp.MustCompile(`(?:^|[\n(:;,/–-] ?|[\pL\d] )(\pL\. ?)$`)
	nameJoined    = regexp.MustCompile(`^[-'’]\pL+`)
	// particlesBehind matches what stands between two parts of one name.
	particlesBehind = regexp.MustCompile(`^ (?:(?:de|del|la|las|los|da|dos|do|van|von|v\.|d\.|der|den|zu|ter|ten|bin|ibn) ?)+ ?$`)
)

// wholeName extends a name to the initial before it and to what a hyphen joins to it in the same case.
func wholeName(text string, start, end int) (int, int) {
	if r, _ := utf8.DecodeRuneInString(text[start:]); unicode.Is(unicode.Han, r) {
		return start, end
	}
	if m := nameJoined.FindString(text[end:min(len(text), wholeRune(text, end+maxCode))]); m != "" && end > start {
		word := m[1:]
		if m[0] != '-' {
			_, size := utf8.DecodeRuneInString(m)
			word = m[size:]
		}
		if lower := strings.ToLower(word); lower != "s" && startsUpper(word) == startsUpper(text[start:]) && (m[0] == '-' && !startsUpper(word) || startsUpper(word) && !known().clinical[lower] && !isInstitution(lower) && !namedNouns[lower]) {
			end += len(m)
		}
	}
	before := text[wholeRune(text, start-maxCode):start]
	if m := initialBefore.FindStringSubmatchIndex(before); m != nil {
		words := strings.Fields(before[:m[2]])
		if len(words) == 0 || !quantified[strings.ToLower(words[len(words)-1])] {
			start -= len(before) - m[2]
		}
	}
	return start, end
}

// wholeRune returns the first place at or behind another, and in a text, at which a character begins.
func wholeRune(text string, at int) int {
	at = min(max(0, at), len(text))
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return at
}

// isCodePart reports whether a part of a code has a letter or more than three digits: shorter numbers may be values.
func isCodePart(part string) bool {
	return strings.ContainsFunc(part, unicode.IsLetter) || len(digitsOf(part)) > 3
}

// isUpperAll reports whether a text has letters, and all of them are capitals.
func isUpperAll(s string) bool {
	return strings.ContainsFunc(s, unicode.IsUpper) && !strings.ContainsFunc(s, unicode.IsLower)
}

// thresholds are the probabilities from which on a piece is replaced, by what it most probably is a part of: where the
// tagger stands alone, and where a rule found the piece too.
type thresholds struct{ alone, found [labelCount]float64 }

// shipped are the thresholds of every request. Dates and numbers are told by their form, and what is missed of them
// cannot be taken back, so that they need least.
var shipped = &thresholds{
	alone: [labelCount]float64{ofName: 0.4, ofPlace: 0.1, ofDate: 0.025, ofNumber: 0.07, ofContact: 0.1, ofAge: 0.05},
	found: [labelCount]float64{ofName: 0.1, ofPlace: 0.03, ofDate: 0.008, ofNumber: 0.03, ofContact: 0.04, ofAge: 0.01},
}

// leastAnnounced is the threshold of what a rule found as a name behind a title such as Mr or behind the label of a name.
const leastAnnounced = 0.01

// leastCommon is the threshold of a word with a capital as a name that no list of names has, but the vocabulary of its language.
const leastCommon = 0.5

// leastCommonPlace is the same for a place.
const leastCommonPlace = 0.25

// leastPublic is the threshold of a name or a place where the text is about nobody.
const leastPublic = 0.75

// leastTrusted is the threshold of what a rule found as a place that is right in more than nine of ten cases.
const leastTrusted = 0.005

// leastFunction is the threshold of function words, as in "the first of May", and of ordinary words as names.
const leastFunction = 0.5

// isOrdinary reports whether a piece is a word in small letters that names nobody and no town.
func (p piece) isOrdinary() bool {
	return p.kind == 'w' && p.text == p.lower && !isGiven(p.lower) && !isSurname(p.lower) && !known().towns[unaccented(p.lower)] &&
		(known().clinical[p.lower] || english.general(p.lower))
}
