package note

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// said prints sentences: words, what they cite, and what is behind them in the note.
func said(n *Note, uncited bool) []string {
	var lines []string
	for _, s := range n.Sentences(uncited) {
		line := s.Text
		for _, c := range s.Cites {
			line += fmt.Sprintf(" <%s%s", c.Path, c.Name)
			if c.Heading != "" {
				line += "#" + c.Heading
			}
			if c.Line > 0 {
				line += fmt.Sprintf(":%d", c.Line)
			}
			line += ">"
		}
		if s.Opinion {
			line += " own"
		}
		lines = append(lines, line)
	}
	return lines
}

func TestSentencesOfRunningText(t *testing.T) {
	for _, test := range []struct {
		name     string
		language Language
		text     string
		want     []string
	}{
		{"a mark behind a sentence", Markdown, "It is warm. Gout hurts at night. [kb/gout.md:3](kb/gout.md#L3) It passes.\n", []string{"Gout hurts at night. <kb/gout.md:3>"}},
		{"a mark before the full stop", Markdown, "Gout hurts at night [Gout › Signs](kb/gout.md#L3).\n", []string{"Gout hurts at night. <kb/gout.md:3>"}},
		{"words as a label", Markdown, "[Gout](kb/gout.md) hurts at *night*, it is said.\n", []string{"Gout hurts at night, it is said. <kb/gout.md>"}},
		{"in brackets", Markdown, "Gout hurts at night (see [the page](kb/gout.md#L3)).\n", []string{"Gout hurts at night. <kb/gout.md:3>"}},
		{"two marks", Markdown, "Gout hurts at night. [1](kb/gout.md#L3) [2](<kb/b c.md#L4>)\n", []string{"Gout hurts at night. <kb/gout.md:3> <kb/b c.md:4>"}},
		{"an address is no source", Markdown, "Gout hurts at night. [1](https://example.org/x)\n", nil},
		{"pages and keys", Markdown, "[[gout|The gout]] hurts at night. It passes in a week [[gout#Course]]. It is old [@gout; @old2020, p. 3].\n",
			[]string{"The gout hurts at night. <gout>", "It passes in a week. <gout#Course>", "It is old. <gout> <old2020>"}},
		{"a page as a word", Markdown, "At night it hurts, see [[gout]]. Pain is a sign of [[gout]].\n", []string{"At night it hurts, see gout. <gout>", "Pain is a sign of gout. <gout>"}},
		{"a page behind a sentence", Markdown, "Gout hurts at night. [[gout]]\n", []string{"Gout hurts at night. <gout>"}},
		{"over lines and in items", Markdown, "- Gout hurts\n  at night. [kb/gout.md:3](kb/gout.md#L3)\n- It passes. [x/y](y.md)\n", []string{"Gout hurts at night. <kb/gout.md:3>"}},
		{"what is no running text", Markdown, "# Gout hurts a lot [a/b](kb/gout.md)\n\n> Gout hurts a lot [a/b](kb/gout.md)\n\n```\nGout hurts a lot [a/b](kb/gout.md)\n```\n\nGout hurts a lot [a/b](kb/gout.md)\n====\n\nDoes gout hurt a lot [a/b](kb/gout.md)?\n", nil},
		{"one's own", Markdown, "Gout hurts at night. [a/b](kb/gout.md) (own opinion) It is an old evil. (eigene Meinung)\n", []string{"Gout hurts at night. <kb/gout.md> own"}},
		{"Chinese", Markdown, "痛风在夜间发作。[kb/gout.md:3](kb/gout.md#L3) 它很常见。\n", []string{"痛风在夜间发作。 <kb/gout.md:3>"}},
		{"plain text", Plaintext, "Gout hurts at night. [kb/gout.md:3]\n", []string{"Gout hurts at night. <kb/gout.md:3>"}},
		{"org", Org, "Gout hurts at night. [[file:kb/gout.md::3][kb/gout.md:3]]\n", []string{"Gout hurts at night. <kb/gout.md:3>"}},
		{"latex", Latex, "Gout hurts at night. \\href{kb/gout.md}{gout}\n", []string{"Gout hurts at night. <kb/gout.md>"}},
		{"asciidoc", AsciiDoc, "Gout hurts at night. link:kb/gout.md#L3[gout]\n", []string{"Gout hurts at night. <kb/gout.md:3>"}},
		{"typst", Typst, "Gout hurts at night. #link(\"kb/gout.md#L3\")[gout]\n", []string{"Gout hurts at night. <kb/gout.md:3>"}},
		{"restructuredtext", RST, "Gout hurts at night. `gout <kb/gout.md#L3>`__\n", []string{"Gout hurts at night. <kb/gout.md:3>"}},
	} {
		if diff := cmp.Diff(test.want, said(Parse(test.text, test.language), false)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
	n := Parse("Some words:\n\nGout hurts at night. Why? It passes [a/b](b.md).\n\nWhat is it?\n", Markdown)
	if diff := cmp.Diff([]string{"Gout hurts at night."}, said(n, true)); diff != "" {
		t.Errorf("uncited ones, too (-want +got):\n%s", diff)
	}
}

// TestSentencesMove finds the same sentences in a note that is edited again and again as in one that was read at
// once.
func TestSentencesMove(t *testing.T) {
	pieces := append([]string{
		"Gout hurts at night. [a/b](kb/gout.md#L3)\n\n", "It passes in a week [[gout]].\n", "Nobody knows it for sure.\n\n", "What is gout?\n\n", "\n", "====\n",
		"- It comes back at times. [a/b](kb/gout.md#L9)\n",
	}, scraps...)
	random := rand.New(rand.NewPCG(7, 7))
	for _, language := range []Language{Markdown, Plaintext, Org} {
		n := Parse("", language)
		for range 400 {
			from := random.IntN(len(n.Text) + 1)
			text := edit(n.Text, from, from+random.IntN(2)*random.IntN(40), pieces[random.IntN(len(pieces))])
			if len(text) > 4000 {
				text = ""
			}
			n = n.WithText(text)
			if random.IntN(3) == 0 {
				continue // some versions are not asked about
			}
			uncited := random.IntN(10) == 0
			if diff := cmp.Diff(Parse(text, language).Sentences(uncited), n.Sentences(uncited), cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("%s: in %q (-parsed +edited):\n%s", language, text, diff)
			}
		}
	}
}

func TestEditsOfSentences(t *testing.T) {
	n := Parse("It is warm. Gout hurts at noon. [a/b](kb/b.md#L1) It passes.\n", Markdown)
	s, source := n.Sentences(false)[0], BlockSource{Label: "kb/gout.md:3", Path: "kb/gout.md", Line: 3}
	for _, test := range []struct {
		edit Edit
		want string
	}{
		{n.Cite(s, source), "It is warm. Gout hurts at noon. [a/b](kb/b.md#L1) [kb/gout.md:3](kb/gout.md#L3) It passes.\n"},
		{n.Own(s), "It is warm. Gout hurts at noon. [a/b](kb/b.md#L1) (own opinion) It passes.\n"},
		{n.Quote(s, "Gout hurts at night.", source), "It is warm. \"Gout hurts at night.\" [kb/gout.md:3](kb/gout.md#L3) It passes.\n"},
	} {
		after := apply(n.Text, test.edit)
		if after != test.want {
			t.Errorf("got %q, want %q", after, test.want)
		}
		if found := said(Parse(after, Markdown), false); len(found) != 1 {
			t.Errorf("%q in %q", found, after)
		}
	}
	block := "Q: Is it bad?\n\n<!-- lacuna:answer 0a1b2c3d -->\n**Answered**\n\n- Gout hurts at noon. (but [1] says “at night”, not “at noon”)\n- It lasts. [1] (not stated there: “lasts”)\n\n1. [kb/gout.md:3](kb/gout.md#L3) <!-- lacuna:cite 00112233445566778899aabbccddeeff -->\n<!-- lacuna:end -->\n"
	n = Parse(block, Markdown)
	statements := n.Sentences(false)
	if len(statements) != 2 {
		t.Fatalf("%+v", statements)
	}
	for _, test := range []struct {
		edit Edit
		want string
	}{
		{n.Own(statements[0]), "- Gout hurts at noon. (own opinion)\n"},
		{n.Own(statements[1]), "- It lasts. [1] (own opinion)\n"},
		{n.Quote(statements[0], "Gout hurts at night.", BlockSource{N: 1}), "- \"Gout hurts at night.\" [1]\n"},
	} {
		if after := apply(n.Text, test.edit); !strings.Contains(after, test.want) {
			t.Errorf("no %q in\n%s", test.want, after)
		}
	}
}
