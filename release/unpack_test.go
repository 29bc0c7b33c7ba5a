package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"testing"
	"time"
)

// unpack returns a line for each file of an archive of either kind.
func unpack(t *testing.T, data []byte) []string {
	t.Helper()
	var lines []string
	add := func(name, mode string, as time.Time, r io.Reader) {
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, name+" "+mode+" "+as.UTC().Format(time.RFC3339)+" "+string(text))
	}
	if bytes.HasPrefix(data, []byte("PK")) {
		archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range archive.File {
			r, err := file.Open()
			if err != nil {
				t.Fatal(err)
			}
			add(file.Name, file.Mode().String(), file.Modified, r)
		}
		return lines
	}
	plain, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for archive := tar.NewReader(plain); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return lines
		}
		if err != nil {
			t.Fatal(err)
		}
		add(header.Name, header.FileInfo().Mode().String(), header.ModTime, archive)
	}
}
