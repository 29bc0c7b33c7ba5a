package pdf

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
)

// file finds objects in the bytes of a PDF file: by its cross-reference table or, if that is wrong, by
// scanning the file.
type file struct {
	data          []byte
	entries       map[int]entry
	trailer       dict
	objects       map[int]object
	inProgress    map[int]bool
	objectStreams map[int]*objectStream // by object number
	security      *security
	hiddenGroups  map[int]bool // optional content that is switched off
	isRebuilt     bool
	decodedBytes  int // bytes decoded so far
}

// entry says where an object is: at an offset, or in an object stream.
type entry struct {
	offset     int
	generation int
	container  int // number of the object stream; 0 for none
}

// objectStream is a decoded object stream (PDF 32000-1, 7.5.7).
type objectStream struct {
	data    []byte
	offsets map[int]int
}

const (
	maxObjects      = 8 << 20
	maxDecodedFile  = 1 << 30 // bytes decoded in a file, which counts streams as often as they are read
	maxXRefSections = 1024    // cross-reference tables that follow each other
)

var errNoPages = errors.New("no pages found")

// openFile reads the cross-reference table and decrypts what an empty password opens. It fails if it
// finds no catalogue with pages.
func openFile(data []byte) (*file, error) {
	if i := bytes.Index(data[:min(len(data), 1<<20)], []byte("%PDF-")); i > 0 {
		data = data[i:]
	}
	f := &file{data: data, inProgress: map[int]bool{}}
	f.reset()
	f.readXRef()
	if err := f.unlock(); err != nil {
		return nil, err
	}
	if f.catalogue() == nil || len(f.dict(f.catalogue()["Pages"])) == 0 {
		if err := f.rebuild(); err != nil {
			return nil, err
		}
	}
	if f.catalogue() == nil {
		return nil, errNoPages
	}
	return f, nil
}

func (f *file) reset() {
	f.entries, f.objects, f.objectStreams = map[int]entry{}, map[int]object{}, map[int]*objectStream{}
	f.trailer, f.security = dict{}, nil
}

func (f *file) catalogue() dict { return f.dict(f.trailer["Root"]) }

// unlock sets up decryption if the file is encrypted.
func (f *file) unlock() error {
	encryption := f.dict(f.trailer["Encrypt"])
	if len(encryption) == 0 {
		return nil
	}
	var id text
	if ids := f.array(f.trailer["ID"]); len(ids) > 0 {
		id, _ = f.resolve(ids[0]).(text)
	}
	s, err := newSecurity(f, encryption, id)
	if err != nil {
		return err
	}
	clear(f.objects)
	clear(f.objectStreams)
	if r, ok := f.trailer["Encrypt"].(reference); ok {
		f.objects[r.number] = encryption
	}
	f.security = s
	return nil
}

// readXRef reads the cross-reference sections, from the newest to the oldest.
func (f *file) readXRef() {
	tail := max(0, len(f.data)-2048)
	at := bytes.LastIndex(f.data[tail:], []byte("startxref"))
	if at < 0 {
		return
	}
	l := lexer{data: f.data, at: tail + at + len("startxref")}
	next := []float64{l.next().number}
	seen := map[int]bool{}
	for len(next) > 0 && len(seen) < maxXRefSections {
		offset := int(next[0])
		next = next[1:]
		if offset < 0 || offset >= len(f.data) || seen[offset] {
			continue
		}
		seen[offset] = true
		trailer := f.readXRefSection(offset)
		for key, value := range trailer {
			if _, known := f.trailer[key]; !known {
				f.trailer[key] = value
			}
		}
		for _, key := range []name{"XRefStm", "Prev"} {
			if previous, ok := trailer[key].(float64); ok {
				next = append(next, previous)
			}
		}
	}
}

