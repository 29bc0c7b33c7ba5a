package rerank

import "math"

// standardised adds to each row its values less the mean of the list, in deviations.
func standardised(rows [][]float64) [][]float64 {
	n := float64(len(rows))
	width := len(rows[0])
	for column := range width {
		mean, square := 0.0, 0.0
		for _, row := range rows {
			mean += row[column] / n
		}
		for _, row := range rows {
			d := row[column] - mean
			square += d * d / n
		}
		deviation := math.Sqrt(square) + 1e-6
		for i := range rows {
			rows[i] = append(rows[i], (rows[i][column]-mean)/deviation)
		}
	}
	return rows
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}
