//go:build !race

package redteam_test

// everyCase is which share of the cases runs: all.
const everyCase = 1
