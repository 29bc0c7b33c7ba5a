package knowledge

import (
	"os"

	"lacuna/vecmath"
)

// foreign are vectors that an endpoint has made of a shelf's texts. It is immutable.
type foreign struct {
	vectors *vecmath.Index
	queries *queries    // encodes what is compared with them
	file    os.FileInfo // that they lie in
	// Where the texts of the shelf are others than those that were encoded, as after an edit: the row of
	// each by its place, and the place of each by its row, -1 where there is none. Else both are nil.
	rows, places []int
}

// carried are the vectors for other texts, of which found says what place each had here, or -1.
func (f *foreign) carried(found []int) *foreign {
	next := &foreign{vectors: f.vectors, queries: f.queries, file: f.file, rows: make([]int, len(found)), places: make([]int, f.vectors.Len())}
	for row := range next.places {
		next.places[row] = -1
	}
	for place, before := range found {
		next.rows[place] = f.row(before)
		if row := next.rows[place]; row >= 0 {
			next.places[row] = place
		}
	}
	return next
}

// isOf reports whether the vectors are those of exactly the texts that a file was written for.
func (f *foreign) isOf(file os.FileInfo) bool {
	return f.rows == nil && os.SameFile(f.file, file) && f.file.ModTime().Equal(file.ModTime())
}

// row is the row of a place; -1 for none.
func (f *foreign) row(place int) int {
	if f.rows == nil || place < 0 {
		return place
	}
	return f.rows[place]
}

func (f *foreign) place(row int) int {
	if f.places == nil {
		return row
	}
	return f.places[row]
}

// nearest returns the k texts nearest to a unit vector among those kept, nearest first.
func (f *foreign) nearest(vector []float32, k int, keep func(place int) bool) ([]candidate, error) {
	neighbors, err := f.vectors.NearestL2Where(vector, k, func(row int) bool {
		place := f.place(row)
		return place >= 0 && keep(place)
	})
	if err != nil {
		return nil, err
	}
	list := make([]candidate, len(neighbors))
	for i, n := range neighbors {
		list[i] = candidate{place: f.place(n.Row)}
	}
	return list, nil
}

// cosine of a text and a unit vector; 0 for a text that was not encoded.
func (f *foreign) cosine(place int, vector []float32) float64 {
	row := f.row(place)
	if row < 0 {
		return 0
	}
	return float64(f.vectors.Dot(row, vector))
}
