package sense

import (
	"hash/fnv"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/lexical"
	"lacuna/knowledge/vocabulary"
)

// Reading is a candidate as read by itself, without the others of its note.
type Reading struct {
	// LogOdds is what the regression holds for the odds that it is open.
	LogOdds float64
	own     [ownCount]float64
	form    Form
	section uint64
}

// What is counted in a candidate; ownNames has the names.
const (
	oUnmarked = iota
	oForm
	oReplies
	oLeaves
	oWords
	oRare
	oKnown
	oDigits
	oHan
	oAhead
	oAheadJoins // what stands before it ends in a colon, a comma or a dash
	oBehind
	oBehindAsks
	oBehindDoubts
	oBehindShares
	oBehindKind // of a reply: 1 a yes or no, 2 one of what was offered, 3 with a figure, 4 in lower case
	oBelow
	oBelowAsks
	oBelowDoubts
	oBelowShares
	oDeeper
	oGap
	oBelowItem
	oAsked
	oYou
	oI
	oWe
	oHe
	oAct
	oModal
	oFind
	oWhat
	oPlease
	oSoon
	oSaid
	oFeel
	oRecall
	oSource
	oNumber
	oPerson
	oQuoted
	oTitleOpen
	oTitleSurvey
	oTitleCard
	oTitleMeeting
	oTitleJournal
	oTitleFAQ
	oCard
	oSpeaker
	oAnnounced // an answer stands below
	oFirst     // the first word: of which class
	ownCount
)

var ownNames = [ownCount]string{"unmarked", "form", "replies", "leaves", "words", "rare", "known", "digits", "han", "ahead", "aheadJoins", "behind", "behindAsks",
	"behindDoubts", "behindShares", "behindKind", "below", "belowAsks", "belowDoubts", "belowShares", "deeper", "gap", "belowItem", "asked", "you", "i", "we", "he",
	"act", "modal", "find", "what", "please", "soon", "said", "feel", "recall", "source", "number", "person", "quoted", "headOpen", "headSurvey", "headCard", "headMeeting", "headJournal", "headFAQ", "card", "speaker", "announced", "first"}

// What the others of a note add.
const (
	pLogOdds = iota
	pBefore
	pBefore2
	pAfter
	pAfter2
	pSection // mean of the others under its heading
	pSectionForm
	pNote
	pNoteReplied
	pNoteYou
	pNoteI
	pNoteUnmarked
	pSectionYou
	pSectionReplied
	pSectionCount
	pCount
	pAt
	placeCount
)

var placeNames = [placeCount]string{"logOdds", "before", "before2", "after", "after2", "section", "sectionForm", "note", "noteReplied", "noteYou", "noteI",
	"noteUnmarked", "sectionYou", "sectionReplied", "sectionCount", "count", "at"}

// Read reads a candidate by itself. It takes some ten microseconds and is safe for concurrent use.
func Read(c Candidate) Reading {
	return Reading{LogOdds: logOdds(c), own: count(c), form: c.Form, section: hash(c.Section)}
}

func hash(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}

func count(c Candidate) (x [ownCount]float64) {
	flag := func(at int, is bool) {
		if is {
			x[at] = 1
		}
	}
	words := tokens(c.Text)
	flag(oUnmarked, c.Unmarked)
	x[oForm] = float64(c.Form)
	flag(oReplies, c.Replies)
	flag(oLeaves, c.Leaves)
	x[oWords] = float64(len(words))
	x[oRare], x[oKnown] = technical(c.Text)
	flag(oDigits, strings.ContainsFunc(c.Text, unicode.IsDigit))
	flag(oHan, strings.ContainsFunc(c.Text, hanRune))
	x[oAhead] = float64(len(tokens(c.Ahead)))
	ahead := strings.TrimRight(c.Ahead, " \t*_")
	flag(oAheadJoins, strings.HasSuffix(ahead, ":") || strings.HasSuffix(ahead, "：") || strings.HasSuffix(ahead, ",") || strings.HasSuffix(ahead, "-") || strings.HasSuffix(ahead, "–"))
	said := func(at int, text string) {
		reply := tokens(text)
		x[at] = float64(len(reply))
		flag(at+1, strings.ContainsAny(text, "?？"))
		for _, w := range reply[:min(len(reply), 20)] {
			flag(at+2, x[at+2] > 0 || has(w, "doubt") || has(w, "find"))
			if len(w) >= 4 {
				for _, asked := range words {
					if asked == w {
						x[at+3]++
						break
					}
				}
			}
		}
	}
	said(oBehind, c.Behind)
	if first, _ := utf8.DecodeRuneInString(c.Behind); x[oBehind] > 0 {
		switch reply := tokens(c.Behind); {
		case has(reply[0], "yes"), echoes(c.Text, c.Behind):
			x[oBehindKind] = 1
		case chooses(words, reply[0]):
			x[oBehindKind] = 2
		case strings.ContainsFunc(c.Behind[:min(len(c.Behind), 40)], unicode.IsDigit):
			x[oBehindKind] = 3
		case unicode.IsLower(first):
			x[oBehindKind] = 4
		}
	}
	said(oBelow, c.Below)
	flag(oDeeper, c.Deeper)
	flag(oGap, c.Gap)
	flag(oBelowItem, item.MatchString(c.Below))
	x[oAsked] = c.Asked
	for _, w := range words {
		for i, class := range [...]string{"you", "i", "we", "he", "act", "modal", "find", "what", "please", "soon", "said", "feel", "recall", "source", "number", "person"} {
			flag(oYou+i, x[oYou+i] > 0 || has(w, class))
		}
	}
	if _, back, is := strings.Cut(c.Text, "::"); is {
		x[oCard] = 1
		if strings.Trim(back, ": \t") != "" {
			x[oCard] = 2
		}
	}
	flag(oSpeaker, speaker.MatchString(c.Text))
	if mark := reply.FindString(c.Below); mark != "" {
		x[oAnnounced] = 1
		if strings.TrimSpace(c.Below[len(mark):]) != "" {
			x[oAnnounced] = 2
		}
	}
	if len(words) > 0 {
		for i, class := range [...]string{"modal", "be", "what", "find", "act", "who", "doubt"} {
			if has(words[0], class) {
				x[oFirst] = float64(i + 1)
				break
			}
		}
	}
	flag(oQuoted, strings.ContainsAny(c.Text, `"“”„«»「`))
	for _, w := range append(tokens(c.Section), tokens(c.Title)...) {
		for i, class := range [...]string{"open", "survey", "card", "meeting", "journal", "faq"} {
			flag(oTitleOpen+i, x[oTitleOpen+i] > 0 || has(w, class))
		}
	}
	return x
}

