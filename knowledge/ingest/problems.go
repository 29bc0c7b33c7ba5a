package ingest

import "fmt"

// problems gathers what was wrong with parts of a file that was read all the same.
type problems struct {
	line   int
	reason string
	more   int
}

// add notes a problem at a line.
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
