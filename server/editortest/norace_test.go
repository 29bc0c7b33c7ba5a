//go:build !race

package editortest_test

// everyScenario is which share of the scenarios runs: all.
const everyScenario = 1
