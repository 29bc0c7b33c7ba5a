package lsp

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"go.lsp.dev/protocol"
)

func TestPath(t *testing.T) {
	tests := []struct {
		uri           string
		unix, windows string // empty: no path
	}{
		{"file:///home/a%20b/n%C3%B6te.md", "/home/a b/nöte.md", `\home\a b\nöte.md`},
		{"FILE:///x.md", "/x.md", `\x.md`},
		{"file://localhost/x.md", "/x.md", `\x.md`},
		{"file:///c%3A/Notes/x.md", "/c:/Notes/x.md", `C:\Notes\x.md`},
		{"file:///c%3a/notes/", "/c:/notes", `C:\notes`},
		{"file:///C:/", "/C:", `C:\`},
		{"file:///C:", "/C:", `C:\`},
		{"file:///d:/a/../b/./x.md", "/d:/b/x.md", `D:\b\x.md`},
		{"file:///1:/x.md", "/1:/x.md", `\1:\x.md`},
		{"file://host/share/x.md", "", `\\host\share\x.md`},
		{"file://wsl%24/Ubuntu/x.md", "", `\\wsl$\Ubuntu\x.md`},
		{"file://wsl.localhost/Ubuntu/a/../x.md", "", `\\wsl.localhost\Ubuntu\x.md`},
		{"file:////host/share/x.md", "/host/share/x.md", `\\host\share\x.md`},
		{"file://///host/share/x.md", "/host/share/x.md", `\\host\share\x.md`},
		{"file:////%3F/C:/Notes/x.md", "/?/C:/Notes/x.md", `C:\Notes\x.md`},
		{"file:////%3F/unc/host/share/x.md", "/?/unc/host/share/x.md", `\\host\share\x.md`},
		{"file://%3F/C:/Notes/x.md", "", `C:\Notes\x.md`},
		{"file:///c|/Notes/x.md", "/c|/Notes/x.md", `C:\Notes\x.md`},
		{"file:///c%7C", "/c|", `C:\`},
		{"file:///cd|/x.md", "/cd|/x.md", `\cd|\x.md`},
		{"file:///C:/Notes/NUL", "/C:/Notes/NUL", ""},
		{"file:///C:/Notes/con.md", "/C:/Notes/con.md", ""},
		{"file:///C:/aux/x.md", "/C:/aux/x.md", ""},
		{"file:///C:/Notes/com%C2%B9.md", "/C:/Notes/com¹.md", ""},
		{"file:///C:/Notes/contact.md", "/C:/Notes/contact.md", `C:\Notes\contact.md`},
		{"file:///home/x/", "/home/x", `\home\x`},
		{"file:///../x.md", "/x.md", `\x.md`},
		{"file:/x.md", "/x.md", `\x.md`},
		{"file:///a?b#c", "/a", `\a`},
		{"file:///a%3Fb%23c", "/a?b#c", `\a?b#c`},
		{"untitled:Untitled-1", "", ""},
		{"vscode-notebook-cell:/x.ipynb#W0", "", ""},
		{"vscode-notebook-cell:/c%3A/x.ipynb#W0", "", ""},
		{"untitled:/c%3A/Notes/x.md", "", ""},
		{"untitled:C:\\Notes\\x.md", "", ""},
		{"vscode-remote://wsl%2Bubuntu/home/x.md", "", ""},
		{"git:/x.md?%7B%7D", "", ""},
		{"file://host", "", ""},
		{"file://a%2Fb/share/x.md", "", ""},
		{"file:///bad%", "", ""},
		{"file:///nul%00", "", ""},
		{"", "", ""},
		{"/plain/path", "", ""},
	}
	for _, tt := range tests {
		unix, ok := pathOf(tt.uri, false)
		if unix != tt.unix || ok != (tt.unix != "") {
			t.Errorf("pathOf(%q) = %q, %v, want %q", tt.uri, unix, ok, tt.unix)
		}
		if windows, _ := pathOf(tt.uri, true); windows != tt.windows {
			t.Errorf("pathOf(%q) on Windows = %q, want %q", tt.uri, windows, tt.windows)
		}
	}
}

func TestNamesThatWindowsKeeps(t *testing.T) {
	for name, want := range map[string]bool{
		"con": true, "CON": true, "nul.md": true, "Aux.tar.gz": true, "prn ": true, "prn .md": true, "COM1": true, "lpt9.txt": true, "com¹": true, "CONIN$": true, "com0": true,
		"": false, "contact": false, "con-1": false, "com": false, "com10": false, "lpt": false, "lptx": false, ".con": false, "a.con": false, "null": false, "com１": false,
	} {
		if got := IsReserved(name); got != want {
			t.Errorf("%q is reserved: %v, want %v", name, got, want)
		}
	}
	for title, want := range map[string]string{
		"NUL": "Page NUL.md", "con.": "Page con.md", "aux: a?": "aux a.md", "What is CON?": "What is CON.md", "a . . ": "a.md", `C:\x`: "C x.md", "com1": "Page com1.md",
	} {
		if got := PageName(title); got != want {
			t.Errorf("%q is named %q, want %q", title, got, want)
		}
	}
}

func TestURIRoundTrip(t *testing.T) {
	for _, path := range []string{"/home/a b/nöte%.md", "/x#y?z.md", "/漢/é.md"} {
		if got, ok := pathOf(string(uriOf(path, false)), false); !ok || got != path {
			t.Errorf("path %q came back as %q", path, got)
		}
	}
	for long, path := range map[string]string{`\\?\C:\Notes\x.md`: `C:\Notes\x.md`, `\\?\UNC\host\share\x.md`: `\\host\share\x.md`, `\\?\unc\host\share\`: `\\host\share`} {
		if got, ok := pathOf(string(uriOf(long, true)), true); !ok || got != path {
			t.Errorf("Windows path %q came back as %q by %s", long, got, uriOf(long, true))
		}
	}
	for _, path := range []string{`C:\Notes\a b.md`, `\\host\share\x.md`} {
		if got, ok := pathOf(string(uriOf(path, true)), true); !ok || got != path {
			t.Errorf("Windows path %q came back as %q by %s", path, got, uriOf(path, true))
		}
	}
}

func TestKey(t *testing.T) {
	folding(t)
	FoldsCase = false
	same := [][2]protocol.DocumentURI{
		{"file:///a%20b", "file:///a b"},
		{"file:///C:/x", "file:///c%3A/x"},
		{"file://localhost/x", "file:///x"},
		{"File:///x", "file:///x"},
		{"untitled:a%20b", "untitled:a b"},
		{"file:///C%3A/Notes/x.md", "file:///c:/Notes/x.md"},
		{"file:///c%3a/x", "file:///C%3A/x"},
		{"file:///a/./b", "file:///a/b"},
		{"vscode-notebook-cell:/x%20y.ipynb#W0", "vscode-notebook-cell:/x y.ipynb#W0"},
	}
	for _, pair := range same {
		if Key(pair[0]) != Key(pair[1]) {
			t.Errorf("Key(%s) = %s but Key(%s) = %s", pair[0], Key(pair[0]), pair[1], Key(pair[1]))
		}
	}
	for _, pair := range [][2]protocol.DocumentURI{
		{"untitled:x", "file:///x"},
		{"file:///x", "file:///X"},
		{"file:///c:/x", "file:///d:/x"},
		{"vscode-notebook-cell:/x.ipynb#W0", "vscode-notebook-cell:/x.ipynb#W1"},
		{"vscode-notebook-cell:/x.ipynb#W0", "file:///x.ipynb"},
		{"untitled:Untitled-1", "untitled:Untitled-2"},
	} {
		if Key(pair[0]) == Key(pair[1]) {
			t.Errorf("%s and %s share a key", pair[0], pair[1])
		}
	}
}

func TestProgressToken(t *testing.T) {
	for _, text := range []string{`0`, `-1`, `""`, `"a\"b"`, `9007199254740993`} {
		var p ProgressParams
		if err := json.Unmarshal([]byte(`{"token":`+text+`}`), &p); err != nil {
			t.Fatal(err)
		}
		out, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if want := `{"token":` + text + `,"value":null}`; string(out) != want {
			t.Errorf("token %s came back as %s", text, out)
		}
	}
	for _, text := range []string{`{}`, `[1]`, `true`, `null`} {
		if err := json.Unmarshal([]byte(text), new(ProgressToken)); err == nil {
			t.Errorf("%s was accepted as a token", text)
		}
	}
}

// folding runs a test as if names of files that differ in case only were one file's.
func folding(t *testing.T) {
	was := FoldsCase
	FoldsCase = true
	t.Cleanup(func() { FoldsCase = was })
}

func TestNamesThatDifferInCase(t *testing.T) {
	folding(t)
	if one, other := Key("file:///Notes/%C3%89.md"), Key("file:///notes/é.MD"); one != other {
		t.Errorf("%s is not %s", one, other)
	}
	if one, other := Key("untitled:Notes"), Key("untitled:notes"); one == other {
		t.Errorf("two documents without a file are both %s", one)
	}
	if !SamePath("/Notes/É", "/notes/é") || SamePath("/notes/e", "/notes/é") || PathKey("/Notes/É") != PathKey("/notes/é") {
		t.Error("paths are compared otherwise")
	}
}

func TestWithin(t *testing.T) {
	tests := []struct {
		file, folder string
		folded       bool
		rest         string
		ok           bool
	}{
		{"/a/b/c.md", "/a", false, "b/c.md", true},
		{"/a/b/c.md", "/a/", false, "b/c.md", true},
		{"/a/b", "/a/b", false, "", true},
		{"/a/bc", "/a/b", false, "", false},
		{"/a", "/a/b", false, "", false},
		{"/a/b", "/", false, "a/b", true},
		{"/A/b/C.md", "/a/B", false, "", false},
		{"/A/b/C.md", "/a/B", true, "C.md", true},
		{"/\u0130/x", "/\u0130", true, "x", true}, // whose small letter is longer
	}
	for _, test := range tests {
		was := FoldsCase
		FoldsCase = test.folded
		rest, ok := Within(filepath.FromSlash(test.file), filepath.FromSlash(test.folder))
		FoldsCase = was
		if filepath.ToSlash(rest) != test.rest || ok != test.ok {
			t.Errorf("%s in %s, folded %v: %q, %v", test.file, test.folder, test.folded, rest, ok)
		}
	}
}
