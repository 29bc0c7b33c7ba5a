package settings

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// editorKeys lists the keys of our section that are the editor's own: where the program is, and how much of
// the protocol to log.
var editorKeys = []string{"path", "trace"}

// untrustedKey is the key by which an editor says that the user does not trust the folder. The opposite
// is ignored, because the folder's own settings could claim it.
const untrustedKey = "untrusted_workspace"

// editor applies what an editor sent, later messages over earlier ones.
func (l *loader) editor(messages []json.RawMessage) {
	l.message(Editor, Origin{Layer: Editor}, messages...)
}

// message applies JSON objects as one layer, later ones over earlier ones.
func (l *loader) message(layer Layer, origin Origin, messages ...json.RawMessage) {
	tree := map[string]any{}
	for _, message := range messages {
		if problem := read(tree, message); problem != "" {
			l.loaded.Problems = append(l.loaded.Problems, Problem{Origin: origin, Text: problem})
		}
	}
	for _, own := range editorKeys {
		delete(tree, own)
	}
	if tree[untrustedKey] == true {
		tree["offline"] = true
	}
	delete(tree, untrustedKey)
	if sources, ok := tree["sources"]; ok && tree["source"] == nil {
		tree["source"] = sources
		delete(tree, "sources")
	}
	l.apply(layer, tree, func(string) Origin { return origin })
}

// read adds a message to the tree. It accepts the settings bare, under "lacuna", and as dotted
// keys, in camel case or with underscores, because editors send all of these.
func read(tree map[string]any, message json.RawMessage) (problem string) {
	if len(bytes.TrimSpace(message)) == 0 {
		return ""
	}
	var sent any
	if err := json.Unmarshal(message, &sent); err != nil {
		return "not JSON: " + err.Error()
	}
	values, ok := sent.(map[string]any)
	if !ok && sent != nil {
		return "expected an object, found " + describe(sent)
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if inner, ok := values[key].(map[string]any); ok && key == "lacuna" {
			for _, key := range slices.Sorted(maps.Keys(inner)) {
				graft(tree, snake(key), canonicalKeys(inner[key]))
			}
		} else if key != "lacuna" || values[key] != nil {
			graft(tree, snake(strings.TrimPrefix(key, "lacuna.")), canonicalKeys(values[key]))
		}
	}
	return ""
}

// graft merges a value into the tree at a dotted key. A null means that the editor has nothing set.
func graft(tree map[string]any, key string, value any) {
	if value == nil {
		return
	}
	first, rest, dotted := strings.Cut(key, ".")
	if !dotted {
		table, isTable := value.(map[string]any)
		old, hasTable := tree[first].(map[string]any)
		if !isTable || !hasTable {
			tree[first] = value
			return
		}
		for _, name := range slices.Sorted(maps.Keys(table)) {
			graft(old, name, table[name])
		}
		return
	}
	inner, ok := tree[first].(map[string]any)
	if !ok {
		inner = map[string]any{}
		tree[first] = inner
	}
	graft(inner, rest, value)
}

// canonicalKeys spells the keys of a JSON value as files do, and leaves out nulls.
func canonicalKeys(value any) any {
	switch v := value.(type) {
	case map[string]any:
		table := make(map[string]any, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			graft(table, snake(key), canonicalKeys(v[key]))
		}
		return table
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = canonicalKeys(v[i])
		}
		return list
	}
	return value
}

// snake turns "baseURL" and "baseUrl" into "base_url".
func snake(key string) string {
	runes := []rune(key)
	var b strings.Builder
	for i, r := range runes {
		if unicode.IsUpper(r) && i > 0 && runes[i-1] != '_' && runes[i-1] != '.' &&
			(!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
