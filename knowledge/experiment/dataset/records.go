package dataset

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"lacuna/knowledge/eval"
)

// Titles of the forms that are folders.
const (
	beirTitle    = "a BEIR folder"
	medQuADTitle = "MedQuAD"
)

// itemsOf returns the items of a list, or the value itself.
func itemsOf(raw json.RawMessage) []json.RawMessage {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return []json.RawMessage{raw}
	}
	return list
}

// huatuoRow reads several wordings of a question, which are asked by the first, and its answers.
func huatuoRow(r row, n int) ([]eval.Query, error) {
	return r.consultation(n, "questions", "answers")
}

func huatuoInstructionRow(r row, n int) ([]eval.Query, error) {
	return r.consultation(n, "instruction", "output")
}

func huatuoLiteRow(r row, n int) ([]eval.Query, error) {
	return r.consultation(n, "question", "answer")
}

func (r row) consultation(n int, question, answer string) ([]eval.Query, error) {
	asked, err := r.texts(question)
	if err != nil {
		return nil, err
	}
	said, err := r.texts(answer)
	if err != nil {
		return nil, err
	}
	if len(asked) == 0 {
		return nil, r.fault(question, "expected a question")
	}
	if len(said) == 0 || strings.HasPrefix(said[0], "http") && !strings.ContainsAny(said[0], " \n") {
		return nil, r.fault(answer, "expected an answer, got %s; the consultations are also published with addresses in place of the answers", shown(r.fields[answer]))
	}
	id := r.optional("id")
	if id == "" {
		id = strconv.Itoa(n)
	}
	return []eval.Query{{ID: id, Text: asked[0], Ideal: said}}, nil
}

// medQuADRow reads a pair of MedQuAD as this project's base has it.
func medQuADRow(r row, n int) ([]eval.Query, error) {
	q := eval.Query{ID: r.optional("id"), Type: r.optional("qtype")}
	if q.ID == "" {
		q.ID = strconv.Itoa(n)
	}
	var err error
	if q.Text, err = r.text("question"); err != nil {
		return nil, err
	}
	q.Grades = map[string]int{q.ID: 1}
	q.Ideal, err = r.texts("answer")
	return one(q, err)
}

// isMedQuADXML reports whether a file is a document with pairs.
func isMedQuADXML(f *file, _ []row) bool {
	return f.first() == '<' && bytes.Contains(f.content, []byte("<QAPairs"))
}

// medQuADXML reads the pairs of one document. Pairs whose answer was taken out for copyright are left out.
func medQuADXML(f *file) ([]eval.Query, error) {
	var document struct {
		Pairs []struct {
			Question struct {
				ID   string `xml:"qid,attr"`
				Type string `xml:"qtype,attr"`
				Text string `xml:",chardata"`
			}
			Answer string
		} `xml:"QAPairs>QAPair"`
	}
	if err := xml.Unmarshal(f.content, &document); err != nil {
		return nil, f.fault(0, "no XML: %v", err)
	}
	var all []eval.Query
	for i, pair := range document.Pairs {
		q := eval.Query{ID: pair.Question.ID, Type: pair.Question.Type, Text: strings.Join(strings.Fields(pair.Question.Text), " ")}
		if q.ID == "" || q.Text == "" {
			return nil, f.fault(0, "pair %d: expected a Question with qid and text", i+1)
		}
		if said := strings.TrimSpace(pair.Answer); said != "" {
			q.Ideal, q.Grades = []string{said}, map[string]int{q.ID: 1}
			all = append(all, q)
		}
	}
	return all, nil
}

// readMedQuADFolder reads the documents of a folder and its folders.
func readMedQuADFolder(path string) (Dataset, error) {
	d := Dataset{Form: "medquad"}
	err := filepath.WalkDir(path, func(at string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(at) != ".xml" {
			return err
		}
		f, err := open(at)
		if err != nil {
			return err
		}
		if f.form = medQuADTitle; !isMedQuADXML(f, nil) {
			return f.fault(0, "expected XML with QAPairs")
		}
		questions, err := medQuADXML(f)
		d.Questions = append(d.Questions, questions...)
		return err
	})
	return d, err
}

// sciFactRow reads a claim; the abstracts that it cites are relevant.
func sciFactRow(r row, _ int) ([]eval.Query, error) {
	q := eval.Query{Grades: map[string]int{}}
	var err error
	if q.ID, err = r.text("id"); err != nil {
		return nil, err
	}
	if q.Text, err = r.text("claim"); err != nil {
		return nil, err
	}
	cited, ok := textsOf(r.fields["cited_doc_ids"])
	if !ok {
		return nil, r.fault("cited_doc_ids", "expected a list of abstracts; the test part is published without")
	}
	for _, id := range cited {
		q.Grades[id] = 1
	}
	return []eval.Query{q}, nil
}

// readBEIR reads a folder with corpus.jsonl, queries.jsonl and qrels: the questions that the judgements of the test
// part name, or of the only part there is.
func readBEIR(path string) (Dataset, error) {
	files := func(pattern string) []string { found, _ := filepath.Glob(filepath.Join(path, pattern)); return found }
	asked := files("queries.jsonl*")
	if len(asked) == 0 {
		return Dataset{}, &Fault{File: path, Why: "expected queries.jsonl in this folder", Form: beirTitle}
	}
	judged := files("qrels/*.tsv")
	if test := filepath.Join(path, "qrels", "test.tsv"); slices.Contains(judged, test) {
		judged = []string{test}
	}
	if len(judged) != 1 {
		return Dataset{}, &Fault{File: filepath.Join(path, "qrels"), Why: "expected test.tsv, or one other .tsv file", Form: beirTitle}
	}
	grades, err := ReadQrels(judged[0])
	if err != nil {
		return Dataset{}, err
	}
	f, err := open(asked[0])
	if err != nil {
		return Dataset{}, err
	}
	f.form = beirTitle
	rows, _, err := f.rows()
	if err != nil {
		return Dataset{}, err
	}
	d := Dataset{Form: "beir"}
	for _, r := range rows {
		q := eval.Query{}
		if q.ID, err = r.text("_id"); err != nil {
			return Dataset{}, err
		}
		if q.Grades = grades[q.ID]; q.Grades == nil {
			continue
		}
		if q.Text, err = r.text("text"); err != nil {
			return Dataset{}, err
		}
		d.Questions = append(d.Questions, q)
		delete(grades, q.ID)
	}
	if len(grades) > 0 {
		return Dataset{}, &Fault{File: judged[0], Why: strconv.Itoa(len(grades)) + " questions of it are not in " + filepath.Base(asked[0]) + "; do the files belong together?", Form: beirTitle}
	}
	d.Notes = []string{"relevant documents by " + filepath.Join("qrels", filepath.Base(judged[0]))}
	return d, nil
}
