package redact

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	_ "embed"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"lacuna/knowledge/plaintext"
)

// The tagger weighs what the rules and the lists say of each piece of a text, and what stands around it: a
// conditional random field with one label a piece (J. Lafferty and others, "Conditional random fields", ICML 2001). It
// was trained on invented notes; TestTagger makes its weights.

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

// tagger is a linear chain: the score of a sequence of labels is the sum of the weights of the features of each piece
// with its label, and of each label with the one before it.
type tagger struct {
	weights map[string]*[labelCount]float64
	follows [labelCount][labelCount]float64 // by the label before
}

var trained = sync.OnceValue(readTagger)

func readTagger() *tagger {
	plain, err := gzip.NewReader(bytes.NewReader(packedTagger))
	if err != nil {
		panic("redact: " + err.Error())
	}
	t := &tagger{weights: make(map[string]*[labelCount]float64)}
	scanner := bufio.NewScanner(plain)
	for scanner.Scan() {
		if err := t.read(scanner.Text()); err != nil {
			panic("redact: tagger.txt.gz: " + err.Error())
		}
	}
	if err := scanner.Err(); err != nil {
		panic("redact: tagger.txt.gz: " + err.Error())
	}
	return t
}

// read reads a line: a feature, a tab, and its weights in hundredths behind the letters of their labels. The feature
// "follows X" has the weights of the labels behind X.
func (t *tagger) read(line string) error {
	feature, values, ok := strings.Cut(line, "\t")
	if !ok {
		return nil // a comment
	}
	var w [labelCount]float64
	for value := range strings.FieldsSeq(values) {
		n, err := strconv.Atoi(value[1:])
		if err != nil {
			return err
		}
		w[strings.IndexByte(labelLetters, value[0])] = float64(n) / 100
	}
	if before, ok := strings.CutPrefix(feature, "follows "); ok {
		t.follows[strings.Index(labelLetters, before)] = w
		return nil
	}
	t.weights[feature] = &w
	return nil
}

// probabilities returns for each piece the probability of each label, by the forward-backward algorithm.
func (t *tagger) probabilities(features [][]string) [][labelCount]float64 {
	scores := make([][labelCount]float64, len(features))
	for i, names := range features {
		for _, name := range names {
			if w := t.weights[name]; w != nil {
				for l := range labelCount {
					scores[i][l] += w[l]
				}
			}
		}
	}
	return marginals(scores, &t.follows)
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
	var hits []hit
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
		if piece.kind == 'l' || !e.certain[i] && (e.ruled[i] || 1-p[i][nothing] < least || e.isClinical(text, i, best)) || isCoded(text, piece) {
			continue
		}
		c := classOfLabel[best]
		if labelOfClass[e.class[i]] == best || e.certain[i] {
			c = e.class[i]
		}
		if last := len(hits) - 1; last >= 0 && labelOfClass[hits[last].class] == labelOfClass[c] && strings.Trim(text[hits[last].end:piece.start], " \t\r") == "" {
			hits[last].end = piece.end
			continue
		}
		hits = append(hits, hit{c, piece.start, piece.end, "tagger"})
	}
	likely := make([]float64, len(p))
	for i := range p {
		likely[i] = 1 - p[i][nothing]
	}
	hits = e.wholePlaces(text, likely, e.whole(text, hits))
	for i := range hits {
		hits[i].start, hits[i].end = wholeCode(text, hits[i].start, hits[i].end)
	}
	return slices.DeleteFunc(hits, func(h hit) bool { return !strings.ContainsFunc(text[h.start:h.end], isAlphanumeric) })
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

