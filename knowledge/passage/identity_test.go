package passage

import "testing"

// A passage is what it says under which title and headings, wherever its file lies.
func TestIdentify(t *testing.T) {
	identity := func(name string, change func(*Passage)) ID {
		p := Passage{Kind: Text, Record: "a.md", Title: "Orvanta 3", Headings: []string{"Dose", "Kidneys"}, Section: "Kidneys", Text: "No adjustment is needed."}
		change(&p)
		p.Identify(name)
		if !p.Has(p.ID) || !p.Has(p.Bare()) || p.ID.Text() != p.Bare().Text() {
			t.Errorf("%+v does not have its own identity", p)
		}
		return p.ID
	}
	plain := identity("", func(*Passage) {})
	for _, c := range []struct {
		name   string
		row    string
		change func(*Passage)
		same   bool // the identity
		says   bool // the same
	}{
		{"another file", "", func(p *Passage) { p.Record, p.Place.File = "b/c.md", "/b/c.md" }, true, true},
		{"other white space", "", func(p *Passage) { p.Title, p.Text = "Orvanta  3", "No adjustment\nis needed." }, true, true},
		{"another title", "", func(p *Passage) { p.Title = "Orvanta 4" }, false, true},
		{"another heading", "", func(p *Passage) { p.Headings = []string{"Dose", "Liver"} }, false, true},
		{"headings cut elsewhere", "", func(p *Passage) { p.Headings = []string{"Dose Kidneys"} }, false, true},
		{"a row of that name", "r1", func(*Passage) {}, false, true},
		{"another text", "", func(p *Passage) { p.Text = "It is halved." }, false, false},
		{"a stored question", "", func(p *Passage) { p.Kind, p.Question = QA, "Is it changed?" }, false, false},
	} {
		if got := identity(c.row, c.change); (got == plain) != c.same || (got.Text() == plain.Text()) != c.says {
			t.Errorf("%s: %v beside %v", c.name, got, plain)
		}
	}
	bare := Passage{Kind: Text, Text: "No adjustment is needed."}
	if bare.Identify(""); bare.ID != IDOf(bare.Text) {
		t.Error("what stands under nothing is not its text alone")
	}
	if id, err := ParseID(plain.String()); id != plain || err != nil {
		t.Errorf("%v reads back as %v, %v", plain, id, err)
	}
}
