package answer_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
)

// TestWrongClaimsMeasured makes experts' sentences wrong in one word or one figure and asks whether a
// passage still supports them that supports them as they are. Not every change makes a sentence wrong:
// what is "not demonstrated" may become "not not demonstrated".
func TestWrongClaimsMeasured(t *testing.T) {
	library := openLibrary(t, "pubmed", dataFile(t, "kb/passages-pubmed.jsonl.gz"))
	at := make(map[string]int)
	for ordinal, p := range library.Passages() {
		at[p.Record] = ordinal
	}
	var right int
	made, believed := make(map[string]int), make(map[string]int)
	for _, q := range rows[question](t, "queries/bioasq.dev.jsonl.gz") {
		for _, span := range passage.Sentences(q.Ideal, passage.Plain) {
			sentence := q.Ideal[span.Start:span.End]
			for _, id := range q.Relevant {
				if !answer.Supports(library, sentence, at[id]) {
					continue
				}
				right++
				for how, wrong := range falsified(sentence, library.Passages()[at[id]].Text, library.Shelf(passage.Text).IDF) {
					made[how]++
					believed[how] += count(answer.Supports(library, wrong, at[id]))
				}
				break
			}
		}
	}
	t.Logf("%d sentences are supported as they are", right)
	for how, most := range map[string]float64{"another figure": .01, "a figure of the passage": .1, "another direction": .15, "a negation more": .08, "another subject": .2} {
		share := float64(believed[how]) / float64(made[how])
		t.Logf("%s: %d of %d supported, %.3f", how, believed[how], made[how], share)
		if share > most {
			t.Errorf("%s: more than %.2f are supported", how, most)
		}
	}
}

var (
	someFigure = regexp.MustCompile(`\b\d+(?:\.\d+)?\b`)
	direction  = regexp.MustCompile(`(?i)\b(?:increase[sd]?|increasing|decrease[sd]?|decreasing|reduce[sd]?|higher|lower|inhibits?|activates?|before|after|improves?|worsens?|upregulated|downregulated)\b`)
	auxiliary  = regexp.MustCompile(`\b(?:is|are|was|were|can|has been|have been)\b`)
	reverse    = map[string]string{
		"increase": "decrease", "increases": "decreases", "increased": "decreased", "increasing": "decreasing",
		"decrease": "increase", "decreases": "increases", "decreased": "increased", "decreasing": "increasing",
		"reduce": "raise", "reduces": "raises", "reduced": "raised", "higher": "lower", "lower": "higher",
		"inhibit": "activate", "inhibits": "activates", "activate": "inhibit", "activates": "inhibits",
		"before": "after", "after": "before", "improve": "worsen", "improves": "worsens", "worsen": "improve", "worsens": "improves",
		"upregulated": "downregulated", "downregulated": "upregulated",
	}
)

// falsified are wrong variants of a sentence, by what is wrong with them.
func falsified(sentence, passage string, weight func(term string) float64) map[string]string {
	wrong := make(map[string]string)
	if m := someFigure.FindStringIndex(sentence); m != nil {
		wrong["another figure"] = sentence[:m[0]] + sentence[m[0]:m[1]] + "7" + sentence[m[1]:]
		of := someFigure.FindAllString(passage, -1)
		if i := slices.IndexFunc(of, func(n string) bool { return !strings.Contains(sentence, n) }); i >= 0 {
			wrong["a figure of the passage"] = sentence[:m[0]] + of[i] + sentence[m[1]:]
		}
	}
	if m := direction.FindStringIndex(sentence); m != nil {
		wrong["another direction"] = sentence[:m[0]] + reverse[strings.ToLower(sentence[m[0]:m[1]])] + sentence[m[1]:]
	}
	if rarest := rarestWord(sentence, passage, weight); rarest != "" && !strings.Contains(passage, "nfliximab") {
		wrong["another subject"] = strings.Replace(sentence, rarest, "infliximab", 1)
	}
	if m := auxiliary.FindStringIndex(sentence); m != nil {
		wrong["a negation more"] = sentence[:m[1]] + " not" + sentence[m[1]:]
	}
	return wrong
}

// rarestWord is the word of a sentence that the base knows least of those that the passage holds.
func rarestWord(sentence, passage string, weight func(term string) float64) (rarest string) {
	held, most := lexical.Terms(passage), 0.0
	for _, word := range strings.Fields(sentence) {
		if terms := lexical.Terms(word); len(terms) == 1 && slices.Contains(held, terms[0]) && weight(terms[0]) > most {
			rarest, most = strings.Trim(word, ".,;:()"), weight(terms[0])
		}
	}
	return rarest
}
