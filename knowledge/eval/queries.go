package eval

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"lacuna/knowledge/question"
	"lacuna/prompts"
)

// Query is one question of a query file, with what people say its answer is. Only ID and Text
// are always there.
type Query struct {
	ID   string
	Text string
	// Type is the kind of question as the file says, such as "factoid"; it may be empty.
	Type string
	// Options lists the answers to choose from, by letter; none for an open question. They may be written below the
	// question.
	Options []prompts.Option
	// Gold is the letter of the right option; empty means not known.
	Gold string
	// Grades holds the relevant records with their grade; a plain list grades each 1. Nil means
	// that the file does not say.
	Grades map[string]int
	// Retrieve says whether searching is better than answering without; nil means not known, or that both are alike.
	Retrieve *bool
	// Covered says whether the base holds what the question needs; nil means not known.
	Covered *bool
	// Ideal lists answers in whole sentences as people wrote them.
	Ideal []string
	// Exact lists the facts that a right answer names, each with the ways to write it.
	Exact [][]string
}

// maxQueryLine is the length in bytes of the longest line that is read.
const maxQueryLine = 16 << 20

// ReadQueries reads all that a [QueryReader] reads, up to the first line that is no question.
func ReadQueries(r io.Reader) ([]Query, error) {
	var queries []Query
	for reader := NewQueryReader(r); ; {
		switch query, err := reader.Next(); {
		case err == io.EOF:
			return queries, nil
		case err != nil:
			return nil, err
		default:
			queries = append(queries, query)
		}
	}
}

// QueryReader reads JSON Lines with "qid" (or "id") and "question" (or "query"), or lines of
// "qid<TAB>question"; either may be gzip-compressed. Which of them it is, the first bytes tell. Blank
// lines and a byte order mark are skipped.
type QueryReader struct {
	from  io.Reader
	lines *bufio.Reader // nil before the first bytes have come
	line  int           // number of the last one read
}

// NewQueryReader returns a reader that reads nothing before it is asked for a question.
func NewQueryReader(r io.Reader) *QueryReader { return &QueryReader{from: r} }

// LineError says that a line is not a question. The lines after it can still be read.
type LineError struct {
	Line int // from 1
	Err  error
}

// Error implements error.
func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns what is wrong with the line.
func (e *LineError) Unwrap() error { return e.Err }

// Next returns the next question as soon as its line is there. If a line is not a question the error is a
// *[LineError], after which Next may be called again; at the end it is [io.EOF].
func (r *QueryReader) Next() (Query, error) {
	if r.lines == nil {
		if err := r.open(); err != nil {
			return Query{}, err
		}
	}
	for {
		text, err := r.read()
		if err != nil {
			return Query{}, err
		}
		text = strings.TrimSpace(strings.TrimPrefix(text, "\uFEFF"))
		if text == "" {
			continue
		}
		query, err := parseQuery(text)
		if err != nil {
			return Query{}, &LineError{r.line, err}
		}
		return query, nil
	}
}

// open looks whether the text is compressed.
func (r *QueryReader) open() error {
	r.lines = bufio.NewReader(r.from)
	if magic, _ := r.lines.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return nil
	}
	plain, err := gzip.NewReader(r.lines)
	if err != nil {
		return err
	}
	r.lines = bufio.NewReader(plain)
	return nil
}

// read returns the next line. Of one that is too long nothing is kept.
func (r *QueryReader) read() (string, error) {
	var line []byte
	long := false
	r.line++
	for {
		part, err := r.lines.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxQueryLine; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err != nil && err != io.EOF:
			return "", fmt.Errorf("line %d: %w", r.line, err)
		case long:
			return "", &LineError{r.line, fmt.Errorf("longer than %d MB", maxQueryLine>>20)}
		case err == io.EOF && len(line) == 0:
			return "", io.EOF
		}
		return string(line), nil
	}
}

func parseQuery(line string) (Query, error) {
	if !utf8.ValidString(line) {
		return Query{}, errors.New("not UTF-8")
	}
	if line[0] == '{' {
		return parseJSONQuery(line)
	}
	id, asked, found := strings.Cut(line, "\t")
	if id, asked = strings.TrimSpace(id), strings.TrimSpace(asked); !found || id == "" || asked == "" {
		return Query{}, errors.New("expected a JSON object with qid and question, or qid, a tab and the question")
	}
	query := Query{ID: id, Text: asked}
	query.Text, query.Options = question.SplitOptions(asked)
	return query, nil
}

