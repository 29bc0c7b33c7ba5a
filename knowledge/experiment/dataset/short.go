package dataset

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"lacuna/knowledge/eval"
)

// anyOf makes acceptable answers one fact; nil if there are none.
func anyOf(answers []string) [][]string {
	answers = slices.Compact(slices.Clone(answers))
	if len(answers) == 0 {
		return nil
	}
	return [][]string{answers}
}

func one(q eval.Query, err error) ([]eval.Query, error) {
	if err != nil {
		return nil, err
	}
	return []eval.Query{q}, nil
}

// answered reads a question and its acceptable answers.
func (r row) answered(id, question, answers string) (eval.Query, error) {
	text, err := r.text(question)
	if err != nil {
		return eval.Query{}, err
	}
	golds, err := r.texts(answers)
	if err == nil && len(golds) == 0 {
		err = r.fault(answers, "expected at least one answer")
	}
	return eval.Query{ID: id, Text: text, Exact: anyOf(golds)}, err
}

func nqOpenRow(r row, n int) ([]eval.Query, error) {
	return one(r.answered(strconv.Itoa(n), "question", "answer"))
}

// squadRow reads the paragraphs of one article. A question that its paragraph does not answer has no answer.
func squadRow(r row, _ int) ([]eval.Query, error) {
	var paragraphs []struct {
		QAs []struct {
			ID         json.RawMessage
			Question   string
			Answers    []struct{ Text string }
			Impossible bool `json:"is_impossible"`
		}
	}
	if err := json.Unmarshal(r.fields["paragraphs"], &paragraphs); err != nil {
		return nil, r.fault("paragraphs", "expected paragraphs with qas: %v", err)
	}
	var all []eval.Query
	for i, p := range paragraphs {
		for j, qa := range p.QAs {
			id, _ := textOf(qa.ID)
			q := eval.Query{ID: id, Text: strings.TrimSpace(qa.Question)}
			if q.Text == "" || q.ID == "" {
				return nil, r.fault("paragraphs", "paragraph %d, question %d: expected id and question", i+1, j+1)
			}
			var golds []string
			for _, a := range qa.Answers {
				if text := strings.TrimSpace(a.Text); !slices.Contains(golds, text) && text != "" {
					golds = append(golds, text)
				}
			}
			if q.Exact = anyOf(golds); q.Exact == nil {
				if !qa.Impossible {
					return nil, r.fault("paragraphs", "paragraph %d, question %d: expected answers", i+1, j+1)
				}
				q.Type = "unanswerable"
			}
			all = append(all, q)
		}
	}
	return all, nil
}

// webQuestionsRow reads a question with its answers as (list (description "…") …).
func webQuestionsRow(r row, n int) ([]eval.Query, error) {
	text, err := r.text("utterance")
	if err != nil {
		return nil, err
	}
	target, err := r.text("targetValue")
	if err != nil {
		return nil, err
	}
	answers := descriptions(target)
	if len(answers) == 0 {
		return nil, r.fault("targetValue", "expected (list (description …)), got %s", shown(r.fields["targetValue"]))
	}
	return []eval.Query{{ID: strconv.Itoa(n), Text: text, Exact: anyOf(answers)}}, nil
}

// descriptions returns what stands in the (description …) of a target, quoted or one word.
func descriptions(target string) []string {
	const opening = "(description "
	var all []string
	for {
		at := strings.Index(target, opening)
		if at < 0 {
			return all
		}
		target = target[at+len(opening):]
		end := strings.IndexByte(target, ')')
		if strings.HasPrefix(target, `"`) {
			end = 1
			for end < len(target) && (target[end] != '"' || target[end-1] == '\\') {
				end++
			}
			end++
		}
		if end < 0 || end > len(target) {
			return all
		}
		said := target[:end]
		if plain, err := strconv.Unquote(said); err == nil {
			said = plain
		}
		if said = strings.TrimSpace(said); said != "" {
			all = append(all, said)
		}
		target = target[end:]
	}
}

// factoidRow reads the form of the factoid question sets made from WebQuestions.
func factoidRow(r row, n int) ([]eval.Query, error) {
	id := r.optional("qId")
	if id == "" {
		id = strconv.Itoa(n)
	}
	return one(r.answered(id, "qText", "answers"))
}

// free917Row reads a question with a formula. Where people added answers to it, it reads these.
func free917Row(r row, n int) ([]eval.Query, error) {
	text, err := r.text("utterance")
	if err != nil {
		return nil, err
	}
	q := eval.Query{ID: strconv.Itoa(n), Text: text}
	for _, field := range []string{"answers", "answer"} {
		if r.has(field) && q.Exact == nil {
			answers, err := r.texts(field)
			if err != nil {
				return nil, err
			}
			q.Exact = anyOf(answers)
		}
	}
	return []eval.Query{q}, nil
}

func temporalRow(r row, n int) ([]eval.Query, error) {
	id := r.optional("Id")
	if id == "" {
		id = strconv.Itoa(n)
	}
	q, err := r.answered(id, "Question", "Gold answer")
	if kinds, ok := textsOf(r.fields["Type"]); ok {
		q.Type = strings.Join(kinds, ", ")
	}
	return one(q, err)
}

// isComplexQuestions reports whether the first line has a question and a list of answers.
func isComplexQuestions(f *file, _ []row) bool {
	for _, line := range f.lines() {
		_, answers, found := strings.Cut(line, "\t")
		return found && strings.HasPrefix(strings.TrimSpace(answers), "[")
	}
	return false
}

func complexQuestionsLines(f *file) ([]eval.Query, error) {
	var all []eval.Query
	for n, line := range f.lines() {
		text, list, _ := strings.Cut(line, "\t")
		answers, ok := textsOf(json.RawMessage(list))
		if text = strings.TrimSpace(text); !ok || text == "" || len(answers) == 0 {
			return nil, f.fault(n, "expected a question, a tab and a JSON list of answers")
		}
		all = append(all, eval.Query{ID: strconv.Itoa(n), Text: text, Exact: anyOf(answers)})
	}
	return all, nil
}

// isOwn reports whether the first record is one that [eval.ReadQueries] reads.
func isOwn(_ *file, rows []row) bool {
	return len(rows) > 0 && (rows[0].has("qid") || rows[0].has("id")) && (rows[0].has("question") || rows[0].has("query"))
}

// isTabbed reports whether the first line is qid, tab, question.
func isTabbed(f *file, rows []row) bool {
	for _, line := range f.lines() {
		id, question, found := strings.Cut(line, "\t")
		return len(rows) == 0 && found && id != "" && question != "" && !strings.Contains(question, "\t")
	}
	return false
}

func ownLines(f *file) ([]eval.Query, error) {
	questions, err := eval.ReadQueries(strings.NewReader(string(f.content)))
	if line := (*eval.LineError)(nil); errors.As(err, &line) {
		return nil, f.fault(line.Line, "%v", line.Err)
	}
	for i := range questions {
		asYesNo(&questions[i])
	}
	return questions, err
}

// asYesNo gives a question of the type yesno its two options.
func asYesNo(q *eval.Query) {
	if q.Type != "yesno" || len(q.Options) > 0 || len(q.Exact) != 1 || len(q.Exact[0]) != 1 {
		return
	}
	said := strings.Trim(q.Exact[0][0], ". ")
	for _, o := range yesNo {
		if strings.EqualFold(said, o.Text) {
			q.Options, q.Gold, q.Exact = yesNo, o.Letter, nil
		}
	}
}
