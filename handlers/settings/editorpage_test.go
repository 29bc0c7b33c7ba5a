package settings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/answer/systems"
	"lacuna/prompts"
)

// Scopes of the settings of VS Code, by what they let a folder do. A value that the user set in one of
// the first two is handed to the program in LACUNA_SETTINGS, as the user's own; all others go the way
// of any editor, which cannot widen.
const (
	codeOwn      = "machine"             // a folder cannot set it
	codeNarrowed = "machine-overridable" // a folder can narrow it, and the program sees to that
	codeFolder   = "resource"            // a folder can set it
)

// property is the JSON schema of a setting, as VS Code takes it.
type property struct {
	Description string              `json:"markdownDescription,omitempty"`
	Type        any                 `json:"type,omitempty"`
	Enum        []string            `json:"enum,omitempty"`
	EnumLabels  []string            `json:"markdownEnumDescriptions,omitempty"`
	Items       *property           `json:"items,omitempty"`
	Properties  map[string]property `json:"properties,omitempty"`
	Additional  any                 `json:"additionalProperties,omitempty"`
	Required    []string            `json:"required,omitempty"`
	Minimum     *int64              `json:"minimum,omitempty"`
	Maximum     *int64              `json:"maximum,omitempty"`
	Default     any                 `json:"default,omitempty"`
	Scope       string              `json:"scope,omitempty"`
	Order       int                 `json:"order,omitempty"`
}

// section is a heading of the settings page.
type section struct {
	Title      string              `json:"title"`
	Order      int                 `json:"order"`
	Properties map[string]property `json:"properties"`
}

// TestEditorPageIsFresh makes the settings page of VS Code, all but its first section, from the
// settings and their comments: it has every key, and none is in a scope that lets a folder widen.
func TestEditorPageIsFresh(t *testing.T) {
	file := filepath.Join("..", "..", "editors", "vscode", "package.json")
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		Contributes struct{ Configuration []json.RawMessage }
	}
	if err := json.Unmarshal(old, &manifest); err != nil {
		t.Fatal(err)
	}
	sections := editorPage(t)
	configuration := []any{manifest.Contributes.Configuration[0]}
	restricted := []string{"lacuna.path"}
	for _, s := range sections {
		configuration = append(configuration, s)
		for key, p := range s.Properties {
			if p.Scope == codeOwn {
				restricted = append(restricted, key)
			}
		}
	}
	slices.Sort(restricted)
	got := replaceValue(t, old, "configuration", configuration)
	got = replaceValue(t, got, "restrictedConfigurations", restricted)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(old, got) {
		t.Error("the settings in editors/vscode/package.json are stale; run go test ./handlers/settings -update and read the diff")
	}
}

// editorPage has a section for each table, after one for the keys that stand in none.
func editorPage(t *testing.T) []section {
	docs := comments(t, "settings.go")
	defaults := reflect.ValueOf(Default())
	general := section{Title: "General", Order: 1, Properties: map[string]property{}}
	sections := []section{}
	for f := range fieldsOf(defaults.Type()) {
		key, field := f.Tag.Get("toml"), defaults.FieldByIndex(f.Index)
		switch {
		case key == "source":
			general.Properties["lacuna.sources"] = sourcesProperty(docs, codeFolder, 2,
				"Folders and files that questions are answered from, inside the folder that is open. Without any, its folder `kb` is read.")
			general.Properties["lacuna.ownSources"] = sourcesProperty(docs, codeOwn, 3,
				"Sources of your own, which may lie anywhere; they are added to those of every folder. *Yours alone.*")
		case field.Kind() == reflect.Struct:
			sections = append(sections, section{
				Title: strings.Replace(upperFirst(key), "Ocr", "OCR", 1), Order: len(sections) + 2, Properties: propertiesOf(docs, key, field),
			})
		default:
			general.Properties[editorKey(key)] = propertyOf(docs, defaults.Type(), f, field, key, 1)
		}
	}
	return append([]section{general}, sections...)
}

