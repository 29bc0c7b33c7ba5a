package bibliography

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// accents maps a command of LaTeX to the combining character that it stands for.
var accents = map[string]string{
	"`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", "=": "\u0304", "u": "\u0306", ".": "\u0307", `"`: "\u0308", "r": "\u030A", "H": "\u030B", "v": "\u030C", "d": "\u0323", "c": "\u0327", "k": "\u0328", "b": "\u0331",
}

// symbols maps commands to characters.
var symbols = map[string]string{
	"ss": "ß", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "aa": "å", "AA": "Å", "i": "ı", "j": "ȷ", "dh": "ð", "DH": "Ð", "th": "þ", "TH": "Þ", "dj": "đ", "DJ": "Đ", "ng": "ŋ",
	"textendash": "–", "textemdash": "—", "textquoteright": "’", "textquoteleft": "‘", "textquotedblleft": "“", "textquotedblright": "”", "guillemotleft": "«", "guillemotright": "»", "textasciitilde": "~", "textasciicircum": "^", "textbraceleft": "{", "textbraceright": "}", "textbackslash": `\`, "backslash": `\`, "textunderscore": "_", "textregistered": "®", "texttrademark": "™", "textdegree": "°", "degree": "°", "textmu": "µ", "textpm": "±", "texttimes": "×", "textperiodcentered": "·", "ldots": "…", "dots": "…", "textellipsis": "…", "S": "§", "pounds": "£", "euro": "€", "texteuro": "€", "copyright": "©",
	"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ", "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "upsilon": "υ", "phi": "φ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω",
	"Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Sigma": "Σ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
	"textalpha": "α", "textbeta": "β", "textgamma": "γ", "textgreater": ">", "textless": "<", "pm": "±", "times": "×", "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥", "neq": "≠", "approx": "≈", "sim": "~", "cdot": "·", "infty": "∞", "rightarrow": "→", "to": "→", "leftarrow": "←", "circ": "°", "prime": "′", "percent": "%", "par": "\n\n", "newline": " ", "quad": " ", "qquad": " ",
}

// unlatex returns the characters that the commands of LaTeX stand for, without braces. Of unknown
// commands, the arguments stay.
func unlatex(text string) string {
	if !strings.ContainsAny(text, "\\{}$~`'-") {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '\\':
			i = command(text, i+1, &b)
		case c == '{' || c == '}' || c == '$':
			i++
		case c == '~':
			b.WriteByte(' ')
			i++
		case strings.HasPrefix(text[i:], "---"):
			b.WriteString("—")
			i += 3
		case strings.HasPrefix(text[i:], "--"):
			b.WriteString("–")
			i += 2
		case strings.HasPrefix(text[i:], "``"):
			b.WriteString("“")
			i += 2
		case strings.HasPrefix(text[i:], "''"):
			b.WriteString("”")
			i += 2
		default:
			b.WriteByte(c)
			i++
		}
	}
	return norm.NFC.String(b.String())
}

// command writes what the command at an offset stands for, and returns the offset after it.
func command(text string, at int, b *strings.Builder) int {
	if at >= len(text) {
		return at
	}
	end := at
	for end < len(text) && (text[end]|0x20 >= 'a' && text[end]|0x20 <= 'z') {
		end++
	}
	if end == at {
		_, size := utf8.DecodeRuneInString(text[at:])
		end = at + size
	}
	name := text[at:end]
	letters := unicode.IsLetter(rune(name[0]))
	if mark, ok := accents[name]; ok {
		next := end
		for next < len(text) && (letters && text[next] == ' ' || text[next] == '{') {
			next++
		}
		if next < len(text) && text[next] == '\\' { // \'\i, \v{\i}
			var inner strings.Builder
			next = command(text, next+1, &inner)
			base := strings.NewReplacer("ı", "i", "ȷ", "j").Replace(inner.String())
			b.WriteString(base + mark)
			return next
		}
		r, size := utf8.DecodeRuneInString(text[next:])
		if next < len(text) && unicode.IsLetter(r) {
			b.WriteRune(r)
			b.WriteString(mark)
			return next + size
		}
		return end
	}
	if symbol, ok := symbols[name]; ok {
		b.WriteString(symbol)
		if end < len(text) && text[end] == ' ' && letters {
			end++
		}
		return end
	}
	switch {
	case !letters && name == "\\":
		b.WriteByte(' ')
	case !letters && (name == "," || name == ";" || name == " " || name == ":"):
		b.WriteByte(' ')
	case !letters && (name == "-" || name == "/" || name == "!"):
	case !letters:
		b.WriteString(name) // \& \% \_ \$ \# \{ \}
	case end < len(text) && text[end] == ' ':
		end++ // the space ends the command
	}
	return end
}
