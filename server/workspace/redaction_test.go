package workspace

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
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
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/llm/llmtest"
	"lacuna/knowledge/par"
	"lacuna/knowledge/redact"
	"lacuna/knowledge/redact/redacttest"
)

var update = flag.Bool("update", false, "write the golden file")

// labelledNote is an invented note with its identifiers.
type labelledNote struct {
	ID, Lang, Hand, Kind, Text string
	Spans                      []identifier
}

// identifier is a part of a note that identifies a person. Places count in characters in the file, and in
// bytes once it is read.
type identifier struct {
	Start, End int
	Text       string
	Class      string // NAME, DATE, ID, CONTACT, PLACE or AGE
	lang       string // of its note
}

// yearAlone matches a date that is no more exact than a year, which identifies nobody.
var yearAlone = regexp.MustCompile(`^(?:(?:19|20)\d\d|'\d\d)$`)

// readLabelled reads notes from a file of JSON Lines.
func readLabelled(t *testing.T, name string) []labelledNote {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var notes []labelledNote
	scanner := bufio.NewScanner(file)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		var n labelledNote
		if err := json.Unmarshal(scanner.Bytes(), &n); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var at []int // the byte of each character
		for i := range n.Text {
			at = append(at, i)
		}
		at = append(at, len(n.Text))
		n.Spans = slices.DeleteFunc(n.Spans, func(s identifier) bool { return s.Class == "DATE" && yearAlone.MatchString(s.Text) })
		for i, s := range n.Spans {
			n.Spans[i].Start, n.Spans[i].End, n.Spans[i].lang = at[s.Start], at[s.End], n.Lang
			if n.Text[at[s.Start]:at[s.End]] != s.Text {
				t.Fatalf("%s: note %s has no %q at %d", name, n.ID, s.Text, s.Start)
			}
		}
		notes = append(notes, n)
	}
	if err := scanner.Err(); err != nil || len(notes) == 0 {
		t.Fatalf("%s: %d notes, %v", name, len(notes), err)
	}
	return notes
}

// honorific matches what may stay of a name: a title, which names nobody.
var honorific = regexp.MustCompile(`^(?i:mr|mrs|ms|miss|mx|dr|prof|professor|doctor|sister|sr|nurse|herrn?|frau|señora?|sra?|dra|don|doña)\.?\s+|['’]s$`)

// article matches what may stay of a date, and tells nothing.
var article = regexp.MustCompile(`^(?i:the|el|los|den|der)\s+`)

// isReplaced reports whether all letters and digits of an identifier are in spans that were replaced.
func isReplaced(text string, id identifier, spans []redact.Span) bool {
	start, end := id.Start, id.End
	switch id.Class {
	case "DATE":
		start += len(article.FindString(text[start:end]))
	case "NAME":
		for {
			at := honorific.FindStringIndex(text[start:end])
			switch {
			case at == nil:
			case at[0] == 0:
				start += at[1]
				continue
			default:
				end = start + at[0]
				continue
			}
			break
		}
	}
	for i, r := range text[start:end] {
		if (unicode.IsLetter(r) || unicode.IsDigit(r)) && !slices.ContainsFunc(spans, func(s redact.Span) bool { return s.Start <= start+i && start+i < s.End }) {
			return false
		}
	}
	return true
}

// tally counts what was found.
type tally struct {
	found, n map[string]int // identifiers by class, and by class and language
	words    int            // outside identifiers
	wrong    int            // words replaced that are in no identifier
	harmed   int            // wrong replacements that hold or touch a drug, a dose or a laboratory value
	scores   int            // those that hold or touch two other numbers, such as a score
	errors   bytes.Buffer
}

func newTally() *tally { return &tally{found: map[string]int{}, n: map[string]int{}} }

