// Package query makes the questions of a note self-contained. "Same dose?" below "Acute gout" and "Colchicine 500 mcg"
// asks nothing that a search could find; what it takes from its place does.
//
// Begin with [Of]. What may be taken is in scope.go: the line and the lines above, what the question is indented below,
// its headings, its row and column, the title, the diagnoses of a letter. Which of these words are taken is decided by
// weights that were fitted to notes whose questions people wrote out in full (choose.go).
package query

import (
	"cmp"
	"hash/maphash"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"lacuna/handlers/note"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/redact"
)

// task matches what a task to find something out begins with, and unknownBehind what a remark that it is not known ends
// with: neither stands in a source.
var (
	task = regexp.MustCompile(`(?i)^(?:(?:todo|tbc|tbd|action|unclear|unsure|not sure|find out|look up|check|clarify|verify|work out|figure out|read up on|` +
		`nachschlagen|nachsehen|klären|herausfinden|prüfen|unklar|zu klären|offen)(?:[:,;]\s*|\s+))+(?:(?:whether|if|that|ob|dass)\s+)?|` +
		`^(?:查一下|查查|弄清楚?|待确认|待查|确认一下|了解一下|核实一?下?|查)[：:，,]?`)
	unknownBehind = regexp.MustCompile(`[，,]\s*(?:待查|待确认|不清楚|没搞清楚?|存疑)[。.]?$`)
)

// withoutTask returns a task to find something out without the words that make it a task.
func withoutTask(text string) string {
	if strings.ContainsAny(text, "?？") {
		return text
	}
	rest := unknownBehind.ReplaceAllString(text[len(task.FindString(text)):], "")
	if len(strings.Fields(rest)) < 2 && !plaintext.HasHan(rest) || utf8.RuneCountInString(rest) < 4 {
		return text
	}
	return rest
}

// aroundBytes is how much of a note, before and behind a question, says what identifies people in the question.
const aroundBytes = 1500

// Around returns the text of the note around a question: whole lines, as far as the note has any.
func Around(n *note.Note, q note.Question) string {
	if q.Span.End > len(n.Text) {
		return ""
	}
	from, to := max(0, q.Span.Start-aroundBytes), min(len(n.Text), q.Span.End+aroundBytes)
	if from > 0 {
		if line := strings.IndexByte(n.Text[from:q.Span.Start], '\n'); line >= 0 {
			from += line + 1
		}
	}
	if to < len(n.Text) {
		if line := strings.LastIndexByte(n.Text[q.Span.End:to], '\n'); line >= 0 {
			to = q.Span.End + line
		}
	}
	return strings.ToValidUTF8(n.Text[from:to], "")
}

// Of returns what is searched for when a question of the note is answered, on one line: the question, behind what it
// takes from its place and a colon if it needs that. It never takes what identifies people. It may be called
// concurrently.
func Of(n *note.Note, q note.Question) string {
	if len(q.Options) > 0 || q.Span.End > len(n.Text) {
		return q.Text // a case with options tells all that is needed
	}
	q.Text = withoutTask(q.Text)
	alone := maphash.String(seed, q.Text)
	if _, known := recent.get(alone); known {
		return q.Text
	}
	asked := read(q.Text)
	if asked.standsAlone() {
		recent.put(alone, "")
		return q.Text
	}
	s := scopeOf(n, q.Span)
	key := s.key(q.Text)
	if known, ok := recent.get(key); ok {
		return known
	}
	text := q.Text
	if words := s.render(asked.choose(s)); words != "" {
		separator := ": "
		if plaintext.HasHan(q.Text) {
			separator = "："
		}
		text = words + separator + q.Text
	}
	recent.put(key, text)
	return text
}

// Asked returns the query of a question with its options, a line each: what two questions must share to have one
// answer.
func Asked(n *note.Note, q note.Question) string {
	q.Text = Of(n, q)
	return q.Asked()
}

// maxContext bounds the words that are taken.
const maxContext = 9

// render writes the chosen words of a scope in the order of the note, those that stand together as one phrase.
func (s *scope) render(chosen []*candidate) string {
	if len(chosen) == 0 {
		return ""
	}
	var phrases []passage.Span
	left := slices.Clone(chosen)
	for len(left) > 0 { // the source that has most of them first
		best, most := -1, 0
		for i := range s.sources {
			count := 0
			for _, c := range left {
				if _, in := c.at(i); in {
					count++
				}
			}
			if count > most {
				best, most = i, count
			}
		}
		left = slices.DeleteFunc(left, func(c *candidate) bool {
			span, in := c.at(best)
			if in {
				phrases = append(phrases, span)
			}
			return in
		})
	}
	slices.SortFunc(phrases, func(a, b passage.Span) int { return cmp.Compare(a.Start, b.Start) })
	var b strings.Builder
	for i, p := range phrases {
		switch {
		case i == 0:
		case p.End <= phrases[i-1].End: // the value behind the word before
			phrases[i].End = phrases[i-1].End
			continue
		case p.Start <= phrases[i-1].End:
		case isLink(s.text[phrases[i-1].End:p.Start]):
			b.WriteString(s.text[phrases[i-1].End:p.Start])
		case plaintext.HasHan(s.text[p.Start:p.End]):
			b.WriteString("，")
		default:
			b.WriteString(", ")
		}
		from := p.Start
		if i > 0 {
			from = max(from, phrases[i-1].End)
		}
		b.WriteString(s.text[from:max(from, p.End)])
	}
	return plaintext.OneLine(b.String())
}

// isLink reports whether what stands between two words keeps them one phrase: nothing, a space, a hyphen or a word
// of grammar.
func isLink(between string) bool { return link.MatchString(between) }

var link = regexp.MustCompile(`^(?:|[ \t]|[-–/.,%]|[ \t]+(?:of|with|in|and|for|to|on|the|by|von|mit|bei|und|im|der|des|für|zur|zum)[ \t]+|的|和|与)$`)

// peopleIn returns the parts of a text that identify people.
func peopleIn(text string) []redact.Span {
	return redact.Messages([]string{text}, redact.Options{}).Spans[0]
}

// recent caches what questions need: they are asked for at every keystroke, and their places seldom change.
var recent = &cache{queries: make(map[uint64]string)}

type cache struct {
	mu      sync.Mutex
	queries map[uint64]string // by scope and question, or by a question alone that needs no scope; guarded by mu
}

// maxCached bounds the cached queries; a note of 10,000 lines has at most some thousands of questions.
const maxCached = 8192

func (c *cache) get(key uint64) (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	text, ok := c.queries[key]
	return text, ok
}

func (c *cache) put(key uint64, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.queries) >= maxCached {
		clear(c.queries)
	}
	c.queries[key] = strings.Clone(text)
}

var seed = maphash.MakeSeed()

// key identifies a scope and the question asked in it.
func (s *scope) key(question string) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	h.WriteString(question)
	for _, source := range s.sources {
		h.WriteByte(0)
		h.WriteByte(byte(source.place))
		if source.place == above {
			h.WriteByte(byte(min(source.distance, 4)))
		}
		h.WriteString(s.text[source.Start:source.End])
	}
	return h.Sum64()
}
