// Package measure drives the lacuna program over real pipes, as an editor does, with a long note open
// and a large synthetic base, and prints how long the user waits; with -soak also what the program holds
// while it works for that long.
//
//	make bench-wire
//	WIRE="-passages 20000 -soak 1h" make bench-wire
//
// A time runs from before a message is written until the reply, or the diagnostics of that version,
// have been read and parsed. The pause before typing is judged (diagnostics.debounce) is set to 0.
// Times depend on the machine and on what else runs there, so no test asserts them; with -bars
// [TestMeasure] fails if one is over its bar.
package measure

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
)

// options say what to measure, and how.
type options struct {
	program  string
	work     string
	passages int
	lines    int
	count    int
	answers  int
	cited    int
	seed     uint64
	soak     time.Duration
	rate     float64
	bars     bool
}

// noPause is the user's setting that has typing judged without the usual pause.
const noPause = `LACUNA_SETTINGS={"diagnostics": {"debounce": 0}}`

// noClaims also has no sentence compared with its source.
const noClaims = `LACUNA_SETTINGS={"diagnostics": {"debounce": 0}, "claims": {"check": "off"}}`

var flags options

func init() {
	flag.StringVar(&flags.program, "lacuna", "", "absolute path of the `program` to measure; empty measures nothing")
	flag.StringVar(&flags.work, "work", filepath.Join(os.TempDir(), "lacuna-measure"), "`folder` for the base and its index, which are made once")
	flag.IntVar(&flags.passages, "passages", 100_000, "passages in the base")
	flag.IntVar(&flags.lines, "lines", 10_000, "lines of the note")
	flag.IntVar(&flags.count, "count", 300, "how often each thing is timed")
	flag.IntVar(&flags.answers, "answers", 10, "questions of the note that have an answer, so that there are citations")
	flag.IntVar(&flags.cited, "cited", 300, "sentences of the note's own text that cite a passage")
	flag.Uint64Var(&flags.seed, "seed", 1, "of everything that is random")
	flag.DurationVar(&flags.soak, "soak", 0, "continue to edit, ask and save for that `time`")
	flag.Float64Var(&flags.rate, "rate", 10, "steps of the soak a second, at most")
	flag.BoolVar(&flags.bars, "bars", false, "fail if something is over its bar")
}

func TestMeasure(t *testing.T) {
	if flags.program == "" {
		t.Skip("-lacuna names no program; make bench-wire does")
	}
	over, err := run(os.Stdout, flags)
	if err != nil {
		t.Fatal(err)
	}
	if over && flags.bars {
		t.Error("over its bar")
	}
}

// run measures and reports whether something is over its bar.
func run(out io.Writer, o options) (over bool, err error) {
	folder := filepath.Join(o.work, fmt.Sprintf("%d-%d", o.passages, o.seed))
	if err := prepare(out, folder, o); err != nil {
		return false, err
	}
	c, held, end, err := serve(o, folder, noPause)
	if err != nil {
		return false, err
	}
	over, err = measure(out, c, held, folder, o)
	if err == nil && o.count > 0 && o.cited > 0 {
		err = measureBesideOff(out, c, folder, o)
	}
	if ended := end(); err == nil {
		err = ended
	}
	return over, err
}

// serve starts the program as a server with settings of the user's. What it returns ends it in order.
func serve(o options, folder, settings string) (c *client, held *memory, end func() error, err error) {
	server := program(o, folder, "serve")
	server.Env = append(server.Env, settings, traced)
	stdin, err := server.StdinPipe()
	if err != nil {
		return nil, nil, nil, err
	}
	stdout, err := server.StdoutPipe()
	if err != nil {
		return nil, nil, nil, err
	}
	stderr, err := server.StderrPipe()
	if err != nil {
		return nil, nil, nil, err
	}
	if err := server.Start(); err != nil {
		return nil, nil, nil, err
	}
	held = newMemory(server.Process.Pid)
	go held.follow(stderr, os.Stderr)
	c = newClient(stdout, stdin)
	return c, held, func() error { return endServer(c, server, stdin) }, nil
}

