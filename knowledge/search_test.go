package knowledge

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lacuna/knowledge/passage"
)

// text is a passage of running text from a source.
func text(source, body string) *passage.Passage {
	return &passage.Passage{
		ID: passage.IDOf(body), Source: source, Record: body, Document: source,
		Kind: passage.Text, Format: passage.Plain, Text: body,
	}
}

// pair is a stored question with its answer.
func pair(source, question, answer string) *passage.Passage {
	p := &passage.Passage{
		Source: source, Record: question, Document: question,
		Kind: passage.QA, Format: passage.Plain, Question: question, Text: answer,
	}
	p.Identify("")
	return p
}

func build(t testing.TB, passages ...*passage.Passage) *Library {
	t.Helper()
	l, err := Build(t.Context(), passages, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func records(hits []Hit) []string {
	list := []string{}
	for i, hit := range hits {
		if hit.Rank != i+1 {
			list = append(list, fmt.Sprintf("rank %d at %d", hit.Rank, i+1))
		}
		list = append(list, hit.Passage.Record)
	}
	return list
}

// shop is a small library of two sources of text and two of pairs.
func shop(t testing.TB) *Library {
	return build(t,
		text("leaflets", "Iron tablets are taken on an empty stomach."),
		text("leaflets", "Iron infusions are given when tablets fail."),
		text("leaflets", "Zinc lozenges shorten a cold."),
		text("letters", "Iron overload needs bloodletting."),
		text("letters", "Iron infusions are given when tablets fail."),
		pair("desk", "How do I take iron tablets?", "On an empty stomach, with water."),
		pair("desk", "May I take zinc with iron?", "Some hours apart."),
		pair("phone", "What does an iron infusion cost?", ""),
		pair("phone", "Who pays for an iron infusion?", ""),
	)
}

func TestSearch(t *testing.T) {
	l := shop(t)
	for _, c := range []struct {
		name  string
		query Query
		want  []string
	}{
		{"both kinds in one ranking", Query{Text: "how to take iron tablets", K: 3},
			[]string{"How do I take iron tablets?", "Iron tablets are taken on an empty stomach.", "Iron infusions are given when tablets fail."}},
		{"one kind", Query{Text: "zinc", Kind: passage.Text},
			[]string{"Zinc lozenges shorten a cold."}},
		{"words of asking find no text", Query{Text: "what can be given when there is iron overload", Kind: passage.Text, K: 1},
			[]string{"Iron overload needs bloodletting."}},
		{"one source", Query{Text: "zinc", Sources: []string{"desk"}},
			[]string{"May I take zinc with iron?"}},
		{"a text once", Query{Text: "infusions given tablets fail", Kind: passage.Text, K: 2},
			[]string{"Iron infusions are given when tablets fail.", "Iron tablets are taken on an empty stomach."}},
		{"questions without answers apart", Query{Text: "infusion", Kind: passage.QA},
			[]string{"Who pays for an iron infusion?", "What does an iron infusion cost?"}},
		{"two ways", Query{Text: "iron zinc", K: 3, Allocation: TwoWay},
			[]string{"Zinc lozenges shorten a cold.", "Iron overload needs bloodletting.", "May I take zinc with iron?"}},
		{"two ways, not refilled", Query{Text: "bloodletting", K: 4, Allocation: TwoWay},
			[]string{"Iron overload needs bloodletting."}},
		{"balanced", Query{Text: "iron", K: 5, Allocation: Balanced, Kind: passage.Text},
			[]string{"Iron tablets are taken on an empty stomach.", "Iron overload needs bloodletting.",
				"Iron infusions are given when tablets fail."}},
		{"balanced in the order asked", Query{Text: "iron", K: 2, Allocation: Balanced, Sources: []string{"letters", "desk"}},
			[]string{"Iron overload needs bloodletting.", "May I take zinc with iron?"}},
		{"unknown words", Query{Text: "quinine"}, []string{}},
		{"unknown source", Query{Text: "iron", Sources: []string{"nowhere"}}, []string{}},
		{"no words", Query{Text: "… of the"}, []string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			hits, err := l.Search(t.Context(), c.query)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, records(hits)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestHitsNameTheirPassageAndSignals(t *testing.T) {
	l := shop(t)
	hits, err := l.Search(t.Context(), Query{Text: "iron tablets"})
	if err != nil {
		t.Fatal(err)
	}
	for _, hit := range hits {
		if l.Passages()[hit.Ordinal] != hit.Passage || hit.BM25 < 0 || hit.Score <= 0 || hit.Score >= 1 || hit.Retriever != BM25 {
			t.Errorf("%+v", hit)
		}
		if got, ok := l.Passage(hit.Passage.ID); hit.Passage.Text != "" && (!ok || got.Text != hit.Passage.Text) {
			t.Errorf("%s is found as %+v", hit.Passage.ID, got)
		}
	}
	if status := l.Status(); status.Passages != 5 || status.Pairs != 4 || status.Encoder {
		t.Errorf("%+v", status)
	}
}

func TestZeroLibraryIsEmpty(t *testing.T) {
	var l Library
	hits, err := l.Search(t.Context(), Query{Text: "iron"})
	if err != nil || len(hits) != 0 || l.Status() != (Status{}) || l.Collection(passage.Text) != nil || l.Generation() != "" {
		t.Errorf("%v, %v, %+v", hits, err, l.Status())
	}
	if _, ok := l.Passage(passage.ID{}); ok {
		t.Error("found a passage")
	}
}

func TestCancelledSearch(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := shop(t).Search(ctx, Query{Text: "iron"}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
