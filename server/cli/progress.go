package cli

import (
	"fmt"
	"io"
	"os"
	"time"

	"lacuna/handlers"
	"lacuna/knowledge"
	"lacuna/knowledge/sanitise"
)

// progress shows how a refresh goes: a line that is written over on a terminal; elsewhere, once
// it has taken a while, a line for each stage.
type progress struct {
	w        io.Writer
	terminal bool
	began    time.Time
	shown    knowledge.Stage // the stage named last
	open     bool            // a line on the terminal has to be ended
}

// patience is how long a refresh runs before anything is said about it.
const patience = 2 * time.Second

func newProgress(w io.Writer) *progress {
	return &progress{w: w, terminal: isTerminal(w), began: time.Now()}
}

// isTerminal reports whether a stream is one, as far as that can be told.
func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

var stages = map[knowledge.Stage]string{
	knowledge.Reading:   "reading the sources",
	knowledge.Indexing:  "indexing",
	knowledge.Training:  "training the encoder on the sources",
	knowledge.Fitting:   "fitting the gap judge to the sources",
	knowledge.Embedding: "asking the endpoint of [embedding] for vectors",
}

func (p *progress) report(e knowledge.Event) {
	switch e.Stage {
	case knowledge.Damaged:
		p.line("the index was damaged and is rebuilt: " + e.Note)
		return
	case knowledge.Unembedded:
		p.line("the endpoint of [embedding] cannot serve: " + e.Note + "; the built-in encoder searches")
		return
	case knowledge.Limited:
		p.line(handlers.SourcesLimited(e))
		return
	case knowledge.Unwritten, knowledge.Provisional:
		p.line(handlers.IndexNotKept(e))
		return
	case knowledge.SearchOnly:
		p.line("another process writes this index; using what it has written so far")
		return
	}
	text, known := stages[e.Stage]
	if !known || time.Since(p.began) < patience {
		return
	}
	if p.terminal {
		fmt.Fprintf(p.w, "\r\x1b[Klacuna: %s, %d %%", text, e.Percent)
		p.open = true
	} else if e.Stage != p.shown {
		fmt.Fprintf(p.w, "lacuna: %s…\n", text)
	}
	p.shown = e.Stage
}

func (p *progress) line(text string) {
	p.end()
	fmt.Fprintf(p.w, "lacuna: %s\n", sanitise.Line(text))
}

// end takes the progress off the terminal.
func (p *progress) end() {
	if p.open {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.open = false
	}
}
