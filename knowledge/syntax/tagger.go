package syntax

import (
	"strings"
	"unicode"
)

// tagClass is what the tagger tells apart: a part of speech with its form ("VERB VBN").
type tagClass struct {
	tag  Tag
	form string
	part uint32 // hash of the tag
	all  uint32 // hash of both
}

func tagClasses(names []string) []tagClass {
	classes := make([]tagClass, len(names))
	for i, name := range names {
		tag, form, _ := strings.Cut(name, " ")
		classes[i] = tagClass{tag: Tag(tag), form: form, part: hashString(tag), all: hashString(name)}
	}
	return classes
}

// shape is the hashes of a word that features are made of.
type shape struct {
	exact, lower, shape uint32
	suffix              [4]uint32 // of 1 to 4 letters
	prefix              [3]uint32
	upper, digit, dash  bool
}

const hashStart = 2166136261

func hashRune(h uint32, r rune) uint32 { return (h ^ uint32(r)) * 16777619 }

func hashString(s string) uint32 {
	h := uint32(hashStart)
	for _, r := range s {
		h = hashRune(h, r)
	}
	return h
}

// shapeOf reads a word. All digits count as the same.
func shapeOf(word string) shape {
	var s shape
	var buf [24]rune
	low := buf[:0]
	exact, lower, form := uint32(hashStart), uint32(hashStart), uint32(hashStart)
	var last rune
	for i, r := range word {
		kind := 'x'
		switch {
		case unicode.IsDigit(r):
			r, kind = '0', '0'
			s.digit = true
		case unicode.IsUpper(r):
			kind = 'X'
			s.upper = s.upper || i == 0
		case !unicode.IsLetter(r):
			kind = r
			s.dash = s.dash || r == '-'
		}
		exact = hashRune(exact, r)
		r = unicode.ToLower(r)
		if r == '’' {
			r = '\''
		}
		lower = hashRune(lower, r)
		if len(low) < cap(low) {
			low = append(low, r)
		} else {
			copy(low[8:], low[9:])
			low[len(low)-1] = r
		}
		if len(low) <= 3 {
			s.prefix[len(low)-1] = lower
		}
		if kind != last {
			form = hashRune(form, kind)
			last = kind
		}
	}
	s.exact, s.lower, s.shape = exact, lower, form
	h := uint32(hashStart)
	for k := 0; k < 4 && k < len(low); k++ {
		h = hashRune(h, low[len(low)-1-k])
		s.suffix[k] = h
	}
	return s
}

const outside = 0x5bd1e995 // the hash of what lies beyond the ends of a sentence

func shapesOf(words []Word) []shape {
	shapes := make([]shape, len(words))
	for i := range words {
		shapes[i] = shapeOf(words[i].Text)
	}
	return shapes
}

// tagFeatures appends the features of a word behind two tags.
func tagFeatures(to []uint32, shapes []shape, i int, tag1, tag2 uint32) []uint32 {
	w := &shapes[i]
	at := func(k int) *shape {
		if k < 0 || k >= len(shapes) {
			return &edge
		}
		return &shapes[k]
	}
	before, before2, next, next2 := at(i-1), at(i-2), at(i+1), at(i+2)
	flags := uint32(0)
	for k, on := range [...]bool{w.upper, w.digit, w.dash, i == 0, i == len(shapes)-1} {
		if on {
			flags |= 1 << k
		}
	}
	return append(to,
		mix(1, 0, 0, 0),
		mix(2, w.exact, 0, 0), mix(3, w.lower, 0, 0),
		mix(4, w.suffix[0], 0, 0), mix(5, w.suffix[1], 0, 0), mix(6, w.suffix[2], 0, 0), mix(7, w.suffix[3], 0, 0),
		mix(8, w.prefix[0], 0, 0), mix(9, w.prefix[1], 0, 0), mix(10, w.prefix[2], 0, 0),
		mix(11, w.shape, 0, 0), mix(12, w.shape, w.suffix[1], 0), mix(13, flags, 0, 0), mix(14, flags, w.suffix[2], 0),
		mix(15, tag1, 0, 0), mix(16, tag1, tag2, 0), mix(17, tag1, w.lower, 0), mix(18, tag1, w.suffix[2], 0),
		mix(19, before.lower, 0, 0), mix(20, before2.lower, 0, 0), mix(21, next.lower, 0, 0), mix(22, next2.lower, 0, 0),
		mix(23, before.lower, w.lower, 0), mix(24, w.lower, next.lower, 0), mix(25, before.suffix[2], 0, 0),
		mix(26, next.suffix[2], 0, 0), mix(27, next.shape, 0, 0), mix(28, next.suffix[1], tag1, 0), mix(29, w.suffix[2], next.suffix[1], 0),
		mix(30, before.lower, next.lower, 0), mix(31, tag1, next.lower, 0), mix(32, tag1, tag2, w.suffix[1]),
		mix(33, tag1, next.shape, w.suffix[1]),
	)
}

var edge = shape{exact: outside, lower: outside, shape: outside, suffix: [4]uint32{outside, outside, outside, outside}}

// tagWith returns the class of each word.
func tagWith(weights scorer, classes []tagClass, shapes []shape) []uint8 {
	tags := make([]uint8, len(shapes))
	scores := make([]int32, len(classes))
	features := make([]uint32, 0, 40)
	tag1, tag2 := uint32(outside), uint32(outside)
	for i := range shapes {
		features = tagFeatures(features[:0], shapes, i, tag1, tag2)
		clear(scores)
		for _, f := range features {
			weights.add(f, scores)
		}
		tags[i] = uint8(best(scores))
		tag1, tag2 = classes[tags[i]].all, tag1
	}
	return tags
}

func best(scores []int32) int {
	top := 0
	for i, s := range scores {
		if s > scores[top] {
			top = i
		}
	}
	return top
}
