package settings

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// File is the name of a workspace's settings file.
const File = ".lacuna.toml"

// maxFileBytes is the size above which a settings file is refused rather than read.
const maxFileBytes = 1 << 20

// Request says what to load settings for.
type Request struct {
	// Root is the workspace, an absolute path; empty when no folder is open.
	Root string
	// UserFile is the user's own file; empty means the one of [UserFilePath].
	UserFile string
	// LookupEnv reads the environment; nil means os.LookupEnv.
	LookupEnv func(name string) (string, bool)
	// Editor is what an editor sent, weakest first: {"lacuna": {…}}, the inner object alone, or
	// dotted keys, in camel case or with underscores. Each may be empty or null.
	Editor []json.RawMessage
	// Flags are values from the command line by dotted key.
	Flags map[string]string
}

// variables lists the environment variables that set a key.
var variables = []struct{ name, key string }{
	{"LACUNA_OFFLINE", "offline"},
	{"LACUNA_ANSWER_SYSTEM", "answer.system"},
	{"LACUNA_CACHE_DIR", "index.dir"},
	{"LACUNA_LOG_FILE", "log.file"},
	{"LACUNA_LOG_LEVEL", "log.level"},
	{"LACUNA_MODEL_BASE_URL", "model.base_url"},
	{"LACUNA_MODEL", "model.model"},
	{"LACUNA_MODEL_API_KEY", "model.api_key"},
	{"LACUNA_EMBEDDING_BASE_URL", "embedding.base_url"},
	{"LACUNA_EMBEDDING_MODEL", "embedding.model"},
	{"LACUNA_EMBEDDING_API_KEY", "embedding.api_key"},
	{"LACUNA_RERANK_BASE_URL", "rerank.base_url"},
	{"LACUNA_RERANK_MODEL", "rerank.model"},
	{"LACUNA_RERANK_API_KEY", "rerank.api_key"},
	{"LACUNA_ENTAILMENT_BASE_URL", "entailment.base_url"},
	{"LACUNA_ENTAILMENT_MODEL", "entailment.model"},
	{"LACUNA_ENTAILMENT_API_KEY", "entailment.api_key"},
}

// UserFilePath returns the path of the user's own settings file, or "" if the system has no configuration
// folder.
func UserFilePath() string {
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "lacuna", "config.toml")
}

// Load reads all layers. It never fails: what cannot be used becomes a problem.
func Load(r Request) Loaded {
	lookupEnv := r.LookupEnv
	if lookupEnv == nil {
		lookupEnv = os.LookupEnv
	}
	l := loader{loaded: Loaded{Settings: Default(), Origins: map[string]Origin{}}, root: r.Root}
	l.file(cmp.Or(r.UserFile, UserFilePath()), UserFile)
	l.environment(lookupEnv)
	if r.Root != "" {
		for _, file := range Files(r.Root) {
			l.enclosing = file != filepath.Join(r.Root, File)
			l.file(file, WorkspaceFile)
		}
	}
	l.editor(r.Editor)
	l.flags(r.Flags)
	l.implicitSources()
	return l.loaded
}

// Files returns the paths of the settings files that apply to a workspace: from its enclosing folders, the
// outermost first, and last its own. What a folder narrows stays narrowed in the folders inside it,
// whatever their own files say.
func Files(root string) []string {
	var files []string
	for at := filepath.Clean(root); ; at = filepath.Dir(at) {
		files = append(files, filepath.Join(at, File))
		if at == filepath.Dir(at) {
			slices.Reverse(files)
			return files
		}
	}
}

// file applies a settings file; one that does not exist is a layer without values.
func (l *loader) file(path string, layer Layer) {
	if path == "" {
		return
	}
	origin := Origin{Layer: layer, File: path}
	text, err := readCapped(path)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		l.loaded.Problems = append(l.loaded.Problems, Problem{Origin: origin, Text: "cannot be read: " + reason(err)})
		return
	}
	before := len(l.loaded.Problems)
	document, problems := readTOML(text, origin)
	l.loaded.Problems = append(l.loaded.Problems, problems...)
	l.base = filepath.Dir(path)
	l.apply(layer, document.tree, func(path string) Origin {
		at := origin
		at.Line = document.line(path)
		return at
	})
	slices.SortStableFunc(l.loaded.Problems[before:], func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
}

func readCapped(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	if info.Size() > maxFileBytes {
		return nil, fmt.Errorf("larger than %d bytes", maxFileBytes)
	}
	return os.ReadFile(path)
}

// reason returns an error's text without the path, which the problem names already.
func reason(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

// editorVariable is the environment variable through which an editor passes the user's own settings, as
// one JSON object, if it can tell them from a folder's. An editor's usual messages cannot be trusted that
// far, because they do not say where a value is from.
const editorVariable = "LACUNA_SETTINGS"

func (l *loader) environment(lookup func(string) (string, bool)) {
	l.base = "" // the current folder
	if text, ok := lookup(editorVariable); ok {
		l.message(Environment, Origin{Layer: Environment, Name: editorVariable}, json.RawMessage(text))
	}
	for _, v := range variables {
		value, ok := lookup(v.name)
		if !ok || value == "" {
			continue
		}
		l.apply(Environment, nest(v.key, value), func(string) Origin {
			return Origin{Layer: Environment, Name: v.name}
		})
	}
}

func (l *loader) flags(values map[string]string) {
	l.base = ""
	for _, key := range slices.Sorted(maps.Keys(values)) {
		l.apply(Flags, nest(key, values[key]), func(string) Origin { return Origin{Layer: Flags} })
	}
}

// nest returns the tree in which a dotted key has a value.
func nest(key string, value any) map[string]any {
	tree := map[string]any{}
	graft(tree, key, value)
	return tree
}
