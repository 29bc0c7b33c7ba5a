package sanitise

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A key may stand in a text with escapes of addresses, JSON or HTML, and what stands before it may look
// like the beginning of an escape: in "%0fuzz" either %0f is a character or the key begins with f. So a
// key is sought in every reading of the text.

// reading is a way to read what stands at a place: a character in lower case, or "" for white space that is
// not escaped.
type reading struct {
	end  int
	char string
}

// readings returns the ways to read what stands at i, the longest first, and last as it stands.
func readings(text string, i int) []reading {
	var all []reading
	switch rest := text[i:]; rest[0] {
	case '%':
		all = percentReadings(text, i, nil, nil)
		slices.SortStableFunc(all, func(a, b reading) int { return b.end - a.end })
	case '\\':
		if len(rest) >= 6 && rest[1] == 'u' {
			if n, err := strconv.ParseUint(rest[2:6], 16, 16); err == nil {
				all = append(all, reading{i + 6, strings.ToLower(string(rune(n)))})
			}
		}
		if len(rest) >= 2 && strings.IndexByte(`/"\`, rest[1]) >= 0 {
			all = append(all, reading{i + 2, rest[1:2]})
		}
	case '&':
		if name, _, found := strings.Cut(rest[1:min(len(rest), longestEscape)], ";"); found {
			if char, ok := entity(name); ok {
				all = append(all, reading{i + 2 + len(name), strings.ToLower(char)})
			}
		}
	}
	r, size := utf8.DecodeRuneInString(text[i:])
	return append(all, reading{i + size, lowered(string(r))})
}

// percentReadings appends the characters that percent signs at i may escape, once or several times. The
// bytes of the character so far stand before it.
func percentReadings(text string, i int, before []byte, all []reading) []reading {
	for j := i + 1; j+2 <= len(text); j += 2 {
		n, err := strconv.ParseUint(text[j:j+2], 16, 8)
		if err != nil {
			break
		}
		char := append(slices.Clip(before), byte(n))
		if utf8.FullRune(char) {
			all = append(all, reading{j + 2, strings.ToLower(string(char))})
		} else if j+2 < len(text) && text[j+2] == '%' {
			all = percentReadings(text, j+2, char, all)
		}
		if text[j:j+2] != "25" {
			break
		}
	}
	return all
}

// entity returns the character that HTML names so between & and the semicolon.
func entity(name string) (string, bool) {
	number, numeric := strings.CutPrefix(name, "#")
	if !numeric {
		char, ok := map[string]string{"amp": "&", "lt": "<", "gt": ">", "quot": `"`, "apos": "'"}[strings.ToLower(name)]
		return char, ok
	}
	base := 10
	if number != "" && (number[0] == 'x' || number[0] == 'X') {
		number, base = number[1:], 16
	}
	n, err := strconv.ParseUint(number, base, 20)
	return string(rune(n)), err == nil
}

// lowered returns a text in lower case and without white space.
func lowered(text string) string {
	return strings.Map(func(r rune) rune {
		if r == ' ' || r == '\n' || r == '\r' || r == '\t' {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
}

// decoded returns a text [lowered], with its escapes decoded.
func decoded(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		first := readings(text, i)[0]
		b.WriteString(first.char)
		i = first.end
	}
	return b.String()
}

// shortest is the length in bytes from which something counts as a key at all.
const shortest = 4

// longestEscape is how many bytes the escape of one character may have, for an end that cuts it.
const longestEscape = 12

// search looks for a key in all readings of a text.
type search struct {
	text, form string
	failed     map[[2]int]bool // places of the text, with how much of the form stands before, behind which the rest does not stand
}

func newSearch(text, form string) *search { return &search{text: text, form: form} }

// eachMatch calls each with the places of the form. It returns true unless each stopped it.
func (s *search) eachMatch(each func(start, end int) bool) bool {
	return s.eachCandidate(func(start int) bool {
		end, _ := s.match(start, 0, false)
		return end < 0 || each(start, end)
	})
}

// beginning returns where the text ends with a beginning of the form, or its length.
func (s *search) beginning() int {
	first := len(s.text)
	s.eachCandidate(func(start int) bool {
		if _, cut := s.match(start, 0, true); cut {
			first = start
			return false
		}
		return true
	})
	return first
}

// eachCandidate calls each with the places that may be read as the first character of the form.
func (s *search) eachCandidate(each func(start int) bool) bool {
	first, _ := utf8.DecodeRuneInString(s.form)
	for i := 0; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '%' || c == '&' || c == '\\':
		case c >= utf8.RuneSelf:
			if !utf8.RuneStart(c) {
				continue
			}
		default:
			if unicode.ToLower(rune(c)) != first {
				continue
			}
		}
		if !each(i) {
			return false
		}
	}
	return true
}

// match returns where the form ends if the text at i is read as the form from k on, or -1. If the text may
// continue, cut reports that it ends before the form does, after so much of the form that it counts as a key.
func (s *search) match(i, k int, continues bool) (end int, cut bool) {
	for k < len(s.form) {
		if i == len(s.text) {
			return -1, continues && k >= shortest
		}
		if c := s.text[i]; c < utf8.RuneSelf && c != '%' && c != '&' && c != '\\' { // the usual case, without memory
			switch {
			case c == ' ' || c == '\n' || c == '\r' || c == '\t':
				if k == 0 {
					return -1, false
				}
			case rune(s.form[k]) != unicode.ToLower(rune(c)):
				return -1, false
			default:
				k++
			}
			i++
			continue
		}
		if continues && k >= shortest && len(s.text)-i < longestEscape {
			return -1, true
		}
		all := readings(s.text, i)
		if len(all) == 1 {
			if !strings.HasPrefix(s.form[k:], all[0].char) {
				return -1, false
			}
			i, k = all[0].end, k+len(all[0].char)
			continue
		}
		if s.failed[[2]int{i, k}] {
			return -1, false
		}
		for _, way := range all {
			if !strings.HasPrefix(s.form[k:], way.char) {
				continue
			}
			if end, cut := s.match(way.end, k+len(way.char), continues); end >= 0 || cut {
				return end, cut
			}
		}
		if s.failed == nil {
			s.failed = make(map[[2]int]bool)
		}
		s.failed[[2]int{i, k}] = true
		return -1, false
	}
	return i, false
}