// readXRefSection reads a cross-reference table or stream and returns its trailer.
func (f *file) readXRefSection(offset int) dict {
	p := parser{lexer: lexer{data: f.data, at: offset}}
	first := p.next()
	if first.kind == keywordToken && string(first.bytes) == "xref" {
		return f.readXRefTable(&p)
	}
	if first.kind != numberToken {
		return nil
	}
	o, _ := f.readObject(offset, -1)
	if s, ok := o.(*stream); ok {
		f.readXRefStream(s)
		return s.dict
	}
	return nil
}

func (f *file) readXRefTable(p *parser) dict {
	for {
		start := p.next()
		if start.kind == keywordToken && string(start.bytes) == "trailer" {
			o, _ := p.object(0)
			d, _ := o.(dict)
			return d
		}
		count := p.next()
		if start.kind != numberToken || count.kind != numberToken {
			return nil
		}
		for i := range int(min(count.number, maxObjects)) {
			before := p.at
			offset, generation, use := p.next(), p.next(), p.next()
			if offset.kind != numberToken || generation.kind != numberToken || use.kind != keywordToken {
				p.at = before
				break
			}
			if string(use.bytes) == "n" {
				f.addEntry(int(start.number)+i, entry{offset: int(offset.number), generation: int(generation.number)})
			}
		}
	}
}

// addEntry adds an entry unless the object has one, because newer sections are read first.
func (f *file) addEntry(number int, e entry) {
	if _, known := f.entries[number]; !known && number >= 0 && len(f.entries) < maxObjects {
		f.entries[number] = e
	}
}

func (f *file) readXRefStream(s *stream) {
	var widths [3]int
	for i, w := range f.array(s.dict["W"]) {
		if n, _ := w.(float64); i < 3 && n >= 0 && n <= 8 {
			widths[i] = int(n)
		}
	}
	size := widths[0] + widths[1] + widths[2]
	data := f.decode(s)
	index := f.array(s.dict["Index"])
	if len(index) < 2 {
		index = array{0.0, s.dict["Size"]}
	}
	for ; len(index) >= 2 && size > 0; index = index[2:] {
		start, _ := index[0].(float64)
		count, _ := index[1].(float64)
		for i := 0; i < int(count) && len(data) >= size; i++ {
			field := [3]int{1, 0, 0}
			at := 0
			for k, w := range widths {
				if w > 0 {
					field[k] = 0
				}
				for range w {
					field[k] = field[k]<<8 | int(data[at])
					at++
				}
			}
			data = data[size:]
			switch field[0] {
			case 1:
				f.addEntry(int(start)+i, entry{offset: field[1], generation: field[2]})
			case 2:
				f.addEntry(int(start)+i, entry{container: field[1]})
			}
		}
	}
}

// rebuild replaces the cross-reference table by scanning the whole file for objects.
func (f *file) rebuild() error {
	if f.isRebuilt {
		return nil
	}
	f.isRebuilt = true
	f.reset()
	clear(f.inProgress)
	var containers []int
	for at := 0; ; {
		i := bytes.Index(f.data[at:], []byte("obj"))
		if i < 0 {
			break
		}
		at += i + 3
		if number, generation, offset, ok := parseHeaderBefore(f.data, at-3); ok && len(f.entries) < maxObjects {
			f.entries[number] = entry{offset: offset, generation: generation} // a later one is newer
		}
	}
	for at := 0; ; {
		i := bytes.Index(f.data[at:], []byte("trailer"))
		if i < 0 {
			break
		}
		at += i + len("trailer")
		p := parser{lexer: lexer{data: f.data, at: at}}
		o, _ := p.object(0)
		d, _ := o.(dict)
		for key, value := range d {
			f.trailer[key] = value
		}
	}
	var catalogue object
	numbers := make([]int, 0, len(f.entries))
	for number := range f.entries {
		numbers = append(numbers, number)
	}
	slices.Sort(numbers)
	for _, number := range numbers {
		o, _ := f.readObject(f.entries[number].offset, number)
		switch o := o.(type) {
		case *stream:
			switch o.dict["Type"] {
			case name("XRef"):
				for _, key := range []name{"Root", "Info", "Encrypt", "ID"} {
					if value, given := o.dict[key]; given {
						f.trailer[key] = value
					}
				}
			case name("ObjStm"):
				containers = append(containers, number)
			}
		case dict:
			if o["Type"] == name("Catalog") {
				catalogue = reference{number, 0}
			}
		}
	}
	if err := f.unlock(); err != nil {
		return err
	}
	for _, container := range containers {
		for number := range f.loadObjectStream(container).offsets {
			f.addEntry(number, entry{container: container})
		}
	}
	if len(f.catalogue()) == 0 && catalogue != nil {
		f.trailer["Root"] = catalogue
	}
	if len(f.catalogue()) == 0 {
		for number, e := range f.entries {
			if d := f.dict(reference{number, 0}); e.container > 0 && d["Type"] == name("Catalog") {
				f.trailer["Root"] = reference{number, 0}
			}
		}
	}
	if len(f.catalogue()) == 0 {
		return errNoPages
	}
	return nil
}

