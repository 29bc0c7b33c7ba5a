//go:build weaviate && linux

// Package cluster starts real clusters of Weaviate as processes of this machine, for tests of the tag weaviate alone.
//
//	go test -tags weaviate ./knowledge/engine/weaviate
//
// The server is the file that LACUNA_WEAVIATE names. If that is unset it is built from Go modules, once, in five to
// eight minutes, into the user's cache folder.
//
// Every port that can be is on 127.0.0.1. The server opens two on all interfaces whatever it is told: gRPC, and the port
// by which nodes pass data to each other. See [Start].
package cluster

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Version is the server's.
const Version = "1.35.2"

// readyTime is how long nodes may take to be ready, on a machine with other work.
const readyTime = 3 * time.Minute

// Options say what to start.
type Options struct {
	Nodes  int // 1 if 0
	APIKey string
	Env    []string // more variables of the server's, such as ASYNC_INDEXING=true
}

// Address is where one node answers, as host:port. It converts to the one of package weaviate.
type Address struct {
	GRPC, REST string
}

// Cluster is a number of running nodes, counted from 0.
type Cluster struct {
	t       testing.TB
	options Options
	nodes   []*node
}

type node struct {
	name    string
	port    int // the first of six
	data    string
	command *exec.Cmd
	ended   chan struct{}
}

// The ports of a node, from its first.
const (
	restPort = iota
	grpcPort
	gossipPort
	dataPort // the server expects it behind that of gossip
	raftPort
	raftRPCPort // and this behind that of Raft
	ports
)

// Start starts a cluster, waits until it is ready, and ends it with the test. It skips the test if there is no server.
func Start(t testing.TB, o Options) *Cluster {
	t.Helper()
	binary := server(t)
	c := &Cluster{t: t, options: o}
	for i := range max(o.Nodes, 1) {
		c.nodes = append(c.nodes, &node{name: fmt.Sprint("node", i+1), port: freePorts(t), data: t.TempDir()})
	}
	t.Cleanup(func() {
		for i := range c.nodes {
			c.Kill(i)
		}
		if t.Failed() {
			for _, n := range c.nodes {
				log, _ := os.ReadFile(n.log())
				t.Logf("%s:\n%s", n.name, log[max(0, len(log)-3000):])
			}
		}
	})
	for i := range c.nodes { // the first opens its gossip port before the others look for it
		c.start(binary, i)
		if i == 0 {
			c.wait("the first node's gossip", func() bool { return c.nodes[0].open(gossipPort) })
		}
	}
	for i := range c.nodes {
		c.Ready(i)
	}
	c.wait("all nodes to know each other", func() bool {
		var reply struct {
			Nodes []struct {
				Status string `json:"status"`
			} `json:"nodes"`
		}
		c.REST(0, http.MethodGet, "nodes", nil, &reply)
		return len(reply.Nodes) == len(c.nodes) && !slices.ContainsFunc(reply.Nodes, func(n struct {
			Status string `json:"status"`
		}) bool {
			return n.Status != "HEALTHY"
		})
	})
	return c
}

// server returns the program's path.
func server(t testing.TB) string {
	t.Helper()
	if path := os.Getenv("LACUNA_WEAVIATE"); path != "" {
		if _, err := os.Stat(path); err != nil {
			t.Skipf("LACUNA_WEAVIATE: %v", err)
		}
		return path
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip(err)
	}
	folder := filepath.Join(cache, "lacuna", "weaviate-"+Version)
	path := filepath.Join(folder, "weaviate-server")
	if _, err := os.Stat(path); err == nil {
		return path
	}
	t.Logf("building Weaviate %s into %s, which takes five to eight minutes", Version, folder)
	install := exec.Command("go", "install", "github.com/weaviate/weaviate/cmd/weaviate-server@v"+Version)
	install.Dir = t.TempDir() // in no module
	install.Env = append(os.Environ(), "GOBIN="+folder, "GOFLAGS=")
	if said, err := install.CombinedOutput(); err != nil {
		t.Skipf("no Weaviate: %v\n%s", err, said[max(0, len(said)-1000):])
	}
	return path
}

// freePorts returns the first of a row of ports that nothing listens on, below those that the system gives away.
func freePorts(t testing.TB) int {
	t.Helper()
	for range 200 {
		first := 10000 + rand.IntN(2200)*10
		free := true
		for i := range ports {
			l, err := net.Listen("tcp", fmt.Sprintf(":%d", first+i))
			if err != nil {
				free = false
				break
			}
			l.Close()
		}
		if free {
			return first
		}
	}
	t.Fatal("no free ports")
	return 0
}

func (n *node) address(port int) string { return fmt.Sprintf("127.0.0.1:%d", n.port+port) }

func (n *node) log() string { return filepath.Join(n.data, "log") }

