package weaviate

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/structpb"

	"lacuna/knowledge/engine"
	"lacuna/knowledge/engine/weaviate/wire"
)

// A batch is at most this large, far below a cluster's bound of 100 MB, so that one attempt ends well before its deadline.
const (
	maxBatch      = 500
	maxBatchBytes = 8 << 20
	batchAttempts = 4
)

// pause is the time before the second attempt at a batch; it doubles with each.
const pause = 250 * time.Millisecond

// Put implements [engine.Engine]. It writes batches one after another, each at a quorum of the replicas, and tries again
// what failed.
func (c *Cluster) Put(ctx context.Context, collection string, objects []engine.Object) error {
	if err := c.exists(ctx, collection); err != nil {
		return describe("put into", collection, err)
	}
	for len(objects) > 0 {
		n, size := 0, 0
		for n < len(objects) && n < maxBatch && (n == 0 || size < maxBatchBytes) {
			size += weight(objects[n])
			n++
		}
		if err := c.putBatch(ctx, collection, objects[:n]); err != nil {
			return describe("put into", collection, err)
		}
		objects = objects[n:]
	}
	return nil
}

// weight is about how many bytes an object takes on the way.
func weight(o engine.Object) int {
	size := (len(o.Content)+len(o.Proof)+len(o.Document))*4/3 + len(o.Document) + 4*len(o.Vector)
	for _, term := range o.Terms {
		size += len(term) + 1
	}
	return size
}

func (c *Cluster) putBatch(ctx context.Context, collection string, objects []engine.Object) error {
	ctx, cancel := context.WithTimeout(ctx, c.patient.batch)
	defer cancel()
	var batch []*wire.BatchObject
	for _, o := range objects {
		stored, err := encode(className(collection), o)
		if err != nil {
			return err
		}
		batch = append(batch, stored)
	}
	wait := pause
	for tries := 1; ; tries++ {
		request := &wire.BatchObjectsRequest{Objects: batch, ConsistencyLevel: wire.ConsistencyLevel_CONSISTENCY_LEVEL_QUORUM.Enum()}
		left, err := attempt(ctx, c, c.patient.batch, func(ctx context.Context, n *node) ([]*wire.BatchObject, error) {
			reply, err := n.grpc.BatchObjects(c.authorized(ctx), request)
			if err != nil {
				return nil, n.remote(err)
			}
			return n.failures(request.Objects, reply)
		})
		if err == nil {
			return nil
		}
		if final(err) || tries == batchAttempts || ctx.Err() != nil {
			return err
		}
		if len(left) > 0 {
			batch = left
		}
		select {
		case <-time.After(wait):
			wait *= 2
		case <-ctx.Done():
			return err
		}
	}
}

// failures returns the objects of a batch that were not stored, with the first reason.
func (n *node) failures(batch []*wire.BatchObject, reply *wire.BatchObjectsReply) (left []*wire.BatchObject, err error) {
	for _, failure := range reply.Errors {
		if failure.Index < 0 || int(failure.Index) >= len(batch) {
			return nil, fmt.Errorf("%w: %s", errBroken, n.address.GRPC)
		}
		left = append(left, batch[failure.Index])
		if err == nil {
			kind := engine.ErrRefused
			if transient(failure.Error) {
				kind = engine.ErrAway
			}
			err = fmt.Errorf("%w: %s: %s", kind, n.address.GRPC, detail(failure.Error))
		}
	}
	return left, err
}

// transient reports whether a batch failed for what may pass, by the words that the cluster has for it.
func transient(text string) bool {
	for _, words := range []string{"replicas", "connect", "deadline", "timeout", "timed out", "not ready", "unavailable", "shutdown", "leader", "read-only", "canceled", "EOF"} {
		if strings.Contains(text, words) {
			return true
		}
	}
	return false
}

