// Package clinical reads what clinical systems and journals write as XML and JSON: C-CDA documents, FHIR
// resources, drug labels (SPL) and articles (JATS); and DocBook, DITA and TEI, which are built alike.
//
//	tree.go        a file → elements, within limits
//	narrative.go   elements → headings, paragraphs, items; table.go does tables
//	cda.go         the sections of a C-CDA document and of a drug label
//	fhir.go        the resources of FHIR, and fields.go their coded fields
//	article.go     journal articles; manual.go DocBook, DITA and TEI
//
// The narrative is the content: what its author attested, or printed. Codes are data: they are shown where
// there is no narrative, and where they say more than it does. A document about a patient is personal
// ([document.Document.Personal]), so it counts as private.
//
// Begin with [ReadXML] and [ReadJSON].
package clinical

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"strings"

	"lacuna/knowledge/document"
	"lacuna/knowledge/ingest/archive"
)

// ReadXML reads a document in one of the XML vocabularies of this package. It fails with a
// [document.Unread] if the root element belongs to none of them.
func ReadXML(_ context.Context, content []byte) (document.Document, error) {
	root, err := rootOf(content)
	if err != nil {
		return document.Document{}, err
	}
	switch name := root.Name.Local; {
	case name == "ClinicalDocument", name == "document" && root.Name.Space == hl7Space:
		return readCDA(content)
	case root.Name.Space == fhirSpace && name != "div":
		return readFHIRXML(content)
	case name == "article" && isJournal(root, content), name == "pmc-articleset", name == "OAI-PMH", name == "sub-article", name == "response":
		return readArticle(content)
	default:
		if read := manuals[name]; read != nil {
			return read(content)
		}
	}
	return document.Document{}, document.Unread(fmt.Sprintf("no reader for this XML (root element %s)", short(root.Name.Local)))
}

// isJournal reports whether an article is one of a journal, and not of DocBook.
func isJournal(root xml.StartElement, content []byte) bool {
	if strings.Contains(root.Name.Space, "docbook") {
		return false
	}
	start := content[:min(len(content), 64<<10)]
	for _, sign := range []string{"<front", "article-type=", "JATS", "//NLM", "<article-body", "<article-metadata", "<body"} {
		if bytes.Contains(start, []byte(sign)) {
			return true
		}
	}
	return false
}

// errRoot ends the reading at the root element.
var errRoot = errors.New("root")

// rootOf returns the first element of an XML text.
func rootOf(content []byte) (root xml.StartElement, err error) {
	err = archive.Tokens(bytes.NewReader(content), func(token xml.Token, _ int) error {
		if start, ok := token.(xml.StartElement); ok {
			root = start.Copy()
			return errRoot
		}
		return nil
	})
	if errors.Is(err, errRoot) {
		return root, nil
	}
	if err == nil {
		err = errors.New("no XML element")
	}
	return root, err
}