// guard is the least probability from which a piece is taken for a part of something that it does not look like. What is
// replaced wrongly in notes is mostly a number of a table, or a word of medicine that no list of names has.
func (e *evidence) guard(text string, i int, as label) float64 {
	p := e.pieces[i]
	ruled := e.class[i] != "" && labelOfClass[e.class[i]] == as
	switch p.kind {
	case 'd':
		switch {
		case as == ofNumber && codeKey.MatchString(text[max(0, p.start-32):p.start]):
			return 1
		case as == ofName:
			return guardStrange
		case e.isClock(i) && as == ofNumber:
			return 1
		case e.isClock(i), (as == ofNumber || as == ofContact) && e.isHour(i):
			return guardStrange
		case ruled:
			return 0
		case as == ofNumber && p.word() == "year":
			return guardStrange
		case len(p.text) <= 4 && standsAlone(e.pieces, i):
			return guardNumber
		case as == ofDate && e.isShare(i) && e.pair[i].month != "same":
			return guardShare
		}
	case 'h':
		if e.medicine[i] && (as == ofName || as == ofPlace) {
			return guardStrange
		}
	case 'w':
		switch as {
		case ofDate, ofAge:
			if !monthWord.MatchString(p.text) && !weekdayWord.MatchString(p.text) && !ruled {
				return guardStrange
			}
		case ofNumber, ofContact:
			if !ruled && e.isApart(i) {
				return guardStrange
			}
		case ofName, ofPlace:
			switch {
			case ruled && e.class[i] == Place, p.lower != p.text && isTitledAt(e, i):
				return 0
			case weekdayWord.MatchString(p.text), seasonWord.MatchString(p.text) && i > 0 && beforeSeason[e.pieces[i-1].lower], !ruled && dosed.MatchString(text[p.end:]):
				return guardStrange
			case e.medicine[i]:
				return guardMedicine
			case len(p.text) == 1 && !ruled:
				return guardInitial
			}
		}
	}
	return 0
}

// The thresholds of guard.
const (
	guardStrange  = 0.6
	guardNumber   = 0.4
	guardMedicine = 0.5
	guardInitial  = 0.35
	guardShare    = 0.4
)

var (
	seasonWord   = regexp.MustCompile(`^(?i:` + season + `|abend|morgen|mittag|nacht|tag)$`)
	beforeSeason = plaintext.Set(`im am in den der dieser diesem letzten nächsten vom zum gegen this last next the en el la este`)
)

// codeKey matches the key of JSON for a code of a terminology, up to the code.
var codeKey = regexp.MustCompile(`"code" ?: ?"[\w.-]*$`)

// isClock reports whether a number is a part of a time of day such as 10:40, or of a shift such as 0700-1930.
func (e *evidence) isClock(i int) bool {
	part := func(k int, mark string, digits int) bool { // a number of so many digits, and a mark before it
		return k > 0 && k < len(e.pieces) && e.pieces[k].kind == 'd' && len(e.pieces[k].text) == digits && !e.pieces[k].spaced && e.pieces[k-1].text == mark
	}
	number := func(k int) int {
		if k < 0 || k >= len(e.pieces) || e.pieces[k].kind != 'd' {
			return -1
		}
		n, _ := strconv.Atoi(e.pieces[k].text)
		return n
	}
	switch n := number(i); {
	case part(i+2, ":", 2):
		return n < 24 && number(i+2) < 60 && len(e.pieces[i].text) <= 2 && !part(i, ":", len(e.pieces[i].text))
	case part(i, ":", 2):
		return number(i-2) >= 0 && number(i-2) < 24 && n < 60 && !part(i+2, ":", len("00")+1)
	case len(e.pieces[i].text) == 4 && n < 2400 && n%100 < 60:
		return part(i+2, "-", 4) && number(i+2) <= 2400 && number(i+2)%100 < 60 && !part(i, "-", 4) || part(i, "-", 4) && number(i-2) < 2400 && number(i-2)%100 < 60 && len(e.pieces[i-2].text) == 4
	}
	return false
}

// isHour reports whether a number of four digits is a time of day as charts have it: at the beginning of several lines, or
// among other such times.
func (e *evidence) isHour(i int) bool {
	is := func(k int) bool {
		if k < 0 || k >= len(e.pieces) || e.pieces[k].kind != 'd' || len(e.pieces[k].text) != 4 {
			return false
		}
		n := number(e.pieces[k].text)
		return n <= 2400 && n%100 < 60
	}
	if !is(i) || !standsAlone(e.pieces, i) {
		return false
	}
	if is(i-1) || is(i+1) {
		return true
	}
	return (i == 0 || e.pieces[i-1].kind == 'l') && e.charted
}

