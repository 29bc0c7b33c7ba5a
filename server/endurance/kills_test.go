package endurance

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// kills is how many commands a test kills: LACUNA_KILLS, or a few.
func kills(t *testing.T) int {
	set := os.Getenv("LACUNA_KILLS")
	if set == "" {
		return 9
	}
	n, err := strconv.Atoi(set)
	if err != nil {
		t.Fatal("LACUNA_KILLS: ", err)
	}
	return n
}

// killWriting kills a little after something has changed next to the note, unless the command is over before.
func (f folder) killWriting(kill func(), over <-chan struct{}, burn int) {
	before := f.note()
	for len(f.left()) == 0 && f.note() == before {
		select {
		case <-over:
			return
		default:
		}
	}
	random := rand.New(rand.NewPCG(3, 4))
	for range burn {
		random.Uint64()
	}
	kill()
}

// TestKilledCommands kills commands at any moment while they index, train, answer and write a note. The note is whole each time, the
// next command finds no damage, and at the end an answer is what it is without kills.
func TestKilledCommands(t *testing.T) {
	f := newFolder(t, t.TempDir())
	unanswered, want := f.note(), answered(t)
	random := rand.New(rand.NewPCG(1, 2))
	commands := [][]string{{"index"}, {"answer", "--write", "note.md"}, {"ask", "When are iron tablets taken?"}}
	killed, ended, written, halves := 0, 0, 0, 0
	took := make([]time.Duration, len(commands)) // by a command that was not killed
	for round, n := 0, kills(t); killed < n; round++ {
		if round%10 == 0 { // everything is to be trained again
			for i := range 30 {
				f.write(fmt.Sprintf("kb/page%d.md", i), fmt.Sprintf("# Metal %d\n\nThe metal of page %d melts at %d degrees. It is seldom taken as a tablet.\n", i, i, round+7*i))
			}
		}
		f.write("kb/round.md", fmt.Sprintf("# Round\n\nThis is round %d of the kettle.\n", round))
		f.write("note.md", unanswered)
		which := round % len(commands)
		if took[which] == 0 {
			began := time.Now()
			f.run(nil, commands[which]...)
			took[which] = time.Since(began)
			f.write("note.md", unanswered)
			f.write("kb/round.md", fmt.Sprintf("# Round\n\nThis is round %d of the teapot.\n", round))
		}
		began := time.Now()
		ctx, cancel := context.WithCancel(t.Context())
		writes := which == 1 && round%2 == 1 // writing takes a thousandth of the time: half of those who do it are killed at it
		if !writes {
			ctx, cancel = context.WithTimeout(t.Context(), time.Duration(random.Int64N(int64(took[which]))))
		}
		program := f.command(ctx, nil, commands[which]...) // killed when the context ends
		var said strings.Builder
		program.Stderr = &said
		err := program.Start()
		if err == nil {
			over := make(chan struct{})
			if writes {
				go f.killWriting(cancel, over, random.IntN(1<<random.IntN(20)))
			}
			err = program.Wait()
			close(over)
		}
		if ctx.Err() == nil && err != nil {
			t.Fatalf("round %d, %v: %v\n%s", round, commands[which], err, said.String())
		}
		if program.ProcessState != nil && program.ProcessState.Exited() {
			ended++
			took[which] = time.Since(began)
		} else {
			killed++
		}
		cancel()
		f.checkWhole(fmt.Sprintf("round %d, %v", round, commands[which]), want)
		if f.note() == want {
			written++
		}
		if writes { // a half-written file next to the note is all that may be left
			left := f.left()
			if halves += len(left); len(left) > 1 {
				t.Fatalf("round %d: %q left", round, left)
			}
			for _, name := range left {
				if err := os.Remove(filepath.Join(f.path, name)); err != nil {
					t.Fatal(err)
				}
			}
		}
		if round%10 == 9 {
			if o := f.run(nil, "ask", "Which round of the kettle or the teapot is this?"); o.code != 0 || !strings.Contains(o.out, fmt.Sprintf("round %d of", round)) || strings.Contains(o.errs, "damage") {
				t.Fatalf("round %d: exit %d\n%s%s", round, o.code, o.out, o.errs)
			}
		}
	}
	f.write("note.md", unanswered)
	if o := f.run(nil, "answer", "--write", "note.md"); o.code != 0 || f.note() != want || strings.Contains(o.errs, "damage") {
		t.Errorf("after all: exit %d, %s\n%s", o.code, o.errs, f.note())
	}
	t.Logf("%d killed, %d of them while the note was half written, %d ended first, the note was written in %d; left next to it: %q", killed, halves, ended, written, f.left())
	if len(f.left()) > killed/20 {
		t.Errorf("%d killed commands left %q", killed, f.left())
	}
}
