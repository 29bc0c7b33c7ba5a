package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"lacuna/handlers/messages"
	"lacuna/handlers/outgoing"
	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/sanitise"
)

// progress shows a refresh that takes longer than patience: on a terminal as one line that is overwritten,
// elsewhere as a line for each stage and, within one, now and then. With JSON it shows nothing elsewhere.
type progress struct {
	w        io.Writer
	terminal bool
	asJSON   bool
	began    time.Time
	shown    knowledge.Stage // the stage named last
	at       time.Time       // when it was
	open     bool            // a line on the terminal has to be ended
}

// patience is the time before progress of a refresh is shown; longer in tests, which a slow machine must not change.
var patience = 2 * time.Second

// sparse is the time between two lines about one stage where lines are not overwritten.
const sparse = 20 * time.Second

func (p *program) newProgress() *progress {
	return &progress{w: p.console, terminal: isTerminal(p.console), asJSON: p.asJSON, began: time.Now()}
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
		p.line(messages.SourcesLimited(e))
		return
	case knowledge.Unwritten, knowledge.Provisional:
		p.line(messages.IndexNotKept(e))
		return
	case knowledge.SearchOnly:
		p.line("another Lacuna process is updating this index; using what it has written so far")
		return
	}
	now := time.Now()
	if e.Stage == knowledge.Ready || now.Sub(p.began) < patience {
		return
	}
	text, _, _ := strings.Cut(printable(messages.IndexStage(e)), ";") // behind it stands what editors can do meanwhile
	switch {
	case p.terminal:
		fmt.Fprintf(p.w, "\r\x1b[Klacuna: %s", messages.Shorten(text, liveWidth-len("lacuna: ")))
		p.open = true
	case p.asJSON:
	case e.Stage != p.shown, now.Sub(p.at) >= sparse:
		fmt.Fprintf(p.w, "lacuna: %s\n", text)
		p.shown, p.at = e.Stage, now
	}
}

func (p *progress) line(text string) {
	p.end()
	fmt.Fprintf(p.w, "lacuna: %s\n", sanitise.Line(text))
}

// end clears the line.
func (p *progress) end() {
	if p.open {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.open = false
	}
}

// live shows the progress of a model's answer on a terminal: one line, overwritten, with the stage and the
// end of the text. Elsewhere it shows nothing. It is safe for concurrent use.
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

// end clears the line.
func (l *live) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.shown.IsZero() {
		fmt.Fprint(l.w, "\r\x1b[K")
		l.shown = time.Time{}
	}
}

// tail returns the end of a text that fits in columns, from the beginning of a word if possible.
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

// consentAsker returns a function that asks the user before text leaves the machine, or nil if input or
// output is not a terminal. A no holds until the command ends.
func (p *program) consentAsker() func(ctx context.Context, out llm.Outbound) (bool, error) {
	if !isTerminal(p.In) || !isTerminal(p.console) {
		return nil
	}
	turn := make(chan struct{}, 1) // one question at a time; it guards what follows
	lines := bufio.NewScanner(p.In)
	refused := map[string]bool{} // hosts
	return func(ctx context.Context, out llm.Outbound) (bool, error) {
		select {
		case turn <- struct{}{}:
		case <-ctx.Done():
			return false, ctx.Err()
		}
		defer func() { <-turn }()
		if refused[out.Host] {
			return false, nil
		}
		send, err := p.askConsent(ctx, out, lines)
		refused[out.Host] = err == nil && !send
		return send, err
	}
}

// askConsent asks until it gets an answer. The end of input is a no.
func (p *program) askConsent(ctx context.Context, out llm.Outbound, lines *bufio.Scanner) (bool, error) {
	if isTerminal(p.console) {
		fmt.Fprint(p.console, "\r\x1b[K")
	}
	fmt.Fprintf(p.Err, "To answer, text of your notes and sources would be sent to %s (%s, as %s).\n",
		printable(out.Host), printable(out.Model), out.Role)
	for _, line := range messages.OutgoingLines(out, outgoing.Summary(out)) {
		fmt.Fprintln(p.Err, printable(line))
	}
	for {
		fmt.Fprint(p.Err, "Send it, now and later, for this workspace? [yes, no, show] ")
		read := make(chan bool, 1)
		go func() { read <- lines.Scan() }()
		select {
		case more := <-read:
			if !more {
				fmt.Fprintln(p.Err)
				return false, nil
			}
		case <-ctx.Done():
			return false, ctx.Err()
		}
		switch strings.ToLower(strings.TrimSpace(lines.Text())) {
		case "y", "yes":
			return true, nil
		case "n", "no", "":
			return false, nil
		case "s", "show":
			fmt.Fprintln(p.Err, "\n"+outgoing.Plain([]llm.Outbound{out}))
		}
	}
}

// notices is a log handler for the terminal: one line for each warning, without time and level.
type notices struct {
	p     *program
	attrs string
}

// Enabled implements [slog.Handler].
func (notices) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }

// Handle implements [slog.Handler]. An error comes last, after a colon.
func (n notices) Handle(_ context.Context, r slog.Record) error {
	details, cause := n.attrs, ""
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "err" {
			cause = ": " + a.Value.String()
		} else {
			details += ", " + a.String()
		}
		return true
	})
	if details = strings.TrimPrefix(details, ", "); details != "" {
		details = " (" + details + ")"
	}
	n.p.warn("%s%s%s", r.Message, details, cause)
	return nil
}

// WithAttrs implements [slog.Handler].
func (n notices) WithAttrs(attrs []slog.Attr) slog.Handler {
	for _, a := range attrs {
		n.attrs += fmt.Sprintf(", %s", a)
	}
	return n
}

// WithGroup implements [slog.Handler]. It ignores groups.
func (n notices) WithGroup(string) slog.Handler { return n }
