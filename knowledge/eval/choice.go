package eval

// Chosen is the reply to a question with options.
type Chosen struct {
	Letter string // empty: no single letter could be read, which is wrong and not a guess
	Gold   string
}

// ChoiceMeasures measures choices: how many are right, how many could not be read, and how many
// would be right if every reply were the letter that is right most often. There must be at least
// one.
func ChoiceMeasures(all []Chosen) []Measure {
	return []Measure{
		measure("accuracy", all, func(all []Chosen) float64 {
			return share(all, func(c Chosen) bool { return c.Letter != "" && c.Letter == c.Gold })
		}),
		measure("unparsed", all, func(all []Chosen) float64 {
			return share(all, func(c Chosen) bool { return c.Letter == "" })
		}),
		measure("majority letter", all, majority),
	}
}

// majority is the share of the letter that is right most often.
func majority(all []Chosen) float64 {
	count := make(map[string]int)
	most := 0
	for _, c := range all {
		count[c.Gold]++
		most = max(most, count[c.Gold])
	}
	return float64(most) / float64(len(all))
}
