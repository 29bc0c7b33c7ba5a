package question

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/plaintext"
)

// usage says where a cue counts.
type usage uint8

const (
	inQuestion usage = 1 << iota
	inHeading
)

// part is one word of a cue.
type part struct {
	text         string
	anyEnd       bool // a word that begins with text
	anyBeginning bool // a word that ends with text
	gap          bool // up to maxGap words before this one
}

// maxGap is the number of words for which "…" stands in a cue.
const maxGap = 6

// cue is a way to name what is asked for.
type cue struct {
	owner    int // index into the table
	parts    []part
	opens    bool // only at the beginning of a sentence
	weak     bool // counts only if no other fits
	where    usage
	inScript bool     // of Han characters, found anywhere
	language Language // in which alone it counts; "" is any
}

// find is a cue that stands in a text.
type find struct {
	*cue
	start, end int // bytes of the text
	first      int // index of its first word, or of its first byte in Han
}

// table is a list of named cues that texts are searched for, fast for any number of cues.
type table struct {
	names  []string
	border int // index of the first name behind a line "=="
	cues   []*cue
	exact  map[string][]*cue // by the first word
	begins map[string][]*cue
	ends   map[string][]*cue
	script map[string][]*cue // by the whole cue
	widest int               // of script, in bytes
}

// newTable reads the syntax that aspects.txt explains. It panics on anything else, since the texts are part
// of the program.
func newTable(text string) *table {
	t := &table{exact: make(map[string][]*cue), begins: make(map[string][]*cue), ends: make(map[string][]*cue), script: make(map[string][]*cue)}
	weak := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if strings.HasPrefix(line, "==") {
			t.border = len(t.names)
			continue
		}
		if line[0] == '[' {
			name := strings.Trim(line, "[]")
			name, weak = strings.CutPrefix(name, "~")
			t.names = append(t.names, name)
			continue
		}
		label, list, ok := strings.Cut(line, ": ")
		where := map[string]usage{"both": inQuestion | inHeading, "asks": inQuestion, "heads": inHeading}[label]
		if !ok || where == 0 {
			panic(fmt.Sprintf("cues: unknown line %q", line))
		}
		for text := range strings.SplitSeq(list, ",") {
			t.add(strings.TrimSpace(text), where, weak)
		}
	}
	return t
}

func (t *table) add(text string, where usage, weak bool) {
	c := &cue{owner: len(t.names) - 1, where: where, weak: weak}
	if rest, ok := strings.CutPrefix(text, "~"); ok {
		text, c.weak = rest, true
	}
	if rest, ok := strings.CutPrefix(text, "^"); ok {
		text, c.opens = rest, true
	}
	if rest, ok := strings.CutSuffix(text, "@de"); ok {
		text, c.language = rest, German
	}
	t.cues = append(t.cues, c)
	if plaintext.HasHan(text) {
		c.inScript = true
		c.parts = []part{{text: text}}
		t.script[text] = append(t.script[text], c)
		t.widest = max(t.widest, len(text))
		return
	}
	gap := false
	for field := range strings.FieldsSeq(text) {
		if field == "…" {
			gap = true
			continue
		}
		p := part{gap: gap}
		field, p.anyEnd = strings.CutSuffix(field, "*")
		field, p.anyBeginning = strings.CutPrefix(field, "*")
		gap = false
		for i, w := range wordsOf(field) {
			q := p
			q.text, q.gap = w.plain, p.gap && i == 0
			c.parts = append(c.parts, q)
		}
		for i := range c.parts[:max(0, len(c.parts)-1)] { // a hyphen inside: only the last word is open
			if c.parts[i].anyEnd && i >= len(c.parts)-len(wordsOf(field)) {
				c.parts[i].anyEnd = false
			}
		}
	}
	first := c.parts[0]
	switch {
	case first.anyEnd:
		t.begins[first.text] = append(t.begins[first.text], c)
	case first.anyBeginning:
		t.ends[first.text] = append(t.ends[first.text], c)
	default:
		t.exact[first.text] = append(t.exact[first.text], c)
	}
}

// textWord is a word of a text.
type textWord struct {
	plain      string // in lower case, without apostrophes
	start, end int
	opens      bool // a sentence or a clause begins with it
}

