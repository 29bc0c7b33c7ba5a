package settings

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"lacuna/knowledge/ingest"
)

// Every setting states in a tag, scope, whose layers may set it:
//
//	environment  the environment alone
//	user         what only the user can write: the user file, the environment, flags
//	folder       a workspace's file and an editor's settings as well, as far as the tag narrow allows
//
// An editor counts as the folder, because the protocol does not tell a server which of the editor's
// settings came with the folder. The tag narrow is a key of narrowings, with "=" and a value if it needs
// one. A setting without a scope, or with an unknown narrowing, is the user's alone. The tag why is the
// reason that a refusal gives; the table may have it instead.
const (
	scopeEnvironment = "environment"
	scopeFolder      = "folder"
)

// A narrowing says which values may replace the current one in a folder's settings.
type narrowing struct {
	allows func(n change) bool
	why    string // the folder may not; %s is the value of the tag
}

// A change of a setting's value, with the setting's tags and the value of its tag narrow.
type change struct {
	old, new any
	tag      reflect.StructTag
	value    string
}

var narrowings = map[string]narrowing{
	"on":     {func(c change) bool { return c.new == true }, "it can only be turned on there"},
	"off":    {func(c change) bool { return c.new == false }, "it can only be turned off there"},
	"lower":  {func(c change) bool { return c.size(c.new) < c.size(c.old) }, "it can only be lowered there"},
	"higher": {func(c change) bool { return c.size(c.new) > c.size(c.old) }, "it can only be raised there"},
	// stricter values come later in the list of values that the setting accepts.
	"stricter": {func(c change) bool { return c.rank(c.new) > c.rank(c.old) }, "it can only be made stricter there"},
	"only":     {func(c change) bool { return fmt.Sprint(c.new) == c.value }, "it can only be set to %s there"},
	// add adds entries to the entries of earlier layers. It cannot remove any, so all are allowed.
	"add": {always, ""},
	// inside is a path, which confine has checked.
	"inside": {always, ""},
	// free is for settings that change how notes and marks look, or which of the folder's own files are
	// read and how: they send, spend, store and write nothing, and bring no words of the folder to a model.
	"free": {always, ""},
}

func always(change) bool { return true }

// size returns a number by what it allows: with the tag zero:"unlimited", 0 is the greatest.
func (c change) size(value any) float64 {
	var n float64
	switch v := value.(type) {
	case int:
		n = float64(v)
	case time.Duration:
		n = float64(v)
	}
	if n == 0 && c.tag.Get("zero") == "unlimited" {
		return float64(1 << 62)
	}
	return n
}

func (c change) rank(value any) int {
	return slices.Index(tagList(c.tag, "accepts"), fmt.Sprint(value))
}

// whyWider says why a folder may not change a setting's value from old to new, or "".
func whyWider(tag reflect.StructTag, old, new any) string {
	if reflect.DeepEqual(old, new) {
		return ""
	}
	kind, value, _ := strings.Cut(tag.Get("narrow"), "=")
	n, known := narrowings[kind]
	switch {
	case !known:
		return "it cannot be changed there"
	case n.allows(change{old: old, new: new, tag: tag, value: value}):
		return ""
	case strings.Contains(n.why, "%s"):
		return fmt.Sprintf(n.why, value)
	}
	return n.why
}

// isForeign reports whether a layer may hold a stranger's values.
func (l Layer) isForeign() bool { return l == WorkspaceFile || l == Editor }

// maySet reports whether a layer may set a field: a setting by its scope, and a table if it may set
// something in it.
func (l Layer) maySet(f reflect.StructField) bool {
	if table, ok := tableOf(f.Type); ok {
		for inner := range fieldsOf(table) {
			if l.maySet(inner) {
				return true
			}
		}
		return false
	}
	switch f.Tag.Get("scope") {
	case scopeEnvironment:
		return l == Environment
	case scopeFolder:
		return true
	}
	return !l.isForeign()
}

// tableOf returns the type whose fields are the keys of a table, of each table in a list, or of each in a
// map; ok is false for a single setting.
func tableOf(t reflect.Type) (table reflect.Type, ok bool) {
	switch {
	case t == reflect.TypeFor[[]ingest.Source](): // written as tables of Source
		return reflect.TypeFor[Source](), true
	case t.Kind() == reflect.Map:
		return tableOf(t.Elem())
	}
	return t, t.Kind() == reflect.Struct
}

// refusal says why a layer may not set a field, and where to set it instead. above is the reason that the
// table gives for all its fields.
func (l Layer) refusal(f reflect.StructField, above string) string {
	why := cmp.Or(f.Tag.Get("why"), above, "it is yours alone to decide")
	if l.isForeign() && f.Tag.Get("scope") != scopeEnvironment {
		why += "; set it in your own settings file"
	}
	return fmt.Sprintf("refused from %s: %s", article(l), why)
}

// tagList returns the strings that a tag lists under a name, or nil.
func tagList(tag reflect.StructTag, name string) []string {
	if list := tag.Get(name); list != "" {
		return strings.Split(list, "|")
	}
	return nil
}

// fieldsOf yields the fields of a table that have a name in files.
func fieldsOf(t reflect.Type) func(yield func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for _, f := range reflect.VisibleFields(t) {
			if f.Tag.Get("toml") != "" && !yield(f) {
				return
			}
		}
	}
}
