package vecmath

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/viterin/vek"
)

// TestWithoutVectorInstructions runs the other tests once more on the plain path that vek takes on
// processors without AVX2 and on macOS.
func TestWithoutVectorInstructions(t *testing.T) {
	if os.Getenv("VECMATH_PLAIN") != "" {
		if vek.Info().Acceleration {
			t.Error("vector instructions are still in use")
		}
		return
	}
	if !vek.Info().Acceleration {
		t.Skip("this processor has the plain path only, which the other tests have taken")
	}
	if raceDetector {
		t.Skip("takes minutes under the race detector, and its goroutines are those of the other tests")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	plain := exec.Command(program, "-test.run=^Test")
	plain.Env = append(os.Environ(), "VECMATH_PLAIN=1", "GODEBUG=cpu.avx2=off")
	if out, err := plain.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func randomVector(random *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(random.NormFloat64())
	}
	return v
}

// near reports agreement to the precision of a float32 sum of this size.
func near(got float32, want, magnitude float64) bool {
	return math.Abs(float64(got)-want) <= 1e-5*(1+magnitude)
}

func TestDotsAreThoseOfEach(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	for _, dim := range []int{0, 1, 7, 31, 32, 33, 64, 96, 100, 256, 768} {
		for rows := range 8 {
			x, all := randomVector(random, dim), randomVector(random, rows*dim)
			got, want := randomVector(random, rows), make([]float32, rows)
			for i := range want {
				want[i] = Dot(x, all[i*dim:(i+1)*dim])
			}
			if Dots(got, x, all); !slices.Equal(got, want) {
				t.Errorf("%d rows of %d: %v, want %v", rows, dim, got, want)
			}
		}
	}
}

func BenchmarkDots(b *testing.B) {
	const rows, dim = 16, 256
	random := rand.New(rand.NewPCG(8, 8))
	x, all, out := randomVector(random, dim), randomVector(random, rows*dim), make([]float32, rows)
	b.Run("together", func(b *testing.B) {
		for b.Loop() {
			Dots(out, x, all)
		}
	})
	b.Run("one by one", func(b *testing.B) {
		for b.Loop() {
			for i := range out {
				out[i] = Dot(x, all[i*dim:(i+1)*dim])
			}
		}
	})
}

func TestProductsEqualPlainLoops(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 600 {
		x, y := randomVector(random, n), randomVector(random, n)
		var dot, square, difference, sum, size float64
		for i := range x {
			a, b := float64(x[i]), float64(y[i])
			dot += a * b
			size += math.Abs(a*b) + math.Abs(a)
			square += a * a
			difference += (a - b) * (a - b)
			sum += a
		}
		if got := Dot(x, y); !near(got, dot, size) {
			t.Errorf("dot of %d: %v, want %v", n, got, dot)
		}
		if got := Norm(x); !near(got, math.Sqrt(square), math.Sqrt(square)) {
			t.Errorf("norm of %d: %v, want %v", n, got, math.Sqrt(square))
		}
		if got := Distance(x, y); !near(got, math.Sqrt(difference), math.Sqrt(difference)) {
			t.Errorf("distance of %d: %v, want %v", n, got, math.Sqrt(difference))
		}
		if got := Sum(x); !near(got, sum, size) {
			t.Errorf("sum of %d: %v, want %v", n, got, sum)
		}
		scaled, added, exponential := slices.Clone(x), slices.Clone(y), slices.Clone(x)
		Scale(scaled, 3)
		AddScaled(added, x, -0.5)
		Exp(exponential)
		for i := range x {
			if scaled[i] != 3*x[i] {
				t.Fatalf("3 * %v = %v", x[i], scaled[i])
			}
			if want := float64(y[i]) - 0.5*float64(x[i]); !near(added[i], want, math.Abs(want)) {
				t.Fatalf("%v - %v/2 = %v", y[i], x[i], added[i])
			}
			if want := math.Exp(float64(x[i])); !near(exponential[i], want, want) {
				t.Fatalf("exp(%v) = %v", x[i], exponential[i])
			}
		}
	}
}

func TestMatricesEqualPlainLoops(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, shape := range [][3]int{{0, 0, 3}, {1, 1, 1}, {2, 3, 5}, {33, 40, 7}, {70, 65, 256}, {5, 100, 33}} {
		n, m, dim := shape[0], shape[1], shape[2]
		a, b := randomVector(random, n*dim), randomVector(random, m*dim)
		product := make([]float32, n*m)
		MulTransposed(product, a, b, dim)
		for i := range n {
			for j := range m {
				want, size := 0.0, 0.0
				for d := range dim {
					term := float64(a[i*dim+d]) * float64(b[j*dim+d])
					want += term
					size += math.Abs(term)
				}
				if !near(product[i*m+j], want, size) {
					t.Fatalf("%v: (%d,%d) = %v, want %v", shape, i, j, product[i*m+j], want)
				}
			}
		}
		turned := make([]float32, len(a))
		Transpose(turned, a, dim)
		for i := range n {
			for d := range dim {
				if turned[d*n+i] != a[i*dim+d] {
					t.Fatalf("%v: transpose differs at (%d,%d)", shape, i, d)
				}
			}
		}
	}
}

func TestWrongLengthsPanicHere(t *testing.T) {
	for name, misuse := range map[string]func(){
		"dot":       func() { Dot(make([]float32, 2), make([]float32, 3)) },
		"distance":  func() { Distance(nil, make([]float32, 1)) },
		"add":       func() { AddScaled(make([]float32, 2), make([]float32, 1), 1) },
		"matrix":    func() { MulTransposed(nil, make([]float32, 3), nil, 2) },
		"product":   func() { MulTransposed(make([]float32, 1), make([]float32, 2), make([]float32, 4), 2) },
		"transpose": func() { Transpose(make([]float32, 1), make([]float32, 2), 2) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			misuse()
		}()
	}
}

// plainNearest sorts all rows by distance.
func plainNearest(r *Rows, q []float32, k int, keep func(int) bool) []Neighbor {
	list := []Neighbor{}
	for row := range r.Len() {
		if keep == nil || keep(row) {
			list = append(list, Neighbor{row, Distance(q, r.Row(row))})
		}
	}
	slices.SortStableFunc(list, func(a, b Neighbor) int {
		switch {
		case a.Distance < b.Distance:
			return -1
		case a.Distance > b.Distance:
			return 1
		}
		return 0
	})
	return list[:max(0, min(k, len(list)))]
}

// TestNearestOfSmallGrids tries every small matrix of few values, so that ties abound.
func TestNearestOfSmallGrids(t *testing.T) {
	for n := range 6 {
		for code := range int(math.Pow(3, float64(n))) {
			r := NewRows(1)
			for rest, i := code, 0; i < n; i, rest = i+1, rest/3 {
				if err := r.Append([]float32{float32(rest % 3)}); err != nil {
					t.Fatal(err)
				}
			}
			for k := range n + 2 {
				for name, keep := range map[string]func(int) bool{"all": nil, "odd": func(row int) bool { return row%2 == 1 }} {
					q := []float32{0.5}
					got, err := r.NearestL2Where(q, k, keep)
					if want := plainNearest(r, q, k, keep); err != nil || !slices.Equal(got, want) {
						t.Fatalf("%v, k %d, %s: %v, want %v (%v)", r.Data(), k, name, got, want, err)
					}
				}
			}
		}
	}
}

func TestRowsRefuseWhatCannotBeCompared(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	r := NewRows(2)
	for _, v := range [][]float32{nil, {1}, {1, 2, 3}, {1, nan}, {inf, 1}} {
		if err := r.Append(v); err == nil {
			t.Errorf("appended %v", v)
		}
		if _, err := r.NearestL2(v, 1); err == nil {
			t.Errorf("searched for %v", v)
		}
		if _, err := RowsOf(2, v); err == nil && len(v) != 0 {
			t.Errorf("made rows of %v", v)
		}
	}
	if r.Len() != 0 {
		t.Errorf("%d rows after refusals", r.Len())
	}
	if got, err := r.NearestL2([]float32{0, 0}, 3); err != nil || len(got) != 0 {
		t.Errorf("of no rows: %v, %v", got, err)
	}
}

func FuzzNearest(f *testing.F) {
	f.Add(byte(2), byte(3), []byte("some rows of floating numbers, four bytes each"))
	f.Fuzz(func(t *testing.T, dim, k byte, data []byte) {
		d := int(dim)%40 + 1
		var numbers []float32
		for ; len(data) >= 4; data = data[4:] {
			numbers = append(numbers, math.Float32frombits(binary.LittleEndian.Uint32(data)))
		}
		r := NewRows(d)
		for ; len(numbers) >= d; numbers = numbers[d:] {
			if err := r.Append(numbers[:d]); err != nil && !slices.ContainsFunc(numbers[:d], notFinite) {
				t.Fatalf("refused %v: %v", numbers[:d], err)
			}
		}
		if r.Len() == 0 {
			return
		}
		q := r.Row(r.Len() / 2)
		got, err := r.NearestL2(q, int(k))
		if want := plainNearest(r, q, int(k), nil); err != nil || !slices.Equal(got, want) {
			t.Fatalf("%v, want %v (%v)", got, want, err)
		}
	})
}

func BenchmarkAddScaled(b *testing.B) {
	random := rand.New(rand.NewPCG(5, 6))
	x, y := randomVector(random, 256), randomVector(random, 256)
	for b.Loop() {
		AddScaled(x, y, 1e-9)
	}
}

func BenchmarkMulTransposed(b *testing.B) {
	random := rand.New(rand.NewPCG(5, 6))
	x, y, product := randomVector(random, 512*256), randomVector(random, 512*256), make([]float32, 512*512)
	for b.Loop() {
		MulTransposed(product, x, y, 256)
	}
}

func BenchmarkNearestL2(b *testing.B) {
	random := rand.New(rand.NewPCG(5, 6))
	rows, err := RowsOf(256, randomVector(random, 24_000*256))
	if err != nil {
		b.Fatal(err)
	}
	q := randomVector(random, 256)
	for b.Loop() {
		if _, err := rows.NearestL2(q, 200); err != nil {
			b.Fatal(err)
		}
	}
}
