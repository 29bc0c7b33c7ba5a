package papers

import "lacuna/knowledge/experiment/dataset"

// misknow is Missing Knowledge: its published figures are those of its Tables 1, 3, 4 and 5.
func misknow() Paper {
	return Paper{
		ID:    "misknow",
		Name:  "Misknow-RAG",
		Title: "Reasoning Enhanced Missing Knowledge Retrieval Augmented Generation Framework for Domain Specific Question Answering",
		Artefacts: []Artefact{
			misknowTable1(), misknowTable3(), misknowTable4(), misknowTable5(), misknowFigure1(), misknowFigure3(),
		},
	}
}

// The data sets of Missing Knowledge.
var (
	naturalQuestions = Slot{ID: "nq", Title: "Natural Questions", Forms: []string{"nq-open"}, Kinds: []dataset.Kind{dataset.Short}, Language: "en", Names: []string{"natural"}, N: 256}
	huatuo           = Slot{ID: "huatuo", Title: "Huatuo-26M", Forms: []string{"huatuo"}, Kinds: []dataset.Kind{dataset.Paragraph}, Language: "zh", N: 128}
)

// What has to be known of all tables of Missing Knowledge.
const (
	misknowSample = "The paper asked 256 questions of Natural Questions and 128 of Huatuo-26M: one question is .39 points of EM, and the standard error of an EM near 35 is 3 points."
	misknowEM     = "The published EM is above the published F1 in every row, and above the recall in nine of twelve, which no exact match can be: it is compared with our cover match, and F1, precision and recall cannot be compared with ours."
	misknowWords  = "The paper does not say how it splits Chinese for ROUGE and BLEU; its ROUGE-2 is a tenth of its ROUGE-1, as with words, so the words of a segmentation are compared. BLEU here is of all answers together, without smoothing."
)

var misknowRows = []system{
	{id: "direct", name: "DirectGen"},
	{id: "cot", name: "CoT"},
	{id: "migres", name: "MIGRES"},
	{id: "std-rag/wiki", name: "STD-RAG Wiki"},
	{id: "std-rag/qa", name: "STD-RAG QA"},
	{id: "std-rag/2way", name: "STD-RAG 2-way"},
	{id: "std-rag/merged", name: "STD-RAG Merged"},
	{id: "misknow/wiki", name: "Misknow Wiki"},
	{id: "misknow/qa", name: "Misknow QA"},
	{id: "misknow/wiki+qa", name: "Misknow Wiki+QA"},
	{id: "misknow/qa+wiki", name: "Misknow QA+Wiki"},
	{id: "misknow/merged", name: "Misknow Merged"},
}

