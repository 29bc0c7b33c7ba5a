package share

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"lacuna/knowledge/passage"
)

// victimFolder is set where the test binary runs as a process to be killed.
const victimFolder = "LACUNA_TEST_VICTIM_SHARE"

// kills is how many processes a test kills: LACUNA_KILLS, or a few.
func kills(t *testing.T) int {
	set := os.Getenv("LACUNA_KILLS")
	if set == "" {
		return 6
	}
	n, err := strconv.Atoi(set)
	if err != nil {
		t.Fatal("LACUNA_KILLS: ", err)
	}
	return n
}

var large = sync.OnceValue(func() string { return text(1, 600_000) })

// treeAt is what is published under a number: from one to the next, files come, go and change, and a large one grows in
// the middle.
func treeAt(number int) tree {
	t := tree{"large.md": large()[:300_000] + strings.Repeat(fmt.Sprintf("This is number %d. ", number), 1+number%9) + large()[300_000:]}
	for i := range 30 {
		if age := (number + i) % 7; age > 0 {
			t[fmt.Sprintf("folder%d/page%d.md", i%4, i)] = text(uint64(i)<<32|uint64((number+i)/7), 9_000)
		}
	}
	return t
}

// site is a team in a folder that another process may have left: its key, what it publishes, the share and the mirror.
type site struct {
	dir    string
	key    *Key
	place  Folder
	mirror *Mirror
}

func openSite(dir string) (s site, err error) {
	s = site{dir: dir, place: Folder(filepath.Join(dir, "share"))}
	if s.key, _, err = OpenKey(filepath.Join(dir, "publisher.key"), "ward"); err == nil {
		s.mirror, err = Create(filepath.Join(dir, "mirror"), Pin{From: s.place.String(), Key: s.key.Public})
	}
	return s, err
}

// publish publishes the tree of a number.
func (s site) publish(number int) (Published, error) {
	p := Publication{Source: Source{Name: "guidelines", Kind: passage.Text}, Now: day}
	folder := filepath.Join(s.dir, "source")
	for name, content := range treeAt(number) {
		path := filepath.Join(folder, fmt.Sprint(number), filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644), os.Chtimes(path, day, day)); err != nil {
			return Published{}, err
		}
		p.Files = append(p.Files, File{name, path})
	}
	done, err := Publish(context.Background(), s.place, p, s.key)
	return done, errors.Join(err, os.RemoveAll(folder))
}

// number is that of what is published; 0 for nothing.
func (s site) number() int {
	signed, err := s.place.Get(context.Background(), headName, maxHead)
	if err != nil {
		return 0
	}
	head, err := openHead(signed, s.key.Public)
	if err != nil {
		panic(err) // a head is whole or not there
	}
	return int(head.Number)
}

// transfer publishes and mirrors without end, and says on standard output what it does.
func transfer(dir string) error {
	s, err := openSite(dir)
	for number := s.number() + 1; err == nil; number++ {
		fmt.Println("push", number)
		if _, err = s.publish(number); err == nil {
			fmt.Println("pull", number)
			_, err = s.mirror.Pull(context.Background(), s.place, Options{})
		}
	}
	return err
}

// recorded is a place that remembers what was fetched.
type recorded struct {
	Place
	mu    sync.Mutex
	names map[string]bool
}

func (r *recorded) Get(ctx context.Context, name string, most int64) ([]byte, error) {
	r.mu.Lock()
	r.names[name] = true
	r.mu.Unlock()
	return r.Place.Get(ctx, name, most)
}

// TestKilledTransfers kills processes at any moment while they publish and mirror. The mirror's files are those of one
// publication each time, what is published is one, and the next pull goes on from what was fetched and leaves nothing lying about.
func TestKilledTransfers(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(1, 2))
	moments, held, resumed := make(map[string]int), 0, 0
	for round := range kills(t) {
		moment := killTransfer(t, dir, random)
		what, said, _ := strings.Cut(moment, " ")
		moments[what]++
		doing, _ := strconv.Atoi(said)
		s, err := openSite(dir)
		if err != nil {
			t.Fatalf("round %d, killed in %s: %v", round, moment, err)
		}
		published := s.number()
		if what == "push" && published != doing && published != doing-1 || what == "pull" && published != doing {
			t.Fatalf("round %d, killed in %s: number %d is published", round, moment, published)
		}
		held = checkMirror(t, s, fmt.Sprintf("round %d, killed in %s", round, moment), held, published)
		if what == "push" && published != doing && round%2 == 0 { // the same command again
			if _, err := s.publish(doing); err != nil {
				t.Fatalf("round %d, after %s: %v", round, moment, err)
			}
			published = doing
		}
		if published == 0 || round%3 == 2 {
			continue // the next process goes on
		}
		there := piecesIn(t, s.mirror.state(incomingName))
		from := &recorded{Place: s.place, names: make(map[string]bool)}
		if _, err := s.mirror.Pull(context.Background(), from, Options{}); err != nil {
			t.Fatalf("round %d, after %s: %v", round, moment, err)
		}
		held = checkMirror(t, s, fmt.Sprintf("round %d, after %s", round, moment), published, published)
		for _, name := range there {
			if resumed++; from.names[name] {
				t.Errorf("round %d, after %s: %s was fetched again", round, moment, name)
			}
		}
		if left := namesIn(t, s.mirror.state("")); !slices.Equal(left, []string{cardName, headName, listName, lockName, pinName}) {
			t.Fatalf("round %d, after %s: the mirror's state holds %q", round, moment, left)
		}
	}
	t.Logf("killed in %v; %d pieces were not fetched again", moments, resumed)
}

