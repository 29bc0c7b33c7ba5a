package messages_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// sentence matches what reads as a text for users: three words after a capital letter, or a whole
// sentence. Errors and lines of the log begin in lower case.
var sentence = regexp.MustCompile(`(?s)^\p{Lu}.* .* .*[.?…!]$|^\p{Lu}\w+( [\p{L}%“]+){2,}`)

// TestSentencesStandInTheCatalogue looks for texts for users in the packages that talk to editors. The
// command line has texts of its own.
func TestSentencesStandInTheCatalogue(t *testing.T) {
	apart := []string{"../messages", "../../server/cli", "../../server/evaluation", "../../server/editortest"}
	for _, root := range []string{"..", "../../server"} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && slices.Contains(apart, filepath.ToSlash(path)):
				return fs.SkipDir
			case entry.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				literal, ok := n.(*ast.BasicLit)
				if !ok || literal.Kind != token.STRING {
					return true
				}
				if text, err := strconv.Unquote(literal.Value); err == nil && sentence.MatchString(text) {
					t.Errorf("%s: %q belongs into the catalogue", files.Position(literal.Pos()), text)
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
