package sanitise

import (
	"encoding/base64"
	"net/url"
	"strings"
	"testing"
)

// However a key is written, it is left out.
func TestRedact(t *testing.T) {
	const key = "sk-Test/9a+b&c=ü#Z0123456789"
	Secret("Bearer " + key)
	for name, written := range map[string]string{
		"as it is":                        key,
		"a header":                        "Authorization: Bearer " + key,
		"upper case":                      strings.ToUpper(key),
		"a query":                         "https://a.example/v1?key=" + url.QueryEscape(key) + "&x=1",
		"a path":                          "/v1/" + url.PathEscape(key) + "/chat",
		"a path in lower case":            strings.ToLower(url.PathEscape(key)),
		"escaped twice":                   url.QueryEscape(url.QueryEscape(key)),
		"JSON":                            `{"key":"` + strings.NewReplacer("&", `\u0026`, "ü", `\u00fc`).Replace(key) + `"}`,
		"broken by a line end":            key[:12] + "\n" + key[12:],
		"behind half an escape":           "%0" + key,
		"behind an escape, escaped twice": "%0" + url.QueryEscape(url.QueryEscape(key)),
		"behind a short code":             `\u006` + key,
		"HTML":                            strings.NewReplacer("&", "&amp;", "/", "&#x2F;", "+", "&#43;").Replace(key),
		"base64":                          base64.StdEncoding.EncodeToString([]byte(key)),
		"Basic":                           "Basic " + base64.StdEncoding.EncodeToString([]byte("me:"+key)),
		"Basic, another name":             base64.StdEncoding.EncodeToString([]byte("user1:" + key + "x")),
		"base64 of addresses":             base64.RawURLEncoding.EncodeToString([]byte("ab" + key)),
		"twice, with one inside":          key + key,
	} {
		got := Redact("before " + written + " after")
		if strings.Contains(strings.ToLower(got), "9a") && strings.Contains(got, "456789") || !strings.Contains(got, redacted) ||
			strings.Contains(got, base64.RawStdEncoding.EncodeToString([]byte(key))[4:20]) {
			t.Errorf("%s: %q is left of %q", name, got, written)
		}
		if !strings.HasPrefix(got, "before ") || !strings.HasSuffix(got, " after") {
			t.Errorf("%s: %q has lost what is around", name, got)
		}
	}
	if got := Redact("a text without it"); got != "a text without it" {
		t.Errorf("%q", got)
	}
}

// Short keys, and what people write where no key is needed, are words as well.
func TestRedactLeavesWords(t *testing.T) {
	Secret("ollama")
	Secret("EMPTY")
	Secret("abc")
	Secret("k3y-7")
	for text, want := range map[string]string{
		"ollama answers, the list is empty, abc": "ollama answers, the list is empty, abc",
		"the key k3y-7, not k3y-77":              "the key …, not k3y-77",
	} {
		if got := Redact(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestWriterLeavesKeysOutAcrossWrites(t *testing.T) {
	const key = "across-writes-0123456789"
	Secret(key)
	var out strings.Builder
	w := NewWriter(&out)
	for _, part := range []string{"a ", key[:5], key[5:], " b\nnext ", key[:9]} {
		if _, err := w.Write([]byte(part)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil || out.String() != "a … b\nnext "+key[:9] {
		t.Errorf("%q, %v", out.String(), err)
	}
}

// A key that begins or ends like an escape is found next to what completes the escape.
func TestRedactReadsEveryWay(t *testing.T) {
	const key = "beef0123-ends-with%"
	Secret(key)
	for _, text := range []string{"%" + key, `\u` + key, "%25" + key, key + "41", url.QueryEscape(key) + "41", "&#" + key + "1;"} {
		if got := Redact(text); strings.Contains(got, "0123-ends") {
			t.Errorf("%q is left of %q", got, text)
		}
	}
}

func TestRedactPartHoldsBackEscapes(t *testing.T) {
	const key = "part/Key+0123456789"
	Secret(key)
	for text, want := range map[string]string{
		"say part/K":         "say ",
		"say part%2":         "say ",
		"say part%252FKey%2": "say ",
		"say part of it":     "say part of it",
	} {
		if got := RedactPart(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// FuzzRedact hides a key somewhere in a text, which must not be there afterwards.
func FuzzRedact(f *testing.F) {
	const key = "fuzz/Key+ü=0123456789"
	Secret(key)
	f.Add("before ", " after", uint8(0))
	f.Add("%", "%25", uint8(3))
	f.Add(`\u00`, "&#", uint8(5))
	f.Add("%0", "41", uint8(4))
	f.Fuzz(func(t *testing.T, before, after string, way uint8) {
		forms := []string{key, strings.ToUpper(key), url.QueryEscape(key), url.PathEscape(key), url.QueryEscape(url.QueryEscape(key)), key[:5] + "\n" + key[5:]}
		form := forms[int(way)%len(forms)]
		got := Redact(before + form + after)
		if strings.Contains(got, form) {
			t.Errorf("%q is left in %q", form, got)
		}
		if again := Redact(got); strings.Contains(again, form) {
			t.Errorf("%q becomes %q", got, again)
		}
	})
}

func BenchmarkRedact(b *testing.B) {
	Secret("bench-key-0123456789")
	text := strings.Repeat("In kidney disease the dose of metformin is reviewed. ", 20_000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Redact(text)
	}
}