// parseHeaderBefore reads "12 0 " backwards from at, the offset of "obj".
func parseHeaderBefore(data []byte, at int) (number, generation, offset int, ok bool) {
	number = -1
	back := func() int {
		for at > 0 && classes[data[at-1]] == space {
			at--
		}
		end := at
		for at > 0 && end-at < 10 && '0' <= data[at-1] && data[at-1] <= '9' {
			at--
		}
		n, err := strconv.Atoi(string(data[at:end]))
		if err != nil {
			return -1
		}
		return n
	}
	if at == 0 || at >= 3 && data[at-1] == 'd' { // endobj
		return 0, 0, 0, false
	}
	generation = back()
	if generation >= 0 && at > 0 && classes[data[at-1]] == space {
		number = back()
	}
	return number, generation, at, number >= 0
}

// readObject reads "12 0 obj …" at an offset. It fails if the object has another number, unless number
// is -1.
func (f *file) readObject(offset, number int) (object, bool) {
	if offset < 0 || offset >= len(f.data) {
		return nil, false
	}
	p := parser{lexer: lexer{data: f.data, at: offset}}
	n, generation, obj := p.next(), p.next(), p.next()
	if n.kind != numberToken || generation.kind != numberToken || obj.kind != keywordToken || !bytes.HasPrefix(obj.bytes, []byte("obj")) ||
		number >= 0 && int(n.number) != number {
		return nil, false
	}
	p.at -= len(obj.bytes) - 3 // "obj12", without a space
	own := reference{int(n.number), int(generation.number)}
	if f.security != nil {
		p.decrypt = func(b []byte) []byte { return f.security.decrypt(f.security.strings, own, b) }
	}
	o, _ := p.object(0)
	d, ok := o.(dict)
	if !ok {
		return o, true
	}
	before := p.at
	if t := p.next(); t.kind != keywordToken || string(t.bytes) != "stream" {
		p.at = before
		return d, true
	}
	if p.at < len(f.data) && f.data[p.at] == '\r' {
		p.at++
	}
	if p.at < len(f.data) && f.data[p.at] == '\n' {
		p.at++
	}
	return &stream{dict: d, raw: f.streamBytes(p.at, d), id: own}, true
}

// streamBytes returns the bytes of a stream: /Length of them if "endstream" follows, else those up to
// "endstream".
func (f *file) streamBytes(at int, d dict) []byte {
	rest := f.data[min(at, len(f.data)):]
	if length, given := f.number(d["Length"]); given && length >= 0 && length <= float64(len(rest)) {
		l := lexer{data: rest, at: int(length)}
		if t := l.next(); t.kind == keywordToken && (bytes.HasPrefix(t.bytes, []byte("endstream")) || bytes.HasPrefix(t.bytes, []byte("endobj"))) {
			return rest[:int(length)]
		}
	}
	for _, end := range []string{"endstream", "endobj"} {
		if i := bytes.Index(rest, []byte(end)); i >= 0 {
			return rest[:i]
		}
	}
	return rest
}

