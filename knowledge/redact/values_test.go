package redact

import (
	"strings"
	"testing"
)

// TestDosesStay: a dose or a value stays, whatever took it or a part of it for an identifier.
func TestDosesStay(t *testing.T) {
	for _, c := range []struct{ text, found, want string }{ // found in the text, and what is still to be replaced; "|" divides parts
		{"Amoxicillin 500 mg tds", "500", ""},
		{"Amoxi 7/5 mg", "7/5", ""},
		{"takes St John's wort", "St John", ""},
		{"toma hierba de San Juan", "San Juan", ""},
		{"Ivor Lewis esophagectomy", "Ivor Lewis", ""},
		{"AVR 23 mm St. Jude", "St. Jude", ""},
		{"Boston Scientific lead", "Boston Scientific", ""},
		{"Ax. Temp 38-39", "Ax. Temp", "Ax. "},
		{"Temp. 37.2", "37.2", ""},
		{"MP 500x3", "500x3", ""},
		{"Verorab ID 0.1 x2", "0.1", ""},
		{"leucocitos 10.500", "10.500", ""},
		{"(4.000 – 10.500)", "10.500", ""},
		{"UF 4.200. Dr. Puig", "4.200", ""},
		{"Berg 40 mg", "Berg 40", "Berg "},
		{"on 3/4 500 mg", "3/4 500", "3/4 "},
		{"lifting 5/10/20 kg", "5/10/20", ""},
		{"Noradrenaline 0.12 mcg/kg/min since 4 May", "0.12", ""},
		{"Candesartan 1/2-0-1/2 seit 3.4.", "-0-", ""},
		{"按压3-4次/日", "3-4", ""},
		{"每日12片", "12", ""},
		{"Hb 98, K 4.1", "98", ""},
		{"Hb 98, K 4.1", "K 4.1", ""},
		{"Ca\t2.01\t1.94", "2.01", ""},
		{"T2DM A1c 9.1, BMI 38", "T2DM A1c 9.1", "T2DM "},
		{"Creat 1.6. Na 140", "1.6", ""},
		{"铁蛋白9.6。右旋糖酐铁", "9.6", ""},
		{"Creatinine is 118 µmol/l", "118", ""},
		{"TA 148/70 Sat 93, 36,8", "Sat", ""},
		{"O2 3 L (sat 88-92)", "sat 88-92", ""},
		{"HR 48-103", "103", ""},
		{"PHQ-9 4/27, GAD-7 6/21", "6/21", ""},
		{"SOFA 4/24", "4/24", ""},
		{"Hgb 10.2, 9.4, 8.8 overnight", "9.4, 8.8", ""},
		{"ABG 7.29/61/70 on 4 L", "7.29", ""},
		{"BUN/Cr 31/1.4 and 22/1.2", "31/1", ""},
		{"chem 139/4.4/101/22/17", "139/4.4/101/22/17", ""},
		{"normal 6.0-11.5 U/g", "-11.5", ""},
		{"creat today 1.8", "1.8", ""},
		{"CK 18200→9400, better", "9400", ""},
		{"Ferritin 9,210 in May", "9,210", ""},
		{"HbA1c 7.2. BMI 31", "7.2", ""},
		{"eGFR 45, pCO2 45", "45", ""},
		{"creat was today 1.8", "1.8", ""},
		{"NT-proBNP 1204, CK-MB 24", "1204, CK-MB 24", ", "},
		{"国际标准化比值2.3", "2.3", ""},
		{"7.31 (0600)", "7.31", ""},
		{"warfarin Mon 4, Tue 4, Wed 5", "Tue 4", ""},
		{"Mon and Fri 2.5, else 5", "Fri 2.5", ""},
		{"GC 1.04 today", "1.04", ""},
		{"azacitidine d1-7 again", "d1-7", ""},
		{"RR 110/70-130/80 auf Station", "110/70-130/80", ""},
		{"urine 700 ml/1400", "1400", ""},
		{"早餐后6.4，午后8.2", "8.2", ""},
		{"E/A 1.2, mild MR", "1.2", ""},
		// These go.
		{"St. Jude parish 3/4", "St. Jude", "St. Jude"},
		{"seen by Ivor Lewis 3/4", "Ivor Lewis", "Ivor Lewis"},
		{"HC 55.812", "55.812", "55.812"},
		{"Mr Quick 67 yo", "Quick", "Quick"},
		{"Ms Temp. 12 March", "Temp", "Temp"},
		{"Ana Peso 45.123.456", "45.123.456", "45.123.456"},
		{"March 14th dose 2", "March 14th", "March 14th"},
		{"50th centile, seen 9th March", "9th March", "9th March"},
		{"手术时间为3.12，", "3.12", "3.12"},
		{"St Jude Medical Center", "St Jude Medical Center", "St Jude Medical Center"},
		{"John Hancock II", "John Hancock II", "John Hancock II"},
		{"Tel 1.200-5.123", "1.200-5.123", "1.200-5.123"},
		{"episode 8830x5", "8830x5", "8830x5"},
		{"19 de mayo 2024", "mayo 2024", "mayo 2024"},
		{"CRP 3/14 was 40", "3/14", "3/14"},
		{"CRP 3 March", "3 March", "3 March"},
		{"INR 2.3 4.62, 2.4 3.14", "2.3", "2.3"},
		{"Nächste INR 28.05. durch", "28.05.", "28.05."},
		{"CRP 14.3.: 45", "14.3", "14.3"},
		{"1. HB 1.11. und 2. HB 2.11.  Gew 3020, Kind trinkt gut und schläft viel, nächster Besuch am 5.11. bei der Mutter", "2.11", "2.11"},
		{"PLT 20号那天", "20号", "20号"},
		{"HUS 4/25 L gr 1", "4/25", "4/25"},
		{"Hct 22 on 7/5 - 2 units", "7/5", "7/5"},
		{"closed Sat 16", "Sat 16", "Sat 16"},
		{"HCPC PA 40771", "PA 40771", "PA 40771"},
		{"Old Forge, PA 18599", "PA 18599", "PA 18599"},
		{"al 4-7-2 1-0-8 3-3", "4-7-2 1-0-8 3-3", "4-7-2 1-0-8 3-3"},
		{"5 NG", "NG", "NG"},
		{"3.4, 5.4, 8.4 off sick", "5.4", "5.4"},
		{"am 14.3 (0930) gesehen", "14.3", "14.3"},
		{"Ingresó el 5.03 y alta el 9.03", "5.03", "5.03"},
		{"V/Q 14.03.2024 negative", "14.03.2024", "14.03.2024"},
		{"MMSE 12/30/2023", "12/30/2023", "12/30/2023"},
		{"am 14/03/2024 kg 72", "14/03/2024", "14/03/2024"},
		{"HD Mon 2, Wed 4, Fri 6, then Mon 30, Wed 2, Fri 4", "Mon 30", "Mon 30"},
		{"frei am Sa/So 4.5 und danach wieder im Dienst auf der Station", "Sa/So 4.5", "Sa/So 4.5"},
		{"plate HR-LH 220", "LH 220", "LH 220"},
		{"MRN: FSH 1182", "FSH 1182", "FSH 1182"},
		{"She got to 12 Elm Street", "got to 12", "got to 12"},
		{"金谷8栋402室", "8栋", "8栋"},
		{"王谷12床", "谷12", "谷12"},
		{"Block D4-12, Taman Melati", "D4-12", "D4-12"},
		{"ext. 4471→4482", "4471→4482", "4471→4482"},
		{"call at 030/44.71 82 33", "030/44.71 82 33", "030/44.71 82 33"},
		{"Hb 9.8 (3.14), 8.1 (3.16)", "3.16", "3.16"},
		{"CRP 14 7.3 → 9 10.3", "10.3", "10.3"},
		{"Mon 4, Tue 5, Wed 6 booked", "Tue 5", "Tue 5"},
		{"RR 2 Box 40", "RR 2", "RR 2"},
		{"lot ALB3377", "ALB3377", "ALB3377"},
		{"查Na 150,8日转出", "8日", "8日"},
		{"HR240122", "HR240122", "HR240122"},
	} {
		at := strings.Index(c.text, c.found)
		var parts []string
		for _, h := range withoutDoses(c.text, []hit{{Record, at, at + len(c.found), "test"}}) {
			parts = append(parts, c.text[h.start:h.end])
		}
		if got := strings.Join(parts, "|"); got != c.want {
			t.Errorf("%s: of %q %q is replaced, want %q", c.text, c.found, got, c.want)
		}
	}
}

