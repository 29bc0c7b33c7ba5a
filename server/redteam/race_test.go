//go:build race

package redteam_test

// everyCase is which share of the cases runs: the race detector makes each ten times as slow, and needs no more.
const everyCase = 4
