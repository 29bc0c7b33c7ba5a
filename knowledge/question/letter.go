package question

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
)

// IsLetter reports whether the text has more than what it asks: an account, a subject line or courtesies.
func (r Reading) IsLetter() bool {
	asked := 0
	for _, s := range r.Asking {
		asked += s.Len()
	}
	return len(r.Account) > 0 || r.Topic.Len() > 0 || asked*4 < len(strings.TrimSpace(r.Text))*3
}

// Gist returns what a letter asks, in its own words and on one line: the sentences that ask and, if these
// only point to it, the subject line and the names in what the letter tells. A text that is no letter is its
// own gist, and so is a short one, apart from its courtesies.
func (r Reading) Gist() string {
	if !r.IsLetter() {
		return r.Text
	}
	parts := slices.Concat(r.Account, r.Asking)
	if r.pointsBack() && !slices.Contains(r.Asking, r.Topic) {
		parts = append(parts, r.Topic)
	}
	slices.SortFunc(parts, func(a, b passage.Span) int { return a.Start - b.Start })
	if whole := r.join(parts); len(strings.Fields(whole))+utf8.RuneCountInString(whole)/40 <= shortLetter && !plaintext.HasHan(whole) {
		return whole
	}
	asking := slices.Clone(r.Asking)
	for i, s := range asking {
		asking[i].Start += indirect(r.Text[s.Start:s.End])
	}
	gist := r.join(asking)
	if !r.pointsBack() {
		return gist
	}
	held := make(map[string]bool)
	for _, term := range lexical.Terms(gist) {
		held[term] = true
	}
	told := r.toldNames()
	for _, p := range slices.Concat(r.phrasesOf([]passage.Span{r.Topic}), told) {
		if slices.ContainsFunc(p.Terms, func(term string) bool { return !held[term] }) {
			gist += " " + p.Text
		}
		for _, term := range p.Terms {
			held[term] = true
		}
	}
	return gist
}

// indirect returns the length of what only introduces an indirect question: "I would like to know whether".
func indirect(sentence string) int {
	at := introduction.FindStringSubmatchIndex(sentence)
	switch {
	case at == nil:
		return 0
	case at[2] >= 0: // "whether" says nothing either
		return at[3]
	}
	return at[4]
}

var introduction = regexp.MustCompile(`(?i)^.{0,60}?(?:like to know|want to know|need to know|wonder|wondering|tell me|let me know|explain to me|my question is|` +
	`wissen|wüsste gern|wüsste gerne|frage mich|sagen sie mir|sag mir|sagt mir|sagen|meine frage ist|请问|想问一下|想问|想知道)[\s,:，：]*(?:\b(ob|whether|if)\b|(what|which|who|when|where|why|how|was|wer|wie|wann|wo|warum|welche[rsnm]?|\p{Han}))`)

// toldNames returns the names in what a letter tells that its question most likely points to: those that read
// most like names, and those of the sentence before it.
func (r Reading) toldNames() []Phrase {
	told := r.named(r.phrasesOf(r.Account))
	before := passage.Span{}
	for _, s := range r.Account {
		if len(r.Asking) > 0 && s.End <= r.Asking[0].Start {
			before = s
		}
	}
	rate := func(p Phrase) int {
		if before.Start <= p.Start && p.End <= before.End {
			return nameLike(p) + nextBefore
		}
		return nameLike(p)
	}
	slices.SortStableFunc(told, func(a, b Phrase) int { return rate(b) - rate(a) })
	return told[:min(maxTold, len(told))]
}

// nextBefore is worth about a word of a name; see [nameLike].
const nextBefore = 12

const (
	shortLetter = 25 // words of a letter that is read whole
	maxTold     = 3  // names taken from what a letter tells
)

// join returns some parts of the text on one line, each ended by a mark.
func (r Reading) join(parts []passage.Span) string {
	var b strings.Builder
	for _, s := range parts {
		text := plaintext.OneLine(r.Text[s.Start:s.End])
		if text == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(text)
		if last, _ := utf8.DecodeLastRuneInString(text); unicode.IsLetter(last) || unicode.IsDigit(last) {
			b.WriteByte('.')
		}
	}
	return b.String()
}

