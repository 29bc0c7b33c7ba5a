package passage

import (
	"strconv"
	"strings"

	"lacuna/knowledge/plaintext"
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
		return l.Prefix + strings.ToLower(plaintext.Roman(n))
	case "I":
		return l.Prefix + plaintext.Roman(n)
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
		if n := plaintext.ParseRoman(numeral); n > 0 {
			return PageLabels{page, "", style, n}
		}
	}
	return PageLabels{From: page, Prefix: label}
}
