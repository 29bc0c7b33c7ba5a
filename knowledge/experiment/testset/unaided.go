package testset

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"lacuna/knowledge"
	"lacuna/knowledge/eval"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
)

// Unaided searches the texts of a library alone, without titles, headings and stored questions, for the items that
// [KnownItems] made of them, with the search that needs no model. It returns for each item the rank of the first passage
// that fits, 0 if none of the first [Depth] does. It makes an index in dir, which is for this alone, and no network
// connection.
func Unaided(ctx context.Context, library *knowledge.Library, items []Item, sources []string, dir string) ([]int, error) {
	var file bytes.Buffer
	encoder := json.NewEncoder(&file)
	for i, p := range library.Passages() {
		if len(sources) > 0 && !slices.Contains(sources, p.Source) {
			continue
		}
		if err := encoder.Encode(map[string]string{"id": strconv.Itoa(i), "text": bare(p)}); err != nil {
			return nil, err
		}
	}
	path := filepath.Join(dir, "texts.jsonl")
	if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
		return nil, err
	}
	index, err := knowledge.Open(knowledge.Options{Dir: filepath.Join(dir, "index"), Sources: []ingest.Source{{Name: "texts", Kind: passage.Text, Path: path}}})
	if err != nil {
		return nil, err
	}
	defer index.Close()
	if err := index.Refresh(ctx); err != nil {
		return nil, err
	}
	texts := index.Library()
	ranks := make([]int, len(items))
	for i, item := range items {
		hits, err := texts.Search(ctx, knowledge.Query{Text: item.Text, K: Depth})
		if err != nil {
			return nil, err
		}
		for at, hit := range hits {
			ordinal, err := strconv.Atoi(hit.Passage.Record)
			if err == nil && item.Fits(library.Passages()[ordinal]) {
				ranks[i] = at + 1
				break
			}
		}
	}
	return ranks, nil
}

// bare returns the text of a passage without lines that repeat its title, headings or stored question.
func bare(p *passage.Passage) string {
	above := append([]string{p.Title, p.Question}, p.Headings...)
	var kept []string
	for line := range strings.Lines(p.Text) {
		words := strings.TrimSpace(strings.Trim(strings.TrimSpace(line), "#*_="))
		if words == "" || !slices.ContainsFunc(above, func(s string) bool { return strings.EqualFold(strings.TrimSpace(s), words) }) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

// UnaidedFigures measures the ranks that [Unaided] returned, as the figures of [Figures] that are about search.
func UnaidedFigures(items []Item, ranks []int) []eval.Measure {
	outcomes := make([]Outcome, len(items))
	for i, item := range items {
		outcomes[i] = Outcome{Item: item, Rank: ranks[i]}
	}
	return slices.DeleteFunc(Figures(outcomes), func(m eval.Measure) bool { return !strings.HasPrefix(m.Name, "found ") })
}
