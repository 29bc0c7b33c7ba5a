package gate

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"

	"lacuna/knowledge/eval"
	"lacuna/knowledge/passage"
	"lacuna/prompts"
)

// row is one line of a history file. Some things have several names, so that public data sets can be read
// unchanged.
type row struct {
	ID       string          `json:"id"`
	QID      string          `json:"qid"`
	Dataset  string          `json:"dataset"`
	Source   string          `json:"data_source"`
	Model    string          `json:"model"`
	Question string          `json:"question"`
	Query    string          `json:"query"`
	Options  json.RawMessage `json:"options"`
	Gold     json.RawMessage `json:"gold"`
	Label    Label           `json:"label"`
	LeftOut  bool            `json:"left_out"`

	Closed          *string  `json:"closed"`
	ClosedChoice    string   `json:"closed_choice"`
	ClosedScore     *float64 `json:"closed_score"`
	Retrieved       *string  `json:"retrieved"`
	RetrievedChoice string   `json:"retrieved_choice"`
	RetrievedScore  *float64 `json:"retrieved_score"`

	Check      prompts.Class `json:"check"`
	Confidence *float64      `json:"closed_confidence"`

	CotResponse *string  `json:"cot_response"`
	CotChoice   string   `json:"cot_choice"`
	CotEM       *float64 `json:"cot_em"`
	CotF1       *float64 `json:"cot_f1"`
	IRResponse  *string  `json:"ir_response"`
	IRChoice    string   `json:"ir_choice"`
	IREM        *float64 `json:"ir_em"`
	IRF1        *float64 `json:"ir_f1"`
}

// maxRow is the maximal length of a line in bytes.
const maxRow = 4 << 20

// Read reads a history: JSON Lines with "question", "closed" and "retrieved" (the two answers),
// "closed_choice" and "retrieved_choice" for questions with "options", and "gold", or "closed_score" and
// "retrieved_score", or a "label". A row without a question takes it, with its options, from the question
// with the same id; questions may be nil. The file may be gzip-compressed. An error names the line.
func Read(r io.Reader, questions map[string]Question) ([]Item, error) {
	var items []Item
	err := eachRow(r, func(v row) error {
		i, err := v.item(questions)
		if err == nil {
			items = append(items, i)
		}
		return err
	})
	return items, err
}

// ReadQuestions reads JSON Lines with "id", "question" and "options", by id.
func ReadQuestions(r io.Reader) (map[string]Question, error) {
	questions := make(map[string]Question)
	err := eachRow(r, func(v row) error {
		options, err := readOptions(v.Options)
		if err == nil {
			questions[v.id()] = Question{ID: v.id(), Text: v.Question, Options: options}
		}
		return err
	})
	return questions, err
}

// EachQuestion reads questions to decide about and calls do with each as soon as its line is there: JSON Lines
// with "question", "options", "model" and the answer of the model alone as "closed" and "closed_choice",
// of which only the question is required. A history can be read as well. For a line that is not a question
// do gets the error, with the line number; an error of do ends the reading.
func EachQuestion(r io.Reader, questions map[string]Question, do func(q Question, err error) error) error {
	return eachLine(r, func(line int, v row, err error) error {
		var q Question
		if err == nil {
			q, err = v.question(questions)
		}
		if err != nil {
			return do(Question{}, fmt.Errorf("line %d: %w", line, err))
		}
		q.Closed = v.closed()
		return do(q, nil)
	})
}

// eachRow calls do with the rows up to the first that cannot be read. An error names the line.
func eachRow(r io.Reader, do func(row) error) error {
	return eachLine(r, func(line int, v row, err error) error {
		if err == nil {
			err = do(v)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
		return nil
	})
}

// eachLine calls do with every line, as a row or with an error, until do returns an error.
func eachLine(r io.Reader, do func(line int, v row, err error) error) error {
	text := bufio.NewReader(r)
	if magic, _ := text.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		plain, err := gzip.NewReader(text)
		if err != nil {
			return err
		}
		text = bufio.NewReader(plain)
	}
	scanner := bufio.NewScanner(text)
	scanner.Buffer(make([]byte, 0, 1<<16), maxRow)
	line := 1
	for ; scanner.Scan(); line++ {
		text := bytes.TrimSpace(bytes.TrimPrefix(scanner.Bytes(), []byte("\uFEFF")))
		if len(text) == 0 {
			continue
		}
		var v row
		err := decode(text, &v)
		if err != nil { // a line that could not be read whole: its cause comes first
			err = cmp.Or(scanner.Err(), err)
		}
		if err := do(line, v, err); err != nil {
			return err
		}
	}
	switch err := scanner.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return fmt.Errorf("line %d: longer than %d MB", line, maxRow>>20)
	case err != nil:
		return fmt.Errorf("line %d: %w", line, err)
	}
	return nil
}

