package rerank

import (
	"math"
	"slices"
)

// names lists the features of one passage; [Features] adds a copy of each, compared with the list.
var names = []string{
	"score", "rank", "bm25", "bm25_weight", "cosine", "maxsim", "window",
	"held", "related", "near", "near_least", "near_rarest", "rarest_related",
	"pairs", "narrow", "first_place", "lead", "length", "length_mean",
	"title", "title_whole", "headings", "heading", "heading_whole", "above", "body", "rest", "rest_heading", "rest_body",
	"centroid", "alike_score", "alike", "feedback",
	"page_count", "page_score", "page_rank", "page_held", "page_share", "beside", "place",
	"items", "rows", "code", "figures", "figures_asked", "steps_asked", "heading_asks", "above_strange",
	"aspect", "aspect_above", "aspect_other", "aspect_title", "gate", "aspect_gate", "text_aspect", "heading_gate", "conditions", "names",
	"terms", "texts",
	"narrow_above", "path", "path_whole", "spelt_heading", "spelt_title", "spelt_above",
	"names_above", "names_all", "subject_above", "subject_title",
	"fit", "fit_related", "fit_narrow", "spelt_body",
}

// Names returns the names of the columns of [Features], in order.
func Names() []string {
	all := slices.Clone(names)
	for _, name := range names {
		all = append(all, name+"_z")
	}
	return all
}

// at returns the column of a feature.
var at = func() map[string]int {
	columns := make(map[string]int)
	for i, name := range names {
		columns[name] = i
	}
	return columns
}()

// standardised adds to each row its values less the mean of the list, in deviations.
func standardised(rows [][]float64) [][]float64 {
	n := float64(len(rows))
	width := len(rows[0])
	for column := range width {
		mean, square := 0.0, 0.0
		for _, row := range rows {
			mean += row[column] / n
		}
		for _, row := range rows {
			d := row[column] - mean
			square += d * d / n
		}
		deviation := math.Sqrt(square) + 1e-6
		for i := range rows {
			rows[i] = append(rows[i], (rows[i][column]-mean)/deviation)
		}
	}
	return rows
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}
