package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"lacuna/handlers/settings"
)

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

// Of returns the root of the workspace that the files of a folder belong to: that of [Find], or
// where no settings file says otherwise that of findKB.
func Of(dir string) (root string, found bool) {
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
