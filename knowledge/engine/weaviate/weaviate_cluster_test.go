//go:build weaviate && linux

package weaviate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"lacuna/knowledge/engine"
	"lacuna/knowledge/engine/enginetest"
	"lacuna/knowledge/engine/weaviate/cluster"
)

const nodeKey = "key-for-this-test"

// client returns the engine that a running cluster is, by the nodes named or all.
func client(t testing.TB, c *cluster.Cluster, key string, nodes ...int) *Cluster {
	t.Helper()
	o := Options{APIKey: key}
	if len(nodes) == 0 {
		for i := range c.Nodes() {
			nodes = append(nodes, i)
		}
	}
	for _, i := range nodes {
		o.Nodes = append(o.Nodes, Address(c.Address(i)))
	}
	e, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	e.patient.search = 20 * time.Second // these tests are of what is answered, on machines with other work
	return e
}

// threefold makes its collections with three shards of three replicas.
type threefold struct{ *Cluster }

func (t threefold) Create(ctx context.Context, collection string, l engine.Layout) error {
	l.Shards, l.Replicas = 3, 3
	return t.Cluster.Create(ctx, collection, l)
}

func TestOneNode(t *testing.T) {
	c := cluster.Start(t, cluster.Options{APIKey: nodeKey})
	enginetest.Run(t, func(t *testing.T) engine.Engine { return client(t, c, nodeKey) })

	t.Run("keys", func(t *testing.T) {
		for _, key := range []string{"", "another-key"} {
			e := client(t, c, key)
			for name, call := range calls {
				if err := call(t.Context(), e); !errors.Is(err, engine.ErrRefused) {
					t.Errorf("%s with key %q: %v", name, key, err)
				}
			}
		}
	})
	t.Run("warnings", func(t *testing.T) {
		status, err := client(t, c, nodeKey).Status(t.Context())
		if err != nil || status.Version != cluster.Version || len(status.Warnings) != 1 || !strings.HasPrefix(status.Warnings[0], "There is one node") {
			t.Errorf("%+v, %v", status, err)
		}
	})
}

func TestThreeNodes(t *testing.T) {
	c := cluster.Start(t, cluster.Options{Nodes: 3})
	enginetest.Run(t, func(t *testing.T) engine.Engine { return threefold{client(t, c, "")} })

	t.Run("warnings", func(t *testing.T) {
		status, err := client(t, c, "").Status(t.Context())
		if err != nil || len(status.Nodes) != 3 || len(status.Warnings) != 1 || !strings.Contains(status.Warnings[0], "answers without a key") {
			t.Errorf("%+v, %v", status, err)
		}
	})
}

// passages returns objects from number begin to before end. All have the term "x".
func passages(begin, end int) (all []engine.Object) {
	for i := begin; i < end; i++ {
		all = append(all, engine.Object{
			ID: engine.ID{15: byte(i), 14: byte(i >> 8), 13: byte(i >> 16)}, Document: fmt.Sprint("doc", i/10),
			Terms: []string{"x", fmt.Sprint("n", i)}, Vector: []float32{1, 0, 0, 0}, Content: fmt.Append(nil, i)})
	}
	return all
}

// seen is how many objects of a collection a search finds.
func seen(t testing.TB, e engine.Engine, collection string) int {
	t.Helper()
	got, err := e.Search(t.Context(), collection, engine.Query{Terms: []string{"x"}, Limit: engine.MaxLimit})
	if err != nil {
		t.Fatal(err)
	}
	return len(got)
}

