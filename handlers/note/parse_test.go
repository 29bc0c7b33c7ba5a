package note

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"lacuna/handlers/position"
)

// exactly compares notes with all that is hidden in them.
var exactly = cmp.Options{cmp.AllowUnexported(Note{}, Question{}, runningLine{}, position.Lines{}), cmpopts.IgnoreFields(Note{}, "markup", "seen"), cmpopts.EquateEmpty()}

// scraps holds what notes are made of and torn into.
var scraps = []string{
	"\n", "\n\n", "\r\n", "\r", " ", "    ", "\t", "\n\n\n",
	"What is iron?", "- What is the dose of iron?", "Why?\n", "Q: the dose of iron\nin children\n\n", "Words about nothing.", "more words",
	"# Heading?", "## Heading", "===", "---", "***", "~~~~", "* Heading\n", "== Heading\n", ".. lacuna: skip\n", "\\section{Iron?}\n",
	"- item\n", "1. item\n\n   within", "```\n", "~~~\n", "> quoted?\n", "| a | b |\n", "<!--", "-->", "<!-- x -->",
	"---\nlacuna: private\n---\n", "---\ntitle: x\n---\n", "---\n",
	"<!-- lacuna: off -->\n", "<!-- lacuna: on -->\n", "<!-- lacuna: skip -->\n", "<!-- lacuna: ask -->\n", "<!-- lacuna: private -->\n",
	"> [!question] Is it safe?\n", "> - Why so?\n", "| c | is it? |\n", "|---|---|\n", "id:: 64f0\n", "  id:: x?\n", "^id\n", " #tag ^id", " (so?)", " When? How long is it?", "%% why? %%", "==Is it?==",
	":PROPERTIES:\n:ID: 1\n:END:\n", "What now? It is", "- a\n- b\n",
	"A. tin\n", "B. cobalt\n", "C) iron\n", "- A) tin\n", "- B) cobalt\n", "(a) tin\n  and lead\n", "(b) cobalt?\n", "Which oxide?\nA. tin\n\nB. cobalt\n",
	"\\begin{choices}\n", "\\choice tin\n", "\\end{choices}\n", "\\item[A.] tin\n", "[upperalpha]\n", ". tin\n",
	"% lacuna: off\n", "% lacuna: on\n", "# lacuna: skip\n", "// lacuna: ask\n", "#+begin_src\n", "#+end_src\n", "::\n\n  code\n", "\\begin{verbatim}\n", "\\end{verbatim}\n", "----\n",
	"<!-- lacuna:answer 0a1b2c3d -->\n**Answered from 1 source**\n\n- \"Iron is taken.\" [1]\n\n1. [iron.md:3](iron.md#L3) <!-- lacuna:cite 00112233445566778899aabbccddeeff -->\n<!-- lacuna:end -->\n",
	"<!-- lacuna 0a1b2c3d 1234 -->\n- \"Iron is\n  taken.\" [Iron,\n  line 3](iron.md#L3)\n", "> <!-- lacuna 0a1b2c3d -->\n> - \"Iron is taken.\" [Iron](iron.md#L3)\n",
	"<!-- lacuna 0a1b2c3d -->\n", "- \"Iron is\n", "taken.\" [Iron](iron.md#L3)\n", "Note: so\n", "<!-- lacuna:answer 0a1b2c3d -->\n", "<!-- lacuna:end -->\n", "- \"Iron is taken.\" [1]\n", "- A claim. [1]\n", "é", "？", "\xff", "\ufeff",
}

// edit replaces a stretch of a text.
func edit(text string, from, to int, by string) string {
	from = min(max(from, 0), len(text))
	return text[:from] + by + text[min(max(to, from), len(text)):]
}

func checkEdited(t *testing.T, n *Note, text string) *Note {
	t.Helper()
	got := n.WithText(text)
	if diff := cmp.Diff(Parse(text, n.Language), got, exactly); diff != "" {
		t.Fatalf("%s: from %q to %q:\n%s", n.Language, n.Text, text, diff)
	}
	return got
}

func TestEditedIsWhatParseSays(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 6))
	for _, language := range Languages() {
		n := Parse("", language)
		for range 300 {
			text := n.Text
			from := random.IntN(len(text) + 1)
			switch random.IntN(8) {
			case 0: // several words, anywhere
				text = edit(text, from, from, scraps[random.IntN(len(scraps))]+scraps[random.IntN(len(scraps))])
			case 1, 2:
				text = edit(text, from, from+random.IntN(40), "")
			case 3:
				text = edit(text, from, from+random.IntN(3), scraps[random.IntN(len(scraps))])
			case 4: // at the beginning of a line
				from = strings.LastIndexAny(text[:from], "\r\n") + 1
				fallthrough
			default:
				text = edit(text, from, from, scraps[random.IntN(len(scraps))])
			}
			if len(text) > 1500 {
				text = text[500:]
			}
			n = checkEdited(t, n, text)
		}
	}
}

func FuzzEdited(f *testing.F) {
	for i, scrap := range scraps {
		f.Add("Words.\n\n- What is iron?\n\nWords.\n\n"+scrap+"\n\nWhy?\n", 10+i, 12+i%3, scraps[(i*7)%len(scraps)], i)
	}
	f.Fuzz(func(t *testing.T, text string, from, to int, by string, language int) {
		languages := Languages()
		n := Parse(text, languages[uint(language)%uint(len(languages))])
		again := checkEdited(t, n, edit(text, from, to, by))
		checkEdited(t, again, text)
	})
}

func TestEditedReadsLittle(t *testing.T) {
	text := longNote()
	n := Parse(text, Markdown)
	at := strings.LastIndex(text, "metformin")
	changed := edit(text, at, at, "x")
	checkEdited(t, n, changed)
	whole := testing.AllocsPerRun(3, func() { Parse(changed, Markdown) })
	if got := testing.AllocsPerRun(3, func() { n.WithText(changed) }); got > whole/4 {
		t.Errorf("%v allocations; the whole note takes %v", got, whole)
	}
}

func BenchmarkEdited(b *testing.B) {
	text := longNote()
	n := Parse(text, Markdown)
	at := len(text) / 2
	changed := edit(text, at, at, "x")
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		n.WithText(changed)
	}
}