func misknowTable1() Artefact {
	return table{
		rows: misknowRows,
		over: "std-rag/merged",
		sets: []columns{{
			slot:    naturalQuestions,
			plotted: "cover match",
			all: []column{
				{measure: "cover match", papers: []string{"EM"}},
				{measure: "EM"},
				{measure: "F1", papers: []string{"F1"}},
				{measure: "precision", papers: []string{"P"}},
				{measure: "recall", papers: []string{"R"}},
			},
			published: map[string][]float64{ // EM F1 P R
				"direct":          {22.27, 17.11, 18.86, 20.59},
				"cot":             {24.22, 15.99, 19.77, 17.48},
				"migres":          {30.00, 17.20, 18.57, 19.78},
				"std-rag/wiki":    {26.17, 20.19, 20.12, 27.19},
				"std-rag/qa":      {30.08, 24.43, 25.43, 31.45},
				"std-rag/2way":    {31.25, 24.56, 25.64, 31.26},
				"std-rag/merged":  {31.64, 23.87, 26.77, 25.48},
				"misknow/wiki":    {35.55, 26.75, 28.13, 30.63},
				"misknow/qa":      {32.03, 21.31, 23.76, 23.56},
				"misknow/wiki+qa": {33.20, 25.22, 28.22, 27.16},
				"misknow/qa+wiki": {35.94, 27.27, 29.55, 30.02},
				"misknow/merged":  {41.41, 26.80, 28.83, 27.78},
			},
		}, {
			slot:    huatuo,
			plotted: "ROUGE-1, Chinese words",
			all: []column{
				{measure: "ROUGE-1, Chinese words", papers: []string{"R-1"}},
				{measure: "ROUGE-1, characters"},
				{measure: "ROUGE-2, Chinese words", papers: []string{"R-2"}},
				{measure: "ROUGE-L, Chinese words", papers: []string{"R-L"}},
				{measure: "BLEU-1, Chinese words", papers: []string{"B-1"}},
				{measure: "BLEU-2, Chinese words", papers: []string{"B-2"}},
				{measure: "BLEU-3, Chinese words", papers: []string{"B-3"}},
				{measure: "BLEU-4, Chinese words", papers: []string{"B-4"}},
			},
			published: map[string][]float64{ // R-1 R-2 R-L B-1 B-2 B-3 B-4
				"direct":          {13.91, 1.46, 9.73, 9.38, 2.80, 0.99, 0.30},
				"cot":             {13.9, 1.81, 8.57, 11.13, 3.6, 1.44, 0.53},
				"migres":          {17.19, 1.77, 12.72, 14.70, 4.67, 1.69, 0.48},
				"std-rag/wiki":    {15.06, 1.84, 10.15, 12.01, 3.77, 1.38, 0.48},
				"std-rag/qa":      {15.20, 1.78, 10.11, 12.81, 3.86, 1.53, 0.56},
				"std-rag/2way":    {16.75, 2.22, 10.90, 14.49, 4.74, 1.83, 0.74},
				"std-rag/merged":  {17.54, 2.12, 11.40, 17.24, 5.23, 2.04, 0.71},
				"misknow/wiki":    {18.06, 2.33, 12.18, 19.03, 6.07, 2.30, 0.74},
				"misknow/qa":      {18.32, 2.05, 11.62, 18.28, 5.47, 1.86, 0.54},
				"misknow/wiki+qa": {18.78, 2.43, 12.18, 18.88, 6.02, 2.19, 0.82},
				"misknow/qa+wiki": {18.44, 2.45, 11.70, 18.51, 6.12, 2.48, 0.90},
				"misknow/merged":  {18.84, 2.52, 12.64, 19.61, 6.43, 2.82, 1.30},
			},
		}},
	}.artefact(Artefact{
		ID: "table1", Name: "Table 1", Shows: "answers of twelve systems to questions in English and in Chinese",
		Needs:   Needs{Model: true, Texts: true, Pairs: true},
		Caveats: []string{misknowSample, misknowEM, misknowWords, "The EM of MIGRES, 30.00, is no multiple of 1/256: the paper measured it on another number of questions."},
	})
}

// recallColumns compares context recall by sources of one kind.
var recallColumns = []column{
	{measure: "context recall, QA", papers: []string{"QA"}},
	{measure: "context recall, passages", papers: []string{"Wiki"}},
	{measure: "context recall"},
	{measure: "context recall, as Eq. 4 is printed"},
}

// What has to be known of the tables of context recall.
var recallCaveats = []string{
	misknowSample,
	"Equation 4, as printed, counts passages and not the statements that they hold, so that it can exceed 1; the paper's examples judge each statement once, and so does our context recall.",
	"Recall by QA and by passages is over the questions for which such were read; n is shown where that is not all.",
	"The judge is a model and noisy: the two published settings that read the very same two passages for the same query have 57.83 and 57.12 on Natural Questions, 27.31 and 27.23 on Huatuo-26M. Differences of a point say nothing.",
	"The published figures are of other sources. A workspace with other passages and pairs has other levels; compare the order of the systems.",
}

func misknowTable3() Artefact {
	published := func(twoWay, wikiQA, qaWiki []float64) map[string][]float64 {
		return map[string][]float64{"std-rag/2way": twoWay, "misknow/wiki+qa": wikiQA, "misknow/qa+wiki": qaWiki}
	}
	return table{
		rows:   []system{{id: "std-rag/2way", name: "STD-RAG 2-way"}, {id: "misknow/wiki+qa", name: "Misknow Wiki+QA"}, {id: "misknow/qa+wiki", name: "Misknow QA+Wiki"}},
		over:   "std-rag/2way",
		recall: true,
		sets: []columns{
			{slot: naturalQuestions, plotted: "context recall, QA", all: recallColumns, published: published([]float64{48.31, 57.83}, []float64{56.4, 57.12}, []float64{48.51, 59.76})},
			{slot: huatuo, plotted: "context recall, QA", all: recallColumns, published: published([]float64{32.87, 27.31}, []float64{35.28, 27.23}, []float64{33.05, 29.01})},
		},
	}.artefact(Artefact{
		ID: "table3", Name: "Table 3", Shows: "context recall by two passages and two stored pairs",
		Needs: Needs{Model: true, Texts: true, Pairs: true}, Caveats: recallCaveats,
	})
}

