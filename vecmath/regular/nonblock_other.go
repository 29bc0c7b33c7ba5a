//go:build !unix

package regular

// NonBlocking is no flag here: names of files do not lead to pipes that wait.
const NonBlocking = 0
