// Package citation lists the works that answers cite as reference managers read them: BibTeX, RIS and CSL-JSON.
//
//	citation.go   works: what is known of each, duplicates merged, keys
//	lists.go      what the reference lists among the sources say of a work
//	names.go      names of people and dates, in parts
//	formats.go    the three formats
//
// A work has what its document or a reference list says of it and nothing else: no type is guessed, and a field that is not
// known is left out. Begin with [Works].
package citation

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"lacuna/knowledge/passage"
	"lacuna/knowledge/sanitise"
)

// Cited is a passage that an answer cites.
type Cited struct {
	Passage *passage.Passage
	Place   string // in words: file and page, line or other place
	File    string // as it is named to others; empty if it is not to be named
}

// Work is a cited document, with what is known of it; what is not known is empty.
type Work struct {
	Key     string // stable: it depends on the work alone, unless another has the same
	Title   string
	Authors []Name
	Issued  Date
	In      string // the journal, book or publisher, as a reference list names it
	Version string
	DOI     string // without the address before it
	PMID    string
	URL     string
	File    string
	Places  []string // that are cited, each once
	Private bool     // the document says so

	identities []string // of which works that are the same share one
}

// Works returns the cited works in order of their keys. Several passages of a document, and documents with the same DOI, PMID,
// address, or title, authors and date, are one work. lists may be nil.
func Works(cited []Cited, lists *Lists) []Work {
	each := make([]Work, len(cited))
	for i, c := range cited {
		each[i] = workOf(c, lists)
	}
	slices.SortStableFunc(each, func(a, b Work) int { // what says most names the work, whatever was cited first
		return cmp.Or(cmp.Compare(min(1, len(b.Authors)), min(1, len(a.Authors))), cmp.Compare(a.identities[0], b.identities[0]))
	})
	var all []Work
	for _, w := range each {
		all = merge(all, w)
	}
	count := map[string]int{}
	for _, w := range all {
		count[strings.ToLower(w.Key)]++
	}
	for i := range all {
		if count[strings.ToLower(all[i].Key)] > 1 {
			all[i].Key += "-" + all[i].hash()
		}
	}
	slices.SortFunc(all, func(a, b Work) int { return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Title, b.Title)) })
	return all
}

func workOf(c Cited, lists *Lists) Work {
	p := c.Passage
	w := Work{Title: words(titleOf(p)), Issued: dateOf(words(p.Date)), Places: []string{words(c.Place)}, Private: p.Private}
	if words(c.File) == c.File {
		w.File = c.File
	}
	if p.About != nil {
		w.Authors = namesOf(p.About.Authors)
		w.Version = words(p.About.Version)
		w.identify(p.About.Page)
	}
	document := p.Source + "/" + p.Document
	if p.Kind == passage.QA {
		document = p.Source + "/" + p.Record
	}
	if e := lists.entry(p, w.DOI); e != nil {
		w.Key = keyOf(e.Key)
		w.Title = cmp.Or(words(e.Title), w.Title)
		if len(e.Authors) > 0 {
			w.Authors = namesOf(e.Authors)
		}
		if e.Date != "" {
			w.Issued = dateOf(words(e.Date))
		}
		w.In, w.DOI = words(e.In), cmp.Or(doiOf(e.DOI), w.DOI)
		if isList(p.Place.File) { // the list is not the work
			w.File, document = "", document+"#"+e.Key
		}
	}
	w.identities = w.identitiesOf(document)
	if w.Key == "" {
		w.Key = w.madeKey()
	}
	return w
}

func namesOf(authors []string) []Name {
	var names []Name
	for _, a := range authors {
		if a = words(a); a != "" {
			names = append(names, nameOf(a))
		}
	}
	return names
}

// titleOf names the document of a passage, or the stored question.
func titleOf(p *passage.Passage) string {
	if p.Kind == passage.QA {
		return p.Question
	}
	return cmp.Or(strings.TrimSpace(p.Title), path.Base(p.Record))
}

// words returns a text on one line in which nothing hides, and no tag: managers of references read some of HTML.
func words(text string) string { return tag.ReplaceAllString(sanitise.Line(text), "< $1") }

var (
	tag         = regexp.MustCompile(`<([a-zA-Z/!])`)
	doiPattern  = regexp.MustCompile(`10\.[0-9]{4,9}/[!-~]+`)
	pmidPattern = regexp.MustCompile(`^(?i:pmid:?|https?://pubmed\.ncbi\.nlm\.nih\.gov/|https?://www\.ncbi\.nlm\.nih\.gov/pubmed/)\s*([0-9]{1,8})/?$`)
)

