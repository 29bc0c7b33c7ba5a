package weaviate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"lacuna/knowledge/engine"
)

// What an object is stored as.
const (
	termsProperty    = "terms"    // escaped and joined by spaces, found by BM25
	documentProperty = "document" // escaped, found by a filter
	bodyProperty     = "body"     // the rest, see [pack]; no index
)

// prefix begins the name of every collection of Lacuna's, so that a role can be given these alone.
const prefix = "Lacuna_"

// maxFlat is the number of objects from which a search by vector is approximate: an exact one reads all of them.
const maxFlat = 1_000_000

// k1 and b of BM25. They order what is proposed and nothing else.
const k1, b = .9, .4

// className returns the cluster's name of a collection. The cluster wants letters, digits and underscores, an initial
// capital, and no two names that differ in case alone.
func className(collection string) string {
	var name strings.Builder
	name.WriteString(prefix)
	for _, c := range []byte(collection) {
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
			name.WriteByte(c)
		default:
			fmt.Fprintf(&name, "_%02x", c)
		}
	}
	if name.Len() > 200 { // the cluster takes 255, and makes a folder of it
		hash := sha256.Sum256([]byte(collection))
		return prefix + "_h" + hex.EncodeToString(hash[:]) // no name of the other kind has an h behind an underscore
	}
	return name.String()
}

// class is a collection in the cluster's schema, as far as it concerns us.
type class struct {
	Name              string         `json:"class"`
	Description       string         `json:"description"` // of the layout
	Vectorizer        string         `json:"vectorizer"`
	VectorIndexType   string         `json:"vectorIndexType"`
	VectorIndexConfig map[string]any `json:"vectorIndexConfig"`
	Inverted          inverted       `json:"invertedIndexConfig"`
	Properties        []property     `json:"properties"`
	Sharding          sharding       `json:"shardingConfig"`
	Replication       replication    `json:"replicationConfig"`
}

type inverted struct {
	BM25      bm25      `json:"bm25"`
	Stopwords stopwords `json:"stopwords"`
}

type bm25 struct {
	K1 float64 `json:"k1"`
	B  float64 `json:"b"`
}

type stopwords struct {
	Preset    string   `json:"preset"`
	Additions []string `json:"additions,omitempty"`
	Removals  []string `json:"removals,omitempty"`
}

type property struct {
	Name         string   `json:"name"`
	DataType     []string `json:"dataType"`
	Tokenization string   `json:"tokenization,omitempty"`
	Filterable   bool     `json:"indexFilterable"`
	Searchable   bool     `json:"indexSearchable"`
}

type sharding struct {
	DesiredCount int `json:"desiredCount,omitempty"`
	ActualCount  int `json:"actualCount,omitempty"`
}

type replication struct {
	Factor int  `json:"factor"`
	Async  bool `json:"asyncEnabled"`
}

func newClass(collection string, layout engine.Layout) class {
	c := class{
		Name:            className(collection),
		Description:     fmt.Sprintf("Passages of Lacuna, form 1, %d dimensions, terms %t.", layout.Dim, layout.Terms),
		Vectorizer:      "none",
		VectorIndexType: "flat",
		// A server may be set to quantise what is not told otherwise: its candidates would miss some.
		VectorIndexConfig: map[string]any{"distance": "l2-squared", "skipDefaultQuantization": true},
		Inverted:          inverted{bm25{k1, b}, stopwords{Preset: "none"}},
		Properties: []property{
			{documentProperty, []string{"text"}, "field", true, false},
			{bodyProperty, []string{"blob"}, "", false, false},
		},
		Sharding: sharding{DesiredCount: layout.Shards},
		// Without it a node that was away gets what it missed only when somebody reads that.
		Replication: replication{layout.Replicas, layout.Replicas > 1},
	}
	if layout.Objects > maxFlat {
		c.VectorIndexType = "hnsw"
	}
	if layout.Terms {
		c.Properties = append(c.Properties, property{termsProperty, []string{"text"}, "whitespace", false, true})
	}
	return c
}

// same returns an error if a collection in the schema is not made for what is wanted.
func (c class) same(wanted class) error {
	if c.Description != wanted.Description {
		return fmt.Errorf("%w: %s", engine.ErrLayout, detail(c.Description))
	}
	if c.VectorIndexConfig["distance"] != "l2-squared" || c.Inverted.Stopwords.Preset != "none" || len(c.Inverted.Stopwords.Additions) > 0 {
		return fmt.Errorf("%w: its distance or its stop words are not ours", engine.ErrLayout)
	}
	if c.quantised() {
		return fmt.Errorf("%w: its vectors are quantised", engine.ErrLayout)
	}
	have := make(map[string]property)
	for _, p := range c.Properties {
		have[p.Name] = p
	}
	for _, p := range wanted.Properties {
		if h := have[p.Name]; h.Filterable != p.Filterable || h.Searchable != p.Searchable || h.Tokenization != p.Tokenization {
			return fmt.Errorf("%w: its property %s is not ours", engine.ErrLayout, p.Name)
		}
	}
	return nil
}

