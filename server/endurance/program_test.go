package endurance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lacuna/knowledge/ingest/pdf"
	"lacuna/server/cli"
)

// Environment of the test binary when it runs as the program.
const (
	asProgram = "LACUNA_TEST_PROGRAM"
	withFault = "LACUNA_TEST_FAULT" // the name of one of faults, which the kernel then returns to the program
)

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		if name := os.Getenv(withFault); name != "" {
			if err := install(name); err != nil {
				fmt.Fprintln(os.Stderr, "no fault could be installed:", err)
				os.Exit(noFault)
			}
		}
		pdf.Child()
		os.Exit(cli.Main(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// noFault is the exit code where the kernel lets no process refuse system calls to itself.
const noFault = 77

// folder is a workspace with a note, and a cache of its own.
type folder struct {
	t    *testing.T
	path string
}

// question stands in the note, and sentence in its answer.
const (
	question = "- When are iron tablets taken?\n"
	sentence = "Iron tablets are taken on an empty stomach"
)

// newFolder makes a workspace at path with a few pages.
func newFolder(t *testing.T, path string) folder {
	t.Helper()
	f := folder{t, path}
	f.write("kb/iron.md", "# Iron\n\n"+sentence+".\n\nZinc is another metal.\n")
	for i := range 30 {
		f.write(fmt.Sprintf("kb/page%d.md", i), fmt.Sprintf("# Metal %d\n\nThe metal of page %d melts at %d degrees. It is seldom taken as a tablet.\n", i, i, 100+7*i))
	}
	f.write("note.md", "# Notes\n\n"+question)
	return f
}

func (f folder) write(name, text string) {
	f.t.Helper()
	path := filepath.Join(f.path, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		f.t.Fatal(err)
	}
}

func (f folder) note() string {
	f.t.Helper()
	text, err := os.ReadFile(filepath.Join(f.path, "note.md"))
	if err != nil {
		f.t.Fatal(err)
	}
	return string(text)
}

// command returns the program with arguments, in the folder.
func (f folder) command(ctx context.Context, environment []string, arguments ...string) *exec.Cmd {
	program := exec.CommandContext(ctx, os.Args[0], arguments...)
	program.Dir = f.path
	program.Env = append(os.Environ(), asProgram+"=1", "LACUNA_CACHE_DIR="+filepath.Join(f.path, ".cache"), "TMPDIR="+filepath.Join(f.path, ".tmp"), "XDG_RUNTIME_DIR=")
	program.Env = append(program.Env, environment...)
	return program
}

// outcome is what a run of the program left.
type outcome struct {
	out, errs string
	code      int
}

// run runs the program to its end, which must come by itself and without a crash.
func (f folder) run(environment []string, arguments ...string) outcome {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), 5*time.Minute) // for one that hangs
	defer cancel()
	program := f.command(ctx, environment, arguments...)
	var out, errs bytes.Buffer
	program.Stdout, program.Stderr = &out, &errs
	err := program.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		f.t.Fatalf("%v: %v, %v\n%s", arguments, err, ctx.Err(), errs.String())
	}
	o := outcome{out.String(), errs.String(), program.ProcessState.ExitCode()}
	if o.code == noFault {
		f.t.Skip(o.errs)
	}
	if o.code < 0 || strings.Contains(o.errs, "goroutine ") || strings.Contains(o.errs, "panic:") {
		f.t.Errorf("%v crashed:\n%s", arguments, o.errs)
	}
	return o
}

// answered is the note after its question was answered, without a fault.
func answered(t *testing.T) string {
	t.Helper()
	f := newFolder(t, t.TempDir())
	if o := f.run(nil, "answer", "--write", "note.md"); o.code != 0 || !strings.Contains(f.note(), sentence) {
		t.Fatalf("exit %d\n%s\n%s", o.code, o.errs, f.note())
	}
	return f.note()
}

// checkWhole holds that the note is whole, old or new, and that no file stands next to it that was not there.
func (f folder) checkWhole(what, answered string) {
	f.t.Helper()
	if note := f.note(); note != answered && note != "# Notes\n\n"+question {
		f.t.Errorf("%s: the note is neither the old nor the new one:\n%s", what, note)
	}
}

// left returns the names next to the note that do not belong there.
func (f folder) left() []string {
	f.t.Helper()
	entries, err := os.ReadDir(f.path)
	if err != nil {
		f.t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		switch entry.Name() {
		case "kb", "note.md", ".cache", ".tmp":
		default:
			names = append(names, entry.Name())
		}
	}
	return names
}
