package report

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"time"

	"lacuna/handlers/messages"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/gap/ledger"
)

// GapList is what the sources lack for the notes of a workspace, for a team that shares the work.
type GapList struct {
	Name    string // of the workspace
	Made    time.Time
	Version string // of the program
	Topics  []Topic
}

// Topic holds gaps that ask for nearly the same.
type Topic struct {
	Name string
	Gaps []OpenGap
}

// OpenGap is one line of the list.
type OpenGap struct {
	ID       string // the same in every list, as long as the note, the question and the gap are
	Missing  string
	Question string
	Place    string // of the question: file and line
	Search   string // for what a source that closes it would be searched; may be empty
	Nearest  []string
	State    string
	Since    time.Time // when a model named it first; zero for one that judging the sources finds
	Owner    string    // as the team has it; empty until it says so
}

// ListGaps makes the list of clusters of open gaps. place names where the question of an item stands; owners are by [OpenGap.ID],
// and may be nil. Passages that are private are not named.
func ListGaps(clusters []ledger.Cluster, place func(ledger.Item) string, owners map[string]string) []Topic {
	var topics []Topic
	seen := map[string]int{}
	for _, c := range clusters {
		t := Topic{Name: messages.ClusterTitle(ledger.Cluster{Name: c.Name, Gaps: c.Gaps[:1]})}
		for _, item := range c.Gaps {
			g := messages.ShownGap(item.Gap)
			one := OpenGap{
				Missing: messages.UpperFirst(g.Text), Question: cmp.Or(item.Ref.Text, messages.ReportQuestionGone), Place: place(item),
				State: stateOf(g, item.Answered), Since: item.Since, Search: g.Query,
			}
			one.ID = gapID(one.Place, item)
			if seen[one.ID]++; seen[one.ID] > 1 { // two cells of a notebook ask the same
				one.ID = fmt.Sprintf("%s-%d", one.ID, seen[one.ID])
			}
			one.Owner = owners[one.ID]
			for _, p := range g.Nearest {
				if !p.Private {
					one.Nearest = append(one.Nearest, placeOf(p, p.Place))
				}
			}
			t.Gaps = append(t.Gaps, one)
		}
		topics = append(topics, t)
	}
	return topics
}

// gapID is of the file, the question and the gap, and not of the line, which moves.
func gapID(place string, item ledger.Item) string {
	file, _, _ := strings.Cut(place, ":")
	sum := sha256.Sum256([]byte(file + "\x00" + item.Ref.Question + "\x00" + item.Gap.ID))
	return hex.EncodeToString(sum[:5])
}

func stateOf(g gap.Gap, answered bool) string {
	state := messages.GapState(g, false)
	if g.Status == gap.Open || g.Status == "" {
		state = "Open; " + strings.ToLower(state)
	}
	if answered {
		state += messages.ReportAnswered
	}
	return state
}

// closes says what would close any gap.
const closes = "a source that answers the question"

// Closes says what would close the gap.
func (g OpenGap) Closes() string {
	text := messages.UpperFirst(closes)
	if g.Search != "" {
		text += "; search for: " + g.Search
	}
	return text
}

// Count returns the number of gaps.
func (l GapList) Count() int {
	n := 0
	for _, t := range l.Topics {
		n += len(t.Gaps)
	}
	return n
}

// gapColumns are the columns of the list as a table.
var gapColumns = []string{"id", "topic", "missing", "question", "where", "closes", "nearest", "state", "since", "owner"}

// WriteCSV writes the list as a table with a line of names. A cell that a program of tables would compute has an apostrophe before.
func (l GapList) WriteCSV(w io.Writer) error {
	table := csv.NewWriter(w)
	rows := [][]string{gapColumns}
	for _, t := range l.Topics {
		for _, g := range t.Gaps {
			since := ""
			if !g.Since.IsZero() {
				since = g.Since.Format(time.DateOnly)
			}
			row := []string{g.ID, t.Name, g.Missing, g.Question, g.Place, g.Closes(), strings.Join(g.Nearest, "; "), g.State, since, g.Owner}
			for i := range row {
				row[i] = cell(row[i])
			}
			rows = append(rows, row)
		}
	}
	return table.WriteAll(rows)
}

