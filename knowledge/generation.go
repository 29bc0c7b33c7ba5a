package knowledge

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"unsafe"

	"lacuna/vecmath/mapped"
	"lacuna/vecmath/regular"
)

// # How a generation of the index lives
//
// A generation is a folder that is written completely, sealed with a manifest, made current, and never
// changed again. FORMAT.md describes every byte of it.
//
//	            newGeneration                    g00000007/ is made; nothing names it
//	                  │
//	   write          │  store, lexical index, encoder, blobs; files that stay the same are
//	                  │  adopted: hard links to the current generation
//	                  ▼
//	   seal           │  each new file synced and its CRC-32C taken; manifest.json written and
//	                  │  synced; the folder synced
//	                  ▼
//	   makeCurrent    │  CURRENT.new written and synced, renamed to CURRENT; the index folder synced;
//	                  │  all other generations removed
//	                  ▼
//	   published      │  a Library maps its files, and every request holds the Library it began with
//	                  │
//	        ┌─────────┴──────────┐
//	        ▼                    ▼
//	   a newer one          damage: a file missing or short (intact), changed (verify, Scrub), or not
//	   takes its place      readable during a search (checkFault)
//	        │                    │
//	        ▼                    ▼
//	   removed              the next refresh builds everything but the readings of files again
//
// One refresh writes up to three: the passages with their lexical index (rebuild), the encoders (train),
// and what the companions learnt (fit). Each makes the search better and costs only what it adds.
//
// What this survives:
//
//   - A process killed at any point, or a loss of power: CURRENT names a whole generation at any moment.
//     Nothing refers to other files there, and the next refresh removes them (killed_test.go, durable_test.go).
//   - Two processes: the one with the lock writes. Others take no lock: they read CURRENT, and if the
//     generation disappears while they load it, they read CURRENT again. Mapped files outlive their names.
//   - A full or read-only disk: the current generation serves on. Without one the index is built in a
//     temporary folder (useFallback in refresh.go).
//   - A truncated file or a bad disk: reading a mapped file that is gone is a memory fault, which
//     mapped.Guard makes a panic and checkFault an ErrDamaged. A flipped bit is found when the index is
//     opened (verify) and once an hour (Scrub); until then it can change which passages are found, but no
//     quote, because each is compared with its source.
//   - A new version of the format: the index is built again, and nothing is migrated.

// generation is one immutable version of the index on disk.
type generation struct {
	dir      string
	manifest manifest
	sum      string                 // SHA-256 of the manifest, as the pointer to the generation names it
	damage   *atomic.Pointer[error] // why its files are not what they were; nil while nothing is known of that
}

// manifest says what a generation holds.
type manifest struct {
	Format   int          `json:"format"`
	Passages string       `json:"passages"`        // digest of all that decides the passages
	Found    int          `json:"found,omitempty"` // the files that a first reading had found that had not ended; what is missing may come
	Contents []sealedFile `json:"contents"`        // by name
}

// sealedFile is a file of a generation, with forward slashes in its name.
type sealedFile struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
	CRC32 uint32 `json:"crc32c"`
}

const (
	// formatVersion changes with the format of any file of the index. An index of another version
	// is built again.
	formatVersion    = 5
	currentName      = "CURRENT"
	manifestName     = "manifest.json"
	storeName        = "passages"
	blobsName        = "blobs"
	generationPrefix = "g"
)

// ErrDamaged means that a file of the index could not be read during a search: it was truncated, or its disk
// fails. The next [Index.Refresh] builds the index again.
var ErrDamaged = errors.New("the index was damaged while in use and must be rebuilt; try again in a moment")

// errOutdated means that the index has the format of another version.
var errOutdated = errors.New("the index has another format")

