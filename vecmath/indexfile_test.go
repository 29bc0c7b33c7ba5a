package vecmath

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func written(t testing.TB, x *Index) []byte {
	t.Helper()
	var file bytes.Buffer
	n, err := x.WriteTo(&file)
	if err != nil || n != int64(file.Len()) {
		t.Fatalf("wrote %d of %d bytes, %v", n, file.Len(), err)
	}
	return file.Bytes()
}

func TestIndexRoundTrip(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, size := range []struct{ dim, rows, head int }{{1, 0, 0}, {3, 1, 0}, {7, 500, 0}, {40, 1003, 8}, {256, 300, 128}} {
		rows := rowsOf(t, size.dim, randomVector(random, size.dim*size.rows))
		x := withHead(rows, size.head)
		path := filepath.Join(t.TempDir(), "vectors")
		if err := os.WriteFile(path, written(t, x), 0o600); err != nil {
			t.Fatal(err)
		}
		again, err := OpenIndex(path)
		if err != nil {
			t.Fatal(err)
		}
		again.coded = true
		if again.Dim() != size.dim || again.Len() != size.rows || again.HeadDim() != size.head {
			t.Errorf("%v came back as %d rows of %d with a head of %d", size, again.Len(), again.Dim(), again.HeadDim())
		}
		if !bytes.Equal(written(t, again), written(t, x)) {
			t.Errorf("%v is written otherwise than read", size)
		}
		for row := range size.rows {
			if !slices.Equal(again.Row(row), rows.Row(row)) || again.Dot(row, rows.Row(0)) != Dot(rows.Row(row), rows.Row(0)) {
				t.Fatalf("%v: row %d differs", size, row)
			}
		}
		q := randomVector(random, size.dim)
		got, err := again.NearestL2(q, 5)
		if want := plainly(best, rows, q, 5, nil); err != nil || len(got) != len(want) || len(want) > 0 && !slices.Equal(got, want) {
			t.Errorf("%v: %v, want %v (%v)", size, got, want, err)
		}
	}
}

func TestDamagedIndexIsRefused(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	file := written(t, withHead(rowsOf(t, 5, randomVector(random, 5*20)), 2))
	for at := range file {
		damaged := slices.Clone(file)
		damaged[at] ^= 1 << random.IntN(8)
		if _, err := readIndex(damaged, nil); err == nil {
			t.Errorf("byte %d is damaged and the index opens", at)
		}
	}
	for size := range file {
		if _, err := readIndex(file[:size], nil); err == nil {
			t.Errorf("%d of %d bytes are an index", size, len(file))
		}
	}
	if _, err := readIndex(append(file, make([]byte, alignment)...), nil); err == nil {
		t.Error("an index with more behind it opens")
	}
	if _, err := OpenIndex(filepath.Join(t.TempDir(), "none")); !os.IsNotExist(err) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// TestIndexCutOff takes the mapped file away from under an index.
func TestIndexCutOff(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	path := filepath.Join(t.TempDir(), "vectors")
	x := withHead(rowsOf(t, 64, randomVector(random, 64*5000)), 0)
	if err := os.WriteFile(path, written(t, x), 0o600); err != nil {
		t.Fatal(err)
	}
	x, err := OpenIndex(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 10_000); err != nil {
		t.Skipf("the file is held: %v", err)
	}
	if found, err := x.NearestL2(randomVector(random, 64), 5); err == nil {
		t.Errorf("found %v", found)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("read a row that is gone")
			}
		}()
		x.Row(4999)
	}()
}

func FuzzReadIndex(f *testing.F) {
	random := rand.New(rand.NewPCG(1, 2))
	rows, err := RowsOf(3, randomVector(random, 3*9))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(written(f, withHead(rows, 0)))
	f.Add(written(f, withHead(rows, 2)))
	f.Fuzz(func(t *testing.T, content []byte) {
		x, err := readIndex(content, nil)
		if err != nil {
			return
		}
		if !bytes.Equal(written(t, x), content) {
			t.Errorf("%d rows of %d are written otherwise than read", x.Len(), x.Dim())
		}
	})
}
