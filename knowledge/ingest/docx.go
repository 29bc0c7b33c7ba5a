package ingest

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
)

// Limits of what is unpacked from an office document.
const (
	maxEntries  = 4096
	maxUnpacked = 128 << 20 // of one part, in bytes
	maxRatio    = 250       // of a part's size to its size in the file; honest XML stays below 50
)

var (
	errNoWord   = errors.New("not a Word document")
	errUnpacked = errors.New("unpacks to more than it may")
)

// extractDOCX takes the text from a Word document. Comments, deleted and hidden text, headers and
// footers are left out.
func extractDOCX(content []byte) (extracted, error) {
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil || len(archive.File) > maxEntries {
		return extracted{}, errNoWord
	}
	styles := map[string]int{}
	if err := readPart(archive, "word/styles.xml", styleReader(styles)); err != nil && !errors.Is(err, errNoWord) {
		return extracted{}, err
	}
	d := wordText{styles: styles}
	if err := readPart(archive, "word/document.xml", d.token); err != nil {
		return extracted{}, err
	}
	found := d.finish()
	for _, part := range []string{"docProps/core.xml", "docProps/custom.xml"} {
		_ = readPart(archive, part, propertyReader(&found.about)) // which a document may lack
	}
	return found, nil
}

// readPart gives the tokens of a part of an archive to read.
func readPart(archive *zip.Reader, name string, read func(xml.Token) error) error {
	for _, file := range archive.File {
		if file.Name != name {
			continue
		}
		if file.UncompressedSize64 > maxUnpacked || file.UncompressedSize64 > maxRatio*(file.CompressedSize64+1024) {
			return errUnpacked
		}
		part, err := file.Open()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		defer part.Close()
		if err := eachToken(part, read); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	}
	return errNoWord
}

// eachToken reads XML to its end. What an archive says of the size of a part is enforced by the
// unpacking itself.
func eachToken(part io.Reader, read func(xml.Token) error) error {
	decoder := xml.NewDecoder(part)
	for depth := 0; ; {
		token, err := decoder.Token()
		if err == io.EOF && depth == 0 {
			return nil
		}
		if err != nil {
			return err
		}
		switch token.(type) {
		case xml.StartElement:
			if depth++; depth > deepestElements {
				return errDeep
			}
		case xml.EndElement:
			depth--
		}
		if err := read(token); err != nil {
			return err
		}
	}
}
