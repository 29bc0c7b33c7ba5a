package redact

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// certainIn returns the parts of a text that rules need no other evidence for, in a note about a person.
func certainIn(text string) []string {
	const patient = "Patient: Anna Berg, MRN 4471882, DOB 13 March 1950.\n\n"
	e := newView(patient + text).evidence()
	var parts []string
	for i, p := range e.pieces {
		switch {
		case p.start < len(patient) || !e.certain[i]:
		case len(parts) > 0 && e.certain[i-1] && p.spaced:
			parts[len(parts)-1] += " " + p.text
		case len(parts) > 0 && e.certain[i-1]:
			parts[len(parts)-1] += p.text
		default:
			parts = append(parts, p.text)
		}
	}
	return parts
}

// TestForms: dates without a year, dictated numbers, feasts, labels and addresses are found by what stands around them.
func TestForms(t *testing.T) {
	for text, want := range map[string]string{
		"Last dose 12/30 at 1700.":                                  "12/30",
		"Seen 22.ii.24 in clinic.":                                  "22.ii.24",
		"Typed 15-v-24 by the secretary.":                           "15-v-24",
		"Hb was low on the 23rd.":                                   "23rd",
		"Clinics on 3-7 March are full.":                            "3-7 March",
		"His leave is 12, 14 and 19 May.":                           "19 May",
		"Wiedervorstellung KW 18 vereinbart.":                       "KW 18",
		"Stopped on the Sat after Thanksgiving.":                    "Sat after Thanksgiving",
		"Freitag vor Pfingsten gestürzt.":                           "Freitag vor Pfingsten",
		"起病于清明前一天。":                                                 "清明前一天",
		"date of birth the ninth of the eleventh seventy two":       "ninth of the eleventh seventy two",
		"geboren am siebzehnten jänner fünfundvierzig":              "siebzehnten jänner fünfundvierzig",
		"nacida el diecisiete de marzo de mil novecientos diez":     "diecisiete de marzo de mil novecientos diez",
		"mobile oh seven seven double oh nine five one two":         "oh seven seven double oh nine five one two",
		"tel null sechs sechs vier eins zwo drei vier":              "null sechs sechs vier eins zwo drei vier",
		"Geb. O1.O1.1979 laut Ausweis":                              "O1.O1.1979",
		"Badge WHP 318 of the escort":                               "WHP 318",
		"Aadhaar XXXX XXXX 4471":                                    "XXXX XXXX 4471",
		"Ring her on 0471-555 0168 ext 33.":                         "0471-555 0168 ext 33",
		"mail mechi.enfer (arroba) guardia.example.ar":              "mechi.enfer (arroba) guardia.example.ar",
		"She will be 96 in May.":                                    "96",
		"Cope, Ida *02.06.1934 MG-770018 on the list":               "02.06.1934",
		"| Name | Age | Bed |\n| Ida | 94 | 3 |":                    "94",
		"Herr Kern, 91 J: stabil":                                   "91",
		"2nd: ate well\n3rd: refused breakfast":                     "2nd",
		"| | 18.9 | 2.11 |\n|---|---|---|\n| Hb | 9,1 | 8,8 |":      "18.9 | 2.11",
		"| | may-23 | ago-23 |\n|---|---|---|\n| PSA | 4 | 6 |":     "may-23 | ago-23",
		"        07/02   08/02   10/02\nCRP     112     88      40": "07/02 08/02 10/02",
		"Tdap lot 7X2PQ given, vaccine lote AHBVC882.":              "7X2PQ | AHBVC882",
		"Lab No: H,25.0117734.K was repeated":                       "H,25.0117734.K",
		"vehículo matr. 4471 LKZ contra un árbol":                   "4471 LKZ",
		"AG Musterstadt, Az. 12 XIV 87/24 L":                        "12 XIV 87/24 L",
		"geb. 29.02.1932 (92), verwitwet":                           "92",
		"His mother lived to 97 and his aunt to 60.":                "97",
		"3  Cora Lind  91  F  hip":                                  "91",
		"|804|Nakai, June 97F|4102276|":                             "97",
	} {
		if got := certainIn(text); !strings.Contains(strings.Join(got, " | "), want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// TestDatesOfTheMonth: two numbers are a day and a month if the whole dates of the text are of that month, in either order.
func TestDatesOfTheMonth(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Admitted 4 March 2026. TURBT 7/3, drain out 9/3.", "4 March 2026 | 7/3 | 9/3"},
		{"Adm 03/04/2026 to 03/22/2026. Echo 3/7, home 3/9.", "03/04/2026 | 03/22/2026 | 3/7 | 3/9"},
		{"Admitted 4 March 2026. Reflexes 2/4, nodes 3/12, pain 7/10 and 3/10.", "4 March 2026"},
		{"Admitted 4 May 2026. Prednisolone 40/7 then 5/7.", "4 May 2026"},
		{"Born 2 July 1950, seen 4 March 2026. Hips 6/7 and 5/7.", "2 July 1950 | 4 March 2026"},
	} {
		if got := strings.Join(certainIn(c.text), " | "); got != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
	}
}

// TestNoForms: what looks like these and is none.
func TestNoForms(t *testing.T) {
	for _, text := range []string{
		"| | R | L |\n|---|---|---|\n| hip | 3/5 | 4/5 |\n| knee | 2/5 | 4/5 |",
		"        3/5   4/5   2/5\nhip     knee     ankle",
		"| dose | 8/8 | 10/10 | 12.5 |\n|---|---|---|---|",
		"HR 92  RR 18  sats 97 on air",
		"| | before | after | later |\n|---|---|---|---|\n| Hb | 13.1 | 7.4 | 9.8 |",
		"FVC   3.01   2.11   2.30",
		"**01:22** nursing note",
	} {
		if got := certainIn(text); len(got) > 0 {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// TestInitialsThatAreExplained: the key of a chart says whose they are, wherever they stand.
func TestInitialsThatAreExplained(t *testing.T) {
	const head, headRedacted = "Patient: Anna Berg, MRN 4471882, DOB 13 March 1950.\n\n", "Patient: [NAME-1], MRN [RECORD-1], DOB [DATE-1].\n\n"
	for _, c := range []struct{ text, want string }{
		{"0600  BG 187  2 u  DR\n0800  BG 143  0 u  MI\nDR = Dale Rourke, MI = Mary Ives", "0600  BG 187  2 u  [NAME-2]\n0800  BG 143  0 u  [NAME-3]\n[NAME-2] = [NAME-4], [NAME-3] = [NAME-5]"},
		{"Novorapid 4 u PA, 6 u PM.\nPA = Paula Ames, PM = Paul Marsh", "Novorapid 4 u [NAME-2], 6 u [NAME-3].\n[NAME-2] = [NAME-4], [NAME-3] = [NAME-5]"},
		{"Novorapid 4 u PA, 6 u PM.", "Novorapid 4 u PA, 6 u PM."},
	} {
		if got := Messages([]string{head + c.text}, Options{}).Messages[0]; got != headRedacted+c.want {
			t.Errorf("%q\n got %q\nwant %q", c.text, got, headRedacted+c.want)
		}
	}
}

// TestWholePlaces: no word of a place's name stays.
func TestWholePlaces(t *testing.T) {
	const head, headRedacted = "Patient: Anna Berg, MRN 4471882, DOB 13 March 1950.\n\n", "Patient: [NAME-1], MRN [RECORD-1], DOB [DATE-1].\n\n"
	for text, want := range map[string]string{
		"Seen at Castlebar lab last week.": "Seen at [PLACE-1] last week.",
		"Lives at Papatoetoe rooms.":       "Lives at [PLACE-1].",
		"Came in from Ti Kaye jetty.":      "Came in from [PLACE-1].",
		"Seen in the lab last week.":       "Seen in the lab last week.",
	} {
		if got := Messages([]string{head + text}, Options{}).Messages[0]; got != headRedacted+want {
			t.Errorf("%s\n got %q\nwant %q", text, got, headRedacted+want)
		}
	}
}

// TestDrugsAbroad: the names of drugs as German and Spanish write them.
func TestDrugsAbroad(t *testing.T) {
	for word, want := range map[string]bool{"losartán": true, "mirtazapin": true, "letrozol": true, "amiodarona": true, "martina": false, "gustavo": false, "kowalski": false} {
		if isDrug(word) != want {
			t.Errorf("%s: %v", word, !want)
		}
	}
}

// TestLookAlikes: scores, strengths, spans of time, rows of values and other numbers of medicine have the same forms.
func TestLookAlikes(t *testing.T) {
	for _, text := range []string{
		"Power 4/5 in the left arm.", "TOF 2/4 at the end.", "GCS 8/15 on arrival.", "Nodes: 2/7 positive.", "BiPAP 18/5 overnight.", "Review in 6/12.",
		"Cefalexin for 5/7.", "The 5th rib and the 7th.", "The 2nd dose was late.", "LTG 200-0-250 for now.", "AP 142/88, HR 98.", "CD34 CD117 positive.",
		"Christchurch is no feast, and the corpus is normal.", "She took one or two tablets.", "May 5 mg be given?", "pH 7.21, BE -6.1, lactate 3.5.", "WBC 11200, Plt 98.",
		"INR 1.1. OGTT at ten.", "Eliquis 5 bd and Pan 40 1-0-0.", "ID: F50.01 was coded.", "SpO2 94 on air, sats 96.",
	} {
		if got := certainIn(text); len(got) > 0 {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// TestPairsAlike: how many pairs have the same month and another day is what comparing all of them gives.
func TestPairsAlike(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for range 300 {
		fmt.Fprintf(&b, "%d%c%d ", 13+random.IntN(19), "/-"[random.IntN(2)], 1+random.IntN(12))
	}
	all := pairsOf(b.String(), nil)
	for i, p := range all {
		n, others := numbers(b.String()[p.start:p.end]), 0
		mark := strings.Trim(b.String()[p.start:p.end], "0123456789")
		for j, o := range all {
			part := b.String()[o.start:o.end]
			if m := numbers(part); j != i && m[1] == n[1] && m[0] != n[0] && strings.Contains(part, mark) {
				others++
			}
		}
		if p.alike != strconv.Itoa(min(others, 2)) {
			t.Errorf("%v: %s alike, want %d", n, p.alike, others)
		}
	}
	if len(all) != 300 {
		t.Errorf("%d pairs", len(all))
	}
}
