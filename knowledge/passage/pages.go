package passage

import (
	"strconv"
	"strings"
)

// PageLabels says how the pages from From on are numbered in print: Prefix with a numeral that begins at
// First and grows by one a page.
type PageLabels struct {
	From   int    `json:"from"` // from 1
	Prefix string `json:"prefix,omitempty"`
	Style  string `json:"style,omitempty"` // "1", "i" or "I"; empty for no numeral
	First  int    `json:"first,omitempty"`
}

// label returns the label of a page, from From on.
func (l PageLabels) label(page int) string {
	n := l.First + page - l.From
	switch l.Style {
	case "1":
		return l.Prefix + strconv.Itoa(n)
	case "i":
		return l.Prefix + strings.ToLower(Roman(n))
	case "I":
		return l.Prefix + Roman(n)
	}
	return l.Prefix
}

// maxPageLabels bounds the ranges of [PageLabelsOf].
const maxPageLabels = 100

// PageLabelsOf returns the ranges of pages whose labels these are, in order from page 1; an empty label
// is the page's number. It returns nil if no label differs from that, or if the labels follow no rule.
func PageLabelsOf(labels []string) []PageLabels {
	var all []PageLabels
	differ := false
	for i, label := range labels {
		page := i + 1
		differ = differ || label != "" && label != strconv.Itoa(page)
		if label == "" {
			label = strconv.Itoa(page)
		}
		if n := len(all); n > 0 && all[n-1].label(page) == label {
			continue
		}
		if len(all) == maxPageLabels {
			return nil
		}
		all = append(all, splitLabel(page, label))
	}
	if !differ {
		return nil
	}
	return all
}

// splitLabel returns a label as the first of its range.
func splitLabel(page int, label string) PageLabels {
	prefix := strings.TrimRight(label, "0123456789")
	if n, err := strconv.Atoi(label[len(prefix):]); err == nil && strconv.Itoa(n) == label[len(prefix):] {
		return PageLabels{page, prefix, "1", n}
	}
	for _, style := range []string{"i", "I"} {
		numeral := strings.ToUpper(label)
		if style == "I" && label != numeral || style == "i" && label != strings.ToLower(label) {
			continue
		}
		if n := parseRoman(numeral); n > 0 {
			return PageLabels{page, "", style, n}
		}
	}
	return PageLabels{From: page, Prefix: label}
}

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

// parseRoman returns the value of a Roman numeral in capitals, or 0.
func parseRoman(s string) int {
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
