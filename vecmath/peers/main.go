// Peers compares exact search with that of other libraries: on the same vectors, with the same
// queries, in one run, and by ratios of the times of each query, because other work on a machine
// moves all times together. The script run.sh fetches the libraries and starts it.
//
// The made-up vectors are those of package synthetic; with LACUNA_DATA the embedded encoder's
// vectors of MedQuAD's sentences are among the cases.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"

	"lacuna/vecmath"
)

func main() {
	only := flag.String("cases", "", "compare only the cases whose names contain one of these words, with commas between")
	folder := flag.String("folder", os.TempDir(), "where vectors are kept meanwhile, up to 4 GB")
	gate := flag.Bool("gate", false, "exit with 1 if a search is slower beside faiss than seven tenths of what was measured")
	flag.Parse()
	if err := run(*folder, strings.Split(*only, ","), *gate); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
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