// isFraction reports whether a number is one of two pressures of a ventilator, such as 18/5, a part of a tablet, a number of
// days out of seven, or the number of a bed.
func (e *evidence) isFraction(text string, i int) bool {
	p := e.pair[i]
	if p.month == "" {
		return false
	}
	start := e.pieces[i].start
	for start > 0 && (isDigit(text[start-1]) || text[start-1] == '/') {
		start--
	}
	before := text[max(0, start-16):start]
	if pressed.MatchString(before) {
		return true
	}
	if fractions.MatchString(text[start:]) && p.month != "same" && !dayBefore.MatchString(before) {
		return true
	}
	if p.over == "7" && p.month != "same" && !dayBefore.MatchString(before) && !clockBehind.MatchString(pairEnd.ReplaceAllString(text[start:min(len(text), start+24)], "")) {
		return true // of days: "bowels not open 3/7"
	}
	return e.ventilated && p.month != "same" && p.high && !dayBefore.MatchString(before)
}

var (
	// pressed matches what stands before the pressures of a ventilator, and before the number of a bed in a room.
	pressed = regexp.MustCompile(`(?i)(?:\b(?:bipap|cpap|niv|vni|ipap|simv|ps|pcv|asb)[ :(]*(?:[a-z]+ )?|\b(?:zi|zimmer|zimmernr|bett|hab|cama|room|rm|bed|bay)\.? )$`)
	pairEnd = regexp.MustCompile(`^\d+/\d+`)
	// fractions matches a part of a tablet or of a meal.
	fractions = regexp.MustCompile(`^(?:1/2|1/4|3/4|1/3|2/3)(?:[^\d/]|$)`)
)

// isShare reports whether a number is a part of two with a slash between them that are more often a score or a span of
// time than a day and a month: 3/5, 4/10, 6/12.
func (e *evidence) isShare(i int) bool {
	if i >= 2 && e.pieces[i-1].text == "/" && !e.pieces[i].spaced {
		i -= 2
	}
	if i+2 >= len(e.pieces) || e.pieces[i+1].text != "/" || e.pieces[i].kind != 'd' || e.pieces[i+2].kind != 'd' || e.pieces[i].text[0] == '0' {
		return false
	}
	switch e.pieces[i+2].text {
	case "3", "5", "7", "10", "12":
		return true
	}
	n := numbers(e.pieces[i].text + " " + e.pieces[i+2].text)
	return n[0] <= n[1] && n[1] <= 12
}

// isTitledAt reports whether a title that stands before names only is before a piece, over one word or mark.
func isTitledAt(e *evidence, i int) bool {
	for k := i - 1; k >= 0 && k >= i-3; k-- {
		if coreTitles[e.pieces[k].lower] {
			return true
		}
		if e.pieces[k].kind == 'l' {
			break
		}
	}
	return false
}

// isLabelled reports whether the line says before a piece, over at most four others, that a name stands there.
func (e *evidence) isLabelled(i int) bool {
	for k := i - 1; k > 0 && k >= i-5 && e.pieces[k].kind != 'l'; k-- {
		if e.pieces[k].text == ":" {
			return nameLabels[e.pieces[k-1].lower]
		}
	}
	return false
}

// nameLabels holds what stands before the name of a patient in forms, with a colon.
var nameLabels = plaintext.Set(`name patient surname forename paciente nombre apellidos vorname nachname`)

