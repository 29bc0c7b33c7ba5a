package plaintext

import (
	"fmt"
	"testing"
	"unicode/utf8"
)

func ExampleFold() {
	fmt.Println(Fold("“Take  one\ntablet” – daily"))
	// Output: "take one tablet" - daily
}

func ExampleClip() {
	fmt.Println(Clip("No dose is given for children.", 11))
	// Output: No dose is …
}

func TestSets(t *testing.T) {
	if got := Distinct([]string{"b", "a", "b"}); fmt.Sprint(got) != "[b a]" {
		t.Error(got)
	}
	if set := Set("one two  one"); len(set) != 2 || !set["two"] {
		t.Error(set)
	}
	if !HasHan("dose 剂量") || HasHan("dose") {
		t.Error("Han characters")
	}
}

func FuzzClip(f *testing.F) {
	f.Add("剂量 dose", 3)
	f.Fuzz(func(t *testing.T, text string, length int) {
		length &= 1<<10 - 1
		if !utf8.ValidString(text) {
			return
		}
		if cut := ClipBytes(text, length); len(cut) > length || text[:len(cut)] != cut {
			t.Errorf("%q cut to %d bytes is %q", text, length, cut)
		}
		if cut := Clip(text, length); utf8.RuneCountInString(cut) > length+1 {
			t.Errorf("%q cut to %d characters is %q", text, length, cut)
		}
	})
}
