package settings

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"lacuna/knowledge/ingest"
	"lacuna/knowledge/ingest/glob"
	"lacuna/knowledge/passage"
	"lacuna/vecmath/regular"
)

// sources adds the sources that a layer names to the sources of earlier layers.
func (l *loader) sources(value any) {
	tables, ok := value.([]any)
	if !ok {
		l.problem("source", "expected tables headed [[source]], found %s", describe(value))
		return
	}
	for i, table := range tables {
		at := join("source", strconv.Itoa(i))
		written := Source{Kind: "passages", Notes: "auto"}
		l.fillTable(at, reflect.ValueOf(&written).Elem(), "", table)
		l.addSource(at, written)
	}
}

// addSource resolves a source, and leaves it out, with a problem, if it cannot be used as written.
func (l *loader) addSource(at string, written Source) {
	if written.Engine != "" {
		l.addEngine(at, written)
		return
	}
	if written.Path == "" {
		l.problem(at, "a source needs a path")
		return
	}
	path, err := l.resolve(written.Path)
	if err != nil {
		l.problem(join(at, "path"), "%v", err)
		return
	}
	name := written.Name
	if name == "" {
		name = filepath.Base(path)
	}
	if i := strings.IndexFunc(name, unicode.IsControl); i >= 0 || len(name) > 100 {
		l.problem(join(at, "name"), "expected at most 100 printable characters, found %s", describe(name))
		return
	}
	if !glob.FewEnough(written.Include) || !glob.FewEnough(written.Exclude) {
		l.problem(at, "the patterns are longer than %d bytes; the source is left out", glob.MaxBytes)
		return
	}
	for _, pattern := range slices.Concat(written.Include, written.Exclude) {
		if !glob.Valid(pattern) {
			l.problem(at, "%s is no pattern such as \"**/*.md\"; it matches nothing", describe(pattern))
		}
	}
	kind := passage.Text
	if written.Kind == "qa" {
		kind = passage.QA
	}
	l.add(at, ingest.Source{
		Name: name, Kind: kind, Path: path,
		Include: written.Include, Exclude: written.Exclude,
		Fields:   ingest.Fields(written.Fields),
		Chunker:  ingest.Chunker(written.Chunks),
		Confined: l.layer.isForeign(),
		Notes:    written.Notes == "yes" || written.Notes == "auto" && kind == passage.Text && l.root != "" && within(path, l.root),
	})
}

// addEngine adds a source that an engine keeps, or leaves it out, with a problem, if something is missing.
func (l *loader) addEngine(at string, written Source) {
	for _, needed := range []struct{ key, value string }{
		{"name", written.Name}, {"address", strings.Join(written.Address, "")}, {"grpc", strings.Join(written.GRPC, "")}, {"publisher", written.Publisher},
	} {
		if needed.value == "" {
			l.problem(join(at, needed.key), "a source that an engine keeps needs it; lacuna push prints the whole table")
			return
		}
	}
	if len(written.Address) != len(written.GRPC) {
		l.problem(join(at, "grpc"), "%d interfaces for the %d of address; each node has both", len(written.GRPC), len(written.Address))
		return
	}
	for _, address := range written.GRPC {
		if strings.LastIndexByte(address, ':') <= 0 {
			l.problem(join(at, "grpc"), "%s is no address such as \"engine.example.org:50051\"", describe(address))
			return
		}
	}
	if written.Path != "" {
		l.problem(join(at, "path"), "an engine keeps the source, so no path is read")
	}
	key := "source." + written.Name
	if first, taken := l.loaded.Origins[key]; taken {
		l.problem(at, "the name %q is taken already by the source of the %s; left out", written.Name, first)
		return
	}
	l.loaded.Origins[key] = l.place(at)
	l.loaded.Engines = append(l.loaded.Engines, EngineSource{
		Name: written.Name, Engine: written.Engine, Address: written.Address, GRPC: written.GRPC, Publisher: written.Publisher,
		KeyEnv: written.EngineKeyEnv, KeyFile: written.EngineKeyFile,
	})
}

// MayBeNote reports whether a file may be a note: it lies in no source, or the innermost of those that hold it
// has notes. It reads nothing.
func MayBeNote(sources []ingest.Source, file string) bool {
	depth, notes := -1, true
	for _, source := range sources {
		switch inside := within(source.Path, file); {
		case inside && len(source.Path) > depth:
			depth, notes = len(source.Path), source.Notes
		case inside && len(source.Path) == depth:
			notes = notes || source.Notes
		}
	}
	return notes
}

func (l *loader) add(at string, source ingest.Source) {
	key := "source." + source.Name
	if first, taken := l.loaded.Origins[key]; taken {
		l.problem(at, "the name %q is taken already by the source of the %s; left out", source.Name, first)
		return
	}
	l.loaded.Settings.Sources = append(l.loaded.Settings.Sources, source)
	l.loaded.Origins[key] = l.place(at)
}