// isApart reports whether no digit and no mark joins a word to what stands next to it.
func (e *evidence) isApart(i int) bool {
	before := i == 0 || e.pieces[i].spaced || e.pieces[i-1].kind == 'l'
	behind := i == len(e.pieces)-1 || e.pieces[i+1].spaced || e.pieces[i+1].kind == 'l' || strings.Contains(",;:.)", e.pieces[i+1].text)
	return before && behind
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

// isClinical reports whether a piece that may be a part of something is a dose or a value, or the name of the drug before a dose.
func (e *evidence) isClinical(text string, i int, as label) bool {
	p := e.pieces[i]
	switch p.kind {
	case 'd':
		if unitNear(text[p.end:]) || as != ofNumber && as != ofContact && (e.isRatio(i) || e.class[i] == "" && e.isDecimal(i)) {
			return true
		}
		if as == ofDate && e.isFraction(text, i) {
			return true
		}
		if days.MatchString(text[max(0, p.start-8):p.start]) && overDays.MatchString(text[p.start:]) || behindDays.MatchString(text[max(0, p.start-8):p.start]) {
			return true
		}
		k := i - 1
		for k >= 0 && strings.Contains(":=<>~", e.pieces[k].text) {
			k--
		}
		if k > 0 && e.pieces[k].kind == 'd' && !e.pieces[k].spaced { // HCO3 24
			k--
		}
		return k >= 0 && (len(p.text) <= 6 && clinicalCodes[e.pieces[k].text] || len(p.text) <= 3 && measured[e.pieces[k].text])
	case 'w':
		return countries[p.lower] || dosed.MatchString(text[p.end:]) && (isDrug(p.lower) || known().brand[p.lower])
	}
	return false
}

// A span of time is written as a number of days, weeks or months over 7, 52 or 12: "for 5/7".
var (
	days       = regexp.MustCompile(`(?i)(?:^|[ \n(])(?:x|×|for|in) ?$`)
	overDays   = regexp.MustCompile(`^\d+/(?:7|52|12)\b(?:[^/]|$)`)
	behindDays = regexp.MustCompile(`(?i)(?:^|[ \n(])(?:x|×|for|in) ?\d+/$`)
)

// isDecimal reports whether a number is one side of a decimal one.
func (e *evidence) isDecimal(i int) bool {
	at := func(k int) piece {
		if k < 0 || k >= len(e.pieces) {
			return piece{}
		}
		return e.pieces[k]
	}
	joined := func(k int) bool { p := at(k); return p.kind == 'd' && !p.spaced }
	dot := func(k int) bool { p := at(k); return (p.text == "." || p.text == ",") && !p.spaced }
	switch {
	case dot(i+1) && joined(i+2): // before the point
		return !dot(i+3) && !dot(i-1) && at(i+3).text != "/" && at(i+3).text != "-"
	case dot(i-1) && joined(i) && at(i-2).kind == 'd': // behind it
		return !dot(i+1) && !dot(i-3) && at(i+1).text != "/" && at(i+1).text != "-"
	}
	return false
}

// isRatio reports whether a number is a part of others with slashes between them that are no date: a score such as 2/1/2, a
// strength such as 5/1.25 or behind the name of its drug, a level of the spine such as C5/6.
func (e *evidence) isRatio(i int) bool {
	from, to := i, i
	for from >= 2 && e.pieces[from-1].text == "/" && e.pieces[from-2].kind == 'd' {
		from -= 2
	}
	for to+2 < len(e.pieces) && e.pieces[to+1].text == "/" && e.pieces[to+2].kind == 'd' {
		to += 2
	}
	written := ""
	for _, p := range e.pieces[from : to+1] {
		written += p.text
	}
	var before piece
	if from > 0 {
		before = e.pieces[from-1]
	}
	decimal := to+2 < len(e.pieces) && strings.Contains(".,", e.pieces[to+1].text) && !e.pieces[to+1].spaced && e.pieces[to+2].kind == 'd' && !e.pieces[to+2].spaced
	switch (to - from) / 2 {
	case 0:
		return false
	case 1:
		n := numbers(written)
		if second := e.pieces[to].text; len(second) == 2 && second[0] == '0' && !decimal {
			return false // no strength is written so
		}
		return decimal || min(n[0], n[1]) < 1 || min(n[0], n[1]) > 12 || max(n[0], n[1]) > 31 || len(before.text) == 1 && strings.Contains("CTLS", before.text) && !e.pieces[from].spaced ||
			before.kind == 'w' && (isDrug(before.lower) || known().brand[before.lower])
	case 2:
		return len(e.pieces[to].text) == 1 || len(e.pieces[to].text) == 2 && before.kind == 'w' && (isDrug(before.lower) || known().brand[before.lower])
	}
	return true
}

// coded matches what makes the number behind it a score or a code of a public classification.
var coded = regexp.MustCompile(`(?i)(?:\bapgar|\bflex(?:ion)?/ext(?:ension)?|\bext(?:ension)?/flex(?:ion)?|\b(?:snomed|sct|loinc|ndc|pzn|din|gtin|artg|hgvs|clinvar|vcv|dbsnp|icd|cpt|atc|ops|rxnorm|mesh|omim|hcpcs|drg)(?:[ -](?:ct|10|9|11)(?:-cm|-gm)?)?)[ :(=]{1,2}(?:(?:and|,|/|\.|-|\d|[A-Z]\d)[ ]?)*$`)

// cited matches what stands before the number of a paper, a trial or a place in the genome.
var cited = regexp.MustCompile(`(?i)(?:\b(?:pmid|pmc|doi|nct|isrctn|eudract|drks|chictr|actrn)[ :]{0,2}|\bchr(?:omosome)? ?[\dXY]{1,2}[: ](?:g\.)?|\bg\.|\brs|\bvcv)(?:\d+[_-])?$`)

// variant matches what stands behind the place of a variant in a table of genetics.
var variant = regexp.MustCompile(`^\t(?:[ACGT]+|ins|del|dup)\t`)

// acidity matches a pH up to its value or within it; "Ph" before other numbers is a telephone.
var acidity = regexp.MustCompile(`(?i)\bph[ :(=]{1,2}(?:[678][.,]\d{1,3}[ /-]{1,2})*[678](?:[.,]|[.,]\d{1,3})$`)

// objectIdentifier matches an identifier of a system of codes in registers of standards.
var objectIdentifier = regexp.MustCompile(`^[0-2](?:\.\d+){4,}`)

// isCoded reports whether a piece is a part of such a score or code, or of an identifier of a system of codes.
func isCoded(text string, p piece) bool {
	if p.kind == 'd' || p.text == "." {
		from := p.start
		for from > 0 && (isDigit(text[from-1]) || text[from-1] == '.') {
			from--
		}
		if strings.HasPrefix(text[from:], "2.16.") || strings.HasPrefix(text[from:], "1.2.") || strings.HasPrefix(text[from:], "1.3.6.") {
			if objectIdentifier.MatchString(text[from:]) {
				return true
			}
		}
	}
	if p.kind == 'd' && variant.MatchString(text[p.end:]) {
		return true
	}
	if p.kind != 'd' && p.kind != 'm' && len(p.text) > 2 {
		return false
	}
	start := max(0, p.start-32)
	for !utf8.RuneStart(text[start]) {
		start++
	}
	return codeKey.MatchString(text[start:p.start]) || coded.MatchString(text[start:p.start]) || cited.MatchString(text[start:p.start]) || acidity.MatchString(text[start:min(len(text), p.start+2)])
}

// thresholds are the probabilities from which on a piece is replaced, by what it most probably is a part of: where the
// tagger stands alone, and where a rule found the piece too.
type thresholds struct{ alone, found [labelCount]float64 }

// shipped are the thresholds of every request. Dates and numbers are told by their form, and what is missed of them
// cannot be taken back, so that they need least.
var shipped = &thresholds{
	alone: [labelCount]float64{ofName: 0.4, ofPlace: 0.1, ofDate: 0.15, ofNumber: 0.2, ofContact: 0.1, ofAge: 0.05},
	found: [labelCount]float64{ofName: 0.1, ofPlace: 0.04, ofDate: 0.05, ofNumber: 0.08, ofContact: 0.04, ofAge: 0.01},
}

// leastAnnounced is the threshold of what a rule found as a name behind a title such as Mr or behind the label of a name.
const leastAnnounced = 0.01

// leastCommon is the threshold of a word with a capital as a name that no list of names has, but the vocabulary of its language.
const leastCommon = 0.5

// leastCommonPlace is the same for a place.
const leastCommonPlace = 0.25

// leastPublic is the threshold of a name or a place where the text is about nobody.
const leastPublic = 0.4

// leastTrusted is the threshold of what a rule found as a place that is right in more than nine of ten cases.
const leastTrusted = 0.005

// leastFunction is the threshold of function words, as in "the first of May", and of ordinary words as names.
const leastFunction = 0.5

// isOrdinary reports whether a piece is a word in small letters that names nobody and no town.
func (p piece) isOrdinary() bool {
	return p.kind == 'w' && p.text == p.lower && !isGiven(p.lower) && !isSurname(p.lower) && !known().towns[unaccented(p.lower)] &&
		(known().clinical[p.lower] || english.general(p.lower))
}