// doiOf returns the DOI in a text, in lower case, or "".
func doiOf(text string) string {
	doi := doiPattern.FindString(strings.ToLower(text))
	if strings.ContainsAny(doi, "\"<>{}|\\^`%#") {
		return ""
	}
	return strings.TrimRight(doi, ".,;:)]'")
}

// identify reads the address or the identifier that a document gives of itself.
func (w *Work) identify(page string) {
	page = strings.TrimSpace(page)
	if found := pmidPattern.FindStringSubmatch(page); found != nil {
		w.PMID = found[1]
		return
	}
	lower := strings.ToLower(page)
	address, err := url.Parse(page)
	isAddress := err == nil && (address.Scheme == "http" || address.Scheme == "https") && address.Host != "" && address.User == nil
	if doi := doiOf(page); doi != "" && (strings.HasPrefix(lower, "doi:") || strings.HasPrefix(lower, "10.") || isAddress && strings.HasSuffix(strings.ToLower(address.Host), "doi.org")) {
		w.DOI = doi
		return
	}
	if isAddress && words(address.String()) == address.String() {
		w.URL = address.String()
	}
}

func (w *Work) identitiesOf(document string) []string {
	ids := []string{"document:" + document}
	add := func(kind, id string) {
		if id != "" {
			ids = append(ids, kind+":"+id)
		}
	}
	add("doi", w.DOI)
	add("pmid", w.PMID)
	add("url", w.URL)
	if w.Title != "" && len(w.Authors) > 0 && w.Issued.Year > 0 {
		var names []string
		for _, a := range w.Authors {
			names = append(names, strings.ToLower(a.String()))
		}
		add("work", strings.ToLower(w.Title)+"\x00"+strings.Join(names, "\x00")+"\x00"+w.Issued.String())
	}
	return ids
}

// merge adds a work to others. Works that are the same become one, which has the place of the first.
func merge(all []Work, w Work) []Work {
	at := -1
	for i := 0; i < len(all); i++ {
		if !slices.ContainsFunc(all[i].identities, func(id string) bool { return slices.Contains(w.identities, id) }) {
			continue
		}
		if at < 0 {
			all[i] = all[i].with(w)
			at, w = i, all[i]
			continue
		}
		all[at] = all[at].with(all[i])
		w = all[at]
		all = slices.Delete(all, i, i+1)
		i--
	}
	if at < 0 {
		return append(all, w)
	}
	return all
}

// with returns a work with what another says of it that it does not say itself.
func (w Work) with(o Work) Work {
	if len(w.Authors) == 0 {
		w.Authors = o.Authors
	}
	if w.Issued == (Date{}) {
		w.Issued = o.Issued
	}
	w.In, w.Version = cmp.Or(w.In, o.In), cmp.Or(w.Version, o.Version)
	w.DOI, w.PMID, w.URL, w.File = cmp.Or(w.DOI, o.DOI), cmp.Or(w.PMID, o.PMID), cmp.Or(w.URL, o.URL), cmp.Or(w.File, o.File)
	w.Private = w.Private || o.Private
	w.Places, w.identities = union(w.Places, o.Places), union(w.identities, o.identities)
	return w
}

func union(a, b []string) []string {
	all := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// keyOf returns a citation key with the characters that every reader of BibTeX takes.
func keyOf(text string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', strings.ContainsRune("-_:./+", r):
			return r
		}
		return -1
	}, text), "-_:./+")
}

// madeKey is of the first author or the title, the year, and a hash of what identifies the work, so that it is the same whatever
// else is cited.
func (w *Work) madeKey() string {
	name := ""
	if len(w.Authors) > 0 {
		name = letters(cmp.Or(w.Authors[0].Family, w.Authors[0].Literal))
	}
	if name == "" {
		for word := range strings.FieldsSeq(w.Title) {
			if name = letters(word); len(name) > 3 {
				break
			}
		}
	}
	return cmp.Or(name, "source") + w.Issued.year() + "-" + w.hash()
}

func (w *Work) hash() string {
	id := w.identities[0] // of the document
	if len(w.identities) > 1 && (w.DOI != "" || w.PMID != "") {
		id = w.identities[1]
	}
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:2])
}

// letters returns the letters of a to z of a text, without case and accents.
func letters(text string) string {
	const longest = 24
	folded := strings.Map(func(r rune) rune {
		if r = unicode.ToLower(r); 'a' <= r && r <= 'z' {
			return r
		}
		return -1
	}, norm.NFD.String(text))
	return folded[:min(len(folded), longest)]
}
