package dataset

import (
	"encoding/csv"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"lacuna/knowledge/eval"
	"lacuna/prompts"
)

// choice reads a question with options, and which of them is right.
func (r row) choice(id, options, gold string) (eval.Query, error) {
	q := eval.Query{ID: id}
	var err error
	if q.Text, err = r.text("question"); err != nil {
		return q, err
	}
	if q.Options, err = r.options(options); err != nil {
		return q, err
	}
	q.Gold, err = r.letter(gold, q.Options)
	return q, err
}

// medQARow reads four or five options; the set with four has the same fields.
func medQARow(r row, n int) ([]eval.Query, error) {
	return one(r.choice(strconv.Itoa(n), "options", "answer_idx"))
}

// choiceRow reads any question with options and a letter, such as those of released predictions.
func choiceRow(r row, n int) ([]eval.Query, error) {
	id := strconv.Itoa(n)
	for _, field := range []string{"qid", "id"} {
		if r.has(field) {
			id = r.optional(field)
			break
		}
	}
	gold := "gold"
	if !r.has(gold) {
		gold = "answer"
	}
	q, err := r.choice(id, "options", gold)
	q.Type = r.optional("dataset") // of a file that holds several
	return one(q, err)
}

// mirageRow reads a question of the benchmark; its ID begins with its set, such as medqa/0000.
func mirageRow(r row, _ int) ([]eval.Query, error) {
	q, err := r.choice(r.group+"/"+r.key, "options", "answer")
	q.Type = r.group
	return one(q, err)
}

// medMCQABase finds out whether "cop" counts from 1, as first published, or from 0, as in later copies.
func medMCQABase(f *file, rows []row) []string {
	f.base = 1
	seen := map[string]bool{}
	for _, r := range rows {
		seen[r.optional("cop")] = true
	}
	if seen["0"] {
		f.base = 0
	} else if !seen["4"] {
		return []string{`no "cop" is 0 or 4, so it is taken to count from 1, as MedMCQA was first published`}
	}
	return nil
}

