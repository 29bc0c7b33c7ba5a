package cli

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestScripts runs the transcripts of testdata/script. Each is an archive: a sentence of purpose,
// the files of a workspace, and a section "transcript" of commands with what they print. Lines of
// standard error begin with "2> ", and an exit code other than 0 has a line of its own.
func TestScripts(t *testing.T) {
	folder, err := filepath.Abs(filepath.Join("testdata", "script"))
	if err != nil {
		t.Fatal(err)
	}
	scripts, err := filepath.Glob(filepath.Join(folder, "*.txtar"))
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, script := range scripts {
		t.Run(strings.TrimSuffix(filepath.Base(script), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(script)
			if err != nil {
				t.Fatal(err)
			}
			dir := workspaceOf(t, archive)
			for i, file := range archive.Files {
				if file.Name != "transcript" {
					continue
				}
				got := transcribe(t, dir, string(file.Data))
				if *update {
					archive.Files[i].Data = []byte(got)
					if err := os.WriteFile(script, txtar.Format(archive), 0o644); err != nil {
						t.Fatal(err)
					}
				} else if diff := cmp.Diff(string(file.Data), got); diff != "" {
					t.Errorf("transcript (-want +got):\n%s", diff)
				}
			}
		})
	}
}

// workspaceOf writes the archive's files to a new folder and makes it the current one.
func workspaceOf(t *testing.T, archive *txtar.Archive) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range archive.Files {
		if file.Name == "transcript" {
			continue
		}
		path := filepath.Join(dir, "ws", filepath.FromSlash(file.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, file.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	isolate(t, dir)
	t.Chdir(filepath.Join(dir, "ws"))
	return dir
}

// isolate keeps the machine's own settings, cache and editors out of a test.
func isolate(t *testing.T, dir string) {
	t.Helper()
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "LACUNA_") {
			t.Setenv(name, "")
		}
	}
	t.Setenv("HOME", filepath.Join(dir, "home"))
	t.Setenv("USERPROFILE", filepath.Join(dir, "home"))
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "home", "config"))
	t.Setenv("APPDATA", filepath.Join(dir, "home", "config"))
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "home", "cache"))
	t.Setenv("LOCALAPPDATA", filepath.Join(dir, "home", "cache"))
	t.Setenv("PATH", "")
}

// transcribe runs the commands of a transcript and returns it with what they print now.
func transcribe(t *testing.T, dir, transcript string) string {
	t.Helper()
	var got strings.Builder
	for line := range strings.Lines(transcript) {
		typed, isCommand := strings.CutPrefix(strings.TrimSpace(line), "$ lacuna")
		if !isCommand {
			continue
		}
		fmt.Fprintf(&got, "$ lacuna%s\n", typed)
		stdout, stderr, code := runTyped(t, typed)
		got.WriteString(stdout)
		for line := range strings.Lines(stderr) {
			got.WriteString("2> " + line)
		}
		if code != 0 {
			fmt.Fprintf(&got, "exit %d\n", code)
		}
	}
	return settle(dir, got.String())
}

// runTyped runs a command as typed; "< file" gives it standard input.
func runTyped(t *testing.T, typed string) (stdout, stderr string, code int) {
	t.Helper()
	typed, input, redirected := strings.Cut(typed, " < ")
	var in io.Reader = strings.NewReader("")
	if redirected {
		text, err := os.ReadFile(input)
		if err != nil {
			t.Fatal(err)
		}
		in = bytes.NewReader(text)
	}
	return run(t, in, words(typed)...)
}

func run(t *testing.T, in io.Reader, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	code = Run(context.Background(), args, Streams{In: in, Out: &out, Err: &errs})
	return out.String(), errs.String(), code
}

// words splits a command line at spaces outside double quotes.
func words(line string) []string {
	var all []string
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 1 {
			all = append(all, part)
		} else {
			all = append(all, strings.Fields(part)...)
		}
	}
	return all
}

// varying holds the parts of the output that differ from run to run.
var varying = []struct {
	pattern *regexp.Regexp
	settled string
}{
	{regexp.MustCompile(`(answering system is called "[^"]*"; known: ).*`), `$1…`},
	{regexp.MustCompile(`"timings_ms":\{[^}]*\}`), `"timings_ms":{…}`},
	{regexp.MustCompile(`"(missing_)?probability":[0-9.e+-]+`), `"${1}probability":…`},
	{regexp.MustCompile(`"(seconds|median_ms|p99_ms)":[0-9.e+-]+`), `"$1":…`},
	{regexp.MustCompile(`median [0-9.]+ ms, 99 % below [0-9.]+ ms`), `median … ms, 99 % below … ms`},
	{regexp.MustCompile(`ws-[0-9a-f]{12}`), `ws-…`},
	{regexp.MustCompile(`[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]+Z`), `…`},
	{regexp.MustCompile("(gaps? in the sources of `[^`]*`, ).*"), `$1…`},
	{regexp.MustCompile(`[0-9.]+ MB`), `… MB`},
}

func settle(dir, text string) string {
	text = strings.ReplaceAll(text, dir, "$DIR")
	for _, v := range varying {
		text = v.pattern.ReplaceAllString(text, v.settled)
	}
	return text
}

// TestHelp keeps every help text where a change of wording is seen in review.
func TestHelp(t *testing.T) {
	isolate(t, t.TempDir())
	for _, name := range append([]string{""}, names()...) {
		args, file := []string{"help"}, "lacuna"
		if name != "" {
			args, file = append(args, strings.Fields(name)...), strings.ReplaceAll(name, " ", "-")
		}
		stdout, stderr, code := run(t, strings.NewReader(""), args...)
		if code != 0 || stderr != "" {
			t.Errorf("%v: exit %d, %s", args, code, stderr)
		}
		golden(t, filepath.Join("testdata", "help", file+".txt"), stdout)
		if name != "" {
			flagged, _, _ := run(t, strings.NewReader(""), append(strings.Fields(name), "--help")...)
			if flagged != stdout {
				t.Errorf("lacuna %s --help differs from lacuna help %s", name, name)
			}
		}
		for line := range strings.Lines(stdout) {
			if len([]rune(strings.TrimRight(line, "\n"))) > helpWidth {
				t.Errorf("%s: wider than %d columns: %s", file, helpWidth, line)
			}
		}
	}
}

func names() []string {
	var all []string
	for _, c := range slices.Concat(commands(), subCommands()) {
		all = append(all, c.name)
	}
	return all
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}
