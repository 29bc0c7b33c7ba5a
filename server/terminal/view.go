package terminal

import (
	"fmt"
	"strings"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/uniseg"

	"lacuna/handlers/messages"
	"lacuna/knowledge/sanitise"
)

const (
	narrowest = 40 // columns in which the board makes sense
	lowest    = 8  // and lines
	marks     = 9  // columns of the word for the state
	help      = "Enter open · a answer · d dismiss · u undo · / filter · Tab gaps · q quit"
	briefHelp = "Enter · a · d · u · / · Tab · q"
)

// draw shows the board: a title, the list, the details of the chosen item, and a line of help or news.
func (b *board) draw(screen tcell.Screen) {
	screen.Clear()
	screen.HideCursor()
	width, height := screen.Size()
	if width < narrowest || height < lowest {
		line(screen, 0, 0, width, messages.BoardTooSmall, tcell.StyleDefault)
		return
	}
	plain := tcell.StyleDefault
	faint := plain.Dim(true)
	line(screen, 0, 0, width, b.head(), plain.Bold(true))
	b.rows = max(2, (height-4)/2)
	b.top = max(min(b.top, b.at, len(b.shown)-b.rows), b.at-b.rows+1, 0)
	for row := range b.rows {
		i := b.top + row
		if i >= len(b.shown) {
			break
		}
		item := b.items[b.shown[i]]
		style, arrow := plain, "  "
		if i == b.at {
			style, arrow = plain.Reverse(true), "> "
			line(screen, 0, 1+row, width, strings.Repeat(" ", width), style)
		}
		line(screen, 0, 1+row, 2, arrow, style)
		line(screen, 2, 1+row, marks, string(item.State), b.coloured(style, item.State))
		place := place(item)
		room := max(10, width-marks-4-min(uniseg.StringWidth(place), width/3)-2)
		line(screen, 2+marks, 1+row, room, item.Question, style)
		line(screen, 2+marks+room+1, 1+row, width-marks-room-3, place, style.Dim(i != b.at))
	}
	if len(b.shown) == 0 {
		line(screen, 2, 1, width-2, b.nothing(), plain)
	}
	rule := 1 + b.rows
	line(screen, 0, rule, width, strings.Repeat("─", width), faint)
	b.drawDetails(screen, rule+1, width, height-1)
	b.drawFoot(screen, width, height-1)
}

// drawDetails shows what is known of the chosen item in the lines from top to bottom.
func (b *board) drawDetails(screen tcell.Screen, top, width, bottom int) {
	item, some := b.chosen()
	if !some {
		return
	}
	var lines []string
	for i, paragraph := range append([]string{item.Question}, item.Details...) {
		indent := "  "
		if i == 0 {
			indent = ""
		}
		for _, l := range wrap(clean(paragraph), width-2-len(indent)) {
			lines = append(lines, indent+l)
		}
	}
	room := bottom - top
	b.scroll = max(0, min(b.scroll, len(lines)-room))
	for i, l := range lines[b.scroll:min(len(lines), b.scroll+room)] {
		style := tcell.StyleDefault
		if b.scroll+i == 0 {
			style = style.Bold(true)
		}
		line(screen, 0, top+i, width, l, style)
	}
	if b.scroll+room < len(lines) {
		line(screen, width-12, bottom-1, 12, " Space: more", tcell.StyleDefault.Reverse(true))
	}
}

func (b *board) drawFoot(screen tcell.Screen, width, y int) {
	foot := help
	if uniseg.StringWidth(foot) > width {
		foot = briefHelp
	}
	switch {
	case b.typing:
		foot = "/" + b.filter
		screen.ShowCursor(min(width-1, uniseg.StringWidth(clean(foot))), y)
	case b.message != "":
		foot = b.message
	case b.busy != "":
		foot = b.busy
	}
	line(screen, 0, y, width, foot, tcell.StyleDefault)
}

// head says what is shown.
func (b *board) head() string {
	gaps := 0
	for _, item := range b.items {
		if item.State == Lacking {
			gaps++
		}
	}
	head := fmt.Sprintf("Lacuna · %s · %d of %d questions, %d with gaps", b.title, len(b.shown), len(b.items), gaps)
	if b.only {
		head += " · gaps only"
	}
	if b.filter != "" {
		head += " · /" + b.filter
	}
	return head
}

// nothing says why the list is empty.
func (b *board) nothing() string {
	switch {
	case len(b.items) == 0:
		return messages.BoardNoQuestions
	case b.filter != "":
		return messages.BoardNoneFits
	}
	return messages.BoardNoGaps
}

// coloured returns a style for the word of a state.
func (b *board) coloured(style tcell.Style, s State) tcell.Style {
	if !b.colour {
		return style
	}
	switch s {
	case Lacking, Nothing:
		return style.Foreground(tcell.ColorMaroon)
	case Near:
		return style.Foreground(tcell.ColorOlive)
	case Known, Answered:
		return style.Foreground(tcell.ColorGreen)
	}
	return style
}

func place(item Item) string { return fmt.Sprintf("%s:%d", item.Name, item.Line) }

// clean makes untrusted text one line without characters that a terminal would interpret or that hide others.
func clean(text string) string { return sanitise.Line(text) }

// line draws text in at most width columns from a place on, cut with an ellipsis. Leading spaces stay.
func line(screen tcell.Screen, x, y, width int, text string, style tcell.Style) {
	bare := strings.TrimLeft(text, " ")
	indent := min(len(text)-len(bare), max(0, width))
	text = strings.Repeat(" ", indent) + clean(bare)
	room := width
	if uniseg.StringWidth(text) > width {
		room = width - 1
	}
	for text != "" {
		cluster, rest, columns, _ := uniseg.FirstGraphemeClusterInString(text, -1)
		if columns > room {
			break
		}
		screen.PutStrStyled(x, y, cluster, style)
		x, room, text = x+columns, room-columns, rest
	}
	if text != "" && width > 0 {
		screen.PutStrStyled(x, y, "…", style)
	}
}

// wrap divides text into lines of at most width columns, between words where it can.
func wrap(text string, width int) []string {
	width = max(width, 1)
	var lines []string
	current, used := "", 0
	for _, word := range strings.Fields(text) {
		columns := uniseg.StringWidth(word)
		if current != "" && used+1+columns > width {
			lines = append(lines, current)
			current, used = "", 0
		}
		if current != "" {
			current, used = current+" ", used+1
		}
		for used+columns > width { // a word that is longer than a line, as Chinese sentences are
			head, rest := split(word, width-used)
			lines = append(lines, current+head)
			current, used, word = "", 0, rest
			columns = uniseg.StringWidth(word)
		}
		current, used = current+word, used+columns
	}
	if current != "" {
		lines = append(lines, current)
	}
	return lines
}

// split divides a word after at most width columns, but never before its first character.
func split(word string, width int) (head, rest string) {
	used, rest := 0, word
	for rest != "" {
		cluster, after, columns, _ := uniseg.FirstGraphemeClusterInString(rest, -1)
		if used+columns > width && head != "" {
			break
		}
		head, used, rest = head+cluster, used+columns, after
	}
	return head, rest
}
