package vecmath

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// randomCodes returns the codes of rows and the digits of a query, with the extremes among them.
func randomCodes(random *rand.Rand, rows, width int) ([]int8, []int16) {
	bytes, digits := make([]int8, rows*width), make([]int16, width)
	for i := range bytes {
		bytes[i] = int8(random.IntN(2*maxCode+1) - maxCode)
	}
	most := min(maxDigit, maxDigits/width)
	for i := range digits {
		digits[i] = int16(random.IntN(2*most+1) - most)
	}
	if random.IntN(4) == 0 { // the largest sums
		for i := range bytes {
			bytes[i] = maxCode
		}
		for i := range digits {
			digits[i] = int16(most)
		}
	}
	return bytes, digits
}

func TestKernelsMultiplyAlike(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, width := range []int{32, 64, 96, 768, 2048} {
		for rows := range 14 {
			bytes, a := randomCodes(random, rows, width)
			_, b := randomCodes(random, 0, width)
			wantA, wantB := make([]int32, rows), make([]int32, rows)
			for i := range rows {
				for j := range width {
					wantA[i] += int32(bytes[i*width+j]) * int32(a[j])
					wantB[i] += int32(bytes[i*width+j]) * int32(b[j])
				}
			}
			for _, kernel := range kernels {
				gotA, gotB, single := make([]int32, rows), make([]int32, rows), make([]int32, rows)
				kernel.dots(single, bytes, a)
				kernel.dotsOfTwo(gotA, gotB, bytes, a, b)
				if !slices.Equal(single, wantA) || !slices.Equal(gotA, wantA) || !slices.Equal(gotB, wantB) {
					t.Errorf("%s: %d rows of %d: %v, %v and %v; want %v and %v", kernel.name, rows, width, single, gotA, gotB, wantA, wantB)
				}
			}
		}
	}
}

func TestKernelsRefuseWhatIsNotThere(t *testing.T) {
	for _, kernel := range kernels {
		for name, misuse := range map[string]func(){
			"codes": func() { kernel.dots(make([]int32, 2), make([]int8, 63), make([]int16, 32)) },
			"two": func() {
				kernel.dotsOfTwo(make([]int32, 2), make([]int32, 2), make([]int8, 32), make([]int16, 32), make([]int16, 32))
			},
			"bounds": func() { kernel.bounds(make([]float32, 8), make([]int32, 8), make([]group, 2), &queryTerms{}) },
			"square": func() { kernel.square(make([]float32, 2), make([]float32, 1)) },
			"add":    func() { kernel.addScaled(make([]float32, 1), make([]float32, 2), 1) },
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s of %s: no panic", name, kernel.name)
					}
				}()
				misuse()
			}()
		}
	}
}

func TestKernelsBoundAlike(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	for n := 1; n < 40; n++ {
		groups, dots := make([]group, n), make([]int32, n*groupRows)
		for i := range groups {
			for j := range groupRows {
				g := &groups[i]
				g.scale[j], g.square[j] = float32(random.ExpFloat64()), float32(1+random.ExpFloat64())
				g.tail[j], g.err[j] = float32(random.Float64()/2), float32(random.Float64()/100)
				dots[i*groupRows+j] = int32(random.IntN(200) - 100)
			}
		}
		groups[n-1].err[groupRows-1] = float32(math.Inf(-1))
		groups[0].err[0] = math.MaxFloat32
		q := queryTerms{1.5, 0.01, 0.3, 0.001}
		want := make([]float32, n*groupRows)
		least := plainBounds(want, dots, groups, &q)
		for _, kernel := range kernels {
			got := make([]float32, n*groupRows)
			gotLeast := kernel.bounds(got, dots, groups, &q)
			if gotLeast != slices.Min(got) || math.Abs(float64(gotLeast-least)) > 1e-5*math.Abs(float64(least)) {
				t.Errorf("%s: the least of %d groups is %v, want %v", kernel.name, n, gotLeast, least)
			}
			for i := range got {
				if got[i] != want[i] && !(math.Abs(float64(got[i]-want[i])) < 1e-5) {
					t.Errorf("%s: bound %d of %d groups is %v, want %v", kernel.name, i, n, got[i], want[i])
				}
			}
		}
	}
}

func TestKernelsMeasureAlike(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	for n := range 300 {
		x, y := randomVector(random, n), randomVector(random, n)
		want := 0.0
		for i := range x {
			want += (float64(x[i]) - float64(y[i])) * (float64(x[i]) - float64(y[i]))
		}
		for _, kernel := range kernels {
			// The bound of the proof: every term is positive, so the error is relative.
			if got := kernel.square(x, y); math.Abs(float64(got)-want) > float64(n+6)*unit*want {
				t.Errorf("%s: %v for %d numbers, want %v", kernel.name, got, n, want)
			}
		}
	}
}

func TestKernelsAddAlike(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	for n := range 300 {
		x, dst, by := randomVector(random, n), randomVector(random, n+1), float32(random.NormFloat64())
		want := slices.Clone(dst)
		for i, v := range x {
			want[i] += float32(v * by)
		}
		for _, kernel := range kernels {
			got := slices.Clone(dst)
			kernel.addScaled(got[:n], x, by)
			if !slices.Equal(got, want) { // to the last bit, and nothing behind the end
				t.Errorf("%s: %d numbers: %v, want %v", kernel.name, n, got, want)
			}
		}
	}
}

func BenchmarkKernels(b *testing.B) {
	const rows = blockRows
	random := rand.New(rand.NewPCG(4, 4))
	for _, kernel := range kernels {
		for _, width := range []int{128, 768} {
			bytes, query := randomCodes(random, rows, width)
			out, other := make([]int32, rows), make([]int32, rows)
			b.Run(fmt.Sprintf("dots/%s/%d", kernel.name, width), func(b *testing.B) {
				b.SetBytes(int64(len(bytes)))
				for b.Loop() {
					kernel.dots(out, bytes, query)
				}
			})
			b.Run(fmt.Sprintf("dotsOfTwo/%s/%d", kernel.name, width), func(b *testing.B) {
				b.SetBytes(int64(2 * len(bytes)))
				for b.Loop() {
					kernel.dotsOfTwo(out, other, bytes, query, query)
				}
			})
		}
		groups, dots, bounds := make([]group, rows/groupRows), make([]int32, rows), make([]float32, rows)
		b.Run("bounds/"+kernel.name, func(b *testing.B) {
			b.SetBytes(int64(len(groups)) * 128)
			for b.Loop() {
				kernel.bounds(bounds, dots, groups, &queryTerms{})
			}
		})
		x, y := randomVector(random, 768), randomVector(random, 768)
		b.Run("square/"+kernel.name, func(b *testing.B) {
			b.SetBytes(768 * 4)
			for b.Loop() {
				kernel.square(x, y)
			}
		})
		b.Run("addScaled/"+kernel.name, func(b *testing.B) {
			b.SetBytes(768 * 4)
			for b.Loop() {
				kernel.addScaled(x, y, 1e-30)
			}
		})
	}
}
