package plaintext

import "strings"

var romanSigns = []struct {
	value int
	sign  string
}{{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}}

// Roman returns a number from 1 to 10,000 as a Roman numeral; greater ones as the numeral of 10,000,
// others as "".
func Roman(n int) string {
	var b strings.Builder
	n = min(n, 10_000)
	for _, r := range romanSigns {
		for ; n >= r.value; n -= r.value {
			b.WriteString(r.sign)
		}
	}
	return b.String()
}

// ParseRoman returns the value of a Roman numeral in capitals, or 0.
func ParseRoman(s string) int {
	total, rest := 0, s
	for _, r := range romanSigns {
		for strings.HasPrefix(rest, r.sign) {
			total += r.value
			rest = rest[len(r.sign):]
		}
	}
	if rest != "" || Roman(total) != s {
		return 0
	}
	return total
}