// decode reads a row. Its error names a field of the wrong type as the file does.
func decode(text []byte, v *row) error {
	err := json.Unmarshal(text, v)
	var other *json.UnmarshalTypeError
	switch {
	case !errors.As(err, &other):
		return err
	case other.Field == "":
		return fmt.Errorf("a row is an object, found %s", other.Value)
	}
	return fmt.Errorf("%s: found %s", other.Field, other.Value)
}

func (v row) id() string {
	if v.ID != "" {
		return v.ID
	}
	return v.QID
}

// question returns the question of a row, completed by the question with the same id.
func (v row) question(questions map[string]Question) (Question, error) {
	q := questions[v.id()]
	q.ID, q.Model, q.Text = v.id(), v.Model, first(v.Question, v.Query, q.Text)
	if strings.TrimSpace(q.Text) == "" {
		return q, errors.New("no question")
	}
	q.Check, q.Confidence = v.Check, v.Confidence
	switch {
	case !slices.Contains([]prompts.Class{"", prompts.Clear, prompts.Incomplete, prompts.Ambiguous}, v.Check):
		return q, fmt.Errorf("check is %q, not clear, incomplete or ambiguous", v.Check)
	case v.Confidence != nil && (*v.Confidence < 0 || *v.Confidence > 1):
		return q, fmt.Errorf("closed_confidence is %g, not in 0..1", *v.Confidence)
	case len(v.Options) == 0:
		return q, nil
	}
	var err error
	q.Options, err = readOptions(v.Options)
	return q, err
}

func (v row) closed() *Response {
	return response(v.Closed, v.CotResponse, first(v.ClosedChoice, v.CotChoice))
}

func (v row) item(questions map[string]Question) (Item, error) {
	q, err := v.question(questions)
	if err != nil {
		return Item{}, err
	}
	i := Item{Question: q, Dataset: first(v.Dataset, v.Source), LeftOut: v.LeftOut}
	closed := v.closed()
	retrieved := response(v.Retrieved, v.IRResponse, first(v.RetrievedChoice, v.IRChoice))
	switch {
	case closed == nil && retrieved == nil: // the row says how good both were
		closed, retrieved = &Response{Hidden: true}, &Response{Hidden: true}
	case retrieved == nil:
		retrieved = &Response{}
	}
	i.Closed, i.Retrieved = closed, *retrieved
	if i.Golds, err = readStrings(v.Gold); err != nil {
		return Item{}, fmt.Errorf("gold: %w", err)
	}
	i.compare(v)
	if err := i.rate(v); err != nil {
		return Item{}, err
	}
	for _, score := range []float64{i.Score[0], i.Score[1], i.EM[0], i.EM[1], i.F1[0], i.F1[1]} {
		if score < 0 || score > 1 { // NaN is not known, and neither
			return Item{}, fmt.Errorf("a score of %g, which is not in 0..1", score)
		}
	}
	return i, nil
}

// response returns an answer under one of two names, or nil.
func response(text, otherText *string, choice string) *Response {
	if text == nil && otherText == nil && choice == "" {
		return nil
	}
	return &Response{Text: first(deref(text), deref(otherText)), Choice: choice}
}

// compare sets how near the answers to an open question are to the gold ones: as the row says, or by their
// texts.
func (i *Item) compare(v row) {
	said := [2][2]*float64{{v.CotEM, v.CotF1}, {v.IREM, v.IRF1}}
	for n, r := range []*Response{i.Closed, &i.Retrieved} {
		i.EM[n], i.F1[n] = math.NaN(), math.NaN()
		switch {
		case len(i.Options) > 0 || r == nil:
		case said[n][0] != nil && said[n][1] != nil:
			i.EM[n], i.F1[n] = *said[n][0], *said[n][1]
		case len(i.Golds) > 0 && !r.Hidden:
			i.F1[n] = eval.WordOverlap(r.Text, i.Golds).F1
			i.EM[n] = 0
			if eval.ExactMatch(r.Text, i.Golds) {
				i.EM[n] = 1
			}
		}
	}
}

