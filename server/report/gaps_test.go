package report

import (
	"bytes"
	"encoding/csv"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"golang.org/x/net/html"

	"lacuna/knowledge/gap"
	"lacuna/knowledge/gap/ledger"
	"lacuna/knowledge/passage"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// gapList is a list with two gaps on one topic and one on another, all of whose texts are text.
func gapList(text string, owners map[string]string) GapList {
	since := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	item := func(question string, answered bool, since time.Time, status gap.Status, nearest ...*passage.Passage) ledger.Item {
		return ledger.Item{
			Ref: ledger.QuestionRef{Note: "/ws/note.md", Question: question, Text: text}, Answered: answered, Since: since, Line: 7,
			Gap: gap.Gap{ID: "missing-topic", Code: gap.MissingTopic, Text: text, Query: text, Status: status, Probability: .95, Nearest: nearest},
		}
	}
	at := func(record string, private bool) *passage.Passage {
		return &passage.Passage{Source: "kb", Record: record, Title: text, Private: private, Place: passage.Place{File: "/ws/kb/" + record, Line: 3}}
	}
	clusters := []ledger.Cluster{
		{Name: text, Gaps: []ledger.Item{item("a", false, since, gap.Open, at(text+".md", false), at("patient-muster.xml", true)), item("b", true, time.Time{}, gap.Generated)}},
		{Name: text, Gaps: []ledger.Item{item("c", false, time.Time{}, gap.Open)}},
	}
	place := func(i ledger.Item) string { return text + ".md:7" }
	return GapList{Name: text, Made: since.AddDate(0, 2, 0), Version: text, Topics: ListGaps(clusters, place, owners)}
}

func writeGaps(t testing.TB, write func(l GapList, b *bytes.Buffer) error, l GapList) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(l, &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func asGitHub(l GapList, b *bytes.Buffer) error { return l.WriteGitHub(b) }
func asCSV(l GapList, b *bytes.Buffer) error    { return l.WriteCSV(b) }
func asPage(l GapList, b *bytes.Buffer) error   { return l.WriteHTML(b) }

func TestGapLists(t *testing.T) {
	list := gapList("dose of `tirzepatide` for @octocat, see #12", nil)
	list.Topics[0].Gaps[0].Owner = "@ada"
	golden(t, "gaps.md", writeGaps(t, asGitHub, list))
	golden(t, "gaps.csv", writeGaps(t, asCSV, list))
	golden(t, "gaps.html", writeGaps(t, asPage, list))
	for name, write := range map[string]func(GapList, *bytes.Buffer) error{"github": asGitHub, "csv": asCSV, "html": asPage} {
		if text := writeGaps(t, write, list); strings.Contains(text, "muster") {
			t.Errorf("%s names a private file:\n%s", name, text)
		}
	}
}

// TestOwnersStay holds that owners go from one list to the next, whatever a program of tables made of it.
func TestOwnersStay(t *testing.T) {
	list := gapList("x", nil)
	list.Topics[0].Gaps[0].Owner, list.Topics[1].Gaps[0].Owner = "@ada", "two of us, in May"
	want := writeGaps(t, asCSV, list)
	for name, content := range map[string]string{
		"as written": want, "with a byte order mark": "\uFEFF" + want, "with line ends of Windows": strings.ReplaceAll(want, "\n", "\r\n"),
		"with semicolons": recode(t, want, ';'), "with tabs": recode(t, want, '\t'),
	} {
		owners, err := ReadOwners([]byte(content))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(want, writeGaps(t, asCSV, gapList("x", owners))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for _, content := range []string{"", "a,b\n1,2\n", "id;owners\n"} {
		if _, err := ReadOwners([]byte(content)); err == nil {
			t.Errorf("%q is a list", content)
		}
	}
}

func recode(t *testing.T, content string, comma rune) string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(content)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Comma = comma
	if err := w.WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// ours matches a text of a list outside of code: our words, counts and dates.
var ours = regexp.MustCompile(`^[A-Za-z0-9 ,;:—\[\]()–-]*$`)

// checkTasks reads a list as Markdown and holds that it has items, headings and code, and outside of code our words alone.
func checkTasks(t testing.TB, text string) {
	t.Helper()
	written := writeGaps(t, asGitHub, gapList(text, map[string]string{}))
	var page bytes.Buffer
	if err := goldmark.New(goldmark.WithExtensions(extension.GFM)).Convert([]byte(written), &page); err != nil {
		t.Fatal(err)
	}
	root, err := html.Parse(&page)
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		switch {
		case n.Type == html.CommentNode:
			t.Fatalf("%q makes a comment of\n%s", text, written)
		case n.Type == html.ElementNode:
			if !slices.Contains([]string{"html", "head", "body", "p", "h3", "ul", "li", "code", "input"}, n.Data) {
				t.Fatalf("%q makes an element %s of\n%s", text, n.Data, written)
			}
		case n.Type == html.TextNode && n.Parent.Data != "code":
			for line := range strings.Lines(n.Data) {
				if !ours.MatchString(strings.TrimSuffix(line, "\n")) {
					t.Fatalf("%q stands outside of code: %q in\n%s", text, line, written)
				}
			}
		}
	}
}

func FuzzGapLists(f *testing.F) {
	for _, text := range []string{hostile, "", "a", "`", "``", "` `", "`` ` ```", "@octocat #1 GH-1 org/repo#2 https://e.example :smile: $x$", "\\", "- [x] done\n# head", "=1+1", "@SUM(A1)", "\t=1", "-1", "'=1", `"quoted"`, "a;b,c\nd"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		checkTasks(t, text)
		list := gapList(text, nil)
		rows, err := csv.NewReader(strings.NewReader(writeGaps(t, asCSV, list))).ReadAll()
		if err != nil || len(rows) != 4 {
			t.Fatalf("%d rows, %v", len(rows), err)
		}
		for _, row := range rows {
			for _, cell := range row {
				if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
					t.Fatalf("a cell %q is computed", cell)
				}
			}
		}
		harmless := "word"
		if text == "" {
			harmless = ""
		}
		want, _ := structure(t, writeGaps(t, asPage, gapList(harmless, nil)))
		if got, _ := structure(t, writeGaps(t, asPage, list)); !slices.Equal(got, want) {
			t.Fatalf("%q changes what the page is made of: %s", text, cmp.Diff(want, got))
		}
	})
}
