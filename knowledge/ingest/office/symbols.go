package office

import "strings"

// symbolFont reports fonts whose characters are symbols at the places of letters.
func symbolFont(font string) bool {
	switch strings.ToLower(font) {
	case "symbol", "wingdings", "wingdings 2", "wingdings 3", "webdings":
		return true
	}
	return false
}

// isPrivate reports characters that mean a place in a font of symbols.
func isPrivate(r rune) bool { return 0xf020 <= r && r <= 0xf0ff }

// symbols returns text of a font of symbols in Unicode. A character without a known meaning becomes a
// bullet.
func symbols(text, font string) string {
	known := symbolFont(font)
	return strings.Map(func(r rune) rune {
		place := r
		switch {
		case isPrivate(r):
			place = r - 0xf000
		case !known || r < 0x20 || r > 0xff:
			return r
		case r == ' ' || r == 0xa0:
			return ' '
		}
		if strings.EqualFold(font, "Symbol") || !known {
			if u := symbolChars[place]; u != 0 {
				return u
			}
			if place < 0x80 && !known {
				return place
			}
			return '•'
		}
		if u := wingdings[place]; u != 0 && strings.EqualFold(font, "Wingdings") {
			return u
		}
		if u := wingdings2[place]; u != 0 && strings.EqualFold(font, "Wingdings 2") {
			return u
		}
		return '•'
	}, text)
}

// symbolChars holds the characters of Adobe's font Symbol by their places.
var symbolChars = func() map[rune]rune {
	chars := map[rune]rune{}
	for first, row := range map[rune]string{
		0x20: " !∀#∃%&∋()∗+,−./0123456789:;<=>?",
		0x40: "≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_",
		0x61: "αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼",
		0xa0: "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵",
		0xc0: "ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓",
		0xe0: "◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪",
		0xf1: "〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭",
	} {
		at := first
		for _, r := range row {
			chars[at] = r
			at++
		}
	}
	return chars
}()

// wingdings holds the characters of Wingdings that documents use.
var wingdings = map[rune]rune{
	0x28: '☎', 0x2a: '✉', 0x4a: '☺', 0x4c: '☹', 0x6c: '●', 0x6e: '■', 0x6f: '□', 0x71: '❑', 0x72: '❒', 0x75: '◆', 0x76: '❖', 0x77: '◆',
	0x9f: '•', 0xa0: '▪', 0xa7: '▪', 0xa8: '☐', 0xb7: '•', 0xd8: '➢', 0xdf: '←', 0xe0: '→', 0xe1: '↑', 0xe2: '↓', 0xe8: '➔', 0xf0: '⇨',
	0xfb: '✗', 0xfc: '✓', 0xfd: '☒', 0xfe: '☑',
}

var wingdings2 = map[rune]rune{0x4f: '✗', 0x50: '✓', 0x51: '☒', 0x52: '☑', 0x53: '☒', 0x54: '☒', 0x97: '●', 0xa3: '☐'}

// raised returns text that stands above the line in raised characters, if all of it can be: 10⁹, not 109.
func raised(text string) string {
	for _, r := range text {
		if _, ok := raisedChars[r]; !ok {
			return text
		}
	}
	return strings.Map(func(r rune) rune { return raisedChars[r] }, text)
}

var raisedChars = map[rune]rune{
	'0': '⁰', '1': '¹', '2': '²', '3': '³', '4': '⁴', '5': '⁵', '6': '⁶', '7': '⁷', '8': '⁸', '9': '⁹', '+': '⁺', '-': '⁻', '−': '⁻', '–': '⁻', '(': '⁽', ')': '⁾', 'n': 'ⁿ', ' ': ' ',
}
