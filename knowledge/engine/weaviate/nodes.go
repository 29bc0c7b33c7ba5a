package weaviate

import (
	"context"
	"fmt"
	"net/http"
)

// nodeState is what the cluster says of a node.
type nodeState struct {
	Name    string `json:"name"`
	Status  string `json:"status"`
	Version string `json:"version"`
	Stats   struct {
		Objects int `json:"objectCount"`
	} `json:"stats"`
	Shards []shardState `json:"shards"`
}

type shardState struct {
	Name       string `json:"name"`
	Class      string `json:"class"`
	Objects    int    `json:"objectCount"`
	Loaded     bool   `json:"loaded"`
	Compressed bool   `json:"compressed"`
	Replicas   int    `json:"numberOfReplicas"`
}

// nodeStates returns the nodes, and their shards if the path asks for them.
func (c *Cluster) nodeStates(ctx context.Context, path string) ([]nodeState, error) {
	return attempt(ctx, c, c.patient.schema, func(ctx context.Context, n *node) ([]nodeState, error) {
		var reply struct {
			Nodes []nodeState `json:"nodes"`
		}
		if err := c.rest(ctx, n, http.MethodGet, path, nil, &reply, leader); err != nil {
			return nil, err
		}
		if len(reply.Nodes) == 0 {
			return nil, fmt.Errorf("%w: %s names no nodes", errBroken, n.address.REST)
		}
		return reply.Nodes, nil
	})
}
