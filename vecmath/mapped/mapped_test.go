package mapped

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

func TestOpen(t *testing.T) {
	for name, content := range map[string][]byte{
		"empty": nil, "small": []byte("iron"), "pages": bytes.Repeat([]byte("ferritin"), 5000),
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(f.Bytes(), content) {
			t.Errorf("%s: %d bytes, want %d", name, len(f.Bytes()), len(content))
		}
		runtime.KeepAlive(f)
	}
}

func TestChecksumIsThatOfTheStandardExample(t *testing.T) {
	path := filepath.Join(t.TempDir(), "digits")
	if err := os.WriteFile(path, []byte("123456789"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := f.CRC32C(); got != 0xe3069283 {
		t.Errorf("%x", got)
	}
}

func TestFilesThatCannotBeMapped(t *testing.T) {
	if _, err := Open(filepath.Join(t.TempDir(), "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := Open(t.TempDir()); err == nil {
		t.Error("a folder was mapped")
	}
}

func TestAFileMayLoseItsNameWhileItIsMapped(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows keeps the name of a mapped file")
	}
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, []byte("iron"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if string(f.Bytes()) != "iron" {
		t.Errorf("%q", f.Bytes())
	}
	runtime.KeepAlive(f)
}

func TestViewIsTheReverseOfBytes(t *testing.T) {
	shorts := []uint16{0, 1, 0x1234, math.MaxUint16}
	words := []uint32{0, 1, 0x12345678, math.MaxUint32}
	longs := []uint64{0, 1, 0x123456789abcdef0, math.MaxUint64}
	floats := []float32{0, -1.5, math.MaxFloat32, float32(math.Inf(-1))}
	for _, shift := range []int{0, 1} { // whole and unaligned
		if got := View[uint16](shifted(Bytes(shorts), shift)); !slices.Equal(got, shorts) {
			t.Errorf("%v", got)
		}
		if got := View[uint32](shifted(Bytes(words), shift)); !slices.Equal(got, words) {
			t.Errorf("%v", got)
		}
		if got := View[uint64](shifted(Bytes(longs), shift)); !slices.Equal(got, longs) {
			t.Errorf("%v", got)
		}
		if got := View[float32](shifted(Bytes(floats), shift)); !slices.Equal(got, floats) {
			t.Errorf("%v", got)
		}
	}
	if got := Bytes([]uint32{0x01020304}); !bytes.Equal(got, []byte{4, 3, 2, 1}) {
		t.Errorf("%v", got)
	}
	if got := View[uint32]([]byte{1, 0, 0, 0, 9, 9}); !slices.Equal(got, []uint32{1}) {
		t.Errorf("with bytes left over: %v", got)
	}
	if View[uint32](nil) != nil || Bytes[uint32](nil) != nil {
		t.Error("something was made of nothing")
	}
}

// shifted copies data to an address that is shift bytes beyond an aligned one.
func shifted(data []byte, shift int) []byte {
	buffer := make([]byte, 8+len(data)+shift)
	copy(buffer[shift:], data)
	return buffer[shift : shift+len(data)]
}
