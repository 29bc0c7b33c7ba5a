package entail

import "testing"

func FuzzJudge(f *testing.F) {
	f.Add("Gout hurts for 3 days.", "How long?", "Gout", "Gout hurts for 3–5 days, says “the board”. It passes.")
	f.Add("No, 孕妇不能用 5mg.", "", "", "孕妇禁用。每日5毫克，不超过10毫克")
	f.Add("'s n't % 1,000.5 é", "\x80", "\n", "a. b, c; (d) e")
	f.Fuzz(func(t *testing.T, claim, question, above, text string) {
		j := Judge(claim, question, Source{Above: above, Text: text}, Source{Text: claim})
		for _, q := range j.Evidence {
			if length := []int{len(text), len(claim)}[q.Source]; q.Start < 0 || q.End > length || q.Start >= q.End {
				t.Errorf("evidence %v of %d bytes", q, length)
			}
		}
		for _, d := range j.Differences {
			if length := []int{len(text), len(claim)}[d.Stated.Source]; d.Stated.Start < 0 || d.Stated.End > length || d.Claimed.Start < 0 || d.Claimed.End > len(claim) {
				t.Errorf("difference %v", d)
			}
		}
		for _, s := range j.Unstated {
			if s.Start < 0 || s.End > len(claim) || s.Start > s.End {
				t.Errorf("unstated %v of %d bytes", s, len(claim))
			}
		}
	})
}
