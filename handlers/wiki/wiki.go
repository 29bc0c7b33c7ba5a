// Package wiki names files as the links of wikis do, in double brackets: by the file's name, with as many of its folders
// as tell it from others, and without the ending of a Markdown file. Obsidian, Foam, zk and marksman read such links.
package wiki

import (
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"lacuna/knowledge/plaintext"
)

// Names holds the files that links are to tell apart.
type Names struct {
	count map[string]int // of the files that a name means, in lower case
}

// NamesOf returns the names of some files, by their absolute paths. A file may be there several times.
func NamesOf(files []string) Names {
	names, seen := Names{make(map[string]int)}, make(map[string]bool)
	for _, file := range files {
		if seen[file] {
			continue
		}
		seen[file] = true
		for name := range suffixes(bare(file)) {
			names.count[strings.ToLower(name)]++
		}
	}
	return names
}

// mostFolders bounds the folders in a name.
const mostFolders = 8

// suffixes returns the ends of a path, the shortest first.
func suffixes(name string) func(func(string) bool) {
	return func(yield func(string) bool) {
		at := len(name)
		for range mostFolders {
			if at = strings.LastIndexByte(name[:at], '/'); at < 0 {
				yield(name)
				return
			}
			if !yield(name[at+1:]) {
				return
			}
		}
	}
}

// Of returns the shortest name that means a file and none of the others; false if there is none, or if a link in double
// brackets cannot hold it.
func (n Names) Of(file string) (string, bool) {
	for name := range suffixes(bare(file)) {
		if n.count[strings.ToLower(name)] <= 1 {
			return name, Holds(name)
		}
	}
	return "", false
}

// Holds reports whether a link in double brackets can name a page so.
func Holds(name string) bool {
	return name != "" && name == strings.TrimSpace(name) && !strings.ContainsAny(name, "#|^[]\\\n\r\t")
}

// Means reports whether a link with a name may mean a file: the name is its path or the end of that, with or without the
// ending of a Markdown file, in upper or lower case.
func Means(name, file string) bool {
	name = strings.TrimPrefix(path.Clean(strings.TrimSpace(name)), "/")
	for strings.HasPrefix(name, "../") {
		name = name[len("../"):]
	}
	whole := filepath.ToSlash(file)
	if endsWith(whole, name) || endsWith(bare(file), name) {
		return true
	}
	if strings.IndexFunc(name, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return false
	}
	name = plaintext.Fold(name) // some systems write an umlaut as two characters
	return endsWith(plaintext.Fold(whole), name) || endsWith(plaintext.Fold(bare(file)), name)
}

func endsWith(file, name string) bool {
	at := len(file) - len(name)
	return name != "." && at >= 0 && strings.EqualFold(file[at:], name) && (at == 0 || file[at-1] == '/')
}

// bare returns the path of a file with forward slashes and without the ending of a Markdown file.
func bare(file string) string {
	file = filepath.ToSlash(file)
	if ending := path.Ext(file); strings.EqualFold(ending, ".md") || strings.EqualFold(ending, ".markdown") {
		return file[:len(file)-len(ending)]
	}
	return file
}

// Heading returns a heading as a link names it: without the characters that end or divide the link.
func Heading(heading string) string {
	return strings.Join(strings.FieldsFunc(heading, func(r rune) bool {
		return r == ' ' || r == '\t' || strings.ContainsRune("#|^[]%:\\\n\r", r)
	}), " ")
}
