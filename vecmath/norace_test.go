//go:build !race

package vecmath

const raceDetector = false