func medMCQARow(r row, n int) ([]eval.Query, error) {
	q := eval.Query{ID: r.optional("id"), Type: r.optional("subject_name")}
	if q.ID == "" {
		q.ID = strconv.Itoa(n)
	}
	var err error
	if q.Text, err = r.text("question"); err != nil {
		return nil, err
	}
	var texts []string
	for _, field := range []string{"opa", "opb", "opc", "opd"} {
		text, err := r.text(field)
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	q.Options = lettered(texts)
	number, err := strconv.Atoi(r.optional("cop"))
	if number -= r.from.base; err != nil || number < 0 || number >= len(texts) {
		return nil, r.fault("cop", "expected the number of an option from %d to %d, got %s; the test part is published without", r.from.base, r.from.base+3, shown(r.fields["cop"]))
	}
	q.Gold = q.Options[number].Letter
	if why := r.optional("exp"); why != "" {
		q.Ideal = []string{why}
	}
	return []eval.Query{q}, nil
}

// pubMedQARow reads a question that is answered by yes, no or maybe; its contexts are left out.
func pubMedQARow(r row, _ int) ([]eval.Query, error) {
	q := eval.Query{ID: r.key, Options: yesNoMaybe}
	var err error
	if q.Text, err = r.text("QUESTION"); err != nil {
		return nil, err
	}
	if q.Gold, err = r.letter("final_decision", q.Options); err != nil {
		return nil, err
	}
	if long := r.optional("LONG_ANSWER"); long != "" {
		q.Ideal = []string{long}
	}
	return []eval.Query{q}, nil
}

// bioASQRow reads a question of any of the four types: yesno has options, factoid and list have facts, and
// summary has whole sentences alone.
func bioASQRow(r row, n int) ([]eval.Query, error) {
	q := eval.Query{ID: r.optional("id")}
	if q.ID == "" {
		q.ID = strconv.Itoa(n)
	}
	var err error
	if q.Text, err = r.text("body"); err != nil {
		return nil, err
	}
	if q.Type, err = r.text("type"); err != nil {
		return nil, err
	}
	if q.Ideal, _ = textsOf(r.fields["ideal_answer"]); len(q.Ideal) == 0 && q.Type == "summary" {
		return nil, r.fault("ideal_answer", "expected an answer to a question of the type summary")
	}
	if documents, ok := textsOf(r.fields["documents"]); ok && len(documents) > 0 {
		q.Grades = map[string]int{}
		for _, document := range documents {
			q.Grades[document[strings.LastIndexByte(document, '/')+1:]] = 1
		}
	}
	switch q.Type {
	case "yesno":
		q.Options = yesNo
		said, err := r.texts("exact_answer")
		if err != nil {
			return nil, err
		}
		if len(said) == 1 {
			for _, o := range yesNo {
				if strings.EqualFold(strings.Trim(said[0], ". "), o.Text) {
					q.Gold = o.Letter
				}
			}
		}
		if q.Gold == "" {
			return nil, r.fault("exact_answer", "expected yes or no, got %s", shown(r.fields["exact_answer"]))
		}
	case "factoid", "list":
		if q.Exact, err = r.facts("exact_answer", q.Type == "list"); err != nil {
			return nil, err
		}
	case "summary":
	default:
		return nil, r.fault("type", "expected factoid, list, yesno or summary, got %s", shown(r.fields["type"]))
	}
	return []eval.Query{q}, nil
}

// facts reads the facts of a list, each with its ways to write it; or else all as ways to write one.
func (r row) facts(field string, several bool) ([][]string, error) {
	all, err := r.texts(field)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, r.fault(field, "expected at least one answer")
	}
	if !several {
		return anyOf(all), nil
	}
	var facts [][]string
	for _, item := range itemsOf(r.fields[field]) {
		if ways, ok := textsOf(item); ok && len(ways) > 0 {
			facts = append(facts, ways)
		}
	}
	return facts, nil
}

// mmluColumns are the question, four options and the letter.
const mmluColumns = 6

// isMMLU reports whether the first record has the columns of MMLU.
func isMMLU(f *file, rows []row) bool {
	if len(rows) > 0 {
		return false
	}
	reader := csv.NewReader(strings.NewReader(string(f.content)))
	record, err := reader.Read()
	return err == nil && len(record) == mmluColumns && len(record[mmluColumns-1]) == 1
}

func mmluLines(f *file) ([]eval.Query, error) {
	reader := csv.NewReader(strings.NewReader(string(f.content)))
	reader.FieldsPerRecord = -1
	records, err := reader.ReadAll()
	if broken := (*csv.ParseError)(nil); errors.As(err, &broken) {
		return nil, f.fault(broken.Line, "no CSV: %v", broken.Err)
	}
	subject := strings.TrimSuffix(filepath.Base(f.name), filepath.Ext(f.name))
	for _, part := range []string{"_test", "_dev", "_val"} {
		subject = strings.TrimSuffix(subject, part)
	}
	var all []eval.Query
	for i, record := range records {
		if len(record) != mmluColumns {
			return nil, f.fault(i+1, "record %d: expected %d columns (question, four options, letter), got %d", i+1, mmluColumns, len(record))
		}
		q := eval.Query{ID: subject + "-" + strconv.Itoa(i), Text: strings.TrimSpace(record[0]), Type: subject, Options: lettered(record[1:5])}
		letter := strings.TrimSpace(record[5])
		if slices.ContainsFunc(q.Options, func(o prompts.Option) bool { return o.Letter == letter }) {
			q.Gold = letter
		}
		if q.Gold == "" || q.Text == "" {
			return nil, f.fault(i+1, "record %d: expected a question and a letter from A to D in the last column, got %q", i+1, letter)
		}
		all = append(all, q)
	}
	return all, nil
}
