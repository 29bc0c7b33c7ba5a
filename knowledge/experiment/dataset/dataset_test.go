package dataset

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// write makes files in a folder of the test and returns the folder.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const twoLevels = `{"glaze": {"0000": {"question": "Which oxide turns a glaze blue?", "options": {"A": "tin", "B": "cobalt"}, "answer": "B"}},
 "kiln": {"k-1": {"question": "Is a kiln cooled slowly?", "options": {"A": "yes", "B": "no"}, "answer": "A"}}}`

// read has invented questions in the form of each data set, and the first question that is read of it.
var read = []struct {
	name, file, content string
	form                string
	kind                Kind
	n                   int
	first               string
}{
	{"NQ-open", "open.jsonl", `{"question": "who threw the first pot", "answer": ["Ada Clay", "A. Clay"]}
{"question": "how hot is a kiln", "answer": ["1280 degrees"]}`, "nq-open", Short, 2,
		`{"ID":"1","Text":"who threw the first pot","Exact":[["Ada Clay","A. Clay"]]}`},
	{"SQuAD", "s.json", `{"version": "2.0", "data": [{"title": "Kiln", "paragraphs": [{"context": "A kiln reaches 1280 degrees.", "qas": [
 {"id": "a1", "question": "How hot?", "answers": [{"text": "1280 degrees", "answer_start": 15}, {"text": "1280 degrees", "answer_start": 15}, {"text": "1280", "answer_start": 15}]},
 {"id": "a2", "question": "How large?", "answers": [], "is_impossible": true}]}]}]}`, "squad", Mixed, 2,
		`{"ID":"a1","Text":"How hot?","Exact":[["1280 degrees","1280"]]}`},
	{"WebQuestions", "w.json", `[{"url": "x", "targetValue": "(list (description \"Ada Clay\") (description Bram) (description \"the \\\"old\\\" (one)\"))", "utterance": "who fires pots?"}]`,
		"webquestions", Short, 1, `{"ID":"1","Text":"who fires pots?","Exact":[["Ada Clay","Bram","the \"old\" (one)"]]}`},
	{"WebQuestions as factoids", "w.json", `[
 {"qId": "wqr1", "answers": ["Ada Clay"], "qText": "who fires pots?"}]`, "webquestions", Short, 1,
		`{"ID":"wqr1","Text":"who fires pots?","Exact":[["Ada Clay"]]}`},
	{"ComplexQuestions", "compQ.test.release", "who fired pots before 1900?\t[\"Ada Clay\",\"Bram\"]\n", "complexquestions", Short, 1,
		`{"ID":"1","Text":"who fired pots before 1900?","Exact":[["Ada Clay","Bram"]]}`},
	{"Free917", "free917.json", `[{"utterance": "how many kilns are there", "targetFormula": "(count (fb:kiln x))"}]`, "free917", Open, 1,
		`{"ID":"1","Text":"how many kilns are there"}`},
	{"SKR", "dev.json", `[{"Id": 3, "Question": "who fired pots when the mill burnt?", "Gold answer": ["Bram"], "Type": ["Implicit"], "passages": [[["a"]]]}]`,
		"temporalqa", Short, 1, `{"ID":"3","Text":"who fired pots when the mill burnt?","Type":"Implicit","Exact":[["Bram"]]}`},
	{"Huatuo-26M", "h.jsonl", `{"questions": [["陶土怎么晾干？", "怎样晾干陶土？"]], "answers": ["阴干三天。"]}`, "huatuo", Paragraph, 1,
		`{"ID":"1","Text":"陶土怎么晾干？","Ideal":["阴干三天。"]}`},
	{"Huatuo-26M as instructions", "h.json", `[{"id": "", "instruction": ["陶土怎么晾干？"], "input": "", "output": ["阴干三天。"]}]`, "huatuo", Paragraph, 1,
		`{"ID":"1","Text":"陶土怎么晾干？","Ideal":["阴干三天。"]}`},
	{"MedQA with four options", "q.jsonl", `{"question": "Which oxide is blue?", "answer": "cobalt", "options": {"A": "tin", "B": "cobalt", "C": "iron", "D": "zinc"}, "meta_info": "step1", "answer_idx": "B"}`,
		"medqa", Choice, 1, `{"ID":"1","Text":"Which oxide is blue?","Options":[{"Letter":"A","Text":"tin"},{"Letter":"B","Text":"cobalt"},{"Letter":"C","Text":"iron"},{"Letter":"D","Text":"zinc"}],"Gold":"B"}`},
	{"MedQA with five", "q.jsonl", `{"question": "Which?", "answer": "e", "options": {"A": "a", "B": "b", "C": "c", "D": "d", "E": "e"}, "answer_idx": "E"}`,
		"medqa", Choice, 1, `{"ID":"1","Text":"Which?","Options":[{"Letter":"A","Text":"a"},{"Letter":"B","Text":"b"},{"Letter":"C","Text":"c"},{"Letter":"D","Text":"d"},{"Letter":"E","Text":"e"}],"Gold":"E"}`},
	{"MedMCQA counted from 1", "dev.json", `{"question":"Which?","exp":"Because.","cop":1,"opa":"a","opb":"b","opc":"c","opd":"d","subject_name":"Glaze","id":"x","choice_type":"single"}
{"question":"Which?","exp":null,"cop":4,"opa":"a","opb":"b","opc":"c","opd":"d","subject_name":"Glaze","id":"y","choice_type":"single"}`,
		"medmcqa", Choice, 2, `{"ID":"x","Text":"Which?","Type":"Glaze","Options":[{"Letter":"A","Text":"a"},{"Letter":"B","Text":"b"},{"Letter":"C","Text":"c"},{"Letter":"D","Text":"d"}],"Gold":"A","Ideal":["Because."]}`},
	{"MedMCQA counted from 0", "dev.json", `{"question":"Which?","cop":1,"opa":"a","opb":"b","opc":"c","opd":"d","id":"x"}
{"question":"Which?","cop":0,"opa":"a","opb":"b","opc":"c","opd":"d","id":"y"}`,
		"medmcqa", Choice, 2, `{"ID":"x","Text":"Which?","Options":[{"Letter":"A","Text":"a"},{"Letter":"B","Text":"b"},{"Letter":"C","Text":"c"},{"Letter":"D","Text":"d"}],"Gold":"B"}`},
	{"MMLU", "glaze_test.csv", "\"Which oxide,\nof these, is blue?\",tin,cobalt,iron,zinc,B\n", "mmlu", Choice, 1,
		`{"ID":"glaze-0","Text":"Which oxide,\nof these, is blue?","Type":"glaze","Options":[{"Letter":"A","Text":"tin"},{"Letter":"B","Text":"cobalt"},{"Letter":"C","Text":"iron"},{"Letter":"D","Text":"zinc"}],"Gold":"B"}`},
	{"PubMedQA", "ori_pqal.json", `{
    "11": {"QUESTION": "Does slow cooling help?", "CONTEXTS": ["a"], "YEAR": "2011", "final_decision": "maybe", "LONG_ANSWER": "It may."},
    "12": {"QUESTION": "Is it hot?", "CONTEXTS": [], "final_decision": "yes", "LONG_ANSWER": "Yes."}}`, "pubmedqa", YesNo, 2,
		`{"ID":"11","Text":"Does slow cooling help?","Options":[{"Letter":"A","Text":"yes"},{"Letter":"B","Text":"no"},{"Letter":"C","Text":"maybe"}],"Gold":"C","Ideal":["It may."]}`},
	{"BioASQ", "7B1_golden.json", `{"questions": [
 {"body": "Is it hot?", "type": "yesno", "exact_answer": "yes", "ideal_answer": ["Yes."], "id": "b1", "documents": ["http://www.example.org/pubmed/55"]},
 {"body": "What is blue?", "type": "factoid", "exact_answer": [["cobalt", "Co"]], "ideal_answer": "Cobalt is.", "id": "b2"},
 {"body": "What are oxides?", "type": "list", "exact_answer": [["tin"], ["cobalt", "Co"]], "ideal_answer": ["Tin and cobalt."], "id": "b3"},
 {"body": "Say more.", "type": "summary", "ideal_answer": ["More."], "id": "b4"}]}`, "bioasq", Mixed, 4,
		`{"ID":"b1","Text":"Is it hot?","Type":"yesno","Options":[{"Letter":"A","Text":"yes"},{"Letter":"B","Text":"no"}],"Gold":"A","Grades":{"55":1},"Ideal":["Yes."]}`},
	{"MIRAGE", "benchmark.json", twoLevels, "mirage", Mixed, 2,
		`{"ID":"glaze/0000","Text":"Which oxide turns a glaze blue?","Type":"glaze","Options":[{"Letter":"A","Text":"tin"},{"Letter":"B","Text":"cobalt"}],"Gold":"B"}`},
	{"SciFact", "claims_dev.jsonl", `{"id": 1, "claim": "Cobalt is blue.", "evidence": {}, "cited_doc_ids": [31, 7]}`, "scifact", Ranking, 1,
		`{"ID":"1","Text":"Cobalt is blue.","Grades":{"31":1,"7":1}}`},
	{"MedQuAD", "1.xml", `<?xml version="1.0"?><Document id="1"><Focus>Kiln</Focus><QAPairs>
 <QAPair pid="1"><Question qid="1-1" qtype="use">What is
 a kiln for?</Question><Answer>For firing.</Answer></QAPair>
 <QAPair pid="2"><Question qid="1-2" qtype="use">Why?</Question><Answer></Answer></QAPair></QAPairs></Document>`, "medquad", Paragraph, 1,
		`{"ID":"1-1","Text":"What is a kiln for?","Type":"use","Grades":{"1-1":1},"Ideal":["For firing."]}`},
	{"released predictions", "prediction.json", `[{"id": "g-0", "question": "Which?", "options": {"A": "a", "B": "b"}, "answer": "A", "model_prediction": "B"}]`, "choice", Choice, 1,
		`{"ID":"g-0","Text":"Which?","Options":[{"Letter":"A","Text":"a"},{"Letter":"B","Text":"b"}],"Gold":"A"}`},
	{"our own", "q.jsonl", `{"qid": "1", "question": "Is it hot?", "type": "yesno", "exact": "yes"}`, "lacuna", YesNo, 1,
		`{"ID":"1","Text":"Is it hot?","Type":"yesno","Options":[{"Letter":"A","Text":"yes"},{"Letter":"B","Text":"no"}],"Gold":"A"}`},
	{"our own lines", "q.tsv", "1\tIs it hot?\n2\tHow hot?\n", "lacuna", Open, 2, `{"ID":"1","Text":"Is it hot?"}`},
}

func TestRead(t *testing.T) {
	for _, c := range read {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(write(t, map[string]string{c.file: c.content}), c.file)
			d, err := Read(path, "")
			if err != nil {
				t.Fatal(err)
			}
			if d.Form != c.form || d.Kind != c.kind || len(d.Questions) != c.n {
				t.Errorf("read %s of the kind %s with %d questions; want %s, %s, %d", d.Form, d.Kind, len(d.Questions), c.form, c.kind, c.n)
			}
			if got := brief(t, d.Questions[0]); got != c.first {
				t.Errorf("read\n%s\nwant\n%s", got, c.first)
			}
			if _, err := Read(path, c.form); err != nil {
				t.Errorf("with its form named: %v", err)
			}
		})
	}
}

// brief is a question as JSON without what is empty.
func brief(t *testing.T, q any) string {
	t.Helper()
	encoded, err := json.Marshal(q)
	if err != nil {
		t.Fatal(err)
	}
	text := string(encoded)
	for _, name := range []string{"Type", "Gold", "ID", "Text"} {
		text = strings.ReplaceAll(text, `"`+name+`":"",`, "")
	}
	for _, name := range []string{"Options", "Grades", "Covered", "Retrieve", "Ideal", "Exact"} {
		text = strings.ReplaceAll(text, `"`+name+`":null`, "")
	}
	for strings.Contains(text, ",,") {
		text = strings.ReplaceAll(text, ",,", ",")
	}
	return strings.ReplaceAll(text, ",}", "}")
}

func TestReadCompressed(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write([]byte(`{"question": "who", "answer": ["a"]}`))
	_ = w.Close()
	dir := write(t, map[string]string{"NQ-open.dev.jsonl.gz": packed.String()})
	d, err := Read(filepath.Join(dir, "NQ-open.dev.jsonl.gz"), "nq-open")
	if err != nil || len(d.Questions) != 1 || d.Name != "NQ-open" {
		t.Errorf("Read = %+v, %v", d, err)
	}
}

func TestReadBEIR(t *testing.T) {
	dir := write(t, map[string]string{
		"corpus.jsonl":    `{"_id": "d1", "title": "Kiln", "text": "Hot."}`,
		"queries.jsonl":   `{"_id": "q1", "text": "How hot?", "metadata": {}}` + "\n" + `{"_id": "q2", "text": "Why?"}` + "\n",
		"qrels/test.tsv":  "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\n",
		"qrels/train.tsv": "query-id\tcorpus-id\tscore\nq2\td1\t1\n",
	})
	d, err := Read(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	if got := brief(t, d.Questions); got != `[{"ID":"q1","Text":"How hot?","Grades":{"d1":2,"d2":0}}]` || d.Kind != Ranking {
		t.Errorf("read %s, %s", got, d.Kind)
	}
}

func TestReadFolders(t *testing.T) {
	dir := write(t, map[string]string{"a_test.csv": "Q?,a,b,c,d,A\n", "b_test.csv": "Q?,a,b,c,d,D\n"})
	if d, err := Read(dir, ""); err != nil || len(d.Questions) != 2 || d.Questions[1].ID != "b-0" {
		t.Errorf("MMLU: %+v, %v", d, err)
	}
	pair := func(id string) string {
		return `<Document><QAPairs><QAPair><Question qid="` + id + `">Why?</Question><Answer>So.</Answer></QAPair></QAPairs></Document>`
	}
	dir = write(t, map[string]string{"1_QA/1.xml": pair("1"), "2_QA/2.xml": pair("2")})
	if d, err := Read(dir, ""); err != nil || len(d.Questions) != 2 {
		t.Errorf("MedQuAD: %+v, %v", d, err)
	}
}

// TestFaults holds that what is wrong is said with its file, line and field, and what was expected.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ name, form, content, want string }{
		{"a missing field", "medqa", `{"question": "Which?", "options": {"A": "a", "B": "b"}, "answer_idx": "A"}
{"question": "Which?", "options": {"A": "a", "B": "b"}}`, `DIR/q.jsonl:2: the field "answer_idx": is missing (read as MedQA-US)`},
		{"a letter that no option has", "", `{"question": "Which?", "options": {"A": "a", "B": "b"}, "answer_idx": "E"}`,
			`DIR/q.jsonl:1: the field "answer_idx": expected the letter of an option (A, B), got "E" (read as MedQA-US)`},
		{"another set", "medqa", `{"question": "who", "answer": ["a"]}`,
			`DIR/q.jsonl: this is NQ-open, not MedQA-US, which has question, options and answer_idx`},
		{"an unknown form", "medqas", `{}`, `no data set has the form "medqas"; known: `},
		{"no data set", "", `{"name": "x", "size": 3}`, `DIR/q.jsonl: no known form of a data set (its first record has the fields name, size); known: mirage, `},
		{"cut off", "", `[{"question": "who", "answer": ["a"]},
{"question": "wh`, `DIR/q.jsonl:2: the JSON is not complete; was the file cut off?`},
		{"no JSON", "", `[{"question": "who", "answer": ["a"]},
{"question": who}]`, `DIR/q.jsonl:2: no JSON: `},
		{"an empty answer", "", `{"question": "who", "answer": ["a"]}

{"question": "who", "answer": []}`, `DIR/q.jsonl:3: the field "answer": expected at least one answer (read as NQ-open)`},
		{"an empty question", "", `{"question": "who", "answer": ["a"]}
{"question": " ", "answer": ["b"]}`, `DIR/q.jsonl:2: the field "question": expected a text, got " " (read as NQ-open)`},
		{"an empty file", "", " \n", `DIR/q.jsonl: the file is empty`},
		{"no UTF-8", "", "{\"question\": \"\xff\"}", `DIR/q.jsonl: not UTF-8`},
		{"a decision that is none", "", "{\n\"11\": {\"QUESTION\": \"Q?\", \"final_decision\": \"yes\"},\n\"12\": {\"QUESTION\": \"Q?\"}}",
			`DIR/q.jsonl:3: the field "final_decision": is missing (read as PubMedQA)`},
		{"MIRAGE without an answer", "", strings.Replace(twoLevels, `"answer": "A"`, `"answer": "C"`, 1),
			`DIR/q.jsonl:2: the field "answer": expected the letter of an option (A, B), got "C" (read as the MIRAGE benchmark)`},
		{"addresses for answers", "", `{"questions": "怎么？", "answers": "https://example.org/1"}`,
			`DIR/q.jsonl:1: the field "answers": expected an answer, got "https://example.org/1"; `},
		{"an own line", "", `{"qid": "1", "question": "Q?", "relevant": 3}`, `DIR/q.jsonl:1: relevant: expected a list of records`},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := write(t, map[string]string{"q.jsonl": c.content})
			d, err := Read(filepath.Join(dir, "q.jsonl"), c.form)
			if err == nil {
				t.Fatalf("read %+v", d)
			}
			if got := filepath.ToSlash(strings.ReplaceAll(err.Error(), dir, "DIR")); !strings.HasPrefix(got, c.want) {
				t.Errorf("said\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestFaultsOfBEIR(t *testing.T) {
	for _, c := range []struct {
		name, want string
		files      map[string]string
	}{
		{"no judgements", "expected test.tsv", map[string]string{"queries.jsonl": `{"_id": "q1", "text": "Q?"}`}},
		{"a wrong score", `test.tsv:2: expected a whole number as the grade, got "x"`, map[string]string{"queries.jsonl": `{"_id": "q1", "text": "Q?"}`, "qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\tx\n"}},
		{"questions of another set", "1 questions of it are not in queries.jsonl", map[string]string{"queries.jsonl": `{"_id": "q1", "text": "Q?"}`, "qrels/test.tsv": "q1\td1\t1\nq9\td1\t1\n"}},
	} {
		_, err := Read(write(t, c.files), "")
		if fault := (*Fault)(nil); !errors.As(err, &fault) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

func TestOf(t *testing.T) {
	dir := write(t, map[string]string{"b.json": read[16].content})
	d, err := Read(filepath.Join(dir, "b.json"), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []Kind{YesNo, Choice} {
		if some := d.Of(kind); some.Kind != kind || len(some.Questions) != 1 {
			t.Errorf("of %s: %+v", kind, some)
		}
	}
	if len(d.Questions) != 2 {
		t.Error("the whole set was changed")
	}
}

func TestReadReplies(t *testing.T) {
	dir := write(t, map[string]string{"test_0000.json": `["{\"answer_choice\": \"B\"}"]`, "b/benchmark.json": twoLevels})
	questions, err := Read(filepath.Join(dir, "b", "benchmark.json"), "")
	if err != nil {
		t.Fatal(err)
	}
	replies, err := ReadReplies(dir, "", &questions)
	if err != nil || len(replies) != 1 || replies[0].Gold != "B" || len(replies[0].Options) != 2 || replies[0].Reply != `{"answer_choice": "B"}` {
		t.Errorf("MIRAGE: %+v, %v", replies, err)
	}
	dir = write(t, map[string]string{"p.json": `[{"id": "g-0", "options": {"A": "a", "B": "b"}, "answer": "A", "model_prediction": "Dict{}"}]`})
	replies, err = ReadReplies(filepath.Join(dir, "p.json"), "", nil)
	if err != nil || len(replies) != 1 || replies[0].Gold != "A" || replies[0].Reply != "Dict{}" {
		t.Errorf("MedRGAG: %+v, %v", replies, err)
	}
	dir = write(t, map[string]string{"p.json": `[{"id": "g-0", "said": "x"}]`})
	if _, err = ReadReplies(filepath.Join(dir, "p.json"), "", nil); err == nil || !strings.Contains(err.Error(), `p.json:1: the field "reply"`) {
		t.Errorf("without a reply: %v", err)
	}
}

// TestGoldsOfReplies reads right answers in every form in which files have them.
func TestGoldsOfReplies(t *testing.T) {
	for _, test := range []struct{ name, lines, want string }{
		{"letter", `{"reply": "B", "options": {"A": "x", "B": "y"}, "gold": "b"}`, "B"},
		{"text", `{"reply": "B", "options": ["x", "y"], "gold": "Y"}`, "B"},
		{"number from 0", `{"reply": "B", "options": ["x", "y", "z"], "gold": 1}`, "B"},
		{"number in quotes", `{"reply": "B", "options": ["x", "y", "z"], "answer": "1"}`, "B"},
		{"number from 1", `{"reply": "B", "options": ["x", "y"], "gold": 1}` + "\n" + `{"reply": "B", "options": ["x", "y"], "gold": 2}`, "A B"},
		{"a 0 among them", `{"reply": "B", "options": ["x", "y", "z"], "gold": 0}` + "\n" + `{"reply": "B", "options": ["x", "y"], "gold": 1}`, "A B"},
		{"an option that is a number", `{"reply": "B", "options": ["2", "1"], "gold": "1"}`, "B"},
		{"list", `{"response": "B", "options": ["x", "y", "z"], "gold": ["z", "A"]}`, "C+A"},
		{"none", `{"reply": "B", "options": ["x", "y"], "gold": null}`, ""},
		{"open", `{"reply": "Paris", "options": null, "gold": ["Paris", "Paris, France"]}`, "Paris+Paris, France"},
	} {
		dir := write(t, map[string]string{"r.jsonl": test.lines})
		replies, err := ReadReplies(filepath.Join(dir, "r.jsonl"), "", nil)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		var got []string
		for _, r := range replies {
			got = append(got, strings.Join(r.Golds, "+"))
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
	for lines, want := range map[string]string{
		`{"reply": "B", "options": ["x", "y"], "gold": 7}`:   `r.jsonl:1: the field "gold": expected the letter, the text or the number of an option (A, B, or 0 to 1), got 7`,
		`{"reply": "B", "options": ["x", "y"], "gold": "q"}`: `the field "gold": expected`,
		`{"said": "B"}`: `the field "reply": is missing`,
		`{"reply": "B", "options": ["x"], "gold": "A"}`: `the field "options": expected two or more texts`,
	} {
		dir := write(t, map[string]string{"r.jsonl": lines})
		if _, err := ReadReplies(filepath.Join(dir, "r.jsonl"), "", nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", lines, err)
		}
	}
	dir := write(t, map[string]string{"r.jsonl": `{"id": 1, "cot_response": "B"}`})
	if replies, err := ReadReplies(filepath.Join(dir, "r.jsonl"), "cot_response", nil); err != nil || replies[0].Reply != "B" {
		t.Errorf("a named field: %v, %v", replies, err)
	}
}

// FuzzRead holds that no content makes reading fail otherwise than with an error, and that what is read is sound.
func FuzzRead(f *testing.F) {
	for _, c := range read {
		f.Add(c.content)
	}
	f.Fuzz(func(t *testing.T, content string) {
		path := filepath.Join(t.TempDir(), "set")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := Read(path, "")
		if err != nil {
			return
		}
		ids := map[string]bool{}
		for _, q := range d.Questions {
			if q.Text == "" || q.ID == "" || ids[q.ID] {
				t.Errorf("read the question %+v", q)
			}
			ids[q.ID] = true
		}
	})
}
