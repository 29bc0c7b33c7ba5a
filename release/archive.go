package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"os"
	"strings"
	"time"

	"lacuna/server/cli"
)

// folderName is the folder inside the archive of a platform, and the beginning of the names of its files.
func folderName(platform string) string {
	return "lacuna-" + cli.Version + "-" + strings.ReplaceAll(platform, "/", "-")
}

// archiveName is the file of the archive of a platform.
func archiveName(platform string) string {
	if strings.HasPrefix(platform, "windows/") {
		return folderName(platform) + ".zip"
	}
	return folderName(platform) + ".tar.gz"
}

// entry is a file of an archive, or a folder.
type entry struct {
	name string
	data []byte
	mode os.FileMode
}

// tarred returns a compressed archive of files, whose names have a prefix, as of a time. Owners are left out, since they differ by who builds.
func tarred(prefix string, files []entry, as time.Time) ([]byte, error) {
	var b bytes.Buffer
	compressed, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	archive := tar.NewWriter(compressed)
	for _, file := range files {
		header := tar.Header{Name: prefix + file.name, Mode: int64(file.mode.Perm()), Size: int64(len(file.data)), ModTime: as, Format: tar.FormatUSTAR}
		if file.mode.IsDir() {
			header.Typeflag, header.Name = tar.TypeDir, header.Name+"/"
		}
		if err := archive.WriteHeader(&header); err != nil {
			return nil, err
		}
		if _, err := archive.Write(file.data); err != nil {
			return nil, err
		}
	}
	err = cmp.Or(archive.Close(), compressed.Close())
	return b.Bytes(), err
}

// zipped is tarred for Windows.
func zipped(prefix string, files []entry, as time.Time) ([]byte, error) {
	var b bytes.Buffer
	archive := zip.NewWriter(&b)
	for _, file := range files {
		header := zip.FileHeader{Name: prefix + file.name, Method: zip.Deflate, Modified: as}
		header.SetMode(file.mode)
		w, err := archive.CreateHeader(&header)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(file.data); err != nil {
			return nil, err
		}
	}
	err := archive.Close()
	return b.Bytes(), err
}

// archived returns an ar of files as of a time, in the form that dpkg reads: names without a slash.
func archived(files []entry, as time.Time) []byte {
	b := bytes.NewBufferString("!<arch>\n")
	for _, file := range files {
		fmt.Fprintf(b, "%-16s%-12d%-6d%-6d%-8o%-10d`\n", file.name, as.Unix(), 0, 0, 0o100000|file.mode.Perm(), len(file.data))
		b.Write(file.data)
		if len(file.data)%2 == 1 {
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}

func gzipped(data []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err = w.Close()
	return b.Bytes(), err
}