// complete waits until every replica counts n.
func complete(t testing.TB, e engine.Engine, collection string, n int) {
	t.Helper()
	cluster.Wait(t, 3*time.Minute, fmt.Sprintf("%d objects on every replica", n), func() bool {
		count, err := e.Count(t.Context(), collection)
		if err != nil && !errors.Is(err, engine.ErrAway) {
			t.Fatal(err)
		}
		if err == nil && count.Most > n {
			t.Fatalf("count %+v of %d", count, n)
		}
		return err == nil && count == engine.Count{Least: n, Most: n, Seen: n, Replicas: count.Replicas}
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestRejoin holds the traps of a node that was away: it is ready before it is complete, searches of one replica miss what
// it missed, and Count says so until it has everything.
func TestRejoin(t *testing.T) {
	c := cluster.Start(t, cluster.Options{Nodes: 3})
	e := threefold{client(t, c, "")}
	must(t, e.Create(t.Context(), "c", engine.Layout{Dim: 4, Terms: true}))
	must(t, e.Put(t.Context(), "c", passages(0, 1000)))
	complete(t, e, "c", 1000)
	c.Kill(2)
	if count, err := e.Count(t.Context(), "c"); err == nil && (count.Least == 1000 || count.Replicas > 2 || count.Seen != 1000) {
		t.Errorf("count %+v while a node is away", count)
	}
	must(t, e.Put(t.Context(), "c", passages(1000, 3000))) // two of three are a quorum
	c.Restart(2)
	c.Ready(2)
	alone, least := client(t, c, "", 2), 3000
	cluster.Wait(t, 3*time.Minute, "the node to be complete", func() bool {
		count, err := e.Count(t.Context(), "c")
		if err != nil && !errors.Is(err, engine.ErrAway) {
			t.Fatal(err)
		}
		n := seen(t, alone, "c")
		if err == nil && count.Replicas == 3 && count.Seen == 3000 && n < 3000 {
			t.Errorf("count %+v, and a search through the node then finds %d of 3000", count, n)
		}
		least = min(least, n)
		return err == nil && count.Least == 3000
	})
	t.Logf("a search through the node that was away found as few as %d of 3000", least)
	complete(t, e, "c", 3000)
	if n := seen(t, alone, "c"); n != 3000 {
		t.Errorf("a search through the node that was away finds %d of 3000 after Count said that it is complete", n)
	}
	if got, err := alone.Get(t.Context(), "c", passages(2999, 3000)[0].ID); err != nil || string(got.Content) != "2999" {
		t.Errorf("%q, %v", got.Content, err)
	}
}

// TestCountLags holds that a count is never too high, and right in the end.
func TestCountLags(t *testing.T) {
	c := cluster.Start(t, cluster.Options{Env: []string{"PERSISTENCE_MEMTABLES_FLUSH_DIRTY_AFTER_SECONDS=20"}})
	e := client(t, c, "")
	must(t, e.Create(t.Context(), "c", engine.Layout{Dim: 4, Terms: true}))
	must(t, e.Put(t.Context(), "c", passages(0, 2000)))
	if n := seen(t, e, "c"); n != 2000 {
		t.Errorf("a search finds %d of 2000", n)
	}
	count, err := e.Count(t.Context(), "c")
	if err != nil || count.Least >= 2000 {
		t.Errorf("count %+v, %v directly after a write; if it is exact now, let the comment of Count say so", count, err)
	}
	begun := time.Now()
	complete(t, e, "c", 2000)
	t.Logf("right %s after the write, where the server flushes after 20 s", time.Since(begun).Round(time.Second))
}

// TestNoLeader holds that a cluster which cannot agree is away by our own deadline, and still searched.
func TestNoLeader(t *testing.T) {
	c := cluster.Start(t, cluster.Options{Nodes: 3})
	e := threefold{client(t, c, "")}
	must(t, e.Create(t.Context(), "c", engine.Layout{Dim: 4, Terms: true}))
	must(t, e.Put(t.Context(), "c", passages(0, 500)))
	complete(t, e, "c", 500)
	c.Kill(1)
	c.Kill(2)
	if err := e.Create(t.Context(), "d", engine.Layout{Dim: 4}); !errors.Is(err, engine.ErrAway) {
		t.Errorf("create: %v", err)
	}
	if err := e.Drop(t.Context(), "c"); !errors.Is(err, engine.ErrAway) {
		t.Errorf("drop: %v", err)
	}
	if err := e.Put(t.Context(), "c", passages(500, 510)); !errors.Is(err, engine.ErrAway) {
		t.Errorf("put without a majority: %v", err)
	}
	if _, err := e.Get(t.Context(), "c", passages(0, 1)[0].ID); !errors.Is(err, engine.ErrAway) {
		t.Errorf("get without a majority: %v", err)
	}
	if n := seen(t, e, "c"); n < 500 || n > 510 {
		t.Errorf("a search finds %d of 500", n)
	}
	c.Restart(1)
	c.Restart(2)
	c.Ready(1)
	c.Ready(2)
	cluster.Wait(t, time.Minute, "a leader", func() bool { return e.Drop(t.Context(), "d") == nil })
	must(t, e.Put(t.Context(), "c", passages(500, 510)))
	complete(t, e, "c", 510)
}

// TestOpenPorts shows why an administrator needs the firewall: what the ports between nodes tell everybody. If it fails
// because they do not any more, docs/teams.md says too much.
func TestOpenPorts(t *testing.T) {
	c := cluster.Start(t, cluster.Options{APIKey: nodeKey})
	e := client(t, c, nodeKey)
	must(t, e.Create(t.Context(), "secret", engine.Layout{Dim: 4, Terms: true}))
	must(t, e.Put(t.Context(), "secret", passages(0, 10)))
	complete(t, e, "secret", 10)
	host := outside(t)
	status := fmt.Sprintf("http://%s/nodes/status/Lacuna_secret?output=verbose", net.JoinHostPort(host, fmt.Sprint(c.DataPort(0))))
	if code, said := fetch(t, status, ""); code != http.StatusOK || !strings.Contains(said, "Lacuna_secret") {
		t.Errorf("the data port of %s says without a key: %d %.200s", host, code, said)
	}
	conn, err := net.DialTimeout("tcp", net.JoinHostPort(host, fmt.Sprint(c.GRPCPort(0))), time.Second)
	if err != nil {
		t.Errorf("gRPC is not open on %s: %v", host, err)
	} else {
		conn.Close()
	}

	t.Run("with a password between nodes", func(t *testing.T) {
		c := cluster.Start(t, cluster.Options{Nodes: 3, APIKey: nodeKey, Env: []string{"CLUSTER_BASIC_AUTH_USERNAME=nodes", "CLUSTER_BASIC_AUTH_PASSWORD=between-nodes"}})
		status := fmt.Sprintf("http://%s/nodes/status?output=verbose", net.JoinHostPort(host, fmt.Sprint(c.DataPort(0))))
		if code, said := fetch(t, status, ""); code != http.StatusUnauthorized && code != http.StatusForbidden {
			t.Errorf("the data port says: %d %.200s", code, said)
		}
		e := threefold{client(t, c, nodeKey)} // and the nodes still work together
		must(t, e.Create(t.Context(), "secret", engine.Layout{Dim: 4, Terms: true}))
		must(t, e.Put(t.Context(), "secret", passages(0, 100)))
		complete(t, e, "secret", 100)
	})
}

// outside returns an address of this machine that others may reach, and skips the test if there is none.
func outside(t *testing.T) string {
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Skip(err)
	}
	for _, a := range addresses {
		if ip, is := a.(*net.IPNet); is && !ip.IP.IsLoopback() && ip.IP.To4() != nil {
			return ip.IP.String()
		}
	}
	t.Skip("this machine has no address but its own")
	return ""
}

func fetch(t *testing.T, url, key string) (int, string) {
	t.Helper()
	request, err := http.NewRequest(http.MethodGet, url, nil)
	must(t, err)
	if key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	reply, err := (&http.Client{Transport: &http.Transport{}, Timeout: 10 * time.Second}).Do(request)
	must(t, err)
	defer reply.Body.Close()
	body, _ := io.ReadAll(reply.Body)
	return reply.StatusCode, string(body)
}

// TestDefaultQuantization holds that a server which quantises what it is not told otherwise leaves our vectors alone.
func TestDefaultQuantization(t *testing.T) {
	c := cluster.Start(t, cluster.Options{Env: []string{"DEFAULT_QUANTIZATION=rq-8"}})
	theirs := map[string]any{"class": "Theirs", "vectorizer": "none", "vectorIndexType": "hnsw"}
	if code := c.REST(0, http.MethodPost, "schema", theirs, nil); code != http.StatusOK {
		t.Fatalf("a collection of another's: %d", code)
	}
	e := client(t, c, "")
	for name, layout := range map[string]engine.Layout{"flat": {Dim: 4}, "hnsw": {Dim: 4, Objects: maxFlat + 1}} {
		must(t, e.Create(t.Context(), name, layout))
		got, err := e.class(t.Context(), e.nodes[0], name, leader)
		if err != nil || got.quantised() || got.VectorIndexType != name {
			t.Errorf("%+v, %v", got, err)
		}
	}
	status, err := e.Status(t.Context())
	if err != nil || !strings.Contains(strings.Join(status.Warnings, "\n"), "DEFAULT_QUANTIZATION is set") || strings.Contains(strings.Join(status.Warnings, "\n"), "compares codes") {
		t.Errorf("%+v, %v", status, err)
	}
	enginetest.Run(t, func(t *testing.T) engine.Engine { return client(t, c, "") })
}

// TestLossOfNodes holds that no search fails while one node after another is killed, and then cut off.
func TestLossOfNodes(t *testing.T) {
	c := cluster.Start(t, cluster.Options{Nodes: 3})
	e := threefold{client(t, c, "")}
	must(t, e.Create(t.Context(), "c", engine.Layout{Dim: 4, Terms: true}))
	must(t, e.Put(t.Context(), "c", passages(0, 3000)))
	complete(t, e, "c", 3000)

	var searches, failures, short atomic.Int64
	stop := make(chan struct{})
	done := make(chan struct{})
	for w := range 2 {
		go func() {
			defer func() { done <- struct{}{} }()
			for i := w; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				q := engine.Query{Terms: []string{"x", fmt.Sprint("n", i%3000)}, Limit: 200}
				if i%2 == 0 {
					q = engine.Query{Vector: []float32{1, 0, 0, 0}, Limit: 200}
				}
				got, err := e.Search(context.Background(), "c", q)
				searches.Add(1)
				if err != nil {
					failures.Add(1)
					t.Logf("search %d: %v", i, err)
				} else if len(got) != 200 {
					short.Add(1)
				}
			}
		}()
	}
	enough := func(n int64) {
		t.Helper()
		begin := searches.Load()
		cluster.Wait(t, 2*time.Minute, "searches", func() bool { return searches.Load() >= begin+n })
	}
	for round := range 6 {
		i := round % 3
		enough(50)
		c.Kill(i)
		enough(100)
		c.Restart(i)
		c.Ready(i)
		complete(t, e, "c", 3000)
	}
	for i := range 3 {
		c.Pause(i)
		enough(20)
		c.Resume(i)
		complete(t, e, "c", 3000)
	}
	close(stop)
	<-done
	<-done
	t.Logf("%d searches, %d failed, %d with too few objects", searches.Load(), failures.Load(), short.Load())
	if failures.Load() > 0 || short.Load() > 0 {
		t.Errorf("%d of %d searches failed, %d found too little", failures.Load(), searches.Load(), short.Load())
	}
}

// TestMove holds that a replica may move to another node while the collection is searched.
func TestMove(t *testing.T) {
	c := cluster.Start(t, cluster.Options{Nodes: 3})
	e := client(t, c, "")
	must(t, e.Create(t.Context(), "c", engine.Layout{Dim: 4, Terms: true, Shards: 3, Replicas: 2}))
	must(t, e.Put(t.Context(), "c", passages(0, 3000)))
	complete(t, e, "c", 3000)
	stop, searches := make(chan struct{}), make(chan int)
	go func() {
		n := 0
		defer func() { searches <- n }()
		for {
			select {
			case <-stop:
				return
			default:
			}
			got, err := e.Search(context.Background(), "c", engine.Query{Terms: []string{"x"}, Limit: engine.MaxLimit})
			if n++; err != nil || len(got) != 3000 {
				t.Errorf("search %d finds %d of 3000: %v", n, len(got), err)
			}
		}
	}()
	what := c.Move("Lacuna_c")
	close(stop)
	t.Logf("moved %s during %d searches", what, <-searches)
	complete(t, e, "c", 3000)
	for i := range 3 {
		if n := seen(t, client(t, c, "", i), "c"); n != 3000 {
			t.Errorf("through node %d: %d of 3000", i, n)
		}
	}
}
