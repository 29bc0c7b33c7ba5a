package knowledge_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"lacuna/knowledge"
	"lacuna/knowledge/ingest"
)

// An index reads sources into a folder of its own and publishes a library, which is searched.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	notes := filepath.Join(dir, "notes")
	if err := os.Mkdir(notes, 0o700); err != nil {
		panic(err)
	}
	for name, text := range map[string]string{
		"iron.md": "# Iron\n\nFerritin falls before haemoglobin does.\n",
		"zinc.md": "# Zinc\n\nLozenges shorten a cold.\n",
	} {
		if err := os.WriteFile(filepath.Join(notes, name), []byte(text), 0o600); err != nil {
			panic(err)
		}
	}

	index, err := knowledge.Open(knowledge.Options{
		Sources: []ingest.Source{{Name: "notes", Path: notes}},
		Dir:     filepath.Join(dir, "index"),
	})
	if err != nil {
		panic(err)
	}
	defer index.Close()
	if err := index.Refresh(ctx); err != nil {
		panic(err)
	}

	library := index.Library() // a snapshot: a later refresh does not change it
	hits, err := library.Search(ctx, knowledge.Query{Text: "What happens to ferritin?", K: 1})
	if err != nil {
		panic(err)
	}
	for _, hit := range hits {
		fmt.Println(hit.Rank, hit.Passage.Title, "·", hit.Passage.Text)
	}
	// Output:
	// 1 Iron · Ferritin falls before haemoglobin does.
}
