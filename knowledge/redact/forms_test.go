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
		"Last dose 12/30 at 1700.":                                                      "12/30",
		"Seen 2023 / 6 / 14 in clinic.":                                                 "2023 / 6 / 14",
		"Dictated 06 · 12 · 2023.":                                                      "06 · 12 · 2023",
		"SPECT at 24 h on 15.xi please.":                                                "15.xi",
		"Rückruf 21. VIII unter der Nummer":                                             "21. VIII",
		"MRT vom 5. d. M. liegt vor":                                                    "5. d. M.",
		"Your letter of the 15th ult. is here":                                          "15th ult.",
		"StA: 520 Js 14402/23 wegen des Sturzes":                                        "520 Js 14402/23",
		"AG Celle, 12 F 411/23 ist anhängig":                                            "12 F 411/23",
		"Begleitschein 77-018 fehlt":                                                    "77-018",
		"[6:42 PM] drquill: vaccinated?":                                                "drquill",
		"Seen 22.ii.24 in clinic.":                                                      "22.ii.24",
		"Typed 15-v-24 by the secretary.":                                               "15-v-24",
		"Hb was low on the 23rd.":                                                       "23rd",
		"Clinics on 3-7 March are full.":                                                "3-7 March",
		"His leave is 12, 14 and 19 May.":                                               "19 May",
		"Wiedervorstellung KW 18 vereinbart.":                                           "KW 18",
		"Stopped on the Sat after Thanksgiving.":                                        "Sat after Thanksgiving",
		"Freitag vor Pfingsten gestürzt.":                                               "Freitag vor Pfingsten",
		"起病于清明前一天。":                                                                     "清明前一天",
		"date of birth the ninth of the eleventh seventy two":                           "ninth of the eleventh seventy two",
		"geboren am siebzehnten jänner fünfundvierzig":                                  "siebzehnten jänner fünfundvierzig",
		"nacida el diecisiete de marzo de mil novecientos diez":                         "diecisiete de marzo de mil novecientos diez",
		"mobile oh seven seven double oh nine five one two":                             "oh seven seven double oh nine five one two",
		"tel null sechs sechs vier eins zwo drei vier":                                  "null sechs sechs vier eins zwo drei vier",
		"Geb. O1.O1.1979 laut Ausweis":                                                  "O1.O1.1979",
		"Badge WHP 318 of the escort":                                                   "WHP 318",
		"Aadhaar XXXX XXXX 4471":                                                        "XXXX XXXX 4471",
		"Ring her on 0471-555 0168 ext 33.":                                             "0471-555 0168 ext 33",
		"mail mechi.enfer (arroba) guardia.example.ar":                                  "mechi.enfer (arroba) guardia.example.ar",
		"She will be 96 in May.":                                                        "96",
		"Cope, Ida *02.06.1934 MG-770018 on the list":                                   "02.06.1934",
		"| Name | Age | Bed |\n| Ida | 94 | 3 |":                                        "94",
		"Herr Kern, 91 J: stabil":                                                       "91",
		"2nd: ate well\n3rd: refused breakfast":                                         "2nd",
		"| | 18.9 | 2.11 |\n|---|---|---|\n| Hb | 9,1 | 8,8 |":                          "18.9 | 2.11",
		"| | may-23 | ago-23 |\n|---|---|---|\n| PSA | 4 | 6 |":                         "may-23 | ago-23",
		"        07/02   08/02   10/02\nCRP     112     88      40":                     "07/02 08/02 10/02",
		"Tdap lot 7X2PQ given, vaccine lote AHBVC882.":                                  "7X2PQ | AHBVC882",
		"Lab No: H,25.0117734.K was repeated":                                           "H,25.0117734.K",
		"vehículo matr. 4471 LKZ contra un árbol":                                       "4471 LKZ",
		"AG Musterstadt, Az. 12 XIV 87/24 L":                                            "12 XIV 87/24 L",
		"geb. 29.02.1932 (92), verwitwet":                                               "92",
		"His mother lived to 97 and his aunt to 60.":                                    "97",
		"3  Cora Lind  91  F  hip":                                                      "91",
		"|804|Nakai, June 97F|4102276|":                                                 "97",
		"Her sister 95 is well, her mother d. 98.":                                      "95 | 98",
		"Verified by dtorres 06:31":                                                     "dtorres",
		"D: 8/5/24  T: 8/6/24   RK:dms   Job 448":                                       "RK:dms",
		"vehicle CFKD 318 rear-ended":                                                   "CFKD 318",
		"diary scanned as 1104_0027_diary_C2.pdf":                                       "1104_0027_diary_C2.pdf",
		"angio 2/19, hold metformin 2/19-2/21, load 2/18":                               "2/19 | 2/19-2/21 | 2/18",
		"Seen 3/14/2091. Methylprednisolone 5/16, 17, 18.":                              "5/16, 17, 18",
		"Steroid into the knee Apr 12 40/4 today.":                                      "Apr 12",
		"Patient DOB 5-l7-51, lives alone":                                              "5-l7-51",
		"Start of the headache UNK-FEB-2024, ongoing":                                   "UNK-FEB-2024",
		"Run 22MAR2024:06:00:14 by the batch":                                           "22MAR2024:06:00:14",
		"Se lo dije el vie 12, y vuelve.":                                               "vie 12",
		"Lo recibe el jueves día 5, sobre las 17 h.":                                    "jueves día 5",
		"Lima, a los 15 días del mes de marzo de 2024.":                                 "15 días del mes de marzo de 2024",
		"Citología del dieciséis del once del veintidós, normal":                        "dieciséis del once del veintidós",
		"Headache since St. Pat's, worse on April Fools'.":                              "St. Pat's | April Fools",
		"患者王芳，儿科复诊 2025-03-22 周六 上午":                                                    "2025-03-22 周六",
		"患者王芳，去年农历十月黄疸一次。":                                                              "去年农历十月",
		"Paciente: Ana Gil\nL 4/11: bien, afebril\nJ 7/11: alta":                        "L 4/11 | J 7/11",
		"Alta el día de San José a petición, mismo día 5.":                              "día de San José | día 5",
		"Furosemida retirada el 1/3 por la tarde.":                                      "1/3",
		"Ana Gil, última revisión IX-2023, ingreso 15-22/5/22 (SE 20), control día 18.": "15-22/5/22 | SE 20 | día 18",
		"Nochebuena M. aseo en cama.":                                                   "Nochebuena",
		"Paciente: Ana Gil\nL 3 bien\nM 4 igual\nX 5 alta":                              "L 3 | M 4 | X 5",
		"Cita con Ana Gil: lu 21, revisión dom 17, vier 9.":                             "lu 21 | dom 17 | vier 9",
		"患者2023年3月至8月化疗。":                                                               "2023年3月至8月",
		"2024-05-08T07:20:11   jdoering   view lab":                                     "jdoering",
		"drwxr-x--- 3 kmiller3 tide  4096 Mar 11 scans":                                 "kmiller3",
		"9/22 Sun  off warfarin\n9/24 Tue  INR":                                         "9/22 Sun | 9/24 Tue",
		"Schicht 11.02.23/12.02.23 im Labor":                                            "11.02.23/12.02.23",
		"Stay 2024-05-02/2024-05-09, uneventful":                                        "2024-05-02/2024-05-09",
		"Serologías (feb, jun y sept) negativas":                                        "feb, jun y sept",
		"Given 3 Oct 20 mg and again":                                                   "3 Oct",
		"Última crisis ago-97, controlada":                                              "ago-97",
		"Ingresó el 4.IX por fiebre":                                                    "4.IX",
		"患者李明，十三日晚发热，十七日早出院":                                                            "十三日 | 十七日",
		"患者生日民國39/12/5，健保":                                                              "民国39/12/5",
		"患者李明，随访23-8-7正常":                                                               "23-8-7",
		"患者李明，今日7/9 周二查房":                                                               "7/9 周二",
		"Retiro grapas 20-may en consulta":                                              "20-may",
		"Ward round on 1.8.: afebrile, no pain at all":                                  "1.8.",
		"Cultures, put UNK-MAR for the onset":                                           "UNK-MAR",
		"Sleep study, night of 16th/17th: 58 events":                                    "16th/17th",
		"Verlauf bei mir in der 28. KW, PSA vorher":                                     "28. KW",
		"13. FD  Temp 37,4. Isst wieder\n14. SD  keine Besonderheiten":                  "13. | 14.",
		"Fecha Agosto 30/13, control dental":                                            "Agosto 30/13",
		"Vascular Center, 10.18 (Tu), hold heparin":                                     "10.18 (Tu)",
		"Creat 131 on 5/7, 149 on 2/8, better":                                          "5/7 | 2/8",
		"adm 3/4-3/8 CHF, midwife for 30/3-1/4 is Mele":                                 "3/4-3/8 | 30/3-1/4",
		"M 6 5.1 8.2\nTu 7 4.1 13.3\nW 8 12.7 9.1":                                      "M 6 | Tu 7 | W 8",
		"已重约9号。七月半前回来":                                                                  "七月半",
		"Cole, Odessa   MR 55-20-918, progress note":                                    "55-20-918",
		"Mamani, Saturnina   H.C. 1147   edad 38":                                       "1147",
		"Paciente trasladada, ficha clínica n.º 60.117, control":                        "60.117",
		"Liver biopsy done (Slide HP 2214/09) cholestatic":                              "HP 2214/09",
		"PKW des Pat. (MU 48 KL) bleibt am Parkplatz":                                   "MU 48 KL",
		"Salen en ambulancia EUC-882 con la paciente":                                   "EUC-882",
		"Daughter informed HP 9555 0147, coming":                                        "9555 0147",
		"Aviso an Dr. Fössl, KL. 2210":                                                  "2210",
		"Ephraim Dlug, M.D.\nED:kpl   D: noted\n":                                       "ED:kpl",
		"bloods 14/9, last levomepromazine 19/9":                                        "14/9 | 19/9",
		"Last seen New Year's Eve, well since":                                          "New Year's Eve",
	} {
		if got := certainIn(text); !strings.Contains(strings.Join(got, " | "), want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// TestMonthsWithAYear: behind an operation, a drug or a side, too; who writes the day first counts weeks so.
func TestMonthsWithAYear(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Seen 3/14/2099. R fem-pop 9/96, TKR L 11/88, cefepime 2/97.", "3/14/2099 | 9/96 | 11/88 | 2/97"},
		{"Seen 3/14/2003. Attacks: 8/99 and 2/98.", "3/14/2003 | 8/99 | 2/98"},
		{"Seen 3/14/2075. Surgery due 6/77. Berg 12/56, BiPAP 12/60.", "3/14/2075 | 6/77"},
		{"DOB 2/29/68. Seen 3/14/2034 for ERG 5/33, H/H 12/37.", "2/29/68 | 3/14/2034 | 5/33"},
		{"Seen 11-20-98. Fusion C5-6 3-84, units 4-40.", "11-20-98 | 3-84"},
		{"Seen 14/3/2060. Cough 3/52, 7/40 weeks.", "14/3/2060"},
	} {
		if got := strings.Join(certainIn(c.text), " | "); got != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
	}
}

// TestParticipants: the people of a study are numbers, if the text is of one.
func TestParticipants(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Interview, caregiver arm.\nP07: It was dark.\nI: Yes?\nP07: Quite.", "P07 | P07"},
		{"Subject  visit\n31-004   C1D1\n31-007   C2D15", "31-004 | 31-007"},
		{"Platelets 150-400, then 150-410.\nP1: wait\nP1: ask", ""},
		{"Screening: glucose 100-120, later 100-140. Smoked 1990-2001 and 1990-2010.", ""},
	} {
		if got := strings.Join(certainIn(c.text), " | "); got != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
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
		"L 4/5\nL 3/5 hip",
		"Fractura del 1/3 distal, el 1/3 inferior duele.",
		"Paciente: Ana Gil, el día 5 de ingreso, hasta el día 8 del ciclo.",
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
		{"Spoke to Dr. Rebecca Drew, seen by Dr. Maria Drew, MD.", "Spoke to Dr. [NAME-2], seen by Dr. [NAME-3], MD."},
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
		"Septic shock 2/2 urosepsis.", "2/6 SEM at the apex, 1/2 tab nightly, needs 24/7 cover.", "L4-L5-S1 fused.", "G4P3003 with a 2/3 vessel runoff.", "肌力3/5级。",
		"A role in maintaining weight, by generating heat in general.", "Mean age 44.07 with 11.91 years of school.", "the protein C/EBPα binds", "C/EBP-Induced Transdifferentiation of B cells",
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

// TestOrderOfADate: the middle of 2/19-2/21 is no date in the other order.
func TestOrderOfADate(t *testing.T) {
	for text, want := range map[string]dayForms{
		"hold 2/19-2/21, CT 2/26":                  {month: true, sure: 2},
		"seen 14/7 and 19/9":                       {day: true, sure: 2},
		"seen 3/4/2026 and 17/4/26":                {day: true, sure: 2},
		"seen 4/3/2026 and 4/17/26":                {month: true, sure: 2},
		"power 4/5, seen 3/4":                      {day: true, month: true},
		"gesehen 14.3., MDQ 3/13":                  {day: true, month: true},
		"3-16-71, HC 20/10/10, out 3/14, due 3/19": {month: true, sure: 2},
	} {
		got := formsOf(text)
		if got.sure = min(got.sure, 2); got != want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
}

// TestWholeNumber: what is found of a number is extended to all of it, and to nothing else.
func TestWholeNumber(t *testing.T) {
	for _, c := range []struct{ text, found, want string }{
		{"sent NP22/03318 today", "/03318", "NP22/03318"},
		{"core HB25-0617, pain", "0617", "HB25-0617"},
		{"jar BRTH-S-31.", "BRTH", "BRTH-S-31"},
		{"card AB 613874.", "AB", "AB 613874"},
		{"Anna Berg  RPH 104 882", "104 882", "RPH 104 882"},
		{"ID 4471882-B seen", "4471882", "4471882-B"},
		{"MRN 4471882 seen", "4471882", "4471882"},
		{"no. 4471882/day three", "4471882", "4471882"},
		{"BP, HR 104 882", "104 882", "104 882"},
	} {
		at := strings.Index(c.text, c.found)
		start, end := wholeNumber(c.text, at, at+len(c.found))
		if got := c.text[start:end]; got != c.want {
			t.Errorf("%s: %q of %q, want %q", c.text, got, c.found, c.want)
		}
	}
}

// TestDiary: weekdays that begin lines have days if these fit, in any order; the doses of a week do not.
func TestDiary(t *testing.T) {
	for text, want := range map[string]int{
		"M 6 fiebre\nX 8 tos\nJ 9 mejor":           3,
		"V 27 control\nJ 26 control\nX 25 ingreso": 3,
		"Th 30 5.5\nF 31 6.2\nSa 1 16.8\nSu 2 8.1": 4,
		"Mo 5\nDi 10\nMi 15\nDo 20":                0,
		"Mon 5\nTue 4\nWed 5\nThu 4":               0,
		"Mo 4 Rö\nDi 5 OP":                         0,
	} {
		if got := len(diary(text)); got != want {
			t.Errorf("%q: %d days, want %d", text, got, want)
		}
	}
}

// TestWholeDatesAndNames: dates are extended to their weekdays, names to initials and to what hyphens join.
func TestWholeDatesAndNames(t *testing.T) {
	for _, c := range []struct {
		text, found, want string
		whole             func(text string, start, end int) (int, int)
	}{
		{"Wiedervorstellung Dienstag, den 19.03.24", "19.03.24", "Dienstag, den 19.03.24", withWeekday},
		{"sturz so 18.2., hämatom", "18.2.", "so 18.2.", withWeekday},
		{"OP-PLAN DI 26.03.2024", "26.03.2024", "DI 26.03.2024", withWeekday},
		{"so 18/2 it was", "18/2", "18/2", withWeekday},
		{"change M 3/18.", "3/18", "3/18", withWeekday},
		{"VAC, M 3/18.", "3/18", "M 3/18", withWeekday},
		{"Th 9 Jan 2025: nurse", "9 Jan 2025", "Th 9 Jan 2025", withWeekday},
		{"术日 11.8(周五)", "11.8", "11.8(周五)", withWeekday},
		{"seen 14/3 (Thu), well", "14/3", "14/3 (Thu)", withWeekday},
		{"r. mochales, enf.", "mochales", "r. mochales", wholeName},
		{"with vitamin D. Smith said", "Smith", "Smith", wholeName},
		{"fr ebner-lahm (wach)", "ebner", "ebner-lahm", wholeName},
		{"Oscar B-W y3", "Oscar B", "Oscar B-W", wholeName},
		{"Baker-Zyste links", "Baker", "Baker", wholeName},
		{"Smith's wife", "Smith", "Smith", wholeName},
	} {
		at := strings.Index(c.text, c.found)
		start, end := c.whole(c.text, at, at+len(c.found))
		if got := c.text[start:end]; got != c.want {
			t.Errorf("%s: %q of %q, want %q", c.text, got, c.found, c.want)
		}
	}
}

// TestCounts: two numbers that are a day and a month by all that stands before them, and none by what they count.
func TestCounts(t *testing.T) {
	const head, headRedacted = "Patient: Anna Berg, MRN 4471882, DOB 3/13/1950. Seen 4/2/2026.\n\n", "Patient: [NAME-1], MRN [RECORD-1], DOB [DATE-1]. Seen [DATE-2].\n\n"
	for _, text := range []string{
		"JVP 9, 2/6 HSM at the apex.", "Warfarin 1/2 tab on Sundays.", "Septic shock 2/2 urosepsis.", "Needs 24/7 supervision.",
		"Wrist extension of 4/5 bilaterally.", "Limbs 3/5 proximal, 4/5 distal.", "Pain 4/10 on average and 7/10 at worst.", "Injected with (99m)Tc-HMPAO.",
		"Bisoprolol 2.5 mg 1/2-0-1/2.", "At 31 3/7 weeks, no bleeding.", "TCbHP 第3/6疗程。", "右下肢肌力 2/5。", "Biopsy of 3/3 cores.", "Continuous TC 24/7, then nights.", "Inv: Hb 10.9, TC 13,200.", "Backed over by a truck. GCS 14/15.", "Kein Fieber, K 4.1. Torasemid weiter.", "Lost his phone. BP 160/100.", "Echo: grade 2 AR 45 %.", "备7号管与5号喉罩。",
	} {
		if got := Messages([]string{head + text}, Options{}).Messages[0]; got != headRedacted+text {
			t.Errorf("%s\n became %s", text, got)
		}
	}
}

// TestThingsHaveNumbers: a short number in a text about nobody is that of a thing.
func TestThingsHaveNumbers(t *testing.T) {
	for _, text := range []string{"Nothing on porcelain no. 104 is listed.", "Nothing on porcelain no. 104"} {
		if got := Messages([]string{text}, Options{}).Messages[0]; got != text {
			t.Errorf("%s\n became %s", text, got)
		}
	}
}

// TestRules: what one rule finds, or none.
func TestRules(t *testing.T) {
	for _, c := range []struct{ text, rule, want string }{
		{"Patient: Anna Berg, prednisone 40 mg 1/21-23, 20 mg 1/24-26, seen 2/13/24", "days of one month", "1/21-23|1/24-26"},
		{"Mr Peter Berg is off 27-31/5, seen 14/5/24", "days of one month", "27-31/5"},
		{"Patient: Anna Berg, seen 2/13/24, off 27-31/5", "days of one month", ""},
		{"Patient: Anna Berg, bisoprolol 1/2-0-1", "days of one month", ""},
		{"患者王芳，BISAP 21日 2分，术后3日", "day, Chinese, alone", "21日"},
		{"患者王芳，14-17日地塞米松；8-9日 80mg，每3日一次，14日龄", "day, Chinese, alone", "14-17日|8-9日"},
		{"Paciente: Anna Berg. Control el 16.\nAlta mañana 17 a las 2, el 50 %", "day, Spanish, alone", "16|17"},
		{"患者王芳，Femara 111/12 起，BP 112/80", "month of the Minguo calendar", "111/12"},
		{"患者王芳，113/3/11-113/3/14 用药", "Minguo", "113/3/11-113/3/14"},
		{"住院醫師：宋亦安  醫字第099317號", "licence, Chinese", "医字第099317号"},
		{"Patient: Anna Berg, MenB L ABX74D, PCV13 GM0041, Tdap IM", "lot behind its vaccine", "ABX74D|GM0041"},
		{"Frau Anna Kern, 22+6 120/70 67.2", "phone, international", ""},
		{"Patient: Anna Berg, saved as quillgate_y_ctpa_v2, column bed_no, mean_score", "name of a user, with a line", "quillgate_y"},
		{"Patient: Anna Berg\n[6:42 PM] doctor: dose?\n[6:43 PM] drquill: 4 mg", "name in a chat", "drquill"},
		{"Anna Berg was ninety-seven on Monday, and was ninety minutes late", "age, in words", "ninety-seven"},
		{"Patient: Anna Berg, seen 4/2/1997, MI in 2/97, CABG 7/71, VA 6/60", "month and year of the text", "2/97|7/71"},
		{"Patient: Anna Berg, seen 4/22/1997, MI in 2/97, G2 at 12/40, nodes 3/22, echo 1/02", "month and year, month first", "2/97|1/02"},
		{"Patient: Anna Berg, seen 9 ix 29, given 2 iv 20 mg, grade iii", "Roman month", "9 ix 29"},
		{"Patient: Anna Berg, seen 4 May 2031, Ca 3 March 2030, INR 2-3", "day, month by name", "4 May 2031|3 March 2030"},
		{"患者王芳，2029年冬住院，二〇三〇年春季复查，2031年春节返家", "Chinese", "2029年冬|二〇三〇年春季|王芳|王芳"},
		{"Paciente: Anna Berg, cura 4-III, grado III-IV", "Roman month, joined", "4-III"},
		{"Paciente: Anna Berg\n29/VII TM", "Roman month, joined", "29/VII"},
		{"Paciente: Anna Berg, alta 14 - V - 2024", "Roman month, joined", "14 - V - 2024"},
		{"Patient: Anna Berg, OP-Nr. 24-V-1187", "Roman month, joined", ""},
		{"Patient: Anna Berg, on aldactone 25 - I cut it", "Roman month, joined", ""},
		{"Patient: Anna Berg on host gsdata03, station 14, server mirth-prod01", "host, labelled", "gsdata03|mirth-prod01"},
		{`Patient: Anna Berg, saved in \\nas-cardio\DAI today`, "host of a share", `\\nas-cardio\DAI`},
		{"Patient: Anna Berg, cart TS-CART2.ludbury.example", "host", "TS-CART2.ludbury.example"},
		{"Patient: Anna Berg, GPS 49.8417 N, 10.2209 E", "coordinates", "49.8417 N, 10.2209 E"},
		{"Patient: Anna Berg, ABG pH 7.32 / 6.1 / 9.4 / 23", "phone, labelled", ""},
		{"patient: anna berg, bett 3 fr fuß, verband am linken fuß, fr ist wach, er hat schmerzen", "title, small", "fuß|fuß"},
		{"Patientin Anna Berg, Elifs Mutter bleibt", "genitive", "Elifs|Elifs"},
		{"Patient: Anna Berg, audiogram 20-20-25-40-55-60", "MAC", ""},
	} {
		text := newView(c.text).text
		var found []string
		for _, h := range findIn(text, personalParts) {
			if h.rule == c.rule {
				found = append(found, text[h.start:h.end])
			}
		}
		if got := strings.Join(found, "|"); got != c.want {
			t.Errorf("%s: %s finds %q, want %q", c.text, c.rule, got, c.want)
		}
	}
}

// TestJoinedLines: lines that go on in the next one are joined, and none is left out between them.
func TestJoinedLines(t *testing.T) {
	const asked, about, last = "Es fragt die Stationsapothekerin Lore Ambach, DECT 5-3307", "betrifft eine Patientin mit 44 kg und einer Frage an die Apotheke", "4 von 5 Ampullen fehlen, sie werden am Freitag geliefert und sofort"
	text := asked + "\n" + about + "\n1) Apixaban 2 x 2,5 mg\n" + last + "\ngebraucht"
	j, ok := newView(text).joined()
	if want := asked + " " + about + "\n" + last + " gebraucht\n"; !ok || j.text != want {
		t.Errorf("%q, want %q", j.text, want)
	}
}

// TestSeries: a row of values has no number of somebody.
func TestSeries(t *testing.T) {
	for text, want := range map[string]string{
		"Na\t131\t133\t134\t136": "131 133 134 136",
		"Na\t131\t133":           "",
		"Anna Berg 131 133 134":  "",
		"no.\t4471882\t131\t133": "",
	} {
		e := newView(text).evidence()
		var found []string
		for i, p := range e.pieces {
			if e.isSeries(text, i) {
				found = append(found, p.text)
			}
		}
		if got := strings.Join(found, " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestPairsOfAText: what the rest of a text says of two numbers.
func TestPairsOfAText(t *testing.T) {
	for _, c := range []struct {
		text, found string
		want        func(p pair) string
		is          string
	}{
		{"2/5 INR 3.6\n2/12 INR 2.9\n3/4 INR 2.2", "2/12", func(p pair) string { return p.lines }, "3"},
		{"INR on 2/5", "2/5", func(p pair) string { return p.lines }, ""},
		{"Cr\t14.9\t13.8\t11.9", "13.8", func(p pair) string { return p.row }, "2"},
		{"患者王芳\t10.25\t10.27\t10.29", "10.27", func(p pair) string { return p.row }, "2 ascending"},
		{"患者王芳，7.15、8.6、8.28", "8.6", func(p pair) string { return p.row }, "2 ascending"},
		{"Seen 14.3.2024, resection 11/22", "11/22", func(p pair) string { return p.year }, "recent"},
		{"Seen 14.3.2024, power 4/5", "4/5", func(p pair) string { return p.marks }, "other"},
		{"Seen 3/14/2024 and 3/16", "3/16", func(p pair) string { return p.marks }, "own"},
		{"Seen 3/14/2024, out on 3/16, 3/18 CT", "3/18", func(p pair) string { return p.ruled }, "1"},
	} {
		text := newView(c.text).text
		ok := false
		for _, p := range pairsOf(text, findIn(text, personalParts)) {
			if text[p.start:p.end] == c.found {
				ok = true
				if got := c.want(p.pair); got != c.is {
					t.Errorf("%s: of %s %q, want %q", c.text, c.found, got, c.is)
				}
			}
		}
		if !ok {
			t.Errorf("%s: no pair %s", c.text, c.found)
		}
	}
}

// TestNearDay: a number near to a day of the text's dates.
func TestNearDay(t *testing.T) {
	for text, want := range map[string]string{
		"Frau Anna Kern, Hüftsono 14., OAE am 13. und 12.3.2024":   "next",
		"Frau Anna Kern, Hüftsono 14., geboren am 2.3.1950":        "far",
		"Patient: Anna Berg, seen March 12, 2024, cycle 14 of 20":  "near",
		"患者王芳，住院号 4471882，3月14日入院，14日手术":                           "same",
		"Paciente: Anna Berg. Ingreso 12/3/2024, control el 14.":   "near",
		"Patient: Anna Berg, seen 3/12/2024 and 12/3/2024, bed 14": "near",
	} {
		text = newView(text).text
		c := &context{days: daysOf(text, findIn(text, personalParts))}
		if got := c.nearDay(14); got != want {
			t.Errorf("%s: %s of %v, want %s", text, got, c.days, want)
		}
	}
}

// TestWholeDates: a date is replaced with the sign of its day or its month, and a year alone is none.
func TestWholeDates(t *testing.T) {
	for _, c := range []struct{ text, found, want string }{ // found in the text, and what is replaced
		{"已重约9号", "号", "9号"},
		{"下次12月", "月", "12月"},
		{"中華民國113年12月25日", "華民國113年12月25日", "中華民國113年12月25日"},
		{"8号，9号", "号", "8号"},
		{"steelworker 1934-1979", "1934-1979", ""},
		{"1989年本院诊", "1989年", ""},
		{"1998年下岗", "1998年下", ""},
		{"b. 1931, smoker", "1931", "1931"},
		{"1931年生", "1931年", "1931年"},
		{"出生于1950年。", "1950年", "1950年"},
		{"March 1979", "March 1979", "March 1979"},
	} {
		at := strings.Index(c.text, c.found)
		got := ""
		for _, h := range wholeDates(c.text, []hit{{Date, at, at + len(c.found), "tagger"}}) {
			got += c.text[h.start:h.end]
		}
		if got != c.want {
			t.Errorf("%s: %q of %q, want %q", c.text, got, c.found, c.want)
		}
	}
	beside := wholeDates("3号号", []hit{{Date, 0, 4, "a"}, {Date, 4, 7, "b"}})
	if len(beside) != 2 || beside[1].start != 4 {
		t.Errorf("hits overlap: %v", beside)
	}
}
