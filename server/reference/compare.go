package reference

import (
	"regexp"
	"strings"
	"unicode"

	"lacuna/knowledge/passage"
)

// Comparison says how much of what a program read is in passages.
type Comparison struct {
	Words int // that the program read
	Held  int // of Words, those that passages, titles or headings hold as often
	Run   []string
	After int // how many of the program's words come before Run
}

// Share returns the share of the words that are held, if leftOut words were left out on purpose; 1 without
// words. What was left out is a file's navigation, its running heads and so on, which the program reads.
func (c *Comparison) Share(leftOut int) float64 {
	content := c.Words - min(leftOut, c.Words-c.Held)
	if content <= 0 {
		return 1
	}
	return float64(c.Held) / float64(content)
}

// Compare compares the text that a program read from a file with the file's passages. Words count, in lower
// case, wherever they stand: two programs may read columns and tables in other orders and both be right.
// Run is the longest run of words that are missing, with few words between them that stand elsewhere.
func Compare(text string, passages []*passage.Passage) Comparison {
	count, grams := map[string]int{}, map[[gramLength]string]bool{}
	hold := func(text string) {
		words := Words(text)
		for i, word := range words {
			count[word]++
			if i+gramLength <= len(words) {
				grams[[gramLength]string(words[i:i+gramLength])] = true
			}
		}
	}
	labels := map[string]bool{}
	label := func(text string) {
		if !labels[text] {
			labels[text] = true
			hold(text)
		}
	}
	for _, p := range passages {
		label(p.Title)
		for _, heading := range p.Headings {
			label(heading)
		}
		hold(p.Question)
		hold(p.Text)
	}
	words := Words(text)
	c := Comparison{Words: len(words)}
	covered, held := make([]bool, len(words)), make([]bool, len(words))
	for i, word := range words {
		if count[word] > 0 {
			count[word]--
			c.Held++
			held[i] = true
		}
		if i+gramLength <= len(words) && grams[[gramLength]string(words[i:i+gramLength])] {
			for k := range gramLength {
				covered[i+k] = true
			}
		}
	}
	start, end := -1, 0 // of the open run, which begins and ends with words that are missing
	for i := range words {
		switch {
		case covered[i] || start >= 0 && i-end > mostCommon:
			start = -1
		case held[i]:
			continue
		}
		if covered[i] || held[i] {
			continue
		}
		if start < 0 {
			start = i
		}
		if end = i; end+1-start > len(c.Run) {
			c.Run, c.After = words[start:end+1], start
		}
	}
	return c
}

// mostCommon is how many words in a row, such as "of the", may be held by chance inside a run of missing words.
const mostCommon = 3

const gramLength = 4

// hyphenated matches a word that the end of a line divides.
var hyphenated = regexp.MustCompile(`(\pL)[-\x{2010}\x{00AD}]\s*\n\s*(\pL)`)

// ligatures are letters that programs write in one or the other way.
var ligatures = strings.NewReplacer("\u00ad", "", "ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl", "ﬅ", "st", "ﬆ", "st")

// Words returns the words of a text in lower case: runs of letters and digits, and each character of a script
// without spaces.
func Words(text string) []string {
	text = strings.ToLower(hyphenated.ReplaceAllString(ligatures.Replace(text), "$1$2"))
	var words []string
	start := -1
	flush := func(end int) {
		if start >= 0 {
			words = append(words, text[start:end])
			start = -1
		}
	}
	for i, r := range text {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
			flush(i)
			words = append(words, string(r))
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.Is(unicode.Mn, r):
			if start < 0 {
				start = i
			}
		default:
			flush(i)
		}
	}
	flush(len(text))
	return words
}
