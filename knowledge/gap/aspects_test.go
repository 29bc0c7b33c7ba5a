package gap

import (
	"testing"

	"lacuna/knowledge/passage"
)

// leaflet is a page with sections; no heading stands in the base often enough to learn from.
func leaflet(title string, sections ...string) []*passage.Passage {
	var passages []*passage.Passage
	for i := 0; i < len(sections); i += 2 {
		p := text(title+"/"+sections[i], sections[i+1])
		p.Record, p.Document = title, title
		passages = append(passages, p)
	}
	return passages
}

// TestHeadingsAreLookedUp asks small pages for their sides.
func TestHeadingsAreLookedUp(t *testing.T) {
	var pages []*passage.Passage
	pages = append(pages, leaflet("Velmicin",
		"Dose", "Adults take 40 mg of velmicin at noon.",
		"Side effects", "Velmicin may turn the tongue blue.",
		"Symptoms", "Nobody has counted them.")...)
	pages = append(pages, leaflet("Orbital fever",
		"Symptoms", "Orbital fever begins with a stiff neck.",
		"Causes", "A mite causes orbital fever.")...)
	pages = append(pages, leaflet("Orbital fever type 2",
		"Symptoms", "Type 2 begins with a rash.",
		"Treatment", "Rest cures orbital fever type 2.")...)
	pages = append(pages, leaflet("Gentle balm",
		"About", "Gentle balm is kept in the cold, and the dose is a thumb's length.",
		"Symptoms", "It soothes itching.")...)
	library := build(t, append(pages, orchard()...)...)
	for _, c := range []struct {
		question string
		label    string // empty for no gap of a side
	}{
		{"What is the dose of velmicin?", ""},
		{"What are the interactions of velmicin?", "Nothing on interactions of “Velmicin”; you have: dosage, side effects, symptoms"},
		{"How is orbital fever treated?", "Nothing on treatment of “Orbital fever”; you have: symptoms, causes"},
		{"How is orbital fever type 2 treated?", ""},
		{"What causes orbital fever type 2?", "Nothing on causes of “Orbital fever type 2”; you have: symptoms, treatment"},
		{"Can orbital fever be treated?", ""},                  // a fact may stand anywhere
		{"What is the dose of gentle balm?", ""},               // a part without a heading of a side speaks of it
		{"What is the dose of placebin?", ""},                  // no page has that title
		{"What are the interactions of apples and pears?", ""}, // their headings name no side
	} {
		v := judge(t, library, c.question)
		label := ""
		for _, g := range v.Gaps {
			if g.Code == MissingAspect {
				label = g.Text
			}
		}
		if label != c.label {
			t.Errorf("%q: gap %q, want %q", c.question, label, c.label)
		}
		if missing := c.label != ""; missing && (!Missing(v.Aspect) || len(v.Gaps) == 0 || len(v.Gaps[0].Nearest) == 0) {
			t.Errorf("%q: %+v", c.question, v)
		}
	}
}

// TestAHeadingForWhatIsAsked asks what a page has a heading for.
func TestAHeadingForWhatIsAsked(t *testing.T) {
	pages := leaflet("Hearthbat",
		"Cleaning", "Brush the grille once a week; neither water nor spirit may touch the casing.",
		"Guarantee", "Whatever breaks is replaced.")
	library := build(t, append(pages, orchard()...)...)
	for question, missing := range map[string]bool{
		"How does cleaning the Hearthbat work?":          false,
		"How is the cleaning of the Trundlet done?":      true,  // no page has that title
		"Which cleaning of the Hearthbat needs ammonia?": false, // one word that the page does not say
		"How long is the guarantee of the Hearthbat?":    false,
	} {
		if v := judge(t, library, question); Missing(v.Probability) != missing {
			t.Errorf("%q: probability %.2f, gaps %v", question, v.Probability, v.Gaps)
		}
	}
}
