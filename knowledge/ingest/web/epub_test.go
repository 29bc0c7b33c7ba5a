package web

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// packed returns an EPUB file of names and contents.
func packed(t testing.TB, parts ...string) []byte {
	t.Helper()
	return archived(t, zip.Deflate, parts...)
}

// archived is packed with a method of compression.
func archived(t testing.TB, method uint16, parts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i+1 < len(parts); i += 2 {
		w, err := z.CreateHeader(&zip.FileHeader{Name: parts[i], Method: method})
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

const (
	container = `<container><rootfiles><rootfile full-path="O/p.opf"/></rootfiles></container>`
	packaging = `<package><metadata xmlns:dc="d"><dc:title>Iron</dc:title><dc:creator>A. Ray</dc:creator><dc:date>2026</dc:date><dc:identifier>urn:1</dc:identifier></metadata>
<manifest><item id="n" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/><item id="a" href="a%20b.xhtml" media-type="application/xhtml+xml"/><item id="b" href="b.xhtml" media-type="application/xhtml+xml"/><item id="s" href="s.svg" media-type="image/svg+xml"/></manifest>
<spine><itemref idref="n"/><itemref idref="a"/><itemref idref="b"/><itemref idref="s"/><itemref idref="gone"/></spine></package>`
	navigation = `<html xmlns:epub="e"><head><title>x</title></head><body><nav epub:type="toc"><ol><li><a href="a%20b.xhtml">Dose</a></li><li><a href="b.xhtml#x">Risks</a></li></ol></nav></body></html>`
	chapter    = `<?xml version="1.0"?><html xmlns:epub="e"><head><title/><script src="x"/></head><body><p>Give 5 mg<a epub:type="noteref" href="#n">1</a> daily.</p><aside epub:type="footnote" id="n"><p>With water.</p></aside></body></html>`
)

func TestReadEPUB(t *testing.T) {
	file := packed(t, "mimetype", "application/epub+zip", "META-INF/container.xml", container, "O/p.opf", packaging, "O/nav.xhtml", navigation, "O/a b.xhtml", chapter,
		"O/b.xhtml", "<html><body><h2>Few risks</h2><p>None.</p></body></html>")
	d, err := ReadEPUB(context.Background(), file)
	if err != nil {
		t.Fatal(err)
	}
	want := `Iron
1 line 1 paragraph (table of contents): "Dose Risks"
2 line 2 heading 1: "Dose"
3 line 2 paragraph: "Give 5 mg[1] daily."
4 line 2 footnote: "With water."
5 line 3 heading 2: "Few risks"
6 line 3 paragraph: "None."
without pages that are drawings: 0
`
	if diff := cmp.Diff(want, outline(d)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got, want := fmt.Sprint(d.Date, d.About.Authors, d.About.Page), "2026[A. Ray]urn:1"; got != want {
		t.Errorf("%s, not %s", got, want)
	}
}

func TestReadEPUBThatIsNone(t *testing.T) {
	locked := `<encryption><EncryptedData><EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/><CipherData><CipherReference URI="O/a%20b.xhtml"/></CipherData></EncryptedData></encryption>`
	opf := strings.Replace(packaging, `<itemref idref="n"/>`, "", 1)
	for _, test := range []struct {
		name string
		file []byte
		want error
	}{
		{"no zip file", []byte("PK"), ErrNotEPUB},
		{"no package", packed(t, "a", "b"), ErrNotEPUB},
		{"locked", packed(t, "META-INF/container.xml", container, "META-INF/encryption.xml", locked, "O/p.opf", strings.Replace(opf, `<itemref idref="b"/>`, "", 1), "O/a b.xhtml", "x"), ErrProtected},
	} {
		if _, err := ReadEPUB(context.Background(), test.file); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, not %v", test.name, err, test.want)
		}
	}
	if d, err := ReadEPUB(context.Background(), packed(t, "O/p.opf", opf, "O/a b.xhtml", strings.Repeat("<div>", 1_000_000)+"a", "O/b.xhtml", "<p>Text.")); err != nil || d.Partly == "" {
		t.Errorf("a page that unpacks to too much: %v, partly %q", err, d.Partly)
	}
}

func FuzzReadEPUB(f *testing.F) {
	f.Add(container, packaging, navigation, chapter)
	f.Fuzz(func(t *testing.T, container, packaging, navigation, chapter string) {
		d, err := ReadEPUB(context.Background(), archived(t, zip.Store, "META-INF/container.xml", container, "O/p.opf", packaging, "O/nav.xhtml", navigation, "O/a b.xhtml", chapter))
		if err != nil {
			return
		}
		for _, b := range d.Blocks {
			if b.End <= b.Start || b.End > len(d.Text) {
				t.Fatalf("block %v in %q", b.Span, d.Text)
			}
		}
	})
}