// TestTrends: a decimal number in a row with arrows is a value, and a day is one beside its value.
func TestTrends(t *testing.T) {
	for _, c := range []struct {
		text, part string
		want       bool
	}{
		{"pH 7.12 → 7.24 → 7.31", "7.24", true},
		{"CRP 58→31→12.4, ESR", "12.4", true},
		{"WCC 14.8 -> 11.2", "11.2", true},
		{"TG 1.1 -> 2.3.", "2.3", true},
		{"CRP 24 9.3 → 8 12.3", "9.3", false},
		{"seen 9.3 and 12.3", "9.3", false},
		{"3/4 -> 3/9", "3/9", false},
	} {
		at := strings.Index(c.text, c.part)
		if got := inTrend(c.text, at, at+len(c.part)); got != c.want {
			t.Errorf("%s: %s is in a trend: %v", c.text, c.part, got)
		}
	}
}

// TestRowsOfValues: decimal numbers, thousands and rows of a table are no identifiers.
func TestRowsOfValues(t *testing.T) {
	for s, want := range map[string]bool{
		"14.2":                 true,
		"488.000  561.000":     true,
		"580-720-610-655":      true,
		"00 37.3 92 20 130/78": true,
		"2230 148/92 0200":     true,
		"4471.22":              false,
		"555-212-900-118":      false,
		"0151 496 0882":        false,
		"12.345.678":           false,
		"030/123456":           false,
		"018-44/72 31":         false,
	} {
		if got := isValues(s); got != want {
			t.Errorf("%s: %v", s, got)
		}
	}
}

