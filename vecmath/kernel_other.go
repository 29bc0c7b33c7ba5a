//go:build !amd64 && !arm64

package vecmath

// processorKernels is empty: the plain loops serve.
func processorKernels() []kernel { return nil }
