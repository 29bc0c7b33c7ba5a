package ocr

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lacuna/knowledge/plaintext"
)

// Command is a program with its arguments.
type Command struct {
	// Words are the program, a name that the system finds or an absolute path, and its arguments. It
	// gets the file in place of {in}, else on standard input, and writes a PDF file in place of {out},
	// else to standard output. No words mean no OCR.
	Words []string
	// Limit bounds the time for one file.
	Limit time.Duration
	// Folder holds the cached texts; it is made with mode 0700.
	Folder string
}

// maxOutput bounds the PDF file that a command makes, in bytes.
const maxOutput = 1 << 30

// run runs the command on a file and returns the PDF file that it makes.
func (c *Command) run(ctx context.Context, content []byte) ([]byte, error) {
	words := slices.Clone(c.Words)
	if filepath.Base(words[0]) != words[0] && !filepath.IsAbs(words[0]) {
		return nil, fmt.Errorf("ocr.command: %s is neither the name of a program nor an absolute path", words[0])
	}
	dir, err := os.MkdirTemp(c.Folder, "run-")
	if err != nil {
		return nil, fmt.Errorf("ocr.command has no folder to work in: %w", err)
	}
	defer os.RemoveAll(dir)
	in, out := filepath.Join(dir, "in.pdf"), filepath.Join(dir, "out.pdf")
	reads, writes := false, false
	for i := range words {
		reads, writes = reads || strings.Contains(words[i], "{in}"), writes || strings.Contains(words[i], "{out}")
		words[i] = strings.NewReplacer("{in}", in, "{out}", out).Replace(words[i])
	}
	limited, cancel := context.WithTimeout(ctx, c.Limit)
	defer cancel()
	command := exec.CommandContext(limited, words[0], words[1:]...)
	command.Dir = dir
	command.Env = environment(dir)
	if reads {
		if err := os.WriteFile(in, content, 0o600); err != nil {
			return nil, fmt.Errorf("ocr.command: %w", err)
		}
	} else {
		command.Stdin = bytes.NewReader(content)
	}
	said, made := tail{max: 4 << 10}, limitedBuffer{}
	command.Stderr = &said
	if writes {
		command.Stdout = &said
	} else {
		command.Stdout = &made
	}
	command.WaitDelay = 2 * time.Second // for what it started and left behind with its output open
	isolate(command)
	started := command.Start()
	if err = started; started == nil {
		limitMemory(command.Process.Pid)
		err = command.Wait()
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && limited.Err() != nil:
		return nil, fmt.Errorf("ocr.command takes more than %s; raise ocr.timeout", c.Limit)
	case started != nil:
		return nil, fmt.Errorf("ocr.command did not start: %w", started)
	case err != nil:
		return nil, fmt.Errorf("ocr.command failed (%w)%s", err, said.lastLine())
	}
	result := made.all.Bytes()
	if writes {
		if info, err := os.Stat(out); err != nil || info.Size() > maxOutput {
			return nil, errors.New("ocr.command made no file, or one of more than 1 GiB")
		}
		if result, err = os.ReadFile(out); err != nil {
			return nil, fmt.Errorf("ocr.command: %w", err)
		}
	}
	if !bytes.Contains(result[:min(len(result), 1024)], []byte("%PDF-")) {
		return nil, errors.New("ocr.command made no PDF file" + said.lastLine())
	}
	return result, nil
}

// environment returns the environment of the command: the user's, without what is Lacuna's own, and
// with a folder for temporary files that is removed afterwards.
func environment(dir string) []string {
	env := slices.DeleteFunc(os.Environ(), func(pair string) bool { return strings.HasPrefix(pair, "LACUNA_") })
	return append(env, "TMPDIR="+dir, "TMP="+dir, "TEMP="+dir)
}

// limitedBuffer collects up to maxOutput bytes. It does not embed its buffer, whose ReadFrom io.Copy would
// call instead of Write.
type limitedBuffer struct{ all bytes.Buffer }

func (b *limitedBuffer) Write(p []byte) (int, error) {
	if b.all.Len()+len(p) > maxOutput {
		return 0, errors.New("more than 1 GiB of output")
	}
	return b.all.Write(p)
}

// tail keeps the last max bytes written.
type tail struct {
	max  int
	last []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.last = append(t.last, p[max(0, len(p)-t.max):]...)
	t.last = t.last[max(0, len(t.last)-t.max):]
	return len(p), nil
}

// lastLine returns ": " and the last line, or "".
func (t *tail) lastLine() string {
	text := strings.TrimSpace(strings.ToValidUTF8(string(t.last), ""))
	line := plaintext.OneLine(text[strings.LastIndexByte(text, '\n')+1:])
	if line == "" {
		return ""
	}
	if runes := []rune(line); len(runes) > 200 {
		line = string(runes[:200]) + "…"
	}
	return ": " + line
}