func parseJSONQuery(line string) (Query, error) {
	var row struct {
		QID, ID         json.RawMessage
		Question, Query string
		Type            string
		Options         json.RawMessage
		Relevant        json.RawMessage
		Covered         *bool
		Retrieve        *bool
		Label           json.RawMessage
		Ideal, Exact    json.RawMessage
		Answers, Gold   json.RawMessage
	}
	if err := json.Unmarshal([]byte(line), &row); err != nil {
		return Query{}, err
	}
	query := Query{ID: plainText(row.QID), Text: row.Question, Type: row.Type, Covered: row.Covered, Retrieve: row.Retrieve}
	if query.Retrieve == nil {
		query.Retrieve = retrieveBy(plainText(row.Label))
	}
	if query.ID == "" {
		query.ID = plainText(row.ID)
	}
	if query.Text == "" {
		query.Text = row.Query
	}
	if query.Text = strings.TrimSpace(query.Text); query.ID == "" || query.Text == "" {
		return Query{}, errors.New("expected the fields qid and question")
	}
	var err error
	if query.Options, err = parseOptions(row.Options); err != nil {
		return Query{}, err
	}
	if len(query.Options) == 0 {
		query.Text, query.Options = question.SplitOptions(query.Text)
	}
	if query.Grades, err = parseGrades(row.Relevant); err != nil {
		return Query{}, err
	}
	if query.Ideal, err = parseIdeal(row.Ideal); err != nil {
		return Query{}, err
	}
	if query.Exact, err = parseExact(row.Exact); err != nil {
		return Query{}, err
	}
	if ways, err := parseIdeal(row.Answers); err != nil {
		return Query{}, errors.New("answers: expected a string or a list of strings")
	} else if len(ways) > 0 && query.Exact == nil {
		query.Exact = [][]string{ways}
	}
	if err := query.setGold(row.Gold); err != nil {
		return Query{}, err
	}
	return query, nil
}

// retrieveBy reads the labels of the public sets of decisions: whether the answer with retrieval ("ir") is the better one.
func retrieveBy(label string) *bool {
	switch better := label == "ir better"; {
	case better, label == "ir worse":
		return &better
	}
	return nil
}

// setGold reads the right option, by its letter or its text; without options, the acceptable answers.
func (q *Query) setGold(raw json.RawMessage) error {
	golds, err := parseIdeal(raw)
	switch {
	case err != nil:
		return errors.New("gold: expected a string or a list of strings")
	case len(golds) == 0:
		return nil
	case len(q.Options) == 0:
		if q.Exact == nil {
			q.Exact = [][]string{golds}
		}
		return nil
	}
	gold := strings.TrimSpace(golds[0])
	at := slices.IndexFunc(q.Options, func(o prompts.Option) bool {
		return strings.EqualFold(o.Letter, gold) || strings.EqualFold(o.Text, gold)
	})
	if at < 0 || len(golds) > 1 {
		return errors.New("gold: expected the letter of one option")
	}
	q.Gold = q.Options[at].Letter
	return nil
}

// plainText returns a JSON string or number as text, and anything else as "".
func plainText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var number json.Number
	if json.Unmarshal(raw, &number) == nil {
		return number.String()
	}
	return ""
}

// parseGrades reads a list of records or an object of grades.
func parseGrades(raw json.RawMessage) (map[string]int, error) {
	if absent(raw) {
		return nil, nil
	}
	grades := map[string]int{}
	if raw[0] == '{' {
		if err := json.Unmarshal(raw, &grades); err != nil {
			return nil, errors.New("relevant: expected whole numbers as grades")
		}
		return grades, nil
	}
	var records []json.RawMessage
	if err := json.Unmarshal(raw, &records); err != nil {
		return nil, errors.New("relevant: expected a list of records or an object of grades")
	}
	for i, record := range records {
		id := plainText(record)
		if id == "" {
			return nil, errors.New("relevant: expected a name at place " + strconv.Itoa(i+1))
		}
		grades[id] = 1
	}
	return grades, nil
}

// parseIdeal reads one answer or a list of them.
func parseIdeal(raw json.RawMessage) ([]string, error) {
	if absent(raw) {
		return nil, nil
	}
	if text := plainText(raw); text != "" {
		return []string{text}, nil
	}
	var all []string
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, errors.New("ideal: expected a string or a list of strings")
	}
	return all, nil
}

// parseExact reads the shapes in which facts come: one, a list of facts, or a list of lists of
// ways to write each.
func parseExact(raw json.RawMessage) ([][]string, error) {
	if absent(raw) {
		return nil, nil
	}
	if text := plainText(raw); text != "" {
		return [][]string{{text}}, nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, errors.New("exact: expected a string or a list")
	}
	facts := make([][]string, 0, len(list))
	for _, item := range list {
		ways, err := parseIdeal(item)
		if err != nil {
			return nil, errors.New("exact: expected strings or lists of strings in the list")
		}
		facts = append(facts, ways)
	}
	return facts, nil
}

func absent(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// parseOptions reads the answers to choose from: an object of texts by letter, or a list of texts,
// which get the letters from A on.
func parseOptions(value json.RawMessage) ([]prompts.Option, error) {
	if value = bytes.TrimSpace(value); len(value) == 0 || string(value) == "null" {
		return nil, nil
	}
	var options []prompts.Option
	var list []string
	var byLetter map[string]string
	switch {
	case json.Unmarshal(value, &list) == nil:
		for i, text := range list {
			options = append(options, prompts.Option{Letter: string(rune('A' + i)), Text: strings.TrimSpace(text)})
		}
	case json.Unmarshal(value, &byLetter) == nil:
		for _, letter := range slices.Sorted(maps.Keys(byLetter)) {
			options = append(options, prompts.Option{Letter: strings.TrimSpace(letter), Text: strings.TrimSpace(byLetter[letter])})
		}
	default:
		return nil, errors.New("options: expected a list of texts, or texts by letter")
	}
	for _, o := range options {
		if len(o.Letter) != 1 || o.Letter[0] < 'A' || o.Letter[0] > 'Z' || o.Text == "" {
			return nil, errors.New("options: expected texts under single letters from A to Z")
		}
	}
	return options, nil
}