// name identifies the searchable contents of the generation. File times and reports do not count, nor does
// the lexical index, which follows from the passages.
func (g *generation) name() string {
	h := sha256.New()
	fmt.Fprintln(h, formatVersion, g.manifest.Passages)
	for _, file := range g.manifest.Contents {
		if file.Name != storeName && !strings.Contains(file.Name, "/"+lexicalName+"/") {
			fmt.Fprintln(h, file.Name, file.Bytes, file.CRC32)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// newGeneration makes the folder of the next generation in the index folder.
func newGeneration(indexDir, passages string) (*generation, error) {
	last := 0
	entries, _ := os.ReadDir(indexDir) // without them, making the folder fails
	for _, entry := range entries {
		name := entry.Name()
		if !isGeneration(name) {
			continue
		}
		var n int
		if _, err := fmt.Sscanf(name, generationPrefix+"%d", &n); err == nil {
			last = max(last, n)
		}
	}
	dir := filepath.Join(indexDir, fmt.Sprintf("%s%08d", generationPrefix, last+1))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return &generation{
		dir: dir, manifest: manifest{Format: formatVersion, Passages: passages}, damage: new(atomic.Pointer[error]),
	}, nil
}

// generationNames returns the names of all generations in the index folder, which holds other folders too.
func generationNames(indexDir string) []string {
	entries, err := os.ReadDir(indexDir)
	if err != nil {
		return nil
	}
	var names []string
	for _, entry := range entries {
		if entry.IsDir() && isGeneration(entry.Name()) {
			names = append(names, entry.Name())
		}
	}
	return names
}

// isGeneration reports whether a folder has the name of a generation: the prefix, and digits alone.
func isGeneration(name string) bool {
	digits, ok := strings.CutPrefix(name, generationPrefix)
	return ok && digits != "" && strings.Trim(digits, "0123456789") == ""
}

// adopt takes over the files of a sealed generation that wanted accepts. They are hard links, so that a step
// that adds to a generation copies nothing.
func (g *generation) adopt(from *generation, wanted func(name string) bool) error {
	for _, file := range from.manifest.Contents {
		if !wanted(file.Name) {
			continue
		}
		to := filepath.Join(g.dir, filepath.FromSlash(file.Name))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		if err := regular.LinkOrCopy(filepath.Join(from.dir, filepath.FromSlash(file.Name)), to); err != nil {
			return err
		}
		g.manifest.Contents = append(g.manifest.Contents, file)
	}
	return nil
}

// seal writes the manifest over all files of the generation and syncs everything.
func (g *generation) seal() error {
	adopted := make(map[string]bool, len(g.manifest.Contents))
	for _, file := range g.manifest.Contents {
		adopted[file.Name] = true
	}
	err := filepath.WalkDir(g.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return errors.Join(os.Chmod(path, 0o700), syncDir(path))
		}
		relative, err := filepath.Rel(g.dir, path)
		if name := filepath.ToSlash(relative); err == nil && !adopted[name] {
			var sealed sealedFile
			sealed, err = sealFile(path, name)
			g.manifest.Contents = append(g.manifest.Contents, sealed)
		}
		return err
	})
	if err != nil {
		return err
	}
	slices.SortFunc(g.manifest.Contents, func(a, b sealedFile) int { return cmp.Compare(a.Name, b.Name) })
	content, err := json.MarshalIndent(g.manifest, "", "\t")
	if err != nil {
		return err
	}
	g.sum = sumOf(content)
	return errors.Join(writeSynced(filepath.Join(g.dir, manifestName), content), syncDir(g.dir))
}

func sumOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// sealFile syncs a file and describes it.
func sealFile(path, name string) (sealed sealedFile, err error) {
	if err := os.Chmod(path, 0o600); err != nil {
		return sealedFile{}, err
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0) // Windows syncs only what may be written
	if err != nil {
		return sealedFile{}, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	sealed, err = describe(f, name)
	return sealed, errors.Join(err, f.Sync())
}

func describe(r io.Reader, name string) (sealedFile, error) {
	sum := crc32.New(mapped.Castagnoli)
	bytes, err := io.Copy(sum, r)
	return sealedFile{Name: name, Bytes: bytes, CRC32: sum.Sum32()}, err
}

// verify compares every file with the manifest, except files that are verified when they are opened. It is
// the full check; intact is the cheap one.
func (g *generation) verify() error {
	for _, file := range g.manifest.Contents {
		if verifiesItself(file.Name) {
			continue
		}
		if !filepath.IsLocal(filepath.FromSlash(file.Name)) {
			return fmt.Errorf("%q is not a file of the index", file.Name)
		}
		f, err := regular.Open(filepath.Join(g.dir, filepath.FromSlash(file.Name)))
		if err != nil {
			return err
		}
		found, err := describe(f, file.Name)
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
		if found != file {
			return fmt.Errorf("%s is damaged", file.Name)
		}
	}
	return nil
}

// intact fails if the generation's files are missing or have another size, or if one could not be read
// during a search or was found changed by [Index.Scrub]. It reads no file; verify does.
func (g *generation) intact() error {
	if fault := g.damage.Load(); fault != nil {
		return *fault
	}
	for _, file := range g.manifest.Contents {
		info, err := os.Stat(filepath.Join(g.dir, filepath.FromSlash(file.Name)))
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("%s is missing", file.Name)
			}
			return fmt.Errorf("%s cannot be read: %w", file.Name, errors.Unwrap(err))
		}
		if info.Size() != file.Bytes {
			return fmt.Errorf("%s has %d bytes instead of %d", file.Name, info.Size(), file.Bytes)
		}
	}
	return nil
}

// same reports whether two pointers name one generation.
func (g *generation) same(other *generation) bool {
	return other != nil && g.dir == other.dir && g.sum == other.sum
}

// readString reads a file of the generation into a string and compares it with the manifest.
func (g *generation) readString(name string) (string, error) {
	want, err := g.sealed(name)
	if err != nil {
		return "", err
	}
	content, err := regular.ReadFile(filepath.Join(g.dir, filepath.FromSlash(name)))
	if err != nil {
		return "", err
	}
	if int64(len(content)) != want.Bytes || crc32.Checksum(content, mapped.Castagnoli) != want.CRC32 {
		return "", fmt.Errorf("%s is damaged", name)
	}
	return unsafe.String(unsafe.SliceData(content), len(content)), nil // the bytes are not shared
}