// propertiesOf returns the keys of a table. One that only the environment may set is not among them:
// VS Code keeps it as a secret.
func propertiesOf(docs map[string]string, path string, table reflect.Value) map[string]property {
	properties := map[string]property{}
	for f := range fieldsOf(table.Type()) {
		if key := join(path, f.Tag.Get("toml")); UserFile.maySet(f) {
			properties[editorKey(key)] = propertyOf(docs, ownerOf(table, f), f, table.FieldByIndex(f.Index), key, len(properties)+1)
		}
	}
	return properties
}

// ownerOf is the type that declares a field, which may be embedded in the table's.
func ownerOf(table reflect.Value, f reflect.StructField) reflect.Type {
	if len(f.Index) > 1 {
		return table.FieldByIndex(f.Index[:len(f.Index)-1]).Type()
	}
	return table.Type()
}

func propertyOf(docs map[string]string, owner reflect.Type, f reflect.StructField, field reflect.Value, key string, order int) property {
	p := schemaOf(docs, f, field.Type())
	p.Scope, p.Order = scopeOf(f), order
	p.Description = described(docs[owner.Name()+"."+f.Name], f.Name)
	if field.Type() == reflect.TypeFor[time.Duration]() {
		p.Description = strings.Replace(p.Description, `: "400ms", or a number of milliseconds`, "", 1) + " In milliseconds."
	}
	p.Description += note(f)
	p.Default = defaultValue(field)
	if p.Enum != nil && field.String() == "" {
		p.Default = p.Enum[0]
	}
	if names := choices(f.Tag); names != nil {
		p.Enum = names
	}
	switch f.Tag.Get("list") {
	case "systems", "thorough":
		p.EnumLabels = mapped(p.Enum, systemLabel)
	case "languages":
		p.EnumLabels = mapped(p.Enum, languageLabel)
	}
	return p
}

// schemaOf is the shape of a value.
func schemaOf(docs map[string]string, f reflect.StructField, of reflect.Type) property {
	var p property
	switch {
	case of == reflect.TypeFor[time.Duration](), of.Kind() == reflect.Int:
		p.Type = "integer"
		p.bound(f.Tag)
	case of.Kind() == reflect.Float64:
		p.Type = "number"
		p.bound(f.Tag)
	case of.Kind() == reflect.Pointer:
		p = schemaOf(docs, f, of.Elem())
		p.Type = []any{p.Type, "null"}
	case of.Kind() == reflect.Bool:
		p.Type = "boolean"
	case of.Kind() == reflect.Slice:
		p = property{Type: "array", Items: &property{Type: "string"}}
	case of.Kind() == reflect.Struct:
		p = property{Type: "object", Properties: map[string]property{}, Additional: false}
		zero := reflect.New(of).Elem()
		for inner := range fieldsOf(of) {
			if name := inner.Tag.Get("toml"); name != "api_key" {
				schema := schemaOf(docs, inner, inner.Type)
				schema.Description = described(docs[ownerOf(zero, inner).Name()+"."+inner.Name], inner.Name)
				p.Properties[name] = schema
			}
		}
	case of.Kind() == reflect.Map:
		p.Type = "object"
		value := schemaOf(docs, f, of.Elem())
		value.Enum = tagList(f.Tag, "values")
		if known := tagList(f.Tag, "names"); known != nil {
			p.Properties, p.Additional = map[string]property{}, false
			for _, name := range known {
				p.Properties[name] = value
			}
		} else {
			p.Additional = value
		}
	default:
		p.Type = "string"
		p.Enum = tagList(f.Tag, "accepts")
	}
	return p
}

func (p *property) bound(tag reflect.StructTag) {
	low, high := bounds(tag)
	p.Minimum, p.Maximum = &low, &high
}

func sourcesProperty(docs map[string]string, scope string, order int, description string) property {
	source := schemaOf(docs, reflect.StructField{}, reflect.TypeFor[Source]())
	source.Required = []string{"path"}
	return property{Description: description, Type: "array", Items: &source, Default: []any{}, Scope: scope, Order: order}
}

func scopeOf(f reflect.StructField) string {
	switch {
	case !Editor.maySet(f):
		return codeOwn
	case f.Tag.Get("narrow") == "free":
		return codeFolder
	}
	return codeNarrowed
}

