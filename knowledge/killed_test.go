package knowledge

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lacuna/knowledge/ingest"
	"lacuna/knowledge/ingest/pdf"
	"lacuna/knowledge/passage"
)

// Environment of the test binary when it runs as a process to be killed.
const (
	victimIndex   = "LACUNA_TEST_VICTIM_INDEX"
	victimSources = "LACUNA_TEST_VICTIM_SOURCES"
	victimModel   = "LACUNA_TEST_VICTIM_MODEL" // of the endpoint that encodes; empty for none
)

func TestMain(m *testing.M) {
	pdf.Child()
	if dir := os.Getenv(victimIndex); dir != "" {
		v := victim{sources: os.Getenv(victimSources), random: rand.New(rand.NewPCG(uint64(os.Getpid()), 1))}
		fmt.Fprintln(os.Stderr, v.live(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// kills is how many processes a test kills: LACUNA_KILLS, or a few.
func kills(t *testing.T) int {
	set := os.Getenv("LACUNA_KILLS")
	if set == "" {
		return 12
	}
	n, err := strconv.Atoi(set)
	if err != nil {
		t.Fatal("LACUNA_KILLS: ", err)
	}
	return n
}

func victimOptions(index, sources, model string) Options {
	fits := 0
	options := Options{
		Dir:        index,
		Sources:    []ingest.Source{{Name: "notes", Kind: passage.Text, Path: filepath.Join(sources, "notes")}},
		Companions: []Companion{tally{name: "first-1", fits: &fits}},
	}
	if model != "" {
		options.Remote = &faraway{name: model, dim: 2 + len(model)}
	}
	return options
}

// victim is a process that changes its sources and refreshes the index without end, until it is
// killed. It says on standard output what it is about to do and what it has done.
type victim struct {
	sources string
	random  *rand.Rand
	words   []string // each in a document of its own, in the order in which they were written
}

func (v *victim) live(dir string) error {
	options := victimOptions(dir, v.sources, os.Getenv(victimModel))
	var stage Stage
	options.Report = func(e Event) {
		if e.Stage != stage {
			stage = e.Stage
			fmt.Println("stage", stage)
		}
	}
	x, err := Open(options)
	for turn := 0; err == nil; turn++ {
		if err = v.change(turn); err == nil {
			stage = ""
			err = x.Refresh(context.Background())
		}
		if err == nil {
			fmt.Println("kept", strings.Join(v.words, " "))
		}
	}
	return err
}

// change adds a document in each turn, and in some it edits, moves or removes others, or rewrites so
// many that the encoder has to be trained again.
func (v *victim) change(turn int) error {
	word := fmt.Sprintf("word%dx%d", os.Getpid(), turn)
	err := v.write(word+".md", "Marker of this turn is "+word+".")
	v.words = append(v.words, word)
	switch v.random.IntN(5) {
	case 0:
		err = errors.Join(err, v.write("edited.md", fmt.Sprintf("Edited in turn %d of process %d.", turn, os.Getpid())))
	case 1:
		moved := v.words[v.random.IntN(len(v.words))] + ".md"
		if from := v.note(moved); exists(from) {
			err = errors.Join(err, os.Rename(from, v.note("moved-"+moved)))
		}
	case 2:
		if len(v.words) > 3 {
			gone := v.words[0]
			v.words = v.words[1:]
			fmt.Println("removes", gone)
			_ = os.Remove(v.note(gone + ".md"))
			_ = os.Remove(v.note("moved-" + gone + ".md"))
		}
	case 3:
		for range 40 {
			n := v.random.IntN(60)
			text := fmt.Sprintf("# Note %d\n\nIron %d goes with zinc in turn %d of process %d.\n", n, n, turn, os.Getpid())
			err = errors.Join(err, v.write(fmt.Sprintf("n%03d.md", n), text))
		}
	}
	return err
}

func (v *victim) note(name string) string { return filepath.Join(v.sources, "notes", name) }

// write replaces a note in one step, as editors do.
func (v *victim) write(name, text string) error {
	half := filepath.Join(v.sources, "half-written")
	return errors.Join(os.WriteFile(half, []byte(text), 0o600), os.Rename(half, v.note(name)))
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// modelOf is the model that encodes in a round of killing: none at first, then one, and every few rounds
// another, for which everything is encoded again.
func modelOf(round int) string { return strings.Repeat("m", round/4) }

// A process that is killed at any moment of indexing, editing, training or encoding by an endpoint
// leaves an index that opens with everything that it had said to be kept, and that the next process
// goes on from.
func TestKilledAtAnyMoment(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	d := newDesk(t)
	d.addNotes(0, 60)
	d.options = victimOptions(d.options.Dir, d.sources, "")
	d.options.Report = func(e Event) { d.events = append(d.events, e) }
	d.open()
	d.refresh()
	if err := d.index.Close(); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	moments := make(map[string]int)
	acknowledged := 0
	for round := range kills(t) {
		said := killOne(t, d, random, modelOf(round))
		kept, moment := lastWords(said)
		moments[moment]++
		acknowledged += len(kept)
		d.options.Remote = victimOptions("", "", modelOf(round)).Remote
		x := d.open()
		l := x.Library()
		if x.damage != "" || len(l.Passages()) < 60 || best(t, l, "zinc lozenges") == "" || !l.Status().Encoder {
			t.Fatalf("round %d, killed in %s: %+v, damage %q", round, moment, l.Status(), x.damage)
		}
		for _, word := range kept {
			if best(t, l, word) == "" || !slices.ContainsFunc(l.Passages(), func(p *passage.Passage) bool { return strings.Contains(p.Text, word+".") }) {
				t.Fatalf("round %d, killed in %s: %q was acknowledged and is lost", round, moment, word)
			}
		}
		if round%4 == 3 {
			d.refresh()
			if strings.Contains(d.stages(), string(Damaged)) || !x.Library().Status().Calibrated {
				t.Fatalf("round %d: the next process says %q", round, d.stages())
			}
			if names := generationNames(d.options.Dir); len(names) != 1 {
				t.Fatalf("round %d: generations left: %v", round, names)
			}
			if far, ok := d.options.Remote.(*faraway); ok {
				checkEncoded(t, d, far)
			}
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d acknowledged documents looked for; killed in %v", acknowledged, moments)
}

// checkEncoded holds the vectors that serve against those of the endpoint.
func checkEncoded(t *testing.T, d *desk, far *faraway) {
	t.Helper()
	if d.mishaps() != "" {
		t.Fatalf("encoding with %s: %s", far.name, d.mishaps())
	}
	l := d.index.Library()
	collection := l.Collection(passage.Text)
	if collection.remote == nil {
		t.Fatalf("no vectors of %s serve", far.name)
	}
	for place, ordinal := range collection.ordinals {
		want := unitOf(far.vector(sendable(l.Passages()[ordinal])))
		if cosine := collection.remote.cosine(place, want); len(want) != collection.remote.vectors.Dim() || cosine < 0.9999 {
			t.Fatalf("%s: the vector of passage %d is another's, cosine %f", far.name, ordinal, cosine)
		}
	}
}

// killOne starts a victim, kills it when it has said a few lines, and returns all that it said.
func killOne(t *testing.T, d *desk, random *rand.Rand, model string) []string {
	t.Helper()
	process := exec.Command(os.Args[0])
	process.Env = append(os.Environ(), victimIndex+"="+d.options.Dir, victimSources+"="+d.sources, victimModel+"="+model)
	process.Stderr = os.Stderr
	output, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(output)
	var said []string
	for range 1 + random.IntN(20) {
		if !lines.Scan() {
			t.Fatal("the victim died by itself")
		}
		said = append(said, lines.Text())
	}
	burn(1 << random.IntN(24))
	if err := process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
		said = append(said, lines.Text())
	}
	_ = process.Wait()
	return said
}

// lastWords returns the words that a victim said it had kept and did not remove since, and the stage
// in which it was killed.
func lastWords(said []string) (kept []string, moment string) {
	moment = "editing"
	for _, line := range said {
		what, rest, _ := strings.Cut(line, " ")
		switch what {
		case "kept":
			kept, moment = strings.Fields(rest), "editing"
		case "removes":
			kept = slices.DeleteFunc(kept, func(word string) bool { return word == rest })
		case "stage":
			moment = rest
		}
	}
	return kept, moment
}

// turnOf is the turn in which a victim wrote a word, or -1.
func turnOf(word string) int {
	var process, turn int
	if _, err := fmt.Sscanf(word, "word%dx%d", &process, &turn); err != nil {
		return -1
	}
	return turn
}

// burn spends a little time, of no known length.
func burn(rounds int) {
	random := rand.New(rand.NewPCG(3, 4))
	for range rounds {
		random.Uint64()
	}
}

// Of two processes on one index the second searches, follows what the first writes, and writes itself
// when the first has been killed.
func TestAnotherProcessTakesOver(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	d := newDesk(t)
	d.addNotes(0, 60)
	d.options = victimOptions(d.options.Dir, d.sources, "")
	d.options.Report = func(e Event) { d.events = append(d.events, e) }
	process := exec.Command(os.Args[0])
	process.Env = append(os.Environ(), victimIndex+"="+d.options.Dir, victimSources+"="+d.sources)
	output, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = process.Process.Kill() }()
	lines := bufio.NewScanner(output)
	next := func() (turn int) { // that the writer has finished
		for lines.Scan() {
			if words, ok := strings.CutPrefix(lines.Text(), "kept "); ok {
				return turnOf(words[strings.LastIndexByte(words, ' ')+1:])
			}
		}
		t.Fatal("the writer died by itself")
		return 0
	}
	next()
	d.open()
	for range 3 {
		finished := next()
		d.refresh()
		newest := -1
		for _, p := range d.index.Library().Passages() {
			newest = max(newest, turnOf(strings.TrimSuffix(p.Text[strings.LastIndexByte(p.Text, ' ')+1:], ".")))
		}
		if d.stages() != "searchonly" || newest < finished {
			t.Fatalf("beside a writer: %s, up to turn %d of %d", d.stages(), newest, finished)
		}
	}
	if err := process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, output)
	_ = process.Wait()
	d.write("notes/successor.md", "Copper kettles look nice.\n")
	d.refresh()
	if first := best(t, d.index.Library(), "kettles"); first != "successor.md" || !strings.HasSuffix(d.stages(), "ready") {
		t.Errorf("after the writer was killed: %s, first %q", d.stages(), first)
	}
}
