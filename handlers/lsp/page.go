package lsp

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.lsp.dev/protocol"

	"lacuna/knowledge/plaintext"
)

// A page is a text that the server shows and that is no file: a report, a preview. Version 3.18 of the
// protocol has requests for the contents of such documents.
const (
	MethodTextDocumentContent        = "workspace/textDocumentContent"
	MethodTextDocumentContentRefresh = "workspace/textDocumentContent/refresh"
	// PageScheme begins the URIs of pages.
	PageScheme = "lacuna"
)

// TextDocumentContentParams asks for the content of a page, or says that it has changed.
type TextDocumentContentParams struct {
	URI protocol.DocumentURI `json:"uri"`
}

// TextDocumentContentResult is the content of a page.
type TextDocumentContentResult struct {
	Text string `json:"text"`
}

// TextDocumentContentOptions says which URIs the server has contents for.
type TextDocumentContentOptions struct {
	Schemes []string `json:"schemes"`
}

// mostPageName bounds the characters of a page's name: it is the title of a tab, and perhaps a file's name.
const mostPageName = 60

// PageName makes the name of a page, or of a file, of its title.
func PageName(title string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(`/\:*?"<>|#%`, r) || unicode.IsControl(r):
			return ' '
		}
		return r
	}, title)
	name = strings.Trim(plaintext.OneLine(name), " .")
	if runes := []rune(name); len(runes) > mostPageName {
		name = strings.TrimSpace(string(runes[:mostPageName-1])) + "…"
	}
	if IsReserved(name) {
		name = "Page " + name
	}
	return name + ".md"
}

// IsReserved reports whether the name of a file, with any ending, means a device in Windows and not a file. Folders are
// shared between systems, so no such file is made on any.
func IsReserved(name string) bool {
	name, _, _ = strings.Cut(strings.ToLower(name), ".")
	switch name = strings.TrimRight(name, " "); name {
	case "con", "prn", "aux", "nul", "conin$", "conout$":
		return true
	}
	device, number := strings.CutPrefix(name, "com")
	if !number {
		device, number = strings.CutPrefix(name, "lpt")
	}
	return number && utf8.RuneCountInString(device) == 1 && strings.ContainsAny(device, "0123456789¹²³")
}

// PageURI returns the URI of a page by its name.
func PageURI(name string) protocol.DocumentURI {
	u := url.URL{Scheme: PageScheme, OmitHost: true, Path: "/" + name}
	return protocol.DocumentURI(u.String())
}

// Page returns the name of the page that a URI means, in any spelling; ok is false if it means another
// document.
func Page(uri protocol.DocumentURI) (name string, ok bool) {
	u, err := url.Parse(string(uri))
	if err != nil || u.Scheme != PageScheme {
		return "", false
	}
	return strings.TrimLeft(u.Path, "/"), true
}
