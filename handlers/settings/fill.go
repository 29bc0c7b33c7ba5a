package settings

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"lacuna/knowledge/answer/systems"
	"lacuna/knowledge/gate"
	"lacuna/knowledge/plaintext"
	"lacuna/prompts"
)

// loader applies layers to settings.
type loader struct {
	loaded Loaded
	root   string

	// The layer being applied.
	layer     Layer
	enclosing bool   // it is the file of an enclosing folder, and only its narrowing counts
	base      string // folder that relative paths of the layer start from
	place     func(path string) Origin
}

// apply applies a tree of values as a layer. place says where a path of the tree was written.
func (l *loader) apply(layer Layer, tree map[string]any, place func(path string) Origin) {
	l.layer, l.place = layer, place
	l.fillTable("", reflect.ValueOf(&l.loaded.Settings).Elem(), "", tree)
}

func (l *loader) problem(path, format string, args ...any) {
	at := l.place(path)
	l.loaded.Problems = append(l.loaded.Problems, Problem{at, path, fmt.Sprintf(format, args...)})
}

// fillTable sets the fields of a table, recursively, from a value of a tree. path is the dotted key of the
// table, and why is the reason to give if the layer may not set something in it.
func (l *loader) fillTable(path string, table reflect.Value, why string, value any) {
	values, ok := value.(map[string]any)
	if !ok {
		l.problem(path, "expected a table, found %s", describe(value))
		return
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		key := join(path, name)
		f, ok := lookup(table.Type(), name)
		if !ok {
			l.problem(key, "unknown key; known here: %s", strings.Join(names(table), ", "))
			continue
		}
		field, why := table.FieldByIndex(f.Index), cmp.Or(f.Tag.Get("why"), why)
		switch {
		case l.enclosing && (key == "source" || f.Tag.Get("narrow") == "free"):
		case !l.layer.maySet(f):
			l.problem(key, "%s", l.layer.refusal(f, why))
		case key == "source":
			l.sources(values[name])
		case field.Kind() == reflect.Struct:
			l.fillTable(key, field, why, values[name])
		case field.Kind() == reflect.Map:
			l.fillMap(key, field, f.Tag, why, values[name])
		default:
			l.set(key, field, f.Tag, values[name])
		}
	}
}

// fillMap sets the entries of a map of strings or of tables. The tag may list the names that they
// can have, and the values of strings.
func (l *loader) fillMap(path string, field reflect.Value, tag reflect.StructTag, why string, value any) {
	values, ok := value.(map[string]any)
	if !ok {
		l.problem(path, "expected a table, found %s", describe(value))
		return
	}
	if field.IsNil() {
		field.Set(reflect.MakeMap(field.Type()))
	}
	known := tagList(tag, "names")
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if known != nil && !slices.Contains(known, name) {
			l.problem(join(path, name), "unknown key; known here: %s", strings.Join(known, ", "))
			continue
		}
		entry := reflect.New(field.Type().Elem()).Elem()
		if old := field.MapIndex(reflect.ValueOf(name)); old.IsValid() {
			entry.Set(old)
		}
		if key := join(path, name); entry.Kind() == reflect.Struct {
			l.fillTable(key, entry, why, values[name])
		} else if !l.set(key, entry, entryTag(tag), values[name]) {
			continue
		}
		field.SetMapIndex(reflect.ValueOf(name), entry)
	}
}

// entryTag returns the tag for the entries of a map of strings.
func entryTag(tag reflect.StructTag) reflect.StructTag {
	return reflect.StructTag(fmt.Sprintf("accepts:%q narrow:%q", tag.Get("values"), tag.Get("narrow")))
}

