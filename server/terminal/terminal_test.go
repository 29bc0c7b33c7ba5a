package terminal

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/gdamore/tcell/v2"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// keys are the names of keys in the transcripts; every other word is typed.
var keys = map[string]tcell.Key{
	"Enter": tcell.KeyEnter, "Esc": tcell.KeyEscape, "Tab": tcell.KeyTab, "Up": tcell.KeyUp, "Down": tcell.KeyDown, "PgDn": tcell.KeyPgDn, "PgUp": tcell.KeyPgUp,
	"Home": tcell.KeyHome, "End": tcell.KeyEnd, "Backspace": tcell.KeyBackspace2, "Ctrl-C": tcell.KeyCtrlC, "Ctrl-U": tcell.KeyCtrlU,
}

// TestTranscripts shows what stands on the screen after keys: the transcripts of testdata. "$ size 80 20" makes the window so
// large, "$ keys j Enter" types keys, "$ colours" prints which words have a colour, and "$ close" takes the notes away.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatal(err, len(files))
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := replay(t, string(text))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if diff := cmp.Diff(string(text), got); diff != "" {
				t.Errorf("transcript (-want +got):\n%s", diff)
			}
		})
	}
}

// replay runs the commands of a transcript and returns it with what the screen shows now.
func replay(t *testing.T, transcript string) string {
	t.Helper()
	screen := newScreen(t)
	w := &fake{items: garden()}
	b := newBoard("garden", w, garden(), true)
	var got strings.Builder
	purpose, _, _ := strings.Cut(transcript, "$ ")
	got.WriteString(purpose)
	for command := range strings.Lines(transcript) {
		words := strings.Fields(command)
		if !strings.HasPrefix(command, "$ ") || len(words) < 2 {
			continue
		}
		got.WriteString(strings.TrimSpace(command) + "\n")
		switch words[1] {
		case "size":
			var width, height int
			if _, err := fmt.Sscan(words[2], &width); err != nil {
				t.Fatal(err)
			}
			if _, err := fmt.Sscan(words[3], &height); err != nil {
				t.Fatal(err)
			}
			screen.SetSize(width, height)
		case "keys":
			for _, word := range words[2:] {
				press(b, word)
				if b.open != nil {
					fmt.Fprintf(&got, "opens %s line %d\n", b.open.Name, b.open.Line)
					b.open = nil
				}
				if work := b.work; work != nil {
					b.work = nil
					work(t.Context())()
				}
				if b.leave {
					got.WriteString("leaves\n")
				}
			}
		case "colours":
			got.WriteString(colours(screen))
			continue
		case "close":
			w.err = errors.New("permission \x1b[31mdenied")
		default:
			t.Fatalf("unknown command %q", command)
		}
		b.draw(screen)
		screen.Show()
		got.WriteString(frame(screen))
	}
	return got.String()
}

