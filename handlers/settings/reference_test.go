package settings

import (
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestReferenceIsFresh makes docs/settings.md from the comments of the settings, so that nobody
// can add a key and forget to say what it does.
func TestReferenceIsFresh(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "settings.md")
	got := reference(t)
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Error("docs/settings.md is stale; run go test ./handlers/settings -update and read the diff")
	}
}

func reference(t *testing.T) string {
	docs := comments(t, "settings.go")
	var b strings.Builder
	b.WriteString(`# Settings

<!-- Made from the comments in handlers/settings by go test ./handlers/settings -update. -->

Settings are TOML.
Layers, later ones stronger: defaults; your own file (` + "`lacuna/config.toml`" + ` in your configuration folder, or the one ` + "`--config`" + ` names); environment; the workspace's ` + "`.lacuna.toml`" + `; the editor's settings, where keys may also be in camel case and dotted, with or without ` + "`lacuna.`" + ` in front; command-line flags.
` + "`lacuna config`" + ` shows the values in force and where each came from.

A folder can only narrow what Lacuna does.
That goes for the workspace's file, for the editor's settings, because the protocol does not tell which of them came with the folder, and for the files of the folders that a workspace lies in, whose narrowing holds in it.
Each row says what they may make of the setting; anything else is refused from them with a message, and the rest still applies.
`)
	var header = "\n| key | value | default | what it does | from a folder |\n|---|---|---|---|---|\n"
	row := func(path string, owner reflect.Type, f reflect.StructField, field reflect.Value) {
		key, doc := join(path, f.Tag.Get("toml")), docs[owner.Name()+"."+f.Name]
		if doc == "" {
			t.Errorf("%s has no comment", key)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", key, kindOf(f), defaultOf(field), escaped(doc), scopeNote(f))
	}
	defaults := reflect.ValueOf(Default())
	b.WriteString(header)
	for f := range fieldsOf(defaults.Type()) {
		if f.Type.Kind() != reflect.Struct {
			row("", defaults.Type(), f, defaults.FieldByIndex(f.Index))
		}
	}
	for f := range fieldsOf(defaults.Type()) {
		table := defaults.FieldByIndex(f.Index)
		if f.Type.Kind() != reflect.Struct {
			continue
		}
		path := f.Tag.Get("toml")
		fmt.Fprintf(&b, "\n## [%s]\n\n%s\n%s", path, docs[f.Type.Name()], header)
		for f := range fieldsOf(table.Type()) {
			owner := table.Type()
			if len(f.Index) > 1 { // promoted from an embedded table
				owner = table.FieldByIndex(f.Index[:len(f.Index)-1]).Type()
			}
			row(path, owner, f, table.FieldByIndex(f.Index))
		}
	}

	b.WriteString("\n## [[source]]\n\nEach table is one source.\n\n| key | value | what it does | from a folder |\n|---|---|---|---|\n")
	sourceTable := func(path string, of reflect.Type) {
		for f := range fieldsOf(of) {
			doc := docs[of.Name()+"."+f.Name]
			if doc == "" {
				t.Errorf("source: %s has no comment", f.Name)
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", join(path, f.Tag.Get("toml")), kindOf(f), escaped(doc), scopeNote(f))
		}
	}
	sourceTable("", reflect.TypeFor[Source]())
	sourceTable("fields", reflect.TypeFor[Fields]())
	b.WriteString(`
Without a source in ` + "`.lacuna.toml`" + ` or in the editor's settings, the folder ` + "`kb/`" + ` of the workspace is a source of passages, and each ` + "`kb/*.jsonl`" + ` (also ` + "`.gz`" + `) and ` + "`kb/*.csv`" + ` whose first record has a question and an answer is a source of pairs named after the file, with its ending where the name is taken.

## Environment

| variable | key |
|---|---|
`)
	for _, v := range variables {
		fmt.Fprintf(&b, "| `%s` | `%s` |\n", v.name, v.key)
	}
	fmt.Fprintf(&b, "| `%s` | any, as one JSON object: your own settings of an editor that tells them from a folder's; the variables above are stronger |\n", editorVariable)
	return b.String()
}

// comments returns the comments of types by "Type" and of struct fields by "Type.Field", each as
// one line.
func comments(t *testing.T, files ...string) map[string]string {
	found := map[string]string{}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, declared := range parsed.Decls {
			declaration, ok := declared.(*ast.GenDecl)
			if !ok || declaration.Tok != token.TYPE {
				continue
			}
			spec := declaration.Specs[0].(*ast.TypeSpec)
			found[spec.Name.Name] = strings.Join(strings.Fields(declaration.Doc.Text()), " ")
			table, ok := spec.Type.(*ast.StructType)
			if !ok {
				continue
			}
			for _, field := range table.Fields.List {
				for _, name := range field.Names {
					found[spec.Name.Name+"."+name.Name] = strings.Join(strings.Fields(field.Doc.Text()), " ")
				}
			}
		}
	}
	return found
}

// escaped is a comment as a table can have it.
func escaped(doc string) string { return strings.ReplaceAll(doc, "|", `\|`) }

// scopeNote says in a few words who may set a field, from its tags alone.
func scopeNote(f reflect.StructField) string {
	if _, isTable := tableOf(f.Type); isTable {
		if Editor.maySet(f) {
			return "see its keys"
		}
		return "yours alone"
	}
	kind, value, _ := strings.Cut(f.Tag.Get("narrow"), "=")
	switch {
	case !UserFile.maySet(f):
		return "from the environment only"
	case !Editor.maySet(f):
		return "yours alone"
	case kind == "only":
		return "only `" + value + "`"
	}
	return map[string]string{
		"on": "only turned on", "off": "only turned off", "lower": "only lowered", "higher": "only raised",
		"stricter": "only made stricter", "add": "only added to", "inside": "only inside the workspace", "free": "any",
	}[kind]
}

func kindOf(f reflect.StructField) string {
	if accepts := tagList(f.Tag, "accepts"); accepts != nil {
		return "`" + strings.Join(accepts, "`, `") + "`"
	}
	of := f.Type
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	switch {
	case f.Type == reflect.TypeFor[time.Duration]():
		return "duration"
	case f.Type.Kind() == reflect.Bool:
		return "`true`, `false`"
	case of.Kind() == reflect.Int:
		return "whole number"
	case of.Kind() == reflect.Float64:
		return "number"
	case f.Type.Kind() == reflect.Map, f.Type.Kind() == reflect.Struct:
		return "table"
	case f.Name == "Sources":
		return "tables"
	case f.Type.Kind() == reflect.Slice:
		return "strings"
	}
	return "string"
}

func defaultOf(field reflect.Value) string {
	if field.IsZero() && field.Kind() != reflect.Bool {
		return ""
	}
	text, err := json.Marshal(display(field.Interface()))
	if err != nil {
		return ""
	}
	return "`" + string(text) + "`"
}
