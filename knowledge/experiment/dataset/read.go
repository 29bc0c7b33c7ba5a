package dataset

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lacuna/knowledge/eval"
)

// Read reads the data set in a file or folder. With an empty form the content tells which form it has.
// Whatever is wrong is a [*Fault]; the questions before it are not returned, so that no figure is measured
// on half a set.
func Read(path, form string) (Dataset, error) {
	if form != "" && !slices.ContainsFunc(forms, func(f Form) bool { return f.Name == form }) {
		return Dataset{}, fmt.Errorf("no data set has the form %q; known: %s", form, strings.Join(names(), ", "))
	}
	info, err := os.Stat(path)
	if err != nil {
		return Dataset{}, err
	}
	if info.IsDir() {
		return readFolder(path, form)
	}
	f, err := open(path)
	if err != nil {
		return Dataset{}, err
	}
	rows, shape, err := f.rows()
	if err != nil && (form == "" || formNamed(form).plain == nil) {
		return Dataset{}, err
	}
	found := formOf(f, rows, shape)
	switch {
	case found == nil && form == "":
		return Dataset{}, f.fault(0, "no known form of a data set%s; known: %s", seen(rows), strings.Join(names(), ", "))
	case found == nil, form != "" && found.Name != form:
		wanted := formNamed(form)
		is := "has no known form" + seen(rows)
		if found != nil {
			is = "is " + found.Title
		}
		return Dataset{}, f.fault(0, "this %s, not %s, which has %s", is, wanted.Title, wanted.Has)
	}
	f.form = found.Title
	d := Dataset{Form: found.Name, Notes: slices.Clone(found.notes)}
	if found.prepare != nil {
		d.Notes = append(d.Notes, found.prepare(f, rows)...)
	}
	if found.plain != nil {
		d.Questions, err = found.plain(f)
	} else {
		d.Questions, err = eachRow(rows, found.row)
	}
	if err != nil {
		return Dataset{}, err
	}
	return d.checked(path)
}

// eachRow reads every record as one question or, of documents, several.
func eachRow(rows []row, read func(r row, n int) ([]eval.Query, error)) ([]eval.Query, error) {
	var all []eval.Query
	for i, r := range rows {
		questions, err := read(r, i+1)
		if err != nil {
			return nil, err
		}
		all = append(all, questions...)
	}
	return all, nil
}

// checked completes a set, and reports one without questions or with an ID that stands for two.
func (d Dataset) checked(path string) (Dataset, error) {
	if len(d.Questions) == 0 {
		return Dataset{}, &Fault{File: path, Why: "it holds no question", Form: formNamed(d.Form).Title}
	}
	ids := make(map[string]bool, len(d.Questions))
	for i := range d.Questions {
		id := d.Questions[i].ID
		for n := 2; ids[d.Questions[i].ID]; n++ {
			d.Questions[i].ID = fmt.Sprintf("%s-%d", id, n)
		}
		ids[d.Questions[i].ID] = true
	}
	d.complete(path)
	return d, nil
}

// seen names the fields of the first record.
func seen(rows []row) string {
	if len(rows) == 0 {
		return ""
	}
	var fields []string
	for name := range rows[0].fields {
		fields = append(fields, name)
	}
	slices.Sort(fields)
	return fmt.Sprintf(" (its first record has the fields %s)", strings.Join(fields[:min(12, len(fields))], ", "))
}

// readFolder reads a data set of several files.
func readFolder(path, form string) (Dataset, error) {
	exists := func(pattern string) bool {
		found, _ := filepath.Glob(filepath.Join(path, pattern))
		return len(found) > 0
	}
	var d Dataset
	var err error
	switch {
	case form == "" && exists("queries.jsonl*") || form == "beir":
		d, err = readBEIR(path)
	case (form == "" || form == "mmlu") && exists("*.csv"):
		d, err = readParts(path, "*.csv", "mmlu")
	case (form == "" || form == "medquad") && (exists("*.xml") || exists("*/*.xml")):
		d, err = readMedQuADFolder(path)
	case (form == "" || form == "bioasq") && exists("*.json"):
		d, err = readParts(path, "*.json", "bioasq")
	default:
		return Dataset{}, &Fault{File: path, Why: "this folder holds no data set: expected queries.jsonl with qrels (BEIR), *.csv (MMLU), *.xml (MedQuAD) or *.json (BioASQ)"}
	}
	if err != nil {
		return Dataset{}, err
	}
	return d.checked(path)
}

// readParts reads all files of one form in a folder as one set.
func readParts(path, pattern, form string) (Dataset, error) {
	parts, err := filepath.Glob(filepath.Join(path, pattern))
	if err != nil {
		return Dataset{}, err
	}
	slices.Sort(parts)
	d := Dataset{Form: form}
	for _, part := range parts {
		read, err := Read(part, form)
		if err != nil {
			return Dataset{}, err
		}
		d.Questions = append(d.Questions, read.Questions...)
		for _, note := range read.Notes {
			if !slices.Contains(d.Notes, note) {
				d.Notes = append(d.Notes, note)
			}
		}
	}
	return d, nil
}
