package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	pageLink    = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	pageHeading = regexp.MustCompile(`(?m)^#{1,6} +(.+?) *$`)
	pageCode    = regexp.MustCompile("(?ms)^ *```.*?^ *```|`[^`\n]*`")
	notOfAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// TestLinksOfThePagesLead follows every link of a page to a file or a heading of this repository.
func TestLinksOfThePagesLead(t *testing.T) {
	root := filepath.Join("..", "..")
	followed := 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			switch entry.Name() {
			case "node_modules", "testdata", "examples", ".git", "out":
				return fs.SkipDir
			}
			return nil
		}
		if filepath.Ext(path) == ".md" {
			followed += followLinks(t, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if followed < 50 {
		t.Errorf("only %d links were found", followed)
	}
}

// followLinks reports the links of a page that lead nowhere, and returns how many it looked at.
func followLinks(t *testing.T, page string) int {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	links := pageLink.FindAllStringSubmatch(pageCode.ReplaceAllString(string(text), ""), -1)
	for _, link := range links {
		target, anchor, _ := strings.Cut(link[1], "#")
		if strings.Contains(target, ":") {
			continue // elsewhere
		}
		file := page
		if target != "" {
			file = filepath.Join(filepath.Dir(page), filepath.FromSlash(target))
		}
		linked, err := os.ReadFile(file)
		if err != nil && (!isFolder(file) || anchor != "") {
			t.Errorf("%s: %s is not there", page, link[1])
			continue
		}
		if anchor != "" && !hasAnchor(string(linked), anchor) {
			t.Errorf("%s: %s has no such heading", page, link[1])
		}
	}
	return len(links)
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// hasAnchor reports whether a page has a heading with that anchor, as forges make them of headings.
func hasAnchor(text, anchor string) bool {
	for _, heading := range pageHeading.FindAllStringSubmatch(text, -1) {
		name := notOfAnchor.ReplaceAllString(strings.ToLower(heading[1]), "")
		if strings.ReplaceAll(name, " ", "-") == anchor {
			return true
		}
	}
	return false
}
