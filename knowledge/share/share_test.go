package share

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"lacuna/knowledge/passage"
)

var day = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

func TestMain(m *testing.M) {
	fsync = func(*os.File) error { return nil }
	if dir := os.Getenv(victimFolder); dir != "" {
		fmt.Fprintln(os.Stderr, transfer(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// tree is a folder as a test writes it: names with contents.
type tree map[string]string

func (t tree) write(tb testing.TB, folder string) (files []File) {
	tb.Helper()
	for name, content := range t {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
			tb.Fatal(err)
		}
		files = append(files, File{name, path})
	}
	return files
}

func treeOf(tb testing.TB, folder string) tree {
	tb.Helper()
	t := tree{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		name, _ := filepath.Rel(folder, path)
		t[filepath.ToSlash(name)] = string(content)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		tb.Fatal(err)
	}
	return t
}

// text returns made-up text that does not compress to nothing, the same for each seed.
func text(seed uint64, size int) string {
	chance := rand.New(rand.NewPCG(seed, 1))
	var out strings.Builder
	for out.Len() < size {
		fmt.Fprintf(&out, "sentence %x says %x. ", chance.Uint64(), chance.Uint32())
	}
	return out.String()[:size]
}

// team is a publisher and somebody who mirrors.
type team struct {
	tb     testing.TB
	key    *Key
	place  Folder
	mirror *Mirror
}

func newTeam(tb testing.TB) *team {
	tb.Helper()
	folder := tb.TempDir()
	key, made, err := OpenKey(filepath.Join(folder, "config", "publisher.key"), "ward")
	if err != nil || !made {
		tb.Fatal(made, err)
	}
	place := Folder(filepath.Join(folder, "share"))
	mirror, err := Create(filepath.Join(folder, "mirror"), Pin{From: place.String(), Key: key.Public})
	if err != nil {
		tb.Fatal(err)
	}
	return &team{tb, key, place, mirror}
}

func (m *team) publication(t tree) Publication {
	return Publication{Source: Source{Name: "guidelines", Kind: passage.Text}, Files: t.write(m.tb, m.tb.TempDir()), Now: day}
}

func (m *team) push(t tree) Published {
	m.tb.Helper()
	done, err := Publish(context.Background(), m.place, m.publication(t), m.key)
	if err != nil {
		m.tb.Fatal(err)
	}
	return done
}

func (m *team) pull() Pulled {
	m.tb.Helper()
	done, err := m.mirror.Pull(context.Background(), m.place, Options{})
	if err != nil {
		m.tb.Fatal(err)
	}
	return done
}

// holds fails unless the mirror holds just these files.
func (m *team) holds(want tree) {
	m.tb.Helper()
	if got := treeOf(m.tb, m.mirror.Files()); !maps.Equal(got, want) {
		m.tb.Fatalf("the mirror holds %v, want %v", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
}

func TestMirrorEqualsSource(t *testing.T) {
	for name, source := range map[string]tree{
		"nothing":     {},
		"empty files": {"a.md": "", "b.md": "", "c/d.md": ""},
		"names":       {"ward/plan B.md": "plan", "Ünïcode/日本.md": "text", "a b/c'd/#e%20.md": "odd", ".hidden/x.md": "kept"},
		"small files": func() tree {
			all := tree{}
			for i := range 300 {
				all[fmt.Sprintf("notes/%d/%d.md", i%7, i)] = text(uint64(i), i*3)
			}
			return all
		}(),
		"large file": {"all.jsonl": text(1, 3<<20), "z.md": "behind it"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newTeam(t)
			m.push(source)
			if done := m.pull(); done.Written != len(source) {
				t.Errorf("wrote %d files of %d", done.Written, len(source))
			}
			m.holds(source)
			if done := m.pull(); !done.Unchanged || done.Fetched > 0 || done.Kept != len(source) {
				t.Errorf("a second pull: %+v", done)
			}
			if done := m.push(source); !done.Unchanged && name != "small files" && len(source) == 0 {
				t.Errorf("a second push: %+v", done)
			}
		})
	}
}

// TestDelta holds that a change costs what is around it.
func TestDelta(t *testing.T) {
	m := newTeam(t)
	source := tree{"all.jsonl": text(1, 8<<20), "b.md": text(2, 5000), "gone.md": "gone"}
	first := m.push(source)
	m.pull()
	middle := len(source["all.jsonl"]) / 2
	source["all.jsonl"] = source["all.jsonl"][:middle] + "A new sentence." + source["all.jsonl"][middle:]
	source["new.md"] = "new"
	delete(source, "gone.md")
	second := m.push(source)
	if second.Sent > 8 || second.Sent*5 > first.Sent {
		t.Errorf("%d pieces sent, %d of them for a sentence", first.Sent, second.Sent)
	}
	done := m.pull()
	if done.Fetched > second.Sent || done.Removed != 1 {
		t.Errorf("fetched %d of %d new pieces, removed %d files", done.Fetched, second.Sent, done.Removed)
	}
	m.holds(source)
}

// failing is a place that fails from the nth request on.
type failing struct {
	Folder
	left *atomic.Int32
}

var errCut = errors.New("the cable is cut")

func (f failing) Get(ctx context.Context, name string, most int64) ([]byte, error) {
	if f.left.Add(-1) < 0 {
		return nil, errCut
	}
	return f.Folder.Get(ctx, name, most)
}

func (f failing) Put(ctx context.Context, name string, content []byte) error {
	if f.left.Add(-1) < 0 {
		return errCut
	}
	return f.Folder.Put(ctx, name, content)
}

func cutAfter(place Folder, requests int32) failing {
	f := failing{place, new(atomic.Int32)}
	f.left.Store(requests)
	return f
}

func TestInterrupted(t *testing.T) {
	m := newTeam(t)
	before, after := tree{"a.md": "before"}, tree{"a.md": text(3, 4<<20)}
	m.push(before)
	m.pull()
	p := m.publication(after)
	if _, err := Publish(context.Background(), cutAfter(m.place, 10), p, m.key); !errors.Is(err, errCut) {
		t.Fatal(err)
	}
	m.pull()
	m.holds(before)
	done, err := Publish(context.Background(), m.place, p, m.key)
	if err != nil {
		t.Fatal(err)
	}
	if done.Sent >= len(done.Card.Content) {
		t.Errorf("%d of %d pieces sent again", done.Sent, len(done.Card.Content))
	}
	if _, err := m.mirror.Pull(context.Background(), cutAfter(m.place, 12), Options{}); !errors.Is(err, errCut) {
		t.Fatal(err)
	}
	m.holds(before)
	pulled := m.pull()
	if all := len(pulled.Card.Content); pulled.Fetched >= all-4 {
		t.Errorf("%d of %d pieces fetched again", pulled.Fetched, all)
	}
	m.holds(after)
}

// TestAltered holds that no altered byte of a publication, wherever it is, comes into a mirror.
func TestAltered(t *testing.T) {
	m := newTeam(t)
	before := tree{"a.md": "before"}
	m.push(before)
	m.pull()
	m.push(tree{"a.md": text(3, 200_000), "b.md": "more"})
	stored := treeOf(t, m.place.String())
	altered := 0
	for name, content := range stored {
		for _, at := range []int{0, len(content) / 2, len(content) - 1} {
			path := m.place.path(name)
			damaged := []byte(content)
			damaged[at] ^= 0x20
			if err := os.WriteFile(path, damaged, 0o644); err != nil {
				t.Fatal(err)
			}
			_, err := m.mirror.Pull(context.Background(), m.place, Options{})
			if errors.Is(err, ErrAltered) || errors.Is(err, ErrSignature) {
				altered++
			}
			if held := treeOf(t, m.mirror.Files()); err != nil && !maps.Equal(held, before) {
				t.Fatalf("%s: the mirror holds what was altered", name)
			} else if err == nil && len(held["a.md"]) != 200_000 {
				t.Fatalf("%s at %d: another text: %q", name, at, held["a.md"][:20])
			} else if err == nil { // a piece of the publication before, or a byte of gzip's that means nothing
				before = held
			}
			if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if altered < 3 {
		t.Errorf("%d alterations were noticed", altered)
	}
}

func TestRefused(t *testing.T) {
	ctx := context.Background()
	m, other := newTeam(t), newTeam(t)
	m.push(tree{"a.md": "one"})
	first := treeOf(t, m.place.String())
	m.pull()
	m.push(tree{"a.md": "two"})
	m.pull()
	t.Run("another key", func(t *testing.T) {
		if _, err := other.mirror.Pull(ctx, m.place, Options{}); !errors.Is(err, ErrSignature) {
			t.Error(err)
		}
		if _, err := Publish(ctx, m.place, other.publication(tree{"a.md": "mine"}), other.key); !errors.Is(err, ErrSignature) || !strings.Contains(err.Error(), "ward+") {
			t.Error(err)
		}
	})
	t.Run("another source", func(t *testing.T) {
		p := m.publication(tree{"a.md": "x"})
		p.Source.Name = "letters"
		if _, err := Publish(ctx, m.place, p, m.key); err == nil || !strings.Contains(err.Error(), `"guidelines"`) {
			t.Error(err)
		}
	})
	t.Run("an older one", func(t *testing.T) {
		if err := os.WriteFile(m.place.path(headName), []byte(first[headName]), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := m.mirror.Pull(ctx, m.place, Options{}); !errors.Is(err, ErrOlder) {
			t.Error(err)
		}
		m.holds(tree{"a.md": "two"})
	})
	t.Run("no publication", func(t *testing.T) {
		if _, err := m.mirror.Pull(ctx, Folder(t.TempDir()), Options{}); !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	})
	t.Run("a folder with something in it", func(t *testing.T) {
		folder := t.TempDir()
		tree{"thesis.md": "mine"}.write(t, folder)
		if _, err := Create(folder, m.mirror.Pin); err == nil {
			t.Error("made a mirror of it")
		}
	})
	t.Run("another mirror", func(t *testing.T) {
		if _, err := Create(m.mirror.Folder, other.mirror.Pin); err == nil {
			t.Error("made it mirror something else")
		}
	})
}

// TestPlaceFilledAgain loses the place, or has it damaged. What the publisher then publishes is taken by mirrors that had a higher
// number of it, and what was published before all that is not.
func TestPlaceFilledAgain(t *testing.T) {
	m := newTeam(t)
	later := func(t tree, by time.Duration) Publication {
		p := m.publication(t)
		p.Now, p.Replace = day.Add(by), true
		return p
	}
	publish := func(p Publication) Published {
		t.Helper()
		done, err := Publish(t.Context(), m.place, p, m.key)
		if err != nil {
			t.Fatal(err)
		}
		return done
	}
	m.push(tree{"a.md": "one"})
	old := treeOf(t, string(m.place))
	m.push(tree{"a.md": "two"})
	m.pull()
	for _, lose := range []func() error{
		func() error { return os.RemoveAll(string(m.place)) },
		func() error { return os.WriteFile(m.place.path(headName), []byte("mine"), 0o644) },
	} {
		if err := lose(); err != nil {
			t.Fatal(err)
		}
		if done := publish(later(tree{"a.md": "two"}, time.Hour)); done.Head.Number != 1 {
			t.Errorf("number %d", done.Head.Number)
		}
		m.pull()
		m.holds(tree{"a.md": "two"})
	}
	for name := range treeOf(t, string(m.place)) {
		if name != headName {
			if err := os.WriteFile(m.place.path(name), []byte("damaged"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if done := publish(later(tree{"a.md": "two"}, 0)); done.Unchanged || done.Sent == 0 {
		t.Errorf("the damage is left: %+v", done)
	}
	if _, err := m.mirror.Pull(t.Context(), m.place, Options{Check: true}); err != nil {
		t.Error(err)
	}
	m.holds(tree{"a.md": "two"})
	tree(old).write(t, string(m.place))
	if _, err := m.mirror.Pull(t.Context(), m.place, Options{}); !errors.Is(err, ErrOlder) {
		t.Error(err)
	}
}

// TestEditedMirror holds that what somebody changes in a mirror is neither kept nor published as the publisher's.
func TestEditedMirror(t *testing.T) {
	m := newTeam(t)
	source := tree{"a.md": text(4, 300_000), "b.md": "unchanged", "c.md": "gone soon"}
	m.push(source)
	m.pull()
	edit := func() {
		file := m.mirror.path("a.md")
		content, err := os.ReadFile(file)
		if err == nil {
			copy(content[1000:], "EDITED")
			err = errors.Join(os.WriteFile(file, content, 0o600), os.Remove(m.mirror.path("c.md")))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	edit()
	done, err := m.mirror.Pull(context.Background(), m.place, Options{Check: true})
	if err != nil || done.Unchanged || done.Written != 2 {
		t.Errorf("%+v, %v", done, err)
	}
	m.holds(source)
	edit()
	source["b.md"] = "changed"
	m.push(source)
	m.pull()
	m.holds(source)
}

// TestKilledBetweenTwoSteps holds that a mirror without its files gets the last ones back.
func TestKilledBetweenTwoSteps(t *testing.T) {
	m := newTeam(t)
	source := tree{"a.md": "text"}
	m.push(source)
	m.pull()
	if err := os.Rename(m.mirror.Files(), m.mirror.state(lastName)); err != nil {
		t.Fatal(err)
	}
	m.pull()
	m.holds(source)
}

func TestPrune(t *testing.T) {
	m := newTeam(t)
	for i, content := range []string{"one", "two", "three"} {
		p := m.publication(tree{"a.md": text(uint64(i), 100_000) + content})
		p.Now = time.Now().Add(3 * time.Hour * time.Duration(i+1))
		done, err := Publish(context.Background(), m.place, p, m.key)
		if err != nil || (done.Removed > 0) != (i == 2) {
			t.Errorf("publication %d: removed %d, %v", i+1, done.Removed, err)
		}
		m.pull()
	}
}

func TestOf(t *testing.T) {
	m := newTeam(t)
	m.push(tree{"a/b.md": "text"})
	m.pull()
	for path, want := range map[string]bool{m.mirror.Files(): true, m.mirror.path("a/b.md"): true, m.mirror.Folder: false, t.TempDir(): false} {
		found, is := Of(path)
		if is != want || is && (found.Head.Source != "guidelines" || !found.Head.Published.Equal(day)) {
			t.Errorf("%s: %v", path, is)
		}
	}
}

// TestKeyFile holds that a damaged key is not replaced by a new one, which nobody has pinned.
func TestKeyFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "publisher.key")
	key, _, err := OpenKey(file, "ward")
	if err != nil {
		t.Fatal(err)
	}
	if again, made, err := OpenKey(file, "other"); err != nil || made || again.Public != key.Public {
		t.Errorf("%v, made %v", err, made)
	}
	for _, damaged := range []string{"", "PRIVATE", "PRIVATE+KEY+x\ny"} {
		if err := os.WriteFile(file, []byte(damaged), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := OpenKey(file, "ward"); err == nil {
			t.Errorf("%q is a key", damaged)
		}
	}
	if _, _, err := OpenKey(filepath.Join(t.TempDir(), "key"), "two words"); err == nil {
		t.Error("a name with a space")
	}
}

// FuzzPull pulls what a publisher signed without being one of ours: the card and the list hold anything.
func FuzzPull(f *testing.F) {
	valid, err := json.Marshal(Entry{Name: "a.md", Bytes: 4, SHA256: pieceOf([]byte("text")).SHA256})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(valid)+"\n", "")
	f.Add(strings.ReplaceAll(string(valid), "a.md", "../a.md")+"\n", "")
	f.Add(strings.ReplaceAll(string(valid), `:4`, `:-4`)+"\n", "")
	f.Add(string(valid)+"\n"+string(valid)+"\n", "")
	f.Add("", `{"source":{"name":"guidelines"},"files":9223372036854775807,"content":[{"bytes":9223372036854775807}]}`)
	f.Fuzz(func(t *testing.T, list, card string) {
		m := newTeam(t)
		put := func(content string) Piece {
			p := pieceOf([]byte(content))
			if err := m.place.Put(context.Background(), p.name(), packed([]byte(content))); err != nil {
				t.Fatal(err)
			}
			return p
		}
		if card == "" {
			made := Card{Source: Source{Name: "guidelines"}, Files: strings.Count(list, "\n"), Content: []Piece{put("text")}}
			if list != "" && len(list) <= maxPiece {
				made.List = []Piece{put(list)}
			}
			text, err := json.Marshal(made)
			if err != nil {
				t.Fatal(err)
			}
			card = string(text)
		}
		signed, err := m.key.sign(Head{Format: format, Source: "guidelines", Number: 1, Published: day, Card: put(card)})
		if err == nil {
			err = m.place.Put(context.Background(), headName, signed)
		}
		if err != nil {
			t.Fatal(err)
		}
		outside := func() tree {
			all := treeOf(t, filepath.Dir(m.mirror.Folder))
			maps.DeleteFunc(all, func(name, _ string) bool { return strings.HasPrefix(name, "mirror/") })
			return all
		}
		before := outside()
		_, err = m.mirror.Pull(context.Background(), m.place, Options{})
		if !maps.Equal(before, outside()) {
			t.Fatal("a pull wrote outside the mirror")
		}
		if err != nil && len(treeOf(t, m.mirror.Files())) > 0 {
			t.Fatal("a pull that failed left files")
		}
	})
}

func BenchmarkPublish(b *testing.B) {
	m := newTeam(b)
	source := tree{"all.jsonl": text(1, 32<<20)}
	b.SetBytes(32 << 20)
	for b.Loop() {
		m.place = Folder(b.TempDir())
		m.push(source)
	}
}

func BenchmarkPull(b *testing.B) {
	m := newTeam(b)
	m.push(tree{"all.jsonl": text(1, 32<<20)})
	b.SetBytes(32 << 20)
	for b.Loop() {
		mirror, err := Create(filepath.Join(b.TempDir(), "mirror"), m.mirror.Pin)
		if err != nil {
			b.Fatal(err)
		}
		m.mirror = mirror
		m.pull()
	}
}

// TestPieces holds that a piece says what it holds, and nothing else passes for it.
func TestPieces(t *testing.T) {
	content := []byte(text(9, 100_000))
	p, kept := pieceOf(content), packed(content)
	if got, err := p.unpack(kept); err != nil || !bytes.Equal(got, content) {
		t.Fatal(err)
	}
	for name, wrong := range map[string][]byte{
		"shorter": packed(content[:99_999]), "longer": packed(append(bytes.Clone(content), 'x')), "nothing": nil,
		"a bomb": packed(make([]byte, 100<<20)), "cut off": kept[:len(kept)-1],
	} {
		if _, err := p.unpack(wrong); !errors.Is(err, ErrAltered) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// BenchmarkTeam publishes and mirrors a source of many passages in twenty files, then one in which a thousand of
// them, here and there, have changed. LACUNA_PASSAGES says how many; the default is small.
func BenchmarkTeam(b *testing.B) {
	passages := 20_000
	if set, err := strconv.Atoi(os.Getenv("LACUNA_PASSAGES")); err == nil {
		passages = set
	}
	before := fsync
	defer func() { fsync = before }()
	fsync = (*os.File).Sync
	chance := rand.New(rand.NewPCG(7, 7))
	vocabulary := strings.Fields(text(3, 200_000))
	lines := make([][]string, 20)
	for i := range passages {
		var words []string
		for range 60 {
			words = append(words, vocabulary[int(chance.ExpFloat64()*2000)%len(vocabulary)])
		}
		lines[i*20/passages] = append(lines[i*20/passages], fmt.Sprintf(`{"id": "p%d", "title": "Page %d", "text": %q}`, i, i/5, strings.Join(words, " ")))
	}
	source := tree{}
	fill := func() {
		for i := range lines {
			source[fmt.Sprintf("part%02d.jsonl", i)] = strings.Join(lines[i], "\n")
		}
	}
	for b.Loop() {
		m := newTeam(b)
		fill()
		folder := b.TempDir()
		p := Publication{Source: Source{Name: "guidelines", Kind: passage.Text}, Files: source.write(b, folder), Now: day}
		step := func(what string, do func() (bytes int64)) {
			began := time.Now()
			bytes := do()
			b.ReportMetric(time.Since(began).Seconds(), what+"-s")
			b.ReportMetric(float64(bytes)/1e6, what+"-MB")
		}
		push := func() int64 {
			done, err := Publish(context.Background(), m.place, p, m.key)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(done.Card.Bytes)/1e6, "source-MB")
			return done.SentBytes
		}
		pull := func() int64 { return m.pull().FetchedBytes }
		step("push", push)
		step("pull", pull)
		for range 1000 {
			part := lines[chance.IntN(len(lines))]
			at := chance.IntN(len(part))
			part[at] = strings.Replace(part[at], "says", "denies", 1)
		}
		fill()
		source.write(b, folder)
		step("push-scattered", push)
		step("pull-scattered", pull)
		for i := range 1000 {
			lines[19] = append(lines[19], fmt.Sprintf(`{"id": "new%d", "title": "New", "text": %q}`, i, text(uint64(i), 400)))
		}
		fill()
		source.write(b, folder)
		step("push-added", push)
		step("pull-added", pull)
		step("pull-unchanged", pull)
		b.ReportMetric(0, "ns/op")
	}
}