// note says what a folder can make of a setting.
func note(f reflect.StructField) string {
	switch {
	case !Editor.maySet(f):
		return " *Yours alone: a folder's settings cannot set it.*"
	case f.Tag.Get("narrow") == "free":
		return ""
	}
	return " *From a folder: " + scopeNote(f) + ".*"
}

// described is a comment without the name of the field in front.
func described(doc, name string) string {
	doc = strings.TrimPrefix(doc, name+" ")
	for _, verb := range []string{"is ", "are "} {
		doc = strings.TrimPrefix(doc, verb)
	}
	return upperFirst(doc)
}

// editorKey is a key as VS Code's settings spell it.
func editorKey(key string) string {
	var b strings.Builder
	for i, word := range strings.Split(key, "_") {
		if i > 0 {
			word = upperFirst(word)
		}
		b.WriteString(word)
	}
	return "lacuna." + b.String()
}

func upperFirst(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// defaultValue is a default as JSON has it; what is not set is null, "" or empty.
func defaultValue(field reflect.Value) any {
	switch field.Kind() {
	case reflect.Pointer:
		return json.RawMessage("null")
	case reflect.Slice:
		return []any{}
	case reflect.Map:
		return map[string]any{}
	case reflect.String:
		return json.RawMessage(fmt.Sprintf("%q", field.String()))
	}
	if d, ok := field.Interface().(time.Duration); ok {
		return json.RawMessage(fmt.Sprint(d.Milliseconds()))
	}
	return json.RawMessage(fmt.Sprint(field.Interface()))
}

func languageLabel(tag string) string {
	if name := prompts.LanguageName(tag); name != "" {
		return name
	}
	return "That of the question"
}

func systemLabel(id string) string {
	system, known := systems.Lookup(id)
	switch {
	case id == "auto":
		return "With a model where one is set up, else offline"
	case id == "thorough":
		return "What `#lacuna.answer.thorough#` names"
	case !known || !system.Models:
		return "Quotes the sources, without a model"
	case system.Calls == 1:
		return system.Name + ": one call of the model"
	}
	return fmt.Sprintf("%s: up to %d calls of the model", system.Name, system.Calls)
}

func mapped(texts []string, f func(string) string) []string {
	made := make([]string, len(texts))
	for i, text := range texts {
		made[i] = f(text)
	}
	return made
}

// replaceValue replaces the value of the first key of that name in a JSON text, and nothing else.
func replaceValue(t *testing.T, text []byte, key string, value any) []byte {
	t.Helper()
	name := fmt.Appendf(nil, "%q: ", key)
	start := bytes.Index(text, name)
	if start < 0 {
		t.Fatalf("package.json has no %s", key)
	}
	lineStart := bytes.LastIndexByte(text[:start], '\n') + 1
	start += len(name)
	decoder := json.NewDecoder(bytes.NewReader(text[start:]))
	var old json.RawMessage
	if err := decoder.Decode(&old); err != nil {
		t.Fatal(err)
	}
	var written bytes.Buffer
	encoder := json.NewEncoder(&written)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent(string(text[lineStart:start-len(name)]), "  ")
	if err := encoder.Encode(value); err != nil {
		t.Fatal(err)
	}
	return slices.Concat(text[:start], bytes.TrimSpace(written.Bytes()), text[start+int(decoder.InputOffset()):])
}

// TestEditorKeysAreReadBack gives every key of the settings page its default in the way VS Code
// hands the user's own settings over.
func TestEditorKeysAreReadBack(t *testing.T) {
	for _, s := range editorPage(t) {
		for key, p := range s.Properties {
			if key == "lacuna.ownSources" { // the extension renames it
				continue
			}
			if unset, ok := p.Default.(json.RawMessage); ok && string(unset) == "null" {
				continue
			}
			message, err := json.Marshal(map[string]any{key: p.Default})
			if err != nil {
				t.Fatal(err)
			}
			if got := load(t.TempDir(), "", map[string]string{editorVariable: string(message)}, nil); len(got.Problems) > 0 {
				t.Errorf("%s: %v", key, got.Problems)
			}
		}
	}
}
