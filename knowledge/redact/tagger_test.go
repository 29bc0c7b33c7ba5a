package redact

import (
	"math"
	"strings"
	"testing"
)

// TestMarginals compares the forward-backward sums with those over all sequences of labels.
func TestMarginals(t *testing.T) {
	scores := [][labelCount]float64{{0.3, 1, -2}, {0, 0.5, 0.7, 2}, {-1, 700, 699}} // large ones must not overflow
	follows := [labelCount][labelCount]float64{{1, -1}, {-0.5, 2, 0.1}, {0, 0, 0, 0.9}}
	var want [3][labelCount]float64
	total := 0.0
	for a := range labelCount {
		for b := range labelCount {
			for c := range labelCount {
				p := math.Exp(scores[0][a] + scores[1][b] + scores[2][c] - 700 + follows[a][b] + follows[b][c])
				want[0][a] += p
				want[1][b] += p
				want[2][c] += p
				total += p
			}
		}
	}
	for i, row := range marginals(scores, &follows) {
		for l, got := range row {
			if math.Abs(got-want[i][l]/total) > 1e-9 {
				t.Errorf("piece %d, label %c: %g, want %g", i, labelLetters[l], got, want[i][l]/total)
			}
		}
	}
	if got := marginals(nil, &follows); len(got) != 0 {
		t.Errorf("of nothing %v", got)
	}
}

// TestPieces: every byte that is no white space belongs to one piece.
func TestPieces(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "",
		"Dr O'Neil, 12/03":        "Dr O ' Neil , 12 / 03",
		"患者王小明3岁":                 "患 者 王 小 明 3 岁",
		"a\tb\nc\xffd":            "a b \n c \xff d",
		"Müller-Lüdenscheidt x²é": "Müller - Lüdenscheidt x ² é",
	} {
		var got []string
		for _, p := range pieces(text) {
			got = append(got, p.text)
		}
		if joined := strings.Join(got, " "); joined != want {
			t.Errorf("%q: %q, want %q", text, joined, want)
		}
	}
}

// TestNumbersOfMedicineStay: scores, codes and spans of time look like dates and record numbers.
func TestNumbersOfMedicineStay(t *testing.T) {
	const patient = "Mrs Hartwell, MRN 4471882, was seen on 3 March 2024. "
	for _, line := range []string{
		"Apgar 9/9/10 at birth.", "Apgar 9-10-10 at birth.", "Goal INR 2-3 on coumadin.", "0400: Hgb 10.6. 0800: 9.9.", "C: BP 88/50, then 104/66.", "Wt 4.62 kg (25th), L 55.1 (50th), OFC 38.0 (25th-50th).", "Clarithromycin for 5/7.", "SNOMED 44054006 was coded.", "Type 3 may include seizures.", "BP 118-134/70-80 at home.", "TA 13/9 y 14/9, luego TA 16/9–13/7.", "Levodopa 1 1/2 - 1 - 1 1/2 - 1/2 at six.", "WBC 9/12/10.4 now.", "OKT3 5 mg for 10 days.", "Thickened 5-10-20 ml, no cough.", "Feeds at 7/11/15/19 hours.", "WBC 11200 today.",
		"Novorapid 8/8/10 units.", "The shift 0700-1930 was quiet.", "Cord pH 7.21/7.30.", "Review in 6/12.", `{"code":"372897005"}`, "Coded by 2.16.840.1.113883.6.96 here.",
	} {
		if got := Messages([]string{patient + line}, Options{}).Messages[0]; !strings.HasSuffix(got, line) {
			t.Errorf("%s became %s", line, got)
		}
	}
}

// TestWholeIdentifiers: what a rule found is replaced whole, and a telephone number behind "ph" is no pH.
func TestWholeIdentifiers(t *testing.T) {
	for text, left := range map[string]string{
		"Mrs Hartwell, MRN 4471882, is due on Monday, the 3rd of March.": "Monday the of March 3rd",
		"Mrs Hartwell, MRN 4471882. NOK ph 0491 570 156.":                "0491 570 156",
		"Mrs Hartwell, MRN 4471882. Seen FRI 2/28 0930 by cardiology.":   "FRI 28",
	} {
		got := Messages([]string{text}, Options{}).Messages[0]
		for _, part := range strings.Fields(left) {
			if strings.Contains(" "+got+" ", " "+part+" ") {
				t.Errorf("%s became %s", text, got)
			}
		}
	}
}

// TestNamesThatAreWords: such a name is replaced again only where it does not stand as the word.
func TestNamesThatAreWords(t *testing.T) {
	got := Messages([]string{"Herr Sommer, geb. 3.4.1952, wurde gesehen. Im Sommer ging es Herrn Sommer besser."}, Options{}).Messages[0]
	if strings.Count(got, "Sommer") != 1 || !strings.Contains(got, "Im Sommer ging") {
		t.Error(got)
	}
}

// TestLooksLike: words of no list are told by their letters.
func TestLooksLike(t *testing.T) {
	for word, want := range map[string]bool{"nkemelu": true, "featherstonhaugh": true, "echezarreta": true, "vyxeos": false, "caphosol": false, "salbutral": false} {
		if got := looksLike(word); got == "" || got == "0" || strings.HasPrefix(got, "-") == want {
			t.Errorf("%s: %s", word, got)
		}
	}
	if got := looksLike("koh"); got != "" {
		t.Errorf("a short word: %s", got)
	}
}
