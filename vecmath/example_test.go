package vecmath_test

import (
	"fmt"

	"lacuna/vecmath"
)

// The nearest rows of an index are exact: the same as comparing the query with every row.
func Example() {
	rows, err := vecmath.RowsOf(2, []float32{
		0, 0,
		3, 4,
		1, 0,
		6, 8,
	})
	if err != nil {
		panic(err)
	}
	index := vecmath.NewIndex(rows)
	nearest, err := index.NearestL2([]float32{0, 0}, 3)
	if err != nil {
		panic(err)
	}
	for _, n := range nearest {
		fmt.Println(n.Row, n.Distance)
	}
	// Output:
	// 0 0
	// 2 1
	// 1 5
}