// count compares what was replaced in a text with its identifiers.
func (c *tally) count(n labelledNote, ids []identifier, spans []redact.Span) {
	for _, id := range ids {
		is := isReplaced(n.Text, id, spans)
		for _, key := range []string{id.Class, id.Class + " " + id.lang} {
			c.n[key]++
			if is {
				c.found[key]++
			}
		}
		if !is {
			fmt.Fprintf(&c.errors, "%s missed %s %q in %q\n", n.ID, id.Class, id.Text, around(n.Text, id.Start, id.End))
		}
	}
	c.words += countWords(n.Text)
	for _, s := range spans {
		if !slices.ContainsFunc(n.Spans, func(id identifier) bool { return s.Start < id.End && id.Start < s.End }) {
			c.wrong += countWords(n.Text[s.Start:s.End])
			harm := ""
			switch redacttest.HarmOf(n.Text, s.Start, s.End) {
			case redacttest.Treatment:
				c.harmed++
				harm = " HARM"
			case redacttest.Score:
				c.scores++
				harm = " score"
			}
			fmt.Fprintf(&c.errors, "%s wrong%s %s %q in %q\n", n.ID, harm, s.Class, n.Text[s.Start:s.End], around(n.Text, s.Start, s.End))
		}
	}
}

func countWords(text string) int {
	n, in := 0, false
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Han, r):
			n++
			in = false
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if !in {
				n++
			}
			in = true
		case r == '\'' || r == '-' || r == '’' || r == '.':
		default:
			in = false
		}
	}
	return n
}

// around returns a part of a text with a little of what stands next to it.
func around(text string, start, end int) string {
	from, to := max(start-24, 0), min(end+24, len(text))
	for !utf8.RuneStart(text[from]) {
		from--
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	return text[from:to]
}

// String is the table.
func (c *tally) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "| class | n | replaced whole | 95 %% interval | by language |\n|---|---|---|---|---|\n")
	for _, key := range slices.Sorted(maps.Keys(c.n)) {
		if strings.Contains(key, " ") {
			continue
		}
		var languages []string
		for _, other := range slices.Sorted(maps.Keys(c.n)) {
			if lang, ok := strings.CutPrefix(other, key+" "); ok {
				languages = append(languages, fmt.Sprintf("%s %d of %d", lang, c.found[other], c.n[other]))
			}
		}
		low, high := wilson(c.found[key], c.n[key])
		fmt.Fprintf(&b, "| %s | %d | %.3f | [%.3f, %.3f] | %s |\n", key, c.n[key], float64(c.found[key])/float64(c.n[key]), low, high, strings.Join(languages, ", "))
	}
	fmt.Fprintf(&b, "\nReplaced without need: %d of %d words (%.1f in 1,000); %d times a drug, a dose or a value, and %d times two other numbers, such as a score of 3/5.\n", c.wrong, c.words, 1000*float64(c.wrong)/float64(c.words), c.harmed, c.scores)
	return b.String()
}

// wilson is the score interval of a share.
func wilson(hits, n int) (low, high float64) {
	const z = 1.96
	p, m := float64(hits)/float64(n), float64(n)
	mid := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return max(mid-half, 0), min(mid+half, 1)
}

// The tagger of package redact is trained on the notes of fitted. Those of held are there to judge, those of dense, which are full of
// doses and values, those of trades, which the people of sixteen trades wrote, and those of hard, of which half are hard on purpose: never
// look at them, or at what is missed in them.
const (
	fitted = "testdata/redaction.jsonl"
	held   = "testdata/redaction-held.jsonl"
	dense  = "testdata/redaction-dense.jsonl"
	trades = "testdata/redaction-trades.jsonl"
	hard   = "testdata/redaction-hard.jsonl"
)

// judges returns the notes that judge, and whether they are held ones; while there are none, those of fitted.
func judges() (file string, isHeld bool) {
	if _, err := os.Stat(held); err != nil {
		return fitted, false
	}
	return held, true
}