// computed are the signs with which a cell begins that a program of tables computes.
const computed = "=+-@"

func cell(text string) string {
	if text = visible(text); text != "" && strings.ContainsRune(computed, []rune(text)[0]) {
		return "'" + text
	}
	return text
}

// ReadOwners returns the owners in an earlier list that [GapList.WriteCSV] wrote and somebody filled in, by [OpenGap.ID]. The
// columns may have moved, and a program may have put semicolons or tabs between them.
func ReadOwners(content []byte) (map[string]string, error) {
	content = bytes.TrimPrefix(content, []byte("\xEF\xBB\xBF"))
	head, _, _ := bytes.Cut(content, []byte("\n"))
	table := csv.NewReader(bytes.NewReader(content))
	table.FieldsPerRecord, table.LazyQuotes = -1, true
	for _, comma := range ",;\t" {
		if bytes.ContainsRune(head, comma) {
			table.Comma = comma
			break
		}
	}
	rows, err := table.ReadAll()
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		rows = [][]string{nil}
	}
	id, owner := slices.Index(rows[0], "id"), slices.Index(rows[0], "owner")
	if id < 0 || owner < 0 {
		return nil, fmt.Errorf("its first line does not name the columns id and owner")
	}
	owners := map[string]string{}
	for _, row := range rows[1:] {
		if len(row) <= max(id, owner) {
			continue
		}
		name := visible(row[owner])
		if bare, quoted := strings.CutPrefix(name, "'"); quoted && bare != "" && strings.ContainsRune(computed, []rune(bare)[0]) {
			name = bare
		}
		if name != "" {
			owners[row[id]] = name
		}
	}
	return owners, nil
}

// WriteGitHub writes the list as Markdown for an issue: a task for each gap. All texts are in code, where GitHub, GitLab and Gitea
// make no links and mention nobody.
func (l GapList) WriteGitHub(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s in the sources of %s, %s\n", messages.Count(l.Count(), "gap"), code(l.Name), day(l.Made))
	for _, t := range l.Topics {
		if len(t.Gaps) > 1 {
			fmt.Fprintf(&b, "\n### %s (%s)\n", code(t.Name), messages.Count(len(t.Gaps), "question"))
		}
		b.WriteString("\n")
		for _, g := range t.Gaps {
			fmt.Fprintf(&b, "- [ ] %s\n", code(g.Missing))
			item := func(name, text string) { fmt.Fprintf(&b, "  - %s: %s\n", name, text) }
			item("asked", code(g.Question)+" in "+code(g.Place))
			closing := closes
			if g.Search != "" {
				closing += "; search for " + code(g.Search)
			}
			item("closed by", closing)
			if len(g.Nearest) > 0 {
				var places []string
				for _, n := range g.Nearest {
					places = append(places, code(n))
				}
				item("nearest", strings.Join(places, ", "))
			}
			state := g.State // our words
			if !g.Since.IsZero() {
				state += "; since " + day(g.Since)
			}
			item("state", state)
			owner := ""
			if g.Owner != "" {
				owner = code(g.Owner)
			}
			fmt.Fprintf(&b, "  - owner:%s\n", strings.TrimRight(" "+owner, " "))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// code returns a text as a span of code in Markdown, whatever it holds.
func code(text string) string {
	text = visible(text)
	longest, run := 0, 0
	for _, r := range text {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	if text == "" {
		return "–"
	}
	fence := strings.Repeat("`", longest+1)
	if longest > 0 || text[0] == ' ' {
		text = " " + text + " " // these two are not shown
	}
	return fence + text + fence
}

//go:embed gaps.tmpl
var gapsTemplate string

var gapsPage = template.Must(template.New("gaps").Funcs(functions).Parse(gapsTemplate))

// WriteHTML writes the list as one page, which holds all that it needs; the column of owners is empty where nobody is named, to be
// filled in on paper.
func (l GapList) WriteHTML(w io.Writer) error { return gapsPage.Execute(w, l) }