// pointsBack reports whether the sentences that ask do not say themselves what they are about: they name
// nothing but everyday things, or nothing else before they say "it" or "this".
func (r Reading) pointsBack() bool {
	if len(r.Account) == 0 && r.Topic.Len() == 0 {
		return false
	}
	for _, p := range r.phrasesOf(r.Asking) {
		if plaintext.HasHan(p.Text) {
			return false
		}
		if r.isFrame(p) && !(r.Language == German && p.Len() > germanCompound) || r.pronounBefore(p.Start) {
			continue
		}
		names := slices.ContainsFunc(splitWords(p.Text), func(w word) bool {
			lower := strings.ToLower(w.text)
			return !IsGeneric(lower) && !everydayWords[lower] && len(lower) > 3 && !strings.ContainsAny(lower, "'’")
		})
		if names && !r.pronounAfter(p) {
			return false
		}
	}
	return true
}

// germanCompound is the length from which on a German word names more than an aspect: „Rechnungsadresse“.
const germanCompound = 12

// pronounBefore reports whether the sentence that asks says "it" or "this" before an offset.
func (r Reading) pronounBefore(at int) bool {
	s := r.askingAt(at)
	return hasPronoun(r.Text[s.Start:max(s.Start, at)])
}

// pronounAfter reports whether "it" or "this" stands right behind an everyday word: "pair it", "treat this".
func (r Reading) pronounAfter(p Phrase) bool {
	s := r.askingAt(p.Start)
	rest := wordsOf(r.Text[min(p.End, s.End):s.End])
	return len(splitWords(p.Text)) == 1 && strings.ToLower(p.Text) == p.Text && len(rest) > 0 && backPronouns[rest[0].plain]
}

func (r Reading) askingAt(at int) passage.Span {
	for _, s := range r.Asking {
		if s.Start <= at && at < s.End {
			return s
		}
	}
	return passage.Span{}
}

func hasPronoun(text string) bool {
	return slices.ContainsFunc(wordsOf(text), func(w textWord) bool { return backPronouns[w.plain] })
}

var backPronouns = plaintext.Set(`it its this that these those them they dies dieses diese dagegen davon damit daran dafür es`)

// readLetter tells the sentences that ask from the account, the subject line and the courtesies.
func (r *Reading) readLetter() {
	body := r.readTopic()
	sentences := sentencesOf(r.Text, body)
	several := len(sentences) > 1 || r.Topic.Len() > 0
	var rest []passage.Span
	signed := false
	for _, s := range sentences {
		sentence := r.Text[s.Start:s.End]
		quoted := several && isQuotation(r.Text, s)
		asks := !quoted && isQuestion(sentence, r.Language, several)
		signed = signed || several && closings.MatchString(sentence)
		switch {
		case asks:
			r.Asking = append(r.Asking, s)
		case isCourtesy(sentence) || several && (isPlea(sentence) || quoted) || signed:
		default:
			rest = append(rest, s)
		}
	}
	switch {
	case len(r.Asking) > 0:
		r.Account = rest
		r.pullAccount()
	case len(rest) > 0:
		r.Asking = slices.DeleteFunc(slices.Clone(rest), func(s passage.Span) bool {
			return len(wants.search(r.Text[s.Start:s.End], inQuestion)) == 0
		})
		if len(r.Asking) == 0 {
			r.Asking = rest
		} else {
			r.Account = slices.DeleteFunc(rest, func(s passage.Span) bool { return slices.Contains(r.Asking, s) })
		}
	case r.Topic.Len() > 0:
		r.Asking = []passage.Span{r.Topic}
	default:
		r.Asking = sentences
	}
}

// pullAccount moves the sentence before "What now?" or "Please advise." into what is asked, if nothing that
// is asked has a word of content.
func (r *Reading) pullAccount() {
	for _, s := range r.Asking {
		if sentence := r.Text[s.Start:s.End]; !isEmpty(sentence) || hasPronoun(sentence) {
			return
		}
	}
	for i, s := range slices.Backward(r.Account) {
		if s.End <= r.Asking[0].Start {
			r.Asking = slices.Insert(r.Asking, 0, s)
			r.Account = slices.Delete(r.Account, i, i+1)
			return
		}
	}
}