// measureBesideOff types into the note of c, and into the same note at a second server that compares no sentences, in
// turn: what happens on the machine meets both.
func measureBesideOff(out io.Writer, c *client, folder string, o options) error {
	off, _, end, err := serve(o, folder, noClaims)
	if err != nil {
		return err
	}
	if err = off.start(folder); err == nil {
		err = off.open(fileURI(filepath.Join(folder, "long.md")), c.note())
	}
	if err == nil {
		err = off.settled()
	}
	rows := []row{
		{name: "keystroke in prose", bar: typingBar}, {name: "  the same, claims.check off"},
		{name: "keystroke in a cited sentence", bar: typingBar}, {name: "  the same, claims.check off"},
	}
	chance := rand.New(rand.NewPCG(o.seed, 3))
	for i := 0; err == nil && i < o.count; i++ {
		p := placesIn(c.note())
		if len(p.cited) == 0 {
			return errors.New("the note cites nothing in its text")
		}
		for j, at := range []int{pickPlace(chance, p.prose), pickPlace(chance, p.cited)} {
			for k, one := range []*client{c, off} {
				var took time.Duration
				if took, err = one.typed(at); err != nil {
					return err
				}
				rows[2*j+k].took = append(rows[2*j+k].took, took)
			}
		}
	}
	if ended := end(); err == nil {
		err = ended
	}
	if err == nil {
		fmt.Fprintf(out, "\nbeside a second server with claims.check = \"off\", %d times each, in turn:\n", o.count)
		printTable(out, rows)
	}
	return err
}

// program is a call of the program, with a home of its own.
func program(o options, folder string, args ...string) *exec.Cmd {
	cmd := exec.Command(o.program, args...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "LACUNA_CACHE_DIR="+filepath.Join(o.work, "index"), "XDG_CONFIG_HOME="+filepath.Join(o.work, "config"), noPause)
	return cmd
}

// prepare writes the base unless it is there, and has it indexed.
func prepare(out io.Writer, folder string, o options) error {
	done := filepath.Join(folder, "written")
	if _, err := os.Stat(done); err != nil {
		if err := writeBase(folder, o.passages, o.seed); err != nil {
			return err
		}
		if err := os.WriteFile(done, nil, 0o644); err != nil {
			return err
		}
	}
	index := program(o, folder, "index", "--json")
	index.Stderr = os.Stderr
	printed, err := index.Output()
	if err != nil {
		return fmt.Errorf("index: %w", err)
	}
	var result struct {
		Passages int
		Seconds  float64
		Encoder  bool
	}
	if err := json.Unmarshal(printed, &result); err != nil {
		return fmt.Errorf("index: %w", err)
	}
	fmt.Fprintf(out, "synthetic base: %d passages, encoder %v; the index was ready after %.1f s\n", result.Passages, result.Encoder, result.Seconds)
	return nil
}

// measure opens the note and times.
func measure(out io.Writer, c *client, held *memory, folder string, o options) (over bool, err error) {
	if err := c.start(folder); err != nil {
		return false, err
	}
	begun := time.Now()
	if err := c.open(fileURI(filepath.Join(folder, "long.md")), longNote(o.lines, o.answers, o)); err != nil {
		return false, err
	}
	if err := c.settled(); err != nil {
		return false, err
	}
	fmt.Fprintf(out, "note of %d lines, %d open questions and %d cited sentences, judged within %.1f s\n", o.lines, len(placesIn(c.note()).questions), len(placesIn(c.note()).cited), (time.Since(begun) - calm).Seconds())
	if o.count > 0 {
		rows, err := measureLatency(c, o.count, o.seed)
		if err != nil {
			return false, err
		}
		fmt.Fprintf(out, "\n%d times each, without the pause before typing is judged (debounce 0):\n", o.count)
		over = printTable(out, rows)
	}
	if resident, mapped, ok := held.resident(); ok {
		fmt.Fprintf(out, "\nresident %.0f MB, of which %.0f MB are mapped files; live heap %.0f MB\n", resident, mapped, held.alive())
	}
	if o.soak > 0 {
		fmt.Fprintf(out, "\nsoak of %s:\n", o.soak)
		grown, err := soak(out, c, held, folder, o)
		if err != nil {
			return false, err
		}
		over = over || len(grown) > 0
	}
	return over, nil
}

// endServer ends the session in order.
func endServer(c *client, server *exec.Cmd, stdin io.Closer) error {
	if _, err := c.call("shutdown", nil, nil); err != nil {
		_ = server.Process.Kill() // it does not listen
		return err
	}
	if err := c.notify("exit", nil); err != nil {
		return err
	}
	_ = stdin.Close() // the program may be gone already
	return server.Wait()
}

func fileURI(path string) protocol.DocumentURI { return lsp.URI(path) }
