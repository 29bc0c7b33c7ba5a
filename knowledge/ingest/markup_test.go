package ingest

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lacuna/knowledge/passage"
)

type documentTest struct{ name, file, content, want string }

func testDocuments(t *testing.T, tests []documentTest) {
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

func TestOrg(t *testing.T) {
	testDocuments(t, []documentTest{
		{"headings", "a.org", "#+TITLE: The Title\n#+AUTHOR: x\nBefore.\n* TODO [#A] Dose :drug:renal:\nFive. Six.\n** [[file:x.org][Renal]] use\n- Two.\n- One.\n* Use\nDaily.\n",
			`a.org indexed
  3 a.org|The Title|: "Before."
  5 a.org|The Title|Dose: "Five. Six."
  7 a.org|The Title|Dose/Renal use: "- Two.\n- One."
  10 a.org|The Title|Use: "Daily."
`},
		{"comments and drawers", "a.org", "* A\n:PROPERTIES:\n:ID: x\n:END:\nSCHEDULED: <2024-05-01 Wed>\nOne.\n# Say yes.\nTwo.\n#+begin_comment\nHidden.\n#+end_comment\nThree.\n** COMMENT Gone\nHidden.\n*** More\nHidden.\n* B\nFour.\n",
			`a.org indexed hidden 3
  6 a.org|a|A: "One."
  8 a.org|a|A: "Two."
  12 a.org|a|A: "Three."
  18 a.org|a|B: "Four."
`},
		{"blocks", "a.org", "Run:\n#+begin_src sh\nmake. All\n#+end_src\n#+begin_quote\nQuoted. Words\n#+end_quote\n#+begin_src open\nText.\n",
			"a.org indexed\n  1 a.org|a|: \"Run:\\n#+begin_src sh\\nmake. All\\n#+end_src\\n#+begin_quote\\nQuoted. Words\\n#+end_quote\\n#+begin_src open\\nText.\"\n"},
		{"export is not text", "a.org", "One.\n#+begin_export html\n<p>No.\n#+end_export\nTwo.\n", "a.org indexed\n  1 a.org|a|: \"One.\"\n  5 a.org|a|: \"Two.\"\n"},
		{"table", "a.org", "| Drug | Dose |\n|------+------|\n| A    | 5 mg |\n", "a.org indexed\n  1 a.org|a|: \"| Drug | Dose |\\n|------+------|\\n| A    | 5 mg |\"\n"},
		{"Lacuna's own answers", "a.org", "What? One.\n# lacuna:answer 12-1\n- Quoted. [1]\n# lacuna:end\nTwo.\n", "a.org indexed\n  1 a.org|a|: \"What? One.\"\n  5 a.org|a|: \"Two.\"\n"},
		{"bold at the start of a line", "a.org", "*Bold* text.\r\n", "a.org indexed\n  1 a.org|a|: \"*Bold* text.\"\n"},
		{"only a heading", "a.org", "* Only\n# a comment\n", "a.org indexed hidden 1\n  1 a.org|a|: \"Only\"\n"},
	})
}

func TestReStructuredText(t *testing.T) {
	testDocuments(t, []documentTest{
		{"headings", "a.rst", "=========\nThe Title\n=========\n:author: x\n\nBefore.\n\nDose of :ref:`this <x>`\n=======================\nFive. Six.\n\nRenal\n-----\n- Two.\n- One.\n\nUse\n===\n\nDaily.\n\n----\n\nAfter.\n",
			`a.rst indexed
  6 a.rst|The Title|: "Before."
  10 a.rst|The Title|Dose of this: "Five. Six."
  14 a.rst|The Title|Dose of this/Renal: "- Two.\n- One."
  20 a.rst|The Title|Use: "Daily.\n\n----\n\nAfter."
`},
		{"two headings of one style", "a.rst", "Before.\n\nB\n--\nText.\n\nC\n--\nMore.\n",
			"a.rst indexed\n  1 a.rst|a|: \"Before.\"\n  5 a.rst|a|B: \"Text.\"\n  9 a.rst|a|C: \"More.\"\n"},
		{"comments", "a.rst", "One.\n\n.. Say yes.\n   Hidden.\n\nTwo.\n\n..\n   Hidden.\n\n.. _target: x\n\nThree.\n",
			"a.rst indexed hidden 2\n  1 a.rst|a|: \"One.\"\n  6 a.rst|a|: \"Two.\"\n  13 a.rst|a|: \"Three.\"\n"},
		{"directives", "a.rst", ".. warning:: Never do. This\n   :class: x\n\n   Because.\n\n.. image:: x.png\n   :alt: No.\n\n.. [1] A note.\n",
			"a.rst indexed\n  1 a.rst|a|: \"Never do. This\\n   :class: x\\n\\n   Because.\\n\\n.. image:: x.png\\n   :alt: No.\\n\\n.. [1] A note.\"\n"},
		{"code", "a.rst", "Run::\n\n  make. All\n\n  more\n\nThen.\n\n.. code-block:: go\n\n   x := 1\n",
			"a.rst indexed\n  1 a.rst|a|: \"Run::\\n\\n  make. All\\n\\n  more\\n\\nThen.\\n\\n.. code-block:: go\\n\\n   x := 1\"\n"},
		{"tables", "a.rst", "=====  ====\nDrug   Dose\n=====  ====\nA      5 mg\n=====  ====\n\n+---+---+\n| a | b |\n+---+---+\n",
			"a.rst indexed\n  2 a.rst|a|: \"Drug   Dose\\n=====  ====\\nA      5 mg\\n=====  ====\\n\\n+---+---+\\n| a | b |\"\n"},
		{"Lacuna's own answers", "a.rst", "What? One.\n\n.. lacuna:answer 12-1\n\n- Quoted. [1]\n\n.. lacuna:end\n\nTwo.\n", "a.rst indexed\n  1 a.rst|a|: \"What? One.\"\n  9 a.rst|a|: \"Two.\"\n"},
	})
}

func TestPrivateDocuments(t *testing.T) {
	for name, content := range map[string]string{
		"a.md":   "---\nlacuna: private\n---\nText.\n",
		"a.org":  "#+LACUNA: private\nText.\n",
		"b.org":  "# lacuna: private\nText.\n",
		"a.rst":  ":lacuna: private\n\nText.\n",
		"b.rst":  ".. lacuna: private\n\nText.\n",
		"a.html": "<!-- lacuna: private --><p>Text.",
	} {
		for _, f := range read(t, Source{Name: "s", Kind: passage.Text, Path: filepath.Join(folder(t, map[string]string{name: content}), name)}) {
			if len(f.Passages) != 1 || !f.Passages[0].Private || f.Hidden > 0 {
				t.Errorf("%s: %+v, hidden %d", name, f.Passages, f.Hidden)
			}
		}
	}
}
