// Package remote answers from passages that a distributed engine keeps, and publishes them there.
//
// The engine stores and proposes; everything else is done here. A publisher builds the index of a source as always,
// and pushes each passage with a proof that it belongs to the generation, and a signed card: the statistics, encoders
// and calibrations that answers depend on, and the root of the tree of proofs. Who asks mirrors the card, verifies each
// passage that the engine returns, and scores it by the card. Answers are those of the publisher's own index.
//
//	push.go     a library → an engine; checked, then made current
//	open.go     the signed card of what is current, on this machine
//	answer.go   a question → its answer, again with more passages until nothing new is wanted
//	fetch.go    what searches want → the engine's passages, verified; more while some of the best come last
//	recent.go   what was fetched and verified lately
//	whole.go    whether the engine has all of them, or a part
//	object.go   what the engine keeps of a passage, and the proof
//	place.go    the card's place: the engine itself, by the format of package share
package remote

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"

	"lacuna/knowledge"
	"lacuna/knowledge/engine"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/share"
)

// about is the file generation.json beside the card.
type about struct {
	Format      string                  `json:"format"`
	Source      string                  `json:"source"`
	Tree        tree                    `json:"tree"`
	Collections map[passage.Kind]string `json:"collections"` // in the engine
	Count       map[passage.Kind]int    `json:"count"`
}

// format names the version of a generation in an engine; others are refused.
const format = "lacuna-generation 1"

// The files of a published card.
const (
	aboutName = "generation.json"
	cardName  = "card"
)

// collectionOf names a collection of a source in the engine: letters, digits and underscores.
func collectionOf(source string, parts ...string) string {
	var b strings.Builder
	b.WriteString("Lacuna_")
	for _, r := range source {
		if r < 128 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9') && b.Len() < 40 {
			b.WriteRune(r)
		}
	}
	sum := sha256.Sum256([]byte(source)) // names that differ in other characters are other collections
	fmt.Fprintf(&b, "_%x", sum[:4])
	for _, part := range parts {
		b.WriteString("_" + part)
	}
	return b.String()
}

// Generation is what an engine keeps of a source, as its publisher signed it. It is safe for concurrent use.
type Generation struct {
	engine    engine.Engine
	card      *knowledge.Card
	about     about
	head      share.Head
	root      string // where the files of the passages count as standing
	published passage.Publication

	recent *recent
	whole  *whole
}

// With returns the generation as it is asked through e, which must be the same engine in another guise.
func (g *Generation) With(e engine.Engine) *Generation {
	other := *g
	other.engine = e
	return &other
}

// Counts returns how many objects the replicas of each of its collections hold.
func (g *Generation) Counts(ctx context.Context) (map[string]engine.Count, error) {
	counts := make(map[string]engine.Count)
	for _, collection := range g.about.Collections {
		count, err := g.engine.Count(ctx, collection)
		if err != nil {
			return nil, err
		}
		counts[collection] = count
	}
	return counts, nil
}

// Head returns what the publisher signed.
func (g *Generation) Head() share.Head { return g.head }

// Len returns the number of passages and stored questions.
func (g *Generation) Len() int { return g.card.Len() }