// isEmpty reports whether a sentence asks without saying anything of what: "Any advice?"
func isEmpty(sentence string) bool {
	for _, f := range openings.search(sentence, inQuestion) {
		sentence = sentence[:f.start] + strings.Repeat(" ", f.end-f.start) + sentence[f.end:]
	}
	if len(aspectsIn(sentence, inQuestion, LanguageOf(sentence))) > 0 {
		return false
	}
	terms := lexical.Content(sentence)
	return !plaintext.HasHan(sentence) && !slices.ContainsFunc(terms, func(t lexical.Token) bool {
		return !IsPlainTerm(t.Term) && !emptyWords[sentence[t.Start:t.End]]
	})
}

var emptyWords = plaintext.Set(`advise advice help idea ideas suggestion suggestions thoughts rat hilfe ideen tipps`)

// readTopic finds the subject line and returns where the body begins.
func (r *Reading) readTopic() (body int) {
	if at := subjectLine.FindStringSubmatchIndex(r.Text); at != nil {
		r.Topic = trimmed(r.Text, passage.Span{Start: at[2], End: at[3]})
		return at[1]
	}
	first, rest, ok := strings.Cut(r.Text, "\n")
	if !ok || !blankLine.MatchString(rest) && strings.TrimSpace(first) != "" {
		return 0
	}
	s := trimmed(r.Text, passage.Span{End: len(first)})
	line := r.Text[s.Start:s.End]
	if s.Len() == 0 || len(strings.Fields(line)) > maxTopic || isCourtesy(line) || strings.HasSuffix(line, ",") || strings.ContainsAny(line, "?？") {
		return 0
	}
	r.Topic = s
	return len(first)
}

// maxTopic is the number of words of a longest subject line.
const maxTopic = 12

var (
	subjectLine = regexp.MustCompile(`(?i)^\s*(?:(?:subject|betreff|betrifft|re|aw|fwd?|wg|主题|主旨|回复)\s*[:：]\s*)+([^\r\n]*)`)
	blankLine   = regexp.MustCompile(`^[ \t\r]*\n`)
	// closings end a letter: what follows is a name, an address, a phone.
	closings = regexp.MustCompile(`(?i)^\W*(?:(?:(?:kind|best|warm|many)(?:est)? )?(?:regards|wishes|greetings)\b|(?:yours|sincerely|cheers|best|love|hugs|respectfully|thx|thanks|thank you|many thanks)\W*$|` +
		`(?:yours )?(?:sincerely|faithfully|truly)\b|sent from my\b|(?:mit )?(?:freundliche[nm]?|viele[n]?|beste[n]?|liebe[n]?|herzliche[n]?|schöne[n]?) gr[üu](?:ß|ss)|` +
		`(?:lg|mfg|vg|gru(?:ß|ss))\b|danke und gru|hochachtungsvoll|此致|敬礼|祝(?:好|您|你|工作|生活|身体))`)
	quotedLine = regexp.MustCompile(`(?i)^\s*(?:>|(?:on|am) .{4,80}\b(?:wrote|schrieb)\b.*:$)`)
)

// isQuotation reports whether a sentence stands in a line that quotes another message.
func isQuotation(text string, s passage.Span) bool {
	start := strings.LastIndexByte(text[:s.Start], '\n') + 1
	return quotedLine.MatchString(text[start:s.End])
}

// sentencesOf returns the sentences of a text from an offset on. People who write letters in haste begin
// sentences in lower case, so these are cut there too.
func sentencesOf(text string, from int) []passage.Span {
	var all []passage.Span
	for _, s := range passage.Sentences(text[from:], passage.Plain) {
		s = passage.Span{Start: s.Start + from, End: s.End + from}
		for at := s.Start; at < s.End; {
			end := nextCut(text, at, s.End)
			if part := trimmed(text, passage.Span{Start: at, End: end}); strings.ContainsFunc(text[part.Start:part.End], passage.IsWordRune) {
				all = append(all, part)
			}
			at = end
		}
	}
	return all
}

// nextCut returns the end of the sentence that begins at from, at most to.
func nextCut(text string, from, to int) int {
	for i := from; i+1 < to; i++ {
		c := text[i]
		if c != '?' && c != '!' && c != '.' || text[i+1] != ' ' && text[i+1] != '\n' {
			continue
		}
		if c != '.' {
			return i + 1
		}
		before := text[from:i]
		word := before[strings.LastIndexAny(before, " \n")+1:]
		if word == "" && strings.ContainsFunc(before, passage.IsWordRune) || len(word) > 3 && word == strings.ToLower(word) && !strings.Contains(word, ".") && !clipped[word] {
			return i + 1
		}
	}
	return to
}

