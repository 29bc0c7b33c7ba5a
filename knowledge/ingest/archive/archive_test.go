package archive

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// packed returns an archive of names and contents.
func packed(t testing.TB, parts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(parts); i += 2 {
		w, err := z.Create(parts[i])
		if err == nil {
			_, err = w.Write([]byte(parts[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestArchive(t *testing.T) {
	a, err := Open(packed(t, "folder/", "", `word\document.xml`, "<a>one</a>", "B.xml", "first", "B.xml", "second", "/c", "x"))
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(a.Names()); got != "[word/document.xml B.xml c]" {
		t.Errorf("names %s", got)
	}
	for name, want := range map[string]string{"word/document.xml": "<a>one</a>", "/Word/Document.xml": "<a>one</a>", "b.XML": "first", "c": "x"} {
		if got, err := a.Read(name); err != nil || string(got) != want || !a.Has(name) || a.Size(name) != int64(len(want)) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if _, err := a.Read("no"); !errors.Is(err, ErrNoPart) || a.Has("no") || a.Size("no") != 0 {
		t.Errorf("a part that is not there: %v", err)
	}
}

// TestLimits opens archives that claim too much.
func TestLimits(t *testing.T) {
	if _, err := Open([]byte("PK no")); !errors.Is(err, ErrNotZip) {
		t.Errorf("no archive: %v", err)
	}
	a, err := Open(packed(t, "bomb", strings.Repeat(" ", 8<<20)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Read("bomb"); !errors.Is(err, ErrUnpacked) {
		t.Errorf("bomb: %v", err)
	}

	parts := make([]string, 0, 2*MaxEntries+2)
	for i := range MaxEntries + 1 {
		parts = append(parts, fmt.Sprint(i), "")
	}
	if _, err := Open(packed(t, parts...)); err == nil {
		t.Error("any number of entries is accepted")
	}

	if a, err = Open(packed(t, "a", "a")); err != nil {
		t.Fatal(err)
	}
	a.granted = MaxTotal
	if _, err := a.Read("a"); !errors.Is(err, ErrUnpacked) {
		t.Errorf("total: %v", err)
	}

	content := packed(t, "secret", "a")
	content[6] |= 1                                            // the flag in the part's own header
	content[bytes.Index(content, []byte("PK\x01\x02"))+8] |= 1 // and in the table of contents
	if a, err = Open(content); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Read("secret"); !errors.Is(err, ErrEncrypted) {
		t.Errorf("password: %v", err)
	}
}

func TestUnpacked(t *testing.T) {
	content := packed(t, "a.xml", "12345", "b.png", "123")
	got := Unpacked(bytes.NewReader(content), int64(len(content)), func(name string) bool { return name == "a.xml" })
	if got != 5 {
		t.Errorf("%d bytes", got)
	}
	if got := Unpacked(strings.NewReader("text"), 4, nil); got != 4 {
		t.Errorf("%d bytes of a file that is no archive", got)
	}
}

// outline returns the tokens of XML as text.
func outline(text string) (string, error) {
	var b strings.Builder
	err := Tokens(strings.NewReader(text), func(token xml.Token, line int) error {
		switch t := token.(type) {
		case xml.StartElement:
			fmt.Fprintf(&b, "%d<%s>", line, t.Name.Local)
		case xml.EndElement:
			fmt.Fprintf(&b, "</%s>", t.Name.Local)
		case xml.CharData:
			fmt.Fprintf(&b, "%d:%s", line, t)
		}
		return nil
	})
	return strings.ReplaceAll(b.String(), "\n", "¶"), err
}

func TestTokens(t *testing.T) {
	utf16 := func(text string, order int) string {
		var b strings.Builder
		for _, r := range text {
			pair := [2]byte{byte(r >> 8), byte(r)}
			b.WriteByte(pair[order])
			b.WriteByte(pair[1-order])
		}
		return b.String()
	}
	const declared = `<?xml version="1.0" encoding="UTF-16"?><a>ä</a>`
	tests := []struct{ name, text, want, fails string }{
		{"lines", "<a>\n<b\nc='d'>e</b>\n</a>", "1<a>1:¶2<b>3:e</b>3:¶</a>", ""},
		{"entities of HTML", "<a>&nbsp;&amp;&#8211;</a>", "1<a>1:\u00a0&–</a>", ""},
		{"entities of its own", `<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>`, "1<a>", "invalid character entity &b;"},
		{"a byte order mark", "\ufeff<a>ä</a>", "1<a>1:ä</a>", ""},
		{"UTF-16, least byte first", "\xff\xfe" + utf16(declared, 1), "1<a>1:ä</a>", ""},
		{"UTF-16, greatest byte first, no mark", utf16(declared, 0), "1<a>1:ä</a>", ""},
		{"Windows-1252", `<?xml version="1.0" encoding="Windows-1252"?><a>` + "2\x9610</a>", "1<a>1:2–10</a>", ""},
		{"an unknown encoding", `<?xml version="1.0" encoding="x"?><a/>`, "", `unknown encoding "x"`},
		{"not closed", "<a>", "1<a>", "unexpected EOF"},
		{"deep", strings.Repeat("<a>", MaxDepth+1), strings.Repeat("1<a>", MaxDepth), ErrTooDeep.Error()},
	}
	for _, test := range tests {
		got, err := outline(test.text)
		if got != test.want || (err == nil) != (test.fails == "") || err != nil && !strings.Contains(err.Error(), test.fails) {
			t.Errorf("%s: %q, %v", test.name, got, err)
		}
	}
}

// FuzzArchive opens any bytes, and any bytes packed as a part.
func FuzzArchive(f *testing.F) {
	f.Add(packed(f, "a.xml", "<a>b</a>"))
	f.Add([]byte("<?xml version='1.0' encoding='utf-16'?><a>&#1;</a>"))
	f.Fuzz(func(t *testing.T, content []byte) {
		for _, archived := range [][]byte{content, packed(t, "part", string(content))} {
			a, err := Open(archived)
			if err != nil {
				continue
			}
			for _, name := range a.Names() {
				depth := 0
				_ = a.Tokens(name, func(token xml.Token, _ int) error {
					if _, opens := token.(xml.StartElement); opens {
						depth++
					}
					if _, ends := token.(xml.EndElement); ends {
						depth--
					}
					if depth > MaxDepth || depth < 0 {
						t.Fatalf("depth %d", depth)
					}
					return nil
				})
			}
		}
	})
}
