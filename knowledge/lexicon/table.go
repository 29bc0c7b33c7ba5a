package lexicon

import (
	"bytes"
	"compress/flate"
	"embed"
	"encoding/binary"
	"errors"
	"io"
	"sort"
	"strings"
	"sync"
)

// Synonym is another way to say something.
type Synonym struct {
	// Terms are analysed words in a row; a text says the same if it has all of them.
	Terms []string
	// Weight says how nearly it means the same, in 0..1.
	Weight float64
}

// tables holds what TestTables makes of WordNet, OpenThesaurus and the Chinese Open Wordnet; NOTICE has their
// licences.
//
//go:embed *.table
var tables embed.FS

// table maps phrases to synonyms. Its lines are sorted and compressed in blocks, of which a block is
// decompressed when a phrase that it may have is first looked up.
type table struct {
	blocks []block
}

// block is a run of lines: a phrase, a tab, and its synonyms with tabs between, each a digit for tenths of its
// weight and its terms.
type block struct {
	first string // phrase
	lines func() string
}

// open returns a table of the program; it is checked by a test, so that a failure is a fault of the build.
func open(name string) func() *table {
	return sync.OnceValue(func() *table {
		data, err := tables.ReadFile(name)
		if err != nil {
			panic("lexicon: " + err.Error())
		}
		t, err := readTable(data)
		if err != nil {
			panic("lexicon: " + name + ": " + err.Error())
		}
		return t
	})
}

var errTable = errors.New("not a table of synonyms")

// readTable reads what writeTable wrote: for each block the length of its first phrase and of its compressed
// lines, 32 bits each, and both.
func readTable(data []byte) (*table, error) {
	t := &table{}
	for len(data) > 0 {
		if len(data) < 8 {
			return nil, errTable
		}
		first, size := int(binary.LittleEndian.Uint32(data)), int(binary.LittleEndian.Uint32(data[4:]))
		data = data[8:]
		if first > len(data) || size > len(data)-first {
			return nil, errTable
		}
		packed := data[first : first+size]
		t.blocks = append(t.blocks, block{string(data[:first]), sync.OnceValue(func() string {
			lines, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
			if err != nil {
				panic("lexicon: " + err.Error())
			}
			return string(lines)
		})})
		data = data[first+size:]
	}
	return t, nil
}

// synonyms returns what the table has for a phrase.
func (t *table) synonyms(phrase string) []Synonym {
	at := sort.Search(len(t.blocks), func(i int) bool { return t.blocks[i].first > phrase }) - 1
	if at < 0 {
		return nil
	}
	lines := t.blocks[at].lines()
	start := 0
	if !strings.HasPrefix(lines, phrase+"\t") {
		if start = strings.Index(lines, "\n"+phrase+"\t") + 1; start == 0 {
			return nil
		}
	}
	line, _, _ := strings.Cut(lines[start+len(phrase)+1:], "\n")
	var found []Synonym
	for entry := range strings.SplitSeq(line, "\t") {
		if len(entry) > 1 {
			found = append(found, Synonym{strings.Fields(entry[1:]), float64(entry[0]-'0') / 10})
		}
	}
	return found
}
