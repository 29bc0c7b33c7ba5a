package weaviate

import (
	"context"
	"encoding/base64"
	"fmt"

	"lacuna/knowledge/engine"
	"lacuna/knowledge/engine/weaviate/wire"
)

// Search implements [engine.Engine]. It asks one replica of each shard, so that it goes on when others are away.
func (c *Cluster) Search(ctx context.Context, collection string, q engine.Query) ([]engine.Object, error) {
	request, err := newSearch(collection, q)
	if err != nil || request == nil {
		return nil, describe("search", collection, err)
	}
	objects, err := attempt(ctx, c, c.patient.search, func(ctx context.Context, n *node) ([]engine.Object, error) {
		reply, err := n.grpc.Search(c.authorized(ctx), request)
		if err != nil {
			return nil, c.absent(ctx, n, collection, n.remote(err))
		}
		objects, err := decode(reply, q.Limit)
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", errBroken, n.address.GRPC, err)
		}
		return objects, nil
	})
	return objects, describe("search", collection, err)
}

// newSearch returns what is asked, or nil if nothing can match.
func newSearch(collection string, q engine.Query) (*wire.SearchRequest, error) {
	if q.Limit > engine.MaxLimit {
		return nil, fmt.Errorf("%d candidates: at most %d", q.Limit, engine.MaxLimit)
	}
	request := &wire.SearchRequest{
		Collection:       className(collection),
		ConsistencyLevel: wire.ConsistencyLevel_CONSISTENCY_LEVEL_ONE.Enum(),
		Properties:       &wire.PropertiesRequest{NonRefProperties: []string{bodyProperty}},
		Metadata:         &wire.MetadataRequest{Uuid: true},
		Limit:            uint32(max(q.Limit, 0)),
		Uses_127Api:      true,
	}
	switch {
	case q.Limit <= 0:
		return nil, nil
	case q.Document != "":
		request.Filters = &wire.Filters{
			Operator:  wire.Filters_OPERATOR_EQUAL,
			TestValue: &wire.Filters_ValueText{ValueText: escape(q.Document)},
			Target:    &wire.FilterTarget{Target: &wire.FilterTarget_Property{Property: documentProperty}},
		}
	case q.Vector != nil:
		vector, err := vectorBytes(q.Vector)
		if err != nil {
			return nil, err
		}
		request.NearVector = &wire.NearVector{Vectors: []*wire.Vectors{{VectorBytes: vector, Type: wire.Vectors_VECTOR_TYPE_SINGLE_FP32}}}
	case len(q.Terms) > 0:
		request.Bm25Search = &wire.BM25{Query: escapeAll(q.Terms), Properties: []string{termsProperty}}
	default:
		return nil, nil
	}
	return request, nil
}

// decode returns the objects of a reply.
func decode(reply *wire.SearchReply, limit int) ([]engine.Object, error) {
	if len(reply.Results) > limit {
		return nil, fmt.Errorf("%d objects where %d were asked for", len(reply.Results), limit)
	}
	objects := make([]engine.Object, 0, len(reply.Results))
	for _, result := range reply.Results {
		id, ok := parseUUID(result.GetMetadata().GetId())
		if !ok {
			return nil, fmt.Errorf("an object without an identity")
		}
		body := result.GetProperties().GetNonRefProps().GetFields()[bodyProperty].GetBlobValue()
		packed, err := base64.StdEncoding.DecodeString(body)
		if err != nil {
			return nil, fmt.Errorf("%x: its content is no base64", id)
		}
		object, ok := unpack(id, packed)
		if !ok {
			return nil, fmt.Errorf("%x: its content is cut off", id)
		}
		objects = append(objects, object)
	}
	return objects, nil
}
