package prompts

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"lacuna/knowledge/plaintext"
)

const madeMark = "<!-- Made from the templates and their inputs by go test ./prompts -update. -->\n"

// TestPageIsFresh makes the reference of docs/prompts.md, so that no template and no field is missing
// there.
func TestPageIsFresh(t *testing.T) {
	file := filepath.Join("..", "docs", "prompts.md")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	page := strings.ReplaceAll(string(b), "\r\n", "\n")
	prose, _, _ := strings.Cut(page, madeMark)
	got := prose + madeMark + reference(t)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		page = got
	}
	if page != got {
		t.Error("docs/prompts.md is stale; run go test ./prompts -update and read the diff")
	}
}

// TestPageShowsATemplate loads the template that docs/prompts.md shows.
func TestPageShowsATemplate(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "prompts.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(normaliseText.Replace(string(page)), "\n```\n")
	shown, _, _ := strings.Cut(rest, "\n```\n")
	if _, err := Load(write(t, map[string]string{"judge_gaps.tmpl": shown})); err != nil {
		t.Errorf("%v:\n%s", err, shown)
	}
}

func reference(t *testing.T) string {
	var b strings.Builder
	b.WriteString("\n| template | what it asks for | fields |\n|---|---|---|\n")
	for _, name := range Default().Names() {
		text, err := templateFiles.ReadFile(name + extension)
		if err != nil {
			t.Fatal(err)
		}
		about, _, found := strings.Cut(string(text), "\n--- system")
		if about = plaintext.OneLine(about); !found || about == "" {
			t.Errorf("%s does not say what it is for", name)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, about, fieldsOf(inputs[name]))
	}
	b.WriteString("\nThe fields of what lists hold:\n\n")
	for _, of := range []reflect.Type{reflect.TypeFor[Context](), reflect.TypeFor[Option](), reflect.TypeFor[SubAnswer](), reflect.TypeFor[Demonstration]()} {
		fmt.Fprintf(&b, "- %s: %s\n", strings.ToLower(of.Name()), fieldsOf(of))
	}
	return b.String()
}

func fieldsOf(of reflect.Type) string {
	var fields []string
	for i := range of.NumField() {
		f := of.Field(i)
		if f.Name == "Origin" {
			continue // templates do not get it
		}
		kind := strings.ToLower(f.Type.Name())
		switch f.Type.Kind() {
		case reflect.Slice:
			kind = "list of " + map[bool]string{true: "texts", false: strings.ToLower(f.Type.Elem().Name()) + "s"}[f.Type.Elem().Kind() == reflect.String]
		case reflect.String:
			kind = map[bool]string{true: "`short`, `paragraph` or `note`", false: "text"}[f.Type == reflect.TypeFor[Style]()]
		case reflect.Int:
			kind = "number"
		case reflect.Bool:
			kind = "yes or no"
		}
		fields = append(fields, fmt.Sprintf("`.%s` (%s)", f.Name, kind))
	}
	return strings.Join(fields, ", ")
}
