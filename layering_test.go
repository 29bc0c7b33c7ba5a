package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// layers has the packages from the innermost outwards. A package imports only those before it, and
// a package that is not listed counts as the nearest folder above it. So the core (knowledge and
// what is before it) knows neither editors nor the wire.
var layers = []string{
	"vecmath/regular",
	"vecmath/mapped",
	"knowledge/par",
	"knowledge/plaintext",
	"knowledge/sanitise",
	"vecmath/synthetic",
	"vecmath",
	"prompts",
	"knowledge/llm/llmtest",
	"knowledge/llm/llmtest/scripted",
	"knowledge/llm",
	"knowledge/llm/recording",

	"knowledge/passage",
	"knowledge/document",
	"knowledge/head",
	"knowledge/ingest/glob",
	"knowledge/ingest/markup",
	"knowledge/ingest/archive",
	"knowledge/ingest/web",
	"knowledge/ingest/mail",
	"knowledge/ingest/notebook",
	"knowledge/ingest/office",
	"knowledge/ingest/clinical",
	"knowledge/ingest/bibliography",
	"knowledge/ingest/pdf/pdftest",
	"knowledge/ingest/pdf",
	"knowledge/ingest/ocr",
	"knowledge/ingest",
	"knowledge/lexical",
	"knowledge/lexicon",
	"knowledge/vocabulary",
	"knowledge/redact/redacttest",
	"knowledge/redact",
	"knowledge/question",
	"knowledge/dense",
	"knowledge/entity",
	"knowledge/gate/trees",
	"knowledge/cache",
	"knowledge/syntax",
	"knowledge/entail",
	"knowledge/rerank",
	"knowledge/superseded",
	"knowledge/copies",
	"knowledge",
	"knowledge/share",
	"knowledge/share/web",
	"knowledge/engine",
	"knowledge/engine/enginetest",
	"knowledge/engine/weaviate/wire",
	"knowledge/engine/weaviate/cluster",
	"knowledge/engine/weaviate",
	"knowledge/quotation",
	"knowledge/gap",
	"knowledge/gap/ledger",
	"knowledge/answer",
	"knowledge/answer/answertest",
	"knowledge/answer/extract",
	"knowledge/answer/support",
	"knowledge/answer/systems",
	"knowledge/remote",
	"knowledge/eval",
	"knowledge/experiment/dataset",
	"knowledge/experiment",
	"knowledge/experiment/distances",
	"knowledge/experiment/projection",
	"knowledge/experiment/report",
	"knowledge/experiment/testset",
	"knowledge/gate/fusion",
	"knowledge/gate",
	"knowledge/history",
	"knowledge/experiment/papers",
	"handlers/position",
	"handlers/lsp",
	"handlers/explain",
	"handlers/note/sense",
	"handlers/note",
	"handlers/notebook",
	"handlers/wiki",
	"handlers/note/query",
	"handlers/claims",
	"handlers/settings",
	"handlers/messages",
	"handlers/outgoing",
	"handlers",
	"server/stream",
	"server/dispatch",
	"server/editor",
	"server/folders",
	"server/notes",
	"server",
	"server/workspace",
	"server/editortest",
	"server/reference",
	"server/cli/atomicfile",
	"server/cli/usage",
	"server/agents",
	"examples",
	"server/setup",
	"server/terminal",
	"server/evaluation",
	"server/report",
	"server/citation",
	"server/cli",
	"release",
	".",
}

