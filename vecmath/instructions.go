package vecmath

// Instructions names the vector instructions that serve: "avx2", or "plain" where the loops run in
// ordinary Go.
func Instructions() string {
	if accelerated {
		return "avx2"
	}
	return "plain"
}
