package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"lacuna/knowledge/answer"
)

// live shows on a terminal how an answer of a model comes along: one line that is written over, with
// the stage and the last words of the text. Elsewhere it shows nothing. It is safe for concurrent
// use.
type live struct {
	w io.Writer // nil: no terminal

	mu    sync.Mutex
	shown time.Time // when the line was last written; zero when there is none; guarded by mu
	stage answer.Stage
}

const (
	liveWidth = 76                    // columns of the line
	livePause = 80 * time.Millisecond // between two versions of the line
)

func (p *program) newLive() *live {
	if isTerminal(p.console) {
		return &live{w: p.console}
	}
	return &live{}
}

func (l *live) show(progress answer.Progress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.w == nil || progress.Stage == l.stage && time.Since(l.shown) < livePause {
		return
	}
	l.shown, l.stage = time.Now(), progress.Stage
	line := string(progress.Stage)
	if progress.Total > 0 {
		line += fmt.Sprintf(" (%d of %d)", min(progress.Done+1, progress.Total), progress.Total)
	}
	if text := printable(progress.Text); text != "" {
		line += ": " + tail(text, liveWidth-len(line)-2)
	}
	fmt.Fprintf(l.w, "\r\x1b[K%s", line)
}

// end takes the line away.
func (l *live) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.shown.IsZero() {
		fmt.Fprint(l.w, "\r\x1b[K")
		l.shown = time.Time{}
	}
}

// tail is the end of a text, from the beginning of a word where one begins.
func tail(text string, columns int) string {
	for len(text) > 0 && utf8.RuneCountInString(text) > columns {
		_, rest, hasSpace := strings.Cut(text, " ")
		if !hasSpace {
			_, size := utf8.DecodeRuneInString(text)
			rest = text[size:]
		}
		text = rest
	}
	return text
}
