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

func TestMessages(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"Patient: Anna Berg, MRN: 44-3871-X, DOB 04/05/1961.", "Patient: [NAME-1], MRN: [RECORD-1], DOB [DATE-1]."},
		{"Mr Berg was seen on 3 March 2024. Berg improved.", "Mr [NAME-1] was seen on [DATE-1]. [NAME-1] improved."},
		{"Call her on 020 7946 0018 or anna@example.org.", "Call her on [PHONE-1] or [EMAIL-1]."},
		{"She lives at 12 Mill Lane, is 94 years old and works at St Elsewhere Hospital.", "She lives at [PLACE-1], is [AGE-1] years old and works at [PLACE-2]."},
		{"Crohn's disease and Parkinson disease; blood pressure 120/80, eGFR 28, 2 x 500 mg in 2023.", "Crohn's disease and Parkinson disease; blood pressure 120/80, eGFR 28, 2 x 500 mg in 2023."},
		{"Dr Cushing's syndrome clinic", "Dr Cushing's syndrome clinic"},
		{"SSN 123-45-6789, see http://example.org/p?id=3 from 192.0.2.7", "SSN [SSN-1], see [URL-1] from [IP-1]"},
		{"姓名：王小明，病历号：A12345，2024年3月5日就诊，手机13800138000。", "姓名：[NAME-1]，病历号：[RECORD-1]，[DATE-1]就诊，手机[PHONE-1]。"},
		{"Mrs Berg had her staples out on March thirty-one.", "Mrs [NAME-1] had her staples out on [DATE-1]."},
		{"Frau Berg stürzte am 2. Weihnachtstag; Schmerzen seit dem Spätherbst 2024.", "Frau [NAME-1] stürzte am [DATE-1]; Schmerzen seit dem [DATE-2]."},
		{"姓名：王小明，生日：民國68年4月12日。", "姓名：[NAME-1]，生日：[DATE-1]。"},
		{"患者出现发热三天。", "患者出现发热三天。"},
		{"Patient reports chest pain. Patient Information Leaflet.", "Patient reports chest pain. Patient Information Leaflet."},
		{"What is the dose of metformin in severe renal impairment?", "What is the dose of metformin in severe renal impairment?"},
	} {
		got := Messages([]string{test.text}, Options{})
		if got.Messages[0] != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.text, got.Messages[0], test.want)
		}
		if back := got.Restore(got.Messages[0]); back != test.text {
			t.Errorf("restored to %s, was %s", back, test.text)
		}
	}
}

// TestCopiesAreReplacedAsTheirOriginsAre: on one line a chart has no ends of lines, and a part of a letter no head.
func TestCopiesAreReplacedAsTheirOriginsAre(t *testing.T) {
	chart := "Fluid balance\n0600  in 120  out 90  KB\n0700  in 80  out 40  KB\n0800  in 60  out 75  JN\n0900  in 60  out 80  JN\nChecked by Karen Bell and Joy Nash"
	letter := "Re: Anna Mayfield, hospital number 55-1029\n\nThe wound has healed.\n\nMayfield may drive again, and 55-1029 can be closed."
	for _, test := range []struct{ name, origin, text, want string }{
		{
			"lines", chart, "[1] (Title: Chart) Fluid balance 0600 in 120 out 90 KB 0700 in 80 out 40 KB 0800 in 60 out 75 JN 0900 …",
			"[1] (Title: Chart) Fluid balance 0600 in 120 out 90 [NAME-1] 0700 in 80 out 40 [NAME-1] 0800 in 60 out 75 [NAME-2] 0900 …",
		},
		{"the head of a letter", letter, "[2] Mayfield may drive again, and 55-1029 can be closed.", "[2] [NAME-1] may drive again, and [RECORD-1] can be closed."},
		{"what stands there alone", letter, "Has the wound of Mayfield healed?", "Has the wound of [NAME-1] healed?"},
		{"what was not copied", letter, "Is 30 mg of nifedipine too much?", "Is 30 mg of nifedipine too much?"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := Messages([]string{test.text}, Options{Origins: []string{test.origin}})
			if got.Messages[0] != test.want {
				t.Errorf("got  %s\nwant %s", got.Messages[0], test.want)
			}
			if alone := Messages([]string{test.text}, Options{}); (alone.Messages[0] == test.want) != (test.name == "what was not copied") {
				t.Errorf("without its origin: %s", alone.Messages[0])
			}
			if back := got.Restore(got.Messages[0]); back != test.text {
				t.Errorf("restored to %s", back)
			}
		})
	}
}

