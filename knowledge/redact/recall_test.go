package redact

import (
	"bufio"
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden file")

var mark = regexp.MustCompile(`\{([A-Z]+):([^}]*)\}`)

// marked is a line of the notes with the identifiers that stand in it.
type marked struct {
	text string
	ids  []hit
}

func readMarked(line string) marked {
	var m marked
	last := 0
	for _, at := range mark.FindAllStringSubmatchIndex(line, -1) {
		m.text += line[last:at[0]]
		start := len(m.text)
		m.text += line[at[4]:at[5]]
		m.ids = append(m.ids, hit{class: Class(line[at[2]:at[3]]), start: start, end: len(m.text)})
		last = at[1]
	}
	m.text += line[last:]
	return m
}

// TestRecall counts, class by class, how many identifiers of the synthetic notes are replaced
// whole, and what is replaced in clinical text that has none. The golden file is the published table;
// those who wrote the notes also wrote the rules, so real notes will fare worse.
func TestRecall(t *testing.T) {
	data, err := os.ReadFile("testdata/notes.txt")
	if err != nil {
		t.Fatal(err)
	}
	var notes []string
	var ids []marked
	var report bytes.Buffer
	clean, vain := 0, 0
	scanner := bufio.NewScanner(bytes.NewReader(data))
	for scanner.Scan() {
		line := scanner.Text()
		switch {
		case strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "- "):
			clean += len(strings.Fields(line)) - 1
			for _, h := range find([]string{line[2:]}, Options{})[0] {
				vain++
				fmt.Fprintf(&report, "in vain: %s %q (%s) in %q\n", h.class, line[2:][h.start:h.end], h.rule, line[2:])
			}
		default:
			m := readMarked(line)
			notes, ids = append(notes, m.text), append(ids, m)
		}
	}
	// The whole note, as one request: names announced in one line are known in the others.
	text := strings.Join(notes, "\n")
	found := find([]string{text}, Options{})[0]
	total, caught := make(map[Class]int), make(map[Class]int)
	offset := 0
	for _, m := range ids {
		for _, id := range m.ids {
			total[id.class]++
			if covered(found, offset+id.start, offset+id.end, m.text[id.start:id.end]) {
				caught[id.class]++
			} else {
				fmt.Fprintf(&report, "missed: %s %q in %q\n", id.class, m.text[id.start:id.end], m.text)
			}
		}
		offset += len(m.text) + 1
	}
	var table bytes.Buffer
	fmt.Fprintf(&table, "%-8s %4s  %6s  %s\n", "class", "n", "recall", "95 % interval")
	for _, class := range slices.SortedFunc(maps.Keys(total), func(a, b Class) int { return cmp.Compare(a, b) }) {
		low, high := wilson(caught[class], total[class])
		fmt.Fprintf(&table, "%-8s %4d  %6.3f  [%.3f, %.3f]\n", class, total[class], float64(caught[class])/float64(total[class]), low, high)
	}
	fmt.Fprintf(&table, "\nreplaced in vain: %d in %d words of clinical text\n\n", vain, clean)
	table.Write(report.Bytes())
	const golden = "testdata/recall.golden"
	if *update {
		if err := os.WriteFile(golden, table.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got := table.String(); got != string(want) {
		t.Errorf("the table has changed; look at it, then run with -update:\n%s", got)
	}
	for _, class := range []Class{Phone, Email, SSN, Record, URL, IP, Date} {
		if float64(caught[class]) < .99*float64(total[class]) {
			t.Errorf("%s: %d of %d", class, caught[class], total[class])
		}
	}
}

// covered reports that all letters and digits of an identifier are replaced; a title before a name
// may stay.
func covered(found []hit, start, end int, id string) bool {
	for _, title := range []string{"Mr ", "Mrs ", "Dr ", "Prof "} {
		if strings.HasPrefix(id, title) {
			start += len(title)
		}
	}
	return slices.ContainsFunc(found, func(h hit) bool { return h.start <= start && end <= h.end })
}

// wilson is the score interval of a share.
func wilson(hits, n int) (low, high float64) {
	const z = 1.96
	p, m := float64(hits)/float64(n), float64(n)
	mid := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return max(mid-half, 0), min(mid+half, 1)
}

// FuzzMessages: whatever the text, restoring gives it back and no placeholder splits a character.
func FuzzMessages(f *testing.F) {
	f.Add("Mr Berg was seen on 3 March 2024.", "anna@example.org")
	f.Add("姓名：王小明", "[NAME-1] 1.1.1.1")
	f.Fuzz(func(t *testing.T, a, b string) {
		r := Messages([]string{a, b}, Options{})
		for i, text := range []string{a, b} {
			if mayCollide(text) {
				continue
			}
			if got := r.Restore(r.Messages[i]); got != text {
				t.Errorf("%q became %q, restored %q", text, r.Messages[i], got)
			}
		}
	})
}

// mayCollide: a text that holds a placeholder of its own cannot be told from a replaced one.
func mayCollide(text string) bool {
	return placeholderPattern.MatchString(text) || strings.Contains(text, "[")
}
