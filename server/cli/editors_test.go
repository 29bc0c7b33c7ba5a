package cli

import (
	"encoding/json"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
	"lacuna/handlers/note"
	"lacuna/handlers/settings"
	"lacuna/server/editortest"
)

// asProgram is set where the test binary runs as the program; see TestMain.
const asProgram = "LACUNA_TEST_PROGRAM"

// setUp is what an editor is told by one of the files in the folder editors.
type setUp struct {
	command   []string
	languages []string // identifiers that it sends with a document
	options   any      // of initialize
	settings  any      // that workspace/configuration is answered with
	lens      bool     // whether these leave the lenses on
}

// editorFile reads a file of the folder editors.
func editorFile(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "editors", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// strictly parses JSON that has the fields of into and no others.
func strictly(t *testing.T, name string, into any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(string(editorFile(t, name))))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// shown reports a guide that shows another file than the one in the folder editors.
func shown(t *testing.T, guide, name string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(docs, guide))
	if err != nil {
		t.Fatal(err)
	}
	if unindented := regexp.MustCompile("(?m)^   ").ReplaceAllString(string(text), ""); !strings.Contains(unindented, "```json\n"+string(editorFile(t, name))+"```") {
		t.Errorf("%s does not show %s", guide, name)
	}
}

func zed(t *testing.T) setUp {
	var extension struct {
		ID, Name, Version, Description string
		SchemaVersion                  int `toml:"schema_version"`
		Authors                        []string
		LanguageServers                map[string]struct {
			Name        string
			Languages   []string
			LanguageIDs map[string]string `toml:"language_ids"`
		} `toml:"language_servers"`
	}
	d := toml.NewDecoder(strings.NewReader(string(editorFile(t, "zed/extension.toml"))))
	if err := d.DisallowUnknownFields().Decode(&extension); err != nil {
		t.Fatal(err)
	}
	var crate struct {
		Package struct{ Name, Version, Edition, License string }
		Lib     struct {
			CrateType []string `toml:"crate-type"`
		}
		Dependencies map[string]string
	}
	if err := toml.Unmarshal(editorFile(t, "zed/Cargo.toml"), &crate); err != nil {
		t.Fatal(err)
	}
	if extension.ID != "lacuna" || extension.SchemaVersion != 1 || extension.Version != Version || crate.Package.Version != Version {
		t.Errorf("extension %+v, crate %+v; the program is %s", extension, crate.Package, Version)
	}
	if !slices.Equal(crate.Lib.CrateType, []string{"cdylib"}) || !strings.HasPrefix(crate.Dependencies["zed_extension_api"], "=") {
		t.Errorf("%+v", crate)
	}
	server := extension.LanguageServers["lacuna"]
	s := setUp{lens: true}
	for _, language := range server.Languages {
		if server.LanguageIDs[language] == "" {
			t.Errorf("%s has no identifier", language)
		}
		s.languages = append(s.languages, server.LanguageIDs[language])
	}
	// The program and its arguments, as the extension returns them.
	code := string(editorFile(t, "zed/src/lib.rs"))
	program := regexp.MustCompile(`worktree\.which\("(\w+)"\)`).FindStringSubmatch(code)
	arguments := regexp.MustCompile(`args: vec!\["(\w+)"\.into\(\)\]`).FindStringSubmatch(code)
	if program == nil || arguments == nil {
		t.Fatal("no command")
	}
	s.command = []string{program[1], arguments[1]}
	return s
}

func jetbrains(t *testing.T) setUp {
	var template struct {
		ID, Name         string
		ProgramArgs      map[string]string
		FileTypeMappings []struct {
			FileType   struct{ Patterns []string }
			LanguageID string
		}
	}
	strictly(t, "jetbrains/template.json", &template)
	s := setUp{command: strings.Fields(template.ProgramArgs["default"])}
	var served []string
	for _, m := range template.FileTypeMappings {
		s.languages = append(s.languages, m.LanguageID)
		for _, pattern := range m.FileType.Patterns {
			if name := strings.Replace(pattern, "*", "a", 1); note.LanguageOf("", name) != note.LanguageOf(m.LanguageID, "") || !note.Known("", name) {
				t.Errorf("%s is no %s", pattern, m.LanguageID)
			}
			served = append(served, pattern)
		}
	}
	if len(served) != 16 {
		t.Errorf("%d patterns: %q", len(served), served)
	}
	strictly(t, "jetbrains/initializationOptions.json", &s.options)
	var sections map[string]any
	strictly(t, "jetbrains/settings.json", &sections)
	s.settings = sections["lacuna"]
	return s
}