// sealed returns the manifest's entry for a file.
func (g *generation) sealed(name string) (sealedFile, error) {
	at := slices.IndexFunc(g.manifest.Contents, func(file sealedFile) bool { return file.Name == name })
	if at < 0 {
		return sealedFile{}, fmt.Errorf("%s is not in the manifest", name)
	}
	return g.manifest.Contents[at], nil
}

// verifiesItself reports whether a file's checksum is compared when it is opened: the store, vectors, and
// the files of a lexical index, whose own manifest has their checksums.
func verifiesItself(name string) bool {
	if name == storeName || path.Base(name) == vectorsName {
		return true
	}
	_, within, ok := strings.Cut(name, "/"+lexicalName+"/")
	return ok && within != manifestName
}

// makeCurrent points the index at a sealed generation and removes the others. A reader that has just been
// pointed elsewhere notices and looks again.
func (g *generation) makeCurrent() error {
	indexDir := filepath.Dir(g.dir)
	pointer := fmt.Sprintf("lacuna-index %d\n%s %s\n", formatVersion, filepath.Base(g.dir), g.sum)
	temporary := filepath.Join(indexDir, currentName+".new")
	if err := writeSynced(temporary, []byte(pointer)); err != nil {
		return err
	}
	current := filepath.Join(indexDir, currentName)
	if info, err := os.Lstat(current); err == nil && info.IsDir() { // which no file can replace
		if err := os.RemoveAll(current); err != nil {
			return err
		}
	}
	if err := regular.Rename(temporary, current); err != nil {
		return err
	}
	// Should this fail, a loss of power may bring the last pointer back, whose generation is gone;
	// which is noticed and repaired like any damage.
	_ = syncDir(indexDir)
	removeGenerations(indexDir, g.dir)
	return nil
}

// removeGenerations removes all generations but one. What cannot be removed now, because another process on
// Windows reads it, is removed another time.
func removeGenerations(indexDir, except string) {
	for _, name := range generationNames(indexDir) {
		if dir := filepath.Join(indexDir, name); dir != except {
			_ = os.RemoveAll(dir)
		}
	}
}

// readPointer returns the generation that an index folder points at, with an empty manifest. The error is
// fs.ErrNotExist for a folder without an index, and errOutdated for another format.
func readPointer(indexDir string) (*generation, error) {
	content, err := regular.ReadFile(filepath.Join(indexDir, currentName))
	if err != nil {
		return nil, err
	}
	var version int
	var name, sum string
	if _, err := fmt.Sscanf(string(content), "lacuna-index %d\n", &version); err != nil {
		return nil, fmt.Errorf("%s is damaged", currentName)
	}
	if version != formatVersion {
		return nil, errOutdated
	}
	_, err = fmt.Sscanf(string(content), "lacuna-index %d\n%s %s\n", &version, &name, &sum)
	if err != nil || !strings.HasPrefix(name, generationPrefix) || !filepath.IsLocal(name) || filepath.Base(name) != name {
		return nil, fmt.Errorf("%s is damaged", currentName)
	}
	return &generation{dir: filepath.Join(indexDir, name), sum: sum, damage: new(atomic.Pointer[error])}, nil
}

// readManifest fills in the manifest of a generation that readPointer returned.
func (g *generation) readManifest() error {
	content, err := regular.ReadFile(filepath.Join(g.dir, manifestName))
	if err != nil {
		return err
	}
	if sumOf(content) != g.sum {
		return fmt.Errorf("%s is damaged", manifestName)
	}
	return json.Unmarshal(content, &g.manifest)
}

// Files in the folder of a collection that has an encoder.
const (
	encoderName = "encoder"
	vectorsName = "vectors"
	trainedName = "trained" // the identities of the passages that the encoder was trained on
)

// fittedName is the file with the identities of the passages that the companions were fitted to.
const fittedName = "fitted"

// lexicalName is the folder of a collection's lexical index within the collection's own.
const lexicalName = "lexical"

// checkFault returns err, or [ErrDamaged] if work on the generation's files ended with a memory fault, which
// it records. recovered is what the work panicked with, or nil; a panic that is no memory fault goes on. g
// may be nil.
func (g *generation) checkFault(recovered any, err error) error {
	switch {
	case recovered == nil && !mapped.IsFault(err):
		return err
	case recovered != nil && !mapped.IsFault(recovered):
		panic(recovered)
	}
	if g != nil {
		g.recordDamage(fmt.Errorf("%s could not be read", filepath.Base(g.dir)))
	}
	return ErrDamaged
}

// recordDamage records why the generation's files are not what they were; only the first reason counts.
func (g *generation) recordDamage(why error) { g.damage.CompareAndSwap(nil, &why) }
