package head

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/plaintext"
)

// verdict is what a line says of privacy.
type verdict int

const (
	silent  verdict = iota
	keyed           // it is about Lacuna, and says neither private nor public
	unclear         // it can only mean private
	clear
)

var (
	clearly = regexp.MustCompile(`^["']?lacuna["']? ?[:=] ?\[? ?["']?private["']? ?\]? ?[;,.]? ?(?:(?:#|//|%|;).*)?$`)
	// named is the key, behind which letters would make another word.
	named  = regexp.MustCompile(`^lacuna(?:[^\pL\pN]|priv|$)`)
	ours   = regexp.MustCompile(`^lacuna ?:? ?(?:answer|end|cite)(?:[^\pL\pN]|$)`) // marks of answers
	valued = regexp.MustCompile(`^lacuna["'\])}*_]* ?(?:[:=]+|->) ?["']?([^"'#]*)`)
	words  = regexp.MustCompile(`[\pL\pN]+`)
	// tagged is a word among others, such as a tag.
	tagged = regexp.MustCompile(`(?:^|[^\pL\pN])lacuna ?[:=/._-]+ ?private(?:[^\pL\pN]|$)`)
)

// judge reads a line, or the part of it that is a comment.
func judge(line string) verdict {
	if !mayName(line) || isMark(line) {
		return silent
	}
	folded := fold(line)
	stated := strings.TrimLeftFunc(folded, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if !named.MatchString(stated) || ours.MatchString(stated) {
		return silent
	}
	if clearly.MatchString(folded) {
		return clear
	}
	for _, word := range words.FindAllString(stated[len("lacuna"):], -1) {
		if strings.HasPrefix(word, "priv") || nearly(word, "private") {
			return unclear
		}
	}
	if found := valued.FindStringSubmatch(stated); found != nil && strings.TrimSpace(found[1]) != "public" {
		return keyed
	}
	return silent
}

// Means reports whether words that stand by themselves say that what they belong to is private, such
// as a line, the keywords of a file or one of them.
func Means(words string) bool { return judge(words) >= unclear || mentions(words) }

// Names reports whether a name, such as that of a column, is about Lacuna.
func Names(name string) bool { return mayName(name) && named.MatchString(fold(name)) }

// mentions reports whether a line has among its words one such as the tag lacuna-private.
func mentions(line string) bool { return mayName(line) && tagged.MatchString(fold(line)) }

// mayName is quick to say that a line has nothing to do with Lacuna. One with other than ASCII
// letters may have it in disguise.
func mayName(line string) bool {
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c >= utf8.RuneSelf:
			return true
		case (c == 'l' || c == 'L') && len(line)-i >= len("lacuna") && strings.EqualFold(line[i:i+len("lacuna")], "lacuna"):
			return true
		}
	}
	return false
}

// isMark is quick to tell the marks that Lacuna writes around each of its answers.
func isMark(line string) bool {
	line = strings.TrimLeft(line, " ")
	return strings.HasPrefix(line, "lacuna:answer ") || strings.HasPrefix(line, "lacuna:end") || strings.HasPrefix(line, "lacuna:cite ")
}

// longestStatement is how much of a line is looked at. What comes behind is no statement any more.
const longestStatement = 400

// fold brings the ways of writing a statement together: case, width, quotation marks, kinds of
// space, characters that cannot be seen, and letters of other scripts that look the same.
func fold(line string) string {
	line = line[:min(len(line), longestStatement)]
	line = strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cf, unicode.Variation_Selector) || r == '\u034F' || r == '\u115F' || r == '\u3164' || r == utf8.RuneError {
			return -1
		}
		return r
	}, line)
	return lookalikes.Replace(plaintext.Fold(line))
}

// lookalikes are letters of Greek and Cyrillic in lower case, and marks that stand for a colon.
var lookalikes = strings.NewReplacer(
	"а", "a", "с", "c", "е", "e", "і", "i", "ӏ", "l", "ո", "n", "р", "p", "т", "t", "υ", "u", "ν", "v", "ѵ", "v", "α", "a", "ι", "i", "ρ", "p", "τ", "t", "ο", "o",
	"∶", ":", "ː", ":", "꞉", ":", "：", ":", "«", `"`, "»", `"`, "‹", "'", "›", "'", "`", "'",
)

// nearly reports whether a word is another with up to two letters wrong, missing, too many or in each
// other's place.
func nearly(word, wanted string) bool {
	if len(word) < len(wanted)-2 || len(word) > len(wanted)+2 {
		return false
	}
	before := make([]int, len(wanted)+1)
	for j := range before {
		before[j] = j
	}
	for i := range len(word) {
		row := make([]int, len(wanted)+1)
		row[0] = i + 1
		for j := range len(wanted) {
			cost := 1
			if word[i] == wanted[j] {
				cost = 0
			}
			row[j+1] = min(row[j]+1, before[j+1]+1, before[j]+cost)
		}
		before = row
	}
	return before[len(wanted)] <= 2
}