// resolve makes a source's path absolute and checks that the layer may name it.
func (l *loader) resolve(path string) (string, error) {
	if !l.layer.isForeign() {
		return absolute(path, l.base)
	}
	if l.root == "" {
		return "", fmt.Errorf("refused from %s: no workspace is open; name the source in your own settings file", article(l.layer))
	}
	path, inside := confine(l.root, path)
	if !inside {
		return "", fmt.Errorf("refused from %s: it leads out of the workspace; name the source in your own settings file", article(l.layer))
	}
	return path, nil
}

// confine resolves a path against the workspace and reports whether it stays inside, both as
// written and with links followed. A path at which nothing exists yet is judged by the part of it
// that exists.
func confine(root, path string) (string, bool) {
	path = filepath.FromSlash(path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(root, path)
	}
	path = filepath.Clean(path)
	if !within(root, path) {
		return "", false
	}
	realRoot, err := filepath.EvalSymlinks(root)
	if err != nil {
		return "", false
	}
	for existing := path; within(root, existing); existing = filepath.Dir(existing) {
		if _, err := os.Lstat(existing); err != nil {
			continue
		}
		target, err := filepath.EvalSymlinks(existing)
		return path, err == nil && within(realRoot, target)
	}
	return "", false
}

func within(root, path string) bool {
	relative, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(relative)
}

// implicitSources adds the workspace's kb folder if neither the workspace nor the editor names a source:
// its files as passages, and its JSON Lines and CSV files of question-answer pairs as separate sources.
func (l *loader) implicitSources() {
	if l.root == "" || slices.ContainsFunc(l.loaded.Settings.Sources, func(s ingest.Source) bool { return s.Confined }) {
		return
	}
	l.layer = Defaults
	l.place = func(string) Origin { return Origin{Layer: Defaults} }
	folder, inside := confine(l.root, "kb")
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		if !inside && folder != "" {
			l.problem("source", "kb leads out of the workspace and is not read")
		}
		return
	}
	if !inside {
		l.problem("source", "kb leads out of the workspace and is not read; name it in your own settings file")
		return
	}
	pairs := pairFiles(folder)
	l.add("source", ingest.Source{Name: l.freeName("kb"), Kind: passage.Text, Path: folder, Exclude: pairs, Implicit: true, Confined: true})
	for _, file := range pairs {
		stem, _, _ := strings.Cut(file, ".")
		name := l.freeName(cmp.Or(stem, file), file)
		l.add("source", ingest.Source{Name: name, Kind: passage.QA, Path: filepath.Join(folder, file), Implicit: true, Confined: true})
	}
}

// freeName returns the first of some names that no source has yet, or else the last with a number. An
// implicit source is never left out because of its name, which the user did not choose.
func (l *loader) freeName(names ...string) string {
	taken := func(name string) bool {
		_, taken := l.loaded.Origins["source."+name]
		return taken
	}
	for _, name := range names {
		if !taken(name) {
			return name
		}
	}
	last := names[len(names)-1]
	n := 2
	for taken(fmt.Sprintf("%s %d", last, n)) {
		n++
	}
	return fmt.Sprintf("%s %d", last, n)
}

// maxPeek bounds the bytes of a file that are read to detect its content.
const maxPeek = 1 << 20

// pairFiles returns the names of the files in a folder whose first record has the columns of a
// question-answer pair, sorted.
func pairFiles(folder string) []string {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	var names []string
	for _, entry := range entries {
		if entry.Type().IsRegular() && HoldsPairs(filepath.Join(folder, entry.Name())) {
			names = append(names, entry.Name())
		}
	}
	return names
}

// HoldsPairs reports whether the first record of a file has the columns of a question-answer pair. It looks at JSON Lines
// and CSV files alone.
func HoldsPairs(path string) bool {
	name := strings.ToLower(path)
	plain := strings.TrimSuffix(name, ".gz")
	if !strings.HasSuffix(plain, ".jsonl") && !strings.HasSuffix(name, ".csv") {
		return false
	}
	file, err := regular.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	var text io.Reader = file
	if plain != name {
		if text, err = gzip.NewReader(file); err != nil {
			return false
		}
	}
	columns := firstColumns(io.LimitReader(text, maxPeek), strings.HasSuffix(plain, ".csv"))
	return slices.Contains(columns, "question") && slices.Contains(columns, "answer")
}

// firstColumns returns the column names of a CSV file's head, or of the first JSON Lines record.
func firstColumns(text io.Reader, isCSV bool) []string {
	if isCSV {
		head, _ := csv.NewReader(text).Read()
		for i, column := range head {
			head[i] = strings.ToLower(strings.TrimSpace(strings.TrimPrefix(column, "\ufeff")))
		}
		return head
	}
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, maxPeek)
	for lines.Scan() {
		line := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff"))
		if line == "" {
			continue
		}
		var record map[string]json.RawMessage
		if json.Unmarshal([]byte(line), &record) != nil {
			return nil
		}
		columns := make([]string, 0, len(record))
		for column := range record {
			columns = append(columns, column)
		}
		return columns
	}
	return nil
}
