package lexical

import (
	"strings"
	"unicode"
)

// Words cuts text into plain words for comparing wordings: lower-case runs of letters and digits,
// and each Han character by itself. Unlike [Analyze] it neither stems nor drops anything.
func Words(text string) []string {
	var words []string
	start := -1 // of the run being read, or -1
	flush := func(end int) {
		if start >= 0 {
			words = append(words, strings.ToLower(text[start:end]))
			start = -1
		}
	}
	for at, r := range text {
		switch {
		case unicode.Is(unicode.Han, r):
			flush(at)
			words = append(words, string(r))
		case unicode.In(r, unicode.Letter, unicode.Digit, unicode.Mark):
			if start < 0 {
				start = at
			}
		default:
			flush(at)
		}
	}
	flush(len(text))
	return words
}

// CommonSubsequence is the length of the longest common subsequence of two lists, in time
// proportional to the product of their lengths.
func CommonSubsequence[T comparable](a, b []T) int {
	row := make([]int, len(b)+1) // of the usual table
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			above := row[j+1]
			if x == y {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}
