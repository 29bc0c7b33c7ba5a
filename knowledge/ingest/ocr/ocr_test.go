package ocr

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lacuna/knowledge/ingest/pdf"
	"lacuna/knowledge/ingest/pdf/pdftest"
)

// TestMain lets the test program be the command that recognises text, and the child that reads a PDF.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "recognise" {
		recognise(os.Args[2], os.Args[3:])
	}
	pdf.Child()
	os.Exit(m.Run())
}

// recognise is a command that finds the words "Found in a picture" in every file. It counts its runs.
func recognise(how string, files []string) {
	count, _ := os.OpenFile(os.Getenv("RUNS"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	fmt.Fprintln(count, how)
	made := pdftest.File("", pdftest.Lines(72, 700, 11, "Found in a picture."))
	switch how {
	case "pipe":
		if content, err := io.ReadAll(os.Stdin); err != nil || !bytes.HasPrefix(content, []byte("%PDF-")) {
			os.Exit(9)
		}
		fmt.Print(made)
	case "files":
		if content, err := os.ReadFile(files[0]); err != nil || !bytes.HasPrefix(content, []byte("%PDF-")) || os.Getenv("LACUNA_SECRET") != "" {
			os.Exit(9)
		}
		fmt.Println("page 1 of 1")
		_ = os.WriteFile(files[1], []byte(made), 0o600)
	case "fail":
		fmt.Fprintln(os.Stderr, "starting\nno language data for eng")
		os.Exit(7)
	case "text":
		fmt.Print("Found in a picture.")
	case "wait":
		<-make(chan bool)
	}
	os.Exit(0)
}

func TestRead(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	scan := []byte(pdftest.File("", "0 0 9 9 re f"))
	for _, test := range []struct {
		name  string
		words []string
		limit time.Duration
		want  string // words, or the error
	}{
		{"through pipes", []string{program, "recognise", "pipe"}, time.Minute, "Found in a picture."},
		{"through files", []string{program, "recognise", "files", "{in}", "{out}"}, time.Minute, "Found in a picture."},
		{"a failure", []string{program, "recognise", "fail"}, time.Minute, "ocr.command failed (exit status 7): no language data for eng"},
		{"no file", []string{program, "recognise", "pipe", "{out}"}, time.Minute, "ocr.command made no file, or one of more than 1 GiB"},
		{"no PDF file", []string{program, "recognise", "text"}, time.Minute, "ocr.command made no PDF file"},
		{"no such program", []string{"lacuna-no-such-command"}, time.Minute, "ocr.command did not start"},
		{"a program of some folder", []string{"bin/ocr"}, time.Minute, "ocr.command: bin/ocr is neither the name of a program nor an absolute path"},
		{"too slow", []string{program, "recognise", "wait"}, time.Millisecond, "ocr.command takes more than 1ms; raise ocr.timeout"},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "ocr")
			runs := filepath.Join(t.TempDir(), "runs")
			t.Setenv("RUNS", runs)
			t.Setenv("LACUNA_SECRET", "yes")
			Use(Command{Words: test.words, Limit: test.limit, Folder: folder})
			defer Use(Command{})
			for range 2 {
				d, err := Read(t.Context(), scan)
				got := ""
				if err != nil {
					got = err.Error()
				} else {
					got = d.Pages[0].Blocks[0].Lines[0].Text
				}
				if !strings.HasPrefix(got, test.want) {
					t.Errorf("got %q, want %q", got, test.want)
				}
			}
			cached, err := Read(CachedOnly(t.Context()), scan)
			if found := strings.HasPrefix(test.want, "Found"); found != (err == nil) || found && len(cached.Pages) != 1 {
				t.Errorf("from the cache: %v, %v", cached, err)
			}
			if said, _ := os.ReadFile(runs); strings.HasPrefix(test.want, "Found") && bytes.Count(said, []byte("\n")) != 1 {
				t.Errorf("it ran more than once: %q", said)
			}
			left, _ := os.ReadDir(folder)
			for _, entry := range left {
				if info, _ := entry.Info(); !strings.HasSuffix(entry.Name(), suffix) || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
					t.Errorf("left behind: %s %s", entry.Name(), info.Mode())
				}
			}
		})
	}
}

func TestWithoutCommand(t *testing.T) {
	if _, err := Read(context.Background(), nil); err == nil || Active() || Stamp() != "" {
		t.Errorf("%v, %v, %q", err, Active(), Stamp())
	}
}

// A damaged or foreign file in the cache is no text.
func TestDamagedCache(t *testing.T) {
	c := Command{Words: []string{"x"}, Folder: t.TempDir()}
	Use(c)
	defer Use(Command{})
	for _, content := range []string{"", "{", "[]"} {
		if err := os.WriteFile(c.path([]byte("pdf")), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if d, err := Read(CachedOnly(t.Context()), []byte("pdf")); err == nil {
			t.Errorf("%q gave %v", content, d)
		}
	}
}
