// Package weaviate keeps collections in a cluster of Weaviate 1.35, as an engine of package engine.
//
// It speaks gRPC for objects and searches and REST for what gRPC lacks: the schema, the state of the nodes, and an
// object from a majority of its replicas. It connects to the addresses of its [Options] alone, by no proxy, follows no
// redirect, and sends the key to nothing else. Every call has a deadline of its own, and one that reads goes on to
// another address when the first fails or is slow.
//
// Text that the cluster returns in errors is made harmless; the objects that it returns are not judged here.
//
// Begin with [New].
package weaviate

import (
	"crypto/x509"
	"net/http"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"

	"lacuna/knowledge/engine"
	"lacuna/knowledge/engine/weaviate/wire"
)

// Options say where a cluster is.
type Options struct {
	Nodes  []Address      // of one cluster; one suffices, more are tried when one is away
	TLS    bool           // required unless every address is this machine's
	CA     *x509.CertPool // that signed the certificates; nil means those of the system
	APIKey string         // "" means that the cluster asks for none
}

// Address is where one node answers, as host:port.
type Address struct {
	GRPC, REST string
}

// Cluster is an engine. It is safe for concurrent use.
type Cluster struct {
	nodes   []*node
	first   atomic.Int32 // the node that answered last; the next call begins there
	key     string
	patient deadlines
}

type node struct {
	address Address
	conn    *grpc.ClientConn
	grpc    wire.WeaviateClient
	base    string // of REST addresses
	http    *http.Client
}

var _ engine.Engine = (*Cluster)(nil)

// How long a call may take, all addresses and attempts together.
const (
	searchTime = 2 * time.Second
	schemaTime = 10 * time.Second // a cluster without a leader would never answer
	batchTime  = 30 * time.Second
	// hedgeTime is how long a search waits for one node before it asks the next as well: three times the median
	// of a search for 800 objects of 20,000 on one node, measured on two cores with much other work (152 ms).
	hedgeTime = 500 * time.Millisecond
)

// deadlines are the above; tests take shorter ones.
type deadlines struct {
	search, schema, batch, hedge time.Duration
}

var ordinary = deadlines{searchTime, schemaTime, batchTime, hedgeTime}
