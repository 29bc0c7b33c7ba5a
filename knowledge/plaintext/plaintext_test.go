package plaintext

import (
	"fmt"
	"strings"
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

func TestFindWords(t *testing.T) {
	for _, test := range []struct {
		text, words string
		want        string // what is found, or "" for nothing
	}{
		{"give  5\nmg twice", "5 mg", "5\nmg"},
		{"5 ml, 5 mg", "5 mg", "5 mg"},
		{"5mg", "5 mg", ""},
		{"none", "5 mg", ""},
		{"每六个月 校准一次。", "每六 个月 校准 一次。", "每六个月 校准一次。"},
		{"每 6个月", "每 6 个月", ""},
	} {
		start, end, found := FindWords(test.text, strings.Fields(test.words))
		if got := test.text[start:end]; found && got != test.want || found != (test.want != "") {
			t.Errorf("%q in %q: %q, %v", test.words, test.text, got, found)
		}
	}
}
