//go:build race

package editortest_test

// everyScenario is which share of the scenarios runs: the race detector makes each ten times as slow, and needs no more.
const everyScenario = 4