// technical returns how many words of a text are in no list of common ones, and how many only an educated reader knows.
func technical(text string) (rare, known float64) {
	add := func(level vocabulary.Level) {
		switch level {
		case vocabulary.Rare:
			rare++
		case vocabulary.Known:
			known++
		}
	}
	for _, t := range lexical.Content(text) {
		if written := text[t.Start:t.End]; !strings.ContainsFunc(written, hanRune) {
			add(max(vocabulary.English(t.Term), vocabulary.German(t.Term)))
		}
	}
	if strings.ContainsFunc(text, hanRune) {
		for _, w := range vocabulary.Segment(text) {
			if len([]rune(w.Text)) > 1 {
				add(vocabulary.Chinese(w.Text))
			}
		}
	}
	return rare, known
}

// Values returns, for each candidate of a note in order, what the trees decide by.
func Values(all []Reading) [][]float64 {
	rows := make([][]float64, len(all))
	type sum struct{ n, odds, you, replied float64 }
	var note sum
	i, unmarked := 0.0, 0.0
	sections, forms := make(map[uint64]*sum), make(map[[2]uint64]*sum)
	add := func(s *sum, r Reading, by float64) {
		s.n += by
		s.odds += by * clampOdds(r.LogOdds)
		s.you += by * r.own[oYou]
		if r.own[oReplies] > 0 || r.own[oBehind] > 1 && r.own[oBehindAsks]+r.own[oBehindDoubts] == 0 {
			s.replied += by
		}
	}
	of := func(r Reading) (section, form *sum) {
		key := [2]uint64{r.section, uint64(r.form)}
		if sections[r.section] == nil {
			sections[r.section] = &sum{}
		}
		if forms[key] == nil {
			forms[key] = &sum{}
		}
		return sections[r.section], forms[key]
	}
	for _, r := range all {
		section, form := of(r)
		add(&note, r, 1)
		add(section, r, 1)
		add(form, r, 1)
		i += r.own[oI]
		unmarked += r.own[oUnmarked]
	}
	mean := func(s *sum, own float64, of func(sum) float64) float64 {
		if s.n <= 1 {
			return 0
		}
		return (of(*s) - own) / (s.n - 1)
	}
	odds := func(s sum) float64 { return s.odds }
	you := func(s sum) float64 { return s.you }
	replied := func(s sum) float64 { return s.replied }
	for k, r := range all {
		row := make([]float64, placeCount, placeCount+ownCount)
		row[pLogOdds] = r.LogOdds
		near := func(at int) float64 {
			if at < 0 || at >= len(all) {
				return 0
			}
			return clampOdds(all[at].LogOdds)
		}
		row[pBefore], row[pBefore2], row[pAfter], row[pAfter2] = near(k-1), near(k-2), near(k+1), near(k+2)
		section, form := of(r)
		var own sum
		add(&own, r, 1)
		row[pSection], row[pSectionForm], row[pNote] = mean(section, own.odds, odds), mean(form, own.odds, odds), mean(&note, own.odds, odds)
		row[pNoteReplied], row[pNoteYou] = mean(&note, own.replied, replied), mean(&note, own.you, you)
		row[pNoteI], row[pNoteUnmarked] = i/note.n, unmarked/note.n
		row[pSectionYou], row[pSectionReplied], row[pSectionCount] = mean(section, own.you, you), mean(section, own.replied, replied), section.n
		row[pCount], row[pAt] = note.n, float64(k)/note.n
		rows[k] = append(row, r.own[:]...)
	}
	return rows
}

func clampOdds(x float64) float64 { return math.Max(-4, math.Min(4, x)) }

// Names returns the names of what [Values] returns for a candidate.
func Names() []string { return append(placeNames[:placeCount:placeCount], ownNames[:]...) }
