package entail

import "slices"

// feature names, in the order of the values.
type features struct {
	names  []string
	values []float64
}

func (f *features) add(name string, value float64) {
	f.names = append(f.names, name)
	f.values = append(f.values, value)
}

// value returns a feature by its name.
func (f *features) value(name string) float64 { return f.values[slices.Index(f.names, name)] }

func bit(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}
