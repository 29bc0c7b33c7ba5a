// Package archive opens zip files from strangers and reads the XML in them, within limits on entries,
// on unpacked bytes and on depth. Office documents, EPUB and XML files on their own are read through it.
// It knows no format. Begin with [Open] and [Tokens].
package archive

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Limits of one archive.
const (
	MaxEntries = 16384
	MaxPart    = 128 << 20 // of one part, unpacked, in bytes
	MaxTotal   = 256 << 20 // of all parts that are opened, unpacked, in bytes; a part counts each time
	MaxRatio   = 250       // of a part's size to its size in the file; honest XML stays below 50
)

// Errors of archives.
var (
	ErrNotZip    = errors.New("not a zip file")
	ErrNoPart    = errors.New("no such part") // returned as it is, so that a format can say what it lacks
	ErrUnpacked  = errors.New("unpacks to more than the limit")
	ErrEncrypted = errors.New("protected with a password")
)

// Archive is an open zip file. It is not safe for concurrent use.
type Archive struct {
	names   []string
	files   map[string]*zip.File
	folded  map[string]*zip.File // by lower-case name
	granted int64                // unpacked bytes of the parts opened so far
}

// Open opens a zip file. It reads the table of contents only.
func Open(content []byte) (*Archive, error) {
	return OpenAt(bytes.NewReader(content), int64(len(content)))
}

// OpenAt is [Open] for a file of size bytes.
func OpenAt(file io.ReaderAt, size int64) (*Archive, error) {
	r, err := zip.NewReader(file, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // names are only compared
		return nil, ErrNotZip
	}
	if len(r.File) > MaxEntries {
		return nil, fmt.Errorf("more than %d files in the archive", MaxEntries)
	}
	a := &Archive{files: map[string]*zip.File{}, folded: map[string]*zip.File{}}
	for _, f := range r.File {
		name := clean(f.Name)
		if strings.HasSuffix(name, "/") || a.files[name] != nil {
			continue
		}
		a.names = append(a.names, name)
		a.files[name] = f
		if lower := strings.ToLower(name); a.folded[lower] == nil {
			a.folded[lower] = f
		}
	}
	return a, nil
}

// clean returns a part's name with slashes and without one at its beginning. Some programs write others.
func clean(name string) string {
	return strings.TrimLeft(strings.ReplaceAll(name, `\`, "/"), "/")
}

// Names returns the names of the parts in the order of the archive, without folders. Of parts with the
// same name, only the first counts.
func (a *Archive) Names() []string { return a.names }

// Has reports whether there is a part of that name. If no name is equal, one in other letter case counts,
// as in Office programs; a slash at the beginning does not matter.
func (a *Archive) Has(name string) bool { return a.find(name) != nil }

func (a *Archive) find(name string) *zip.File {
	name = clean(name)
	if f := a.files[name]; f != nil {
		return f
	}
	return a.folded[strings.ToLower(name)]
}

// Size returns the unpacked size that the archive claims for a part, at most [MaxPart]; 0 if there is none.
func (a *Archive) Size(name string) int64 {
	if f := a.find(name); f != nil {
		return int64(min(f.UncompressedSize64, MaxPart))
	}
	return 0
}

// Read returns the bytes of a part. It fails with [ErrNoPart] if there is none.
func (a *Archive) Read(name string) ([]byte, error) {
	part, err := a.open(name)
	if err != nil {
		return nil, err
	}
	defer part.Close()
	content, err := io.ReadAll(part)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return content, nil
}

// Tokens passes the XML tokens of a part to read, as [Tokens] does. It fails with [ErrNoPart] if there
// is none.
func (a *Archive) Tokens(name string, read TokenReader) error {
	part, err := a.open(name)
	if err != nil {
		return err
	}
	defer part.Close()
	if err := Tokens(part, read); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// open opens a part that may be unpacked.
func (a *Archive) open(name string) (io.ReadCloser, error) {
	f := a.find(name)
	switch {
	case f == nil:
		return nil, ErrNoPart
	case f.Flags&1 != 0:
		return nil, ErrEncrypted
	case f.UncompressedSize64 > MaxPart,
		f.UncompressedSize64 > MaxRatio*(f.CompressedSize64+1024),
		a.granted+int64(f.UncompressedSize64) > MaxTotal:
		return nil, ErrUnpacked
	}
	a.granted += int64(f.UncompressedSize64)
	part, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &bounded{part, int64(f.UncompressedSize64)}, nil
}

// bounded ends with an error where a part is longer than the archive claims.
type bounded struct {
	io.ReadCloser
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, ErrUnpacked
	}
	return n, err
}

// Unpacked returns the unpacked size that a zip file claims for the parts that are wanted, in bytes; the
// size of the file if it is no zip file.
func Unpacked(file io.ReaderAt, size int64, wanted func(name string) bool) int64 {
	a, err := OpenAt(file, size)
	if err != nil {
		return size
	}
	total := int64(0)
	for _, name := range a.names {
		if wanted(name) {
			total += a.Size(name)
		}
	}
	return min(total, MaxTotal)
}
