package office

import (
	"encoding/xml"
	"errors"
	"path"
	"strings"

	"lacuna/knowledge/ingest/archive"
)

// relation leads from one part of a document to another.
type relation struct {
	kind   string // the end of its type, such as "footnotes"
	target string // the name of the part; an address if it is outside
}

// relations returns the relations of a part, by their identifiers and in the order of the file. A part
// may have none.
func relations(a *archive.Archive, part string) (map[string]relation, []string, error) {
	byID := map[string]relation{}
	var order []string
	folder, name := path.Split(part)
	err := a.Tokens(folder+"_rels/"+name+".rels", func(token xml.Token, _ int) error {
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "Relationship" || archive.Attribute(start, "TargetMode") == "External" {
			return nil
		}
		target := archive.Attribute(start, "Target")
		if strings.HasPrefix(target, "/") {
			target = strings.TrimPrefix(path.Clean(target), "/")
		} else {
			target = path.Join(folder, target)
		}
		id := archive.Attribute(start, "Id")
		if _, twice := byID[id]; !twice {
			order = append(order, id)
			byID[id] = relation{path.Base(archive.Attribute(start, "Type")), target}
		}
		return nil
	})
	if errors.Is(err, archive.ErrNoPart) {
		err = nil
	}
	return byID, order, err
}

// mainPart returns the name of the part that a package begins with, or usual if it does not say.
func mainPart(a *archive.Archive, usual string) (string, error) {
	byID, order, err := relations(a, "")
	if errors.Is(err, archive.ErrUnpacked) || errors.Is(err, archive.ErrTooDeep) {
		return "", err
	}
	for _, id := range order {
		if r := byID[id]; r.kind == "officeDocument" && a.Has(r.target) {
			return r.target, nil
		}
	}
	return usual, nil
}
