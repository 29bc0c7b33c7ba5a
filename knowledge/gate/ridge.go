package gate

import (
	"math"
)

// ridge is a linear model with a penalty on its weights, on features that are clipped to the range of
// the training and standardised.
type ridge struct {
	Weights   []float64 `json:"weights"`
	Intercept float64   `json:"intercept"`
	Mean      []float64 `json:"mean"`
	Scale     []float64 `json:"scale"` // 1 over the standard deviation; 0 of a feature that never varies
	Low       []float64 `json:"low"`
	High      []float64 `json:"high"`
}

// ridgePenalty is on standardised features; measured.
const ridgePenalty = 1000

// fitRidge solves the normal equations. Rows must not be empty.
func fitRidge(rows [][]float64, targets []float64, penalty float64) ridge {
	width, n := len(rows[0]), float64(len(rows))
	r := ridge{
		Mean: make([]float64, width), Scale: make([]float64, width),
		Low: append([]float64(nil), rows[0]...), High: append([]float64(nil), rows[0]...), Intercept: mean(targets),
	}
	for _, row := range rows {
		for f, v := range row {
			r.Mean[f] += v / n
			r.Low[f], r.High[f] = min(r.Low[f], v), max(r.High[f], v)
		}
	}
	for f := range width {
		square := 0.0
		for _, row := range rows {
			square += (row[f] - r.Mean[f]) * (row[f] - r.Mean[f])
		}
		if deviation := math.Sqrt(square / n); deviation > 1e-12 {
			r.Scale[f] = 1 / deviation
		}
	}
	matrix, right := make([][]float64, width), make([]float64, width)
	for f := range matrix {
		matrix[f] = make([]float64, width)
		matrix[f][f] = penalty
	}
	for i, row := range rows {
		z := r.standardised(row)
		for f, v := range z {
			right[f] += v * (targets[i] - r.Intercept)
			for g := 0; g <= f; g++ {
				matrix[f][g] += v * z[g]
			}
		}
	}
	r.Weights = solve(matrix, right)
	return r
}

func (r ridge) standardised(row []float64) []float64 {
	z := make([]float64, len(row))
	for f, v := range row {
		z[f] = (min(max(v, r.Low[f]), r.High[f]) - r.Mean[f]) * r.Scale[f]
	}
	return z
}

func (r ridge) predict(row []float64) float64 {
	sum := r.Intercept
	for f, v := range r.standardised(row) {
		sum += r.Weights[f] * v
	}
	return sum
}

// whole reports whether the model fits rows of width features; one that was read may not.
func (r ridge) whole(width int) bool {
	for _, list := range [][]float64{r.Weights, r.Mean, r.Scale, r.Low, r.High} {
		if len(list) != width {
			return false
		}
	}
	return true
}

// solve solves a system with a symmetric, positive definite matrix, of which the lower triangle is
// given, by Cholesky's method. It changes the matrix.
func solve(m [][]float64, right []float64) []float64 {
	for i := range m {
		for j := 0; j <= i; j++ {
			sum := m[i][j]
			for k := range j {
				sum -= m[i][k] * m[j][k]
			}
			if i == j {
				m[i][i] = math.Sqrt(sum)
			} else {
				m[i][j] = sum / m[j][j]
			}
		}
	}
	x := append([]float64(nil), right...)
	for i := range m {
		for k := range i {
			x[i] -= m[i][k] * x[k]
		}
		x[i] /= m[i][i]
	}
	for i := len(m) - 1; i >= 0; i-- {
		for k := i + 1; k < len(m); k++ {
			x[i] -= m[k][i] * x[k]
		}
		x[i] /= m[i][i]
	}
	return x
}
