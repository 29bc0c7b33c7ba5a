package editortest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
)

// rename renames a file or folder as editors do: what the server wants edited is edited, the files are
// moved, their buffers closed and opened under the new names, and the server is told.
func (s *scenario) rename(from, to string) string {
	params := map[string]any{"files": []any{map[string]any{"oldUri": s.uri(from), "newUri": s.uri(to)}}}
	var edit *lsp.WorkspaceEdit
	s.editor.MustCall("workspace/willRenameFiles", params, &edit)
	printed := "nothing has to be edited\n"
	if edit != nil {
		printed = ""
		for _, uri := range s.editor.Apply(*edit) {
			printed += fmt.Sprintf("edited %s\n", s.tidy(string(uri)))
		}
	}
	moved := make(map[protocol.DocumentURI]string)
	for uri := range s.editor.Buffers() {
		if path, _ := lsp.Path(uri); within(path, s.path(from)) {
			moved[uri] = s.editor.CloseBuffer(uri)
			s.must(os.WriteFile(path, []byte(moved[uri]), 0o644))
		}
	}
	s.must(os.MkdirAll(filepath.Dir(s.path(to)), 0o755))
	s.must(os.Rename(s.path(from), s.path(to)))
	for uri, text := range moved {
		path, _ := lsp.Path(uri)
		s.editor.Open(lsp.URI(strings.Replace(path, s.path(from), s.path(to), 1)), "markdown", text)
	}
	s.read = s.gate.count()
	s.editor.Notify("workspace/didRenameFiles", params)
	return printed
}

// renameSource renames the source that is cited at a place, and prints what the editor offers to change, the refusal, or
// what was edited.
func (s *scenario) renameSource(file, place, name string) string {
	params := about(s.uri(file))
	params["position"] = s.find(file, place).Start
	var offer lsp.PrepareRenameResult
	if err := s.editor.Call("textDocument/prepareRename", params, &offer); err != nil {
		return s.tidy(err.Error()) + "\n"
	}
	printed := fmt.Sprintf("%s %q\n", placed(offer.Range), offer.Placeholder)
	params["newName"] = name
	var edit lsp.WorkspaceEdit
	if err := s.editor.Call("textDocument/rename", params, &edit); err != nil {
		return printed + s.tidy(err.Error()) + "\n"
	}
	s.read = s.gate.count()
	for _, uri := range s.editor.Apply(edit) {
		printed += fmt.Sprintf("edited %s\n", s.tidy(string(uri)))
	}
	return printed
}

// delete deletes a file or folder as editors do.
func (s *scenario) delete(file string) {
	for uri := range s.editor.Buffers() {
		if path, _ := lsp.Path(uri); within(path, s.path(file)) {
			s.editor.CloseBuffer(uri)
		}
	}
	s.must(os.RemoveAll(s.path(file)))
	s.read = s.gate.count()
	s.editor.Notify("workspace/didDeleteFiles", map[string]any{"files": []any{map[string]any{"uri": s.uri(file)}}})
}

func (s *scenario) path(file string) string {
	return filepath.Join(s.folder, filepath.FromSlash(file))
}

func (s *scenario) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+string(filepath.Separator))
}
