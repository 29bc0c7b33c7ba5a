package terminal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"

	"github.com/gdamore/tcell/v2"
	"github.com/gdamore/tcell/v2/terminfo"
)

// ErrUnknown says that the terminal is of a kind that cannot be drawn on.
var ErrUnknown = errors.New("unknown kind of terminal")

// Run shows a workspace, called title, until the user leaves. items are what it holds. It needs standard input and output to
// be a terminal.
func Run(ctx context.Context, title string, w Workspace, items []Item) error {
	if runtime.GOOS != "windows" { // tcell would start infocmp for a terminal that it does not know
		if _, err := terminfo.LookupTerminfo(os.Getenv("TERM")); err != nil {
			return fmt.Errorf("%w: TERM is %q", ErrUnknown, os.Getenv("TERM"))
		}
	}
	screen, err := tcell.NewScreen()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	if err := screen.Init(); err != nil {
		return fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	defer screen.Fini()
	b := newBoard(title, w, items, os.Getenv("NO_COLOR") == "" && screen.Colors() >= 8)
	return b.loop(ctx, screen)
}

// loop shows the board and does what the user types. Work for the workspace is done beside it, so that the screen answers.
func (b *board) loop(ctx context.Context, screen tcell.Screen) error {
	ctx, cancel := context.WithCancel(ctx)
	events, quit := make(chan tcell.Event, 16), make(chan struct{})
	go screen.ChannelEvents(events, quit)
	results := make(chan func(), 1)
	working := false
	defer func() {
		cancel()
		close(quit)
		if working {
			<-results // the workspace is about to be closed
		}
	}()
	for {
		b.draw(screen)
		screen.Show()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case finish := <-results:
			working = false
			finish()
		case event, open := <-events:
			if !open {
				return nil
			}
			switch event := event.(type) {
			case *tcell.EventResize:
				screen.Sync()
			case *tcell.EventKey:
				b.key(event)
			}
		}
		switch {
		case b.leave:
			return nil
		case b.open != nil:
			item := *b.open
			b.open = nil
			if err := screen.Suspend(); err != nil {
				return err
			}
			err := edit(ctx, item)
			if resumed := screen.Resume(); resumed != nil {
				return resumed
			}
			b.afterEdit(err)
		}
		if b.work != nil && !working {
			working = true
			work := b.work
			b.work = nil
			go func() { results <- work(ctx) }()
		}
	}
}

// edit opens the place of an item in the user's editor and waits until it has ended.
func edit(ctx context.Context, item Item) error {
	words, err := editorCommand(item, os.Getenv)
	if err != nil {
		return err
	}
	command := exec.CommandContext(ctx, words[0], words[1:]...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := command.Run(); err != nil {
		return fmt.Errorf("%s: %w", words[0], err)
	}
	return nil
}
