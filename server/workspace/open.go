package workspace

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"unicode"

	"lacuna/handlers/settings"
	"lacuna/knowledge"
	"lacuna/knowledge/answer/extract"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/history"
	"lacuna/knowledge/ingest/ocr"
)

// Open opens a workspace. It is quick: it reads settings and what the index folder holds, and
// leaves the sources to [Workspace.Refresh]. A folder without sources is a workspace without
// passages, not an error.
func Open(ctx context.Context, r Request) (*Workspace, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if r.Log == nil {
		r.Log = slog.New(slog.DiscardHandler)
	}
	w := &Workspace{request: r}
	w.loaded = settings.Load(settings.Request{
		Root: r.Root, UserFile: r.UserFile, Editor: r.Editor, Flags: r.Flags,
	})
	if err := w.useRecording(); err != nil {
		return nil, err
	}
	set := w.loaded.Settings
	RememberSecrets(w.loaded.Settings)
	dir, err := w.folder()
	if err != nil {
		return nil, err
	}
	w.indexDir = dir
	ocr.Use(ocr.Command{Words: set.OCR.Command, Limit: set.OCR.Timeout, Folder: filepath.Join(filepath.Dir(dir), "ocr")})
	w.openHistory()
	w.index, err = knowledge.Open(knowledge.Options{
		Sources:    w.sources,
		Limits:     set.Limits.Reading(),
		Dir:        dir,
		Spare:      temporaryParents(),
		Companions: []knowledge.Companion{gap.Companion(), extract.QuestionTypes{}},
		Remote:     w.embedder(),
		Report:     w.pass,
	})
	if err != nil {
		return nil, fmt.Errorf("open index: %w", err)
	}
	w.offline = &extract.Offline{Judge: gap.NewJudge(), Amount: extract.Amount(set.Answer.Sentences), Rounds: set.Answer.Rounds}
	w.consent = newConsent(dir, r.Root, r.Consent, r.Log)
	auditAt := filepath.Join(cmp.Or(set.Privacy.AuditDir, dir), auditFile)
	w.audit = &audit{most: mostAudit,
		file: auditAt, tail: tailOf(auditAt, filepath.Dir(dir)), workspace: filepath.Base(dir),
		bodies: set.Privacy.AuditBodies, log: r.Log,
	}
	w.openEngines()
	w.openCited()
	w.connect()
	w.record()
	return w, nil
}

// folder returns the index's folder: below the settings' folder or in the user's cache, or a temporary one if
// there is neither.
func (w *Workspace) folder() (string, error) {
	base := w.loaded.Settings.Index.Dir
	dir, err := IndexDir(base, w.request.Root, w.request.UserFile)
	if err == nil {
		return dir, nil
	}
	if w.temporary, err = knowledge.NewTempDir(temporaryParents()...); err != nil {
		return "", fmt.Errorf("the system names no cache folder for this user, and there is none for temporary files: %w; set LACUNA_CACHE_DIR", err)
	}
	w.problem("index.dir", errors.New("the system names no cache folder for this user, so nothing is kept when this ends; set LACUNA_CACHE_DIR"))
	return IndexDir(w.temporary.Dir(), w.request.Root, w.request.UserFile)
}

// temporaryParents returns the folders for data that cannot be stored permanently, the ones in memory first:
// the runtime folder of the user's session, the system's shared memory, and its folder for temporary files.
func temporaryParents() []string {
	var parents []string
	if runtime.GOOS == "linux" {
		if session := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(session) {
			parents = append(parents, session)
		}
		parents = append(parents, "/dev/shm")
	}
	return append(parents, os.TempDir())
}

// openHistory makes the accepted answers a source, where they are harvested. Its folder is ours, so a
// workspace cannot name it.
func (w *Workspace) openHistory() {
	set := w.loaded.Settings
	w.history, w.sources = history.In(w.indexDir), set.Sources
	if !set.History.Harvest {
		return
	}
	accepted, err := w.history.Source()
	if err != nil {
		w.problem("index.dir", fmt.Errorf("accepted answers cannot be kept, and none serves: %w", err))
		return
	}
	w.sources = append(w.sources[:len(w.sources):len(w.sources)], accepted)
}

// Find returns the root of the workspace that a folder belongs to: the folder or its nearest
// parent that holds a settings file.
func Find(dir string) (root string, found bool) {
	return nearest(dir, func(at string) bool {
		info, err := os.Stat(filepath.Join(at, settings.File))
		return err == nil && info.Mode().IsRegular()
	})
}

// findKB returns the folder or its nearest parent that has a folder kb, which makes it a
// workspace without a settings file.
func findKB(dir string) (root string, found bool) {
	return nearest(dir, func(at string) bool {
		info, err := os.Stat(filepath.Join(at, "kb"))
		return err == nil && info.IsDir()
	})
}

// RootOf returns the root of the workspace that a folder's files belong to: [Find]'s or, if no settings file
// says otherwise, findKB's.
func RootOf(dir string) (root string, found bool) {
	if root, found = Find(dir); found {
		return root, true
	}
	return findKB(dir)
}

func nearest(dir string, fits func(string) bool) (string, bool) {
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		if fits(at) {
			return at, true
		}
		if at == filepath.Dir(at) {
			return "", false
		}
	}
}

// IndexDir returns the folder of a workspace's index below the folder of all indexes, which
// defaults to lacuna in the user's cache folder. Its name is the root's last part, for people, and
// a hash of the root's path and of the settings file that was asked for, if one was: another
// settings file may name other sources.
func IndexDir(base, root, userFile string) (string, error) {
	if base == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", errors.New("the system names no cache folder for this user; set LACUNA_CACHE_DIR")
		}
		base = filepath.Join(cache, "lacuna")
	}
	base, err := filepath.Abs(base)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(root + "\x00" + userFile))
	return filepath.Join(base, readable(root)+"-"+hex.EncodeToString(sum[:6])), nil
}

// readable makes a file name of the root's last part.
func readable(root string) string {
	name := strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return unicode.ToLower(r)
		}
		return '-'
	}, filepath.Base(root))
	const most = 32
	if name = strings.Trim(name, "-"); name == "" {
		return "workspace"
	}
	return strings.TrimRight(name[:min(len(name), most)], "-")
}
