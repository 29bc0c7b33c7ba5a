package fusion

import (
	"math"

	"lacuna/vecmath"
)

// What the paper leaves open about the loss: cross-entropy of the prediction, clipped, and half as
// much of the weights towards the module that is nearer to the label.
const (
	clip         = .001
	moduleWeight = .5
)

// loss of a pass for a label, 1 where retrieval was needed.
func loss(p *pass, s Sample, label float32) float64 {
	pred := float64(min(max(p.prediction, clip), 1-clip))
	y := float64(label)
	l := -y*math.Log(pred) - (1-y)*math.Log(1-pred)
	return l - moduleWeight*math.Log(math.Max(float64(p.weight[nearer(s, label)]), 1e-12))
}

// nearer is the module whose score is nearer to the label, of two equally near the first.
func nearer(s Sample, label float32) int {
	if math.Abs(float64(s.Scores[1]-label)) < math.Abs(float64(s.Scores[0]-label)) {
		return 1
	}
	return 0
}

// backward adds to grad, a net of the same shape, the derivatives of the loss by every weight.
func (n *Net) backward(p *pass, s Sample, label float32, grad *Net) {
	dz := gateGradient(p, s, label)
	dHidden := make([]float32, n.dim)
	for i, d := range dz {
		grad.gateBias[i] += d
		vecmath.AddScaled(grad.gates.row(i), p.hidden, d)
		vecmath.AddScaled(dHidden, n.gates.row(i), d)
	}
	dInput := make([]float32, len(p.input))
	for i, d := range dHidden {
		if p.hidden[i] == 0 { // below zero, or dropped
			continue
		}
		if p.dropped != nil {
			d *= p.dropped[i]
		}
		grad.bias[i] += d
		vecmath.AddScaled(grad.hidden.row(i), p.input, d)
		vecmath.AddScaled(dInput, n.hidden.row(i), d)
	}
	n.attendBackward(p, s, dInput[2*n.dim:3*n.dim], grad)
}

// gateGradient is the derivative of the loss by the four numbers before the gates.
func gateGradient(p *pass, s Sample, label float32) [4]float32 {
	var dPrediction float32
	if p.prediction > clip && p.prediction < 1-clip {
		dPrediction = (p.prediction - label) / (p.prediction * (1 - p.prediction))
	}
	sum := max(p.confidence[0]*p.weight[0]+p.confidence[1]*p.weight[1], smallest)
	var dz [4]float32
	var dWeight [2]float32
	for i := range 2 {
		// ∂pred/∂(confidence·weight)_i = (F_i − pred) / sum
		d := dPrediction * (s.Scores[i] - p.prediction) / sum
		dz[i] = d * p.weight[i] * p.confidence[i] * (1 - p.confidence[i])
		dWeight[i] = d * p.confidence[i]
	}
	mean := dWeight[0]*p.weight[0] + dWeight[1]*p.weight[1]
	near := nearer(s, label)
	for i := range 2 {
		dz[2+i] = p.weight[i] * (dWeight[i] - mean)
		target := float32(0)
		if i == near {
			target = 1
		}
		dz[2+i] += moduleWeight * (p.weight[i] - target)
	}
	return dz
}

// attendBackward carries the derivative by the interaction on to the three projections.
func (n *Net) attendBackward(p *pass, s Sample, dOut []float32, grad *Net) {
	dQuery := make([]float32, n.dim)
	dKeys, dValues := make([][]float32, len(p.keys)), make([][]float32, len(p.keys))
	for k := range p.keys {
		dKeys[k], dValues[k] = make([]float32, n.dim), make([]float32, n.dim)
	}
	if n.attention == Outer {
		n.outerBackward(p, dOut, dQuery, dKeys[0], dValues[0])
	} else {
		n.headsBackward(p, dOut, dQuery, dKeys, dValues)
	}
	addOuter(grad.query, dQuery, s.Question)
	for k, key := range p.keys {
		addOuter(grad.key, dKeys[k], key)
		addOuter(grad.value, dValues[k], key)
	}
}

func (n *Net) headsBackward(p *pass, dOut, dQuery []float32, dKeys, dValues [][]float32) {
	size := n.dim / heads
	scale := float32(1 / math.Sqrt(float64(size)))
	for h := range heads {
		at, end := h*size, (h+1)*size
		w := p.attended[h*len(p.keys) : (h+1)*len(p.keys)]
		d := make([]float32, len(w))
		var mean float32
		for k := range w {
			d[k] = vecmath.Dot(dOut[at:end], p.values[k][at:end])
			mean += w[k] * d[k]
			vecmath.AddScaled(dValues[k][at:end], dOut[at:end], w[k])
		}
		for k := range w {
			ds := w[k] * (d[k] - mean) * scale
			vecmath.AddScaled(dQuery[at:end], p.projected[k][at:end], ds)
			vecmath.AddScaled(dKeys[k][at:end], p.query[at:end], ds)
		}
	}
}

func (n *Net) outerBackward(p *pass, dOut, dQuery, dKey, dValue []float32) {
	size := n.dim / heads
	for i := range n.dim {
		at := i / size * size
		w := p.attended[i*size : (i+1)*size]
		values := p.values[0][at : at+size]
		vecmath.AddScaled(dValue[at:at+size], w, dOut[i])
		mean := vecmath.Dot(w, values)
		for j := range w {
			ds := dOut[i] * w[j] * (values[j] - mean)
			dQuery[i] += ds * p.projected[0][at+j]
			dKey[at+j] += ds * p.query[i]
		}
	}
}

// addOuter adds the outer product of two vectors to a matrix.
func addOuter(m matrix, rows, columns []float32) {
	for i, d := range rows {
		if d != 0 {
			vecmath.AddScaled(m.row(i), columns, d)
		}
	}
}
