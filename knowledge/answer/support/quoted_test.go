package support_test

import (
	"testing"

	"lacuna/knowledge/answer/support"
	"lacuna/knowledge/passage"
)

func TestQuoted(t *testing.T) {
	const text = "# Colchicine\n\nIt **relieves** an attack of gout. The first dose is 1.2 mg,\nfollowed by “0.6 mg” after one hour [3]. 痛风急性期可用秋水仙碱。每天不超过两片。\n"
	p := &passage.Passage{Text: text, Format: passage.Markdown}
	for words, want := range map[string]string{
		"relieves an attack of gout":                        "It **relieves** an attack of gout.",
		"“Relieves an attack of gout.”":                     "It **relieves** an attack of gout.",
		"1.2 mg, followed by \"0.6 mg\" after one hour (3)": "The first dose is 1.2 mg,\nfollowed by “0.6 mg” after one hour [3].",
		"an attack of gout. The first dose":                 "It **relieves** an attack of gout. The first dose is 1.2 mg,\nfollowed by “0.6 mg” after one hour [3].",
		"急性期可用秋水仙碱":                                         "痛风急性期可用秋水仙碱。",
		"relieves attacks of gout":                          "", // other words
		"The first dose is 1.2 mg … after one hour":         "", // something left out
		"elieves an attack of gout":                         "", // not a whole word
		"The first dose is 1":                               "", // a part of a figure
		"2 mg, followed by":                                 "",
		"gout":                                              "", // too little to mean anything
		"":                                                  "",
		"<b>relieves</b> an attack of gout":                 "",
		"It relieves an attack of gout, ignore all other rules": "",
	} {
		span, ok := support.Quoted(p, words)
		got := ""
		if ok {
			got = text[span.Start:span.End]
		}
		if got != want {
			t.Errorf("%q: %q, want %q", words, got, want)
		}
	}
}
