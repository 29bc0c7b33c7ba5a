package gap

import (
	"context"
	"testing"
	"time"

	"lacuna/knowledge"
	"lacuna/knowledge/eval"
	"lacuna/knowledge/passage"
)

// calibrate fits the judge to a library and returns one that has learnt it.
func calibrate(t *testing.T, library *knowledge.Library) *Judge {
	t.Helper()
	begin := time.Now()
	blob, err := Companion().Fit(context.Background(), library)
	if err != nil {
		t.Fatal(err)
	}
	learnt := decode(blob)
	t.Logf("calibrated in %.1f s, %d bytes", time.Since(begin).Seconds(), len(blob))
	for name, m := range map[string]*model{"passages": learnt.Text, "pairs": learnt.Pairs} {
		if m != nil {
			t.Logf("%s: bias %.3f weights %.3f means %.3f", name, m.Bias, m.Weights, m.Means)
		}
	}
	if learnt.Aspects != nil {
		t.Logf("aspects %v, stage %.3f", learnt.Aspects.Classes, learnt.Aspects.Stage)
	}
	judge := NewJudge()
	judge.calibrations[library.Generation()] = learnt
	return judge
}

// report prints the row of the table for one set of questions.
func report(t *testing.T, name string, all []eval.Prediction) {
	t.Helper()
	low, high := eval.Bootstrap(all, eval.AUC, 500, 1)
	caught, alarms := flagged(all, MissingFrom)
	warned, wrongly := flagged(all, warnAt)
	missing := 0
	for _, j := range all {
		if j.True {
			missing++
		}
	}
	t.Logf("%-34s n %d (%d missing): AUC %.3f [%.3f-%.3f], ECE %.3f, caught at 10 %% %.2f; at .6: missing %.2f, covered %.2f; at .9: %.2f, %.2f",
		name, len(all), missing, eval.AUC(all), low, high, eval.ECE(all), eval.CaughtAt(all, 0.1), caught, alarms, warned, wrongly)
}

// pubmed returns the passages of the PubMed base without the rows of the given ids.
func pubmed(t *testing.T, without map[string]bool) []*passage.Passage {
	var passages []*passage.Passage
	for _, row := range readRows[passageRow](t, "kb/passages-pubmed.jsonl.gz") {
		if !without[row.ID] {
			passages = append(passages, row.passage())
		}
	}
	return passages
}

// ids reads the ids of a file's rows.
func ids(t *testing.T, name string) map[string]bool {
	set := make(map[string]bool)
	for _, row := range readRows[passageRow](t, name) {
		set[row.ID] = true
	}
	return set
}

// ask judges questions of which covered tells whether the base holds their evidence.
func ask(t *testing.T, judge *Judge, library *knowledge.Library, rows []askedRow, covered func(askedRow) bool) (all []eval.Prediction, offTopic int) {
	t.Helper()
	begin := time.Now()
	for _, row := range rows {
		v, err := judge.Judge(context.Background(), library, row.Question, nil)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, eval.Prediction{Score: v.Probability, True: !covered(row)})
		if v.OffTopic {
			offTopic++
		}
	}
	t.Logf("%.1f ms a question, %d of %d off topic", float64(time.Since(begin).Milliseconds())/float64(len(rows)), offTopic, len(rows))
	return all, offTopic
}

// TestBioASQKnockoutMeasured takes the evidence of half of the questions out of the base, trains
// its encoder on the rest and judges all.
func TestBioASQKnockoutMeasured(t *testing.T) {
	library := base(t, "bioasq-knockout", pubmed(t, ids(t, "gaps/bioasq-knockout-removed.dev.jsonl.gz")))
	rows := readRows[askedRow](t, "gaps/bioasq-knockout.dev.jsonl.gz")
	covered := func(row askedRow) bool { return row.Covered }
	all, _ := ask(t, NewJudge(), library, rows, covered)
	report(t, "BioASQ knock-out, shipped weights", all)
	all, _ = ask(t, calibrate(t, library), library, rows, covered)
	report(t, "BioASQ knock-out", all)
	if auc, ece, caught := eval.AUC(all), eval.ECE(all), eval.CaughtAt(all, 0.1); auc < 0.87 || ece > 0.08 || caught < 0.65 {
		t.Errorf("AUC %.3f, ECE %.3f, caught %.3f; want at least .87, at most .08, at least .65", auc, ece, caught)
	}
}

