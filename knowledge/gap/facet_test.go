package gap

import (
	"testing"

	"lacuna/knowledge/entity"
	"lacuna/knowledge/passage"
)

// documentFrequencies say in how many passages each word stands.
type documentFrequencies map[string]int

func (d documentFrequencies) DocFreq(term string) int { return d[term] }

// TestSide asks for sides of an invented medicine and an invented tool.
func TestSide(t *testing.T) {
	medicine := []*passage.Passage{
		{Title: "Tarvexin", Section: "Dose", Headings: []string{"Dose"}, Text: "Adults take 5 mg once a day."},
		{Title: "Tarvexin", Section: "Kidney disease", Headings: []string{"Kidney disease"}, Text: "No dose adjustment is needed."},
		{Title: "Tarvexin", Section: "Overview", Headings: []string{"Overview"}, Text: "A salt that is part of the treatment of hiccups."},
	}
	tool := []*passage.Passage{
		{Title: "Tarrel", Section: "Storage", Headings: []string{"Storage"}, Text: "Hang it up by the handle."},
		{Title: "Tarrel", Section: "Guarantee", Headings: []string{"Guarantee"}, Text: "What breaks is replaced for six years."},
	}
	trail := []*passage.Passage{
		{Title: "Ulber Trail", Section: "Season", Headings: []string{"Season"}, Text: "Snow closes the upper half until May."},
		{Title: "Ulber Trail", Section: "Length and climb", Headings: []string{"Length and climb"}, Text: "It is 14 km long and climbs 620 m."},
		{Title: "Ulber Trail", Section: "Shelter", Headings: []string{"Shelter"}, Text: "The hut was built by hand."},
	}
	plant := []*passage.Passage{
		{Title: "Tarrelkraut", Section: "Gießen", Headings: []string{"Gießen"}, Text: "Alle vier Tage einen Becher Wasser geben."},
		{Title: "Tarrelkraut", Section: "Standort", Headings: []string{"Standort"}, Text: "Gedeiht im lichten Schatten."},
	}
	device := []*passage.Passage{
		{Title: "云雀三号", Section: "清洁", Headings: []string{"清洁"}, Text: "用干布擦拭表面。"},
		{Title: "云雀三号", Section: "保修", Headings: []string{"保修"}, Text: "自购买之日起保修三年。"},
	}
	illness := []*passage.Passage{
		{Title: "Tarvexia", Text: "Tarvexia is inherited in an autosomal recessive pattern, which means both copies of the gene in each cell have mutations. The parents each carry one copy of the mutated gene."},
		{Title: "Tarvexia", Text: "The signs and symptoms of Tarvexia include muscle weakness, fever, headaches, a rash and trouble walking. These symptoms usually appear in childhood and vary from person to person. Affected people may also have seizures, joint pain, hearing loss and vision problems."},
	}
	bare := []*passage.Passage{{Title: "Tarrel", Text: "A hook for apples. It is stored dry."}}
	for _, c := range []struct {
		question string
		page     []*passage.Passage
		want     int // index of the passage that treats it, -1 for none
	}{
		{"What is the dose of Tarvexin?", medicine, 0},
		{"How much Tarvexin do adults take?", medicine, 0},
		{"Tarvexin renal impairment", medicine, 1},
		{"Tarvexin in renal disease", medicine, 1},
		{"What is the dose of Tarvexin in kidney disease?", medicine, 1},
		{"What is the dose of Tarvexin in pregnancy?", medicine, -1},
		{"What is the paediatric dose of Tarvexin?", medicine, -1},
		{"What is Tarvexin?", medicine, 2},
		{"How is hiccups treated with Tarvexin?", medicine, 2},
		{"How is Tarvexin poisoning treated?", medicine, -1},
		{"Who makes Tarvexin?", medicine, -1},
		{"How is the Tarrel stored?", tool, 0},
		{"How do I keep the Tarrel over winter?", tool, 0},
		{"warranty Tarrel", tool, 1},
		{"What happens when the Tarrel breaks?", tool, 1},
		{"What does the Tarrel weigh?", tool, -1},
		{"Where is the Tarrel?", tool, -1},
		{"How long is the Ulber Trail?", trail, 1},
		{"What is the length of the Ulber Trail?", trail, 1},
		{"How far does the Ulber Trail go?", trail, -1},
		{"How old is the Ulber Trail?", trail, -1},
		{"How many are the Ulber Trail?", trail, -1},
		{"Wie oft muss ich Tarrelkraut gießen?", plant, 0},
		{"Wo wächst Tarrelkraut am besten?", plant, 1},
		{"Was kostet Tarrelkraut?", plant, -1},
		{"怎么清洁云雀三号？", device, 0},
		{"云雀三号保修几年？", device, 1},
		{"Can parents hand Tarvexia down to their children?", illness, 0},
		{"How does Tarvexia show itself?", illness, 1},
		{"What is the Tarrel?", bare, 0},
		{"How is the Tarrel stored?", bare, 0},
		{"What does the Tarrel cost?", bare, -1},
	} {
		about := entity.Link(c.question, c.page, documentFrequencies{"tarvexin": len(c.page), "tarrel": len(c.page), "tarvexia": len(c.page), "tarrelkraut": len(c.page)})
		facet := NewFacet(about, nil)
		best, at := 0.0, -1
		for i, p := range c.page {
			side := facet.Coverage(p)
			if side < 0 || side > 1 {
				t.Errorf("%q: %v", c.question, side)
			}
			if side > best {
				best, at = side, i
			}
		}
		if best < FacetFound {
			at = -1
		}
		if at != c.want {
			t.Errorf("%q: passage %d (%.2f), want %d", c.question, at, best, c.want)
		}
	}
}
