package knowledge

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
)

// LACUNA_EDITS says how many edits TestRandomEdits makes.
const fewEdits = 300

// After any edits of a base, refreshed now and then, the index holds and finds what a plain
// reimplementation says: passages, lexical scores, vectors and the nearest of them.
func TestRandomEdits(t *testing.T) {
	edits := fewEdits
	if set := os.Getenv("LACUNA_EDITS"); set != "" {
		var err error
		if edits, err = strconv.Atoi(set); err != nil {
			t.Fatal("LACUNA_EDITS: ", err)
		}
	} else if testing.Short() {
		t.Skip("makes many refreshes")
	}
	d := newDesk(t)
	if err := errors.Join(os.RemoveAll(filepath.Join(d.sources, "notes")), os.MkdirAll(filepath.Join(d.sources, "notes"), 0o700)); err != nil {
		t.Fatal(err)
	}
	b := &plainBase{t: t, dir: d.sources, random: rand.New(rand.NewPCG(5, 6)), notes: map[string][]section{}}
	for range 150 {
		b.addNote()
	}
	d.open()
	largest := max(100, edits/50)
	refreshes, trainings := 0, 0
	for done := 0; done < edits; refreshes++ {
		batch := min(1+b.random.IntN(1+b.random.IntN(largest)), edits-done)
		for range batch {
			b.edit()
		}
		b.write()
		done += batch
		d.refresh()
		trainings += strings.Count(d.stages(), string(Training))
		if refreshes%10 == 9 { // from the disk again
			if err := d.index.Close(); err != nil {
				t.Fatal(err)
			}
			d.open()
		}
		if b.compare(d.index.Library()); t.Failed() {
			t.Fatalf("after %d edits and %d refreshes", done, refreshes+1)
		}
		if refreshes%20 == 19 {
			t.Logf("%d edits, %d refreshes, %d trainings", done, refreshes+1, trainings)
		}
	}
	t.Logf("%d edits, %d refreshes, %d trainings", edits, refreshes, trainings)
}

// plainBase holds what a base should be: notes of sections, and answered questions. It changes both in
// memory and writes the files that changed.
type plainBase struct {
	t      *testing.T
	dir    string
	random *rand.Rand
	notes  map[string][]section // by path below notes/
	pairs  []plainPair
	names  int             // made so far
	dirty  map[string]bool // notes to be written, or removed
}

const mostSections = 6 // of a note

type section struct{ heading, text string }

type plainPair struct {
	ID       string `json:"id"`
	Question string `json:"question"`
	Answer   string `json:"answer"`
}

// word draws one of a few hundred words, some far more often than others.
func (b *plainBase) word() string {
	n := int(300 * math.Pow(b.random.Float64(), 3))
	return "w" + strconv.FormatInt(int64(n)+36, 36)
}

func (b *plainBase) words(n int) string {
	list := make([]string, 1+b.random.IntN(n))
	for i := range list {
		list[i] = b.word()
	}
	return strings.Join(list, " ")
}

func (b *plainBase) section() section { return section{"H " + b.words(3), b.words(12) + "."} }

// note draws one of the notes; there is always one.
func (b *plainBase) note() string {
	names := slices.Sorted(maps.Keys(b.notes))
	return names[b.random.IntN(len(names))]
}

func (b *plainBase) newName() string {
	b.names++
	return fmt.Sprintf("%sn%d.md", []string{"", "deep/", "deep/er/"}[b.random.IntN(3)], b.names)
}

func (b *plainBase) set(name string, sections []section) {
	b.notes[name] = sections
	b.touch(name)
}

func (b *plainBase) touch(name string) {
	if b.dirty == nil {
		b.dirty = map[string]bool{}
	}
	b.dirty[name] = true
}

func (b *plainBase) addNote() {
	sections := make([]section, 1+b.random.IntN(4))
	for i := range sections {
		sections[i] = b.section()
	}
	b.set(b.newName(), sections)
}

