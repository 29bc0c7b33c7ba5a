package systems_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/answertest"
	"lacuna/knowledge/llm/llmtest"
)

// pharmacy is a base whose two pages are both found for the question on gout, in this order.
var pharmacy = map[string]string{
	"colchicine.md": "# Colchicine\n\nColchicine relieves an attack of gout. The first dose is 1.2 mg, followed by 0.6 mg after one hour. It must not be given with clarithromycin. More at https://formulary.example/gout?x=1 today.\n",
	"allopurinol.md": "# Allopurinol\n\nAllopurinol prevents attacks of gout when it is taken every day. " +
		"Of 1,200 patients 45 % had no attack in the second year. The board calls it “the first choice for prevention”.\n",
	"asthma.md": "# Asthma\n\nSalbutamol opens the airways within minutes.\n",
}

// basis renders what the statements of an answer rest on.
func basis(r answer.Result) string {
	var b strings.Builder
	for _, s := range r.Statements {
		fmt.Fprintf(&b, "%s: %s", s.Basis, s.Text)
		for _, n := range s.Citations {
			c := r.Citations[n-1]
			fmt.Fprintf(&b, " <%s: %s>", strings.TrimSuffix(c.Passage.Record, ".md"), c.Quote)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestSupport(t *testing.T) {
	library, _ := answertest.Library(t, pharmacy)
	for _, c := range []struct {
		name, text, want string
		refused          int
	}{
		{
			"a citation that holds", "Colchicine relieves attacks of gout [2].",
			"claim: Colchicine relieves attacks of gout. <colchicine: Colchicine relieves an attack of gout.>\n", 0,
		},
		{
			"a citation of another passage", "Colchicine relieves attacks of gout [1].",
			"claim: Colchicine relieves attacks of gout. <colchicine: Colchicine relieves an attack of gout.>\n", 1,
		},
		{
			"no citation", "Colchicine relieves attacks of gout.",
			"claim: Colchicine relieves attacks of gout. <colchicine: Colchicine relieves an attack of gout.>\n", 0,
		},
		{
			"a number that was not offered", "Colchicine relieves attacks of gout [2][7], [12].",
			"claim: Colchicine relieves attacks of gout. <colchicine: Colchicine relieves an attack of gout.>\n", 2,
		},
		{
			"a number that was not offered, of what the first passage says", "Allopurinol prevents attacks of gout [7].",
			"claim: Allopurinol prevents attacks of gout. <allopurinol: Allopurinol prevents attacks of gout when it is taken every day.>\n", 1,
		},
		{
			"nothing of the kind in the sources", "Febuxostat lowers urate in tumour lysis [2].",
			"unsupported: Febuxostat lowers urate in tumour lysis.\n", 1,
		},
		{
			"another dose", "The first dose of colchicine is 1.8 mg [2].",
			"unsupported: The first dose of colchicine is 1.8 mg. <colchicine: The first dose is 1.2 mg, followed by 0.6 mg after one hour.>\n", 1,
		},
		{
			"another unit", "The first dose of colchicine is 1.2 g [2].",
			"unsupported: The first dose of colchicine is 1.2 g. <colchicine: The first dose is 1.2 mg, followed by 0.6 mg after one hour.>\n", 1,
		},
		{
			"the dose, spelled otherwise", "The first dose of colchicine is 1.20mg, followed by 0.6 mg after 1 hour [2].",
			"claim: The first dose of colchicine is 1.20mg, followed by 0.6 mg after 1 hour. <colchicine: The first dose is 1.2 mg, followed by 0.6 mg after one hour.>\n", 0,
		},
		{
			"a share of many", "Of 1200 patients, 45% had no attack in the second year [1].",
			"claim: Of 1200 patients, 45% had no attack in the second year. <allopurinol: Of 1,200 patients 45 % had no attack in the second year.>\n", 0,
		},
		{
			"without its negation", "Colchicine must be given with clarithromycin [2].",
			"unsupported: Colchicine must be given with clarithromycin. <colchicine: It must not be given with clarithromycin.>\n", 1,
		},
		{
			"with its negation", "Colchicine must not be given with clarithromycin [2].",
			"claim: Colchicine must not be given with clarithromycin. <colchicine: It must not be given with clarithromycin.>\n", 0,
		},
		{
			"with a negation of its own", "Colchicine does not relieve an attack of gout [2].",
			"unsupported: Colchicine does not relieve an attack of gout. <colchicine: Colchicine relieves an attack of gout.>\n", 1,
		},
		{
			"a quotation", "The board calls allopurinol \"the first choice for prevention\" [1].",
			"claim: The board calls allopurinol \"the first choice for prevention\". <allopurinol: The board calls it “the first choice for prevention”.>\n", 0,
		},
		{
			"a quotation that is none", "The board calls allopurinol “the best choice for prevention” [1].",
			"unchecked: The board calls allopurinol “the best choice for prevention”. <allopurinol: The board calls it “the first choice for prevention”.>\n", 0,
		},
		{
			"two sources together", "Colchicine relieves an attack, while allopurinol taken every day prevents attacks [2, 1].",
			"claim: Colchicine relieves an attack, while allopurinol taken every day prevents attacks. <colchicine: Colchicine relieves an attack of gout.> <allopurinol: Allopurinol prevents attacks of gout when it is taken every day.>\n", 0,
		},
		{
			"marks behind the full stop", "Colchicine relieves an attack of gout. [2] Allopurinol prevents attacks of gout. [1]",
			"claim: Colchicine relieves an attack of gout. <colchicine: Colchicine relieves an attack of gout.>\n" +
				"claim: Allopurinol prevents attacks of gout. <allopurinol: Allopurinol prevents attacks of gout when it is taken every day.>\n", 0,
		},
		{
			"a list", "Gout has two medicines:\n\n- colchicine relieves an attack of gout [2]\n- allopurinol prevents attacks of gout [1]\n",
			"claim: Gout has two medicines: colchicine relieves an attack of gout <colchicine: Colchicine relieves an attack of gout.>\n" +
				"claim: Gout has two medicines: allopurinol prevents attacks of gout <allopurinol: Allopurinol prevents attacks of gout when it is taken every day.>\n", 0,
		},
		{
			"one word", "Colchicine",
			"claim: Colchicine <colchicine: Colchicine relieves an attack of gout.>\n", 0,
		},
		{
			"one word of something else", "Salbutamol",
			"unsupported: Salbutamol\n", 0,
		},
		{
			"what is not known is left out", "Colchicine relieves an attack of gout [2]. The contexts do not say what it costs.",
			"claim: Colchicine relieves an attack of gout. <colchicine: Colchicine relieves an attack of gout.>\n", 0,
		},
		{
			"an address that is cited", "Colchicine relieves an attack of gout https://formulary.example/gout?x=1 [2].",
			"claim: Colchicine relieves an attack of gout https://formulary.example/gout?x=1. <colchicine: Colchicine relieves an attack of gout.>\n", 0,
		},
		{
			"an address that is not", "Colchicine relieves an attack of gout (https://evil.example/gout) [2].",
			"claim: Colchicine relieves an attack of gout. <colchicine: Colchicine relieves an attack of gout.>\n", 0,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := llmtest.New(t, says("answer_context", c.text))
			result := run(t, environment(t, server), "std-rag/wiki", library, answer.Question{Text: "What helps against attacks of gout?"})
			if diff := cmp.Diff(c.want, basis(result)); diff != "" {
				t.Error(diff)
			}
			if result.Refused != c.refused {
				t.Errorf("%d citations refused, want %d", result.Refused, c.refused)
			}
		})
	}
}

// TestChangedSourceIsNotCited changes a file after it was read.
func TestChangedSourceIsNotCited(t *testing.T) {
	library, folder := answertest.Library(t, pharmacy)
	changed := strings.Replace(pharmacy["colchicine.md"], "relieves", "worsens ", 1)
	if err := os.WriteFile(filepath.Join(folder, "colchicine.md"), []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	server := llmtest.New(t, says("answer_context", "Colchicine relieves an attack of gout [1][2]."))
	result := run(t, environment(t, server), "std-rag/wiki", library, answer.Question{Text: "What helps against attacks of gout?"})
	if result.State != answer.Nearest || result.Dropped != 1 || len(result.Citations) > 0 {
		t.Error(transcript(nil, result))
	}
}

// TestPageOfSomethingElseSupportsNothing has a model cite what is said of another, invented medicine.
func TestPageOfSomethingElseSupportsNothing(t *testing.T) {
	library, _ := answertest.Library(t, map[string]string{
		"tarvexin.md": "# Tarvexin\n\n## Dose\n\nAdults take 5 mg a day.\n",
		"ostrelin.md": "# Ostrelin\n\n## Dose\n\nAdults take 5 mg a day. In kidney disease the dose is halved.\n",
	})
	const halved = "In kidney disease the dose is halved"
	for question, want := range map[string]string{
		"What is the dose of Tarvexin in kidney disease?": "unsupported: " + halved + ".\n",
		"What is the dose of Ostrelin in kidney disease?": "claim: " + halved + ". <ostrelin: " + halved + ".>\n",
		"Is a dose halved in kidney disease?":             "claim: " + halved + ". <ostrelin: " + halved + ".>\n",
	} {
		for _, text := range []string{halved + " [1][2].", halved + "."} {
			server := llmtest.New(t, says("answer_context", text))
			result := run(t, environment(t, server), "std-rag/wiki", library, answer.Question{Text: question})
			if diff := cmp.Diff(want, basis(result)); diff != "" {
				t.Errorf("%q, %q:\n%s", question, text, diff)
			}
		}
	}
}
