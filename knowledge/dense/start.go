package dense

import (
	"hash/crc32"
	"math"
	"math/rand/v2"
	"unicode"
	"unicode/utf8"

	"lacuna/vecmath"
)

// startVectors returns the vectors training begins with, one after the other: for each term a
// random vector of its own and half as much of random vectors that it shares with the terms
// spelt like it, so that inflections the stemmer leaves apart begin near each other.
func startVectors(vocabulary []string, dim int, seed uint64) []float32 {
	own := rand.New(rand.NewPCG(seed, 0))
	shared := &pieceVectors{dim: dim, seed: seed, byPiece: make(map[uint32][]float32)}
	vectors := make([]float32, len(vocabulary)*dim)
	for row, term := range vocabulary {
		vector := vectors[row*dim : (row+1)*dim]
		fillGaussian(vector, own)
		pieces := piecesOf(term)
		for _, piece := range pieces {
			vecmath.AddScaled(vector, shared.of(piece), float32(0.5/math.Sqrt(float64(len(pieces)))))
		}
	}
	scaleToMeanSquare(vectors, len(vocabulary))
	return vectors
}

func fillGaussian(vector []float32, random *rand.Rand) {
	deviation := 1 / math.Sqrt(float64(len(vector)))
	for i := range vector {
		vector[i] = float32(random.NormFloat64() * deviation)
	}
}

// scaleToMeanSquare makes the mean squared length of the rows 1.
func scaleToMeanSquare(vectors []float32, rows int) {
	square := float64(vecmath.Norm(vectors))
	square *= square
	if square > 0 {
		vecmath.Scale(vectors, float32(math.Sqrt(float64(rows)/square)))
	}
}

// piecesOf returns the pieces of spelling a term shares with others: the characters of a Chinese
// term; of other terms of more than three letters the runs of 3 to 5 letters, ends marked.
func piecesOf(term string) []string {
	if first, _ := utf8.DecodeRuneInString(term); unicode.Is(unicode.Han, first) {
		var characters []string
		for _, r := range term {
			characters = append(characters, string(r))
		}
		return characters
	}
	if utf8.RuneCountInString(term) <= 3 {
		return nil
	}
	letters := []rune("<" + term + ">")
	var grams []string
	for size := 3; size <= 5; size++ {
		for start := 0; start+size <= len(letters); start++ {
			grams = append(grams, string(letters[start:start+size]))
		}
	}
	return grams
}

// pieceVectors are the random vectors of pieces. Pieces are hashed to a bounded number of vectors.
type pieceVectors struct {
	dim     int
	seed    uint64
	byPiece map[uint32][]float32 // by hash
}

const hashedPieces = 50_000

func (p *pieceVectors) of(piece string) []float32 {
	hash := crc32.ChecksumIEEE([]byte(piece)) % hashedPieces
	vector, ok := p.byPiece[hash]
	if !ok {
		vector = make([]float32, p.dim)
		fillGaussian(vector, rand.New(rand.NewPCG(p.seed, 1+uint64(hash))))
		p.byPiece[hash] = vector
	}
	return vector
}
