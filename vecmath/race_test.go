//go:build race

package vecmath

const raceDetector = true