func (n *node) open(port int) bool {
	conn, err := net.DialTimeout("tcp", n.address(port), time.Second)
	if err != nil {
		return false
	}
	conn.Close()
	return true
}

func (c *Cluster) start(binary string, i int) {
	c.t.Helper()
	n := c.nodes[i]
	var join []string
	for _, other := range c.nodes {
		join = append(join, fmt.Sprintf("%s:%d", other.name, other.port+raftPort))
	}
	env := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + n.data,
		"PERSISTENCE_DATA_PATH=" + filepath.Join(n.data, "data"),
		"CLUSTER_HOSTNAME=" + n.name, "CLUSTER_IN_LOCALHOST=true",
		"CLUSTER_ADVERTISE_ADDR=127.0.0.1", "CLUSTER_BIND_ADDR=127.0.0.1",
		fmt.Sprint("CLUSTER_GOSSIP_BIND_PORT=", n.port+gossipPort), fmt.Sprint("CLUSTER_DATA_BIND_PORT=", n.port+dataPort),
		"RAFT_JOIN=" + strings.Join(join, ","), fmt.Sprint("RAFT_BOOTSTRAP_EXPECT=", len(c.nodes)),
		fmt.Sprint("RAFT_PORT=", n.port+raftPort), fmt.Sprint("RAFT_INTERNAL_RPC_PORT=", n.port+raftRPCPort),
		fmt.Sprint("GRPC_PORT=", n.port+grpcPort),
		"DISABLE_TELEMETRY=true", "GO_PROFILING_DISABLE=true", "REPLICA_MOVEMENT_ENABLED=true",
		"PERSISTENCE_MEMTABLES_FLUSH_DIRTY_AFTER_SECONDS=2", // counts are right sooner
		"PERSISTENCE_MAX_REUSE_WAL_SIZE=0",                  // and the last few objects are counted at all
		"ASYNC_REPLICATION_FREQUENCY=2s",                    // and a node that was away is complete sooner
		"REPLICA_MOVEMENT_MINIMUM_ASYNC_WAIT=5s",
		"DISK_USE_READONLY_PERCENTAGE=100", "DISK_USE_WARNING_PERCENTAGE=100",
	}
	if i > 0 || n.command != nil {
		first := c.nodes[0]
		if i == 0 {
			first = c.nodes[len(c.nodes)-1]
		}
		env = append(env, "CLUSTER_JOIN="+first.address(gossipPort))
	}
	if key := c.options.APIKey; key != "" {
		env = append(env, "AUTHENTICATION_APIKEY_ENABLED=true", "AUTHENTICATION_APIKEY_ALLOWED_KEYS="+key, "AUTHENTICATION_APIKEY_USERS=lacuna",
			"AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED=false", "AUTHORIZATION_ADMINLIST_ENABLED=true", "AUTHORIZATION_ADMINLIST_USERS=lacuna")
	} else {
		env = append(env, "AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED=true")
	}
	log, err := os.OpenFile(n.log(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		c.t.Fatal(err)
	}
	command := exec.Command(binary, "--host", "127.0.0.1", "--port", strconv.Itoa(n.port+restPort), "--scheme", "http")
	command.Env = append(env, c.options.Env...)
	command.Dir = n.data
	command.Stdout, command.Stderr = log, log
	// No node outlives the test, however that ends. The signal comes when the thread ends that started the process.
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	begun, ended := make(chan error), make(chan struct{})
	go func() {
		runtime.LockOSThread()
		err := command.Start()
		begun <- err
		if err == nil {
			command.Wait() // how it ends is the test's doing
		}
		log.Close()
		close(ended)
	}()
	if err := <-begun; err != nil {
		c.t.Fatal(err)
	}
	n.command, n.ended = command, ended
}

func (c *Cluster) wait(what string, done func() bool) {
	c.t.Helper()
	Wait(c.t, readyTime, what, done)
}

// Wait fails a test if something is not done in time. It looks ten times a second.
func Wait(t testing.TB, limit time.Duration, what string, done func() bool) {
	t.Helper()
	end := time.After(limit)
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	for !done() {
		select {
		case <-look.C:
		case <-end:
			t.Fatalf("waited %s for %s", limit, what)
		}
	}
}

// Nodes is the number of nodes.
func (c *Cluster) Nodes() int { return len(c.nodes) }

// Name is a node's, as the cluster has it.
func (c *Cluster) Name(i int) string { return c.nodes[i].name }

// Address is where a node answers.
func (c *Cluster) Address(i int) Address {
	return Address{c.nodes[i].address(grpcPort), c.nodes[i].address(restPort)}
}

// DataPort is by which nodes pass data to each other.
func (c *Cluster) DataPort(i int) int { return c.nodes[i].port + dataPort }

// GRPCPort is where gRPC is answered, on every interface.
func (c *Cluster) GRPCPort(i int) int { return c.nodes[i].port + grpcPort }

