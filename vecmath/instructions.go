package vecmath

import "github.com/viterin/vek"

// Instructions names the vector instructions that serve: "avx2", or "plain" where the loops run in
// ordinary Go.
func Instructions() string {
	if vek.Info().Acceleration {
		return "avx2"
	}
	return "plain"
}
