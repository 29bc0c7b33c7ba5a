package lexical

import (
	_ "embed"
	"strings"
	"sync"
)

// hanTable has two lines: traditional characters, and in the same order the simplified ones for them. It is
// made of OpenCC's table by TestHanTable; NOTICE has its licence.
//
//go:embed han.txt
var hanTable string

// The characters of hanTable.
const (
	firstHan = '\u3400'
	lastHan  = '\u9fff'
)

// simplified has the simplified character for each traditional one, by its number from firstHan on; 0 for others.
var simplified = sync.OnceValue(func() *[lastHan - firstHan + 1]uint16 {
	table := new([lastHan - firstHan + 1]uint16)
	from, to, _ := strings.Cut(hanTable, "\n")
	simple := []rune(to)
	for i, r := range []rune(from) {
		table[r-firstHan] = uint16(simple[i])
	}
	return table
})

// Simplify writes Chinese with simplified characters. The bytes of each character stay where they are.
func Simplify(text string) string {
	table := simplified()
	var b strings.Builder
	done := 0
	for at, r := range text {
		if r < firstHan || r > lastHan || table[r-firstHan] == 0 {
			continue
		}
		b.WriteString(text[done:at])
		b.WriteRune(rune(table[r-firstHan]))
		done = at + len(string(r))
	}
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}
