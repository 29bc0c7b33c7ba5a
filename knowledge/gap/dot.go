package gap

// dot is the scalar product of two vectors of one length.
func dot(a, b []float32) float64 {
	var sum float32
	for i, x := range a {
		sum += x * b[i]
	}
	return float64(sum)
}
