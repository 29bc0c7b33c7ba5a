package eval

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"lacuna/prompts"
)

// Query is one question of a query file, with what people say its answer is. Only ID and Text
// are always there.
type Query struct {
	ID   string
	Text string
	// Type is the kind of question as the file says, such as "factoid"; it may be empty.
	Type string
	// Options are the answers to choose from, by letter; none for an open question.
	Options []prompts.Option
	// Grades holds the relevant records with their grade; a plain list grades each 1. Nil means
	// that the file does not say.
	Grades map[string]int
	// Covered says whether the base holds what the question needs; nil means not known.
	Covered *bool
	// Ideal are answers in whole sentences as people wrote them.
	Ideal []string
	// Exact are the facts a right answer names, each with the ways to write it.
	Exact [][]string
}

// maxQueryLine is the length in bytes of the longest line that is read.
const maxQueryLine = 16 << 20

// ReadQueries reads JSON Lines with "qid" (or "id") and "question" (or "query"), or lines of
// "qid<TAB>question"; either may be gzip-compressed. Which of them it is, the first bytes tell.
// Blank lines and a byte order mark are skipped. An error names the line.
func ReadQueries(r io.Reader) ([]Query, error) {
	text := bufio.NewReader(r)
	if magic, _ := text.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		plain, err := gzip.NewReader(text)
		if err != nil {
			return nil, err
		}
		text = bufio.NewReader(plain)
	}
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, maxQueryLine)
	var queries []Query
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\uFEFF"))
		if line == "" {
			continue
		}
		query, err := parseQuery(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		queries = append(queries, query)
	}
	return queries, lines.Err()
}

func parseQuery(line string) (Query, error) {
	if !utf8.ValidString(line) {
		return Query{}, errors.New("not UTF-8")
	}
	if line[0] == '{' {
		return parseJSONQuery(line)
	}
	id, question, found := strings.Cut(line, "\t")
	if id, question = strings.TrimSpace(id), strings.TrimSpace(question); !found || id == "" || question == "" {
		return Query{}, errors.New("expected a JSON object with qid and question, or qid, a tab and the question")
	}
	return Query{ID: id, Text: question}, nil
}

func parseJSONQuery(line string) (Query, error) {
	var row struct {
		QID, ID         json.RawMessage
		Question, Query string
		Type            string
		Options         json.RawMessage
		Relevant        json.RawMessage
		Covered         *bool
		Ideal, Exact    json.RawMessage
	}
	if err := json.Unmarshal([]byte(line), &row); err != nil {
		return Query{}, err
	}
	query := Query{ID: plainText(row.QID), Text: row.Question, Type: row.Type, Covered: row.Covered}
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
	if query.Grades, err = parseGrades(row.Relevant); err != nil {
		return Query{}, err
	}
	if query.Ideal, err = parseIdeal(row.Ideal); err != nil {
		return Query{}, err
	}
	query.Exact, err = parseExact(row.Exact)
	return query, err
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
