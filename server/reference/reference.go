// Package reference has programs that the user installed read files, and compares what they read with the
// passages that Lacuna made of the same files: a second opinion on reading.
//
// It starts pdftotext and pandoc, if they are on the PATH, and nothing else. Files are untrusted, so a
// program gets a file's absolute path as one argument, no shell, an environment of its own, a time limit and
// a limit on what it may say; pandoc is started with --sandbox, so it opens no other file and no connection.
// Begin with [Find] and [Compare].
package reference

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Program is an installed program that turns files into text.
type Program struct {
	Name    string // such as "pandoc"
	path    string
	formats map[string]string // ending of a file's name → the program's name for the format
	args    func(format, file string) []string
}

// known lists the programs in the order in which [Find] returns them.
var known = []Program{
	{
		Name: "pdftotext", formats: map[string]string{".pdf": "pdf"},
		args: func(_, file string) []string { return []string{"-enc", "UTF-8", "-q", file, "-"} },
	},
	{
		Name: "pandoc", formats: map[string]string{
			".docx": "docx", ".odt": "odt", ".epub": "epub", ".rtf": "rtf", ".ipynb": "ipynb",
			".html": "html", ".htm": "html", ".xhtml": "html", ".org": "org", ".rst": "rst", ".rest": "rst",
			".md": "gfm", ".markdown": "gfm",
		},
		args: func(format, file string) []string {
			return []string{"+RTS", "-M1G", "-RTS", "--sandbox", "--from=" + format, "--to=plain", "--wrap=none", file}
		},
	},
}

// Find returns the programs that are on the PATH, and the names of the others.
func Find() (found []Program, absent []string) {
	for _, p := range known {
		path, err := exec.LookPath(p.Name)
		if err != nil { // also if it is in the current folder, where a stranger may have put it
			absent = append(absent, p.Name)
			continue
		}
		p.path = path
		found = append(found, p)
	}
	return found, absent
}

// Reads reports whether the program reads files with the ending of this name.
func (p *Program) Reads(file string) bool { return p.formats[ending(file)] != "" }

func ending(file string) string { return strings.ToLower(filepath.Ext(file)) }

const (
	maxTime  = 20 * time.Second // for one file
	maxReply = 32 << 20         // bytes of text
)

// Text returns the text that the program reads from a file. It takes at most 20 seconds.
func (p *Program) Text(ctx context.Context, file string) (string, error) {
	format := p.formats[ending(file)]
	if format == "" || !filepath.IsAbs(file) {
		return "", fmt.Errorf("%s does not read this file", p.Name)
	}
	limited, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	command := exec.CommandContext(limited, p.path, p.args(format, file)...)
	command.Env = environment()
	command.Dir = os.TempDir() // not where the files are
	command.WaitDelay = time.Second
	out := limitedBuffer{stop: cancel}
	command.Stdout = &out
	err := command.Run()
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case out.full:
		return "", fmt.Errorf("%s returns more than %d MiB", p.Name, maxReply>>20)
	case limited.Err() != nil:
		return "", fmt.Errorf("%s takes more than %s", p.Name, maxTime)
	case err != nil:
		return "", fmt.Errorf("%s cannot read it: %w", p.Name, err)
	}
	return strings.ToValidUTF8(out.all.String(), "\ufffd"), nil
}

// environment returns what a program needs to start and to find its own files.
func environment() []string {
	environment := []string{"LC_ALL=C.UTF-8"}
	names := []string{"PATH", "TMPDIR"}
	if runtime.GOOS == "windows" {
		names = append(names, "SYSTEMROOT", "TEMP", "TMP", "APPDATA", "LOCALAPPDATA")
	}
	for _, name := range names {
		if value, set := os.LookupEnv(name); set {
			environment = append(environment, name+"="+value)
		}
	}
	return environment
}

// limitedBuffer collects at most maxReply bytes and then stops the program. It does not embed its buffer,
// whose ReadFrom io.Copy would call instead of Write.
type limitedBuffer struct {
	all  bytes.Buffer
	stop func()
	full bool
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	if b.all.Len()+len(p) > maxReply {
		b.full = true
		b.stop()
		return 0, errors.New("the reply is too long")
	}
	return b.all.Write(p)
}