// TestKilledWhileItSettles holds that nothing is fetched again after a kill between writing down two of the things that a
// mirror knows.
func TestKilledWhileItSettles(t *testing.T) {
	for _, unwritten := range [][]string{nil, {headName}, {listName, headName}, {cardName, listName, headName}} {
		m := newTeam(t)
		before, after := tree{"a.md": text(5, 300_000), "b.md": text(6, 300_000)}, tree{"a.md": text(5, 300_000), "b.md": text(7, 300_000)}
		m.push(before)
		m.pull()
		old := treeOf(t, m.mirror.state(""))
		m.push(after)
		m.pull()
		for _, name := range unwritten {
			if err := write(m.mirror.state(name), []byte(old[name]), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		unfinished, incoming := m.mirror.state(".list.12.new"), m.mirror.state(incomingName)
		err := errors.Join(os.WriteFile(unfinished, nil, 0o600), os.MkdirAll(incoming, 0o700))
		if err != nil {
			t.Fatal(err)
		}
		if m.mirror, err = Open(m.mirror.Folder); err != nil || (m.mirror.Head.Number == 1) != (len(unwritten) > 0) {
			t.Fatalf("without %q: number %d, %v", unwritten, m.mirror.Head.Number, err)
		}
		if done := m.pull(); done.Fetched > 0 && len(unwritten) < 3 {
			t.Errorf("without %q, %d pieces were fetched again", unwritten, done.Fetched)
		}
		m.holds(after)
		if left := namesIn(t, m.mirror.state("")); !slices.Equal(left, []string{cardName, headName, listName, lockName, pinName}) {
			t.Errorf("without %q, the mirror's state holds %q", unwritten, left)
		}
	}
}

// killTransfer starts a process, kills it and returns the last thing that it was about to do.
func killTransfer(t *testing.T, dir string, random *rand.Rand) (moment string) {
	t.Helper()
	process := exec.Command(os.Args[0])
	process.Env = append(os.Environ(), victimFolder+"="+dir)
	process.Stderr = os.Stderr
	output, err := process.StdoutPipe()
	if err == nil {
		err = process.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(output)
	for range 1 + random.IntN(4) {
		if !lines.Scan() {
			t.Fatal("the victim died by itself")
		}
		moment = lines.Text()
	}
	burn(1 << random.IntN(26))
	if err := process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
		moment = lines.Text()
	}
	_ = process.Wait()
	return moment
}

// burn spends a little time, of no known length.
func burn(rounds int) {
	random := rand.New(rand.NewPCG(3, 4))
	for range rounds {
		random.Uint64()
	}
}

// checkMirror holds that the mirror has the files of one of the numbers, whole, and returns it.
func checkMirror(t *testing.T, s site, when string, first, last int) (number int) {
	t.Helper()
	got := treeOf(t, s.mirror.Files())
	for number := first; number <= last; number++ {
		if number == 0 && len(got) == 0 || number > 0 && maps.Equal(got, treeAt(number)) {
			return number
		}
	}
	t.Fatalf("%s: the mirror holds the files of none of %d to %d: %v", when, first, last, slices.Sorted(maps.Keys(got)))
	return 0
}

// piecesIn returns the names of the whole pieces in a folder of fetched ones.
func piecesIn(t *testing.T, folder string) (names []string) {
	t.Helper()
	for name, kept := range treeOf(t, folder) {
		r, err := gzip.NewReader(strings.NewReader(kept))
		if err != nil {
			continue
		}
		if content, err := io.ReadAll(r); err == nil && pieceOf(content).name() == name {
			names = append(names, name)
		}
	}
	return names
}

func namesIn(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}
