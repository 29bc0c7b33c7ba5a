package redact

import (
	"strings"
	"testing"
)

// known is a small vocabulary of sources.
func known(word string) bool {
	return strings.Contains(" crohn parkinson disease syndrome metformin hodgkin asthma warfarin cushing ", " "+word+" ")
}

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
		{"患者出现发热三天。", "患者出现发热三天。"},
		{"Patient reports chest pain. Patient Information Leaflet.", "Patient reports chest pain. Patient Information Leaflet."},
		{"What is the dose of metformin in severe renal impairment?", "What is the dose of metformin in severe renal impairment?"},
	} {
		got := Messages([]string{test.text}, Options{Known: known})
		if got.Messages[0] != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.text, got.Messages[0], test.want)
		}
		if back := got.Restore(got.Messages[0]); back != test.text {
			t.Errorf("restored to %s, was %s", back, test.text)
		}
	}
}

func TestPlaceholdersAreSharedByTheMessagesOfARequest(t *testing.T) {
	r := Messages([]string{"Mrs Berg asked.", "It was Berg, and BERG again."}, Options{})
	if r.Messages[0] != "Mrs [NAME-1] asked." || r.Messages[1] != "It was [NAME-1], and [NAME-2] again." {
		t.Errorf("%q", r.Messages)
	}
	if got := r.Restore("[NAME-1] and [NAME-9]"); got != "Berg and [NAME-9]" {
		t.Errorf("restored %q", got)
	}
	if got := r.Details(); got != "2 NAME" {
		t.Errorf("details %q", got)
	}
}

func TestListedWordsNeverLeave(t *testing.T) {
	r := Messages([]string{"The bell tower project met."}, Options{Listed: []string{"Bell Tower"}})
	if r.Messages[0] != "The [LISTED-1] project met." {
		t.Errorf("%q", r.Messages)
	}
}
