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
// An editor counts as the folder, because the protocol does not tell a server which of its settings
// came with the folder. The tag narrow is a key of narrowings, with "=" and a value where that needs
// one. What states no scope, or a narrowing that is not there, nobody but the user may set. The tag
// why is the reason for whoever is refused; it may stand at the table instead.
const (
	scopeEnvironment = "environment"
	scopeFolder      = "folder"
)

// A narrowing says which values a folder may put in the place of the one in force.
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
	// stricter is what stands further back among the values that the setting accepts.
	"stricter": {func(c change) bool { return c.rank(c.new) > c.rank(c.old) }, "it can only be made stricter there"},
	"only":     {func(c change) bool { return fmt.Sprint(c.new) == c.value }, "it can only be set to %s there"},
	// add puts entries to those of the layers before. It cannot take any away, so all are allowed.
	"add": {always, ""},
	// inside is a path, which confine has checked.
	"inside": {always, ""},
	// free is for what changes the look of notes and marks, or which of the folder's own files are
	// read and how: nothing is sent, spent, kept or written for it, and no words of the folder's own
	// reach a model by it.
	"free": {always, ""},
}

func always(change) bool { return true }

// size is a number by what it allows: with the tag zero:"unlimited", 0 is more than any other.
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

// tableOf is the type whose fields are the keys of a table, of each table in a list, or of each in a
// map; there is none for a setting.
func tableOf(t reflect.Type) (table reflect.Type, ok bool) {
	switch {
	case t == reflect.TypeFor[[]ingest.Source](): // written as tables of Source
		return reflect.TypeFor[Source](), true
	case t.Kind() == reflect.Map:
		return tableOf(t.Elem())
	}
	return t, t.Kind() == reflect.Struct
}

// refusal tells whoever may not set a field why, and where to do it. above is the reason that the
// table gives for all in it.
func (l Layer) refusal(f reflect.StructField, above string) string {
	why := cmp.Or(f.Tag.Get("why"), above, "it is yours alone to decide")
	if l.isForeign() && f.Tag.Get("scope") != scopeEnvironment {
		why += "; set it in your own settings file"
	}
	return fmt.Sprintf("refused from %s: %s", article(l), why)
}