// TestOffTopicMeasured asks questions of the open domain of all PubMed passages.
func TestOffTopicMeasured(t *testing.T) {
	library := base(t, "pubmed", pubmed(t, nil))
	judge := calibrate(t, library)
	rows := append(readRows[askedRow](t, "open/nq-open.dev.jsonl.gz"), readRows[askedRow](t, "open/webquestions.dev.jsonl.gz")...)
	all, _ := ask(t, judge, library, rows, func(askedRow) bool { return false })
	caught, _ := flagged(all, MissingFrom)
	warned, _ := flagged(all, warnAt)
	t.Logf("NQ-open and WebQuestions: n %d, at .6: %.3f, at .9: %.3f", len(all), caught, warned)
	if caught < 0.95 {
		t.Errorf("%.3f of the off-topic questions flagged; want at least .95", caught)
	}
	covered, off := ask(t, judge, library, readRows[askedRow](t, "queries/bioasq.dev.jsonl.gz"), func(askedRow) bool { return true })
	_, alarms := flagged(covered, MissingFrom)
	t.Logf("BioASQ questions, all covered: n %d, flagged %.3f, off topic %d", len(covered), alarms, off)
}

// half tells by its id whether a question loses its evidence.
func half(row askedRow) bool { return hashOf(row.QID)%2 == 0 }

// evidenceOf is the evidence of the questions that lose theirs.
func evidenceOf(rows []askedRow) map[string]bool {
	gone := make(map[string]bool)
	for _, row := range rows {
		if half(row) {
			for _, id := range row.Relevant {
				gone[id] = true
			}
		}
	}
	return gone
}

// TestPubMedQAKnockoutMeasured removes the abstracts of half of the PubMedQA questions.
func TestPubMedQAKnockoutMeasured(t *testing.T) {
	rows := readRows[askedRow](t, "queries/pubmedqa.dev.jsonl.gz")
	library := base(t, "pubmedqa-knockout", pubmed(t, evidenceOf(rows)))
	all, _ := ask(t, calibrate(t, library), library, rows, func(row askedRow) bool { return !half(row) })
	report(t, "PubMedQA, own abstract removed", all)
}

// TestSciFactKnockoutMeasured removes the cited abstracts of half of the claims.
func TestSciFactKnockoutMeasured(t *testing.T) {
	rows := readRows[askedRow](t, "scifact/claims.dev.jsonl.gz")
	gone := evidenceOf(rows)
	var passages []*passage.Passage
	for _, row := range readRows[passageRow](t, "scifact/corpus.jsonl.gz") {
		if !gone[row.ID] {
			passages = append(passages, row.passage())
		}
	}
	// A claim one of whose abstracts another claim loses is neither covered nor missing.
	var asked []askedRow
	for _, row := range rows {
		left := 0
		for _, id := range row.Relevant {
			if !gone[id] {
				left++
			}
		}
		if half(row) || left == len(row.Relevant) {
			asked = append(asked, row)
		}
	}
	library := base(t, "scifact-knockout", passages)
	all, _ := ask(t, calibrate(t, library), library, asked, func(row askedRow) bool { return !half(row) })
	report(t, "SciFact, cited abstracts removed", all)
}

// base builds the library of a measurement; the name says of which.
func base(t *testing.T, name string, passages []*passage.Passage) *knowledge.Library {
	t.Helper()
	library := build(t, passages...)
	t.Logf("%s: %+v", name, library.Status())
	return library
}

// flagged returns the share of the true and of the false cases that score at least threshold; NaN for a
// kind that is absent.
func flagged(all []eval.Prediction, threshold float64) (ofTrue, ofFalse float64) {
	var trues, falses float64
	for _, j := range all {
		hit := 0.0
		if j.Score >= threshold {
			hit = 1
		}
		if j.True {
			trues++
			ofTrue += hit
		} else {
			falses++
			ofFalse += hit
		}
	}
	return ofTrue / trues, ofFalse / falses
}
