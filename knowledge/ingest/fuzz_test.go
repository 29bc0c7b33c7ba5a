package ingest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lacuna/knowledge/passage"
)

// bars holds rows and sentences between bars, which belong to one of their neighbours at most.
const bars = "One. | Two.\n\n| a. | B. c | 高血压。|\n| --- | --- | --- |\n| 5 mg. || No. | \n\nNo.\u00a0| “Yes.” |\u00a0|\t- 1. | 糖尿病。 | 哮喘！|x\n- | E.g. this. | >\r\n| One.\r\n"

// FuzzWidened cuts any text into units: in order, inside the text, none over another, and each with its
// sentence.
func FuzzWidened(f *testing.F) {
	f.Add(bars)
	f.Add("A. | B")
	f.Add("> 1. - [x] | A! |\n\u3000｜ 一。| 二")
	f.Add("Wrapped text that goes on for as long as a column of text does | and then.\n| So. | it |")
	f.Fuzz(func(t *testing.T, text string) {
		for _, format := range []passage.Format{passage.Plain, passage.Markdown} {
			sentences := passage.Sentences(text, format)
			end := 0
			for i, unit := range widen(text, slices.Clone(sentences)) {
				if unit.Start < end || unit.End > len(text) || unit.Start > sentences[i].Start || unit.End < sentences[i].End {
					t.Fatalf("%s %q: sentence %v became %v behind %d", format, text, sentences[i], unit, end)
				}
				end = unit.End
			}
		}
	})
}

// fuzzFile reads content as a file and checks what must hold of any file and its passages: no reader
// fails, and places hold what passages say.
func fuzzFile(f *testing.F, name string, source Source) {
	dir := f.TempDir()
	source.Name, source.Path = "s", filepath.Join(dir, name)
	f.Fuzz(func(t *testing.T, content []byte) {
		if err := os.WriteFile(source.Path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		read(t, source)
	})
}

func FuzzMarkdown(f *testing.F) {
	f.Add([]byte(bars))
	f.Add([]byte("---\ntitle: T\n---\n# A\nOne. <!-- x --> Two.\n\n| a | b |\n|---|---|\n| c | d |\n"))
	f.Add([]byte("\uFEFFA\n=\n> - # b\n\n```\ncode\n```\n\n    indented\n\r\n<script>\nx\n</script>\n\xff. B"))
	fuzzFile(f, "a.md", Source{Kind: passage.Text})
}

func FuzzMarkdownPairs(f *testing.F) {
	f.Add([]byte("Q: One. | Two?\nA: Three. | Four.\n\n" + bars))
	f.Add([]byte("# A\n### **Q:** Why?\nso\n\nA: One.\n```\nQ: x\n```\n<!-- y -->\n- q: b\na:c\n\xff"))
	fuzzFile(f, "a.md", Source{Implicit: true})
}

func FuzzPlainText(f *testing.F) {
	f.Add([]byte(bars))
	f.Add([]byte("One. Two.\r\n\r\n• 高血压。\n\xff\u202e"))
	fuzzFile(f, "a.txt", Source{Kind: passage.Text})
}

func FuzzOrg(f *testing.F) {
	f.Add([]byte("* A\n" + bars))
	f.Add([]byte("#+title: T\n* TODO [#A] A :x:\n:LOGBOOK:\nx\n:END:\nOne. Two.\n#+begin_src go\ncode\n#+end_src\n# no\n** COMMENT c\nx\n* B\n| a | b |\n|---+---|\n- c\n\xff"))
	fuzzFile(f, "a.org", Source{Kind: passage.Text})
}

func FuzzReStructuredText(f *testing.F) {
	f.Add([]byte("A\n=\n\n" + bars))
	f.Add([]byte("===\n A\n===\n:lacuna: private\n\nB\n-\nOne::\n\n  code\n\n.. note:: Two.\n   :class: x\n\n   Three.\n\n.. no\n   no\n.. [1] F.\n.. _t: u\n.. |s| image:: x\n\n----\n\n=== ===\na   b\n=== ===\n\xff"))
	fuzzFile(f, "a.rst", Source{Kind: passage.Text})
}

func FuzzHTML(f *testing.F) {
	f.Add([]byte("<table><tr><td>One. <td>| Two.</table><p>" + bars))
	f.Add([]byte("<!doctype html><title>T</title><nav>x</nav><h1>A &amp; b</h1><p>One.<p hidden>no<p>Two<br>three.<ul><li>a<li><p>b</ul><table><tr><th>c<td>d</table><pre>e\nf</pre><script>g</script><!-- h -->\xff"))
	fuzzFile(f, "a.html", Source{Kind: passage.Text})
}

func FuzzDOCX(f *testing.F) {
	f.Add([]byte(word(`<w:p><w:r><w:t>One.</w:t></w:r></w:p>`, "")))
	fuzzFile(f, "a.docx", Source{Kind: passage.Text})
}

func FuzzJSONLines(f *testing.F) {
	f.Add(append([]byte(`{"text":`), append(quoted(strings.Repeat(bars, 40)), '}')...))
	f.Add([]byte("{\"id\":1,\"text\":\"One\",\"title\":null}\n[]\n{\"text\":\"a\",\"text\":\"b\"}\n{\"question\":\"q\",\"synonyms\":[\"a\",1]}"))
	f.Add([]byte("\uFEFF{\"text\":\"\\ud800\"}\r\n\n{\"te"))
	fuzzFile(f, "a.jsonl", Source{Implicit: true})
}

func quoted(text string) []byte {
	literal, _ := json.Marshal(text) // a string is always written
	return literal
}

func FuzzCSV(f *testing.F) {
	f.Add([]byte("question,answer\n\"One. | Two?\",\"Three. | Four.\"\n"))
	f.Add([]byte("id,question,answer,synonyms\n1,\"a\"\"b\nc\",d,e;f\n\n,x\n\"y"))
	f.Add([]byte("\uFEFFQuestion;Answer\r\nA;\"B\r\nC\"\r\n"))
	fuzzFile(f, "a.csv", Source{Kind: passage.QA})
}

// FuzzResolve asks for places that need not exist: nothing may panic, and text that comes back has
// the length that was asked for.
func FuzzResolve(f *testing.F) {
	names := []string{"a.md", "a.jsonl", "a.jsonl.gz", "a.csv", "a.html", "a.docx"}
	dir := folder(f, map[string]string{
		"a.md":       "Some text.",
		"a.jsonl":    "{\"text\":\"One\"}\n{\"text\":\"Two\"}\n",
		"a.jsonl.gz": "{\"text\":\"One\"}\n{\"text\":\"Two\"}\n",
		"a.csv":      "id,text\n1,One\n2,Two\n",
		"a.html":     "<p>One &amp; two.",
		"a.docx":     word("<w:p><w:r><w:t>One.</w:t></w:r></w:p>", ""),
	})
	f.Add(0, "", int64(0), 0, 10)
	f.Add(1, "text", int64(15), 0, 3)
	f.Add(2, "text", int64(15), 1, 3)
	f.Add(3, "text", int64(8), 0, 3)
	f.Fuzz(func(t *testing.T, file int, field string, record int64, start, end int) {
		span := passage.Span{Start: start, End: end}
		text, err := Resolve(passage.Place{File: filepath.Join(dir, names[uint(file)%uint(len(names))]), Field: field, Record: record, Span: span})
		if err == nil && len(text) != span.Len() {
			t.Errorf("%q has %d bytes, not %d", text, len(text), span.Len())
		}
	})
}
