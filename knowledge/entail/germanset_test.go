package entail

import (
	"os"
	"strings"
	"testing"
)

// TestGermanSet counts the verdicts on the pairs of testdata/german.txt. It holds that nothing supported is called a
// contradiction, that nothing contradicted passes, and how many are decided.
func TestGermanSet(t *testing.T) {
	text, err := os.ReadFile("testdata/german.txt")
	if err != nil {
		t.Fatal(err)
	}
	supported, accepted, contradicted, caught := 0, 0, 0, 0
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		if len(fields) != 3 {
			t.Fatalf("%q is not a label, evidence and a claim", line)
		}
		verdict := Judge(fields[2], "", Source{Text: fields[1]}).Verdict
		if fields[0] == "supported" {
			supported++
			switch verdict {
			case States, Partly:
				accepted++
			case Contradicts:
				t.Errorf("%q says %q", fields[1], fields[2])
			}
			continue
		}
		contradicted++
		switch verdict {
		case Contradicts:
			caught++
		case States, Partly:
			t.Errorf("%q does not say %q", fields[1], fields[2])
		}
	}
	t.Logf("of %d supported %d are accepted, of %d contradicted %d are caught", supported, accepted, contradicted, caught)
	if accepted < 21 || caught < 23 {
		t.Errorf("accepted %d of %d, caught %d of %d", accepted, supported, caught, contradicted)
	}
}