// quantised reports whether searches compare codes instead of vectors.
func (c class) quantised() bool {
	for _, kind := range []string{"pq", "bq", "sq", "rq"} {
		if config, is := c.VectorIndexConfig[kind].(map[string]any); is && config["enabled"] == true {
			return true
		}
	}
	return false
}

// Create implements [engine.Engine]. Shards and replicas of a collection that exists are not compared, because an
// administrator may have moved them. Without a choice of the caller a collection has three replicas, or as many as there
// are nodes. It returns when every node that answers knows the collection.
func (c *Cluster) Create(ctx context.Context, collection string, layout engine.Layout) error {
	return describe("create", collection, c.create(ctx, collection, layout))
}

func (c *Cluster) create(ctx context.Context, collection string, layout engine.Layout) error {
	ctx, cancel := context.WithTimeout(ctx, c.patient.schema)
	defer cancel()
	found, err := attempt(ctx, c, c.patient.schema, func(ctx context.Context, n *node) (class, error) {
		return c.class(ctx, n, collection, leader)
	})
	if err == nil {
		return found.same(newClass(collection, layout))
	} else if !errors.Is(err, engine.ErrNotFound) {
		return err
	}
	if layout.Replicas == 0 {
		nodes, err := c.nodeStates(ctx, "nodes")
		if err != nil {
			return err
		}
		layout.Replicas = min(3, len(nodes))
	}
	wanted := newClass(collection, layout)
	_, err = attempt(ctx, c, c.patient.schema, func(ctx context.Context, n *node) (none struct{}, err error) {
		return none, c.rest(ctx, n, http.MethodPost, "schema", wanted, nil, leader)
	})
	refused := err
	if err != nil && !errors.Is(err, engine.ErrRefused) {
		return err
	}
	// Read it back: another may have been first, and a server decides itself what it does not understand.
	found, err = attempt(ctx, c, c.patient.schema, func(ctx context.Context, n *node) (class, error) {
		return c.class(ctx, n, collection, leader)
	})
	switch {
	case errors.Is(err, engine.ErrNotFound) && refused != nil:
		return refused
	case err != nil:
		return err
	}
	if err := found.same(wanted); err != nil {
		return err
	}
	return c.everywhere(ctx, collection)
}

// everywhere waits until every node that answers knows a collection.
func (c *Cluster) everywhere(ctx context.Context, collection string) error {
	pause := time.NewTicker(50 * time.Millisecond)
	defer pause.Stop()
	for _, n := range c.nodes {
		for {
			if _, err := c.class(ctx, n, collection, local); !errors.Is(err, engine.ErrNotFound) {
				break
			}
			select {
			case <-pause.C:
			case <-ctx.Done():
				return fmt.Errorf("%w: %s does not know it yet", engine.ErrAway, n.address.REST)
			}
		}
	}
	return nil
}

// class returns a collection as the schema has it.
func (c *Cluster) class(ctx context.Context, n *node, collection string, from reader) (class, error) {
	var found class
	err := c.rest(ctx, n, http.MethodGet, "schema/"+className(collection), nil, &found, from)
	return found, err
}

// exists returns an error unless the collection is there. A write does not say so: a cluster may make up a collection
// that it does not know.
func (c *Cluster) exists(ctx context.Context, collection string) error {
	_, err := attempt(ctx, c, c.patient.search, func(ctx context.Context, n *node) (class, error) {
		found, err := c.class(ctx, n, collection, local)
		if errors.Is(err, engine.ErrNotFound) { // this node may not have heard of it yet
			return c.class(ctx, n, collection, leader)
		}
		return found, err
	})
	return err
}

// absent returns an error of a node's, in which only a collection that the cluster does not have is not found: a node that
// has just started says so of those that it has not heard of yet.
func (c *Cluster) absent(ctx context.Context, n *node, collection string, err error) error {
	if !errors.Is(err, engine.ErrNotFound) {
		return err
	}
	if _, agreed := c.class(ctx, n, collection, leader); errors.Is(agreed, engine.ErrNotFound) {
		return err
	}
	return fmt.Errorf("%w: %s does not know the collection yet", engine.ErrAway, n.address.REST)
}

// Drop implements [engine.Engine].
func (c *Cluster) Drop(ctx context.Context, collection string) error {
	_, err := attempt(ctx, c, c.patient.schema, func(ctx context.Context, n *node) (none struct{}, err error) {
		return none, c.rest(ctx, n, http.MethodDelete, "schema/"+className(collection), nil, nil, leader)
	})
	if errors.Is(err, engine.ErrNotFound) {
		return nil
	}
	return describe("drop", collection, err)
}
