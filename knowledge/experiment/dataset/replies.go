package dataset

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"lacuna/prompts"
)

// Reply is what a model once replied to a question, with what is known of that.
type Reply struct {
	ID      string
	Reply   string
	Options []prompts.Option
	Gold    string // letter of the right option, or of the first of several; empty if it is not known
	// Golds holds the letters of all right options, or of a question without options the right answers.
	Golds []string
}

// ReadReplies reads recorded replies: a folder of MIRAGE with a file test_ID.json for each question, or a file of objects
// with the field, or if it is empty one of reply, model_prediction (MedRGAG), chain_of_thought_gpt3 (SKR) and others. Right answers stand in gold or answer: the
// letter or the text of an option, its number from 0 (from 1 if a number in the file is that of the last option and none is 0), or a
// list of these; without options, a text or a list of texts. Options are texts by letter, or a list of texts. Options and
// letters that the replies do not have are taken from the questions, which may be nil.
func ReadReplies(path, field string, questions *Dataset) ([]Reply, error) {
	parts, err := filepath.Glob(filepath.Join(path, "test_*.json"))
	if err != nil {
		return nil, err
	}
	slices.Sort(parts)
	var all []Reply
	for _, part := range parts {
		f, err := open(part)
		if err != nil {
			return nil, err
		}
		f.form = "replies of MIRAGE"
		said, ok := textsOf(f.content)
		if !ok {
			return nil, f.fault(1, "expected a list with one reply, got %s", shown(f.content))
		}
		id := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(part), "test_"), ".json")
		all = append(all, Reply{ID: id, Reply: strings.Join(said, "\n")})
	}
	if len(parts) == 0 {
		if all, err = readPredictions(path, field); err != nil {
			return nil, err
		}
	}
	if questions != nil {
		for i := range all {
			all[i].complete(questions)
		}
	}
	return all, nil
}

// complete takes options and letter from the question with the same ID; a set of MIRAGE puts its name before that.
func (r *Reply) complete(questions *Dataset) {
	for _, q := range questions.Questions {
		if q.ID == r.ID || strings.HasSuffix(q.ID, "/"+r.ID) {
			if len(r.Options) == 0 {
				r.Options = q.Options
			}
			if len(r.Golds) == 0 && q.Gold != "" {
				r.Gold, r.Golds = q.Gold, []string{q.Gold}
			}
			for _, fact := range q.Exact {
				if r.Gold == "" {
					r.Golds = append(r.Golds, fact...)
				}
			}
			return
		}
	}
}

// replyFields may hold the reply.
var replyFields = []string{"reply", "model_prediction", "chain_of_thought_gpt3", "response", "prediction", "output", "completion"}

func others(fields []string) string {
	if len(fields) == 0 {
		return ""
	}
	return ", and so are " + strings.Join(fields, ", ")
}

func readPredictions(path, named string) ([]Reply, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	rows, _, err := f.rows()
	if err != nil {
		return nil, err
	}
	f.form = "recorded replies"
	f.base = firstNumber(rows)
	var all []Reply
	for _, r := range rows {
		var reply Reply
		for _, field := range []string{"id", "Id", "qid"} {
			if reply.ID == "" {
				reply.ID = r.optional(field)
			}
		}
		if reply.ID == "" {
			reply.ID = strconv.Itoa(r.line)
		}
		fields := replyFields
		if named != "" {
			fields = []string{named}
		}
		at := slices.IndexFunc(fields, func(field string) bool { return r.has(field) })
		if at < 0 {
			return nil, r.fault(fields[0], "is missing%s", others(fields[1:]))
		}
		raw := r.fields[fields[at]]
		reply.Reply, _ = textOf(raw)
		if given, has := r.fields["options"]; has && string(given) != "null" {
			if reply.Options, err = r.options("options"); err != nil {
				return nil, err
			}
		}
		if err := r.golds(&reply); err != nil {
			return nil, err
		}
		all = append(all, reply)
	}
	if len(all) == 0 {
		return nil, f.fault(0, "it holds no reply")
	}
	return all, nil
}

// goldFields may hold the right answer.
var goldFields = []string{"gold", "answer", "answers", "gold_answers"}

// firstNumber tells by all rows whether options are counted from 0 or from 1.
func firstNumber(rows []row) int {
	base := 0
	for _, r := range rows {
		options, err := r.options("options")
		for _, field := range goldFields {
			n, isNumber := r.number(field)
			switch {
			case err != nil || !isNumber:
			case n == 0:
				return 0
			case n == len(options):
				base = 1
			}
		}
	}
	return base
}

// number returns a field that is a whole number.
func (r row) number(field string) (int, bool) {
	n, err := strconv.Atoi(r.optional(field))
	return n, err == nil
}

// golds fills in the right answers, if the row has them.
func (r row) golds(reply *Reply) error {
	for _, field := range goldFields {
		if raw, has := r.fields[field]; !has || string(raw) == "null" {
			continue
		}
		texts, err := r.texts(field)
		if err != nil {
			return err
		}
		for _, text := range texts {
			if len(reply.Options) > 0 {
				letter := letterIn(text, reply.Options)
				if n, err := strconv.Atoi(text); letter == "" && err == nil && n >= r.from.base && n-r.from.base < len(reply.Options) {
					letter = reply.Options[n-r.from.base].Letter
				}
				if letter == "" {
					return r.fault(field, "expected the letter, the text or the number of an option (%s, or %d to %d), got %s",
						lettersOf(reply.Options), r.from.base, r.from.base+len(reply.Options)-1, shown(r.fields[field]))
				}
				text = letter
			}
			reply.Golds = append(reply.Golds, text)
		}
		if len(reply.Options) > 0 && len(reply.Golds) > 0 {
			reply.Gold = reply.Golds[0]
		}
		return nil
	}
	return nil
}