// Running reports whether a node's process is there.
func (c *Cluster) Running(i int) bool {
	select {
	case <-c.nodes[i].ended:
		return false
	default:
		return true
	}
}

// Ready waits until a node says that it is ready, which is before it is complete. It starts the node again if it ended by
// itself, as a node does that finds no other.
func (c *Cluster) Ready(i int) {
	c.t.Helper()
	c.wait(c.nodes[i].name+" to be ready", func() bool {
		if !c.Running(i) {
			c.start(server(c.t), i)
		}
		return c.IsReady(i)
	})
}

// IsReady reports whether a node says that it is ready.
func (c *Cluster) IsReady(i int) bool {
	client := http.Client{Timeout: time.Second}
	reply, err := client.Get("http://" + c.nodes[i].address(restPort) + "/v1/.well-known/ready")
	if err != nil {
		return false
	}
	reply.Body.Close()
	return reply.StatusCode == http.StatusOK
}

// Kill ends a node as a power cut does.
func (c *Cluster) Kill(i int) {
	if n := c.nodes[i]; n.command != nil {
		n.command.Process.Signal(syscall.SIGCONT)
		n.command.Process.Kill()
		<-n.ended
	}
}

// Restart starts a node that was killed. It does not wait.
func (c *Cluster) Restart(i int) {
	c.t.Helper()
	c.Kill(i)
	c.start(server(c.t), i)
}

// Pause cuts a node off: it holds its connections and answers nothing.
func (c *Cluster) Pause(i int) {
	c.t.Helper()
	if err := c.nodes[i].command.Process.Signal(syscall.SIGSTOP); err != nil {
		c.t.Error(err)
	}
}

// Resume ends a [Cluster.Pause].
func (c *Cluster) Resume(i int) {
	c.t.Helper()
	if err := c.nodes[i].command.Process.Signal(syscall.SIGCONT); err != nil {
		c.t.Error(err)
	}
}

// Memory is what a node holds of the machine's, in bytes.
func (c *Cluster) Memory(i int) int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", c.nodes[i].command.Process.Pid))
	fields := strings.Fields(string(text))
	if err != nil || len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.Atoi(fields[1])
	return pages * os.Getpagesize()
}

// REST makes a request of a node, by a path behind /v1/, and returns the code of the reply, or 0 if there is none.
func (c *Cluster) REST(i int, method, path string, body, into any) int {
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			c.t.Fatal(err)
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequest(method, "http://"+c.nodes[i].address(restPort)+"/v1/"+path, content)
	if err != nil {
		c.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if key := c.options.APIKey; key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	client := http.Client{Timeout: 30 * time.Second}
	reply, err := client.Do(request)
	if err != nil {
		return 0
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if into != nil && (err != nil || json.Unmarshal(text, into) != nil) {
		return 0
	}
	return reply.StatusCode
}

// Classes returns the names that the cluster has for its collections.
func (c *Cluster) Classes() []string {
	var schema struct {
		Classes []struct {
			Class string `json:"class"`
		} `json:"classes"`
	}
	c.REST(0, http.MethodGet, "schema", nil, &schema)
	var names []string
	for _, class := range schema.Classes {
		names = append(names, class.Class)
	}
	return names
}

// Move moves a replica of a class to a node that has none of its shard, and waits until it is there. It says what it
// moved. The test fails if every node has every shard.
func (c *Cluster) Move(class string) string {
	c.t.Helper()
	var state struct {
		State struct {
			Shards []struct {
				Shard    string   `json:"shard"`
				Replicas []string `json:"replicas"`
			} `json:"shards"`
		} `json:"shardingState"`
	}
	if code := c.REST(0, http.MethodGet, "replication/sharding-state?collection="+class, nil, &state); code != http.StatusOK {
		c.t.Fatalf("the shards of %s: %d", class, code)
	}
	for _, shard := range state.State.Shards {
		for _, n := range c.nodes {
			if slices.Contains(shard.Replicas, n.name) {
				continue
			}
			from := shard.Replicas[0]
			var begun struct {
				ID string `json:"id"`
			}
			code := c.REST(0, http.MethodPost, "replication/replicate", map[string]string{
				"collection": class, "shard": shard.Shard, "sourceNode": from, "targetNode": n.name, "type": "MOVE"}, &begun)
			if code != http.StatusOK {
				c.t.Fatalf("moving %s from %s to %s: %d", shard.Shard, from, n.name, code)
			}
			c.wait("the replica to move", func() bool {
				var details struct {
					Status struct {
						State string `json:"state"`
					} `json:"status"`
				}
				c.REST(0, http.MethodGet, "replication/replicate/"+begun.ID, nil, &details)
				return details.Status.State == "READY"
			})
			return fmt.Sprintf("shard %s from %s to %s", shard.Shard, from, n.name)
		}
	}
	c.t.Fatalf("every node has every shard of %s", class)
	return ""
}
