package ingest

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"lacuna/knowledge/head"
	"lacuna/knowledge/passage"
)

// FileState is the outcome of reading a file.
type FileState string

const (
	Indexed FileState = "indexed"
	Skipped FileState = "skipped"
	Failed  FileState = "failed"
)

// FileReport says what became of one file of a source.
type FileReport struct {
	Source   string
	File     string // absolute path
	State    FileState
	Reason   string // why it was skipped, failed, or read only in part; empty when all is well
	Passages int
	Line     int // where the reason applies; 0 when it applies to the whole file
	// Hidden counts what readers of the file do not see: comments, invisible and direction-changing
	// characters. It does not tell intent; the user should look.
	Hidden int
	Coverage
}

// PartlyBelow is the share of kept words below which a file counts as partly read.
const PartlyBelow = 0.9

// Partly reports whether a file is searched, but without a good part of its text.
func (f *FileReport) Partly() bool {
	return f.State == Indexed && (f.Share() < PartlyBelow || f.Limited() != "")
}

// Beginnings of the reasons of files that are not looked into.
const (
	noReader   = "no reader for "
	noEnding   = "files without an extension"
	excludedBy = "excluded by "
)

// Unread returns the ending of the name of a file that no reader takes; it is empty for a name without
// one. unread is false for all other files.
func (f *FileReport) Unread() (ending string, unread bool) {
	ending, unread = strings.CutPrefix(f.Reason, noReader)
	if unread = unread && f.State == Skipped; !unread || ending == noEnding {
		ending = ""
	}
	return ending, unread
}

// Excluded returns the pattern of the settings that leaves the file out.
func (f *FileReport) Excluded() (pattern string, excluded bool) {
	pattern, excluded = strings.CutPrefix(f.Reason, excludedBy)
	return pattern, excluded && f.State == Skipped
}

func (f *FileReport) fail(reason string) { f.State, f.Reason = Failed, reason }

func (f *FileReport) skip(reason string) { f.State, f.Reason = Skipped, reason }

// Limited returns the setting whose limit left out the file or a part of it; "" if none did.
func (f *FileReport) Limited() string {
	_, name, found := strings.Cut(f.Reason, limitMark)
	name, _, _ = strings.Cut(name, ")")
	if !found {
		return ""
	}
	return "limits." + name
}

// File is one file of a source with its passages.
type File struct {
	FileReport
	Stamp    Stamp
	Passages []*passage.Passage
}

// Stamp decides whether a file must be read again.
type Stamp struct {
	Size    int64
	ModTime int64             // nanoseconds since 1970; 0 if the time is not reliable
	Content [sha256.Size]byte // of the bytes on disk, or of the reason if none were read
	Reading [sha256.Size]byte // of everything else that decides the passages: settings and reader version
}

// problems collects the defects of a file that could still be read.
type problems struct {
	line   int
	reason string
	more   int
}

// add records a problem at a line.
func (p *problems) add(line int, reason string) {
	if p.reason == "" {
		p.line, p.reason = line, reason
		return
	}
	p.more++
}

// report writes the first problem and the number of others into r.
func (p *problems) report(r *FileReport) {
	if p.reason == "" {
		return
	}
	r.Line, r.Reason = p.line, p.reason
	switch {
	case p.more == 1:
		r.Reason += " (and 1 more problem)"
	case p.more > 1:
		r.Reason += fmt.Sprintf(" (and %d more problems)", p.more)
	}
}

// privacy says whether a file is private.
type privacy struct {
	private     bool
	unclearLine int // the line that only seems to say so, counting from 1; 0 if it is clear
}

// addTo reports a line that the user should correct.
func (p privacy) addTo(problems *problems) {
	if p.unclearLine > 0 {
		problems.add(p.unclearLine, UnclearPrivacy+`; write "lacuna: private", or take the line out`)
	}
}

// UnclearPrivacy begins the reason of a file that counts as private because of a line that is not
// written as documented.
const UnclearPrivacy = "this line seems to say that the file is private, so it counts as private"

// UnclearRow is the same reason for one row.
const UnclearRow = "this row seems to say that it is private, so it counts as private"

func privacyOf(text string, markup head.Markup) privacy {
	statement, private := head.Private(text, markup)
	p := privacy{private: private}
	if private && !statement.Clear {
		p.unclearLine = statement.Line
	}
	return p
}

// readerFault begins the reason if a bug of ours left something out.
const readerFault = "the reader failed"

// panicReason returns the reason for what a recovered panic left out.
func panicReason(recovered any) string { return fmt.Sprintf("%s: %v", readerFault, recovered) }

// fileErrorReason returns the text of a file error without the operation and the path, which the report
// names anyway.
func fileErrorReason(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return err.Error()
}
