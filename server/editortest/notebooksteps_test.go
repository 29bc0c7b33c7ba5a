package editortest_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"go.lsp.dev/protocol"

	"lacuna/server/editortest"
)

// openNotebook opens a notebook on disk; its cells are called 1, 2 and so on.
func (s *scenario) openNotebook(file string) {
	data, err := os.ReadFile(s.path(file))
	s.must(err)
	var book struct {
		Cells []struct {
			Type   string `json:"cell_type"`
			Source []string
		}
	}
	s.must(json.Unmarshal(data, &book))
	var cells []editortest.Cell
	for i, cell := range book.Cells {
		language := cell.Type
		if language == "code" {
			language = "python"
		}
		cells = append(cells, editortest.Cell{Name: fmt.Sprint(i + 1), Language: language, Text: strings.Join(cell.Source, "")})
	}
	s.editor.OpenNotebook(s.uri(file), cells)
}

// cellOf returns the notebook and the name of a cell that a step writes as "FILE#NAME".
func (s *scenario) cellOf(file string) (notebook protocol.DocumentURI, name string, isCell bool) {
	file, name, isCell = strings.Cut(file, "#")
	return s.uri(file), name, isCell
}
