package lexicon

import (
	"bytes"
	"cmp"
	"compress/flate"
	"encoding/binary"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lacuna/knowledge/lexical"
)

var update = flag.Bool("update", false, "write the tables that are made of other people's data")

// TestTables makes the tables of the lexicons whose data is there:
//
//	LACUNA_WORDNET        the folder of WordNet 3.0's files (Debian: wordnet-base, /usr/share/wordnet)
//	LACUNA_OPENTHESAURUS  th_de_DE_v2.dat (Debian: mythes-de)
//	LACUNA_COW            wn-data-cmn.tab of the Chinese Open Wordnet
func TestTables(t *testing.T) {
	made := 0
	for name, source := range map[string]struct {
		variable string
		read     func(t *testing.T, path string) map[string][]weighted
	}{
		"en.table": {"LACUNA_WORDNET", readWordNet},
		"de.table": {"LACUNA_OPENTHESAURUS", readOpenThesaurus},
		"zh.table": {"LACUNA_COW", readChineseWordNet},
	} {
		path := os.Getenv(source.variable)
		if path == "" {
			continue
		}
		made++
		data := packTable(t, source.read(t, path))
		if *update {
			if err := os.WriteFile(name, data, 0o600); err != nil {
				t.Fatal(err)
			}
			t.Logf("%s: %d bytes", name, len(data))
			continue
		}
		if now, err := os.ReadFile(name); err != nil || !bytes.Equal(now, data) {
			t.Errorf("%s is not what %s makes; run with -update (%v)", name, source.variable, err)
		}
	}
	if made == 0 {
		t.Skip("no variable names the data of a lexicon")
	}
}

// TestTablesAreWhole holds that every block of every table can be read and is in order.
func TestTablesAreWhole(t *testing.T) {
	for _, name := range []string{"en.table", "de.table", "zh.table"} {
		last, n := "", 0
		for _, b := range open(name)().blocks {
			for line := range strings.Lines(b.lines()) {
				phrase, _, _ := strings.Cut(line, "\t")
				if phrase <= last {
					t.Fatalf("%s: %q after %q", name, phrase, last)
				}
				last, n = phrase, n+1
			}
		}
		if n < 1000 {
			t.Errorf("%s has %d phrases", name, n)
		}
	}
}

// weighted is a synonym as it is written.
type weighted struct {
	phrase string
	weight float64
}

// Bounds of what is worth its room.
const (
	leastWeight = 0.2
	mostEach    = 10
	blockSize   = 1 << 15 // bytes of lines
)

// packTable makes a table of phrases as they are written.
func packTable(t *testing.T, entries map[string][]weighted) []byte {
	t.Helper()
	byKey := make(map[string]map[string]float64) // terms of synonyms by key
	for phrase, synonyms := range entries {
		key := Key(phrase)
		if !fits(phrase, key) {
			continue
		}
		if byKey[key] == nil {
			byKey[key] = make(map[string]float64)
		}
		for _, s := range synonyms {
			if other := Key(s.phrase); other != key && fits(s.phrase, other) && s.weight >= leastWeight {
				terms := strings.Join(PhraseTerms(s.phrase), " ")
				byKey[key][terms] = max(byKey[key][terms], s.weight)
			}
		}
	}
	var out, lines bytes.Buffer
	first := ""
	flush := func() {
		if lines.Len() == 0 {
			return
		}
		var packed bytes.Buffer
		w, err := flate.NewWriter(&packed, flate.BestCompression)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(lines.Bytes()); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		out.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(first))))
		out.Write(binary.LittleEndian.AppendUint32(nil, uint32(packed.Len())))
		out.WriteString(first)
		out.Write(packed.Bytes())
		lines.Reset()
	}
	for _, key := range slices.Sorted(maps.Keys(byKey)) {
		synonyms := slices.SortedFunc(maps.Keys(byKey[key]), func(a, b string) int {
			return cmp.Or(-cmp.Compare(byKey[key][a], byKey[key][b]), strings.Compare(a, b))
		})
		if len(synonyms) == 0 {
			continue
		}
		if lines.Len() == 0 {
			first = key
		}
		lines.WriteString(key)
		for _, s := range synonyms[:min(mostEach, len(synonyms))] {
			fmt.Fprintf(&lines, "\t%d%s", int(math.Round(min(0.9, byKey[key][s])*10)), s)
		}
		lines.WriteByte('\n')
		if lines.Len() >= blockSize {
			flush()
		}
	}
	flush()
	return out.Bytes()
}

