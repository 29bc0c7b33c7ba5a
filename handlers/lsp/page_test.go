package lsp

import (
	"strings"
	"testing"

	"go.lsp.dev/protocol"
)

func TestPageName(t *testing.T) {
	for title, want := range map[string]string{
		"What your sources do not know":       "What your sources do not know.md",
		"To model.example:443, “really?”":     "To model.example 443, “really ”.md",
		"../../etc/passwd\x00\n# a":           "etc passwd a.md",
		strings.Repeat("ä", mostPageName+1):   strings.Repeat("ä", mostPageName-1) + "….md",
		strings.Repeat("x", mostPageName):     strings.Repeat("x", mostPageName) + ".md",
		"Nothing has been sent.":              "Nothing has been sent.md",
		"100 % of <b>“it”</b> | and *more*\\": "100 of b “it” b and more.md",
	} {
		got := PageName(title)
		if got != want {
			t.Errorf("%q is named %q, want %q", title, got, want)
		}
		if name, ok := Page(PageURI(got)); !ok || name != got {
			t.Errorf("%q comes back as %q", got, name)
		}
	}
	for _, other := range []string{"file:///a.md", "untitled:Untitled-1", "", "lacuna", "%zz:"} {
		if name, ok := Page(protocol.DocumentURI(other)); ok {
			t.Errorf("%q is the page %q", other, name)
		}
	}
}
