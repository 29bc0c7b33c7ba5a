package notebook

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestWith(t *testing.T) {
	tests := []struct {
		name, file string
		cell       int
		text       string
		want       string
	}{
		{
			"lines are added below the last, which gets its line end", `{
 "cells": [
  {
   "cell_type": "markdown",
   "metadata": {},
   "source": [
    "# Dose\n",
    "\u0041 & <b>?"
   ]
  }
 ],
 "nbformat": 4
}
`, 0, "# Dose\nA & <b>?\n\n<!-- x -->\n- \"é\"", `{
 "cells": [
  {
   "cell_type": "markdown",
   "metadata": {},
   "source": [
    "# Dose\n",
    "A & <b>?\n",
    "\n",
    "<!-- x -->\n",
    "- \"é\""
   ]
  }
 ],
 "nbformat": 4
}
`,
		},
		{
			"lines that stay keep their bytes, tabs indent, keys keep their order",
			"{\"nbformat\":4,\n\t\"cells\":[{\"source\":[\n\t\t\"\\u0041\\n\",\n\t\t\"b\\n\",\n\t\t\"\\u0043\"\n\t],\"cell_type\":\"markdown\"}]}", 0, "A\nnew\nb\nC",
			"{\"nbformat\":4,\n\t\"cells\":[{\"source\":[\n\t\t\"\\u0041\\n\",\n\t\t\"new\\n\",\n\t\t\"b\\n\",\n\t\t\"\\u0043\"\n\t],\"cell_type\":\"markdown\"}]}",
		},
		{
			"a text stays one text", `{"cells":[{"cell_type":"code","outputs":[{"text":"1.0"}],"source":"x"},{"cell_type":"markdown","source":"Why?"}]}`, 1, "Why?\n\nSo.",
			`{"cells":[{"cell_type":"code","outputs":[{"text":"1.0"}],"source":"x"},{"cell_type":"markdown","source":"Why?\n\nSo."}]}`,
		},
		{
			"on one line", `{"cells":[{"cell_type":"markdown","source":["a?"]}]}`, 0, "a?\nb", `{"cells":[{"cell_type":"markdown","source":["a?\n","b"]}]}`,
		},
		{
			"nothing is changed", `{"cells" : [ {"cell_type":"markdown","source":[ "a\u0062" ] } ] , "x":1e2}`, 0, "ab", `{"cells" : [ {"cell_type":"markdown","source":[ "a\u0062" ] } ] , "x":1e2}`,
		},
		{
			"everything is taken out", `{"cells":[{"cell_type":"markdown","source":["a"]}]}`, 0, "", `{"cells":[{"cell_type":"markdown","source":[]}]}`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			n, err := Read(test.file)
			if err != nil {
				t.Fatal(err)
			}
			if got := n.With(map[int]string{test.cell: test.text}); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestRead(t *testing.T) {
	tests := []struct {
		name, file string
		want       string // types and texts of the cells, or the error
	}{
		{"no JSON", "# Dose?", ErrNotNotebook.Error()},
		{"other JSON", `{"a":1}`, ErrNotNotebook.Error()},
		{"a list", `[]`, ErrNotNotebook.Error()},
		{"version 3", `{"worksheets":[{"cells":[]}]}`, ErrNotNotebook.Error()},
		{"cells are no list", `{"cells":{}}`, ErrNotNotebook.Error()},
		{"a cell is no object", `{"cells":["a"]}`, ErrNotNotebook.Error()},
		{"two sources", `{"cells":[{"source":"a","source":"b"}]}`, ErrAmbiguous.Error()},
		{"two lists of cells", `{"cells":[],"cells":[]}`, ErrAmbiguous.Error()},
		{"not UTF-8", "{\"cells\":[{\"source\":\"\xff\"}]}", ErrNotNotebook.Error()},
		{"more behind it", `{"cells":[]} {}`, ErrNotNotebook.Error()},
		{"no cells", `{"cells":[]}`, ""},
		{"no source", `{"cells":[{"cell_type":"markdown"}]}`, ":|"},
		{"a source of another type", `{"cells":[{"cell_type":"markdown","source":[1]},{"cell_type":"markdown","source":null}]}`, ":|:|"},
		{"half a character", `{"cells":[{"cell_type":"markdown","source":"\ud800?"}]}`, ":|"},
		{"a sign that stands for what is no character", `{"cells":[{"cell_type":"markdown","source":["\ufffd","` + "\uFFFD" + `"]}]}`, "markdown:\uFFFD\uFFFD|"},
		{"both forms", `{"cells":[{"cell_type":"raw","source":"a"},{"cell_type":"code","source":["b\n","c"]}]}`, "raw:a|code:b\nc|"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got strings.Builder
			n, err := Read(test.file)
			if err != nil {
				got.WriteString(err.Error())
			} else {
				for _, c := range n.Cells {
					got.WriteString(c.Type + ":" + c.Text + "|")
				}
			}
			if got.String() != test.want {
				t.Errorf("got %q, want %q", got.String(), test.want)
			}
		})
	}
}

// FuzzWith writes a text into every cell of any file and checks that the JSON then says what it said before except the
// texts of the cells, and that a text that is the same changes no byte.
func FuzzWith(f *testing.F) {
	f.Add(`{"cells":[{"cell_type":"markdown","metadata":{},"source":["a\n","b?"]},{"source":"c","outputs":[1.0]}],"x":{"cells":[{"source":"d"}]}}`, "a\nnew\nb?")
	f.Add(`{ "cells" : [ { "source" : [ ] } , {"source":["\ud83d\ude00\n", ""]} ] }`, "\u2028\n\n")
	f.Add(`{"cells":[{"source":["a","b\n","c"]}]}`, "ab\nx\nc")
	f.Fuzz(func(t *testing.T, file, text string) {
		n, err := Read(file)
		if err != nil || !utf8.ValidString(text) {
			return
		}
		same, other := make(map[int]string), make(map[int]string)
		for i, c := range n.Cells {
			if same[i] = c.Text; c.end > 0 {
				other[i] = text
			}
		}
		if got := n.With(same); got != file {
			t.Fatalf("nothing was changed, and\n%q became\n%q", file, got)
		}
		changed := n.With(other)
		after, err := Read(changed)
		if err != nil || len(after.Cells) != len(n.Cells) {
			t.Fatalf("%q: %v, %d cells of %d", changed, err, len(after.Cells), len(n.Cells))
		}
		for i, c := range after.Cells {
			if n.Cells[i].end > 0 && c.Text != text {
				t.Fatalf("cell %d of %q has %q, want %q", i, changed, c.Text, text)
			}
		}
		if was, is := withoutSources(t, file), withoutSources(t, changed); !reflect.DeepEqual(was, is) {
			t.Fatalf("%q became %q", file, changed)
		}
	})
}

// withoutSources decodes a notebook and empties the sources of its cells.
func withoutSources(t *testing.T, file string) map[string]any {
	var book map[string]any
	d := json.NewDecoder(strings.NewReader(file))
	d.UseNumber()
	if err := d.Decode(&book); err != nil {
		t.Fatal(err)
	}
	cells, _ := book["cells"].([]any)
	for _, cell := range cells {
		if fields, ok := cell.(map[string]any); ok {
			fields["source"] = nil
		}
	}
	return book
}
