package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
)

// TestTroubleshootingHasEveryCheck holds the page against the doctor: a section for each of its
// checks, in the order in which they are made, and for nothing else.
func TestTroubleshootingHasEveryCheck(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(docs, "troubleshooting.md"))
	if err != nil {
		t.Fatal(err)
	}
	var sections []string
	for _, heading := range regexp.MustCompile(`(?m)^## ([a-z]+)$`).FindAllStringSubmatch(string(text), -1) {
		sections = append(sections, heading[1])
	}
	checks := checksOfDoctor(t)
	for _, check := range checks {
		if !slices.Contains(sections, check) {
			t.Errorf("the page has no section about the check %q", check)
		}
	}
	for _, section := range sections {
		if !slices.Contains(checks, section) {
			t.Errorf("the page has a section about %q, which the doctor does not check", section)
		}
	}
}

// checksOfDoctor returns the names with which the doctor's methods report, from its source: no one set-up
// makes it say all of them.
func checksOfDoctor(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("doctor*.go")
	if err != nil {
		t.Fatal(err)
	}
	var checks []string
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(node ast.Node) bool {
			call, isCall := node.(*ast.CallExpr)
			if !isCall || len(call.Args) == 0 {
				return true
			}
			method, isMethod := call.Fun.(*ast.SelectorExpr)
			literal, isLiteral := call.Args[0].(*ast.BasicLit)
			if isMethod && isLiteral && slices.Contains([]string{"add", "tried", "private"}, method.Sel.Name) {
				check, err := strconv.Unquote(literal.Value)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Contains(checks, check) {
					checks = append(checks, check)
				}
			}
			return true
		})
	}
	if len(checks) < 8 {
		t.Fatalf("only %q were found in %q", checks, files)
	}
	return checks
}