func newScreen(t *testing.T) tcell.SimulationScreen {
	t.Helper()
	screen := tcell.NewSimulationScreen("UTF-8")
	if err := screen.Init(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(screen.Fini)
	return screen
}

func press(b *board, word string) {
	if word == "Space" {
		word = " "
	}
	if key, named := keys[word]; named {
		b.key(tcell.NewEventKey(key, 0, tcell.ModNone))
		return
	}
	for _, r := range word {
		b.key(tcell.NewEventKey(tcell.KeyRune, r, tcell.ModNone))
	}
}

// frame returns what the screen shows, with a bar on both sides.
func frame(screen tcell.Screen) string {
	var text strings.Builder
	width, height := screen.Size()
	for y := range height {
		text.WriteString("|")
		for x := 0; x < width; {
			cluster, _, columns := screen.Get(x, y)
			text.WriteString(cluster)
			x += max(1, columns)
		}
		text.WriteString("|\n")
	}
	return text.String()
}

// colours lists the words that have a colour.
func colours(screen tcell.Screen) string {
	var text strings.Builder
	width, height := screen.Size()
	for y := range height {
		word, of := "", tcell.ColorDefault
		for x := range width {
			cluster, style, _ := screen.Get(x, y)
			if colour, _, _ := style.Decompose(); colour != tcell.ColorDefault {
				word, of = word+cluster, colour
			}
		}
		if word = strings.TrimSpace(word); word != "" {
			fmt.Fprintf(&text, "%s: %s\n", word, of)
		}
	}
	return text.String()
}

// fake is a workspace whose answers and gaps are in memory.
type fake struct {
	items []Item
	err   error
}

func (f *fake) Items(context.Context) ([]Item, error) { return slices.Clone(f.items), f.err }

func (f *fake) Answer(_ context.Context, item Item) (string, error) {
	i := slices.IndexFunc(f.items, item.same)
	if f.items[i].State == Nothing {
		return "", errors.New("the note has changed")
	}
	f.items[i].State = Answered
	return "Written into " + item.Name, nil
}

func (f *fake) Dismiss(_ context.Context, item Item, restore bool) (string, error) {
	i := slices.IndexFunc(f.items, item.same)
	if restore {
		f.items[i].State = Lacking
		return "Restored.", nil
	}
	f.items[i].State = Near
	return "Dismissed.", nil
}

// garden has questions as people ask them, and some as they write them who want to harm a terminal.
func garden() []Item {
	items := []Item{
		{Name: "plan.md", Line: 7, Question: "How deep are potato tubers set?", State: Known, Details: []string{"Answered from 1 source", "“Set potato tubers about 12 cm deep with the sprouts facing up.” [1]", "[1] kb/potatoes.md:5"}},
		{Name: "plan.md", Line: 9, Question: "When should dahlias be planted out?", State: Lacking, Gaps: []string{"x"}, Details: []string{"Nothing on “dahlias”: no passage mentions it. Search for: dahlias planted", "Nearest places:", strings.Repeat("“Plant bare-root apple trees between November and March.” ", 12)}},
		{Name: "bed.md", Line: 120, Question: "What is the best way to store carrots over winter, and how long do they keep in a shed that is not free of frost?", State: Near, Details: []string{"Perhaps here:"}},
		{Name: "园.md", Line: 3, Question: "马铃薯的块茎应该种多深，才能在春天长得最好而不会被霜冻伤害到它的嫩芽呢？", State: Nothing, Details: []string{strings.Repeat("没有找到相关的段落", 9)}},
		{Name: "evil\x1b]0;x\x07.md", Line: 1, Question: "Red \x1b[31mtext\x1b[2J and \u202ereversed\u202c\n\nlines?", State: Answered, Details: []string{"\x1b]8;;http://bad.test\x1b\\link\x1b]8;;\x1b\\ and \a bell\ttab"}},
		{Name: "shade.org", Line: 8, Question: "What grows in shade?", State: Known},
	}
	for i := range items {
		items[i].File, items[i].ID = "/garden/"+items[i].Name, fmt.Sprint(i)
	}
	return items
}

// TestNoColour draws without a colour where the user wants none.
func TestNoColour(t *testing.T) {
	screen := newScreen(t)
	newBoard("garden", &fake{}, garden(), false).draw(screen)
	if got := colours(screen); got != "" {
		t.Errorf("coloured: %s", got)
	}
}

// TestLoop runs the whole of it: keys arrive as events, work is done beside, and the last key leaves.
func TestLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		screen := newScreen(t)
		w := &fake{items: garden()}
		b := newBoard("garden", w, garden(), true)
		ended := make(chan error)
		go func() { ended <- b.loop(t.Context(), screen) }()
		for _, r := range "jda" {
			screen.InjectKey(tcell.KeyRune, r, tcell.ModNone)
			synctest.Wait()
		}
		if got := w.items[1].State; got != Answered {
			t.Errorf("the second question is %s", got)
		}
		screen.InjectKey(tcell.KeyRune, 'q', tcell.ModNone)
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestLoopEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		screen := newScreen(t)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- newBoard("garden", &fake{}, nil, true).loop(ctx, screen) }()
		synctest.Wait()
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

func TestEditorCommand(t *testing.T) {
	for _, c := range []struct {
		visual, editor string
		line           int
		want           string
	}{
		{"", "", 3, "no editor is named: set EDITOR, as in EDITOR=nvim"},
		{"", "vi", 3, "vi +3 /n/a b.md"},
		{"nvim -u NONE", "vi", 3, "nvim -u NONE +3 /n/a b.md"},
		{" ", "emacs -nw", 3, "emacs -nw +3 /n/a b.md"},
		{"", "/usr/bin/hx", 3, "/usr/bin/hx /n/a b.md:3"},
		{"", "code --wait", 3, "code --wait --goto /n/a b.md:3"},
		{"", "Code.exe --wait", 3, "Code.exe --wait --goto /n/a b.md:3"},
		{"", "kate", 3, "kate --line 3 /n/a b.md"},
		{"", "nano", 7, "nano +7 /n/a b.md"},
		{"", "notepad", 3, "notepad /n/a b.md"},
	} {
		words, err := editorCommand(Item{File: "/n/a b.md", Line: c.line}, func(name string) string {
			return map[string]string{"VISUAL": c.visual, "EDITOR": c.editor}[name]
		})
		got := strings.Join(words, " ")
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q %q: %q, want %q", c.visual, c.editor, got, c.want)
		}
	}
}

// FuzzDraw draws whatever notes, sources and users write, in windows of any size. No cell may hold what a terminal would
// interpret.
func FuzzDraw(f *testing.F) {
	f.Add("What?", "kb/a.md\x1b[2J", "/filter", uint8(80), uint8(24))
	f.Add("马铃薯 \u202e👩‍👩‍👧‍👦\u0301", strings.Repeat("é", 300), "jjGd a", uint8(41), uint8(8))
	f.Add("\x00\xff\n\r\t", "", "/x", uint8(1), uint8(1))
	f.Fuzz(func(t *testing.T, question, details, typed string, width, height uint8) {
		screen := tcell.NewSimulationScreen("UTF-8")
		if err := screen.Init(); err != nil {
			t.Fatal(err)
		}
		defer screen.Fini()
		screen.SetSize(int(width), int(height))
		items := []Item{{File: "/a", Name: question, Question: question, Details: []string{details, question}, State: Lacking}, {File: "/b", Name: details, Question: details, Line: 9}}
		b := newBoard(details, &fake{items: items}, items, true)
		b.message = question
		b.draw(screen)
		press(b, typed)
		b.draw(screen)
		screen.Show()
		cells, _, _ := screen.GetContents()
		for _, cell := range cells {
			if slices.ContainsFunc(cell.Runes, func(r rune) bool { return r != 0 && r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e }) {
				t.Fatalf("a cell holds %q", cell.Runes)
			}
		}
	})
}