func misknowTable4() Artefact {
	all := []column{{measure: "context recall", papers: []string{"recall"}}, {measure: "context recall, as Eq. 4 is printed"}}
	published := func(wiki, wikiMis, qa, qaMis float64) map[string][]float64 {
		return map[string][]float64{"std-rag/wiki": {wiki}, "misknow/wiki": {wikiMis}, "std-rag/qa": {qa}, "misknow/qa": {qaMis}}
	}
	return table{
		rows: []system{
			{id: "std-rag/wiki", name: "Wiki, by the question"},
			{id: "misknow/wiki", name: "Wiki, half by what is missing", over: "std-rag/wiki"},
			{id: "std-rag/qa", name: "QA, by the question"},
			{id: "misknow/qa", name: "QA, half by what is missing", over: "std-rag/qa"},
		},
		recall: true,
		sets: []columns{
			{slot: naturalQuestions, plotted: "context recall", all: all, published: published(54.79, 57.48, 36.29, 37.11)},
			{slot: huatuo, plotted: "context recall", all: all, published: published(34.91, 35.36, 39.07, 41.24)},
		},
	}.artefact(Artefact{
		ID: "table4", Name: "Table 4", Shows: "context recall by the question alone and by what is missing",
		Needs: Needs{Model: true, Texts: true, Pairs: true},
		Caveats: append([]string{
			"By the question: four results of the question. Half by what is missing: two of the question and two of the queries for what is missing. Where nothing is judged missing, only the first two are read.",
		}, recallCaveats...),
	})
}

func misknowTable5() Artefact {
	var rows []system
	for _, base := range []struct{ id, name string }{{"wiki", "Wiki"}, {"qa", "QA"}, {"wiki+qa", "Wiki+QA"}, {"qa+wiki", "QA+Wiki"}, {"merged", "Merged"}} {
		plain := "misknow/" + base.id + "/no-reasoning"
		rows = append(rows, system{id: "misknow/" + base.id, name: base.name, over: plain}, system{id: plain, name: base.name + " without reasoning"})
	}
	return table{
		rows: rows,
		sets: []columns{{
			slot:    naturalQuestions,
			plotted: "cover match",
			all:     []column{{measure: "cover match", papers: []string{"EM"}}, {measure: "F1", papers: []string{"F1"}}},
			published: map[string][]float64{
				"misknow/wiki": {32.03, 21.31}, "misknow/wiki/no-reasoning": {30.47, 21.29},
				"misknow/qa": {33.20, 25.22}, "misknow/qa/no-reasoning": {32.81, 24.65},
				"misknow/wiki+qa": {33.20, 24.45}, "misknow/wiki+qa/no-reasoning": {32.42, 23.85},
				"misknow/qa+wiki": {35.94, 27.27}, "misknow/qa+wiki/no-reasoning": {35.16, 27.20},
				"misknow/merged": {41.41, 26.80}, "misknow/merged/no-reasoning": {37.11, 25.74},
			},
		}, {
			slot:    huatuo,
			plotted: "ROUGE-1, Chinese words",
			all:     []column{{measure: "ROUGE-1, Chinese words", papers: []string{"R-1"}}, {measure: "BLEU-1, Chinese words", papers: []string{"B-1"}}},
			published: map[string][]float64{
				"misknow/wiki": {18.32, 18.28}, "misknow/wiki/no-reasoning": {18.05, 17.87},
				"misknow/qa": {18.78, 18.78}, "misknow/qa/no-reasoning": {18.12, 17.89},
				"misknow/wiki+qa": {18.06, 18.22}, "misknow/wiki+qa/no-reasoning": {17.94, 17.91},
				"misknow/qa+wiki": {17.92, 18.18}, "misknow/qa+wiki/no-reasoning": {17.66, 18.03},
				"misknow/merged": {18.84, 19.61}, "misknow/merged/no-reasoning": {18.63, 19.13},
			},
		}},
	}.artefact(Artefact{
		ID: "table5", Name: "Table 5", Shows: "Misknow-RAG with and without reasoning",
		Needs: Needs{Model: true, Texts: true, Pairs: true},
		Caveats: []string{
			"Compare signs, not levels: reasoning helps in all five rows of the paper, by .4 to 4.3 points of EM.",
			"The published rows Wiki and QA carry the values that Table 1 has for QA and Wiki+QA; only the row Merged agrees with Table 1 in every figure.",
			"Without reasoning, the plain reader judges in place of the reasoning model, without the three steps, and no reasoning goes into the last prompt.",
			misknowSample, misknowEM, misknowWords,
		},
	})
}
