package ingest

import (
	"strings"
	"testing"

	"lacuna/knowledge/passage"
)

// A bar that begins the next sentence was also taken for the end of the one before it, and the file
// was lost to the overlap.
func TestBarBehindSentence(t *testing.T) {
	for name, content := range map[string]string{
		"prose.md":    "Returns the number of rows. | Integer. The rest follows.\n",
		"narrow.md":   "A. | B.\n",
		"nbsp.md":     "One thing.\u00a0| Another thing.\n",
		"tab.md":      "One thing.\t| Another thing.\n",
		"wide.md":     "高血压。 | 糖尿病。 | 哮喘。\n",
		"bars.md":     "One. || Two. ||| Three.\n",
		"cells.txt":   "| One. | Two. |\n| Three. Four. | Five. |\n",
		"item.org":    "- One. | Two.\n| a. | B. |\n",
		"option.rst":  "``a``. | Two.\n\n| A line. | Another.\n",
		"table.html":  "<table><tr><td>One. <td>Two. Three. <td>| Four.</table><p>Five. | Six.",
		"rows.jsonl":  `{"text":"One. | Two."}` + "\n",
		"columns.csv": "text\nOne. | Two.\n",
		"document.docx": word(`<w:tbl><w:tr><w:tc><w:p><w:r><w:t>One.</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>Two. Three.</w:t></w:r></w:p></w:tc></w:tr></w:tbl>`,
			""),
	} {
		dir := folder(t, map[string]string{name: content})
		files := read(t, Source{Name: "s", Kind: passage.Text, Path: dir})
		if len(files) != 1 || files[0].State != Indexed || files[0].Reason != "" {
			t.Errorf("%s: %+v", name, files)
			continue
		}
		var all strings.Builder
		for _, p := range files[0].Passages {
			all.WriteString(p.Text)
		}
		for _, last := range []string{"B.", "Another thing.", "哮喘。", "Three.", "Five.", "Six.", "Two."} {
			if strings.Contains(content, last) && !strings.Contains(all.String(), last) {
				t.Errorf("%s: %q lacks %q", name, all.String(), last)
			}
		}
	}
}
