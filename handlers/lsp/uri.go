package lsp

import (
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
)

// Path returns the file a URI names, in the form of this system. It is false for every document
// without a file ("untitled:", "git:", a notebook's cell) and for a URI that does not parse. The
// library's own URI.Filename panics on those and forgets the host of "file://host/share".
func Path(u protocol.DocumentURI) (string, bool) { return pathOf(string(u), runtime.GOOS == "windows") }

func pathOf(u string, windows bool) (string, bool) {
	scheme, rest, ok := strings.Cut(u, ":")
	if !ok || !strings.EqualFold(scheme, "file") {
		return "", false
	}
	host := ""
	if after, ok := strings.CutPrefix(rest, "//"); ok {
		slash := strings.IndexByte(after, '/')
		if slash < 0 {
			return "", false
		}
		host, rest = after[:slash], after[slash:]
	}
	rest, _, _ = strings.Cut(rest, "#")
	rest, _, _ = strings.Cut(rest, "?")
	file, err := url.PathUnescape(rest)
	if err != nil || !strings.HasPrefix(file, "/") || strings.ContainsRune(file, 0) {
		return "", false
	}
	file = path.Clean(file)
	if host, err = url.PathUnescape(host); err != nil || strings.ContainsAny(host, "/\\\x00") {
		return "", false
	}
	if host != "" && !strings.EqualFold(host, "localhost") {
		if !windows {
			return "", false // a file on another machine has no path here
		}
		file = "//" + host + file
	}
	if !windows {
		return file, true
	}
	if hasDrive(file) {
		file = strings.ToUpper(file[1:2]) + file[2:]
		if len(file) == len("C:") {
			file += "/" // without it, it would mean the drive's current folder
		}
	}
	return strings.ReplaceAll(file, "/", `\`), true
}

// hasDrive reports whether a slash path begins with "/" and a Windows drive.
func hasDrive(path string) bool {
	return len(path) >= 3 && path[0] == '/' && path[2] == ':' &&
		('a' <= path[1]|0x20 && path[1]|0x20 <= 'z')
}

// URI returns the URI of a file. The path should be absolute.
func URI(path string) protocol.DocumentURI { return uriOf(path, runtime.GOOS == "windows") }

// LineURI is the address of a line of a file, from 1; of the file if the line is not known.
func LineURI(path string, line int) string {
	if line < 1 {
		return string(URI(path))
	}
	return fmt.Sprintf("%s#L%d", URI(path), line)
}

func uriOf(path string, windows bool) protocol.DocumentURI {
	if windows {
		path = strings.ReplaceAll(path, `\`, "/")
	}
	u := url.URL{Scheme: "file", Path: path}
	if after, ok := strings.CutPrefix(path, "//"); ok {
		host, rest, _ := strings.Cut(after, "/")
		u.Host, u.Path = host, "/"+rest
	} else if !strings.HasPrefix(path, "/") {
		u.Path = "/" + path
	}
	return protocol.DocumentURI(u.String())
}

// FoldsCase says that file names that differ only in case mean the same file, as by default on Windows and
// macOS. Tests may change it while nothing else runs.
var FoldsCase = runtime.GOOS == "windows" || runtime.GOOS == "darwin"

// PathKey returns a form of a path that is equal for all its spellings. It is for looking files up.
func PathKey(path string) string {
	if FoldsCase {
		return strings.ToLower(path)
	}
	return path
}

// SamePath reports whether two paths mean the same file, as far as their spelling tells.
func SamePath(a, b string) bool { return a == b || FoldsCase && strings.EqualFold(a, b) }

// Within returns the path of a file relative to a folder, "" for the folder itself; ok is false if the file
// is not in the folder. Both paths must be absolute and clean.
func Within(file, folder string) (rest string, ok bool) {
	const separator = string(filepath.Separator)
	names, above := strings.Split(file, separator), strings.Split(strings.TrimSuffix(folder, separator), separator)
	if len(names) < len(above) || !slices.EqualFunc(names[:len(above)], above, SamePath) {
		return "", false
	}
	return strings.Join(names[len(above):], separator), true
}

// Key returns a form of a URI that is equal for all spellings of a document: percent escapes, "localhost",
// the case of the scheme, of a drive letter and, if [FoldsCase], of the whole path do not matter. It is for
// looking documents up and never sent; replies use the client's own spelling.
func Key(u protocol.DocumentURI) string {
	s := string(u)
	scheme, rest, ok := strings.Cut(s, ":")
	if !ok {
		return s
	}
	scheme = strings.ToLower(scheme)
	if path, ok := pathOf(s, false); ok {
		if hasDrive(path) {
			path = "/" + strings.ToLower(path[1:2]) + path[2:]
		}
		return scheme + ":" + PathKey(path)
	}
	if decoded, err := url.PathUnescape(rest); err == nil {
		rest = decoded
	}
	return scheme + ":" + rest
}
