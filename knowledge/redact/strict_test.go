package redact

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestUnknown(t *testing.T) {
	allowed := func(word string) bool { return word == "quillgate" }
	for text, want := range map[string]string{
		"What is the dose of metformin 500 mg in renal impairment (eGFR 28 mL/min)?":          "",
		"[NAME-1b] was seen on [DATE-2]; haemoglobin 92, platelets 310.":                      "",
		"The Quillgate device and the Brindlewick pump":                                       "Brindlewick",
		"It came from Łódzka 4417092 with code K441709.":                                      "Łódzka 4417092 K441709",
		"Was ist bei Vorhofflimmern mit Niereninsuffizienz zu beachten?":                      "",
		"糖尿病患者应每 3 个月复查一次糖化血红蛋白。":                                                             "",
		"Mrs [NAME-1], DOB [DATE-1]: she and Grace came by taxi.":                             "Grace",
		"She saw KML, MD on 10/26 and will see him in November.":                              "KML November 10/26",
		"Call Papageorge about sample DVT-5518 and SID 0449 1183 7720.":                       "Papageorge DVT-5518 0449 1183 7720",
		"Next visit on the 17th with Hallgrim.":                                               "Hallgrim the 17th",
		"He was hospitalised with haemorrhoids after 2 litres in a manoeuvre of some rigour.": "",
		"He saw baecker and Haylicks about it.":                                               "baecker Haylicks",
		"Saved as quillwright_o, power 4/5, population 5 000 000.":                            "quillwright",
	} {
		if got := strings.Join(Unknown(text, allowed), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestStrictLetsMedicineOut: of questions with passages about medicine and without identifiers, nine of ten hold
// nothing but public vocabulary and words of the base. LACUNA_DATA is a folder with kb/medquad.jsonl.gz.
func TestStrictLetsMedicineOut(t *testing.T) {
	folder := os.Getenv("LACUNA_DATA")
	if folder == "" {
		t.Skip("LACUNA_DATA is unset")
	}
	file, err := os.Open(filepath.Join(folder, "kb", "medquad.jsonl.gz"))
	if err != nil {
		t.Skip(err)
	}
	defer file.Close()
	packed, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	scanner := bufio.NewScanner(packed)
	scanner.Buffer(nil, 1<<26)
	row, sent, n := 0, 0, 0
	var base Vocabulary
	var texts []string
	for scanner.Scan() {
		var pair struct{ Question, Answer string }
		if err := json.Unmarshal(scanner.Bytes(), &pair); err != nil {
			t.Fatal(err)
		}
		answer := pair.Answer
		if len(answer) > 1200 {
			answer = answer[:strings.LastIndexByte(answer[:1200], ' ')]
		}
		text := pair.Question + "\n\n" + answer
		base.Add(pair.Answer)
		if row++; row%40 == 0 {
			texts = append(texts, text)
		}
	}
	for _, text := range texts {
		unknown := Unknown(Messages([]string{text}, Options{}).Messages[0], base.Has)
		if n++; len(unknown) == 0 {
			sent++
		} else {
			t.Logf("%q", unknown)
		}
	}
	t.Logf("%d of %d requests hold known words only", sent, n)
	if float64(sent) < .9*float64(n) {
		t.Errorf("%d of %d requests would be asked about", n-sent, n)
	}
}
