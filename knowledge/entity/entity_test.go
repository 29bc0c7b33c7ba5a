package entity

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
)

// shelf counts words in the passages of a test. All names here are invented, except names of illnesses.
type shelf map[string]int

func (s shelf) DocFreq(term string) int { return s[term] }

func shelve(passages []*passage.Passage) shelf {
	s := make(shelf)
	for _, p := range passages {
		met := make(map[string]bool)
		for _, term := range lexical.Terms(p.Indexed()) {
			if !met[term] {
				met[term] = true
				s[term]++
			}
		}
	}
	return s
}

// page makes a passage of a line "Title / Heading: text".
func page(line string) *passage.Passage {
	above, text, _ := strings.Cut(line, ": ")
	labels := strings.Split(above, " / ")
	p := &passage.Passage{Kind: passage.Text, Title: labels[0], Headings: labels[1:], Text: text}
	if len(labels) > 1 {
		p.Section = labels[len(labels)-1]
	}
	return p
}

var relations = map[Relation]string{Own: "own", Unknown: "unknown", Other: "other"}

func TestRelation(t *testing.T) {
	devices := []string{
		"Orlanta 3 / Cleaning: Rinse it in rain water.",
		"Orlanta 5 / Cleaning: Rinse it in rain water.",
		"Tideglass / Cleaning: Unlike the Orlanta 3, it is never wet.",
		"Care of all devices / Cleaning: The Orlanta 3 is rinsed, and all others are brushed.",
		"Glue and the Orlanta 3 / Cleaning: Old glue comes off with vinegar.",
		": Water rinses most things clean.",
	}
	long := []string{
		"Handbook / sandgate / Licence: Free for all.",
		"Handbook / sandgate-mini / Licence: Free for all.",
		"Handbook / murrow2 / Licence: Free for all.",
		"Handbook / wicket.sync / Licence: Free for all.",
	}
	bylaws := []string{
		"Gong Bylaw / Penalty: Five crowns.",
		"Second Gong Bylaw / Penalty: Six crowns.",
		"Hedge Bylaw / Penalty: Seven crowns.",
		"Hedgehog Bylaw / Penalty: Eight crowns.",
	}
	medicine := []string{
		"Tarvexin / Dose: 5 mg once a day.",
		"Tarvexin / Kidney disease: No adjustment is needed.",
		"Ostrelin / Dose: 5 mg once a day.",
		"Ostrelin / Kidney disease: No adjustment is needed. Tarvexin is stopped.",
		"Kidney disease / Medicines: Most are given more seldom.",
		"Type 1 diabetes / Treatment: Insulin.",
		"Type 2 diabetes / Treatment: Diet first.",
	}
	staff := []string{
		"Holidays / Overview: Thirty days of holidays are granted a year; holidays end with the year.",
		"Sick leave / Overview: Who falls ill while travelling gets these days back, and holidays are longer then.",
		"Parental leave / Overview: A year, after which holidays begin.",
		"Travel / Overview: Trains are booked by the office. Holidays may follow a journey.",
	}
	for _, c := range []struct {
		question string
		base     []string
		want     string
	}{
		{"How is the Orlanta 3 cleaned?", devices, "own other other other unknown other"},
		{"orlanta 5 cleaning", devices, "other own other other other other"},
		{"How is the Orlanta 4 cleaned?", devices, "other other other other other other"},
		{"How is the Tideglass cleaned?", devices, "other other own other other other"},
		{"How is the Brendel cleaned?", devices, "other other other other other unknown"},
		{"How do I clean something?", devices, "unknown unknown unknown unknown unknown unknown"},
		{"What is the licence of sandgate?", long, "own other other other"},
		{"What is the licence of sandgate-mini?", long, "other own other other"},
		{"What is the licence of sandgate-max?", long, "other other other other"},
		{"What is the licence of murrow3?", long, "other other other other"},
		{"What is the licence of wicket.sync?", long, "other other other own"},
		{"What is the licence of wicket.push?", long, "other other other other"},
		{"What is the penalty under the Gong Bylaw?", bylaws, "own other other other"},
		{"What is the penalty under the Second Gong Bylaw?", bylaws, "other own other other"},
		{"What is the penalty under the Third Gong Bylaw?", bylaws, "other other other other"},
		{"third gong bylaw penalty", bylaws, "other other other other"},
		{"What is the penalty under the Hedge Bylaw?", bylaws, "other other own other"},
		{"hedgehog bylaw penalty", bylaws, "other other other own"},
		{"What is the penalty under the Kiln Bylaw?", bylaws, "other other other other"},
		{"What is the dose of Tarvexin?", medicine, "own own other other other other other"},
		{"tarvexin dose", medicine, "own own other other other other other"},
		{"What is the dose of Tarvexine?", medicine, "other other other other other other other"},
		{"How is type 2 diabetes treated?", medicine, "other other other other other other own"},
		{"How is type 3 diabetes treated?", medicine, "other other other other other other other"},
		{"What happens to my holidays when I fall ill?", staff, "own unknown unknown unknown"},
		{"How much sick leave do I get?", staff, "other own other other"},
		{"How do I get home?", staff, "unknown unknown unknown unknown"},
		{"", staff, "unknown unknown unknown unknown"},
	} {
		var passages []*passage.Passage
		for _, line := range c.base {
			passages = append(passages, page(line))
		}
		subject := Link(c.question, passages, shelve(passages))
		var got []string
		for _, p := range passages {
			got = append(got, relations[subject.Relation(p)])
		}
		if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%q (names %q, sure %t):\n%s", c.question, subject.Titles(), subject.Sure(), diff)
		}
	}
}
