package main

import (
	"crypto/md5"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// debianName is the file of the package for a processor. Debian calls the processors that we build for as Go does.
func debianName(version, processor string) string {
	return fmt.Sprintf("lacuna_%s_%s.deb", version, processor)
}

// debianPlaces says where Debian has the files of an archive, by their name or their folder.
var debianPlaces = map[string]string{
	"lacuna":                  "usr/bin/lacuna",
	"completions/lacuna.bash": "usr/share/bash-completion/completions/lacuna",
	"completions/_lacuna":     "usr/share/zsh/vendor-completions/_lacuna",
	"completions/lacuna.fish": "usr/share/fish/vendor_completions.d/lacuna.fish",
	"completions/lacuna.ps1":  "usr/share/doc/lacuna/lacuna.ps1",
	"CHANGELOG.md":            "usr/share/doc/lacuna/changelog",
	"LICENSE":                 "", // is in /usr/share/common-licenses
	"man/":                    "usr/share/man/man1/",
	"":                        "usr/share/doc/lacuna/",
}

// debianPackage returns a package of the files of an archive: an ar of the version of the format, of what dpkg is told, and of the
// files. It has no scripts, so that installing it runs nothing.
func debianPackage(version, processor string, inside []entry, as time.Time) ([]byte, error) {
	var files []entry
	for _, file := range inside {
		place, known := debianPlaces[file.name]
		if !known {
			folder := file.name[:strings.LastIndex(file.name, "/")+1]
			place = debianPlaces[folder] + path.Base(file.name)
		}
		if place == "" {
			continue
		}
		if strings.HasPrefix(place, "usr/share/man/") || strings.HasSuffix(place, "/changelog") || strings.HasSuffix(place, programNotices) {
			packed, err := gzipped(file.data)
			if err != nil {
				return nil, err
			}
			file.data, place = packed, place+".gz"
		}
		files = append(files, entry{place, file.data, file.mode})
	}
	files = append(files, entry{"usr/share/doc/lacuna/copyright", []byte(debianCopyright), 0o644})
	slices.SortFunc(files, func(a, b entry) int { return strings.Compare(a.name, b.name) })

	size, sums := 0, ""
	for _, file := range files {
		size += (len(file.data) + 1023) / 1024
		sums += fmt.Sprintf("%x  %s\n", md5.Sum(file.data), file.name)
	}
	control := fmt.Sprintf(debianControl, version, processor, maintainer, size+len(files), address)
	told, err := tarred("./", []entry{{"control", []byte(control), 0o644}, {"md5sums", []byte(sums), 0o644}}, as)
	if err != nil {
		return nil, err
	}
	data, err := tarred("./", withFolders(files), as)
	if err != nil {
		return nil, err
	}
	return archived([]entry{{"debian-binary", []byte("2.0\n"), 0o644}, {"control.tar.gz", told, 0o644}, {"data.tar.gz", data, 0o644}}, as), nil
}

const debianControl = `Package: lacuna
Version: %s
Architecture: %s
Maintainer: %s
Installed-Size: %d
Section: text
Priority: optional
Homepage: %s
Description: answers the questions in your notes from your own sources
 Lacuna is a language server and a command. It answers questions that you
 write in your notes from your own documents, word for word and with
 citations, and marks what these documents do not know. It needs no model
 and no network.
`

const debianCopyright = `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: lacuna
Source: ` + address + `

Files: *
Copyright: the Lacuna authors
License: Apache-2.0
 On Debian systems the text is in /usr/share/common-licenses/Apache-2.0.
Comment:
 What the program contains is listed, with its terms, in
 ThirdPartyNotices.txt.gz, NOTICE and LGPL-2.1.txt beside this file.
`

// withFolders puts before files, which are in order, the folders that they are in.
func withFolders(files []entry) []entry {
	var all []entry
	known := map[string]bool{".": true}
	for _, file := range files {
		var above []string
		for folder := path.Dir(file.name); !known[folder]; folder = path.Dir(folder) {
			known[folder] = true
			above = append(above, folder)
		}
		for _, folder := range slices.Backward(above) {
			all = append(all, entry{folder, nil, fs.ModeDir | 0o755})
		}
		all = append(all, file)
	}
	return all
}
