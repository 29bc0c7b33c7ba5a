// Package dataset reads question sets in the forms in which they are published, and this project's own.
//
// Begin with [Read]: it tells the form of a file or folder by its content. [Forms] lists the forms.
package dataset

import (
	"path/filepath"
	"slices"
	"strings"

	"lacuna/knowledge/eval"
	"lacuna/knowledge/question"
)

// Dataset is a set of questions with what people say their answers are.
type Dataset struct {
	Name      string // of its file or folder, without endings
	Form      string // the name of a [Form]
	Language  string // a tag such as en or zh
	Kind      Kind
	Questions []eval.Query
	// Notes say what is special about the set: what it lacks, and what its reader decided.
	Notes []string
}

// Kind says what a right answer looks like, and so which measures fit.
type Kind string

// The kinds. Mixed is of a set whose questions differ, Open of one without answers.
const (
	Short     Kind = "short"     // a phrase: exact match, F1
	Paragraph Kind = "paragraph" // sentences: ROUGE, BLEU
	Choice    Kind = "choice"    // one of the options: accuracy
	YesNo     Kind = "yesno"     // yes, no or maybe, as options: accuracy
	Ranking   Kind = "ranking"   // records to be found: nDCG, recall
	Mixed     Kind = "mixed"
	Open      Kind = "open"
)

// KindOf returns the kind of one question.
func KindOf(q eval.Query) Kind {
	switch {
	case len(q.Options) > 0 && !slices.ContainsFunc(q.Options, notYesNo):
		return YesNo
	case len(q.Options) > 0:
		return Choice
	case len(q.Exact) > 0:
		return Short
	case len(q.Ideal) > 0:
		return Paragraph
	case q.Grades != nil:
		return Ranking
	}
	return Open
}

// Of returns the questions of one kind as a set of their own.
func (d Dataset) Of(kind Kind) Dataset {
	if kind == d.Kind {
		return d
	}
	d.Kind = kind
	d.Questions = slices.DeleteFunc(slices.Clone(d.Questions), func(q eval.Query) bool { return KindOf(q) != kind })
	return d
}

// Part returns the questions of one set of a file that holds several, such as medqa of the MIRAGE benchmark.
func (d Dataset) Part(name string) Dataset {
	d.Questions = slices.DeleteFunc(slices.Clone(d.Questions), func(q eval.Query) bool { return q.Type != name })
	d.tell()
	return d
}

// complete fills in what the questions themselves tell.
func (d *Dataset) complete(path string) {
	d.Name = filepath.Base(path)
	for ext := filepath.Ext(d.Name); ext != "" && ext != d.Name && len(ext) <= 6; ext = filepath.Ext(d.Name) {
		d.Name = strings.TrimSuffix(d.Name, ext)
	}
	d.tell()
}

// tell sets the language and the kind by the questions.
func (d *Dataset) tell() {
	d.Language, d.Kind = languageOf(d.Questions), ""
	for _, q := range d.Questions {
		switch kind := KindOf(q); d.Kind {
		case "":
			d.Kind = kind
		case kind:
		default:
			d.Kind = Mixed
		}
	}
}

// languageOf returns the language of most of the first questions.
func languageOf(questions []eval.Query) string {
	count := map[question.Language]int{}
	best := question.English
	for _, q := range questions[:min(100, len(questions))] {
		language := question.LanguageOf(q.Text)
		if count[language]++; count[language] > count[best] {
			best = language
		}
	}
	return string(best)
}
