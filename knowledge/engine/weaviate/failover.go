package weaviate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"lacuna/knowledge/engine"
	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/sanitise"
)

// errBroken is a reply that is none. To a caller the engine is away; another node may do better.
var errBroken = fmt.Errorf("%w: its reply is broken", engine.ErrAway)

// attempt calls the nodes until one answers, each next one when those before it failed or have not answered for a
// while. An answer that refuses is an answer. If all fail it returns what the last one did. Calls that are not needed any more are cancelled. It returns at the latest
// after limit.
func attempt[T any](ctx context.Context, c *Cluster, limit time.Duration, call func(context.Context, *node) (T, error)) (T, error) {
	within, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	type outcome struct {
		node  int
		value T
		err   error
	}
	outcomes := make(chan outcome, len(c.nodes))
	begin, waiting := int(c.first.Load()), 0
	next := func() {
		i := (begin + waiting) % len(c.nodes)
		waiting++
		go func() {
			value, err := call(within, c.nodes[i])
			outcomes <- outcome{i, value, err}
		}()
	}
	patience := min(c.patient.hedge, limit/time.Duration(len(c.nodes)))
	if limit > c.patient.search { // to ask twice for much is no help
		patience = limit / time.Duration(len(c.nodes))
	}
	timer := time.NewTicker(patience)
	defer timer.Stop()
	var zero T
	var failure error
	next()
	for failed := 0; ; {
		select {
		case o := <-outcomes:
			if o.err == nil || final(o.err) {
				c.first.Store(int32(o.node))
				return o.value, o.err
			}
			failure = o.err
			if failed++; failed == len(c.nodes) {
				return o.value, failure
			}
			if failed == waiting {
				next()
			}
		case <-timer.C:
			if waiting < len(c.nodes) {
				next()
			}
		case <-within.Done():
			if err := ctx.Err(); errors.Is(err, context.Canceled) {
				return zero, err
			} else if err != nil {
				return zero, fmt.Errorf("%w: %w", engine.ErrAway, err)
			}
			return zero, fmt.Errorf("%w: no answer in %s", engine.ErrAway, limit)
		}
	}
}

// final reports whether another node would say the same.
func final(err error) bool {
	return errors.Is(err, engine.ErrRefused) || errors.Is(err, engine.ErrNotFound) || errors.Is(err, engine.ErrLayout)
}

// maxDetail bounds how much of an error of the cluster is passed on, in bytes.
const maxDetail = 300

// cause is the text of an error without what strangers may have put there. The address is named already.
func cause(err error) string {
	if at := new(url.Error); errors.As(err, &at) {
		err = at.Err
	}
	return detail(err.Error())
}

func detail(text string) string {
	return plaintext.ClipBytes(sanitise.Line(text), maxDetail)
}

// status makes an error of a reply by REST that is none.
func (n *node) status(code int, body []byte) error {
	var reply struct {
		Error []struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	said := http.StatusText(code)
	if json.Unmarshal(body, &reply) == nil && len(reply.Error) > 0 {
		said = reply.Error[0].Message
	}
	kind := engine.ErrAway
	switch {
	case code == http.StatusNotFound:
		kind = engine.ErrNotFound
	case code == http.StatusRequestTimeout, code == http.StatusTooManyRequests, code >= 500, code < 400:
	default:
		kind = engine.ErrRefused
	}
	return fmt.Errorf("%w: %s: %d %s", kind, n.address.REST, code, detail(said))
}

// remote makes an error of one by gRPC.
func (n *node) remote(err error) error {
	if err == nil {
		return nil
	}
	reply, said := status.FromError(err)
	kind := engine.ErrAway
	switch text := err.Error(); {
	case !said:
	case reply.Code() == codes.Unauthenticated, reply.Code() == codes.PermissionDenied, reply.Code() == codes.InvalidArgument, reply.Code() == codes.Unimplemented:
		kind = engine.ErrRefused
	case reply.Code() == codes.NotFound, strings.Contains(text, "could not find class"):
		kind = engine.ErrNotFound
	case strings.Contains(text, "unauthorized"), strings.Contains(text, "forbidden"): // said in words, with the code of a fault
		kind = engine.ErrRefused
	}
	return fmt.Errorf("%w: %s: %s", kind, n.address.GRPC, detail(reply.Message()))
}

func describe(what, collection string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w", what, collection, err)
}
