package entail

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
)

func TestConflict(t *testing.T) {
	for _, c := range []struct{ name, question, above, a, other, b, want string }{
		{"another dose", "", "Ferrol: Dose", "Adults take ferrol 5 mg twice a day.", "Ward card", "In adults ferrol is given as 10 mg twice a day.", `number "5 mg" "10 mg"`},
		{"the same dose in other words", "", "Ferrol: Dose", "Adults take ferrol 1 g twice a day.", "Ward card", "In adults ferrol is given as 1,000 mg twice daily.", ""},
		{"ranges that meet", "", "Ferrol: Tests", "The level of ferrol is checked every one to two weeks.", "Ward card", "The level of ferrol is checked every two weeks.", ""},
		{"other people", "", "Ferrol: Dose", "Adults take ferrol 5 mg twice a day.", "Children's card", "Children take ferrol 2 mg twice a day.", ""},
		{"people that only the title names", "", "Ferrol: Dose", "Ferrol is given as 5 mg twice a day.", "Antenatal card", "Ferrol is given as 2 mg twice a day.", ""},
		{"people that only an abbreviation names", "", "Ferrol: Adults", "Ferrol is given as 5 mg twice a day.", "Ward card - Peds", "Ferrol is given as 2 mg twice a day.", ""},
		{"another region", "", "Marl fever", "Marl fever occurs in 1 in 160,000 people worldwide.", "Registry", "In the United States marl fever occurs in 1 in 130,000 people.", ""},
		{"the same region", "", "Marl fever", "In the US marl fever occurs in 1 in 160,000 people.", "Registry", "In the United States marl fever occurs in 1 in 130,000 people.", `number "1 in 160,000" "1 in 130,000"`},
		{"another region, German", "", "Marlfieber", "In Deutschland nehmen Erwachsene Ferrol 5 mg zweimal täglich ein.", "Karte", "In Europa nehmen Erwachsene Ferrol 10 mg zweimal täglich ein.", ""},
		{"another region, Chinese", "", "法罗:用量", "中国成人每日两次服用法罗5毫克。", "病房卡", "美国成人每日两次服用法罗10毫克。", ""},
		{"another medicine", "", "Ferrol: Dose", "Adults usually start ferrol at 500 mg once a day.", "Marlin: Dose", "Adults usually start marlin at 50 mg once a day.", ""},
		{"another medicine, for and against", "", "Gout: Treatment", "Ferrol is not recommended to prevent gout.", "Marlin", "It is recommended to prevent gout in adults.", ""},
		{"another medicine beside the same section", "", "Ferrol: Dose", "The dose of ferrol is raised by 500 mg at intervals of one week.", "Marlin: Dose", "The dose of marlin is raised by 50 mg at intervals of one week.", ""},
		{"against one alone", "", "Fever", "Fever is treated with ferrol and marlin.", "Ferrol", "Fever should not be treated with ferrol alone.", ""},
		{"another illness", "", "Ferrol: Dose", "For gout, ferrol is given as 5 mg once a day.", "Ward card", "For migraine, ferrol is given as 20 mg once a day.", ""},
		{"for and against", "", "Ferrol: Cautions", "Ferrol is avoided in pregnancy.", "Midwives", "Ferrol can be used throughout pregnancy.", `modality "avoided" "can be used"`},
		{"both against", "", "Ferrol: Cautions", "Ferrol is avoided in pregnancy.", "Midwives", "Ferrol should not be used during pregnancy.", ""},
		{"what prevents is no advice", "", "Iron", "Iron and ferrol are taken four hours apart.", "Note", "Iron and ferrol are kept four hours apart, since iron stops ferrol from being absorbed.", ""},
		{"one figure of a kind each", "", "Leave", "Tell your manager of leave five days before it begins.", "Handbook", "Tell your manager of leave 30 days before it begins.", `time "five days" "30 days"`},
		{"one of several illnesses", "", "Ferrol: Dose", "For gout and for fever of unknown cause, ferrol is given as 5 mg once a day.", "Ward card", "For gout, ferrol is given as 20 mg once a day.", `number "5 mg" "20 mg"`},
		{"nothing of the question", "When does the kiosk open?", "Ferrol: Dose", "Adults take ferrol 5 mg twice a day.", "Ward card", "In adults ferrol is given as 10 mg twice a day.", ""},
		{"German", "", "Ferrol: Dosis", "Erwachsene nehmen Ferrol 5 mg zweimal täglich ein.", "Karte", "Erwachsene nehmen Ferrol 10 mg zweimal täglich ein.", `number "5 mg" "10 mg"`},
		{"German, denied far from its verb", "Ferrol für Kinder", "Ferrol", "Ferrol darf bei Kindern unter 6 Jahren nicht angewendet werden.", "Elternheft", "Bei Kindern unter 6 Jahren kann Ferrol angewendet werden.", `modality "darf bei Kindern unter 6 Jahren nicht" "kann"`},
		{"German, both against", "", "Ferrol", "Ferrol darf bei Kindern unter 6 Jahren nicht angewendet werden.", "Elternheft", "Kinder, die jünger als sechs Jahre sind, dürfen kein Ferrol bekommen.", ""},
		{"German, other forms of the words asked for", "Sicherung", "Handbuch", "Das Programm löscht Sicherungen, die älter als 90 Tage sind.", "Wiki", "Sicherungen, die älter als 30 Tage sind, löscht das Programm.", `time "älter als 90 Tage" "älter als 30 Tage"`},
		{"German, another edition", "Sicherung", "Handbuch", "In der Privatausgabe löscht das Programm Sicherungen nach 90 Tagen.", "Wiki", "In der Firmenausgabe löscht das Programm Sicherungen nach 365 Tagen.", ""},
		{"German, turned", "", "Handbuch", "Das Prüfen der Dateien verlangsamt die Sicherung.", "Wiki", "Das Prüfen der Dateien beschleunigt die Sicherung.", `direction "verlangsamt" "beschleunigt"`},
		{"Chinese", "", "法罗:用量", "成人每日两次服用法罗5毫克。", "病房卡", "成人每日两次服用法罗10毫克。", `number "5毫克" "10毫克"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, turned := range []bool{false, true} {
				a, b := Source{Above: c.above, Text: c.a}, Source{Above: c.other, Text: c.b}
				if turned {
					a, b = b, a
				}
				got := ""
				if clash, ok := Conflict(c.question, a, b); ok {
					d := clash.Differences[0]
					said, stated := a.Text[d.Claimed.Start:d.Claimed.End], b.Text[d.Stated.Start:d.Stated.End]
					if turned {
						said, stated = stated, said
					}
					got = fmt.Sprintf("%s %q %q", d.Kind, said, stated)
				}
				if got != c.want {
					t.Errorf("turned %t: got %s, want %s", turned, got, c.want)
				}
			}
		})
	}
}

// TestConflicts counts the conflicts that are found among the pairs of passages of LACUNA_CONFLICTS, a file of JSON
// lines with a, b and label (conflict, agree or different).
func TestConflicts(t *testing.T) {
	name := os.Getenv("LACUNA_CONFLICTS")
	if name == "" {
		t.Skip("LACUNA_CONFLICTS names no file of pairs of passages")
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var in io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		if in, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	counts, flagged := map[string]int{}, map[string]int{}
	scanner := bufio.NewScanner(in)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		var r struct {
			ID, Subject, Label string
			A, B               struct{ Title, Text string }
		}
		if err := json.Unmarshal(scanner.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		c, ok := Conflict(r.Subject, Source{Above: r.A.Title, Text: r.A.Text}, Source{Above: r.B.Title, Text: r.B.Text})
		counts[r.Label]++
		if !ok {
			continue
		}
		flagged[r.Label]++
		d := c.Differences[0]
		t.Logf("%s %s: %s %q %q", r.ID, r.Label, d.Kind, r.A.Text[d.Claimed.Start:d.Claimed.End], r.B.Text[d.Stated.Start:d.Stated.End])
	}
	all := 0
	for _, n := range flagged {
		all += n
	}
	t.Logf("precision %d/%d, recall %d/%d, of other things flagged %d/%d, of agreeing ones %d/%d", flagged["conflict"], all,
		flagged["conflict"], counts["conflict"], flagged["different"], counts["different"], flagged["agree"], counts["agree"])
}

func FuzzConflict(f *testing.F) {
	f.Add("dose", "Adults take ferrol 5 mg twice a day.", "Avoid ferrol. 成人每日10毫克。")
	f.Fuzz(func(t *testing.T, question, one, two string) {
		c, ok := Conflict(question, Source{Text: one}, Source{Text: two})
		if !ok {
			return
		}
		_, _ = one[c.A.Start:c.A.End], two[c.B.Start:c.B.End]
		for _, d := range c.Differences {
			_, _ = one[d.Claimed.Start:d.Claimed.End], two[d.Stated.Start:d.Stated.End]
		}
	})
}
