package prompts

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"lacuna/vecmath/regular"
)

//go:embed *.tmpl
var files embed.FS

const (
	extension = ".tmpl"
	shared    = "shared" // definitions that the templates use
	largest   = 64 << 10 // bytes of a template of a user's own
)

// Load returns the default templates with those replaced that a folder holds files for, named as
// the template with the extension .tmpl. An unknown name, a file that does not parse or one that
// uses a field that its input does not have is an error that names the file; the set is then nil.
// Files with other extensions are left alone.
//
// What a template says is obeyed like a program: load nobody's but the user's own.
func Load(folder string) (*Set, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("prompts of your own: %w", err)
	}
	own := map[string]string{}
	for _, entry := range entries {
		name, isTemplate := strings.CutSuffix(entry.Name(), extension)
		if !isTemplate || entry.IsDir() {
			continue
		}
		path := filepath.Join(folder, entry.Name())
		if _, known := inputs[name]; !known {
			return nil, fmt.Errorf("%s: no prompt is called %q; known: %s", path, name, strings.Join(names(), ", "))
		}
		text, err := readTemplate(path)
		if err != nil {
			return nil, err
		}
		own[name] = lines.Replace(text)
	}
	set, err := newSet(own)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", folder, err)
	}
	return set, nil
}

func readTemplate(path string) (string, error) {
	switch info, err := os.Stat(path); {
	case err != nil:
		return "", err
	case info.Size() > largest:
		return "", fmt.Errorf("%s: larger than %d bytes", path, largest)
	}
	text, err := regular.ReadFile(path)
	return string(text), err
}

// lines makes the text of a file the same whatever system it was written on.
var lines = strings.NewReplacer("\r\n", "\n", "\uFEFF", "")

// embedded is the text of a file of the program.
func embedded(name string) (string, error) {
	text, err := files.ReadFile(name + extension)
	return lines.Replace(string(text)), err
}

// newSet reads the templates, taking the texts of own before those of the program.
func newSet(own map[string]string) (*Set, error) {
	common, err := embedded(shared)
	if err != nil {
		return nil, err
	}
	base, err := template.New(shared).Option("missingkey=error").Funcs(functions).Parse(common)
	if err != nil {
		return nil, err
	}
	set := &Set{prompts: map[string]prompt{}}
	for _, name := range names() {
		text, replaced := own[name]
		if !replaced {
			if text, err = embedded(name); err != nil {
				return nil, err
			}
		}
		p, err := read(base, name+extension, text)
		if err == nil {
			err = p.try(inputs[name])
		}
		if err != nil {
			return nil, fmt.Errorf("%s%s: %w", name, extension, err)
		}
		set.prompts[name] = p
	}
	return set, nil
}

// marker begins a part of a template. What stands before the first is for people.
var marker = regexp.MustCompile(`(?m)^---[ \t]+(.*?)[ \t]*$`)

// read takes a template apart at its marker lines.
func read(base *template.Template, name, text string) (prompt, error) {
	var p prompt
	marks := marker.FindAllStringSubmatchIndex(text, -1)
	for i, mark := range marks {
		end := len(text)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		kind := text[mark[2]:mark[3]]
		// Errors count lines from the top of the file.
		body := strings.Repeat("\n", strings.Count(text[:mark[1]], "\n")) + text[mark[1]:end]
		own, err := base.Clone()
		if err != nil {
			return prompt{}, err
		}
		if own, err = own.New(name).Parse(body); err != nil {
			return prompt{}, err
		}
		switch kind {
		case "system":
			if p.system != "" {
				return prompt{}, errors.New("more than one part \"--- system\"")
			}
			if p.system, err = execute(own, nil); err != nil {
				return prompt{}, fmt.Errorf("the system part has no fields, because it is the same for all questions: %w", err)
			}
		case "data", "user":
			p.parts = append(p.parts, part{data: kind == "data", body: own})
		default:
			return prompt{}, fmt.Errorf("unknown part %q; known: --- system, --- data, --- user", "--- "+kind)
		}
	}
	if p.system == "" || len(p.parts) == 0 {
		return prompt{}, errors.New("needs a part \"--- system\" and a part \"--- user\" or \"--- data\"")
	}
	if slices.ContainsFunc(p.parts, func(p part) bool { return p.data }) {
		p.system += "\n\n" + dataRule
	}
	return p, nil
}

// try renders a prompt with everything and with nothing, to find the fields that do not exist.
func (p prompt) try(in reflect.Type) error {
	for _, style := range []Style{Short, Paragraph, Note} {
		if _, err := p.render(filled(in, style)); err != nil {
			return err
		}
	}
	_, err := p.render(reflect.Zero(in))
	return err
}

// filled makes a value of a type in which everything is set.
func filled(of reflect.Type, style Style) reflect.Value {
	v := reflect.New(of).Elem()
	switch of.Kind() {
	case reflect.String:
		v.SetString("x")
		if of == reflect.TypeFor[Style]() {
			v.SetString(string(style))
		}
	case reflect.Int:
		v.SetInt(1)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Slice:
		v.Set(reflect.Append(v, filled(of.Elem(), style)))
	case reflect.Struct:
		for i := range of.NumField() {
			v.Field(i).Set(filled(of.Field(i).Type, style))
		}
	}
	return v
}