// edit makes one edit.
func (b *plainBase) edit() {
	name := b.note()
	sections := slices.Clone(b.notes[name])
	at := b.random.IntN(len(sections) + 1)
	switch kind := b.random.IntN(20); {
	case kind < 6: // a section changes
		sections[min(at, len(sections)-1)] = b.section()
		b.set(name, sections)
	case kind < 8: // a section comes
		if len(sections) < mostSections {
			b.set(name, slices.Insert(sections, at, b.section()))
		}
	case kind < 10: // a section goes
		if len(sections) > 1 {
			b.set(name, slices.Delete(sections, at-min(at, 1), at-min(at, 1)+1))
		}
	case kind < 12: // a section moves, or is copied
		other := b.note()
		if len(b.notes[other]) == mostSections {
			return
		}
		moved := sections[min(at, len(sections)-1)]
		b.set(other, append(slices.Clone(b.notes[other]), moved))
		if other != name && len(sections) > 1 && kind == 10 {
			i := min(at, len(sections)-1)
			b.set(name, slices.Delete(sections, i, i+1))
		}
	case kind < 14: // a note is renamed
		b.set(b.newName(), sections)
		delete(b.notes, name)
		b.touch(name)
	case kind == 14:
		if len(b.notes) < 200 {
			b.addNote()
		}
	case kind == 15: // a note goes
		if len(b.notes) > 100 {
			delete(b.notes, name)
			b.touch(name)
		}
	case kind == 16 && len(b.pairs) > 0:
		i := b.random.IntN(len(b.pairs))
		b.pairs = slices.Delete(slices.Clone(b.pairs), i, i+1)
	case kind == 17 && len(b.pairs) > 0:
		b.pairs[b.random.IntN(len(b.pairs))].Question = b.words(8) + "?"
	default:
		if len(b.pairs) < 120 {
			b.names++
			b.pairs = append(b.pairs, plainPair{fmt.Sprint("h", b.names), b.words(8) + "?", b.words(6) + "."})
		}
	}
}

