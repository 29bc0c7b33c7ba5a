package weaviate

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"lacuna/knowledge/engine"
	"lacuna/knowledge/par"
	"lacuna/knowledge/sanitise"
)

// Count implements [engine.Engine]. What it returns was flushed to the disks of the replicas, which by default happens
// within a minute and a quarter after a write: until then it is too low and never too high. A server whose
// PERSISTENCE_MAX_REUSE_WAL_SIZE is not 0 leaves the last objects of a replica uncounted while they take less than that
// (4 KB unless set), for ever; so an administrator sets it to 0. A replica that does not
// answer, or has not opened the shard yet, counts as empty, so that Least reaches what was put when every replica of every
// shard has all of it and is up.
func (c *Cluster) Count(ctx context.Context, collection string) (engine.Count, error) {
	count, err := c.count(ctx, collection)
	return count, describe("count", collection, err)
}

func (c *Cluster) count(ctx context.Context, collection string) (engine.Count, error) {
	found, err := attempt(ctx, c, c.patient.schema, func(ctx context.Context, n *node) (class, error) {
		return c.class(ctx, n, collection, leader)
	})
	if err != nil {
		return engine.Count{}, err
	}
	states, err := c.nodeStates(ctx, "nodes/"+className(collection)+"?output=verbose")
	if err != nil {
		return engine.Count{}, err
	}
	return tally(found, states), nil
}

// tally sums up the replicas of a collection.
func tally(c class, states []nodeState) engine.Count {
	type replicas struct {
		least, most, seen, answered, wanted int
	}
	shards := make(map[string]replicas)
	for _, state := range states {
		for _, s := range state.Shards {
			if s.Class != c.Name {
				continue
			}
			r, has := shards[s.Name]
			if !has || s.Objects < r.least {
				r.least = s.Objects
			}
			r.most = max(r.most, s.Objects)
			r.wanted = max(r.wanted, s.Replicas, c.Replication.Factor)
			if s.Loaded {
				if r.answered == 0 || s.Objects < r.seen {
					r.seen = s.Objects
				}
				r.answered++
			} else {
				r.least = 0
			}
			shards[s.Name] = r
		}
	}
	total := engine.Count{Replicas: -1}
	for _, r := range shards {
		if r.answered >= r.wanted {
			total.Least += r.least
		}
		total.Most += r.most
		if r.answered == 0 { // the first search opens it
			r.seen = r.most
		}
		total.Seen += r.seen
		if total.Replicas < 0 || r.answered < total.Replicas {
			total.Replicas = r.answered
		}
	}
	if len(shards) < c.Sharding.ActualCount || total.Replicas < 0 {
		total.Replicas = 0
	}
	return total
}

// Status implements [engine.Engine]. The objects of a node are those that its disk has, see [Cluster.Count].
func (c *Cluster) Status(ctx context.Context) (engine.Status, error) {
	states, err := c.nodeStates(ctx, "nodes?output=verbose")
	if err != nil {
		return engine.Status{}, describe("status", "of the cluster", err)
	}
	schema, err := attempt(ctx, c, c.patient.schema, func(ctx context.Context, n *node) (schema, error) {
		var s schema
		return s, c.rest(ctx, n, http.MethodGet, "schema", nil, &s, local)
	})
	if err != nil {
		return engine.Status{}, describe("status", "of the cluster", err)
	}
	var status engine.Status
	for _, s := range states {
		status.Nodes = append(status.Nodes, engine.Node{Name: sanitise.Line(s.Name), Healthy: s.Status == "HEALTHY", Objects: s.Stats.Objects})
		if status.Version == "" {
			status.Version = sanitise.Line(s.Version)
		}
	}
	status.Warnings = warnings(states, schema, c.probe(ctx))
	return status, nil
}

type schema struct {
	Classes []class `json:"classes"`
}

// probed says of the addresses that are set up which answer without a key, and which do not answer at all. The cluster
// itself does not name a node that it has not met since it started.
type probed struct{ open, away []string }

func (c *Cluster) probe(ctx context.Context) (p probed) {
	ctx, cancel := context.WithTimeout(ctx, c.patient.search)
	defer cancel()
	failures := make([]error, len(c.nodes))
	par.Each(len(c.nodes), func(i int) {
		failures[i] = c.restWithKey(ctx, c.nodes[i], http.MethodGet, "nodes", nil, nil, local, "")
	})
	for i, n := range c.nodes {
		switch {
		case failures[i] == nil:
			p.open = append(p.open, n.address.REST)
		case errors.Is(failures[i], engine.ErrAway):
			p.away = append(p.away, n.address.REST)
		}
	}
	return p
}

// version is the one that this package was tested with, in every test of the tag weaviate.
const version = "1.35."

// warnings says what an administrator should change.
func warnings(states []nodeState, s schema, p probed) []string {
	var out []string
	for _, address := range p.away {
		out = append(out, fmt.Sprintf("%s does not answer. The others do, from their replicas; nothing can be pushed until it is back.", address))
	}
	if len(p.open) > 0 {
		out = append(out, fmt.Sprintf("%s answers without a key: whoever reaches it reads and changes everything. Set AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED=false and AUTHENTICATION_APIKEY_ENABLED=true, with keys.", strings.Join(p.open, ", ")))
	}
	if len(states) == 1 {
		out = append(out, "There is one node: while it is away nothing is found. Three go on when one is.")
	}
	for _, state := range states {
		switch {
		case state.Status != "HEALTHY":
			out = append(out, fmt.Sprintf("Node %s is %s.", sanitise.Line(state.Name), strings.ToLower(sanitise.Line(state.Status))))
		case !strings.HasPrefix(state.Version, version):
			out = append(out, fmt.Sprintf("Node %s runs version %s; Lacuna is tested with %sx.", sanitise.Line(state.Name), sanitise.Line(state.Version), version))
		}
	}
	quantises := false
	for _, c := range s.Classes {
		quantises = quantises || c.VectorIndexConfig["trackDefaultQuantization"] == true
		if !strings.HasPrefix(c.Name, prefix) {
			continue
		}
		if len(states) > 1 && c.Replication.Factor == 1 {
			out = append(out, fmt.Sprintf("Collection %s has one replica: when its node is away, a part of it is not found. Push it again with three.", c.Name))
		}
		if c.quantised() {
			out = append(out, fmt.Sprintf("Collection %s compares codes instead of vectors and misses candidates. Push it again.", c.Name))
		}
	}
	if quantises {
		out = append(out, "DEFAULT_QUANTIZATION is set on the server. Collections of Lacuna's are exempt; set it to none all the same if they are all that it holds.")
	}
	return out
}
