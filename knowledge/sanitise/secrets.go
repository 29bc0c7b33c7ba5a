package sanitise

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// The keys of this process. There is one list for all of it, because a key must not leave by any way out,
// and an endpoint may repeat in a reply the key of another.
var (
	keeping sync.Mutex
	keys    []string                      // guarded by keeping
	pattern atomic.Pointer[regexp.Regexp] // finds all of keys; nil while there are none
)

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
	if slices.Contains(keys, key) {
		return
	}
	keys = append(keys, key)
	slices.SortFunc(keys, func(a, b string) int { return len(b) - len(a) }) // the longest match is tried first
	var forms []string
	for _, key := range keys {
		forms = append(forms, formsOf(key)...)
	}
	pattern.Store(regexp.MustCompile(strings.Join(forms, "|")))
}

// secretHeader are the names of headers that hold keys, and likelyKey is what looks like one in others.
var (
	secretHeader = regexp.MustCompile(`(?i)auth|key|token|secret|cookie|pass|credential|signature`)
	likelyKey    = regexp.MustCompile(`^[^\s]{16,}$`)
)

// SecretHeader does as [Secret] with the value of a header that may hold a key. Others, such as the name
// of a team, are words.
func SecretHeader(name, value string) {
	if secretHeader.MatchString(name) || likelyKey.MatchString(value) && strings.ContainsAny(value, "0123456789") {
		Secret(value)
	}
}

// formsOf are patterns of what a key may be written as: in any case, with some of its characters as in an
// address, JSON or HTML, broken by white space, and in base64, as behind a name in Basic authentication.
func formsOf(key string) []string {
	if len(key) < longEnough {
		return []string{`\b` + regexp.QuoteMeta(key) + `\b`}
	}
	var plain strings.Builder
	plain.WriteString(`(?i:`)
	for i, r := range strings.ToValidUTF8(key, "") {
		if i > 0 {
			plain.WriteString(`\s?`)
		}
		fmt.Fprintf(&plain, `(?:%s|\\u%04x|&#%d;|`, regexp.QuoteMeta(string(r)), r, r)
		for _, c := range []byte(string(r)) {
			fmt.Fprintf(&plain, `%%(?:25)*%02x`, c)
		}
		plain.WriteString(`)`)
	}
	plain.WriteString(`)`)
	forms := []string{plain.String()}
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for before := range 3 { // how many bytes stand before the key in its group of three
			text := encoding.EncodeToString(append(make([]byte, before), key...))
			first := (before*8 + 5) / 6 // what depends on them
			last := len(text)
			if (before+len(key))%3 != 0 {
				last-- // and what may depend on bytes behind
			}
			forms = append(forms, `[A-Za-z0-9+/_-]*`+regexp.QuoteMeta(text[first:last])+`[A-Za-z0-9+/_-]*=*`)
		}
	}
	return forms
}

// RedactPart is [Redact] for a text that goes on: what may be the beginning of a key is held back from
// its end.
func RedactPart(text string) string {
	text = Redact(text)
	if pattern.Load() == nil {
		return text
	}
	keeping.Lock()
	defer keeping.Unlock()
	end := len(text)
	for _, key := range keys {
		for n := min(len(key)-1, len(text)); n >= shortest && len(text)-n < end; n-- {
			if strings.EqualFold(text[len(text)-n:], key[:n]) {
				end = len(text) - n
				break
			}
		}
	}
	return text[:end]
}

// Redact leaves the keys of [Secret] out of a text.
func Redact(text string) string {
	find := pattern.Load()
	if find == nil || text == "" {
		return text
	}
	return find.ReplaceAllString(text, redacted)
}