// TestStopsOf: whether dates of a text have stops is told by dates that are whole, and by none that ends a sentence.
func TestStopsOf(t *testing.T) {
	for text, want := range map[string]string{
		"Seen 3.4.2024, Hb 9.8.":                        "own",
		"Seen 3/4/2024, Hb 9.8. CRP 4":                  "other",
		"Seen 03/04/24. Op 12.11.23":                    "both",
		"Hb 9.8. Better":                                "",
		"Vorstellung am 14.3. in der Praxis, sehr bald": "own",
		"2024年3月14日入院，Hb 9.8":                           "other",
		"wound on 8.5: clean":                           "",
		"8.5.: wound clean":                             "own",
	} {
		if got := stopsOf(newView(text).text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{"0.6 and 37.8 and 4.5": "2", "3.4.2024, 9.8": "0", "128.5 0.4 7.35 41.2": "3"} {
		if got := pointsOf(text); got != want {
			t.Errorf("%s: %s points, want %s", text, got, want)
		}
	}
}

// TestLanguageIn: a part with few words has the language of the text.
func TestLanguageIn(t *testing.T) {
	english := smallWords("The patient was seen on the ward and is not better today, so he will stay.")
	for part, want := range map[string]language{
		"HBsAg neg. RBS 4.9. urine alb nil.":                                 0,
		"Der Patient wurde heute bei uns wieder aufgenommen und ist stabil.": german,
		"El paciente refiere dolor desde hoy y no mejora con la medicación.": spanish,
		"患者今日出院，CRP 正常":                                                      chinese,
	} {
		if got := languageIn(english, part); got != want {
			t.Errorf("%s: %d, want %d", part, got, want)
		}
	}
}

// TestDosesStayInMessages: what is found as an identifier leaves without the dose or the value in it, and a decimal number is no day.
func TestDosesStayInMessages(t *testing.T) {
	for _, c := range []struct{ text, stays, goes string }{
		{"Patientin: Anna Berg, geb. 3.4.1950\nDer Platz ist erst 4.11. 12 h frei.", "12 h", "4.11."},
		{"姓名：白雪\n2024-03-14 CA19-9 314U/ml，请复查", "CA19-9", "2024-03-14"},
		{"Patient: Anna Berg\nSeen 03/14/2024. Cr 2.4 -> 1.9 -> 1.6.\nPrealbumin 3/12 9.2, today 11.6.", "today 11.6", "03/14/2024"},
		{"Paciente: Ana Prado\nControl 14/03/2024. Lactato 5.1 → 3.8 → 2.4. GC 5.8", "5.1 → 3.8 → 2.4", "14/03/2024"},
		{"Patientin: Anna Berg, geb. 3.4.1950\nK 4.1 → 5.6. Glucose 92, 94, 91.", "5.6. Glucose 92, 94, 91", "3.4.1950"},
		{"Patient: Anna Berg\nSeen 03/14/2024. Harris hip score 88, Jackson-Pratt drain out, serial 7s 4/5.", "Harris hip score 88, Jackson-Pratt drain out, serial 7s 4/5", "03/14/2024"},
		{"Patient: Anna Berg\nSeen 03/14/2024, last 6/12 ago 19.4 kg.", "ago 19.4", "03/14/2024"},
		{"Patient: Anna Berg\nSeen 03/14/2024. Lactate 4.2 (0610) / 3.1 (0915) / 2.2 (1340)", "4.2 (0610) / 3.1 (0915) / 2.2 (1340)", "03/14/2024"},
		{"Patient: Anna Berg\nSeen 03/14/2024, serum 138/4.1/102/24/18/0.9-", "138/4.1/102/24/18/0.9", "03/14/2024"},
		{"Patient: Anna Berg\nCall HR 555 019 2288 now, Temp 38.1", "Temp 38.1", "555 019"},
		{"Patient: Anna Berg\nSeen 03/14/2024. Anna Harris signs the form. Cefazolin 2 g given.", "Cefazolin 2 g", "Harris"},
		{"Patient: Anna Berg\nSeen 03/14/2024. BP 120/80. Study ID: P 117", "BP 120/80", "P 117"},
		{"Patient: Anna Berg\nSeen Mon. 14 in clinic, next Fri. 18. Temp 38.1", "Temp 38.1", "Mon. 14"},
		{"Patientin: Anna Berg\nGewicht 14.03.2024 kg 72, RR 120/80", "RR 120/80", "14.03"},
		{"Patient: Anna Berg\nVA 6/18 ph 6/12  6/6 -2", "6/12  6/6", "Anna Berg"},
	} {
		got := Messages([]string{c.text}, Options{}).Messages[0]
		if !strings.Contains(got, c.stays) || strings.Contains(got, c.goes) {
			t.Errorf("%s is sent as %s", c.text, got)
		}
	}
}