// resolve follows references; it returns nil if they lead nowhere or form a cycle.
func (f *file) resolve(o object) object {
	for range 16 {
		r, ok := o.(reference)
		if !ok {
			return o
		}
		o = f.load(r.number)
	}
	return nil
}

func (f *file) load(number int) object {
	if o, known := f.objects[number]; known {
		return o
	}
	e, known := f.entries[number]
	if !known || f.inProgress[number] {
		return nil
	}
	f.inProgress[number] = true
	defer delete(f.inProgress, number)
	var o object
	ok := true
	if e.container > 0 {
		o = f.readFromStream(number, e.container)
	} else if o, ok = f.readObject(e.offset, number); !ok && !f.isRebuilt {
		trailer := f.trailer
		if f.rebuild() == nil {
			f.inProgress[number] = false
			return f.load(number)
		}
		f.trailer = trailer
	}
	f.objects[number] = o
	return o
}

// loadObjectStream returns a decoded object stream, which is empty if the object is none.
func (f *file) loadObjectStream(number int) *objectStream {
	if p, known := f.objectStreams[number]; known {
		return p
	}
	p := &objectStream{offsets: map[int]int{}}
	f.objectStreams[number] = p
	if f.entries[number].container > 0 {
		return p
	}
	s, ok := f.load(number).(*stream)
	if !ok {
		return p
	}
	p.data = f.decode(s)
	first, _ := f.number(s.dict["First"])
	count, _ := f.number(s.dict["N"])
	l := lexer{data: p.data}
	for range int(min(max(count, 0), maxObjects)) {
		number, offset := l.next(), l.next()
		if number.kind != numberToken || offset.kind != numberToken {
			break
		}
		p.offsets[int(number.number)] = int(first + offset.number)
	}
	return p
}

func (f *file) readFromStream(number, container int) object {
	c := f.loadObjectStream(container)
	offset, known := c.offsets[number]
	if !known || offset < 0 || offset > len(c.data) {
		return nil
	}
	p := parser{lexer: lexer{data: c.data, at: offset}}
	o, _ := p.object(0)
	return o
}

func (f *file) dict(o object) dict {
	switch o := f.resolve(o).(type) {
	case dict:
		return o
	case *stream:
		return o.dict
	}
	return nil
}

func (f *file) array(o object) array { a, _ := f.resolve(o).(array); return a }

func (f *file) name(o object) name { n, _ := f.resolve(o).(name); return n }

func (f *file) number(o object) (n float64, given bool) { n, given = f.resolve(o).(float64); return }

// decode applies the filters of a stream and decodes as much as it can; it returns nil for images.
func (f *file) decode(s *stream) []byte {
	data := s.raw
	filters, parameters := f.asArray(s.dict["Filter"]), f.asArray(s.dict["DecodeParms"])
	if f.security != nil && s.id != (reference{}) && s.dict["Type"] != name("XRef") &&
		(s.dict["Type"] != name("Metadata") || f.security.metadata) && !slices.Contains(filters, object(name("Crypt"))) {
		data = f.security.decrypt(f.security.streams, s.id, data)
	}
	for i, filter := range filters {
		var with dict
		if i < len(parameters) {
			with = f.dict(parameters[i])
		}
		var ok bool
		if data, ok = applyFilter(f.name(filter), data, with, f); !ok {
			return nil
		}
		if f.decodedBytes += len(data); f.decodedBytes > maxDecodedFile {
			panic("its streams decode to more than 1 GiB")
		}
	}
	return data
}

// asArray returns the object if it is an array, and an array of the object if it is a single one.
func (f *file) asArray(o object) array {
	switch o := f.resolve(o).(type) {
	case nil:
		return nil
	case array:
		return o
	default:
		return array{o}
	}
}
