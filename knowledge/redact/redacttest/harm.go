// Package redacttest says what the tests of de-identification count as harm.
package redacttest

import (
	"regexp"
	"slices"
	"strings"
)

// Harm is what a wrong replacement does to what is said of a patient.
type Harm int

const (
	None      Harm = iota
	Score          // it hides two numbers with a slash between them: a score, a strength, a share, a span of time
	Treatment      // it hides a drug, a dose or a value
)

var (
	// treatment matches a drug by its ending, a dose, or a value with its unit or its name.
	treatment = regexp.MustCompile(`(?i)\pL\pL(?:statin|pril|sartan|olol|azole|cillin|mycin|floxacin|gliptin|gliflozin|formin|prazole|dipine|parin|xaban|mab|nib|vir|pam|lukast|triptan|sone|lone)\b|` +
		`\b(?:aspirin|insulin|paracetamol|ibuprofen)\b|` +
		`\d\s*(?:mg|µg|mcg|g|ml|l|mmol|mol|mmhg|units?|iu|ie|ui|%|bpm|kg|cm|mm|meq|kpa|h)\b|` +
		`\b[1-3]/[2-4]\s*(?:tab|tbl|comp|cp\b|pill|caps?\b|dose|amp|#|片|-\s?[\d½])|\d-[1-3]/[2-4]\b|` +
		`\b(?:hb|hgb|bp|hr|rr|fc|ta|spo2|sao2|crp|pcr|egfr|k|na|cl|ca|mg|ag|cr|bun|inr|hba1c|a1c|wbc|leukos?|leucos|plts?|platelets?|temp|alt|ast|ggt|ldh|tsh|ft4|bnp|psa|ca125|lactate|ph|fio2|peep|gcs|news|apgar|mews|sofa|phq-?9|gad-?7|ecog|nihss|mrs)\s*[:=]?\s*(?:of )?\d+(?:[.,/-]\d+)*|\d\s*(?:毫克|克|片|次)`)
	// decimal matches what is a value whatever stands around it; a time of day such as 14.05 is none.
	decimal = regexp.MustCompile(`(?:^|[^\d.,])(?:\d[.,]\d{1,3}|[3-9]\d[.,]\d{1,3}|2[4-9][.,]\d{1,3}|[12]\d[.,](?:\d|\d{3}|[6-9]\d)|\d{3,4}[.,]\d{1,3})(?:$|[^\d.,]|[.,](?:$|\D))`)
	score   = regexp.MustCompile(`\d\s*/\d`)
)

// HarmOf says what is lost if a part of a text, in bytes, is replaced: what it holds, holds a piece of, or touches.
func HarmOf(text string, start, end int) Harm {
	switch {
	case touches(treatment, text, start, end), holds(decimal, text, start, end):
		return Treatment
	case touches(score, text, start, end):
		return Score
	}
	return None
}

func touches(pattern *regexp.Regexp, text string, start, end int) bool {
	from, to := max(start-24, 0), min(end+24, len(text))
	return slices.ContainsFunc(pattern.FindAllStringIndex(text[from:to], -1), func(at []int) bool {
		before, behind := from+at[1], from+at[0] // where the match ends, and where it begins
		return before >= start && behind <= end ||
			before < start && strings.Trim(text[before:start], " ") == "" || behind > end && strings.Trim(text[end:behind], " ") == "" && strings.ContainsAny(text[start:end], "0123456789")
	})
}

// holds reports whether a digit of a match is in a part of a text.
func holds(pattern *regexp.Regexp, text string, start, end int) bool {
	from, to := max(start-8, 0), min(end+8, len(text))
	for from < to {
		at := pattern.FindStringIndex(text[from:to])
		if at == nil {
			return false
		}
		if first, last := max(start, from+at[0]), min(end, from+at[1]); first < last && strings.ContainsAny(text[first:last], "0123456789") {
			return true
		}
		from += at[0] + 1 // what ends one match may begin the next
	}
	return false
}
