package extract

import (
	_ "embed"
	"fmt"
	"strings"
)

// placeWeights weighs what tells the place to show from the others. TestPlaceWeights fits it.
//
//go:embed placeweights.txt
var placeWeightsText string

var placeWeights = func() (weights placeFeatures) {
	at := 0
	for line := range strings.Lines(placeWeightsText) {
		var name string
		if _, err := fmt.Sscan(line, &name, &weights[at]); err != nil || name != placeFeatureNames[at] {
			panic(fmt.Sprintf("line %d of placeweights.txt is not %q with its weight: %v", at+1, placeFeatureNames[at], err))
		}
		at++
	}
	return weights
}()
