package note

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"lacuna/knowledge/head"
	"lacuna/knowledge/plaintext"
)

// languageNames lists the identifiers and file extensions of each language, in lower case.
var languageNames = []struct {
	language Language
	ids      []string // editors' language identifiers
	endings  []string // of files
}{
	{Markdown, []string{"markdown", "md", "gfm", "pandoc", "quarto", "rmd", "mdx"}, []string{".md", ".markdown", ".qmd", ".rmd", ".mdx"}},
	{Plaintext, []string{"plaintext", "text", "txt", "plain"}, []string{".txt", ".text"}},
	{Org, []string{"org"}, []string{".org"}},
	{Latex, []string{"latex", "tex", "plaintex", "plain-tex"}, []string{".tex", ".latex", ".ltx"}},
	{RST, []string{"restructuredtext", "rst"}, []string{".rst", ".rest"}},
	{AsciiDoc, []string{"asciidoc", "asciidoctor", "adoc"}, []string{".adoc", ".asciidoc"}},
	{Typst, []string{"typst", "typ"}, []string{".typ"}},
}

// Languages returns all languages.
func Languages() []Language {
	var all []Language
	for _, n := range languageNames {
		all = append(all, n.language)
	}
	return all
}

// Endings returns the endings of the files that can be notes, each with its dot.
func Endings() []string {
	var all []string
	for _, n := range languageNames {
		all = append(all, n.endings...)
	}
	return all
}

// LanguageOf chooses the language by an editor's language identifier, else by the file's name. Unknown
// ones are plain text. Most editors do not know Quarto and R Markdown and call them plain text, in which code
// would be read as questions; there the name decides as well.
func LanguageOf(languageID, path string) Language {
	if language, ok := languageByID(languageID); ok && (language != Plaintext || !literate(path)) {
		return language
	}
	if language, ok := languageByExtension(path); ok {
		return language
	}
	return Plaintext
}

// literate reports whether a file is Markdown with code, by its name.
func literate(path string) bool {
	return slices.Contains([]string{".qmd", ".rmd"}, strings.ToLower(filepath.Ext(path)))
}

// Known reports whether a document can be a note: by its language identifier or, without one, by the
// file's name.
func Known(languageID, path string) bool {
	if languageID != "" {
		_, ok := languageByID(languageID)
		return ok
	}
	_, ok := languageByExtension(path)
	return ok
}

func languageByID(languageID string) (Language, bool) {
	for _, n := range languageNames {
		if slices.Contains(n.ids, strings.ToLower(languageID)) {
			return n.language, true
		}
	}
	return "", false
}

func languageByExtension(path string) (Language, bool) {
	extension := strings.ToLower(filepath.Ext(path))
	for _, n := range languageNames {
		if slices.Contains(n.endings, extension) {
			return n.language, true
		}
	}
	return "", false
}

func (l Language) markup() *markup {
	switch l {
	case Markdown:
		return &markdown
	case Org:
		return &org
	case Latex:
		return &latex
	case RST:
		return &rest
	case AsciiDoc:
		return &asciidoc
	case Typst:
		return &typst
	}
	return &plain
}

// head returns the language as package head names it.
func (l Language) head() head.Markup {
	switch l {
	case Markdown:
		return head.Markdown
	case Org:
		return head.Org
	case Latex:
		return head.LaTeX
	case RST:
		return head.RST
	case AsciiDoc:
		return head.AsciiDoc
	case Typst:
		return head.Typst
	}
	return head.Plain
}

// Directives returns the words that can follow "lacuna:" in a comment.
func Directives() []string { return []string{"ask", "skip", "off", "on", "private"} }

// Directive returns the line that gives a directive, as a comment of the language. "private" is not a
// comment in Markdown, where it belongs in the front matter, nor in plain text, where it belongs on the
// first lines.
func (l Language) Directive(word string) string {
	switch {
	case word == "private" && (l == Markdown || l == Plaintext):
		return "lacuna: private"
	case l.Comment() == "<!--":
		return "<!-- lacuna: " + word + " -->"
	}
	return l.Comment() + " lacuna: " + word
}

// Comment returns the beginning of a comment that can hold a directive.
func (l Language) Comment() string { return strings.TrimSpace(l.markup().comment) }

// Link returns a reference to a place of a source for a note's own text: a link in Markdown, elsewhere the
// label in brackets.
func (l Language) Link(s BlockSource) string {
	if l == Markdown {
		return "[" + escapeLabel(s.Label) + "](" + linkTarget(s) + ")"
	}
	return "[" + l.markup().escape(plaintext.OneLine(s.Label)) + "]"
}

// WalkFiles calls take for each file below root that is a note by its name, in the order of names. It
// skips hidden files and folders, node_modules and what cannot be read, and does not follow links. Before
// that it calls pass for every file and folder that is not skipped. Errors of pass and take are treated
// as in [filepath.WalkDir]: fs.SkipDir skips the folder, fs.SkipAll the rest.
func WalkFiles(root string, pass func(path string, entry fs.DirEntry) error, take func(path string, entry fs.DirEntry) error) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		name := filepath.Base(path)
		passedOver := path != root && strings.HasPrefix(name, ".")
		switch {
		case err != nil && (entry == nil || entry.IsDir()):
			return fs.SkipDir
		case entry.IsDir() && (passedOver || name == "node_modules"):
			return fs.SkipDir
		case err != nil || passedOver:
			return nil
		}
		if err := pass(path, entry); err != nil {
			if err == fs.SkipDir && !entry.IsDir() {
				return nil
			}
			return err
		}
		if !entry.Type().IsRegular() || !Known("", path) {
			return nil
		}
		return take(path, entry)
	})
}
