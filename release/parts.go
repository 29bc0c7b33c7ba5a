package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// part is someone else's software inside ours.
type part struct {
	name, version string
	texts         []text // its licences and notices
}

// text is a file that tells under which terms a part comes.
type text struct {
	file string // within the part
	body string
}

// notice matches the names of files that have terms. Lists of authors are none.
var notice = regexp.MustCompile(`(?i)^(licen[cs]es?|copying|notice|patents|unlicense|ftl|third-?party-?notices)([-.].*)?$`)

// standardLibrary is the name of the part that is Go itself.
const standardLibrary = "Go standard library"

// programParts returns Go itself and the modules whose packages are linked into the program for any of the platforms, by name.
// Their terms are in the folders of these packages and in those above, up to the module.
func programParts(folder string, platforms []string) ([]part, error) {
	type module struct{ Path, Version, Dir string }
	modules, folders := map[string]module{}, map[string]map[string]bool{}
	for _, platform := range platforms {
		system, processor, _ := strings.Cut(platform, "/")
		command := exec.Command("go", "list", "-deps", "-json=Dir,Module", ".")
		command.Dir = folder
		command.Env = slices.Concat(os.Environ(), settings, []string{"GOOS=" + system, "GOARCH=" + processor})
		listed, err := finish(command)
		if err != nil {
			return nil, err
		}
		for decoder := json.NewDecoder(strings.NewReader(listed)); ; {
			var listed struct {
				Dir    string
				Module *module
			}
			if err := decoder.Decode(&listed); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, err
			}
			m := listed.Module
			if m == nil || m.Version == "" { // Go's own, and ours
				continue
			}
			if folders[m.Path] == nil {
				modules[m.Path], folders[m.Path] = *m, map[string]bool{}
			}
			for at := listed.Dir; ; at = filepath.Dir(at) {
				folders[m.Path][at] = true
				if at == m.Dir || at == filepath.Dir(at) {
					break
				}
			}
		}
	}
	root, err := output(folder, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	texts, err := textsIn(root, root)
	parts := []part{{name: standardLibrary, texts: texts}}
	for _, path := range sortedKeys(modules) {
		p := part{name: path, version: modules[path].Version}
		for _, at := range sortedKeys(folders[path]) {
			texts, err := textsIn(modules[path].Dir, at)
			if err != nil {
				return nil, err
			}
			p.texts = append(p.texts, texts...)
		}
		parts = append(parts, p)
	}
	return parts, err
}

// extensionParts returns the packages that are bundled into the extension, with their terms if npm has installed them.
func extensionParts(folder string) ([]part, error) {
	packages, err := bundled(folder)
	if err != nil {
		return nil, err
	}
	var parts []part
	for _, path := range sortedKeys(packages) {
		texts, err := textsIn(filepath.Join(folder, extensionFolder, path), filepath.Join(folder, extensionFolder, path))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		parts = append(parts, part{packageName(path), packages[path].Version, texts})
	}
	return parts, nil
}

// textsIn returns the terms in a folder of a part, and in the folder "licenses" there.
func textsIn(part, folder string) ([]text, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var texts []text
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		switch matches := notice.MatchString(entry.Name()); {
		case matches && entry.IsDir():
			below, err := os.ReadDir(path)
			if err != nil {
				return nil, err
			}
			for _, entry := range below {
				if texts, err = appendText(texts, part, filepath.Join(path, entry.Name())); err != nil {
					return nil, err
				}
			}
		case matches && filepath.Ext(path) != ".go":
			if texts, err = appendText(texts, part, path); err != nil {
				return nil, err
			}
		}
	}
	return texts, nil
}

func appendText(texts []text, part, path string) ([]text, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	file, err := filepath.Rel(part, path)
	if err != nil {
		return nil, err
	}
	if !utf8.Valid(data) { // Latin-1: the sign of copyright and names
		var b []rune
		for _, c := range data {
			b = append(b, rune(c))
		}
		data = []byte(string(b))
	}
	body := strings.ReplaceAll(string(data), "\r\n", "\n")
	return append(texts, text{filepath.ToSlash(file), strings.Trim(body, "\n")}), nil
}

// extensionFolder has the extension for VS Code.
const extensionFolder = "editors/vscode"

// lockedPackage is a package in package-lock.json.
type lockedPackage struct {
	Version, Integrity string
	Dev                bool
}

// bundled returns the packages of package-lock.json that the extension contains, by their folder: those that are not for
// development alone.
func bundled(folder string) (map[string]lockedPackage, error) {
	data, err := os.ReadFile(filepath.Join(folder, extensionFolder, "package-lock.json"))
	if err != nil {
		return nil, err
	}
	var lock struct{ Packages map[string]lockedPackage }
	if err := json.Unmarshal(data, &lock); err != nil {
		return nil, fmt.Errorf("package-lock.json: %w", err)
	}
	maps.DeleteFunc(lock.Packages, func(path string, p lockedPackage) bool { return path == "" || p.Dev })
	return lock.Packages, nil
}

// packageName returns the name of a package in a folder of package-lock.json.
func packageName(path string) string {
	return path[strings.LastIndex(path, "node_modules/")+len("node_modules/"):]
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
