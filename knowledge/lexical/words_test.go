package lexical

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWords(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"The Beta-blocker (5 mg)", []string{"the", "beta", "blocker", "5", "mg"}},
		{"维生素B12缺乏？", []string{"维", "生", "素", "b12", "缺", "乏"}},
		{"Ménière’s", []string{"ménière", "s"}},
		{"，… ", nil},
	} {
		if diff := cmp.Diff(c.want, Words(c.text)); diff != "" {
			t.Errorf("Words(%q): %s", c.text, diff)
		}
	}
}
