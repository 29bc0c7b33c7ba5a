package ingest

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lacuna/knowledge/passage"
)

// folder writes files and returns where. A name that ends in .gz is compressed.
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		write(t, filepath.Join(dir, name), content)
	}
	return dir
}

func write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	data := []byte(content)
	if strings.HasSuffix(path, ".gz") {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := z.Write(data); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		data = b.Bytes()
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// read reads sources and checks that no reader failed and what must hold of every passage, above all
// that its place on disk holds its text.
func read(t testing.TB, sources ...Source) []File {
	t.Helper()
	files, err := Read(context.Background(), DefaultLimits(), sources, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		checkFile(t, f)
	}
	return files
}

func checkFile(t testing.TB, f File) {
	t.Helper()
	if strings.Contains(f.Reason, readerFault) {
		t.Errorf("%s: %s", f.File, f.Reason)
	}
	if f.FileReport.Passages != len(f.Passages) {
		t.Errorf("%s: the report says %d passages, there are %d", f.File, f.FileReport.Passages, len(f.Passages))
	}
	if f.State != Indexed && (len(f.Passages) > 0 || f.Reason == "") {
		t.Errorf("%s: %s with %d passages and reason %q", f.File, f.State, len(f.Passages), f.Reason)
	}
	places := make([]passage.Place, len(f.Passages))
	for i, p := range f.Passages {
		places[i] = p.Place
	}
	for i, r := range ResolveAll(places) {
		p := f.Passages[i]
		if r.Err != nil || r.Text != p.Text {
			t.Errorf("%s: place %+v holds %q, %v; the passage says %q", f.File, p.Place, r.Text, r.Err, p.Text)
		}
		if p.Document == "" || p.Record == "" || p.Source == "" || p.Kind == "" || p.Format == "" || p.Place.Line < 1 {
			t.Errorf("%s: incomplete passage %+v", f.File, p)
		}
		last := passage.Mark{Offset: -1}
		for _, m := range p.Marks {
			if m.Offset <= last.Offset || int(m.Offset) > len(p.Text) || m.Line < 1 {
				t.Errorf("%s: marks %v of %d bytes", f.File, p.Marks, len(p.Text))
			}
			last = m
		}
		if m := measureOf(p.Text); p.Kind == passage.Text && m.count(p.Text) > m.max {
			t.Errorf("%s: a passage of size %d", f.File, m.count(p.Text))
		}
	}
}

// listing writes files and passages as a person would want to read them.
func listing(dir string, files []File) string {
	var b strings.Builder
	for _, f := range files {
		name, _ := filepath.Rel(dir, f.File)
		fmt.Fprintf(&b, "%s %s", filepath.ToSlash(name), f.State)
		if f.Reason != "" {
			fmt.Fprintf(&b, " %d: %s", f.Line, f.Reason)
		}
		if f.Hidden > 0 {
			fmt.Fprintf(&b, " hidden %d", f.Hidden)
		}
		b.WriteByte('\n')
		for _, p := range f.Passages {
			fmt.Fprintf(&b, "  %d %s|%s|%s: %q", p.Place.Line, p.Record, p.Title, strings.Join(p.Headings, "/"), p.Text)
			if p.Kind == passage.QA {
				fmt.Fprintf(&b, " to %q also %q", p.Question, p.Also)
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func TestDocuments(t *testing.T) {
	tests := []struct{ name, file, content, want string }{
		{"empty", "a.md", "", "a.md skipped 0: no text\n"},
		{"plain text", "dose chart.txt", "One here. Two.\n\nThree.\n",
			"dose chart.txt indexed\n  1 dose chart.txt|dose chart|: \"One here. Two.\\n\\nThree.\"\n"},
		{"headings", "a.md", "Before.\n\n# The *Title*\n\nIntro.\n\n## Dose {#dose}\n\nFive.\n\n### Renal ###\n- Two.\n- One.\n\nUse\n---\nDaily.\n",
			`a.md indexed
  1 a.md|The Title|: "Before."
  5 a.md|The Title|: "Intro."
  9 a.md|The Title|Dose: "Five."
  12 a.md|The Title|Dose/Renal: "- Two.\n- One."
  17 a.md|The Title|Use: "Daily."
`},
		{"front matter", "a.md", "---\ntitle: \"From front\"\nlacuna: private\nnote: A sentence.\n---\nText.\n",
			"a.md indexed\n  6 a.md|From front|: \"Text.\"\n"},
		{"TOML front matter", "a.md", "+++\r\ntitle = 'T'\r\n+++\r\nText.\r\nMore\r\n", "a.md indexed\n  4 a.md|T|: \"Text.\\r\\nMore\"\n"},
		{"open front matter is text", "a.md", "---\ntitle: x\n", "a.md indexed\n  2 a.md|a|: \"title: x\"\n"},
		{"byte order mark", "a.md", "\uFEFF# T\nText.", "a.md indexed\n  2 a.md|T|: \"Text.\"\n"},
		{"carriage returns alone", "a.md", "# T\r\rOne.\rTwo.\r\r## S\r\rThree.\r", "a.md indexed\n  3 a.md|T|: \"One.\\rTwo.\"\n  8 a.md|T|S: \"Three.\"\n"},
		{"carriage returns alone in text", "a.txt", "One.\r\rTwo \xff.\rThree.", "a.txt indexed 3: not UTF-8; the sentence is left out\n  1 a.txt|a|: \"One.\"\n  4 a.txt|a|: \"Three.\"\n"},
		{"second title", "a.md", "# A\nOne.\n# B\nTwo.\n", "a.md indexed\n  2 a.md|A|: \"One.\"\n  4 a.md|A|B: \"Two.\"\n"},
		{"comment parts passages", "a.md", "One. <!-- say yes --> Two.\n\n<!-- lacuna: off -->\n", "a.md indexed hidden 1\n  1 a.md|a|: \"One.\"\n  1 a.md|a|: \"Two.\"\n"},
		{"code belongs to its section", "a.md", "Run:\n\n```sh\nmake. All\n```\n\nDone.\n\n    indented code\n", "a.md indexed\n" +
			"  1 a.md|a|: \"Run:\\n\\n```sh\\nmake. All\\n```\\n\\nDone.\\n\\n    indented code\"\n"},
		{"heading in code and quote", "a.md", "```\n# no\n```\n> # quoted\n> text\n", "a.md indexed\n  1 a.md|a|: \"```\\n# no\\n```\\n> # quoted\\n> text\"\n"},
		{"table", "a.md", "| a | b |\n|---|---|\n| 1 | 2 |\n", "a.md indexed\n  1 a.md|a|: \"| a | b |\\n|---|---|\\n| 1 | 2 |\"\n"},
		{"scripts", "a.md", "One.\n\n<script>\nalert. Now\n</script>\n\nTwo. <b hidden>x</b>\n", "a.md indexed hidden 2\n  1 a.md|a|: \"One.\"\n  7 a.md|a|: \"Two. <b hidden>x</b>\"\n"},
		{"Lacuna's own answers", "a.md", "What? One.\n\n<!-- lacuna:answer 12-1 -->\nAnswered\n\n- \"Quoted.\" [1]\n\n<!-- lacuna:end -->\n\nTwo.\n\n<!-- lacuna: off -->\nThree.\n",
			"a.md indexed\n  1 a.md|a|: \"What? One.\"\n  10 a.md|a|: \"Two.\"\n"},
		{"lean answers", "a.md", "What? One.\n\n<!-- lacuna 0e163eec -->\n- \"Quoted.\" [a](b.md#L1)\n\nTwo.\n\n- Three.\n\nWhy? Four.\n\n<!-- lacuna 0e163eec-2 -->\n**Nothing on x. Nearest places:**\n\n- A: \"Quoted.\" [a](b.md#L1)\n\nMissing knowledge: x.\n\n1. [a](b.md): \"Quoted.\"\n\nFive.\n",
			"a.md indexed\n  1 a.md|a|: \"What? One.\"\n  6 a.md|a|: \"Two.\\n\\n- Three.\\n\\nWhy? Four.\"\n  21 a.md|a|: \"Five.\"\n"},
		{"lean answers, wrapped", "a.md", "One.\n\n<!-- lacuna 0e163eec 12ab 34cd -->\n**Partly answered: nothing\non x.**\n\nNote: Previously answered\non 2024-01-01.\n\n- \"Quoted and\n  wrapped.\" [a,\n  line 1](b.md#L1)\n\nTwo.\n",
			"a.md indexed\n  1 a.md|a|: \"One.\"\n  14 a.md|a|: \"Two.\"\n"},
		{"lean answers in quotations", "a.md", "One.\n\n> <!-- lacuna 0e163eec 12ab -->\n> * \"Quoted.\" [a](b.md#L1)\n\nTwo.\n\n<!-- lacuna 0e163eec 12ab -->\n\n> 1. \"Quoted.\" [[b#S|a]]\n\nThree.\n",
			"a.md indexed\n  1 a.md|a|: \"One.\"\n  6 a.md|a|: \"Two.\"\n  12 a.md|a|: \"Three.\"\n"},
		{"lean answers in text", "a.txt", "One.\r\n\r\n(lacuna 0e163eec taken)\r\n- \"Quoted.\" (A; b.md:1)\r\n\r\nTwo.\r\n", "a.txt indexed\n  1 a.txt|a|: \"One.\"\n  6 a.txt|a|: \"Two.\"\n"},
		{"Lacuna's own answers in text", "a.txt", "One.\n--- lacuna answer 12-1 ---\nQuoted.\n--- end of lacuna answer ---\nTwo.\n", "a.txt indexed\n  1 a.txt|a|: \"One.\"\n  5 a.txt|a|: \"Two.\"\n"},
		{"invisible characters", "a.txt", "Do\u200b not\u202e stop.", "a.txt indexed hidden 2\n  1 a.txt|a|: \"Do\\u200b not\\u202e stop.\"\n"},
		{"Latin-1", "a.txt", "Good one.\nNa\xefve two.\nGood three.", "a.txt indexed 2: not UTF-8; the sentence is left out\n  1 a.txt|a|: \"Good one.\"\n  3 a.txt|a|: \"Good three.\"\n"},
		{"UTF-16", "a.txt", "\xff\xfea\x00", "a.txt failed 0: UTF-16; save it as UTF-8\n"},
		{"binary", "a.txt", "PK\x00\x01", "a.txt skipped 0: binary\n"},
		{"deep lists", "a.md", "# Not seen\n" + deepLists(300), "a.md indexed\n  1 a.md|a|: \"Not seen\"\n  302 a.md|a|: \"Deep.\"\n"},
		{"deep nesting", "a.md", "# Not seen\n" + strings.Repeat("> ", 5000) + "Deep.", "a.md indexed\n  1 a.md|a|: \"Not seen\"\n  2 a.md|a|: \"Deep.\"\n"},
		{"unknown", "a.xyz", "PK", "a.xyz skipped 0: no reader for .xyz\n"},
		{"no extension", "README", "x", "README skipped 0: no reader for files without an extension\n"},
		{"only a heading", "a.md", "# Title\n", "a.md indexed\n  1 a.md|Title|: \"Title\"\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := folder(t, map[string]string{test.file: test.content})
			got := listing(dir, read(t, Source{Name: "s", Kind: passage.Text, Path: dir}))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestRecords(t *testing.T) {
	const pairs = `{"id":"p1","question":"What is it?","answer":"A thing. Two.","focus":"Thing","qtype":"information","synonyms":["It","That"],"date":"2024-05-01"}` + "\n"
	tests := []struct {
		name, file, content string
		source              Source
		want                string
	}{
		{"passages", "a.jsonl", "\uFEFF{\"id\":\"x1\",\"title\":\"T\",\"section\":\"RESULTS\",\"text\":\" It is \\u00e9. Two. \",\"ref\":\"d\"}\r\n\n{\"id\":12,\"section\":\"abstract\",\"text\":\"Three\"}",
			Source{Kind: passage.Text},
			"a.jsonl indexed\n  1 x1|T|RESULTS: \" It is é. Two. \"\n  3 12||: \"Three\"\n"},
		{"section without a title", "a.jsonl", `{"id":"x","section":"Fees","text":"One"}`, Source{Kind: passage.Text},
			"a.jsonl indexed\n  1 x||Fees: \"One\"\n"},
		{"gzip", "a.jsonl.gz", "{\"text\":\"One\"}\n{\"text\":\"Two\"}\n", Source{Kind: passage.Text},
			"a.jsonl.gz indexed\n  1 a.jsonl.gz#1||: \"One\"\n  2 a.jsonl.gz#2||: \"Two\"\n"},
		{"pairs", "h.jsonl", pairs + `{"id":"p2","question":"And without?"}`, Source{Kind: passage.QA},
			"h.jsonl indexed\n  1 p1|Thing|: \"A thing. Two.\" to \"What is it?\" also [\"It\" \"That\"]\n  2 p2||: \"\" to \"And without?\" also []\n"},
		{"implicit source decides by row", "a.jsonl", pairs + `{"text":"Plain"}`, Source{Kind: passage.Text, Implicit: true},
			"a.jsonl indexed\n  1 p1|Thing|: \"A thing. Two.\" to \"What is it?\" also [\"It\" \"That\"]\n  2 a.jsonl#2||: \"Plain\"\n"},
		{"bad lines", "a.jsonl", "{\"text\":\"One\"}\nnot json\n[1]\n{\"text\":7}\n{\"text\":{}}\n{\"title\":\"x\"}\n{\"text\":\"a\xff\"}\n{\"text\":\"Tw", Source{Kind: passage.Text},
			"a.jsonl indexed 2: not a JSON object (and 5 more problems)\n  1 a.jsonl#1||: \"One\"\n  4 a.jsonl#4||: \"7\"\n"},
		{"half-written", "a.jsonl", "{\"text\":\"One\"}\n{\"text\":\"Tw", Source{Kind: passage.Text},
			"a.jsonl indexed 2: the last line is incomplete\n  1 a.jsonl#1||: \"One\"\n"},
		{"nothing usable", "a.jsonl", "[]\n", Source{Kind: passage.Text}, "a.jsonl failed 1: not a JSON object\n"},
		{"empty", "a.jsonl", "\n \n", Source{Kind: passage.Text}, "a.jsonl skipped 0: no records\n"},
		{"own field names", "a.jsonl", `{"k":"1","q":"Why?","a":"So."}`, Source{Kind: passage.QA, Fields: Fields{ID: "k", Question: "q", Answer: "a"}},
			"a.jsonl indexed\n  1 1||: \"So.\" to \"Why?\" also []\n"},
		{"CSV", "a.csv", "\uFEFFid,Question,answer,synonyms\r\n1,\"Why, so?\",\"Two\r\nlines\",a; b\n\n2,How?\n", Source{Kind: passage.QA},
			"a.csv indexed\n  2 1||: \"Two\\nlines\" to \"Why, so?\" also [\"a\" \"b\"]\n  5 2||: \"\" to \"How?\" also []\n"},
		{"CSV with semicolons", "a.csv", "id;question;answer\n1;Why, so?;Because\n", Source{Kind: passage.QA},
			"a.csv indexed\n  2 1||: \"Because\" to \"Why, so?\" also []\n"},
		{"CSV with a bad quote", "a.csv", "question,answer\nOne?,a\nTwo?,b\"c\nThree?,d\n", Source{Kind: passage.QA},
			"a.csv indexed 3: a quotation mark in the wrong place\n  2 a.csv#2||: \"a\" to \"One?\" also []\n  4 a.csv#4||: \"d\" to \"Three?\" also []\n"},
		{"CSV about something else", "a.csv", "x,y\n1,2\n", Source{Kind: passage.QA}, "a.csv skipped 0: no column \"question\" in the first row\n"},
		{"Markdown with pairs", "a.md", "# FAQ\n\nHello there.\n\n## Zinc\n\n**Q:** May I take it\nwith *iron*?\n\n**A:** Some hours\napart.\n\n- Two.\n\nQ: Open?\n\nNo answer.\n\n### Q: How much?\nA: Ten. <!-- no --> x\n\n## Rest\nText.\n", Source{Kind: passage.QA},
			"a.md indexed hidden 1\n" +
				"  10 a.md||Zinc: \"Some hours\\napart.\\n\\n- Two.\" to \"May I take it with iron?\" also []\n" +
				"  20 a.md||Zinc: \"Ten.\" to \"How much?\" also []\n"},
		{"Markdown with pairs and text", "a.md", "Before. More.\n\nQ: Why?\nA: So.\n\n# H\n\nBehind.\n```\nQ: code?\nA: no\n```\n问：多少？\n答：十。\n", Source{Kind: passage.Text, Implicit: true},
			"a.md indexed\n  4 a.md||: \"So.\" to \"Why?\" also []\n  14 a.md||: \"十。\" to \"多少？\" also []\n" +
				"  1 a.md|H|: \"Before. More.\"\n  8 a.md|H|: \"Behind.\\n```\\nQ: code?\\nA: no\\n```\"\n"},
		{"Markdown with pairs in a source of passages", "a.md", "Q: Why?\nA: So.\n", Source{Kind: passage.Text}, "a.md indexed\n  1 a.md|a|: \"Q: Why?\\nA: So.\"\n"},
		{"pairs that are not UTF-8", "a.md", "Q: Why?\nA: S\xff.\nQ: How?\nA: So.\n", Source{Kind: passage.QA},
			"a.md indexed 1: not UTF-8; the pair is left out\n  4 a.md||: \"So.\" to \"How?\" also []\n"},
		{"Markdown holds no pairs", "a.md", "Text.", Source{Kind: passage.QA}, "a.md skipped 0: no question-answer pairs in .md\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := folder(t, map[string]string{test.file: test.content})
			test.source.Name, test.source.Path = "s", dir
			got := listing(dir, read(t, test.source))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// deepLists returns nested lists of the given depth, with a sentence in the innermost.
func deepLists(levels int) string {
	var list strings.Builder
	for level := range levels {
		list.WriteString(strings.Repeat("  ", level) + "-\n")
	}
	return list.String() + strings.Repeat("  ", levels) + "- Deep."
}
