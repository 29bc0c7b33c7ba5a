package settings

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
)

// maxBrokenLines bounds the lines left out of a broken file; a file with more is given up.
const maxBrokenLines = 50

// document is a settings file as a tree, with the line of every key.
type document struct {
	tree  map[string]any
	lines map[string]int // by dotted path; elements of arrays of tables by number, from 0
}

// line returns the line on which a path was written; a key inside an inline table stands on the
// table's.
func (d document) line(path string) int {
	for {
		if line, ok := d.lines[path]; ok {
			return line
		}
		i := strings.LastIndexByte(path, '.')
		if i < 0 {
			return 0
		}
		path = path[:i]
	}
}

// readTOML reads a file as far as it can be read. A line that breaks the syntax is left out, with
// a problem, and the rest read again; a broken table header takes its table with it, because its
// keys would land in the table above.
func readTOML(text []byte, origin Origin) (document, []Problem) {
	var problems []Problem
	text = bytes.TrimPrefix(bytes.Clone(text), []byte("\uFEFF")) // as Windows' editors write
	for range maxBrokenLines {
		tree := map[string]any{}
		err := toml.Unmarshal(text, &tree)
		if err == nil {
			return document{tree: tree, lines: keyLines(text)}, problems
		}
		line, message := parseError(err)
		at := origin
		at.Line = line
		key := keyOn(text, line)
		dropped := blankOut(text, line)
		if dropped == 0 {
			break
		}
		if dropped != line {
			message += fmt.Sprintf(" (left out from line %d)", dropped)
		}
		problems = append(problems, Problem{at, key, "not TOML, left out: " + message})
	}
	return document{}, append(problems, Problem{Origin: origin, Text: "the file is too broken to be read; nothing of it applies"})
}

func parseError(err error) (line int, message string) {
	message = strings.TrimPrefix(err.Error(), "toml: ")
	var decode *toml.DecodeError
	if errors.As(err, &decode) {
		line, _ = decode.Position()
	}
	return line, message
}

// keyOn guesses the key that a line of a broken file was meant to set, including its table's key, which the
// parser does not report. It returns "" if the line has no key.
func keyOn(text []byte, line int) string {
	lines := strings.Split(string(text), "\n")
	if line < 1 || line > len(lines) {
		return ""
	}
	name, _, isKey := strings.Cut(lines[line-1], "=")
	if name = strings.TrimSpace(name); !isKey || !isBareKey(name) {
		return ""
	}
	for at := line - 1; at >= 0; at-- {
		if isHeader([]byte(lines[at])) {
			table := strings.Trim(strings.TrimSpace(lines[at]), "[]")
			if isBareKey(table) {
				return join(table, name)
			}
			break
		}
	}
	return name
}

func isBareKey(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '.' && r != '_' && r != '-' && !('a' <= r && r <= 'z') && !('A' <= r && r <= 'Z') && !('0' <= r && r <= '9')
	})
}

// blankOut blanks a line of text (the first is 1), or the last line before it that is not blank yet, and
// returns where it began; 0 if nothing was left to blank. It blanks a table header with all lines up to
// the next header.
func blankOut(text []byte, line int) int {
	lines := bytes.SplitAfter(text, []byte("\n"))
	at := min(max(line, 1), len(lines)) - 1
	for at >= 0 && len(bytes.TrimSpace(lines[at])) == 0 {
		at--
	}
	if at < 0 {
		return 0
	}
	header := isHeader(lines[at])
	blank(lines[at])
	for next := at + 1; header && next < len(lines) && !isHeader(lines[next]); next++ {
		blank(lines[next])
	}
	return at + 1
}

func isHeader(line []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(line), []byte("[")) }

func blank(line []byte) {
	for i, c := range line {
		if c != '\n' {
			line[i] = ' '
		}
	}
}

// keyLines finds the line of every key of a valid document.
func keyLines(text []byte) map[string]int {
	lines := map[string]int{}
	tables := map[string]int{} // how many tables of each array there have been
	var p unstable.Parser
	p.Reset(text)
	table := ""
	for p.NextExpression() {
		expression := p.Expression()
		path, offset := keyPath(expression)
		line := 1 + bytes.Count(text[:min(offset, len(text))], []byte("\n"))
		switch expression.Kind {
		case unstable.Table:
			table = elementPath(path, tables)
			lines[table] = line
		case unstable.ArrayTable:
			count := tables[path]
			tables[path]++
			table = join(path, strconv.Itoa(count))
			lines[table] = line
		case unstable.KeyValue:
			lines[join(table, path)] = line
		}
	}
	return lines
}

// elementPath inserts the number of the newest element behind an array of tables that begins path.
func elementPath(path string, tables map[string]int) string {
	for array, count := range tables {
		if rest, ok := strings.CutPrefix(path, array+"."); ok {
			return join(join(array, strconv.Itoa(count-1)), rest)
		}
	}
	return path
}

func keyPath(expression *unstable.Node) (path string, offset int) {
	var parts []string
	for it := expression.Key(); it.Next(); {
		if len(parts) == 0 {
			offset = int(it.Node().Raw.Offset)
		}
		parts = append(parts, string(it.Node().Data))
	}
	return strings.Join(parts, "."), offset
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// SourceTable returns a source as a table of a settings file, with what differs from the defaults.
func SourceTable(s ingest.Source) string {
	table := map[string]any{"name": s.Name, "path": s.Path}
	if s.Kind == passage.QA {
		table["kind"] = "qa"
	}
	if s.Chunker != "" && s.Chunker != ingest.Sentences {
		table["chunks"] = string(s.Chunker)
	}
	fields := map[string]string{}
	written := reflect.ValueOf(Fields(s.Fields))
	for _, field := range reflect.VisibleFields(written.Type()) {
		if name := written.FieldByIndex(field.Index).String(); name != "" {
			fields[field.Tag.Get("toml")] = name
		}
	}
	if len(fields) > 0 {
		table["fields"] = fields
	}
	var out bytes.Buffer
	if err := toml.NewEncoder(&out).Encode(map[string]any{"source": []map[string]any{table}}); err != nil {
		panic("settings: " + err.Error()) // it holds texts alone
	}
	return out.String()
}

// EngineTable returns a source that an engine keeps as a table of the user's own settings file.
func EngineTable(s EngineSource) string {
	table := map[string]any{"name": s.Name, "engine": s.Engine, "address": s.Address, "grpc": s.GRPC, "publisher": s.Publisher}
	if s.KeyEnv != "" {
		table["engine_key_env"] = s.KeyEnv
	}
	var out bytes.Buffer
	if err := toml.NewEncoder(&out).Encode(map[string]any{"source": []map[string]any{table}}); err != nil {
		panic("settings: " + err.Error()) // it holds texts alone
	}
	return out.String()
}
