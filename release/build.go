package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"lacuna/server/cli"
)

// enclosed are the texts that go into every archive, from the folder of the repository.
var enclosed = []string{"README.md", "LICENSE", "NOTICE", programNotices, "knowledge/lexicon/LGPL-2.1.txt"}

// makeAll builds the repository in folder for the chosen platforms, writes archives, bills of materials and SHA256SUMS to out, and
// returns the checksums.
func makeAll(folder, out string, chosen, environment []string) (string, error) {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return "", err
	}
	seconds, err := output(folder, "git", "log", "-1", "--format=%ct")
	if err != nil {
		return "", err
	}
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return "", err
	}
	files := map[string][]byte{}
	for _, platform := range chosen {
		if err := build(folder, platform, time.Unix(unix, 0).UTC(), environment, files); err != nil {
			return "", fmt.Errorf("%s: %w", platform, err)
		}
		fmt.Println("built for", platform)
	}
	extension, err := extensionBill(folder)
	if err != nil {
		return "", err
	}
	files[fmt.Sprintf("lacuna-vscode-%s.cdx.json", extension.Metadata.Component.Version)] = extension.bytes()

	var sums strings.Builder
	for _, name := range sortedKeys(files) {
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(files[name]), name)
		if err := os.WriteFile(filepath.Join(out, name), files[name], 0o644); err != nil {
			return "", err
		}
	}
	return sums.String(), os.WriteFile(filepath.Join(out, "SHA256SUMS"), []byte(sums.String()), 0o644)
}

// build adds the archive and the bill of materials of a platform to files.
func build(folder, platform string, commit time.Time, environment []string, files map[string][]byte) error {
	system, processor, ok := strings.Cut(platform, "/")
	if !ok {
		return fmt.Errorf("not a platform; write it as %s", platforms[0])
	}
	temporary, err := os.MkdirTemp("", "lacuna")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	program := filepath.Join(temporary, "lacuna")
	if system == "windows" {
		program += ".exe"
	}
	environment = slices.Concat(os.Environ(), settings, []string{"GOOS=" + system, "GOARCH=" + processor}, environment)
	command := exec.Command("go", "build", "-buildvcs=true", "-ldflags=-s -w", "-o", program, ".")
	command.Dir, command.Env = folder, environment
	if _, err := finish(command); err != nil {
		return err
	}
	bill, err := programBill(folder, program, platform, commit)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("lacuna-%s-%s-%s", cli.Version, system, processor)
	inside := []entry{{filepath.Base(program), program, 0o755}}
	for _, path := range enclosed {
		inside = append(inside, entry{filepath.Base(path), filepath.Join(folder, path), 0o644})
	}
	if system == "windows" {
		files[name+".zip"], err = zipped(name, inside, commit)
	} else {
		files[name+".tar.gz"], err = tarred(name, inside, commit)
	}
	files[name+".cdx.json"] = bill.bytes()
	return err
}

// entry is a file of an archive.
type entry struct {
	name, path string
	mode       os.FileMode
}

// tarred returns a compressed archive of a folder with files, as of a time. Owners are left out, since they differ by who builds.
func tarred(folder string, files []entry, as time.Time) ([]byte, error) {
	var b bytes.Buffer
	compressed, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	archive := tar.NewWriter(compressed)
	for _, file := range files {
		data, err := os.ReadFile(file.path)
		if err != nil {
			return nil, err
		}
		header := tar.Header{Name: folder + "/" + file.name, Mode: int64(file.mode), Size: int64(len(data)), ModTime: as, Format: tar.FormatUSTAR}
		if err := archive.WriteHeader(&header); err != nil {
			return nil, err
		}
		if _, err := archive.Write(data); err != nil {
			return nil, err
		}
	}
	err = cmp.Or(archive.Close(), compressed.Close())
	return b.Bytes(), err
}

// zipped is tarred for Windows.
func zipped(folder string, files []entry, as time.Time) ([]byte, error) {
	var b bytes.Buffer
	archive := zip.NewWriter(&b)
	for _, file := range files {
		data, err := os.ReadFile(file.path)
		if err != nil {
			return nil, err
		}
		header := zip.FileHeader{Name: folder + "/" + file.name, Method: zip.Deflate, Modified: as}
		header.SetMode(file.mode)
		w, err := archive.CreateHeader(&header)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(data); err != nil {
			return nil, err
		}
	}
	err := archive.Close()
	return b.Bytes(), err
}
