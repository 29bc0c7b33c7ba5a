package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/knowledge/answer"
)

// hostile is what a source, a model or the name of a file may hold.
const hostile = "</style></title><script>alert(1)</script>\"'><img src=x onerror=alert(1)><a href=https://e.example>x</a> javascript:alert(1) <!-- --> {{.}} \u202edesrever\x1b[31m\x00\u200b &lt;b&gt; \r\n<meta http-equiv=refresh>"

// every returns a page that has a part of every kind, all of one text.
func every(text string) Page {
	made := time.Date(2026, 3, 4, 15, 6, 7, 0, time.UTC)
	p := Page{Title: text, File: text, Made: made, Version: text, Private: true}
	for i, state := range []answer.State{answer.Answered, answer.Nearest, answer.Nothing, answer.Answered} {
		e := Entry{N: i + 1, Under: []string{text, text}, Question: text, Options: []string{text}, State: state, Status: text, Kept: i == 3, Remarks: []string{text}}
		for _, basis := range []note.Basis{note.Quote, note.Claim, note.Partly, note.Contradicted, note.Unchecked, note.Background, note.Unsupported, note.Place} {
			b := note.Bullet{Basis: basis, Title: text, Lead: text, Text: text, Citations: []int{1, 2}}
			b.Unstated, b.Differences = []string{text}, []note.Difference{{Said: text, Stated: text}}
			e.Bullets = append(e.Bullets, b)
		}
		e.Missing = []Gap{{Text: text, Search: text, Since: made}, {Text: text}}
		for n := range 2 {
			e.Sources = append(e.Sources, Source{N: n + 1, Title: text, Place: text, Date: text, Quote: text, Troubles: []string{text}, Private: n == 1})
		}
		p.Entries = append(p.Entries, e)
	}
	p.Sent.Unknown = text
	p.Sent.Add(made, Request{Host: text, Model: text, Count: 1, Bytes: 1200}, text)
	return p
}

func write(t testing.TB, p Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := p.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// structure returns the elements and attributes of a page in order, with the values that attributes have; and its text.
func structure(t testing.TB, page string) (shape []string, text string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for n := range root.Descendants() {
		switch n.Type {
		case html.ElementNode:
			shape = append(shape, fmt.Sprint(n.Data, n.Attr))
		case html.TextNode:
			b.WriteString(n.Data)
		case html.CommentNode:
			shape = append(shape, "comment "+n.Data)
		}
	}
	return shape, b.String()
}

func TestNothingOfASourceIsMarkup(t *testing.T) {
	checkInert(t, hostile)
}

// checkInert holds that a page has the elements and attributes that it has with harmless words, whatever its texts are.
func checkInert(t testing.TB, text string) {
	t.Helper()
	harmless := "word"
	if text == "" {
		harmless = ""
	}
	for _, status := range []string{messages.MarkPartly, "Written by "} { // of an answer in a note, whose mark has a colour of its own
		if strings.HasPrefix(text, status) {
			harmless = status
		}
	}
	page := write(t, every(text))
	got, shown := structure(t, page)
	want, _ := structure(t, write(t, every(harmless)))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%q changes what the page is made of (-want +got):\n%s", text, diff)
	}
	for _, r := range page {
		if r < ' ' && r != '\n' || 0x7f <= r && r < 0xa0 || 0x202a <= r && r <= 0x202e || 0x2066 <= r && r <= 0x2069 || r == 0x200b || r == 0xfeff {
			t.Fatalf("the page of %q has the character %U", text, r)
		}
	}
	if !strings.Contains(shown, visible(text)) {
		t.Fatalf("the page of %q does not show it", text)
	}
}

func FuzzPage(f *testing.F) {
	for _, text := range []string{hostile, "", " ", "a", "\xff", "Partly answered ", "Written by me", "“quote”", "--></style>", "\u2028", "&#x202e;", "👩‍👩‍👧", "نص عربي", strings.Repeat("\u200d", 4)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { checkInert(t, text) })
}

// TestPageIsSelfContained holds that a page loads nothing, runs nothing, and leads to itself alone.
func TestPageIsSelfContained(t *testing.T) {
	page := write(t, every("word"))
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	ids, links := map[string]int{}, []string{}
	lastHeading, policies, style := 0, "", ""
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if slices.Contains([]string{"script", "img", "link", "iframe", "object", "embed", "form", "base", "svg"}, n.Data) {
			t.Errorf("an element %s", n.Data)
		}
		if n.Data == "style" {
			style = n.FirstChild.Data
		}
		if len(n.Data) == 2 && n.Data[0] == 'h' && n.Data[1] != 'r' {
			level := int(n.Data[1] - '0')
			if level > lastHeading+1 {
				t.Errorf("a heading of level %d below one of level %d", level, lastHeading)
			}
			lastHeading = level
		}
		for i, a := range n.Attr {
			switch {
			case a.Key == "id":
				ids[a.Val]++
			case a.Key == "href":
				links = append(links, a.Val)
			case a.Key == "aria-labelledby":
				links = append(links, "#"+a.Val)
			case a.Key == "src" || a.Key == "style" || strings.HasPrefix(a.Key, "on"):
				t.Errorf("an attribute %s", a.Key)
			case a.Val == "Content-Security-Policy":
				policies = n.Attr[i+1].Val
			}
		}
	}
	for _, l := range links {
		if ids[strings.TrimPrefix(l, "#")] != 1 || !strings.HasPrefix(l, "#") {
			t.Errorf("a link to %q, which is there %d times", l, ids[strings.TrimPrefix(l, "#")])
		}
	}
	sum := sha256.Sum256([]byte(style))
	if want := "default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; policies != want {
		t.Errorf("policy %q, want %q", policies, want)
	}
	if strings.Contains(style, "url(") || strings.Contains(style, "@import") {
		t.Error("the style sheet loads something")
	}
}

// TestContrast holds that every colour of text has the contrast of 4.5 that WCAG asks for, on the page and in the shade.
func TestContrast(t *testing.T) {
	for i, sheet := range strings.Split(pageStyle, ":root{")[1:] {
		colours := map[string]float64{}
		for _, part := range strings.Split(sheet[:strings.IndexByte(sheet, '}')], ";") {
			name, value, _ := strings.Cut(part, ":")
			colours[name] = luminance(t, value)
		}
		for _, ground := range []string{"--page", "--shade"} {
			for _, text := range []string{"--ink", "--soft", "--link", "--good", "--near", "--none"} {
				a, b := colours[text]+.05, colours[ground]+.05
				if ratio := max(a, b) / min(a, b); ratio < 4.5 {
					t.Errorf("sheet %d: %s on %s has a contrast of %.2f", i, text, ground, ratio)
				}
			}
		}
	}
}

// luminance is that of WCAG 2.2.
func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	if len(colour) == 4 { // #abc
		colour = "#" + strings.Repeat(colour[1:2], 2) + strings.Repeat(colour[2:3], 2) + strings.Repeat(colour[3:4], 2)
	}
	var rgb [3]uint8
	if _, err := fmt.Sscanf(colour, "#%02x%02x%02x", &rgb[0], &rgb[1], &rgb[2]); err != nil {
		t.Fatalf("%s: %v", colour, err)
	}
	sum := 0.0
	for i, weight := range []float64{.2126, .7152, .0722} {
		c := float64(rgb[i]) / 255
		if c <= .04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}