// set gives a single field its value, and reports whether it did.
func (l *loader) set(key string, field reflect.Value, tag reflect.StructTag, value any) bool {
	parsed, expected := parse(field.Type(), tag, value, l.layer == Environment || l.layer == Flags)
	if expected == "" {
		parsed, expected = l.complete(tag, parsed)
	}
	if expected != "" {
		l.problem(key, "expected %s, found %s", expected, describeUnlessSecret(field.Type(), value))
		return false
	}
	if tag.Get("narrow") == "add" { // a later layer cannot reveal what an earlier one hides
		parsed = slices.Compact(slices.Sorted(slices.Values(slices.Concat(field.Interface().(Secrets), parsed.([]string)))))
	}
	new := reflect.ValueOf(parsed).Convert(field.Type())
	if l.layer.isForeign() {
		if why := whyWider(tag, field.Interface(), new.Interface()); why != "" {
			l.problem(key, "refused from %s: %s; set it in your own settings file", article(l.layer), why)
			return false
		}
	}
	field.Set(new)
	l.loaded.Origins[key] = l.place(key)
	return true
}

// complete makes paths absolute, and checks what the type cannot.
func (l *loader) complete(tag reflect.StructTag, parsed any) (completed any, expected string) {
	text, isText := parsed.(string)
	if isText && text != "" && tag.Get("path") != "" {
		path, err := absolute(text, l.base)
		if err != nil {
			return nil, "a path that can be followed"
		}
		return path, ""
	}
	names := choices(tag)
	if !isText || names == nil || slices.Contains(names, text) {
		return parsed, ""
	}
	if tag.Get("list") == "policies" && gate.IsRemoved(text) {
		return nil, "one of " + strings.Join(names, ", ") + " (" + text + " was removed: it was no better than default)"
	}
	if tag.Get("list") != "languages" {
		return nil, "one of " + strings.Join(names, ", ")
	}
	if known := prompts.LanguageTag(text); known != "" {
		return known, ""
	}
	return nil, "question, or a language such as en, zh or German"
}

// choices returns the values of a setting that accepts names from other packages, or nil.
func choices(tag reflect.StructTag) []string {
	switch tag.Get("list") {
	case "systems":
		return append([]string{"auto", "thorough"}, systems.IDs()...)
	case "thorough":
		return systems.IDs()
	case "policies":
		return policies()
	case "languages":
		return append([]string{"question"}, prompts.Languages()...)
	}
	return nil
}

// policies returns the names of the gate's policies.
func policies() []string {
	var names []string
	for _, l := range gate.Learners(gate.DefaultPrice) {
		names = append(names, l.Name)
	}
	return names
}

// parse converts a value to a field's type; if it cannot, it says what was expected. text is true for the
// environment and for flags, where every value is a string.
func parse(t reflect.Type, tag reflect.StructTag, value any, text bool) (parsed any, expected string) {
	if t == reflect.TypeFor[time.Duration]() {
		return parseDuration(tag, value)
	}
	switch t.Kind() {
	case reflect.Pointer: // nil is "not set"
		if parsed, expected = parse(t.Elem(), tag, value, text); expected != "" {
			return nil, expected
		}
		p := reflect.New(t.Elem())
		p.Elem().Set(reflect.ValueOf(parsed).Convert(t.Elem()))
		return p.Interface(), ""
	case reflect.Bool:
		if s, ok := value.(string); ok && text {
			if b, err := strconv.ParseBool(s); err == nil {
				return b, ""
			}
		}
		if b, ok := value.(bool); ok {
			return b, ""
		}
		return nil, "true or false"
	case reflect.Int:
		n, ok := wholeNumber(fromText(value, text))
		if low, high := bounds(tag); !ok || n < low || n > high {
			return nil, fmt.Sprintf("a whole number from %d to %d", low, high)
		}
		return n, ""
	case reflect.Float64:
		n, ok := number(fromText(value, text))
		if low, high := bounds(tag); !ok || n < float64(low) || n > float64(high) {
			return nil, fmt.Sprintf("a number from %d to %d", low, high)
		}
		return n, ""
	case reflect.Slice:
		return parseStrings(value)
	}
	accepts := tagList(tag, "accepts")
	s, ok := value.(string)
	if ok && (accepts == nil || slices.Contains(accepts, s)) && !strings.ContainsRune(s, 0) {
		return s, ""
	}
	if accepts != nil {
		return nil, "one of " + strings.Join(accepts, ", ")
	}
	return nil, "a string"
}

