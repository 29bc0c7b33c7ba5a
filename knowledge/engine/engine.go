// Package engine is the seam between Lacuna and a distributed engine that stores the passages of a team.
//
// The engine stores and proposes; Lacuna judges. An engine is asked for more candidates than are needed, by
// statistics and an order of its own, and what it returns is verified and scored on this machine with the statistics
// of the whole generation. So an engine may be approximate, slow or malicious, and answers are equal to those of the
// embedded index, or fail.
//
// A generation stands in collections that are written once, one for each kind of passage. [Memory] is an engine within
// the process; package enginetest has what every engine must do, and package weaviate the one for clusters. Begin with
// [Engine].
package engine

import (
	"context"
	"errors"
)

// ID identifies an object within its collection.
type ID [16]byte

// Engine stores objects and proposes candidates. Its methods may be called concurrently. Each ends, with an error, when
// ctx does and at the latest after a deadline of its own.
type Engine interface {
	// Create makes an empty collection. It does nothing if the collection exists with the same layout, and fails
	// with [ErrLayout] if it has another.
	Create(ctx context.Context, collection string, layout Layout) error
	// Put stores objects, replacing those with the same identities. It returns when a majority of the replicas
	// have them. After an error any of them may be stored; put them again.
	Put(ctx context.Context, collection string, objects []Object) error
	// Get returns an object from a majority of the replicas, or [ErrNotFound]. Its vector and terms may be left out.
	Get(ctx context.Context, collection string, id ID) (Object, error)
	// Search returns candidates, best first as far as the engine knows, without vectors and terms. It may ask one
	// replica of each shard, which can lack what a majority has, until Count says that the collection is complete.
	Search(ctx context.Context, collection string, q Query) ([]Object, error)
	// Count returns how many objects the replicas of a collection hold, or [ErrNotFound].
	Count(ctx context.Context, collection string) (Count, error)
	// Delete removes objects from a majority of the replicas; those that are not there are no error.
	Delete(ctx context.Context, collection string, ids []ID) error
	// Drop removes a collection; none is no error.
	Drop(ctx context.Context, collection string) error
	// Status describes the engine for an administrator.
	Status(ctx context.Context) (Status, error)
	// Close ends the connections.
	Close() error
}

// Layout says what a collection is made for.
type Layout struct {
	Dim      int // of its vectors; 0 means that it has none
	Terms    bool
	Shards   int // 0 means the engine's choice
	Replicas int // of each shard; 0 means the engine's choice
	Objects  int // that it will hold, about; an engine may search very many approximately
}

// Object is what an engine stores.
type Object struct {
	ID       ID
	Document string    // objects of one document are found together
	Terms    []string  // analysed; the engine matches them as they stand
	Vector   []float32 // of unit length, or nil; compared by Euclidean distance
	Content  []byte    // for Lacuna alone
	Proof    []byte    // that Content belongs to the signed generation
}

// Query asks for candidates by one of Terms, Vector and Document.
type Query struct {
	Terms    []string // one that is repeated counts as often
	Vector   []float32
	Document string // all objects of it, in any order
	Limit    int    // at most; more are an error of the caller, see [MaxLimit]
}

// MaxLimit is the most candidates that a query may ask for.
const MaxLimit = 10000

// Count is how many objects replicas hold. A collection is complete when Least and Most are what was put.
type Count struct {
	Least, Most int // of the sums over all shards that any choice of replicas gives; one that is away holds nothing
	Seen        int // the least that a search may see: of the sums that the replicas which are there give
	Replicas    int // that answered, the fewest of any shard
}

// Status is the state of an engine.
type Status struct {
	Version string
	Nodes   []Node
	// Warnings say what an administrator should change, such as a port that is open without a key.
	Warnings []string
}

// Node is a machine of an engine.
type Node struct {
	Name    string
	Healthy bool
	Objects int // of all collections
}

var (
	// ErrNotFound says that there is no such collection or object.
	ErrNotFound = errors.New("not in the engine")
	// ErrLayout says that a collection exists with another layout.
	ErrLayout = errors.New("the collection exists with another layout")
	// ErrAway says that the engine cannot be reached, is not ready or did not answer in time.
	ErrAway = errors.New("the engine is away")
	// ErrRefused says that the engine answered and does not allow what was asked.
	ErrRefused = errors.New("the engine refuses")
)