// rate sets how good the two answers are: as the row says, or by the gold, or by the label alone.
func (i *Item) rate(v row) error {
	closed, retrieved := v.ClosedScore, v.RetrievedScore
	if closed == nil && retrieved == nil {
		closed, retrieved = v.CotEM, v.IREM
	}
	switch {
	case closed != nil && retrieved != nil:
		i.Score = [2]float64{*closed, *retrieved}
	case len(i.Golds) > 0 && !i.Retrieved.Hidden:
		i.Score = [2]float64{i.quality(i.Closed), i.quality(&i.Retrieved)}
		if d := i.Score[1] - i.Score[0]; i.long() && max(d, -d) < deadZone {
			i.Score[1] = i.Score[0]
		}
	case v.Label == Better || v.Label == Worse || v.Label == Same:
		i.Score = v.Label.scores()
	default:
		return errors.New("neither scores nor gold nor label")
	}
	return nil
}

const (
	longGold = 10  // words from which an answer is a paragraph, compared by ROUGE-L
	deadZone = .02 // within which two paragraphs are equally good
)

func (i *Item) long() bool {
	return len(i.Options) == 0 && slices.ContainsFunc(i.Golds, func(g string) bool { return len(eval.Words(g)) > longGold })
}

// quality returns the quality of an answer in 0..1.
func (i *Item) quality(r *Response) float64 {
	switch {
	case r == nil:
		return 0
	case len(i.Options) > 0:
		if r.Choice != "" && slices.Contains(i.Golds, r.Choice) {
			return 1
		}
		return 0
	case i.long():
		best := 0.0
		for _, gold := range i.Golds {
			best = max(best, eval.ROUGEL(eval.Words(r.Text), eval.Words(gold)).F1)
		}
		return best
	case eval.ExactMatch(r.Text, i.Golds) || eval.CoverMatch(r.Text, i.Golds):
		return 1
	}
	return 0
}

// readOptions reads options as an object of letters or as a list.
func readOptions(raw json.RawMessage) ([]prompts.Option, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var byLetter map[string]string
	if json.Unmarshal(raw, &byLetter) == nil {
		var options []prompts.Option
		for _, letter := range sortedKeys(byLetter) {
			options = append(options, prompts.Option{Letter: letter, Text: byLetter[letter]})
		}
		return options, nil
	}
	var list []string
	if err := json.Unmarshal(raw, &list); err != nil || len(list) > 26 {
		return nil, errors.New("options are neither an object nor a list of at most 26")
	}
	var options []prompts.Option
	for n, text := range list {
		options = append(options, prompts.Option{Letter: string(rune('A' + n)), Text: text})
	}
	return options, nil
}

// readStrings reads a string or a list of strings.
func readStrings(raw json.RawMessage) ([]string, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var one string
	if json.Unmarshal(raw, &one) == nil {
		return []string{one}, nil
	}
	var list []string
	err := json.Unmarshal(raw, &list)
	return list, err
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// first returns the first string that is not empty.
func first(all ...string) string {
	for _, s := range all {
		if s != "" {
			return s
		}
	}
	return ""
}

// SplitLeaked removes from a history the questions whose own source is among the passages. A base that explains
// the very questions of the history gives a gate the answers, and what the gate learns holds for no other
// question: 785 explanations of questions of the history raised a learned gate from within chance to two
// points.
//
// A question is from a passage if it is its stored question or its title in the same words, or if its identity
// equals the passage's record or shares a number with it: a run of at least seven hexadecimal digits. An item
// whose source was hidden while it was answered is kept.
func SplitLeaked(history []Item, passages []*passage.Passage) (kept, dropped []Item) {
	records, questions := make(map[string]bool), make(map[string]bool)
	for _, p := range passages {
		for _, key := range keysOf(p.Record) {
			records[key] = true
		}
		for _, text := range []string{p.Question, p.Title} {
			if words := eval.Words(text); len(words) >= minWords {
				questions[strings.Join(words, " ")] = true
			}
		}
	}
	for _, i := range history {
		if !i.LeftOut && (questions[eval.Normalize(i.Text)] || anyOf(records, keysOf(i.ID))) {
			dropped = append(dropped, i)
		} else {
			kept = append(kept, i)
		}
	}
	return kept, dropped
}

// minWords is the number of words that a question or title needs to identify a source.
const minWords = 3

// numbers matches what the identities of records and of questions made from them share.
var numbers = regexp.MustCompile(`[0-9a-f]{7,}`)

// keysOf returns the keys by which an identity is compared. Runs of letters alone are words, not keys.
func keysOf(id string) []string {
	id = strings.ToLower(strings.TrimSpace(id))
	if id == "" {
		return nil
	}
	keys := []string{"=" + id}
	for _, run := range numbers.FindAllString(id, -1) {
		if strings.ContainsAny(run, "0123456789") {
			keys = append(keys, run)
		}
	}
	return keys
}

func anyOf(set map[string]bool, keys []string) bool {
	for _, key := range keys {
		if set[key] {
			return true
		}
	}
	return false
}
