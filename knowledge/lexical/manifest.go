package lexical

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
)

// Files of an index beside bluge's own.
const (
	manifestName = "manifest.json"
	forwardName  = "terms.bin"
)

// manifest is written last: a folder that has one is complete. It says how the index was made and
// what its files must look like.
type manifest struct {
	Format   int `json:"format"`   // of the folder
	Analysis int `json:"analysis"` // of the terms; raised when Analyze changes
	Parameters
	Texts int             `json:"texts"`
	Files map[string]file `json:"files"`
}

type file struct {
	Size int64  `json:"size"`
	CRC  uint32 `json:"crc32c"`
}

// Versions of what this package writes.
const (
	formatVersion   = 1
	analysisVersion = 1
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// writeManifest describes the files in dir as they are.
func writeManifest(dir string, p Parameters, texts int) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	m := manifest{
		Format: formatVersion, Analysis: analysisVersion, Parameters: p,
		Texts: texts, Files: make(map[string]file, len(entries)),
	}
	for _, entry := range entries {
		data, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return err
		}
		m.Files[entry.Name()] = file{int64(len(data)), crc32.Checksum(data, castagnoli)}
	}
	encoded, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, manifestName), func(w io.Writer) error {
		_, err := w.Write(encoded)
		return err
	})
}

// ErrOtherVersion means that an index is whole but was made by another version, whose terms or
// scores differ. It must be built anew.
var ErrOtherVersion = errors.New("made by another version")

// readManifest reads the manifest of dir and refuses one of another making.
func readManifest(dir string) (*manifest, error) {
	data, err := os.ReadFile(filepath.Join(dir, manifestName))
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

// read returns the bytes of a file that is exactly as the manifest says.
func (m *manifest) read(dir, name string) ([]byte, error) {
	want, ok := m.Files[name]
	if !ok {
		return nil, fmt.Errorf("%s is not in the manifest", name)
	}
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) != want.Size || crc32.Checksum(data, castagnoli) != want.CRC {
		return nil, fmt.Errorf("%s is damaged", name)
	}
	return data, nil
}

// writeFile writes a file and waits until it is on disk.
func writeFile(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(write(f), f.Sync()); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
