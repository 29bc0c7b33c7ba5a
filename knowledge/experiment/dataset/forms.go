package dataset

import (
	"slices"

	"lacuna/knowledge/eval"
)

// Form is a form in which question sets are published.
type Form struct {
	Name  string // such as medqa
	Title string // for people
	Has   string // what tells it apart, for people
	notes []string

	shape   string   // of the JSON; empty means any
	fields  []string // that the first record has
	is      func(f *file, rows []row) bool
	row     func(r row, n int) ([]eval.Query, error)
	plain   func(f *file) ([]eval.Query, error)        // reads what is no JSON, instead of row
	prepare func(f *file, rows []row) (notes []string) // looks at the whole file first
}

// forms lists all of them, each before those that its records would also fit.
var forms = []Form{
	{Name: "mirage", Title: "the MIRAGE benchmark", Has: "question, options and answer by set and ID", shape: "by key in groups", fields: []string{"question", "options", "answer"}, row: mirageRow},
	{Name: "pubmedqa", Title: "PubMedQA", Has: "QUESTION and final_decision by PMID", shape: "by key", fields: []string{"QUESTION"}, row: pubMedQARow,
		notes: []string{"the contexts are not given to the systems (PubMedQA*)"}},
	{Name: "bioasq", Title: "a BioASQ golden set", Has: "a list questions with body, type and exact_answer", shape: "questions", fields: []string{"body"}, row: bioASQRow},
	{Name: "squad", Title: "SQuAD", Has: "a list data with paragraphs and qas", shape: "data", fields: []string{"paragraphs"}, row: squadRow},
	{Name: "medmcqa", Title: "MedMCQA", Has: "question, opa to opd and cop", fields: []string{"question", "opa", "opb"}, row: medMCQARow, prepare: medMCQABase},
	{Name: "medqa", Title: "MedQA-US", Has: "question, options and answer_idx", fields: []string{"question", "options", "answer_idx"}, row: medQARow},
	{Name: "webquestions", Title: "WebQuestions", Has: "utterance and targetValue, or qText and answers", fields: []string{"utterance", "targetValue"}, row: webQuestionsRow},
	{Name: "webquestions", Title: "WebQuestions", fields: []string{"qText"}, row: factoidRow},
	{Name: "free917", Title: "Free917", Has: "utterance and targetFormula", fields: []string{"utterance", "targetFormula"}, row: free917Row,
		notes: []string{"Free917 is published with formulas and without answers: nothing can be scored until answers are added"}},
	{Name: "temporalqa", Title: "TemporalQA (SKR)", Has: "Question and \"Gold answer\"", fields: []string{"Question", "Gold answer"}, row: temporalRow},
	{Name: "huatuo", Title: "Huatuo-26M", Has: "questions and answers, or instruction and output", fields: []string{"questions", "answers"}, row: huatuoRow},
	{Name: "huatuo", Title: "Huatuo-26M", fields: []string{"instruction", "output"}, row: huatuoInstructionRow},
	{Name: "huatuo", Title: "Huatuo-26M", fields: []string{"question", "answer", "related_diseases"}, row: huatuoLiteRow},
	{Name: "medquad", Title: medQuADTitle, Has: "XML with QAPairs, or question, answer, focus and qtype", fields: []string{"question", "answer", "focus"}, row: medQuADRow},
	{Name: "medquad", Title: medQuADTitle, is: isMedQuADXML, plain: medQuADXML},
	{Name: "scifact", Title: "SciFact claims", Has: "id, claim and cited_doc_ids", fields: []string{"id", "claim"}, row: sciFactRow},
	{Name: "choice", Title: "questions with options", Has: "question, options and answer or gold", fields: []string{"question", "options", "answer"}, row: choiceRow},
	{Name: "choice", Title: "questions with options", fields: []string{"id", "question", "options", "gold"}, row: choiceRow},
	{Name: "nq-open", Title: "NQ-open", Has: "question and a list answer", fields: []string{"question", "answer"}, is: lacks("qid", "id"), row: nqOpenRow},
	{Name: "beir", Title: beirTitle, Has: "queries.jsonl and qrels/*.tsv"},
	{Name: "lacuna", Title: "questions for lacuna", Has: "qid (or id) and question (or query)", shape: "lines", fields: nil, is: isOwn, plain: ownLines},
	{Name: "complexquestions", Title: "ComplexQuestions", Has: "lines of a question, a tab and a JSON list of answers", is: isComplexQuestions, plain: complexQuestionsLines},
	{Name: "mmlu", Title: "MMLU", Has: "CSV with a question, four options and a letter, without a heading", is: isMMLU, plain: mmluLines},
	{Name: "lacuna", Title: "questions for lacuna", is: isTabbed, plain: ownLines},
}

// Forms lists the forms that [Read] knows, each once.
func Forms() []Form {
	var all []Form
	for _, f := range forms {
		if f.Has != "" {
			all = append(all, f)
		}
	}
	return all
}

func names() []string {
	var all []string
	for _, f := range Forms() {
		all = append(all, f.Name)
	}
	return all
}

func formNamed(name string) Form {
	for _, f := range forms {
		if f.Name == name {
			return f
		}
	}
	return Form{}
}

// formOf returns the form of a file by its first record, or nil.
func formOf(f *file, rows []row, shape string) *Form {
	for i := range forms {
		form := &forms[i]
		switch {
		case form.row == nil && form.plain == nil,
			form.shape != "" && form.shape != shape,
			len(form.fields) > 0 && (len(rows) == 0 || !rows[0].has(form.fields...)),
			form.is != nil && !form.is(f, rows),
			form.fields == nil && form.is == nil:
			continue
		}
		return form
	}
	return nil
}

// lacks says that the first record has none of the fields.
func lacks(fields ...string) func(*file, []row) bool {
	return func(_ *file, rows []row) bool {
		return !slices.ContainsFunc(fields, func(name string) bool { return rows[0].has(name) })
	}
}
