package terminal

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gdamore/tcell/v2"

	"lacuna/handlers/messages"
)

// board is what is shown and what the user has chosen. It is used by one goroutine.
type board struct {
	title     string
	workspace Workspace
	colour    bool

	items     []Item
	shown     []int // of items, those that the filter takes
	at        int   // of shown, the chosen one
	top       int   // of shown, the first on the screen
	scroll    int   // of the details, the first line on the screen
	rows      int   // of the list on the screen
	only      bool  // gaps alone
	filter    string
	typing    bool // the filter
	message   string
	busy      string // what is being done
	dismissed []Item // for undo, the last at the end

	// What the loop is to do: leave, open an item in the editor, or work for the workspace, whose result it has applied.
	leave bool
	open  *Item
	work  func(ctx context.Context) (finish func())
}

func newBoard(title string, w Workspace, items []Item, colour bool) *board {
	b := &board{title: title, workspace: w, items: items, colour: colour}
	b.choose(Item{})
	return b
}

// choose applies the filter and chooses an item, or the one that stands where the chosen one stood.
func (b *board) choose(item Item) {
	b.shown = b.shown[:0]
	for i, it := range b.items {
		if b.takes(it) {
			b.shown = append(b.shown, i)
		}
	}
	if i := slices.IndexFunc(b.shown, func(i int) bool { return b.items[i].same(item) }); i >= 0 {
		b.at = i
	}
	b.move(0)
}

// takes reports whether the filter lets an item pass: each of its words stands in the question, the name of the file, the
// state or the details.
func (b *board) takes(item Item) bool {
	if b.only && item.State != Lacking {
		return false
	}
	text := strings.ToLower(strings.Join(append([]string{item.Question, item.Name, string(item.State)}, item.Details...), "\n"))
	for _, word := range strings.Fields(strings.ToLower(b.filter)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// chosen returns the chosen item.
func (b *board) chosen() (Item, bool) {
	if b.at >= len(b.shown) {
		return Item{}, false
	}
	return b.items[b.shown[b.at]], true
}

func (b *board) move(by int) {
	b.at = max(0, min(b.at+by, len(b.shown)-1))
	b.scroll = 0
}

// key does what a key stands for.
func (b *board) key(event *tcell.EventKey) {
	if event.Key() == tcell.KeyCtrlC {
		b.leave = true
		return
	}
	if b.typing {
		b.typeFilter(event)
		return
	}
	b.message = ""
	item, some := b.chosen()
	switch event.Key() {
	case tcell.KeyUp, tcell.KeyCtrlP:
		b.move(-1)
	case tcell.KeyDown, tcell.KeyCtrlN:
		b.move(1)
	case tcell.KeyPgUp, tcell.KeyCtrlB:
		b.move(-max(1, b.rows-1))
	case tcell.KeyPgDn, tcell.KeyCtrlF:
		b.move(max(1, b.rows-1))
	case tcell.KeyHome:
		b.move(-len(b.shown))
	case tcell.KeyEnd:
		b.move(len(b.shown))
	case tcell.KeyTab:
		b.only = !b.only
		b.choose(item)
	case tcell.KeyEscape:
		b.filter = ""
		b.choose(item)
	case tcell.KeyEnter:
		if some {
			b.open = &item
		}
	case tcell.KeyRune:
		b.command(event.Rune(), item, some)
	}
}

func (b *board) command(r rune, item Item, some bool) {
	switch r {
	case 'q':
		b.leave = true
	case 'k':
		b.move(-1)
	case 'j':
		b.move(1)
	case 'g':
		b.move(-len(b.shown))
	case 'G':
		b.move(len(b.shown))
	case ' ', 'J':
		b.scroll++
	case 'K':
		b.scroll = max(0, b.scroll-1)
	case '/':
		b.typing, b.filter = true, ""
		b.choose(item)
	case 'r':
		b.start(messages.BoardReading, func(context.Context) (string, error) { return "", nil })
	case 'a':
		if some {
			b.start(messages.BoardAnswering, func(ctx context.Context) (string, error) { return b.workspace.Answer(ctx, item) })
		}
	case 'd':
		switch {
		case some && item.State != Lacking:
			b.message = messages.BoardNoGap
		case some && b.idle():
			b.dismissed = append(b.dismissed, item)
			b.start(messages.BoardDismissing, func(ctx context.Context) (string, error) { return b.workspace.Dismiss(ctx, item, false) })
		}
	case 'u':
		if n := len(b.dismissed); n > 0 && b.idle() {
			last := b.dismissed[n-1]
			b.dismissed = b.dismissed[:n-1]
			b.start(messages.BoardRestoring, func(ctx context.Context) (string, error) { return b.workspace.Dismiss(ctx, last, true) })
		} else if n == 0 {
			b.message = messages.BoardNothingBack
		}
	}
}

// idle reports whether nothing is being done, and says so if something is.
func (b *board) idle() bool {
	if b.busy != "" {
		b.message = fmt.Sprintf(messages.BoardBusy, b.busy)
	}
	return b.busy == ""
}

// start has the loop do something with the workspace and read the items again.
func (b *board) start(doing string, do func(ctx context.Context) (string, error)) {
	if !b.idle() {
		return
	}
	b.busy = doing
	b.work = func(ctx context.Context) func() {
		done, err := do(ctx)
		items, readErr := b.workspace.Items(ctx)
		return func() {
			b.busy = ""
			if readErr == nil {
				item, _ := b.chosen()
				b.items = items
				b.choose(item)
			}
			switch {
			case err != nil:
				b.message = fmt.Sprintf(messages.BoardNotDone, err)
			case readErr != nil:
				b.message = fmt.Sprintf(messages.BoardNotRead, readErr)
			default:
				b.message = done
			}
		}
	}
}

// afterEdit reads the items again, since the user may have written into the note.
func (b *board) afterEdit(err error) {
	if err != nil {
		b.message = fmt.Sprintf(messages.BoardNotOpened, err)
		return
	}
	b.start(messages.BoardReading, func(context.Context) (string, error) { return "", nil })
}

// typeFilter changes the filter while it is typed.
func (b *board) typeFilter(event *tcell.EventKey) {
	item, _ := b.chosen()
	switch event.Key() {
	case tcell.KeyEnter:
		b.typing = false
	case tcell.KeyEscape:
		b.typing, b.filter = false, ""
	case tcell.KeyBackspace, tcell.KeyBackspace2:
		if runes := []rune(b.filter); len(runes) > 0 {
			b.filter = string(runes[:len(runes)-1])
		} else {
			b.typing = false
		}
	case tcell.KeyCtrlU:
		b.filter = ""
	case tcell.KeyUp:
		b.move(-1)
		return
	case tcell.KeyDown:
		b.move(1)
		return
	case tcell.KeyRune:
		b.filter += string(event.Rune())
	}
	b.choose(item)
}