func sublime(t *testing.T) setUp {
	var file struct {
		Clients map[string]struct {
			Enabled               bool
			Command               []string
			Selector              string
			InitializationOptions any
			Settings              map[string]any
		}
	}
	strictly(t, "sublime/LSP.sublime-settings", &file)
	c := file.Clients["lacuna"]
	s := setUp{command: c.Command, options: c.InitializationOptions, settings: map[string]any{"lens": map[string]any{"enabled": c.Settings["lacuna.lens.enabled"]}}}
	for _, scope := range strings.Split(c.Selector, "|") {
		scope, _, _ = strings.Cut(strings.TrimSpace(scope), " - ")
		id := scope[strings.LastIndex(scope, ".")+1:] // as the package LSP makes it of a scope
		if id == "plain" {
			id = "txt"
		}
		s.languages = append(s.languages, id)
	}
	if !c.Enabled {
		t.Error("it is not enabled")
	}
	shown(t, "sublime.md", "sublime/LSP.sublime-settings")
	return s
}

func kate(t *testing.T) setUp {
	var file struct {
		Servers map[string]struct {
			Command                 []string
			RootIndicationFileNames []string
			HighlightingModeRegex   string
		}
	}
	strictly(t, "kate/settings.json", &file)
	shown(t, "kate.md", "kate/settings.json")
	return setUp{command: file.Servers["markdown"].Command, languages: slices.Sorted(maps.Keys(file.Servers)), lens: true}
}

// TestSetUpsOfEditors starts the program as the files in the folder editors say, with their options and settings, and answers a question
// of a note in each language, with a client that can do no more than it has to.
func TestSetUpsOfEditors(t *testing.T) {
	for name, read := range map[string]func(*testing.T) setUp{"zed": zed, "jetbrains": jetbrains, "sublime": sublime, "kate": kate} {
		t.Run(name, func(t *testing.T) {
			s := read(t)
			for _, id := range s.languages {
				if !note.Known(id, "") {
					t.Errorf("%s is no language of notes", id)
				}
			}
			if len(s.command) != 2 || s.command[0] != "lacuna" {
				t.Fatalf("command %q", s.command)
			}
			if err := known(s.command[1:]); err != nil {
				t.Fatal(err)
			}
			root := t.TempDir()
			for file, text := range map[string]string{"kb/kiln.md": "# Kiln\n\nThe east kiln is fired at 980 degrees for eleven hours.\n", settings.File: "[[source]]\nname = \"kb\"\npath = \"kb\"\n"} {
				path := filepath.Join(root, file)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			e := start(t, s)
			e.Start(root)
			for _, id := range s.languages {
				answerIn(t, e, root, id, s.lens)
			}
			e.Close()
		})
	}
}

// start starts the program and connects an editor to it.
func start(t *testing.T, s setUp) *editortest.Editor {
	t.Helper()
	home := t.TempDir()
	program := exec.CommandContext(t.Context(), os.Args[0], s.command[1:]...)
	program.Env = append(os.Environ(), asProgram+"=1", "LACUNA_CACHE_DIR="+filepath.Join(home, "cache"), "XDG_CONFIG_HOME="+home, "AppData="+home, "HOME="+home)
	program.Stderr = t.Output()
	in, err := program.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { program.Wait() })
	return editortest.Connect(t, struct {
		io.Reader
		io.WriteCloser
	}{out, in}, editortest.Options{InitOptions: s.options, Configuration: s.settings, Capabilities: map[string]any{"workspace": map[string]any{"configuration": true, "applyEdit": true}}})
}

const publish = "textDocument/publishDiagnostics"

// answerIn writes a note in a language, waits until a gap is marked, and answers its question.
func answerIn(t *testing.T, e *editortest.Editor, root, id string, lens bool) {
	t.Helper()
	uri := protocol.DocumentURI(lsp.URI(filepath.Join(root, "note-"+id)))
	e.Open(uri, id, "At how many degrees is the east kiln fired?\n\nWhat is the starting dose of tirzepatide?\n")
	for n := 1; len(e.Diagnostics(uri).Diagnostics) == 0; n++ { // the sources are read, and it marks what they lack
		e.Await("a mark in "+id, func() bool { return e.Came(publish) >= n })
	}
	at := map[string]any{"line": 0, "character": 5}
	about := map[string]any{"uri": uri}
	var command protocol.Command
	var actions []json.RawMessage
	e.MustCall("textDocument/codeAction", map[string]any{"textDocument": about, "range": map[string]any{"start": at, "end": at}, "context": map[string]any{"diagnostics": []any{}}}, &actions)
	for _, action := range actions {
		if json.Unmarshal(action, &command) == nil && command.Title == "Answer this question" {
			break
		}
	}
	if command.Command == "" {
		t.Fatalf("%s: actions %s", id, actions)
	}
	e.MustCall("workspace/executeCommand", map[string]any{"command": command.Command, "arguments": command.Arguments}, nil)
	if text := e.Text(uri); !strings.Contains(text, "fired at 980 degrees for eleven hours") || !strings.Contains(text, "kiln.md") {
		t.Errorf("%s: %s", id, text)
	}
	var lenses []any
	e.MustCall("textDocument/codeLens", map[string]any{"textDocument": about}, &lenses)
	if (len(lenses) > 0) != lens {
		t.Errorf("%s: %d lenses, although the settings say %v", id, len(lenses), lens)
	}
}
