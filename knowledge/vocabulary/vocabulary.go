// Package vocabulary knows how common a word is in general use, in English, German and Chinese, and where the
// words of a Chinese text begin and end. A word of everyday speech that a base lacks says little about what the
// base treats; a rare one, such as the name of a drug or a product, says much.
//
// The lists are in en.txt.gz, de.txt.gz and zh.txt.gz; each begins with its origin and licence. TestLists makes
// them. They are read when they are first needed, in some tens of milliseconds.
package vocabulary

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"embed"
	"math"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/lexical"
)

// Level says how common a word is.
type Level uint8

const (
	Rare     Level = iota // in no list: names, technical terms, slips of the keyboard
	Known                 // what an educated reader knows
	Everyday              // what everybody says
	Common                // what stands in any text; of German and Chinese only
)

//go:embed *.txt.gz
var files embed.FS

// lines calls do with every line of a list that is not a comment.
func lines(name string, do func(line string)) {
	packed, err := files.ReadFile(name)
	if err != nil {
		panic("vocabulary: " + err.Error())
	}
	plain, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		panic("vocabulary: " + err.Error())
	}
	scanner := bufio.NewScanner(plain)
	for scanner.Scan() {
		if line := scanner.Text(); line != "" && line[0] != '#' {
			do(line)
		}
	}
	if err := scanner.Err(); err != nil {
		panic("vocabulary: " + err.Error())
	}
}

// levels reads a list of words below lines with the names of their levels, by analysed term.
func levels(name string) map[string]Level {
	table := make(map[string]Level)
	level := Rare
	lines(name, func(line string) {
		switch line {
		case "[common]":
			level = Common
		case "[everyday]":
			level = Everyday
		case "[known]":
			level = Known
		default:
			for _, term := range lexical.Terms(line) {
				table[term] = max(table[term], level)
			}
		}
	})
	return table
}

var (
	english = sync.OnceValue(func() map[string]Level { return levels("en.txt.gz") })
	german  = sync.OnceValue(func() map[string]Level { return levels("de.txt.gz") })
	chinese = sync.OnceValue(readChinese)
)

// English returns the level of an analysed term as a word of English.
func English(term string) Level { return english()[term] }

// German returns the level of an analysed term as a word of German.
func German(term string) Level { return german()[term] }

// commonHan and everydayHan are the numbers of times from which on the corpus of the Chinese list has a word of
// these levels.
const (
	commonHan   = 60_000
	everydayHan = 1000
)

// Chinese returns the level of a Chinese word, in simplified or traditional characters.
func Chinese(word string) Level {
	switch n := chinese().count[lexical.Simplify(word)]; {
	case n >= commonHan:
		return Common
	case n >= everydayHan:
		return Everyday
	case n > 0:
		return Known
	}
	return Rare
}

// han holds the Chinese words.
type han struct {
	count   map[string]float64
	total   float64
	longest int // characters of the longest word
}

func readChinese() *han {
	h := &han{count: make(map[string]float64)}
	lines("zh.txt.gz", func(line string) {
		word, count, _ := strings.Cut(line, " ")
		n, err := strconv.ParseFloat(count, 64)
		if err != nil {
			panic("vocabulary: " + err.Error())
		}
		h.count[word] = n
		h.total += n
		h.longest = max(h.longest, utf8.RuneCountInString(word))
	})
	return h
}

// Word is a word of a text.
type Word struct {
	Text       string
	Start, End int // bytes of the text
}

// Segment returns the words of the Chinese parts of a text in order: the most probable ones by how often each
// occurs. What is in no list comes as single characters. The text may have simplified or traditional characters, and
// the words are as it writes them.
func Segment(text string) []Word {
	simple := lexical.Simplify(text)
	if len(simple) != len(text) { // then the places differ
		simple = text
	}
	var words []Word
	begin := -1
	flush := func(end int) {
		if begin >= 0 {
			words = append(words, chinese().segment(text, simple, begin, end)...)
		}
		begin = -1
	}
	for at, r := range text {
		switch {
		case !unicode.Is(unicode.Han, r):
			flush(at)
		case begin < 0:
			begin = at
		}
	}
	flush(len(text))
	return words
}

// segment cuts a run of characters, which simple has in simplified ones.
func (h *han) segment(text, simple string, from, to int) []Word {
	var starts []int
	for at := range text[from:to] {
		starts = append(starts, from+at)
	}
	starts = append(starts, to)
	n := len(starts) - 1
	score := make([]float64, n+1) // of the best way to cut what follows
	next := make([]int, n+1)
	for i := n - 1; i >= 0; i-- {
		score[i] = math.Inf(-1)
		for j := i + 1; j <= min(n, i+h.longest); j++ {
			count, known := h.count[simple[starts[i]:starts[j]]]
			if !known && j > i+1 {
				continue
			}
			if s := math.Log(max(count, 1)/h.total) + score[j]; s > score[i] {
				score[i], next[i] = s, j
			}
		}
	}
	var words []Word
	for i := 0; i < n; i = next[i] {
		words = append(words, Word{text[starts[i]:starts[next[i]]], starts[i], starts[next[i]]})
	}
	return words
}
