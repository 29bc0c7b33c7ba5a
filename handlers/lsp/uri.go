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
	if host, err = url.PathUnescape(host); err != nil || strings.ContainsAny(host, "/\\\x00") {
		return "", false
	}
	if windows {
		host, file = shareOf(host, file)
	}
	file = path.Clean(file)
	if host != "" && !strings.EqualFold(host, "localhost") {
		if !windows {
			return "", false // a file on another machine has no path here
		}
		file = "//" + host + file
	}
	if !windows {
		return file, true
	}
	if file = withColon(file); hasDrive(file) {
		file = strings.ToUpper(file[1:2]) + file[2:]
		if len(file) == len("C:") {
			file += "/" // without it, it would mean the drive's current folder
		}
	}
	if slices.ContainsFunc(strings.Split(file, "/"), IsReserved) {
		return "", false // a device, which no document is
	}
	return strings.ReplaceAll(file, "/", `\`), true
}

// shareOf takes the name of a machine out of a path for Windows that begins with it, as some write shares, and takes off
// what begins a path of any length: \\?\C:\x and \\?\UNC\host\share.
func shareOf(host, path string) (string, string) {
	first := func(path string) (string, string) {
		name, rest, _ := strings.Cut(path, "/")
		return name, "/" + rest
	}
	if after, ok := strings.CutPrefix(path, "//"); ok && host == "" {
		host, path = first(strings.TrimLeft(after, "/"))
	}
	if host != "?" {
		return host, path
	}
	if after, ok := cutPrefixFold(path, "/UNC/"); ok {
		return first(after)
	}
	return "", path
}

// withColon returns "/c:/…" for "/c|/…", as drives were once written.
func withColon(path string) string {
	if len(path) >= 3 && path[2] == '|' && (len(path) == 3 || path[3] == '/') && hasDrive(path[:2]+":") {
		return path[:2] + ":" + path[3:]
	}
	return path
}

// cutPrefixFold is [strings.CutPrefix] for a prefix in any case.
func cutPrefixFold(s, prefix string) (after string, found bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
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
		if after, ok := cutPrefixFold(path, "//?/UNC/"); ok {
			path = "//" + after
		} else if after, ok := strings.CutPrefix(path, "//?/"); ok {
			path = after
		}
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