// clipped has abbreviations of four letters and more that stand before a full stop.
var clipped = plaintext.Set(`approx dept prof resp evtl inkl zzgl sect incl excl vers usw etc`)

func trimmed(text string, s passage.Span) passage.Span {
	body := text[s.Start:s.End]
	s.Start += len(body) - len(strings.TrimLeftFunc(body, unicode.IsSpace))
	s.End -= len(body) - len(strings.TrimRightFunc(body, unicode.IsSpace))
	if s.End < s.Start {
		return passage.Span{}
	}
	return s
}

// isQuestion reports whether a sentence asks: by its mark, its first words, or a request. Among other
// sentences the first word alone is not enough: "When I was in Malawi".
func isQuestion(sentence string, language Language, among bool) bool {
	end := strings.TrimRightFunc(sentence, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`"'”’)）»!！`, r) })
	if strings.HasSuffix(end, "?") || strings.HasSuffix(end, "？") {
		return true
	}
	if len(requests.search(sentence, inQuestion)) > 0 {
		return true
	}
	if !among {
		return len(interrogatives.search(sentence, inQuestion)) > 0 || isYesNo(sentence, wordsOf(sentence), language)
	}
	words := wordsOf(sentence)
	for len(words) > 2 && conjunctions[words[0].plain] {
		words = words[1:]
	}
	if len(words) < 2 {
		return len(interrogatives.search(sentence, inQuestion)) > 0 && plaintext.HasHan(sentence)
	}
	auxiliary := englishAuxiliary
	if language == German {
		auxiliary = germanAuxiliary
	}
	first, second := words[0].plain, words[1].plain
	switch {
	case plaintext.HasHan(sentence):
		return len(interrogatives.search(sentence, inQuestion)) > 0
	case interrogative[first]:
		return auxiliary[second] || first == "how" || first == "which" || first == "wie" || first == "welche" || first == "welcher" || first == "welches"
	}
	return auxiliary[first] && !strings.HasSuffix(first, "nt") && subjectWords[second]
}

// subjectWords open the rest of a question behind its verb.
var subjectWords = plaintext.Set(`i you he she it we they there this that these those the a an my our his her their your anyone someone one
	any people ich du er sie es wir ihr man der die das den dem ein eine mein meine unser unsere jemand dies dieser diese dieses`)

// conjunctions may stand before a question: "And what does it cost".
var conjunctions = plaintext.Set(`and but also so or then und aber auch oder`)

// isCourtesy reports whether a sentence is a salutation, a signature or thanks.
func isCourtesy(sentence string) bool {
	words := wordsOf(sentence)
	return len(words) <= maxCourtesy && len(courtesies.search(sentence, inQuestion)) > 0 && !strings.ContainsAny(sentence, "?？")
}

// maxCourtesy is the number of words of a longest courtesy.
const maxCourtesy = 8

// isPlea reports whether a sentence asks for attention and for nothing else.
func isPlea(sentence string) bool { return len(pleas.search(sentence, inQuestion)) > 0 }

var interrogatives = newTable(`[]
asks: ^what, ^which, ^who, ^whom, ^whose, ^when, ^where, ^why, ^how, ^define, ^describe, ^explain, ^list, ^name, ^compare, ^wie, ^was, ^wer, ^wem, ^wen, ^wann, ^wo, ^warum, ^wieso, ^weshalb, ^wozu, ^wofür, ^woran, ^wodurch, ^welche, ^welcher, ^welches, ^welchen, ^nenne, 什么, 怎么, 如何, 多少, 多久, 多长, 哪, 为何, 吗, 是否, 能否, 能不能, 可不可以, 有没有, 谁, 几`)