// owners holds the packages that may import what others wrote, by the beginning of its path. What is
// not here nobody may import, and so no package of the program but knowledge/llm, knowledge/share/web and
// knowledge/engine/weaviate can open a connection, and few can start a program, which could.
// knowledge/engine/weaviate/cluster is in no program: it has a build tag, for tests.
var owners = map[string][]string{
	"github.com/blugelabs/bluge":              {"knowledge/lexical"},
	"github.com/blevesearch/go-porterstemmer": {"knowledge/lexical"},
	"golang.org/x/text/unicode/norm":          {"knowledge/plaintext", "knowledge/passage", "knowledge/lexical", "knowledge/ingest/pdf", "knowledge/ingest/bibliography", "server/citation"},
	"golang.org/x/net/html":                   {"knowledge/ingest/web"},
	"golang.org/x/text/encoding":              {"knowledge/ingest/pdf", "knowledge/ingest/archive", "knowledge/ingest/office", "knowledge/ingest/web", "knowledge/ingest/bibliography"},
	"github.com/yuin/goldmark":                {"knowledge/ingest/markup"},
	"github.com/gofrs/flock":                  {"knowledge", "knowledge/experiment", "knowledge/share"},
	"github.com/viterin/vek":                  {"vecmath"},
	"gonum.org/v1/plot":                       {"knowledge/experiment/report"},
	"golang.org/x/sys/cpu":                    {"vecmath"},
	"golang.org/x/sys/unix":                   {"server/workspace", "knowledge/share"},
	"golang.org/x/mod/sumdb/note":             {"knowledge/share"},
	"golang.org/x/mod/sumdb/tlog":             {"knowledge/remote"},
	"github.com/restic/chunker":               {"knowledge/share"},
	"github.com/pelletier/go-toml/v2":         {"handlers/settings", "knowledge/experiment"},
	"github.com/sashabaranov/go-openai":       {"knowledge/llm"},
	"google.golang.org/grpc":                  {"knowledge/engine/weaviate", "knowledge/engine/weaviate/wire"},
	"google.golang.org/protobuf":              {"knowledge/engine/weaviate", "knowledge/engine/weaviate/wire"},
	"net/http":                                {"knowledge/llm", "knowledge/llm/llmtest", "knowledge/share/web", "knowledge/engine/weaviate", "knowledge/engine/weaviate/cluster"},
	"net":                                     {"knowledge/share/web", "knowledge/llm", "knowledge/llm/llmtest", "knowledge/llm/llmtest/scripted", "knowledge/engine/weaviate", "knowledge/engine/weaviate/cluster"},
	"os/exec":                                 {"knowledge/engine/weaviate/cluster", "knowledge/ingest/pdf", "knowledge/ingest/ocr", "server/workspace", "server/reference", "server/terminal", "server/cli", "release"},
	"github.com/spf13/pflag":                  {"server/cli", "server/cli/usage", "server/evaluation"},
	"github.com/modelcontextprotocol/go-sdk":  {"server/agents"},
	"github.com/gdamore/tcell/v2":             {"server/terminal"},
	"github.com/rivo/uniseg":                  {"server/terminal"},
	"go.lsp.dev/protocol":                     {"handlers", "handlers/lsp", "server", "server/stream", "server/dispatch", "server/editor", "server/folders", "server/notes", "server/editortest"},
	"go.lsp.dev/jsonrpc2":                     {"handlers/lsp", "server", "server/stream", "server/dispatch", "server/editor"},
	"net/url":                                 {"knowledge/engine/weaviate", "handlers/lsp", "handlers/note", "handlers/settings", "server/cli", "server/citation", "server/workspace", "knowledge/share/web", "release"},
}

// modulePath returns the path of this module, which a publisher changes (release/rename.sh).
func modulePath(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(strings.TrimPrefix(first, "module "))
}

func TestLayering(t *testing.T) {
	module := modulePath(t)
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		folder := filepath.ToSlash(filepath.Dir(path))
		for _, spec := range file.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value) // the parser has read it
			if ours, ok := strings.CutPrefix(imported, module+"/"); ok {
				if layer(ours) >= layer(folder) {
					t.Errorf("%s imports %s, which is not further in", path, imported)
				}
			} else if foreign(imported) && !owned(imported, folder) {
				t.Errorf("%s imports %s, which it does not own", path, imported)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestOneGuard holds that memory faults become panics in one place.
func TestOneGuard(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" || path == "layering_test.go" || filepath.ToSlash(path) == "vecmath/mapped/guard.go" {
			return err
		}
		source, err := os.ReadFile(path)
		if strings.Contains(string(source), "SetPanicOnFault") {
			t.Errorf("%s calls SetPanicOnFault; mapped.Guard does that", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// layer is the place of a package in layers.
func layer(folder string) int {
	for !slices.Contains(layers, folder) {
		folder = filepath.ToSlash(filepath.Dir(folder))
	}
	return slices.Index(layers, folder)
}

// foreign reports whether an import needs an owner: another module, or the standard library's way
// to the network and to other programs.
func foreign(imported string) bool {
	host, _, _ := strings.Cut(imported, "/")
	return host == "net" || imported == "os/exec" || strings.Contains(host, ".")
}

func owned(imported, folder string) bool {
	for path, folders := range owners {
		if strings.HasPrefix(imported, path) && slices.Contains(folders, folder) {
			return true
		}
	}
	return false
}

// TestJudgingReadsNoClock holds that what judges dates is given the day: what is due is the same for every mark, and a
// test can choose it. The command line and the session own the clock.
func TestJudgingReadsNoClock(t *testing.T) {
	for _, folder := range []string{"handlers", "handlers/claims", "handlers/note", "handlers/messages", "knowledge/superseded", "knowledge/entail", "knowledge/head", "knowledge/answer/support"} {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v, %d files", folder, err, len(files))
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(file, "_test.go") && strings.Contains(string(text), "time.Now") {
				t.Errorf("%s reads the clock", file)
			}
		}
	}
}
