package settings

import (
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"

	"lacuna/knowledge/ingest"
)

// Entry is the effective value of one key.
type Entry struct {
	Key    string `json:"key"`
	Value  any    `json:"value"` // ready to be shown: secrets are hidden
	Origin Origin `json:"origin"`
}

// Entries lists every key with its value and origin, in the order of the reference; each source
// is one entry. Maps contribute an entry for each value they hold.
func (l Loaded) Entries() []Entry {
	var entries []Entry
	l.list("", reflect.ValueOf(l.Settings), &entries)
	return entries
}

func (l Loaded) list(path string, table reflect.Value, entries *[]Entry) {
	for f := range fieldsOf(table.Type()) {
		l.entry(join(path, f.Tag.Get("toml")), table.FieldByIndex(f.Index), entries)
	}
}

func (l Loaded) entry(key string, field reflect.Value, entries *[]Entry) {
	switch {
	case key == "source":
		for _, s := range l.Settings.Sources {
			l.append(entries, key+"."+s.Name, sourceValue(s))
		}
	case field.Kind() == reflect.Struct:
		l.list(key, field, entries)
	case field.Kind() == reflect.Map:
		values := map[string]reflect.Value{}
		for it := field.MapRange(); it.Next(); {
			values[it.Key().String()] = it.Value()
		}
		for _, name := range slices.Sorted(maps.Keys(values)) {
			l.entry(join(key, name), values[name], entries)
		}
	default:
		l.append(entries, key, display(field.Interface()))
	}
}

func (l Loaded) append(entries *[]Entry, key string, value any) {
	origin, set := l.Origins[key]
	if !set {
		origin = Origin{Layer: Defaults}
	}
	*entries = append(*entries, Entry{key, value, origin})
}

func display(value any) any {
	switch v := value.(type) {
	case fmt.Stringer: // secrets among them
		return v.String()
	case *float64:
		return valueOf(v)
	case *int:
		return valueOf(v)
	case string:
		// An address may carry a password.
		if u, err := url.Parse(v); err == nil && u.User != nil {
			return u.Redacted()
		}
	}
	return value
}

// valueOf returns the value, or "" if it is not set.
func valueOf[T any](p *T) any {
	if p == nil {
		return ""
	}
	return *p
}

func sourceValue(s ingest.Source) string {
	kind := "passages"
	if s.Kind == "qa" {
		kind = "qa"
	}
	return fmt.Sprintf("%s in %s", kind, s.Path)
}