// fromText returns the number that a string holds if every value is a string, or the value.
func fromText(value any, text bool) any {
	if s, ok := value.(string); ok && text {
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			return n
		}
		if x, err := strconv.ParseFloat(s, 64); err == nil {
			return x
		}
	}
	return value
}

func parseDuration(tag reflect.StructTag, value any) (parsed any, expected string) {
	low, high := bounds(tag)
	d := time.Duration(-1)
	if s, ok := value.(string); ok {
		if read, err := time.ParseDuration(s); err == nil {
			d = read
		}
	} else if n, ok := wholeNumber(value); ok && n >= low && n <= high {
		d = time.Duration(n) * time.Millisecond
	}
	if d < time.Duration(low)*time.Millisecond || d > time.Duration(high)*time.Millisecond {
		return nil, fmt.Sprintf("a duration such as \"400ms\", or milliseconds, from %d to %d", low, high)
	}
	return d, ""
}

func parseStrings(value any) (parsed any, expected string) {
	const list = "a list of strings"
	values, ok := value.([]any)
	if !ok {
		return nil, list
	}
	strs := make([]string, len(values))
	for i, v := range values {
		if strs[i], ok = v.(string); !ok {
			return nil, list
		}
	}
	return strs, ""
}

// wholeNumber returns a number without a fraction, as TOML and JSON decode them.
func wholeNumber(value any) (int64, bool) {
	switch n := value.(type) {
	case int64:
		return n, true
	case float64:
		return int64(n), n == math.Trunc(n) && math.Abs(n) < 1<<53
	}
	return 0, false
}

func number(value any) (float64, bool) {
	switch n := value.(type) {
	case int64:
		return float64(n), true
	case float64:
		return n, !math.IsNaN(n)
	}
	return 0, false
}

func bounds(tag reflect.StructTag) (low, high int64) {
	low, _ = strconv.ParseInt(tag.Get("min"), 10, 64)
	high, _ = strconv.ParseInt(tag.Get("max"), 10, 64)
	return low, high
}

// lookup finds the field of a table by its name in a file, also in embedded tables.
func lookup(table reflect.Type, name string) (reflect.StructField, bool) {
	for f := range fieldsOf(table) {
		if f.Tag.Get("toml") == name {
			return f, true
		}
	}
	return reflect.StructField{}, false
}

// names lists the keys of a table, in the order of its fields.
func names(table reflect.Value) []string {
	var all []string
	for f := range fieldsOf(table.Type()) {
		all = append(all, f.Tag.Get("toml"))
	}
	return all
}

// maxShown bounds the characters of a value that a problem shows.
const maxShown = 60

// describe shows a value that a user wrote, as a problem names it.
func describe(value any) string {
	switch v := value.(type) {
	case nil:
		return "nothing"
	case string:
		return strconv.Quote(plaintext.Clip(v, maxShown))
	case bool, int64, float64:
		return fmt.Sprint(v)
	case []any:
		return "a list"
	case map[string]any:
		return "a table"
	}
	return plaintext.Clip(fmt.Sprintf("%v", value), maxShown)
}

// describeUnlessSecret is like describe, and hides the value of a secret.
func describeUnlessSecret(t reflect.Type, value any) string {
	if t == reflect.TypeFor[Secret]() || t == reflect.TypeFor[Secrets]() {
		return "something else"
	}
	return describe(value)
}

// absolute resolves a path of a trusted layer, in which ~ is the user's home.
func absolute(path, base string) (string, error) {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("~ has no meaning here: %w", err)
		}
		return filepath.Join(home, rest), nil
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path), nil
	}
	return filepath.Abs(filepath.Join(base, path))
}
