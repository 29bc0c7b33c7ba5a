package gap

// fitTopic learns a topic model by logistic loss, drawn towards the shipped weights. A weight never
// becomes positive. The means are those of the examples.
func fitTopic(examples []example, pull float64) model {
	m := shipped
	m.Weights[titleOverlap] = shippedTitle
	prior := m.Weights
	for k := range m.Means {
		sum := 0.0
		for _, e := range examples {
			sum += e.features[k]
		}
		m.Means[k] = sum / float64(len(examples))
	}
	rows := make([][]float64, len(examples))
	missing := make([]bool, len(examples))
	for i, e := range examples {
		rows[i] = make([]float64, featureCount)
		for k := range e.features {
			rows[i][k] = standard(e.features[k], m.Means[k], scales[k])
		}
		missing[i] = e.missing
	}
	weights := prior[:]
	fixed := make([]bool, featureCount)
	fixed[coverage], fixed[acquaintance] = true, true // the soft coverage stands for both
	m.Bias, weights = descend(rows, missing, weights, fixed, pull)
	copy(m.Weights[:], weights)
	return m
}

// descend minimises the mean logistic loss + pull * |weights - prior|^2 over the bias and the
// weights that are not fixed, each held at or below 0, by projected gradient steps. The loss is
// convex with curvature at most (1+sum x^2)/4 + 2 pull, and the step is its inverse.
func descend(rows [][]float64, missing []bool, prior []float64, fixed []bool, pull float64) (bias float64, weights []float64) {
	weights = append([]float64(nil), prior...)
	curvature := 0.0
	for _, row := range rows {
		length := 1.0
		for _, x := range row {
			length += x * x
		}
		curvature += length / 4
	}
	n := float64(len(rows))
	step := 1 / (curvature/n + 2*pull)
	gradient := make([]float64, len(weights))
	for range 3000 {
		clear(gradient)
		slope := 0.0
		for i, row := range rows {
			logit := bias
			for k, x := range row {
				logit += weights[k] * x
			}
			off := sigmoid(logit)
			if missing[i] {
				off--
			}
			slope += off
			for k, x := range row {
				gradient[k] += off * x
			}
		}
		bias -= step * slope / n
		for k := range weights {
			if fixed[k] {
				continue
			}
			weights[k] -= step * (gradient[k]/n + 2*pull*(weights[k]-prior[k]))
			weights[k] = min(weights[k], 0)
		}
	}
	return bias, weights
}