// encode returns an object as the cluster stores it.
func encode(class string, o engine.Object) (*wire.BatchObject, error) {
	fields := map[string]*structpb.Value{
		bodyProperty: structpb.NewStringValue(base64.StdEncoding.EncodeToString(pack(o))),
	}
	if o.Document != "" {
		fields[documentProperty] = structpb.NewStringValue(escape(o.Document))
	}
	if len(o.Terms) > 0 {
		fields[termsProperty] = structpb.NewStringValue(escapeAll(o.Terms))
	}
	stored := &wire.BatchObject{
		Uuid:       uuid(o.ID),
		Collection: class,
		Properties: &wire.BatchObject_Properties{NonRefProperties: &structpb.Struct{Fields: fields}},
	}
	if o.Vector != nil {
		var err error
		if stored.VectorBytes, err = vectorBytes(o.Vector); err != nil {
			return nil, fmt.Errorf("%x: %w", o.ID, err)
		}
	}
	return stored, nil
}

func escapeAll(terms []string) string {
	var all strings.Builder
	for i, term := range terms {
		if i > 0 {
			all.WriteByte(' ')
		}
		all.WriteString(escape(term))
	}
	return all.String()
}

func vectorBytes(vector []float32) ([]byte, error) {
	out := make([]byte, 0, 4*len(vector))
	for _, x := range vector {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return nil, errors.New("its vector is not finite")
		}
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
	}
	return out, nil
}

// pack joins what is returned of an object: document and content, each after its length, and the proof.
func pack(o engine.Object) []byte {
	out := make([]byte, 0, len(o.Document)+len(o.Content)+len(o.Proof)+2*binary.MaxVarintLen64)
	out = append(binary.AppendUvarint(out, uint64(len(o.Document))), o.Document...)
	out = append(binary.AppendUvarint(out, uint64(len(o.Content))), o.Content...)
	return append(out, o.Proof...)
}

// unpack is the inverse of [pack], for what a stranger may have made.
func unpack(id engine.ID, packed []byte) (engine.Object, bool) {
	part := func() ([]byte, bool) {
		length, n := binary.Uvarint(packed)
		if n <= 0 || length > uint64(len(packed)-n) {
			return nil, false
		}
		out := packed[n : n+int(length)]
		packed = packed[n+int(length):]
		return out, true
	}
	document, has := part()
	content, also := part()
	if !has || !also {
		return engine.Object{}, false
	}
	return engine.Object{ID: id, Document: string(document), Content: content, Proof: packed}, true
}

func uuid(id engine.ID) string {
	h := hex.EncodeToString(id[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

func parseUUID(text string) (id engine.ID, ok bool) {
	if len(text) != 36 || text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-' {
		return id, false
	}
	n, err := hex.Decode(id[:], []byte(strings.ReplaceAll(text, "-", "")))
	return id, err == nil && n == len(id)
}

// Get implements [engine.Engine]. The object has no vector and no terms.
func (c *Cluster) Get(ctx context.Context, collection string, id engine.ID) (engine.Object, error) {
	object, err := attempt(ctx, c, c.patient.search, func(ctx context.Context, n *node) (engine.Object, error) {
		var found struct {
			Properties struct {
				Body []byte `json:"body"`
			} `json:"properties"`
		}
		path := "objects/" + className(collection) + "/" + uuid(id) + "?consistency_level=QUORUM"
		if err := c.rest(ctx, n, http.MethodGet, path, nil, &found, leader); err != nil {
			if _, known := c.class(ctx, n, collection, local); known != nil {
				err = c.absent(ctx, n, collection, err)
			}
			return engine.Object{}, err
		}
		object, ok := unpack(id, found.Properties.Body)
		if !ok {
			return engine.Object{}, fmt.Errorf("%w: %s", errBroken, n.address.REST)
		}
		return object, nil
	})
	return object, describe("get from", collection, err)
}

// Delete implements [engine.Engine].
func (c *Cluster) Delete(ctx context.Context, collection string, ids []engine.ID) error {
	if err := c.exists(ctx, collection); err != nil {
		return describe("delete from", collection, err)
	}
	for _, id := range ids {
		_, err := attempt(ctx, c, c.patient.schema, func(ctx context.Context, n *node) (none struct{}, err error) {
			return none, c.rest(ctx, n, http.MethodDelete, "objects/"+className(collection)+"/"+uuid(id)+"?consistency_level=QUORUM", nil, nil, leader)
		})
		if err != nil && !errors.Is(err, engine.ErrNotFound) {
			return describe("delete from", collection, err)
		}
	}
	return nil
}