func TestPlaceholdersAreSharedByTheMessagesOfARequest(t *testing.T) {
	r := Messages([]string{"Mrs Berg asked.", "It was Berg, and BERG again."}, Options{})
	if r.Messages[0] != "Mrs [NAME-1] asked." || r.Messages[1] != "It was [NAME-1], and [NAME-1b] again." {
		t.Errorf("%q", r.Messages)
	}
	if got := r.Restore("[NAME-1] and [NAME-9]"); got != "Berg and [NAME-9]" {
		t.Errorf("restored %q", got)
	}
	if got := r.Details(); got != "1 NAME" {
		t.Errorf("details %q", got)
	}
}

// TestClinicalWordsStay: what looks like an identifier and is none. A line that changes would reach a model with
// another drug, dose or value.
func TestClinicalWordsStay(t *testing.T) {
	text, err := os.ReadFile("testdata/clinical.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		for _, context := range []string{line, "Mrs Hartwell, DOB 04/05/1961, was seen today.\n" + line} { // in a note about a person, too
			got := Messages([]string{context}, Options{}).Messages[0]
			if _, rest, found := strings.Cut(got, "today.\n"); found {
				got = rest
			}
			if got != line {
				t.Errorf("%s\n became %s", line, got)
			}
		}
	}
}

// TestClinicalText counts what is replaced in texts about medicine. LACUNA_DATA is a folder with kb/medquad.jsonl.gz
// and kb/passages-pubmed.jsonl.gz. They hold some dates, addresses and persons, so that the figure is an upper bound.
func TestClinicalText(t *testing.T) {
	folder := os.Getenv("LACUNA_DATA")
	if folder == "" {
		t.Skip("LACUNA_DATA is unset")
	}
	for name, most := range map[string]float64{"medquad": 2, "passages-pubmed": 4} { // in 1,000 words; measured 0.8 and 3.7
		file, err := os.Open(filepath.Join(folder, "kb", name+".jsonl.gz"))
		if err != nil {
			t.Skip(err)
		}
		packed, err := gzip.NewReader(file)
		if err != nil {
			t.Fatal(err)
		}
		words, replaced, row := 0, 0, 0
		scanner := bufio.NewScanner(packed)
		scanner.Buffer(nil, 1<<26)
		for scanner.Scan() {
			if row++; row%40 != 0 {
				continue
			}
			var pair struct{ Question, Answer, Text string }
			if err := json.Unmarshal(scanner.Bytes(), &pair); err != nil {
				t.Fatal(err)
			}
			text := pair.Question + "\n" + pair.Answer + pair.Text
			words += len(strings.Fields(text))
			for _, s := range Messages([]string{text}, Options{}).Spans[0] {
				replaced += len(strings.Fields(text[s.Start:s.End]))
				t.Logf("%s %q", s.Class, text[s.Start:s.End])
			}
		}
		file.Close()
		share := 1000 * float64(replaced) / float64(words)
		t.Logf("%s: %d of %d words, %.2f in 1,000", name, replaced, words, share)
		if share > most {
			t.Errorf("%s: %.2f in 1,000 words replaced, at most %.0f were", name, share, most)
		}
	}
}

func TestListedWordsNeverLeave(t *testing.T) {
	r := Messages([]string{"The bell tower project met."}, Options{Listed: []string{"Bell Tower"}})
	if r.Messages[0] != "The [LISTED-1] project met." {
		t.Errorf("%q", r.Messages)
	}
}
