package dense

import (
	"bytes"
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
	again, err := Read(bytes.NewReader(file))
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

func TestReadRefusesOtherFiles(t *testing.T) {
	file := written(t, small(t))
	if _, err := Read(bytes.NewReader(append(slices.Clone(file), 0))); err == nil {
		t.Error("a longer file is read")
	}
	for _, length := range []int{0, 4, 9, 40, len(file) / 2, len(file) - 1} {
		if _, err := Read(bytes.NewReader(file[:length])); err == nil {
			t.Errorf("the first %d bytes are read", length)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(written(f, small(f)))
	f.Add([]byte(fileMagic + "\x01\x01a\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x80\x3f"))
	f.Fuzz(func(t *testing.T, content []byte) {
		if e, err := Read(bytes.NewReader(content)); err == nil && !bytes.Equal(written(t, e), content) {
			t.Error("an encoder is written otherwise than read")
		}
	})
}
