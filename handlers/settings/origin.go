package settings

import (
	"fmt"
	"strings"

	"lacuna/knowledge/sanitise"
)

// Loaded is the result of [Load]: settings, where they came from, and what was wrong with them.
type Loaded struct {
	Settings Settings
	// Engines are the sources that engines keep, in order; [Settings.Sources] are those that are read from paths.
	Engines []EngineSource
	// Origins has an entry for every key that some layer set; every other key is a default. A
	// source's key is "source." and its name.
	Origins  map[string]Origin
	Problems []Problem // in the order of the layers
}

// Layer is where a value comes from.
type Layer string

const (
	Defaults      Layer = "default"
	UserFile      Layer = "user file"
	Environment   Layer = "environment"
	WorkspaceFile Layer = "workspace file"
	Editor        Layer = "editor"
	Flags         Layer = "flag"
)

// Origin is where the value of a key was set.
type Origin struct {
	Layer Layer  `json:"layer"`
	File  string `json:"file,omitempty"` // absolute; for the two file layers
	Line  int    `json:"line,omitempty"` // first is 1; 0 when unknown
	Name  string `json:"name,omitempty"` // of the environment variable
}

// String names the origin, without the folder, such as "workspace file .lacuna.toml:3".
func (o Origin) String() string {
	switch {
	case o.File != "" && o.Line > 0:
		return fmt.Sprintf("%s %s:%d", o.Layer, o.File, o.Line)
	case o.File != "":
		return fmt.Sprintf("%s %s", o.Layer, o.File)
	case o.Name != "":
		return fmt.Sprintf("%s %s", o.Layer, o.Name)
	}
	return string(o.Layer)
}

// Problem is something wrong with the configuration. The setting it concerns was left out; everything else
// applies.
type Problem struct {
	Origin
	Key  string `json:"key,omitempty"` // dotted; empty where a line has no readable key
	Text string `json:"problem"`
}

// String returns one line that names place, key and problem, such as
// "/home/me/notes/.lacuna.toml:7: diagnostics.max: expected a whole number, found "many"".
func (p Problem) String() string {
	var b strings.Builder
	switch {
	case p.File != "" && p.Line > 0:
		fmt.Fprintf(&b, "%s:%d: ", p.File, p.Line)
	case p.File != "":
		fmt.Fprintf(&b, "%s: ", p.File)
	case p.Name != "":
		fmt.Fprintf(&b, "%s: ", p.Name)
	case p.Layer != "":
		fmt.Fprintf(&b, "%s: ", p.Layer)
	}
	if p.Key != "" {
		fmt.Fprintf(&b, "%s: ", p.Key)
	}
	return sanitise.Line(b.String() + p.Text)
}

func article(layer Layer) string {
	if layer == Editor || layer == Environment {
		return "the " + string(layer)
	}
	return "a " + string(layer)
}
