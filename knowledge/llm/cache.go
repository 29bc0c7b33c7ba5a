package llm

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"lacuna/prompts"
	"lacuna/vecmath/regular"
)

// replyKey identifies everything that decides a reply. It leaves out how the endpoint is asked for
// JSON, which is learned on the way and does not change the question.
func replyKey(to *endpoint, r Request, s resolvedSampling) string {
	text, err := json.Marshal(struct {
		Base, Model string
		Sampling    resolvedSampling
		Schema      []byte
		Messages    []prompts.Message
	}{to.base, to.Model, s, r.Chat.Schema, r.Chat.Messages})
	if err != nil {
		return "" // a temperature that is no number; nothing is kept under no key
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// NewDiskCache returns a cache that stores each reply in a file in folder, readable by the user alone,
// with redacted texts restored. It creates the folder for the first reply. Beyond maxBytes it drops the
// oldest replies. It ignores damaged files. Several programs may share a folder. onError, if given, is
// called once with the reason why replies are not cached.
func NewDiskCache(folder string, maxBytes int64, onError ...func(error)) Cache {
	return &diskCache{folder: folder, max: maxBytes, size: -1, onError: onError}
}

type diskCache struct {
	folder   string
	max      int64
	onError  []func(error)
	warnOnce sync.Once

	mu   sync.Mutex
	size int64 // bytes of all files as far as known; -1: not counted yet; guarded by mu
}

// extension ends the names of files with replies; others in the folder are left alone.
const extension = ".reply"

func (k *diskCache) path(key string) string {
	return filepath.Join(k.folder, key[:2], key+extension)
}

// Get implements [Cache].
func (k *diskCache) Get(key string) (Reply, bool) {
	if len(key) < 3 {
		return Reply{}, false
	}
	text, err := regular.ReadFile(k.path(key))
	if err != nil {
		return Reply{}, false
	}
	sum, body, _ := bytes.Cut(text, []byte("\n"))
	var reply Reply
	if string(sum) != checksum(body) || json.Unmarshal(body, &reply) != nil {
		return Reply{}, false
	}
	return reply, true
}

// Put implements [Cache].
func (k *diskCache) Put(key string, r Reply) {
	if len(key) < 3 {
		return
	}
	body, err := json.Marshal(r)
	if err != nil {
		return
	}
	text := append([]byte(checksum(body)+"\n"), body...)
	if err := writeFile(k.path(key), text); err != nil {
		k.warnOnce.Do(func() {
			for _, tell := range k.onError {
				tell(err)
			}
		})
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.size < 0 {
		k.size = 0
		for _, f := range k.files() {
			k.size += f.size
		}
	} else {
		k.size += int64(len(text))
	}
	if k.size > k.max {
		k.prune()
	}
}

func checksum(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// writeFile writes a file atomically, readable by the user alone.
func writeFile(path string, text []byte) error {
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(folder, "*.new") // mode 0600
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Close()); err == nil {
		err = regular.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}

// file is a file with a reply, or the rest of an interrupted write.
type file struct {
	path string
	size int64
	age  time.Duration
}

// files returns all files with replies and all rests of interrupted writes.
func (k *diskCache) files() []file {
	var all []file
	now := time.Now()
	_ = filepath.WalkDir(k.folder, func(path string, entry fs.DirEntry, err error) error {
		ours := filepath.Ext(path) == extension || filepath.Ext(path) == ".new"
		if err != nil || !entry.Type().IsRegular() || !ours {
			return nil
		}
		if info, err := entry.Info(); err == nil {
			all = append(all, file{path, info.Size(), regular.Age(info, now)})
		}
		return nil
	}) // what cannot be read is not counted
	return all
}

// prune drops the oldest files until a tenth of the room is free. It requires mu.
func (k *diskCache) prune() {
	files := k.files()
	slices.SortFunc(files, func(a, b file) int { return cmp.Compare(b.age, a.age) })
	k.size = 0
	for _, f := range files {
		k.size += f.size
	}
	for _, f := range files {
		if k.size <= k.max/10*9 {
			return
		}
		if os.Remove(f.path) == nil {
			k.size -= f.size
		}
	}
}