// TestRedactionAsShipped measures what the shipped settings replace in invented notes that others than the authors of
// the rules wrote: in the notes themselves, and in whole requests as an endpoint gets them. The golden file is the tables
// of docs/privacy.md, of which only the first is made unless LACUNA_LONG is set. LACUNA_REDACTION names another file of notes,
// whose table is only printed; LACUNA_REDACTION_ERRORS names a file for each error there.
func TestRedactionAsShipped(t *testing.T) {
	if file := os.Getenv("LACUNA_REDACTION"); file != "" {
		notes, requests := inNotes(t, file), inRequests(t, file)
		t.Logf("\n%s\nIn whole requests:\n\n%s", notes, requests)
		if name := os.Getenv("LACUNA_REDACTION_ERRORS"); name != "" {
			if err := os.WriteFile(name, slices.Concat(notes.errors.Bytes(), []byte("\nin requests\n"), requests.errors.Bytes()), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	table := ""
	if _, is := judges(); is {
		table = fmt.Sprintf("%d notes that nobody looked at and that the tagger was not trained on:\n\n%s\n", len(readLabelled(t, held)), inNotes(t, held))
	}
	whole := *update || os.Getenv("LACUNA_LONG") != "" || table == ""
	if whole {
		if table != "" {
			table += fmt.Sprintf("The same in whole requests as the endpoint got them (n counts each time that an identifier would have left):\n\n%s\n", inRequests(t, held))
			table += fmt.Sprintf("%d notes that are full of doses and values, in whole requests; nobody looked at them, but at others of their fifteen hands:\n\n%s\n", len(readLabelled(t, dense)), inRequests(t, dense))
			table += fmt.Sprintf("%d notes of sixteen trades, each in the forms of its own; nobody looked at them, but at others of their hands:\n\n%s\n", len(readLabelled(t, trades)), inNotes(t, trades))
			table += fmt.Sprintf("%d notes of an auditor, half of them hard on purpose, that nobody looked at either:\n\n%s\n", len(readLabelled(t, hard)), inNotes(t, hard))
		}
		table += fmt.Sprintf("The %d notes that the tagger was trained on, and that its lists of names of drugs, devices and persons were completed from:\n\n%s", len(readLabelled(t, fitted)), inNotes(t, fitted))
	}
	const golden = "testdata/redaction.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(table), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(want), table) || whole && table != string(want) {
		t.Errorf("the table has changed; look at it, then run with -update:\n%s", table)
	}
}

// inNotes counts what is replaced in each note of a file.
func inNotes(t *testing.T, file string) *tally {
	count, notes := newTally(), readLabelled(t, file)
	spans := par.Gather(len(notes), func(i int) ([]redact.Span, bool) {
		return redact.Messages([]string{notes[i].Text}, redact.Options{}).Spans[0], true
	})
	for i, n := range notes {
		count.count(n, n.Spans, spans[i])
	}
	return count
}

// inRequests asks about every fourth note of a file, with all of them as sources, and counts what is replaced in what
// leaves.
func inRequests(t *testing.T, file string) *tally {
	notes, count := readLabelled(t, file), newTally()
	files := map[string]string{}
	for _, n := range notes {
		files["kb/"+n.ID+".txt"] = n.Text
	}
	server := llmtest.New(t, llmtest.Obliging())
	remote := elsewhere + "proxy = \"" + server.Root() + "\"\n[privacy]\nkeep_replies = 0\n"
	index := t.TempDir() // both find the same passages
	sent := func(w *Workspace) [][]string {
		before := len(server.Calls())
		for i, n := range notes {
			if i%4 == 0 {
				first, _, _ := strings.Cut(strings.TrimSpace(n.Text), "\n")
				ask(t, w, answer.Request{System: "std-rag/merged"}, "What is recorded of this: "+first+"?")
			}
		}
		var all [][]string
		for _, call := range server.Calls()[before:] {
			var body struct{ Messages []struct{ Content string } }
			if err := json.Unmarshal(call.Body, &body); err != nil {
				t.Fatal(err)
			}
			var texts []string
			for _, m := range body.Messages {
				texts = append(texts, m.Content)
			}
			all = append(all, texts)
		}
		return all
	}
	root := folder(t, files)
	w := openedOn(t, root, index, remote+"redact = \"off\"\n")
	plain := sent(w)
	w.Close()
	w = openedOn(t, root, index, remote)
	left := sent(w)
	if len(plain) == 0 || len(plain) != len(left) {
		t.Fatalf("%d requests, %d without redaction", len(left), len(plain))
	}
	other := 0
	for i := range plain {
		r := redact.Messages(plain[i], w.redaction(plain[i], originsIn(w.Library(), plain[i][len(plain[i])-1])))
		if !slices.Equal(withoutCode(r.Messages), withoutCode(left[i])) {
			if slices.Equal(titles.FindAllString(plain[i][len(plain[i])-1], -1), titles.FindAllString(left[i][len(left[i])-1], -1)) {
				t.Errorf("request %d: what left is not what the redaction returns", i) // the text of a held note is not shown
			}
			other++ // of passages that are equally near, either may be found
			continue
		}
		for j, text := range plain[i] {
			n := labelledNote{ID: "request " + strconv.Itoa(i), Text: text, Spans: findIdentifiers(text, notes)}
			count.count(n, n.Spans, r.Spans[j])
		}
	}
	if other > len(plain)/5 {
		t.Errorf("%d of %d requests have other passages", other, len(plain))
	}
	return count
}

// TestWhatLeavesIsJudgedWhereItStands: a prompt has a chart on one line and a question without its note; what identifies people
// there is known from the document and from the note, of which nothing else leaves.
func TestWhatLeavesIsJudgedWhereItStands(t *testing.T) {
	chart := "# Fluid balance\n\nTime  in  out  by\n0600  120  90  KB\n0700  80  40  KB\n0800  60  75  JN\n0900  60  80  JN\n\nKB = Karen Bell, JN = Joy Nash\n"
	server := llmtest.New(t, llmtest.Obliging())
	w := openedOn(t, folder(t, map[string]string{"kb/chart.txt": chart}), t.TempDir(), elsewhere+"proxy = \""+server.Root()+"\"\n[privacy]\nkeep_replies = 0\n")
	strategy, err := w.Strategy(answer.Request{System: "std-rag/merged"})
	if err != nil {
		t.Fatal(err)
	}
	question := answer.Question{
		Text: "What was the fluid balance of Mayfield at 0800?",
		Note: "Patient: Anna Mayfield, MRN 55-10291\n\nWhat was the fluid balance of Mayfield at 0800?\n\nHer cat is called Tibbles.\n",
	}
	if _, err := strategy.Answer(t.Context(), w.Library(), question); err != nil {
		t.Fatal(err)
	}
	if len(server.Calls()) == 0 {
		t.Fatal("nothing was sent")
	}
	for _, call := range server.Calls() {
		body := string(call.Body)
		for _, left := range []string{"KB", "JN", "Bell", "Nash", "Mayfield", "55-10291", "Tibbles", "Her cat"} {
			if strings.Contains(body, left) {
				t.Errorf("%s left in %s", left, body)
			}
		}
		for _, kept := range []string{"0800", "60", "75", "fluid balance"} {
			if !strings.Contains(body, kept) {
				t.Errorf("%s did not leave in %s", kept, body)
			}
		}
	}
}

// originsIn returns the surroundings of the passages of a prompt; of a document whose passages it cannot tell, of all.
func originsIn(library *knowledge.Library, prompt string) []string {
	var all []string
	dense := func(text string) string { return strings.Join(strings.Fields(text), "") }
	in := dense(prompt)
	for _, title := range titles.FindAllString(prompt, -1) {
		var known, other []string
		for i, p := range library.Passages() {
			if title != "(Title: "+p.Title {
				continue
			}
			around, text := library.Surroundings(&knowledge.Hit{Passage: p, Ordinal: i}, 1500), dense(p.Text)
			if other = append(other, around); strings.Contains(in, text[:min(len(text), 80)]) {
				known = append(known, around)
			}
		}
		if len(known) == 0 {
			known = other
		}
		all = append(all, known...)
	}
	return all
}

// titles matches what names the passages of a request.
var titles = regexp.MustCompile(`\(Title: [a-z]+\d+\b`)

// delimiter matches the code of a prompt's data, which is another in each request.
var delimiter = regexp.MustCompile(`<<<data [a-z]+|[a-z]+ data>>>`)

func withoutCode(messages []string) []string {
	var all []string
	for _, m := range messages {
		all = append(all, delimiter.ReplaceAllString(m, "data"))
	}
	return all
}

// findIdentifiers returns where a text that was made of notes holds their identifiers, whatever the white space in them
// and around them has become. A short one counts only with what stands around it in its note.
func findIdentifiers(text string, notes []labelledNote) []identifier {
	var found []identifier
	flat, at := flatten(text)
	for _, n := range notes {
		note, _ := flatten(n.Text)
		for _, id := range n.Spans {
			identified, _ := flatten(id.Text)
			before, _ := flatten(n.Text[:id.Start])
			behind := note[min(len(note), len(before)+len(identified)):]
			for from := 0; ; {
				start := strings.Index(flat[from:], identified)
				if start < 0 {
					break
				}
				start += from
				from = start + len(identified)
				if sharedBefore(flat[:start], before)+sharedBehind(flat[from:], behind) >= 8 && !slices.ContainsFunc(found, func(o identifier) bool { return o.Start < at[from-1]+1 && at[start] < o.End }) {
					found = append(found, identifier{at[start], at[from-1] + 1, id.Text, id.Class, n.Lang})
				}
			}
		}
	}
	return found
}

// flatten writes each white space as one space, and returns for each byte where it stands in the text.
func flatten(text string) (flat string, at []int) {
	var b strings.Builder
	spaced := false
	for i, r := range text {
		space := unicode.IsSpace(r)
		switch {
		case !space:
			b.WriteRune(r)
			for k := range utf8.RuneLen(r) {
				at = append(at, i+k)
			}
		case !spaced:
			b.WriteByte(' ')
			at = append(at, i)
		}
		spaced = space
	}
	return b.String(), at
}

func sharedBefore(a, b string) int {
	n := 0
	for n < 8 && n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

func sharedBehind(a, b string) int {
	n := 0
	for n < 8 && n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// openedOn opens and fills the workspace of a folder with an index at a place of its own, whose user may send to every
// machine.
func openedOn(t *testing.T, root, index, userFile string) *Workspace {
	t.Helper()
	user := filepath.Join(t.TempDir(), "user.toml")
	if err := os.WriteFile(user, []byte(userFile), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := Open(t.Context(), Request{
		Root: root, UserFile: user, Flags: map[string]string{"index.dir": index},
		Consent: func(context.Context, llm.Outbound) (bool, error) { return true, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	if err := w.Refresh(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return w
}

// TestStrictSendsNoNote: in strict mode no note with an identifier leaves whole. Its lines, each a request without
// context, may; how many do is logged. Every second note is tried, and the lines of every twelfth; all with LACUNA_LONG.
func TestStrictSendsNoNote(t *testing.T) {
	w := opened(t, "[privacy]\nredact = \"strict\"\n"+elsewhere, nil)
	lines, sent, held := 0, 0, 0
	file, _ := judges()
	for i, n := range readLabelled(t, file) {
		if i%2 != 0 && os.Getenv("LACUNA_LONG") == "" {
			continue
		}
		if _, err := w.redact([]string{n.Text}, nil); err == nil && len(n.Spans) > 0 {
			t.Errorf("note %s was sent", n.ID) // without its text: nobody looks at these notes
		}
		if i%12 != 0 && os.Getenv("LACUNA_LONG") == "" {
			continue
		}
		start := 0
		for line := range strings.SplitAfterSeq(n.Text, "\n") {
			end := start + len(line)
			if strings.TrimSpace(line) != "" {
				lines++
				if r, err := w.redact([]string{line}, nil); err == nil {
					sent++
					for _, id := range n.Spans {
						if start <= id.Start && id.End <= end && strings.Contains(r.Messages[0], id.Text) {
							held++
						}
					}
				}
			}
			start = end
		}
	}
	t.Logf("%d of %d lines were sent, with %d identifiers", sent, lines, held)
}
