package sanitise

import (
	"encoding/base64"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
	"unicode/utf8"
)

// The keys of this process. There is one list for all of it, because a key must not leave by any way out,
// and an endpoint may repeat in a reply the key of another.
var (
	keeping sync.Mutex               // held while the list is replaced
	secrets atomic.Pointer[[]secret] // nil while there are none
)

// secret is a key with all that it is looked for as.
type secret struct {
	key   string
	forms [2]string // as plainForm writes it, without and with numbers; empty for a short key, which is looked for as a word
	cores []string  // of its base64 at each of the three places in a group, in both alphabets
}

const (
	redacted = "…"
	// shortest is the length in bytes from which something counts as a key at all, and longEnough that
	// from which it is found wherever and however it stands.
	shortest, longEnough = 4, 8
)

// placeholders are what people set as the key of a server that wants none. They are words as well.
var placeholders = []string{"none", "null", "empty", "dummy", "ollama", "lm-studio", "llama.cpp", "vllm", "test", "no-key", "nokey", "not-needed", "sk-no-key-required", "anything", "default"}

// Secret makes sure that [Redact] leaves a key, a password or a token out from now on. What is too short
// for one, or is a usual placeholder, is passed over.
func Secret(key string) {
	key = strings.TrimSpace(key)
	if scheme, rest, found := strings.Cut(key, " "); found && (strings.EqualFold(scheme, "bearer") || strings.EqualFold(scheme, "basic")) {
		Secret(rest)
		if user, err := base64.StdEncoding.DecodeString(rest); err == nil && strings.EqualFold(scheme, "basic") {
			_, password, _ := strings.Cut(string(user), ":")
			Secret(password)
		}
		return
	}
	if len(key) < shortest || slices.Contains(placeholders, strings.ToLower(key)) {
		return
	}
	keeping.Lock()
	defer keeping.Unlock()
	all := slices.Clone(known())
	if slices.ContainsFunc(all, func(s secret) bool { return s.key == key }) {
		return
	}
	all = append(all, newSecret(key))
	secrets.Store(&all)
}

func known() []secret {
	if all := secrets.Load(); all != nil {
		return *all
	}
	return nil
}

func newSecret(key string) secret {
	s := secret{key: key}
	if len(key) < longEnough {
		return s
	}
	s.forms = [2]string{plainForm(key, false, nil), plainForm(key, true, nil)}
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for before := range 3 { // how many bytes stand before the key in its group of three
			text := encoding.EncodeToString(append(make([]byte, before), key...))
			first := (before*8 + 5) / 6         // what depends on them
			last := (before + len(key)) * 8 / 6 // and what may depend on bytes behind
			s.cores = append(s.cores, text[first:last])
		}
	}
	return s
}

// secretHeader are the names of headers that hold keys, and likelyKey is what looks like one in others.
var (
	secretHeader = regexp.MustCompile(`(?i)auth|key|token|secret|cookie|pass|credential|signature`)
	likelyKey    = regexp.MustCompile(`^[^\s]{16,}$`)
)

// IsSecretHeader reports whether a header of that name holds a key.
func IsSecretHeader(name string) bool { return secretHeader.MatchString(name) }

// SecretHeader does as [Secret] with the value of a header that may hold a key. Others, such as the name
// of a team, are words.
func SecretHeader(name, value string) {
	if secretHeader.MatchString(name) || likelyKey.MatchString(value) && strings.ContainsAny(value, "0123456789") {
		Secret(value)
	}
}

// plainForm writes a text in small letters and without white space; with numbers also what stands by
// number, as in addresses, JSON and HTML, as it is. at, if not nil, gets where in the text each byte of the
// result begins and ends.
func plainForm(text string, numbers bool, at *[][2]int) string {
	var b strings.Builder
	b.Grow(len(text))
	emit := func(from, to int, r rune) {
		before := b.Len()
		if r < utf8.RuneSelf {
			if 'A' <= r && r <= 'Z' {
				r += 'a' - 'A'
			}
			b.WriteByte(byte(r))
		} else {
			b.WriteRune(unicode.ToLower(r))
		}
		for ; at != nil && before < b.Len(); before++ {
			*at = append(*at, [2]int{from, to})
		}
	}
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == ' ' || c == '\n' || c == '\r' || c == '\t':
			i++
		case numbers && (c == '%' || c == '&' || c == '\\'):
			end, decoded := byNumber(text, i)
			for _, r := range decoded {
				emit(i, end, r)
			}
			i = end
		default:
			r, size := utf8.DecodeRuneInString(text[i:])
			emit(i, i+size, r)
			i += size
		}
	}
	return b.String()
}

