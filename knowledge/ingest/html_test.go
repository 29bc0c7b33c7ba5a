package ingest

import (
	"strings"
	"testing"
)

func TestHTML(t *testing.T) {
	testDocuments(t, []documentTest{
		{"headings", "a.html", "<!DOCTYPE html>\n<html><head><title>Site</title><style>p {}</style></head>\n<body>\n<nav>Home. Away.</nav>\n<p>Before.</p>\n<h1>The <em>Title</em></h1>\n" +
			"<p>Fish &amp; chips.\nMore\n&lt;b&gt; words.</p>\n<h2>Dose</h2>\n<div>Five.<br>Six.</div>\n<script>alert('No.')</script>\n<h3>Renal</h3><p>Two.</p>\n<footer>Imprint.</footer>\n",
			`a.html indexed
  5 a.html|The Title|: "Before."
  7 a.html|The Title|: "Fish & chips. More <b> words."
  11 a.html|The Title|Dose: "Five.\nSix."
  13 a.html|The Title|Dose/Renal: "Two."
`},
		{"title of the head", "a.htm", "<title>A\n page</title><p>One.", "a.htm indexed\n  2 a.htm|A page|: \"One.\"\n"},
		{"lists", "a.html", "<p>Causes:\n<ul><li>One. Two\n<li><p>Three</p>\n<ul><li>Four</ul></ul><p>End.", "a.html indexed\n  1 a.html|a|: \"Causes:\\n\\n- One. Two\\n- Three\\n- Four\\n\\nEnd.\"\n"},
		{"tables", "a.html", "<table>\n<tr><th>Drug<th>Dose\n<tr><td><p>A.</p><p>Bee</p></td>\n<td>5 mg</td></tr></table>", "a.html indexed\n  2 a.html|a|: \"| Drug | Dose |\\n| A. Bee | 5 mg |\"\n"},
		{"what nobody sees", "a.html", "<p>One.<!-- no --> Two.<span style='display: none'>No.</span>\n<p hidden>No.<p>Three.<div HIDDEN><div>No.</div>No.</div>Four.<template>No.</template>",
			"a.html indexed hidden 4\n  1 a.html|a|: \"One. Two.\\n\\nThree.\\n\\nFour.\"\n"},
		{"pre", "a.html", "<pre>one\n  two</pre>", "a.html indexed\n  1 a.html|a|: \"one\\n  two\"\n"},
		{"drawings", "a.html", "<svg><text>no</text><path/></svg>One.", "a.html indexed\n  1 a.html|a|: \"One.\"\n"},
		{"elements of others", "a.html", strings.Repeat("<x-icon></x-icon><polygon></polygon>", 600) + "<x-note hidden>No.</x-note><p>One.<x-i>Two.</x-i>",
			"a.html indexed hidden 1\n  1 a.html|a|: \"One.Two.\"\n"},
		{"unclosed elements", "a.html", strings.Repeat("<x-icon>", 600) + "One.</x-icon>", "a.html indexed\n  1 a.html|a|: \"One.\"\n"},
		{"hidden too deep", "a.html", strings.Repeat("<div>", 5000) + "<p hidden>No.", "a.html failed 0: elements nested too deeply\n"},
		{"Latin-1", "a.html", "<p>Good one.\n<p>Na\xefve two.", "a.html indexed\n  1 a.html|a|: \"Good one.\\n\\nNaïve two.\"\n"},
		{"binary", "a.html", "<p>\x00", "a.html skipped 0: binary\n"},
		{"only a heading", "a.html", "<title>x</title><h1>Only</h1>", "a.html indexed\n  1 a.html|Only|: \"Only\"\n"},
	})
}
