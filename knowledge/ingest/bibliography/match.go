package bibliography

import (
	"path"
	"regexp"
	"strings"
	"unicode"

	"lacuna/knowledge/plaintext"
)

// Library finds the entry that describes a file. It is immutable.
type Library struct {
	entries []Entry
	paths   map[string]int // whole paths, with forward slashes; -1 if several entries have one
	names   map[string]int // the last part of paths, folded
	keys    map[string]int // folded
	dois    map[string]int
	titles  map[string][]int // by their first words
}

// List is the entries of one file.
type List struct {
	Folder  string // of the file, with forward slashes, relative to the source or absolute
	Entries []Entry
}

// NewLibrary returns a library of lists.
func NewLibrary(lists []List) *Library {
	l := &Library{paths: map[string]int{}, names: map[string]int{}, keys: map[string]int{}, dois: map[string]int{}, titles: map[string][]int{}}
	for _, list := range lists {
		for _, e := range list.Entries {
			at := len(l.entries)
			l.entries = append(l.entries, e)
			for _, file := range e.Files {
				full := file
				if !path.IsAbs(file) && !(len(file) > 1 && file[1] == ':') {
					full = path.Join(list.Folder, file)
				}
				l.add(l.paths, path.Clean(full), at)
				l.add(l.names, strings.ToLower(path.Base(file)), at)
			}
			if key := foldKey(e.Key); len(key) >= shortestKey {
				l.add(l.keys, key, at)
			}
			if e.DOI != "" {
				l.add(l.dois, e.DOI, at)
			}
			if words := titleWords(e.Title); len(words) >= shortestTitle {
				first := strings.Join(words[:shortestTitle], " ")
				if len(l.titles[first]) < 8 {
					l.titles[first] = append(l.titles[first], at)
				}
			}
		}
	}
	return l
}

const (
	shortestKey   = 4 // letters and digits of a citation key that names a file
	shortestTitle = 5 // words of a title that is looked for on a first page
)

// add notes an entry under a name. Two different works under one name are neither.
func (l *Library) add(names map[string]int, name string, at int) {
	known, taken := names[name]
	switch {
	case !taken:
		names[name] = at
	case known >= 0 && !same(&l.entries[known], &l.entries[at]):
		names[name] = -1
	}
}

// same reports whether two entries are of one work, as in two lists that overlap.
func same(a, b *Entry) bool {
	if a.DOI != "" && b.DOI != "" {
		return a.DOI == b.DOI
	}
	return a.Title != "" && strings.EqualFold(a.Title, b.Title)
}

// foldKey returns the letters and digits of a key: file names cannot have all its characters.
func foldKey(key string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, key)
}

func (l *Library) entry(names map[string]int, name string) *Entry {
	if at, found := names[name]; found && at >= 0 {
		return &l.entries[at]
	}
	return nil
}

// OfFile returns the entry whose file field names a file, or whose citation key is its name; nil if
// none does. File is in the terms of [List.Folder], with forward slashes.
func (l *Library) OfFile(file string) *Entry {
	if e := l.entry(l.paths, path.Clean(file)); e != nil {
		return e
	}
	base := strings.ToLower(path.Base(file))
	if e := l.entry(l.names, base); e != nil {
		return e
	}
	return l.entry(l.keys, foldKey(strings.TrimSuffix(base, path.Ext(base))))
}

var doiPattern = regexp.MustCompile(`(?i)\b10\.\d{4,9}/[^\s"<>{}|]+`)

// maxTop is how many words of a first page may hold the title of the work.
const maxTop = 200

// OfPage returns the entry of a work by its first page; nil if it is not certain: the page has the DOI
// of one entry and no other DOI, or the title of one entry stands at its top.
func (l *Library) OfPage(text string) *Entry {
	only := ""
	for _, found := range doiPattern.FindAllString(text, 20) {
		doi := doiOf(found)
		if only != "" && doi != only {
			only = ""
			break
		}
		only = doi
	}
	if e := l.entry(l.dois, only); only != "" && e != nil {
		return e
	}
	words := titleWords(text)
	words = words[:min(len(words), maxTop)]
	top := " " + strings.Join(words, " ") + " "
	var match *Entry
	for i := 0; i+shortestTitle <= len(words); i++ {
		for _, at := range l.titles[strings.Join(words[i:i+shortestTitle], " ")] {
			e := &l.entries[at]
			if !strings.Contains(top, " "+strings.Join(titleWords(e.Title), " ")+" ") {
				continue
			}
			if match != nil && !same(match, e) {
				return nil
			}
			match = e
		}
	}
	return match
}

// titleWords returns the words of a title for comparison.
func titleWords(title string) []string {
	const longest = 4000
	if len(title) > longest {
		title = strings.ToValidUTF8(title[:longest], "")
	}
	return strings.FieldsFunc(plaintext.Fold(title), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

var nothingTitle = regexp.MustCompile(`(?i)^(microsoft (word|powerpoint|excel)\b.*|powerpoint presentation|untitled.*|document ?\d*|slide ?\d*|layout ?\d*|.*\.(docx?|pptx?|tex|dvi|pdf|indd|qxd|ps|rtf)|[a-z]{0,3}[\d\W_]*)$`)

// IsNameless reports whether a title says nothing about a file: it is empty, its file's name, or what
// programs write.
func IsNameless(title, file string) bool {
	title = strings.TrimSpace(title)
	return foldKey(title) == foldKey(strings.TrimSuffix(path.Base(file), path.Ext(file))) || nothingTitle.MatchString(title)
}
