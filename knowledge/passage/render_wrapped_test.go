package passage

import "testing"

func TestRenderWrapped(t *testing.T) {
	for _, test := range []struct{ file, written, want string }{
		{"a.org", "Press =C-x k= or ~quit~, *never* /pull the plug/.", "Press C-x k or quit, never pull the plug."},
		{"a.org", "See [[https://example.org][the guide]] and [[Pumps]].[fn:1]", "See the guide and Pumps."},
		{"a.org", "Keep =a*b*c= and ~x=y~ as they are: 2 * 3 * 4, a=b, *.go and *.md.", "Keep a*b*c and x=y as they are: 2 * 3 * 4, a=b, *.go and *.md."},
		{"a.org", "Files of /usr/lib/ and _tmp_ and ~/.pumps and ~/.pumps.d.", "Files of /usr/lib/ and tmp and ~/.pumps and ~/.pumps.d."},
		{"a.org", "Type {{{kbd(C-u\nC-c)}}} in C:\\pumps, not class_ here.", "Type C-u C-c in C:\\pumps, not class_ here."},
		{"a.org", "按 =ESC= ，再按 *C-s* 。", "按 ESC ，再按 C-s 。"},
		{"a.rst", "Set ``limit`` to *five*, **not** `six`.", "Set limit to five, not six."},
		{"a.rst", "See :ref:`the guide <guide>`, :py:func:`~pumps.air.stop` and :pep:`7`.", "See the guide, stop and 7."},
		{"a.rst", "Read `the manual <https://example.org/a_b>`__, `Pumps`_ and `<https://example.org>`_.", "Read the manual, Pumps and https://example.org."},
		{"a.rst", "PEPs_ and pump-list_, but __init__ and max_flow_rate and =x=.", "PEPs and pump-list, but __init__ and max_flow_rate and =x=."},
		{"a.rst", "Known [1]_ or [#note]_ but [2].", "Known or but [2]."},
		{"a.rst", "Escaped \\*stars\\* and ``\\*``.", "Escaped *stars* and \\*."},
		{"a.rst", "| One line\n| another", "One line another"},
		{"a.rst", "Run this::", "Run this:"},
		{"a.rst", "Run this. ::", "Run this."},
		{"a.rst", "Open ``literal and `quote and :role:`text", "Open ``literal and `quote and :role:`text"},
		{"", "*Bold*, =code=, ``code``, [[a][b]], :x:`y`, max_ and /a b/", "Bold, code, code, b, y, max_ and /a b/"},
	} {
		p := Passage{Format: Wrapped, Text: test.written, Place: Place{File: test.file}, Blocks: []Block{{Kind: Paragraph, Span: Span{End: len(test.written)}}}}
		r := p.Render()
		got := r.Span(Span{End: len(test.written)})
		if got != test.want {
			t.Errorf("%q is shown as\n%q instead of\n%q", test.written, got, test.want)
		}
		if span, ok := r.Find(got); !ok || r.Span(span) != got {
			t.Errorf("%q is not found again: %v %v", got, span, ok)
		}
	}
}

func TestRenderWrappedBlocks(t *testing.T) {
	for _, test := range []struct {
		kind          BlockKind
		written, want string
	}{
		{Code, "#+begin_src sh :results silent\n  stop\n    now\n#+END_SRC", "stop ⏎   now"},
		{Code, ".. code-block:: sh\n   :caption: pump.sh\n\n   stop\n   :now:\n", "stop ⏎ :now:"},
		{Code, "stop\nnow", "stop ⏎ now"},
		{Heading, "** Stop =air=", "Stop air"},
		{Heading, "Stop ``air``\n============", "Stop air"},
		{Item, "* stop *now*", "stop now"},
		{Footnote, ".. [t1] Only `pumps`_.", "Only pumps."},
		{Footnote, "[fn:1] Only pumps.", "Only pumps."},
		{Row, "| =stop= | *now* |", "stop; now"},
	} {
		p := Passage{Format: Wrapped, Text: test.written, Blocks: []Block{{Kind: test.kind, Span: Span{End: len(test.written)}}}}
		if test.kind == Footnote && test.written[0] == '.' {
			p.Place.File = "a.rst"
		}
		if got := p.Render().Span(Span{End: len(test.written)}); got != test.want {
			t.Errorf("%s %q is shown as %q instead of %q", test.kind, test.written, got, test.want)
		}
	}
}
