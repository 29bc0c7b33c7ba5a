package handlers

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
	"lacuna/handlers/note"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/sanitise"
)

// stubSource returns the source for new pages: the first one that is a folder of running text inside the
// workspace.
func (s Snapshot) stubSource() (ingest.Source, bool) {
	for _, source := range s.Settings.Sources {
		if source.Kind != passage.Text || !source.Confined {
			continue
		}
		if info, err := os.Stat(source.Path); err == nil && info.IsDir() {
			return source, true
		}
	}
	return ingest.Source{}, false
}

// startPage creates a page about a gap. It contains only a heading and a comment, so that nothing of it can
// be quoted before the user has written it.
func (c call) startPage(q note.Question) (Outcome, error) {
	source, ok := c.stubSource()
	if !ok {
		return Outcome{}, lsp.Failed("%s", messages.NoStubPlace)
	}
	topic := plaintext.OneLine(sanitise.Visible(c.arguments.Query))
	if topic == "" {
		topic = q.Text
	}
	path, err := freePath(source.Path, slug(topic))
	if err != nil {
		return Outcome{}, lsp.Failed("%s", messages.NoPage(err))
	}
	return succeed(CreateFile{path, stub(topic, q.Text)})
}

// stub returns the text of a new page about a topic that a question asks for.
func stub(topic, question string) string {
	question = strings.ReplaceAll(plaintext.OneLine(sanitise.Visible(question)), "--", "– ") // two hyphens could end the comment
	return fmt.Sprintf("# %s\n\n<!-- %s -->\n", escapeMarkdown(messages.UpperFirst(topic)), fmt.Sprintf(messages.StubPage, question))
}

// freePath returns the path of a Markdown file in a folder that does not exist yet.
func freePath(folder, name string) (string, error) {
	for i := 1; i < 100; i++ {
		file := name + ".md"
		if i > 1 {
			file = fmt.Sprintf("%s-%d.md", name, i)
		}
		path := filepath.Join(folder, file)
		switch _, err := os.Lstat(path); {
		case os.IsNotExist(err):
			return path, nil
		case err != nil:
			return "", err
		}
	}
	return "", fmt.Errorf("%s: %w", filepath.Join(folder, name+".md"), fs.ErrExist)
}

// maxSlug is the greatest length of a file name in characters, without its extension.
const maxSlug = 60

// slug converts a topic to a file name: letters and digits of any script, in lower case, with hyphens. It
// never contains a separator or a dot, and is never empty or a name that Windows reserves.
func slug(topic string) string {
	words := strings.FieldsFunc(strings.ToLower(topic), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
	runes := []rune(strings.Join(words, "-"))
	if len(runes) > maxSlug {
		runes = runes[:maxSlug]
		if cut := strings.LastIndexByte(string(runes), '-'); cut > 0 {
			runes = []rune(string(runes)[:cut])
		}
	}
	switch name := string(runes); {
	case name == "":
		return "page"
	case reservedName(name):
		return "page-" + name
	default:
		return name
	}
}

// reservedName reports whether the name means a device in Windows.
func reservedName(name string) bool {
	switch name {
	case "con", "prn", "aux", "nul":
		return true
	}
	return len(name) == 4 && (strings.HasPrefix(name, "com") || strings.HasPrefix(name, "lpt"))
}
