package eval

import "testing"

func TestChoiceMeasures(t *testing.T) {
	measures := ChoiceMeasures([]Chosen{
		{"A", "A"}, {"B", "A"}, {"", "A"}, {"B", "B"}, {"C", "A"},
	})
	for i, want := range []struct {
		name  string
		value float64
	}{{"accuracy", .4}, {"unparsed", .2}, {"majority letter", .8}} {
		if m := measures[i]; m.Name != want.name || !near(m.Value, want.value) || m.N != 5 {
			t.Errorf("%s is %v of %d, want %s %v of 5", m.Name, m.Value, m.N, want.name, want.value)
		}
		if m := measures[i]; m.Low > m.Value || m.High < m.Value {
			t.Errorf("%s: %v is outside [%v, %v]", m.Name, m.Value, m.Low, m.High)
		}
	}
}

// TestNothingReadAgainstNothingKnown: a question without a gold letter is never answered right.
func TestNothingReadAgainstNothingKnown(t *testing.T) {
	if m := ChoiceMeasures([]Chosen{{"", ""}}); m[0].Value != 0 || m[1].Value != 1 {
		t.Errorf("accuracy %v, unparsed %v", m[0].Value, m[1].Value)
	}
}
