package vecmath

import (
	"bytes"
	"math"
	"testing"
)

func TestRowsRoundTrip(t *testing.T) {
	for _, size := range []struct{ dim, rows int }{{1, 0}, {3, 1}, {7, 5000}, {256, 17000}} {
		data := make([]float32, size.dim*size.rows)
		for i := range data {
			data[i] = float32(math.Sin(float64(i)))
		}
		rows, err := RowsOf(size.dim, data)
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		n, err := rows.WriteTo(&file)
		if err != nil || n != int64(file.Len()) {
			t.Fatalf("wrote %d of %d bytes, %v", n, file.Len(), err)
		}
		file.WriteString("rest")
		again, err := ReadRows(&file)
		if err != nil || file.String() != "rest" {
			t.Fatalf("%v, %d bytes left", err, file.Len())
		}
		if again.Dim() != size.dim || again.Len() != size.rows || Distance(append(again.Data(), 0), append(rows.Data(), 0)) != 0 {
			t.Errorf("%d rows of %d came back as %d rows of %d", size.rows, size.dim, again.Len(), again.Dim())
		}
	}
}

func FuzzReadRows(f *testing.F) {
	f.Add([]byte{2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 128, 63, 0, 0, 0, 64})
	f.Add([]byte{255, 255, 255, 255, 255, 255, 255, 255})
	f.Fuzz(func(t *testing.T, content []byte) {
		rows, err := ReadRows(bytes.NewReader(content))
		if err != nil {
			return
		}
		var file bytes.Buffer
		if _, err := rows.WriteTo(&file); err != nil || !bytes.Equal(file.Bytes(), content[:file.Len()]) {
			t.Errorf("%v: %d rows of %d are written otherwise than read", err, rows.Len(), rows.Dim())
		}
	})
}