// fits reports whether a phrase is one that questions may have.
func fits(phrase, key string) bool {
	n := len(strings.Fields(key))
	letters := len([]rune(strings.ReplaceAll(key, " ", "")))
	return n > 0 && n <= LongestPhrase && (letters >= 3 || lexical.IsHan(key) && letters >= 2) && !strings.ContainsAny(phrase, "0123456789")
}

// A word's senses weigh by how often they occur in texts that were tagged by people; senses that were not seen
// count half. A synonym is worth the share of its sense among those of both words.
const (
	synonymShare    = 0.8
	derivedShare    = 0.6
	pertainymShare  = 0.7
	similarShare    = 0.4
	hypernymShare   = 0.35
	unseenFrequency = 0.5
)

// wordNet is WordNet as its files have it.
type wordNet struct {
	synsets map[string]*synset            // by part of speech and offset
	share   map[string]map[string]float64 // of a lemma's senses, by lemma and synset
}

type synset struct {
	words    []string
	pointers []pointer
}

type pointer struct {
	symbol, target string
	from, to       int // words, from 1; 0 for all
}

func readWordNet(t *testing.T, dir string) map[string][]weighted {
	t.Helper()
	wn := wordNet{make(map[string]*synset), make(map[string]map[string]float64)}
	for pos, name := range map[string]string{"n": "noun", "v": "verb", "a": "adj", "r": "adv"} {
		wn.readData(t, filepath.Join(dir, "data."+name), pos)
	}
	frequency := readFrequencies(t, filepath.Join(dir, "cntlist.rev"))
	for pos, name := range map[string]string{"n": "noun", "v": "verb", "a": "adj", "r": "adv"} {
		wn.readIndex(t, filepath.Join(dir, "index."+name), pos, frequency)
	}
	for _, senses := range wn.share {
		sum := 0.0
		for _, n := range senses {
			sum += n
		}
		for id := range senses {
			senses[id] /= sum
		}
	}
	return wn.entries()
}

func readLines(t *testing.T, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimRight(string(data), "\n"), "\n")
}

func (wn wordNet) readData(t *testing.T, path, pos string) {
	for _, line := range readLines(t, path) {
		if strings.HasPrefix(line, " ") {
			continue
		}
		f := strings.Fields(line)
		s := &synset{}
		n, _ := strconv.ParseInt(f[3], 16, 32)
		at := 4
		for range n {
			word, _, _ := strings.Cut(f[at], "(")
			s.words = append(s.words, strings.ReplaceAll(word, "_", " "))
			at += 2
		}
		m, _ := strconv.Atoi(f[at])
		at++
		for range m {
			from, _ := strconv.ParseInt(f[at+3][:2], 16, 32)
			to, _ := strconv.ParseInt(f[at+3][2:], 16, 32)
			s.pointers = append(s.pointers, pointer{f[at], f[at+2] + f[at+1], int(from), int(to)})
			at += 4
		}
		wn.synsets[pos+f[0]] = s
	}
}

// readFrequencies returns how often each sense was tagged, by lemma, part of speech and number.
func readFrequencies(t *testing.T, path string) map[string]float64 {
	frequency := make(map[string]float64)
	for _, line := range readLines(t, path) {
		f := strings.Fields(line)
		lemma, rest, _ := strings.Cut(f[0], "%")
		n, _ := strconv.ParseFloat(f[2], 64)
		pos := map[byte]string{'1': "n", '2': "v", '3': "a", '4': "r", '5': "a"}[rest[0]]
		frequency[lemma+"%"+pos+f[1]] += n
	}
	return frequency
}

func (wn wordNet) readIndex(t *testing.T, path, pos string, frequency map[string]float64) {
	for _, line := range readLines(t, path) {
		if strings.HasPrefix(line, " ") {
			continue
		}
		f := strings.Fields(line)
		n, _ := strconv.Atoi(f[2])
		lemma := strings.ReplaceAll(f[0], "_", " ")
		if wn.share[lemma] == nil {
			wn.share[lemma] = make(map[string]float64)
		}
		for i, offset := range f[len(f)-n:] {
			wn.share[lemma][pos+offset] += unseenFrequency + frequency[f[0]+"%"+pos+strconv.Itoa(i+1)]
		}
	}
}