var requests = newTable(`[]
asks: tell me, let me know, inform me, explain to me, please explain, kindly explain, can you explain, could you explain, i want to know, i would like to know, id like to know, wed like to know, would like to know, she would like to know, like to learn, shed like to know, hed like to know, i need to know, need to know if, need to know how, need to know whether, i wonder, i was wondering, wondering if, wondering whether, my question is, any advice on, any information on, any information about, information on, information regarding, information about, do you know, does anyone know, can anyone, i am asking, i have a question about, ich möchte wissen, ich wüsste gern*, wüsste gern*, gerne wissen, gern wissen, ich frage mich, frage ist, sagen sie mir, sag mir, sagt mir, können sie mir, könnten sie mir, kannst du mir, könnt ihr mir, mich interessiert, mich würde interessieren, bitte um auskunft, teilen sie mir, 请问, 想问, 想知道, 想了解, 请教, 咨询, 求助`)

var wants = newTable(`[]
asks: i want, i need, we need, i would like, id like, we would like, looking for, searching for, trying to find, trying to, can't find, cant find, cannot find, unable to find, interested in, please send, please fix, ich brauche, wir brauchen, ich suche, wir suchen, ich möchte, wir möchten, ich würde gern*, ich will, 我想, 想要, 需要, 希望`)

var pleas = newTable(`[]
asks: grateful, appreciate*, thank you for, thanks for, thanks in advance, thank you in advance, sorry for, sorry to bother, god bless, look forward, looking forward, please help, please advise, please answer, please reply, any help, we beg you, to whom it may concern, dankbar, im voraus, ich freue mich auf, wir freuen uns auf, bitte helfen, bitte um hilfe, bitte um schnelle, entschuldigen sie, entschuldigung für, 麻烦您, 麻烦你, 感谢, 谢谢, 不好意思, 打扰`)

var courtesies = newTable(`[]
asks: ^dear, ^hello, ^hi, ^hey, ^good morning, ^good afternoon, ^good evening, ^thanks, ^thank you, ^thx, ^many thanks, ^regards, ^kind regards, ^best regards, ^best, ^yours, ^yours sincerely, ^sincerely, ^cheers, ^greetings, ^best wishes, ^hugs, ^love, thanks in advance, thank you in advance, ^please help, ^god bless, ^liebe, ^lieber, ^hallo, ^moin, ^servus, ^guten tag, ^guten morgen, ^guten abend, ^sehr geehrte*, ^vielen dank, ^danke, ^mit freundlichen grüßen, ^viele grüße, ^beste grüße, ^liebe grüße, ^lg, ^mfg, ^vg, ^gruß, ^sent from my, 谢谢, 你好, 您好, 此致, 敬礼`)

// Rest returns the content terms of the sentences that ask, each once, which neither stand in a name nor name
// an aspect or a condition of everyday speech: of "Which drugs help children with gout?" and the name "gout"
// it is "children". Words that only ask are left out.
func (r Reading) Rest(name string) []string {
	held := make(map[string]bool)
	for _, term := range lexical.Terms(name) {
		held[term] = true
	}
	var rest []string
	for _, s := range r.Asking {
		sentence := contraction.ReplaceAllStringFunc(r.Text[s.Start:s.End], func(w string) string { return strings.Repeat(" ", len(w)) })
		for _, t := range []*table{openings, requests, interrogatives, aspectTable} {
			for _, f := range t.search(sentence, inQuestion) {
				if f.inScript || len(wordsOf(sentence[f.start:f.end])) == len(f.parts) {
					sentence = sentence[:f.start] + strings.Repeat(" ", f.end-f.start) + sentence[f.end:]
				}
			}
		}
		for _, t := range lexical.Content(sentence) {
			if !held[t.Term] && !IsPlainTerm(t.Term) {
				held[t.Term] = true
				rest = append(rest, t.Term)
			}
		}
	}
	return rest
}

// contraction matches what only asks, with its apostrophe: "I'd", "what's".
var contraction = regexp.MustCompile(`(?i)\b(?:i|you|he|she|it|we|they|what|who|how|where|there)['’](?:d|m|s|re|ve|ll)\b`)

// Asks reports whether a line by itself is a question: a heading of a page of frequent questions. A title such as
// "How to pay" is none unless it has a question mark, but "How do I pay" is.
func Asks(line string) bool {
	line = strings.TrimSpace(line)
	if strings.HasSuffix(line, "?") || strings.HasSuffix(line, "？") {
		return true
	}
	return isQuestion(line, LanguageOf(line), true)
}
