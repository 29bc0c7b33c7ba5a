package weaviate

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	"lacuna/knowledge/engine"
	"lacuna/knowledge/engine/weaviate/wire"
)

func TestClassName(t *testing.T) {
	for name, want := range map[string]string{
		"guidelines": "Lacuna_guidelines",
		"a-b":        "Lacuna_a_2db",
		"a_b":        "Lacuna_a_5fb",
		"AB":         "Lacuna__41_42",
		"":           "Lacuna_",
		"ä":          "Lacuna__c3_a4",
	} {
		if got := className(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
	if a, b := className(strings.Repeat("x", 300)), className(strings.Repeat("x", 301)); a == b || len(a) > 200 {
		t.Errorf("long names: %q and %q", a, b)
	}
}

// TestSame holds that a collection which differs in what a search depends on is not taken for ours.
func TestSame(t *testing.T) {
	layout := engine.Layout{Dim: 4, Terms: true, Shards: 3, Replicas: 3}
	for name, change := range map[string]func(*class){
		"":               func(*class) {},
		"dimensions":     func(c *class) { *c = newClass("c", engine.Layout{Dim: 5, Terms: true}) },
		"terms":          func(c *class) { *c = newClass("c", engine.Layout{Dim: 4}) },
		"distance":       func(c *class) { c.VectorIndexConfig["distance"] = "cosine" },
		"quantised":      func(c *class) { c.VectorIndexConfig["rq"] = map[string]any{"enabled": true} },
		"stop words":     func(c *class) { c.Inverted.Stopwords.Preset = "en" },
		"more of them":   func(c *class) { c.Inverted.Stopwords.Additions = []string{"a"} },
		"tokenization":   func(c *class) { c.Properties[2].Tokenization = "word" },
		"no property":    func(c *class) { c.Properties = c.Properties[:2] },
		"not searchable": func(c *class) { c.Properties[2].Searchable = false },
	} {
		c := newClass("c", layout)
		change(&c)
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		var read class
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatal(err)
		}
		other := layout
		other.Shards, other.Replicas, other.Objects = 5, 1, 5_000_000
		if err := read.same(newClass("c", other)); (err == nil) != (name == "") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if c := newClass("c", engine.Layout{Dim: 4, Objects: maxFlat + 1}); c.VectorIndexType != "hnsw" || c.VectorIndexConfig["skipDefaultQuantization"] != true {
		t.Errorf("%+v", c)
	}
}

func TestTally(t *testing.T) {
	shard := func(name string, objects int) shardState {
		return shardState{Name: name, Class: "C", Objects: objects, Loaded: true, Replicas: 3}
	}
	asleep := func(name string) shardState { return shardState{Name: name, Class: "C", Replicas: 3} }
	all := class{Name: "C", Sharding: sharding{ActualCount: 2}, Replication: replication{Factor: 3}}
	one := class{Name: "C", Sharding: sharding{ActualCount: 1}, Replication: replication{Factor: 1}}
	for _, test := range []struct {
		name  string
		class class
		nodes [][]shardState
		want  engine.Count
	}{
		{"complete", all, [][]shardState{{shard("a", 10), shard("b", 20)}, {shard("a", 10), shard("b", 20)}, {shard("a", 10), shard("b", 20)}}, engine.Count{Least: 30, Most: 30, Seen: 30, Replicas: 3}},
		{"one behind", all, [][]shardState{{shard("a", 10), shard("b", 20)}, {shard("a", 10), shard("b", 5)}, {shard("a", 10), shard("b", 20)}}, engine.Count{Least: 15, Most: 30, Seen: 15, Replicas: 3}},
		{"one node away", all, [][]shardState{{shard("a", 10), shard("b", 20)}, nil, {shard("a", 10), shard("b", 20)}}, engine.Count{Least: 0, Most: 30, Seen: 30, Replicas: 2}},
		{"a shard not opened yet", all, [][]shardState{{shard("a", 10), shard("b", 20)}, {asleep("a"), shard("b", 20)}, {shard("a", 10), shard("b", 20)}}, engine.Count{Least: 20, Most: 30, Seen: 30, Replicas: 2}},
		{"a shard of which nobody knows", all, [][]shardState{{shard("a", 10)}, {shard("a", 10)}, {shard("a", 10)}}, engine.Count{Least: 10, Most: 10, Seen: 10, Replicas: 0}},
		{"none", all, nil, engine.Count{}},
		{"others' shards", one, [][]shardState{{{Name: "a", Class: "D", Objects: 7, Loaded: true}, {Name: "a", Class: "C", Objects: 3, Loaded: true, Replicas: 1}}}, engine.Count{Least: 3, Most: 3, Seen: 3, Replicas: 1}},
		{"empty", one, [][]shardState{{{Name: "a", Class: "C", Loaded: true, Replicas: 1}}}, engine.Count{Replicas: 1}},
	} {
		var states []nodeState
		for _, shards := range test.nodes {
			states = append(states, nodeState{Shards: shards})
		}
		if got := tally(test.class, states); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}

func TestWarnings(t *testing.T) {
	node := func(name, status, version string) nodeState {
		return nodeState{Name: name, Status: status, Version: version}
	}
	fine := []nodeState{node("a", "HEALTHY", "1.35.2"), node("b", "HEALTHY", "1.35.9"), node("c", "HEALTHY", "1.35.2")}
	ours := newClass("c", engine.Layout{Dim: 4, Replicas: 3})
	quantised, single, theirs := ours, ours, ours
	quantised.VectorIndexConfig = map[string]any{"bq": map[string]any{"enabled": true}}
	single.Replication.Factor = 1
	theirs.Name, theirs.Replication.Factor, theirs.VectorIndexConfig = "Theirs", 1, map[string]any{"trackDefaultQuantization": true, "rq": map[string]any{"enabled": true}}
	for _, test := range []struct {
		name    string
		states  []nodeState
		classes []class
		probed  probed
		want    string // how each warning begins
	}{
		{"nothing", fine, []class{ours}, probed{}, ""},
		{"open", fine, nil, probed{open: []string{"a:1", "b:1"}}, "a:1, b:1 answers without a key"},
		{"away", fine[:2], nil, probed{away: []string{"c:1"}}, "c:1 does not answer"},
		{"one node", fine[:1], []class{single}, probed{}, "There is one node"},
		{"sick", []nodeState{fine[0], node("b", "UNAVAILABLE", "")}, nil, probed{}, "Node b is unavailable"},
		{"another version", []nodeState{fine[0], node("b", "HEALTHY", "1.36.0")}, nil, probed{}, "Node b runs version 1.36.0"},
		{"one replica", fine, []class{single}, probed{}, "Collection Lacuna_c has one replica"},
		{"quantised", fine, []class{quantised}, probed{}, "Collection Lacuna_c compares codes"},
		{"quantises by default", fine, []class{theirs}, probed{}, "DEFAULT_QUANTIZATION is set"},
	} {
		got := warnings(test.states, schema{test.classes}, test.probed)
		if (len(got) > 0) != (test.want != "") || len(got) > 1 || len(got) == 1 && !strings.HasPrefix(got[0], test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func FuzzEscape(f *testing.F) {
	for _, s := range []string{"", " ", "%", "a b", "%20", "\xff", "\x00", "高血", strings.Repeat("x", 300), strings.Repeat("x", 301)} {
		f.Add(s, "a")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		ea, eb := escape(a), escape(b)
		if (a == b) != (ea == eb) {
			t.Errorf("%q and %q are %q and %q", a, b, ea, eb)
		}
		if ea == "" || strings.ContainsFunc(ea, unicode.IsSpace) || !utf8.ValidString(ea) || len(ea) > 3*maxTerm {
			t.Errorf("%q is %q", a, ea)
		}
	})
}

// FuzzReply holds that no reply of a cluster harms us, and that what is packed comes back.
func FuzzReply(f *testing.F) {
	reply, err := proto.Marshal(&wire.SearchReply{Results: []*wire.SearchResult{good(1), good(2)}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(reply)
	f.Add(pack(engine.Object{Document: "d", Content: []byte("c"), Proof: []byte("p")}))
	f.Add([]byte{255, 255, 255, 255, 255, 255, 255, 255, 255, 1})
	f.Add(bytes.Repeat([]byte{255}, 20))
	f.Fuzz(func(t *testing.T, data []byte) {
		var reply wire.SearchReply
		if proto.Unmarshal(data, &reply) == nil {
			decode(&reply, 10)
		}
		if o, ok := unpack(engine.ID{}, data); ok {
			again, ok := unpack(engine.ID{}, pack(o))
			if !ok || again.Document != o.Document || !bytes.Equal(again.Content, o.Content) || !bytes.Equal(again.Proof, o.Proof) {
				t.Errorf("%+v comes back as %+v", o, again)
			}
		}
	})
}

func TestVectorBytes(t *testing.T) {
	if _, err := vectorBytes([]float32{1, float32(math.NaN())}); err == nil {
		t.Error("a vector that is none is sent")
	}
	if got, err := vectorBytes([]float32{1, -2}); err != nil || !bytes.Equal(got, []byte{0, 0, 128, 63, 0, 0, 0, 192}) {
		t.Errorf("%v, %v", got, err)
	}
}