// isName reports whether a word is a name rather than a word: a capital that is no abbreviation's.
func isName(word string) bool { return word != strings.ToLower(word) && word != strings.ToUpper(word) }

func (wn wordNet) entries() map[string][]weighted {
	entries := make(map[string][]weighted)
	link := func(a, idA, b, idB string, share float64) {
		if isName(a) || isName(b) {
			return
		}
		la, lb := strings.ToLower(a), strings.ToLower(b)
		entries[la] = append(entries[la], weighted{b, share * math.Sqrt(wn.share[la][idA]*wn.share[lb][idB])})
	}
	for id, s := range wn.synsets {
		for _, a := range s.words {
			for _, b := range s.words {
				if a != b {
					link(a, id, b, id, synonymShare)
				}
			}
		}
		for _, p := range s.pointers {
			share := map[string]float64{"+": derivedShare, "\\": pertainymShare, "&": similarShare, "@": hypernymShare}[p.symbol]
			if share == 0 {
				continue
			}
			targetID := strings.Replace(p.target, "s", "a", 1)
			target := wn.synsets[targetID]
			for i, a := range s.words {
				for j, b := range target.words {
					if (p.from == 0 || p.from == i+1) && (p.to == 0 || p.to == j+1) {
						link(a, id, b, targetID, share)
						link(b, targetID, a, id, share)
					}
				}
			}
		}
	}
	return entries
}

var bracketed = regexp.MustCompile(`\s*\([^)]*\)`)

// readOpenThesaurus reads groups of synonyms. A word of several groups is worth less in each; broader terms are
// left out, and so is what is called vulgar.
func readOpenThesaurus(t *testing.T, path string) map[string][]weighted {
	t.Helper()
	groups := make(map[string][]string) // by their line
	for _, line := range readLines(t, path)[1:] {
		if !strings.HasPrefix(line, "-|") {
			continue
		}
		var words []string
		for _, entry := range strings.Split(line, "|")[1:] {
			if strings.Contains(entry, "Oberbegriff") || strings.Contains(entry, "Unterbegriff") || strings.Contains(entry, "derb") || strings.Contains(entry, "vulg") || strings.Contains(entry, "Antonym") {
				continue
			}
			if word := strings.TrimSpace(bracketed.ReplaceAllString(entry, "")); word != "" && !strings.Contains(word, "...") {
				words = append(words, word)
			}
		}
		slices.Sort(words)
		groups[strings.Join(slices.Compact(words), "|")] = slices.Compact(words)
	}
	senses := make(map[string]float64)
	for _, words := range groups {
		for _, word := range words {
			senses[strings.ToLower(word)]++
		}
	}
	return linkGroups(groups, senses, synonymShare)
}

// linkGroups makes the words of each group synonyms.
func linkGroups(groups map[string][]string, senses map[string]float64, share float64) map[string][]weighted {
	entries := make(map[string][]weighted)
	for _, words := range groups {
		for _, a := range words {
			for _, b := range words {
				if la, lb := strings.ToLower(a), strings.ToLower(b); la != lb {
					entries[la] = append(entries[la], weighted{b, share / math.Sqrt(senses[la]*senses[lb])})
				}
			}
		}
	}
	return entries
}

// readChineseWordNet reads the Chinese words of WordNet's meanings. Endings that make an adjective or adverb
// are left out.
func readChineseWordNet(t *testing.T, path string) map[string][]weighted {
	t.Helper()
	groups := make(map[string][]string)
	for _, line := range readLines(t, path) {
		f := strings.Split(line, "\t")
		if len(f) < 3 || !strings.HasSuffix(f[1], "lemma") {
			continue
		}
		word := strings.TrimSpace(strings.ReplaceAll(f[2], "+", ""))
		for _, ending := range []string{"的", "地"} {
			if short := strings.TrimSuffix(word, ending); len([]rune(short)) >= 2 {
				word = short
			}
		}
		if lexical.IsHan(word) && !slices.Contains(groups[f[0]], word) {
			groups[f[0]] = append(groups[f[0]], word)
		}
	}
	senses := make(map[string]float64)
	for _, words := range groups {
		for _, word := range words {
			senses[word]++
		}
	}
	return linkGroups(groups, senses, synonymShare)
}
