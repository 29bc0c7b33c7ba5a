package dense

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// small is an encoder of a few terms.
func small(t testing.TB) *Encoder {
	t.Helper()
	e, _, err := TrainPassages(t.Context(), topicCorpus(100), Options{Dim: 16})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func written(t testing.TB, e *Encoder) []byte {
	t.Helper()
	var file bytes.Buffer
	n, err := e.WriteTo(&file)
	if err != nil || n != int64(file.Len()) {
		t.Fatalf("wrote %d of %d bytes, %v", n, file.Len(), err)
	}
	return file.Bytes()
}

func TestEncoderRoundTrip(t *testing.T) {
	e := small(t)
	file := written(t, e)
	path := filepath.Join(t.TempDir(), "encoder")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	again, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	text := []string{"t0w0", "t0w1", "common3", "common3", "unknown"}
	before, _ := e.Encode(text)
	after, known := again.Encode(text)
	if !known || !slices.Equal(before, after) || again.Len() != e.Len() || again.MaxSim(text, text) != e.MaxSim(text, text) {
		t.Errorf("%v came back as %v", before, after)
	}
}

func TestOtherFilesAreRefused(t *testing.T) {
	file := written(t, small(t))
	if _, err := decode(append(slices.Clone(file), 0)); err == nil {
		t.Error("a longer file is read")
	}
	for _, length := range []int{0, 4, 9, 40, len(file) / 2, len(file) - 1} {
		if _, err := decode(file[:length]); err == nil {
			t.Errorf("the first %d bytes are read", length)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(written(f, small(f)))
	f.Add(written(f, &Encoder{dim: 1, vocabulary: []string{"iron"}, idf: []float32{1}, lengths: []float32{2}, units: []float32{1}}))
	f.Fuzz(func(t *testing.T, content []byte) {
		e, err := decode(content)
		if err != nil {
			return
		}
		for _, term := range e.vocabulary {
			e.Encode([]string{term})
		}
		var again bytes.Buffer
		if _, err := e.WriteTo(&again); err == nil && !bytes.Equal(again.Bytes(), content) {
			t.Error("an encoder is written otherwise than read")
		}
	})
}
