package workspace

import (
	"context"
	"errors"
	"slices"
	"sync"

	"lacuna/knowledge/llm"
)

// errPreview refuses a request that only wanted to be seen.
var errPreview = errors.New("this is a preview; nothing is sent")

// outbounds collects requests that want to leave and refuses all of them. It is safe for
// concurrent use.
type outbounds struct {
	enough func() // is called when whatever comes next depends on a reply; more than once, perhaps

	mu   sync.Mutex
	seen []llm.Outbound // guarded by mu
}

func (o *outbounds) refuse(_ context.Context, out llm.Outbound) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seen = append(o.seen, out)
	if out.Role == "rerank" { // what is read next is up to its order
		o.enough()
	}
	return errPreview
}

func (o *outbounds) all() []llm.Outbound {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.seen)
}
