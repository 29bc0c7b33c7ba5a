// Package testset holds a user's own test questions: what a question expects of the sources, what became of it, and the
// figures over all of them. Questions are written by hand ([Read]) or made from headings and stored questions
// ([KnownItems]).
package testset

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"lacuna/knowledge/eval"
	"lacuna/knowledge/passage"
)

// Item is a question and what its asker expects. Only the question is always there.
type Item struct {
	eval.Query
	Line      int      // of the file, from 1; 0 if it was made
	Answers   []string // ways to word what the answer has to say
	Documents []string // each the end of a file's path, a title or a record; any of them will do
	Heading   string   // of the section, within the documents
	Missing   bool     // the sources do not have it
}

// Expects reports whether the item says which part of the sources is right.
func (i Item) Expects() bool { return len(i.Documents) > 0 || i.Heading != "" }

// told reports whether the item says what the answer has to say.
func (i Item) told() bool { return len(i.Answers) > 0 || i.Gold != "" }

// Fits reports whether a passage is where the item expects its answer.
func (i Item) Fits(p *passage.Passage) bool {
	if i.Heading != "" && !strings.EqualFold(p.Title, i.Heading) {
		within := false
		for _, h := range p.Headings {
			within = within || strings.EqualFold(h, i.Heading)
		}
		if !within {
			return false
		}
	}
	for _, d := range i.Documents {
		if d == p.Record || strings.EqualFold(d, p.Title) || endsIn(p.Place.File, d) {
			return true
		}
	}
	return len(i.Documents) == 0
}

// endsIn reports whether a path ends in the parts of another.
func endsIn(path, end string) bool {
	path, end = filepath.ToSlash(path), strings.TrimPrefix(filepath.ToSlash(end), "./")
	return end != "" && (strings.EqualFold(path, end) || len(path) > len(end) && strings.EqualFold(path[len(path)-len(end)-1:], "/"+end))
}

// itemJSON holds the fields beside those of [eval.Query].
type itemJSON struct {
	Answer    texts  `json:"answer,omitempty"`
	Answers   texts  `json:"answers,omitempty"`
	Document  texts  `json:"document,omitempty"`
	Documents texts  `json:"documents,omitempty"`
	Page      texts  `json:"page,omitempty"`
	Heading   string `json:"heading,omitempty"`
	Missing   bool   `json:"missing,omitempty"`
}

// texts is a string or a list of strings.
type texts []string

// UnmarshalJSON implements json.Unmarshaler.
func (t *texts) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*t = texts{one}
		return nil
	}
	var all []string
	if err := json.Unmarshal(data, &all); err != nil {
		return errors.New("expected a text or a list of texts")
	}
	*t = all
	return nil
}

// Read reads test questions: JSON Lines with "question" and any of "id", "answer" or "answers", "document", "documents" or
// "page", "heading", "missing", "options", "gold". The error names the line.
func Read(content []byte) ([]Item, error) {
	var items []Item
	scanner := bufio.NewScanner(bytes.NewReader(content))
	scanner.Buffer(nil, 1<<24)
	for line := 1; scanner.Scan(); line++ {
		text := bytes.TrimSpace(bytes.TrimPrefix(scanner.Bytes(), []byte("\uFEFF")))
		if len(text) == 0 {
			continue
		}
		item, err := parse(text)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		item.Line = line
		if item.ID == "" {
			item.ID = fmt.Sprint(line)
		}
		items = append(items, item)
	}
	if err := scanner.Err(); err != nil {
		return nil, err
	}
	if len(items) == 0 {
		return nil, errors.New("there is no question in it")
	}
	return items, nil
}

func parse(text []byte) (Item, error) {
	var fields map[string]json.RawMessage
	var more itemJSON
	if err := json.Unmarshal(text, &fields); err != nil {
		return Item{}, errors.New("not a JSON object")
	}
	if err := json.Unmarshal(text, &more); err != nil {
		return Item{}, err
	}
	for name := range fields { // what is read here may look otherwise in other query files
		switch name {
		case "id", "qid", "question", "query", "options", "gold":
		default:
			delete(fields, name)
		}
	}
	if fields["id"] == nil && fields["qid"] == nil {
		fields["id"] = json.RawMessage(`"-"`)
	}
	bare, err := json.Marshal(fields)
	if err != nil {
		return Item{}, err
	}
	query, err := eval.NewQueryReader(bytes.NewReader(bare)).Next()
	var wrong *eval.LineError
	if errors.As(err, &wrong) {
		err = wrong.Err
	}
	if err != nil {
		return Item{}, err
	}
	if query.ID == "-" {
		query.ID = ""
	}
	item := Item{Query: query, Heading: more.Heading, Missing: more.Missing}
	item.Answers = append(more.Answer, more.Answers...)
	item.Documents = append(append(more.Document, more.Documents...), more.Page...)
	return item, nil
}

// Write returns items as lines that [Read] reads.
func Write(items []Item) ([]byte, error) {
	var b bytes.Buffer
	for _, i := range items {
		line, err := json.Marshal(struct {
			ID       string `json:"id"`
			Question string `json:"question"`
			itemJSON
		}{i.ID, i.Text, itemJSON{Answers: i.Answers, Documents: i.Documents, Heading: i.Heading, Missing: i.Missing}})
		if err != nil {
			return nil, err
		}
		b.Write(append(line, '\n'))
	}
	return b.Bytes(), nil
}
