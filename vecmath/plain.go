package vecmath

import "github.com/viterin/vek"

// accelerated says whether vek uses vector instructions. Without them its loops wait for one sum;
// the loops below keep four going.
var accelerated = vek.Info().Acceleration

func plainDot[T float32 | float64](x, y []T) T {
	var a, b, c, d T
	y = y[:len(x)]
	for len(x) >= 4 && len(y) >= 4 {
		a += x[0] * y[0]
		b += x[1] * y[1]
		c += x[2] * y[2]
		d += x[3] * y[3]
		x, y = x[4:], y[4:]
	}
	for i, v := range x {
		a += v * y[i]
	}
	return (a + b) + (c + d)
}

func plainAddScaled[T float32 | float64](dst, x []T, by T) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] += T(by * v) // which the conversion keeps from being fused with the sum
	}
}
