package glob

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPatterns holds patterns against names. What matches is what the Go package doublestar 4.10
// matches; a pattern that it refuses has "none".
func TestPatterns(t *testing.T) {
	names := []string{"a.md", "b.md", "kb/a.md", "kb/x/a.md", "kb", "x/kb/a.md", "z.md", "a/x", "c/x", "b/c.md", "b/d/c.md", "x/draft/y.md", "draft/y.md", "old/z/y", "a*b", "axb", "a/b", "notes/2024/q.txt", "notes/2026/q.txt", "x/y", "x/q/y", "q/x/r/y", "aaaa.md", "b", "ab", "a", "x/q.md", "x/q/r.md"}
	for pattern, want := range map[string][]string{
		"*.md":                         {"a.md", "b.md", "z.md", "aaaa.md"},
		"**/*.md":                      {"a.md", "b.md", "kb/a.md", "kb/x/a.md", "x/kb/a.md", "z.md", "b/c.md", "b/d/c.md", "x/draft/y.md", "draft/y.md", "aaaa.md", "x/q.md", "x/q/r.md"},
		"kb/**":                        {"kb/a.md", "kb/x/a.md", "kb"},
		"kb/**/*.md":                   {"kb/a.md", "kb/x/a.md"},
		"**":                           {"a.md", "b.md", "kb/a.md", "kb/x/a.md", "kb", "x/kb/a.md", "z.md", "a/x", "c/x", "b/c.md", "b/d/c.md", "x/draft/y.md", "draft/y.md", "old/z/y", "a*b", "axb", "a/b", "notes/2024/q.txt", "notes/2026/q.txt", "x/y", "x/q/y", "q/x/r/y", "aaaa.md", "b", "ab", "a", "x/q.md", "x/q/r.md"},
		"*":                            {"a.md", "b.md", "kb", "z.md", "a*b", "axb", "aaaa.md", "b", "ab", "a"},
		"?.md":                         {"a.md", "b.md", "z.md"},
		"[ab].md":                      {"a.md", "b.md"},
		"[!a]*.md":                     {"b.md", "z.md"},
		"[^a]*.md":                     {"b.md", "z.md"},
		"[a-c]/x":                      {"a/x", "c/x"},
		"{a,b}.md":                     {"a.md", "b.md"},
		"{a,b/**}/c.md":                {"b/c.md", "b/d/c.md"},
		"**/{draft,old}/**":            {"x/draft/y.md", "draft/y.md", "old/z/y"},
		"a\\*b":                        {"a*b"},
		"a**b":                         {"a*b", "axb", "ab"},
		"notes/{2024,2025}/*.{md,txt}": {"notes/2024/q.txt"},
		"**/x/**/y":                    {"x/y", "x/q/y", "q/x/r/y"},
		"kb":                           {"kb"},
		"*/":                           {"a.md", "b.md", "kb", "z.md", "a*b", "axb", "aaaa.md", "b", "ab", "a"},
		"a/./b":                        {"a/b"},
		"{**/a,b}":                     {"b", "a"},
		"{a,aa}{a,aa}.md":              {"aaaa.md"},
		"[]a]":                         {"none"},
		"[a":                           {"none"},
		"{a":                           {"none"},
		"a}":                           {"none"},
		"\\":                           {"none"},
		"[z-a].md":                     {"z.md"},
		"{,a}b":                        {"b", "ab"},
		"**.md":                        {"a.md", "b.md", "z.md", "aaaa.md"},
		"x/**.md":                      {"x/q.md"},
		"{a/**,b}":                     {"a/x", "a/b", "b", "a"},
		"{**,x}":                       {"a.md", "b.md", "kb/a.md", "kb/x/a.md", "kb", "x/kb/a.md", "z.md", "a/x", "c/x", "b/c.md", "b/d/c.md", "x/draft/y.md", "draft/y.md", "old/z/y", "a*b", "axb", "a/b", "notes/2024/q.txt", "notes/2026/q.txt", "x/y", "x/q/y", "q/x/r/y", "aaaa.md", "b", "ab", "a", "x/q.md", "x/q/r.md"},

		// These it takes, and we do not: what ** is there depends on what stands around the braces.
		"{**,x}/a": {"none"},
		"{a/,b}**": {"none"},
	} {
		expression, err := compile(pattern)
		if valid := !slices.Equal(want, []string{"none"}); (err == nil) != valid || Valid(pattern) != valid {
			t.Errorf("%q: %v, want valid %v", pattern, err, valid)
		}
		if err != nil {
			continue
		}
		var got []string
		for _, name := range names {
			if expression.MatchString(name) {
				got = append(got, name)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", pattern, diff)
		}
	}
}

// TestPatternsThatGrewExponentially are read as expressions no longer than a few times themselves,
// which Go matches in time linear in the name, or refused.
func TestPatternsThatGrewExponentially(t *testing.T) {
	for _, pattern := range []string{
		strings.Repeat("{a,aa}", 100) + "c.md", strings.Repeat("{", 60) + "a" + strings.Repeat(",aa}", 60),
		strings.Repeat("**/", 300) + "x", strings.Repeat("*a", 400), strings.Repeat("{*,**}", 100), strings.Repeat("[a-z]", 190),
	} {
		expression, err := compile(pattern)
		if err != nil {
			continue
		}
		if length := len(expression.String()); length > 12*len(pattern)+20 {
			t.Errorf("%.20q… of %d bytes becomes %d", pattern, len(pattern), length)
		}
		expression.MatchString(strings.Repeat("a", 4096))
		expression.MatchString(strings.Repeat("a/", 2048))
	}
	for _, pattern := range []string{strings.Repeat("a", maxPattern+1), strings.Repeat("{", 2000), "\xff"} {
		if Valid(pattern) {
			t.Errorf("%.20q… is taken", pattern)
		}
	}
	many := slices.Repeat([]string{strings.Repeat("{a,aa}", 100)}, 100)
	if FewEnough(many) || Compile(many).First("a") != "" {
		t.Error("patterns without end are taken")
	}
}

func FuzzPattern(f *testing.F) {
	for _, seed := range []string{"**/*.md", "{a,b}/[!c]", "\\", "a/**/{b,**}", "[a-", "{,}", "***", "{[}]}"} {
		f.Add(seed, "a/b.md")
	}
	f.Fuzz(func(t *testing.T, pattern, name string) {
		if expression, err := compile(pattern); err == nil {
			expression.MatchString(name)
		} else if err != errMalformed && !strings.Contains(err.Error(), "nest") {
			t.Errorf("%q: %v", pattern, err)
		}
	})
}

func TestQuoteMatchesItsName(t *testing.T) {
	for _, name := range []string{"plain", "a b/c.md", "[draft] {1}*?", "100% sure!"} {
		if Compile([]string{Quote(name) + "/**"}).First(name+"/x/y.md") == "" {
			t.Errorf("%q does not match what is in it", Quote(name))
		}
	}
}
