package eval

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lacuna/prompts"
)

func TestReadQueries(t *testing.T) {
	yes, no := true, false
	for _, test := range []struct {
		name, text string
		want       []Query
		problem    string
	}{
		{"tab-separated", "1\tWhat?\r\n\n2\t Why\tso? \n", []Query{{ID: "1", Text: "What?"}, {ID: "2", Text: "Why\tso?"}}, ""},
		{"JSON Lines with other fields", "\uFEFF{\"qid\":\"a\",\"question\":\"What?\",\"year\":7}\n{\"qid\":7,\"query\":\"Why?\"}", []Query{{ID: "a", Text: "What?"}, {ID: "7", Text: "Why?"}}, ""},
		{"labels", `{"qid":"a","question":"Q","type":"factoid","relevant":["x",3],"covered":true,"ideal":"I","exact":[["e","f"],"g"]}`,
			[]Query{{ID: "a", Text: "Q", Type: "factoid", Grades: map[string]int{"x": 1, "3": 1}, Covered: &yes, Ideal: []string{"I"}, Exact: [][]string{{"e", "f"}, {"g"}}}}, ""},
		{"grades, several ideal answers, one fact", `{"qid":"a","question":"Q","relevant":{"x":4,"y":0},"ideal":["I","J"],"exact":"yes"}`,
			[]Query{{ID: "a", Text: "Q", Grades: map[string]int{"x": 4, "y": 0}, Ideal: []string{"I", "J"}, Exact: [][]string{{"yes"}}}}, ""},
		{"options by letter, id", `{"id":"a","question":"Q","options":{"B":" two ","A":"one"}}`,
			[]Query{{ID: "a", Text: "Q", Options: []prompts.Option{{Letter: "A", Text: "one"}, {Letter: "B", Text: "two"}}}}, ""},
		{"options below the question", `{"qid":"a","question":"Which?\nA) one\nB) two","gold":"two"}`,
			[]Query{{ID: "a", Text: "Which?", Options: []prompts.Option{{Letter: "A", Text: "one"}, {Letter: "B", Text: "two"}}, Gold: "B"}}, ""},
		{"whether to search", `{"qid":"a","question":"Q","label":"ir worse"}` + "\n" + `{"qid":"b","question":"Q","label":"same"}` + "\n" + `{"qid":"c","question":"Q","label":7,"retrieve":true}`,
			[]Query{{ID: "a", Text: "Q", Retrieve: &no}, {ID: "b", Text: "Q"}, {ID: "c", Text: "Q", Retrieve: &yes}}, ""},
		{"options in a list", `{"qid":"a","question":"Q","options":["one","two"]}`,
			[]Query{{ID: "a", Text: "Q", Options: []prompts.Option{{Letter: "A", Text: "one"}, {Letter: "B", Text: "two"}}}}, ""},
		{"options under words", `{"qid":"a","question":"Q","options":{"yes":"one"}}`, nil, "line 1: options: expected texts under single letters from A to Z"},
		{"options in a text", `{"qid":"a","question":"Q","options":"A or B"}`, nil, "line 1: options: expected a list of texts, or texts by letter"},
		{"nulls", `{"qid":"a","question":"Q","relevant":null,"covered":null,"ideal":null,"exact":null}`, []Query{{ID: "a", Text: "Q"}}, ""},
		{"nothing", "\n\n", nil, ""},
		{"no tab", "1\tWhat?\nWhy?\n", nil, "line 2: expected a JSON object with qid and question, or qid, a tab and the question"},
		{"no question", `{"qid":"a"}`, nil, "line 1: expected the fields qid and question"},
		{"half an object", `{"qid":"a","question"`, nil, "line 1: unexpected end of JSON input"},
		{"odd labels", `{"qid":"a","question":"Q","relevant":3}`, nil, "line 1: relevant: expected a list of records or an object of grades"},
		{"bad bytes", "1\tWhat\xff?", nil, "line 1: not UTF-8"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var packed bytes.Buffer
			zip := gzip.NewWriter(&packed)
			if _, err := zip.Write([]byte(test.text)); err != nil {
				t.Fatal(err)
			}
			if err := zip.Close(); err != nil {
				t.Fatal(err)
			}
			for name, text := range map[string]string{"plain": test.text, "gzip": packed.String()} {
				got, err := ReadQueries(strings.NewReader(text))
				if test.problem != "" {
					if err == nil || err.Error() != test.problem {
						t.Errorf("%s: error %v, want %s", name, err, test.problem)
					}
				} else if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
					t.Errorf("%s: error %v, queries (-want +got):\n%s", name, err, diff)
				}
			}
		})
	}
}

func FuzzReadQueries(f *testing.F) {
	f.Add([]byte("1\tWhat?\n"))
	f.Add([]byte(`{"qid":"a","question":"Q","relevant":{"x":1},"exact":[["e"],"g"],"ideal":["I"]}`))
	f.Add([]byte{0x1f, 0x8b, 8, 0})
	f.Fuzz(func(t *testing.T, text []byte) {
		queries, err := ReadQueries(bytes.NewReader(text))
		if err != nil {
			return
		}
		for _, q := range queries {
			if q.ID == "" || q.Text == "" {
				t.Errorf("a query without id or text: %+v", q)
			}
		}
	})
}
