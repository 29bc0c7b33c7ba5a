//go:build !linux

package ocr

// limitMemory does nothing here: the system has no way to limit another process.
func limitMemory(int) {}
