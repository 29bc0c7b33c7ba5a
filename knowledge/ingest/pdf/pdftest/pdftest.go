// Package pdftest writes small PDF files for tests.
package pdftest

import (
	"fmt"
	"strings"
)

// File returns a PDF file with a page for each of the contents, which are operators of PDF. The font F1
// is Helvetica; F2 is a composite font whose two-byte codes are UTF-16 and half a size wide, but for the
// ideographs, which are a size wide; X1 is a drawing that shows "drawn".
func File(title string, contents ...string) string {
	f := file{}
	kids := make([]string, len(contents))
	for i, content := range contents {
		stream := f.stream("", content)
		kids[i] = f.add(fmt.Sprintf("<< /Type /Page /Parent 2 0 R /Contents %s >>", stream))
	}
	f.objects[0] = "<< /Type /Catalog /Pages 2 0 R >>"
	f.objects[1] = fmt.Sprintf("<< /Type /Pages /Count %d /Kids [%s] /Resources 3 0 R >>", len(kids), strings.Join(kids, " "))
	return f.written(title)
}

// Objects returns a PDF file of objects that are numbered from 1, of which the first is the catalogue,
// with more entries of its trailer.
func Objects(trailer string, objects ...string) string {
	return written(objects, "/Root 1 0 R "+trailer)
}

// Stream returns a stream object with entries of its dictionary.
func Stream(entries, content string) string { return stream(entries+" ", content) }

// Page returns a PDF file of one page with resources, which may refer to more objects: these are
// numbered from 4.
func Page(resources, content string, more ...string) string {
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Count 1 /Kids [3 0 R] /MediaBox [0 0 612 792] >>",
		fmt.Sprintf("<< /Type /Page /Parent 2 0 R /Resources << %s >> /Contents %d 0 R >>", resources, 4+len(more)),
	}
	return Objects("", append(append(objects, more...), stream("", content))...)
}

// file gathers objects, numbered from 1; the first six are the same in each.
type file struct{ objects []string }

func (f *file) add(object string) string {
	if len(f.objects) == 0 {
		f.objects = make([]string, 6)
		f.objects[2] = "<< /Font << /F1 4 0 R /F2 5 0 R >> /XObject << /X1 6 0 R >> >>"
		f.objects[3] = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding /FirstChar 0 /LastChar 255 /Widths [" +
			strings.Repeat("500 ", 256) + "] >>"
		f.objects[4] = "<< /Type /Font /Subtype /Type0 /BaseFont /Own /Encoding /UniGB-UCS2-H /DescendantFonts [<< /DW 500 /W [19968 40959 1000] >>] >>"
		f.objects[5] = stream("/Type /XObject /Subtype /Form /Resources 3 0 R ", "BT /F1 10 Tf 72 20 Td (drawn) Tj ET /X1 Do")
	}
	f.objects = append(f.objects, object)
	return fmt.Sprintf("%d 0 R", len(f.objects))
}

func (f *file) stream(entries, content string) string { return f.add(stream(entries, content)) }

func stream(entries, content string) string {
	return fmt.Sprintf("<< %s/Length %d >>\nstream\n%s\nendstream", entries, len(content), content)
}

func (f *file) written(title string) string {
	info := f.add(fmt.Sprintf("<< /Title (%s) >>", title))
	return written(f.objects, "/Root 1 0 R /Info "+info)
}

func written(objects []string, trailer string) string {
	var b strings.Builder
	b.WriteString("%PDF-1.4\n")
	offsets := make([]int, len(objects))
	for i, object := range objects {
		offsets[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	table := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, offset := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d %s >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, trailer, table)
	return b.String()
}

// Lines returns operators that show lines of text in F1 from a place downwards.
func Lines(x, y, size float64, lines ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "BT /F1 %g Tf %g TL %g %g Td\n", size, 1.2*size, x, y)
	for _, line := range lines {
		fmt.Fprintf(&b, "(%s) Tj T*\n", strings.NewReplacer("\\", "\\\\", "(", "\\(", ")", "\\)").Replace(line))
	}
	return b.String() + "ET\n"
}
