// Package peers compares exact search with faiss's and numpy's: on the same vectors, with the same
// queries, in one run, and by the ratios of the times of each query, because other work on a machine
// moves all times together. The script run.sh fetches the libraries and starts [TestPeers].
//
// The synthetic vectors come from package synthetic; with LACUNA_DATA the embedded encoder's vectors
// of MedQuAD's sentences are among the cases.
package peers

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"lacuna/vecmath"
)

var (
	only   = flag.String("cases", "", "compare only the cases whose names contain one of these words, separated by commas")
	folder = flag.String("folder", os.TempDir(), "where vectors are written, up to 4 GB")
	gate   = flag.Bool("gate", false, "fail if a search is less than seven tenths as fast, next to faiss, as was measured")
)

func TestPeers(t *testing.T) {
	if os.Getenv("PEERS_PYTHON") == "" {
		t.Skip("PEERS_PYTHON is not set; run.sh sets it")
	}
	if err := run(*folder, strings.Split(*only, ","), *gate); err != nil {
		t.Fatal(err)
	}
}

func run(folder string, only []string, gate bool) error {
	fmt.Printf("%s, %d processors, %s; load %s\n\n", runtime.GOARCH, runtime.GOMAXPROCS(0), vecmath.Instructions(), load())
	printed := false
	var short []error
	for _, c := range cases {
		if !wanted(c.name, only) {
			continue
		}
		results, versions, err := c.compare(folder)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		if results == nil {
			continue
		}
		if !printed {
			fmt.Printf("%s\n\n%s", versions, tableHead)
			printed = true
		}
		for _, r := range results {
			fmt.Println(r)
			if why := r.short(); why != "" && gate {
				short = append(short, errors.New(why))
			}
		}
	}
	fmt.Printf("\nload %s\n", load())
	return errors.Join(short...)
}

func wanted(name string, words []string) bool {
	for _, word := range words {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}
