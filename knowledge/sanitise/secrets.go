package sanitise

import (
	"encoding/base64"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
	"unicode/utf8"
)

// The keys of this process. There is one list for all, because no output may contain a key, and an
// endpoint may repeat another's key in a reply.
var (
	secretsMu sync.Mutex               // held while the list is replaced
	secrets   atomic.Pointer[[]secret] // nil while there are none
)

// secret is a key with all the forms in which it is looked for.
type secret struct {
	key   string
	forms []string // as characters in lower case, as it stands and with its own escapes decoded; none for a short key, which is looked for as a word
	cores []string // of its base64 at each of the three offsets in a group, in both alphabets
}

const (
	redacted = "…"
	// longEnough is the length in bytes from which a key is found wherever and however it stands.
	longEnough = 8
)

// placeholderKeys lists usual keys of servers that need none. They are ordinary words too.
var placeholderKeys = []string{"none", "null", "empty", "dummy", "ollama", "lm-studio", "llama.cpp", "vllm", "test", "no-key", "nokey", "not-needed", "sk-no-key-required", "anything", "default"}

// Secret makes [Redact] leave out a key, a password or a token from now on. It ignores what is too
// short for a key or a usual placeholder.
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
	if len(key) < shortest || slices.Contains(placeholderKeys, strings.ToLower(key)) {
		return
	}
	secretsMu.Lock()
	defer secretsMu.Unlock()
	all := slices.Clone(allSecrets())
	if slices.ContainsFunc(all, func(s secret) bool { return s.key == key }) {
		return
	}
	all = append(all, newSecret(key))
	secrets.Store(&all)
}

func allSecrets() []secret {
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
	s.forms = slices.Compact([]string{lowered(key), decoded(key)})
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

// Names of headers that hold keys, and what looks like a key in others.
var (
	secretHeader = regexp.MustCompile(`(?i)auth|key|token|secret|cookie|pass|credential|signature`)
	likelyKey    = regexp.MustCompile(`^[^\s]{16,}$`)
)

// IsSecretHeader reports whether a header of that name holds a key.
func IsSecretHeader(name string) bool { return secretHeader.MatchString(name) }

// SecretHeader calls [Secret] with the value of a header that may hold a key. Other values, such as the
// name of a team, are words.
func SecretHeader(name, value string) {
	if secretHeader.MatchString(name) || likelyKey.MatchString(value) && strings.ContainsAny(value, "0123456789") {
		Secret(value)
	}
}

// eachKey calls each with every place of a key in a text, in no order, until it returns false.
func eachKey(text string, each func(start, end int) bool) {
	all := allSecrets()
	if len(all) == 0 || text == "" {
		return
	}
	for _, s := range all {
		if s.forms == nil {
			if !eachPlace(text, s.key, func(start, end int) bool {
				return !isKeyWord(text, start, end) || each(start, end)
			}) {
				return
			}
			continue
		}
		for _, form := range s.forms {
			if !newSearch(text, form).eachMatch(each) {
				return
			}
		}
		for _, core := range s.cores {
			if !eachPlace(text, core, func(start, end int) bool {
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

// eachPlace calls each with every place of a part in a text. It returns true unless each stopped it.
func eachPlace(text, part string, each func(start, end int) bool) bool {
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

// isKeyWord reports whether a short key stands alone.
func isKeyWord(text string, start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	behind, _ := utf8.DecodeRuneInString(text[end:])
	return !unicode.IsLetter(before) && !unicode.IsDigit(before) && !unicode.IsLetter(behind) && !unicode.IsDigit(behind)
}

func isBase64(c byte) bool { return isWord(c) || c == '+' || c == '/' || c == '-' || c == '=' }

// hasKey reports whether [Redact] would change a text.
func hasKey(text string) bool {
	holds := false
	eachKey(text, func(int, int) bool {
		holds = true
		return false
	})
	return holds
}

// RedactPart is [Redact] for a text that continues: it holds back what may be the beginning of a key.
func RedactPart(text string) string {
	text = Redact(text)
	end := len(text)
	for _, s := range allSecrets() {
		if s.forms == nil {
			for n := min(len(s.key)-1, len(text)); n >= shortest && len(text)-n < end; n-- {
				if text[len(text)-n:] == s.key[:n] {
					end = len(text) - n
					break
				}
			}
		}
		for _, form := range s.forms {
			end = min(end, newSearch(text, form).beginning())
		}
	}
	return text[:end]
}

// Redact leaves the keys of [Secret] out of a text.
func Redact(text string) string {
	var spans [][2]int
	eachKey(text, func(start, end int) bool {
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