// byNumber returns what a character at i begins that stands there by number, and where that ends; or the
// character itself.
func byNumber(text string, i int) (end int, decoded string) {
	switch rest := text[i:]; {
	case rest[0] == '%':
		var decoded []byte
		for end := i; ; { // bytes of one character, each perhaps escaped again and again
			j := end + 1
			for strings.HasPrefix(text[min(j, len(text)):], "25") && end < len(text) && text[end] == '%' {
				j += 2
			}
			if end >= len(text) || text[end] != '%' || j+2 > len(text) {
				return max(end, i+1), whole(decoded, "%")
			}
			n, err := strconv.ParseUint(text[j:j+2], 16, 8)
			if err != nil {
				return max(end, i+1), whole(decoded, "%")
			}
			if decoded, end = append(decoded, byte(n)), j+2; utf8.FullRune(decoded) {
				return end, string(decoded)
			}
		}
	case strings.HasPrefix(rest, `\/`):
		return i + 2, "/"
	case strings.HasPrefix(rest, `\u`) && len(rest) >= 6:
		if n, err := strconv.ParseUint(rest[2:6], 16, 16); err == nil {
			return i + 6, string(rune(n))
		}
	case strings.HasPrefix(rest, "&amp;"):
		return i + 5, "&"
	case strings.HasPrefix(rest, "&#"):
		if number, _, found := strings.Cut(rest[2:min(len(rest), 10)], ";"); found {
			if n, err := strconv.ParseUint(number, 10, 20); err == nil {
				return i + 3 + len(number), string(rune(n))
			}
		}
	}
	return i + 1, text[i : i+1]
}

// whole is what was decoded, or the character that was not the beginning of a number.
func whole(decoded []byte, otherwise string) string {
	if len(decoded) == 0 {
		return otherwise
	}
	return string(decoded)
}

// found calls each with every place of a key in a text, in no order, until it returns false.
func found(text string, each func(start, end int) bool) {
	all := known()
	if len(all) == 0 || text == "" {
		return
	}
	plain := [2]string{plainForm(text, false, nil), plainForm(text, true, nil)}
	var at [2][][2]int // of plain, once it is needed
	for _, s := range all {
		if s.forms[0] == "" {
			if !places(text, s.key, func(start, end int) bool {
				return !isKeyWord(text, start, end) || each(start, end)
			}) {
				return
			}
			continue
		}
		for i, form := range s.forms {
			if !places(plain[i], form, func(start, end int) bool {
				if at[i] == nil {
					plainForm(text, i == 1, &at[i])
				}
				return each(at[i][start][0], at[i][end-1][1])
			}) {
				return
			}
		}
		for _, core := range s.cores {
			if !places(text, core, func(start, end int) bool {
				for start > 0 && isBase64(text[start-1]) {
					start--
				}
				for end < len(text) && isBase64(text[end]) {
					end++
				}
				return each(start, end)
			}) {
				return
			}
		}
	}
}

// places calls each with every place of a part in a text; it reports false once each has.
func places(text, part string, each func(start, end int) bool) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], part)
		if i < 0 {
			return true
		}
		start := from + i
		if from = start + len(part); !each(start, from) {
			return false
		}
	}
}

// isKeyWord reports whether a short key stands by itself.
func isKeyWord(text string, start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	behind, _ := utf8.DecodeRuneInString(text[end:])
	return !unicode.IsLetter(before) && !unicode.IsDigit(before) && !unicode.IsLetter(behind) && !unicode.IsDigit(behind)
}

func isBase64(c byte) bool { return isWord(c) || c == '+' || c == '/' || c == '-' || c == '=' }

// holdsKey reports whether [Redact] would change a text.
func holdsKey(text string) bool {
	holds := false
	found(text, func(int, int) bool {
		holds = true
		return false
	})
	return holds
}

// RedactPart is [Redact] for a text that goes on: what may be the beginning of a key is held back from
// its end.
func RedactPart(text string) string {
	text = Redact(text)
	end := len(text)
	for _, s := range known() {
		for n := min(len(s.key)-1, len(text)); n >= shortest && len(text)-n < end; n-- {
			if strings.EqualFold(text[len(text)-n:], s.key[:n]) {
				end = len(text) - n
				break
			}
		}
	}
	return text[:end]
}

// Redact leaves the keys of [Secret] out of a text.
func Redact(text string) string {
	var spans [][2]int
	found(text, func(start, end int) bool {
		spans = append(spans, [2]int{start, end})
		return true
	})
	if len(spans) == 0 {
		return text
	}
	slices.SortFunc(spans, func(a, b [2]int) int { return a[0] - b[0] })
	var b strings.Builder
	last := -1
	for _, span := range spans {
		if span[0] > last { // not in or behind one that is left out already
			b.WriteString(text[max(last, 0):span[0]] + redacted)
		}
		last = max(last, span[1])
	}
	return b.String() + text[last:]
}