// wordsOf cuts a text into its words of letters and digits, without Han characters.
func wordsOf(text string) []textWord {
	words := make([]textWord, 0, len(text)/5+1)
	start, opens := -1, true
	flush := func(end int) {
		if start < 0 {
			return
		}
		plain := strings.ToLower(text[start:end])
		if strings.ContainsAny(plain, "'’") {
			plain = strings.NewReplacer("'", "", "’", "").Replace(plain)
		}
		words = append(words, textWord{plain, start, end, opens})
		start, opens = -1, opens && joining[plain]
	}
	for at, r := range text {
		switch {
		case unicode.Is(unicode.Han, r):
			flush(at)
		case unicode.In(r, unicode.Letter, unicode.Digit, unicode.Mark):
			if start < 0 {
				start = at
			}
		case (r == '\'' || r == '’') && start >= 0 && nextIsLetter(text[at+utf8.RuneLen(r):]):
		default:
			flush(at)
			if strings.ContainsRune(".,:;!?\n–—()\"„“”", r) || r == '-' && strings.HasPrefix(text[at:], "- ") {
				opens = true
			}
		}
	}
	flush(len(text))
	return words
}

// joining holds the words after which a clause still begins: "and how long".
var joining = plaintext.Set(`and but or so also then now well und oder aber also dann nun`)

func nextIsLetter(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	return unicode.IsLetter(r)
}

func (p part) fits(word string) bool {
	switch {
	case p.anyEnd && p.anyBeginning:
		return strings.Contains(word, p.text)
	case p.anyEnd:
		return strings.HasPrefix(word, p.text)
	case p.anyBeginning:
		return strings.HasSuffix(word, p.text)
	}
	return word == p.text
}

// search returns the cues that stand in a text and count where it is from, in order of their beginnings.
func (t *table) search(text string, where usage) []find {
	return t.searchIn(text, where, "")
}

// searchIn is [table.search] with the language of the text; "" leaves out the cues of one language.
func (t *table) searchIn(text string, where usage, language Language) []find {
	var found []find
	words := wordsOf(text)
	try := func(at int, cues []*cue) {
		for _, c := range cues {
			if c.where&where == 0 || c.opens && !words[at].opens || c.language != "" && c.language != language {
				continue
			}
			if last, ok := c.follows(words, at); ok {
				found = append(found, find{c, words[at].start, words[last].end, at})
			}
		}
	}
	for at, w := range words {
		try(at, t.exact[w.plain])
		for end := 1; end <= len(w.plain); end++ {
			try(at, t.begins[w.plain[:end]])
		}
		for start := range w.plain {
			try(at, t.ends[w.plain[start:]])
		}
	}
	return slices.Concat(found, t.searchScript(text, where))
}

// searchScript finds the cues of Han characters, of those that overlap the longest.
func (t *table) searchScript(text string, where usage) []find {
	var found []find
	covered := 0
	for at, r := range text {
		if !unicode.Is(unicode.Han, r) {
			continue
		}
		for end := min(len(text), at+t.widest); end > at && end > covered; end-- {
			cues := t.script[text[at:end]]
			hit := false
			for _, c := range cues {
				if c.where&where != 0 {
					found = append(found, find{c, at, end, at})
					hit = true
				}
			}
			if hit {
				covered = end
				break
			}
		}
	}
	return found
}

// follows reports whether the rest of a cue follows its first word, and the index of its last word.
func (c *cue) follows(words []textWord, at int) (last int, ok bool) {
	if !c.parts[0].fits(words[at].plain) {
		return 0, false
	}
	last = at
	for _, p := range c.parts[1:] {
		reach := last + 1
		if p.gap {
			reach += maxGap
		}
		next := -1
		for i := last + 1; i <= reach && i < len(words); i++ {
			if p.fits(words[i].plain) {
				next = i
				break
			}
		}
		if next < 0 {
			return 0, false
		}
		last = next
	}
	return last, true
}

// size returns how particular a cue is: the number of its words, for Han characters of two.
func (c *cue) size() int {
	if c.inScript {
		return max(1, utf8.RuneCountInString(c.parts[0].text)/2)
	}
	return len(c.parts)
}