// write brings the files to what the base is by now.
func (b *plainBase) write() {
	b.t.Helper()
	for name := range b.dirty {
		file := filepath.Join(b.dir, "notes", filepath.FromSlash(name))
		sections, there := b.notes[name]
		if !there {
			if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
				b.t.Fatal(err)
			}
			continue
		}
		var text strings.Builder
		fmt.Fprintf(&text, "# T%s\n", path.Base(name))
		for _, s := range sections {
			fmt.Fprintf(&text, "\n## %s\n\n%s\n", s.heading, s.text)
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text.String()), 0o600)); err != nil {
			b.t.Fatal(err)
		}
	}
	clear(b.dirty)
	var lines []byte
	for _, p := range b.pairs {
		line, err := json.Marshal(p)
		if err != nil {
			b.t.Fatal(err)
		}
		lines = append(append(lines, line...), '\n')
	}
	if err := os.WriteFile(filepath.Join(b.dir, "history.jsonl"), lines, 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// plainText is a passage as it should be.
type plainText struct{ record, text, indexed string }

// texts lists the passages that there should be of a kind, in order, equal ones at each of their places.
func (b *plainBase) texts(kind passage.Kind) []plainText {
	var list []plainText
	if kind == passage.QA {
		for _, p := range b.pairs {
			list = append(list, plainText{p.ID, p.Answer, p.Question})
		}
		return list
	}
	for _, name := range slices.Sorted(maps.Keys(b.notes)) {
		for _, s := range b.notes[name] {
			list = append(list, plainText{name, s.text, "T" + path.Base(name) + "\n" + s.heading + "\n" + s.text})
		}
	}
	return list
}

// compare holds a library against the base.
func (b *plainBase) compare(l *Library) {
	b.t.Helper()
	for _, kind := range kinds {
		want := b.texts(kind)
		var got []plainText
		var ordinals []int
		for ordinal, p := range l.Passages() {
			if p.Kind == kind {
				got = append(got, plainText{p.Record, p.Text, p.Indexed()})
				ordinals = append(ordinals, ordinal)
			}
		}
		if !slices.Equal(got, want) {
			b.t.Fatalf("%s: %d passages, want %d, or others", kind, len(got), len(want))
		}
		if len(want) == 0 {
			continue
		}
		b.compareSearch(l, kind, want)
		b.compareVectors(l, kind, want, ordinals)
	}
}

// compareSearch holds lexical search against BM25 as the textbook has it.
func (b *plainBase) compareSearch(l *Library, kind passage.Kind, want []plainText) {
	b.t.Helper()
	terms := make([][]string, len(want))
	documents := map[string]int{}
	total := 0
	for i, p := range want {
		terms[i] = lexical.Terms(p.indexed)
		total += len(terms[i])
		for _, term := range slices.Compact(slices.Sorted(slices.Values(terms[i]))) {
			documents[term]++
		}
	}
	k := parameters(kind)
	for range 3 {
		query := b.words(6)
		best := map[string]float64{} // of the places of a text
		for i, p := range want {
			score := 0.0
			for _, term := range lexical.Terms(query) {
				tf := 0.0
				for _, own := range terms[i] {
					if own == term {
						tf++
					}
				}
				n, df := float64(len(want)), float64(documents[term])
				norm := k.K1 * (1 - k.B + k.B*float64(len(terms[i]))*n/float64(total))
				score += math.Log(1+(n-df+0.5)/(df+0.5)) * tf / (tf + norm)
			}
			if score > 0 {
				key := p.text
				if kind == passage.QA {
					key += "\n" + p.indexed
				}
				best[key] = max(best[key], score)
			}
		}
		scores := slices.SortedFunc(maps.Values(best), func(a, b float64) int { return cmp.Compare(b, a) })
		hits, err := l.Search(b.t.Context(), Query{Text: query, K: 20, Kind: kind, Retriever: BM25, Verbatim: true})
		if err != nil || len(hits) != min(20, len(scores)) {
			b.t.Fatalf("%s: %q finds %d texts, want %d; %v", kind, query, len(hits), len(scores), err)
		}
		for i, hit := range hits {
			if math.Abs(hit.BM25-scores[i]) > 1e-9 {
				b.t.Fatalf("%s: %q: hit %d scores %v, want %v", kind, query, i, hit.BM25, scores[i])
			}
		}
	}
}

// compareVectors holds the vectors against what the encoder makes of the texts, and the nearest against
// a look at all of them.
func (b *plainBase) compareVectors(l *Library, kind passage.Kind, want []plainText, ordinals []int) {
	b.t.Helper()
	collection := l.Collection(kind)
	if collection.Encoder() == nil {
		return
	}
	query, known := collection.Encoder().Encode(lexical.Terms(b.words(6)))
	var distances []float64
	for i, p := range want {
		vector, _ := collection.Encoder().Encode(lexical.Terms(p.indexed))
		if !slices.Equal(vector, collection.Vector(ordinals[i])) {
			b.t.Fatalf("%s: %q has the vector of another text", kind, p.text)
		}
		distances = append(distances, distance(vector, query))
	}
	if !known {
		return
	}
	slices.Sort(distances)
	for i, n := range collection.Nearest(query, 10) {
		if got := distance(collection.Vector(n.Ordinal), query); math.Abs(got-distances[i]) > 1e-5 {
			b.t.Fatalf("%s: neighbour %d is %v away, want %v", kind, i, got, distances[i])
		}
	}
}

// distance of two vectors, of which a missing one is zero.
func distance(a, b []float32) float64 {
	sum := 0.0
	for i := range max(len(a), len(b)) {
		x := 0.0
		if a != nil {
			x = float64(a[i])
		}
		if b != nil {
			x -= float64(b[i])
		}
		sum += x * x
	}
	return math.Sqrt(sum)
}
