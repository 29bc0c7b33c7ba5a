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
// an abbreviation, an initial, or the number of a list. The Chinese marks 。！？； always end one.
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
	if strings.IndexFunc(trimmed, isWordRune) < 0 {
		return Span{}
	}
	return Span{Start: start, End: start + len(trimmed)}
}

// split splits one block of running text into sentences.
func split(text string, block Span, emit func(Span)) {
	start := block.Start
	body := text[:block.End]
	for i := start; i < len(body); {
		r, size := utf8.DecodeRuneInString(body[i:])
		switch {
		case isHanStop(r):
			end := skipClosers(body, skipStops(body, i))
			emit(Span{start, end})
			start, i = end, end
		case r == '.' || r == '!' || r == '?':
			after := skipStops(body, i)
			end := skipReference(body, skipClosers(body, after))
			next := skipSpace(body, end)
			single := r == '.' && after == i+1
			if next > end && opensSentence(body[next:]) && !(single && abbreviated(body, start, i, next)) {
				emit(Span{start, end})
				start = next
			}
			i = end
		default:
			i += size
		}
	}
	if start < block.End {
		emit(Span{start, block.End})
	}
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
// marks. A straight quote before a space closes; it cannot do anything else.
func skipClosers(body string, i int) int {
	return skipRunes(body, i, func(r rune) bool {
		return unicode.In(r, unicode.Pe, unicode.Pf) || strings.ContainsRune("\"'*_`~", r)
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

// skipReference skips a reference after the full stop, such as [12], [3,4] or [^note].
func skipReference(body string, i int) int {
	const longest = 24
	if i >= len(body) || body[i] != '[' {
		return i
	}
	window := body[i:min(len(body), i+longest)]
	end := strings.IndexByte(window, ']')
	if end < 0 {
		return i
	}
	inside := window[1:end]
	if strings.HasPrefix(inside, "^") || inside != "" && strings.Trim(inside, "0123456789,;–- ") == "" {
		return i + end + 1
	}
	return i
}

// opensSentence reports whether rest begins as a sentence can: with a capital, a letter of a script
// without case, a digit, an opening quote or bracket, a dash, a bullet, or emphasis.
func opensSentence(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	switch {
	case unicode.IsUpper(r), unicode.IsTitle(r), unicode.Is(unicode.Lo, r), unicode.IsDigit(r):
		return true
	case unicode.In(r, unicode.Ps, unicode.Pi, unicode.Pd, unicode.Sm, unicode.Sc):
		return true
	}
	return r != utf8.RuneError && strings.ContainsRune("\"'•·◦▪*_`", r)
}

// abbreviated reports whether the full stop at dot belongs to the word before it. The sentence
// began at start, and what follows begins at next.
func abbreviated(body string, start, dot, next int) bool {
	from := wordStart(body, start, dot)
	word := body[from:dot]
	switch {
	case word == "":
		return false
	case isNumber(word):
		opens := strings.TrimSpace(body[start:from]) == ""
		return opens && len(word) <= 3
	case isInitials(word):
		return utf8.RuneCountInString(word) > 1 || !labelled(body[start:from])
	}
	key := strings.ToLower(word)
	if numbered[key] {
		r, _ := utf8.DecodeRuneInString(body[next:])
		return unicode.IsDigit(r)
	}
	return abbreviations[key]
}

// wordStart returns where the word that ends at end begins. Full stops inside belong to it.
// Abbreviations are short, so the walk stops early and the cost of a text stays linear.
func wordStart(body string, start, end int) int {
	const longest = 16
	at := end
	for at > start && end-at < longest {
		r, size := utf8.DecodeLastRuneInString(body[start:at])
		if !isWordRune(r) && r != '.' {
			break
		}
		at -= size
	}
	return at
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

// labelled reports whether the single letter after before is a label rather than an initial, as in
// "vitamin D" or "hepatitis B".
func labelled(before string) bool {
	before = strings.TrimRightFunc(before, unicode.IsSpace)
	word := before[wordStart(before, 0, len(before)):]
	return labels[strings.ToLower(word)]
}

var labels = plaintext.Set("appendix class factor grade group hepatitis immunoglobulin influenza level part stage type vitamin")

// abbreviations holds words whose full stop never ends a sentence.
var abbreviations = plaintext.Set(`e.g i.e eg ie vs viz cf al ca approx resp excl incl esp
	dr drs mr mrs ms mx prof st rev hon lt sgt jr sr ph.d
	fig figs eq eqs vol vols pp eds dept univ
	sp spp subsp ssp
	jan feb mar apr jun jul aug sep sept oct nov dec
	abb bzw d.h evtl ggf u.a z.b`)

// numbered holds words that are abbreviations only before a number: "no. 5", but "The answer is no."
var numbered = plaintext.Set("art ch chap ed no nos nr p par para ref refs sec sect tab var ver")
