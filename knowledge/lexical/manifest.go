package lexical

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lacuna/vecmath/mapped"
	"lacuna/vecmath/regular"
)

// manifest is written last: a folder that has one is complete. It says how the index was made and
// what its files must look like.
type manifest struct {
	Format   int `json:"format"`   // of the folder
	Analysis int `json:"analysis"` // of the terms; raised when Analyze changes
	Parameters
	Texts int             `json:"texts"`
	Parts []partSize      `json:"parts"`
	Files map[string]file `json:"files"` // by name, with forward slashes
}

// describe adds a file of the folder as it is.
func (m *manifest) describe(dir, name string) error {
	content, err := mapped.Open(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		return err
	}
	m.Files[name] = file{int64(len(content.Bytes())), content.CRC32C()}
	return nil
}

// describePart adds the files of a part as they are.
func (m *manifest) describePart(dir, part string) error {
	entries, err := os.ReadDir(filepath.Join(dir, part))
	for _, entry := range entries {
		err = errors.Join(err, m.describe(dir, part+"/"+entry.Name()))
	}
	return err
}

// filesOf returns the names of a part's files.
func (m *manifest) filesOf(part string) []string {
	var names []string
	for name := range m.Files {
		if strings.HasPrefix(name, part+"/") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (m *manifest) write(dir string) error {
	encoded, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, manifestName), func(w io.Writer) error {
		_, err := io.Copy(w, bytes.NewReader(encoded))
		return err
	})
}

// readManifest reads the manifest of dir and refuses one of another making.
func readManifest(dir string) (*manifest, error) {
	data, err := regular.ReadFile(filepath.Join(dir, manifestName))
	if err != nil {
		return nil, err
	}
	var m manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, err
	}
	if m.Format != formatVersion || m.Analysis != analysisVersion {
		return nil, ErrOtherVersion
	}
	return &m, m.check()
}

// open maps a file that is exactly as the manifest says.
func (m *manifest) open(dir, name string) (*mapped.File, error) {
	want, ok := m.Files[name]
	if !ok {
		return nil, fmt.Errorf("%s is not in the manifest", name)
	}
	content, err := mapped.Open(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	if int64(len(content.Bytes())) != want.Size || content.CRC32C() != want.CRC {
		return nil, fmt.Errorf("%s is damaged", name)
	}
	return content, nil
}

// writeFile writes a file and waits until it is on disk.
func writeFile(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Sync(), f.Close())
}

// adopt takes over a file that never changes: by a link, or a copy where there are none.
func adopt(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	return regular.LinkOrCopy(from, to)
}

type partSize struct {
	Name      string `json:"name"`
	Documents int    `json:"documents"`
}

type file struct {
	Size int64  `json:"size"`
	CRC  uint32 `json:"crc32c"`
}

// ErrOtherVersion means that an index is whole but was made by another version, whose terms or
// scores differ. It must be built again.
var ErrOtherVersion = errors.New("made by another version")

// Versions of what this package writes.
const (
	formatVersion   = 2
	analysisVersion = 2
)

// Files of an index, next to the folders of its parts.
const (
	manifestName = "manifest.json"
	forwardName  = "terms"
	boundsName   = "bounds"
	ordinalsName = "ordinals" // 32 bits each, of the documents of one part after the other
	partPrefix   = "part"
)
