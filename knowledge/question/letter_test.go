package question

import (
	"slices"
	"strings"
	"testing"
)

func TestLetters(t *testing.T) {
	for _, c := range []struct {
		letter string
		asks   []string
		gist   string // "" is what asks
	}{
		{
			"Dear team,\n\nmy mother sold her car in May and the insurance keeps sending bills, it drives her mad. We have been customers for nine years. I'd like to know whether you can cancel the contract without her signature. Please advise.\n\nKind regards\nIda Holm\nSent from my phone",
			[]string{"I'd like to know whether you can cancel the contract without her signature."}, "you can cancel the contract without her signature.",
		},
		{
			"Subject: Re: my kettle\n\nHello! I have a Boilwell 300 since Christmas and it was fine for months. Since Monday the lid does not close any more. How do I repair it? Thanks a lot, Per",
			[]string{"How do I repair it?"}, "How do I repair it? kettle Boilwell 300 Monday Christmas",
		},
		{
			"when i was in oslo i lost my card. where can i get a new one? and what does it cost. thx!!",
			[]string{"where can i get a new one?", "and what does it cost."}, "when i was in oslo i lost my card. where can i get a new one? and what does it cost.",
		},
		{
			"Sehr geehrte Damen und Herren,\n\nich habe im März zwei Stühle bestellt, und wir ziehen leider bald um. Ich wüsste gerne, ob sich die Rechnungsadresse noch ändern lässt. Für eine schnelle Antwort wäre ich Ihnen dankbar.\n\nMit freundlichen Grüßen\nK. Berg",
			[]string{"Ich wüsste gerne, ob sich die Rechnungsadresse noch ändern lässt."}, "sich die Rechnungsadresse noch ändern lässt.",
		},
		{"您好，上个月我在你们店里买了一张桌子，一直很喜欢。请问运费多少钱？谢谢！", []string{"请问运费多少钱？"}, "运费多少钱？"},
		{"What is gout?", []string{"What is gout?"}, ""},
		{"The printer in room four is broken again and nobody in the whole building seems to know anything at all about it. Any advice?", []string{"The printer in room four is broken again and nobody in the whole building seems to know anything at all about it.", "Any advice?"}, ""},
		{"> Can you send it?\nYes, tomorrow, if the weather allows it and the van is back from the garage by then.\nHow many boxes do you need?", []string{"How many boxes do you need?"}, "Yes, tomorrow, if the weather allows it and the van is back from the garage by then. How many boxes do you need?"},
	} {
		r := Read(c.letter)
		var asks []string
		for _, s := range r.Asking {
			asks = append(asks, c.letter[s.Start:s.End])
		}
		if !slices.Equal(asks, c.asks) {
			t.Errorf("%s\nasks %q", c.letter, asks)
		}
		if gist := r.Gist(); c.gist != "" && gist != c.gist || c.gist == "" && gist != strings.Join(c.asks, " ") {
			t.Errorf("%s\ngist %q", c.letter, gist)
		}
	}
}
