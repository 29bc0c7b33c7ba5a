package gate

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// past260 is a history on which every policy has something to learn.
func past260() []Item {
	var history []Item
	for i := range 260 {
		text := fmt.Sprintf("%s question %d", strings.Repeat(string(rune('a'+i%8)), 1+i%5), i)
		it := item(fmt.Sprint(i), text, float64(i%2), float64(i/2%2))
		it.Retrieved = Response{Text: "Another answer, a carrot."}
		it.Closed = &Response{Text: strings.Repeat("An answer, a cabbage. ", 1+i%3) + text}
		history = append(history, it)
	}
	return history
}

// files returns the contents of a folder by name, without the lock.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]string)
	for _, e := range entries {
		content, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(e.Name()) != ".lock" {
			all[e.Name()] = string(content)
		}
	}
	return all
}

// TestKeptPoliciesDecideAsBefore keeps each policy in one folder after the other: what comes back
// decides alike to the bit, keeping it again writes the same bytes, and nothing of the policy before
// is left.
func TestKeptPoliciesDecideAsBefore(t *testing.T) {
	history := past260()
	dir := t.TempDir()
	for _, l := range Learners(DefaultPrice) {
		p, err := l.Fit(t.Context(), history, letters{}, 7)
		if err != nil {
			t.Fatalf("%s: %v", l.Name, err)
		}
		about := About{Price: DefaultPrice, Seed: 7, Questions: len(history)}
		if err := Save(t.Context(), dir, p, about); err != nil {
			t.Fatal(err)
		}
		g, err := Open(dir, letters{})
		if err != nil {
			t.Fatalf("%s: %v", l.Name, err)
		}
		if g.Policy.Name() != l.Name || g.About != about {
			t.Errorf("%s: opened as %s, %+v", l.Name, g.Policy.Name(), g.About)
		}
		for _, i := range append(history, item("new", "abc new?", 0, 1)) {
			i.Model = "m"
			want, got := p.Decide(i.Question), g.Policy.Decide(i.Question)
			if !reflect.DeepEqual(want, got) {
				t.Fatalf("%s: another decision once kept (-want +got):\n%s", l.Name, cmp.Diff(want, got))
			}
		}
		again := t.TempDir()
		if err := Save(t.Context(), again, g.Policy, about); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(files(t, dir), files(t, again)); diff != "" {
			t.Errorf("%s: other files the second time:\n%s", l.Name, diff)
		}
	}
}

// TestDamagedGatesRetrieve breaks every file of a gate in turn.
func TestDamagedGatesRetrieve(t *testing.T) {
	learner, err := Find("ccsk", DefaultPrice)
	if err != nil {
		t.Fatal(err)
	}
	p, err := learner.Fit(t.Context(), past260(), letters{}, 7)
	if err != nil {
		t.Fatal(err)
	}
	whole := t.TempDir()
	if err := Save(t.Context(), whole, p, About{}); err != nil {
		t.Fatal(err)
	}
	contents := files(t, whole)
	if len(contents) != 4 { // the manifest, the past, the trees and the net
		t.Errorf("%d files", len(contents))
	}
	damages := map[string]func(string) string{
		"cut":     func(s string) string { return s[:len(s)/2] },
		"emptied": func(string) string { return "" },
		"changed": func(s string) string { return s[:len(s)/2] + "\x00" + s[len(s)/2+1:] },
	}
	for name := range contents {
		for how, damage := range damages {
			dir := t.TempDir()
			for other, content := range contents {
				if other == name {
					content = damage(content)
				}
				if err := os.WriteFile(filepath.Join(dir, other), []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			g, err := Open(dir, letters{})
			if err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%s %s: error %v", name, how, err)
			}
			if d := g.Policy.Decide(Question{Text: "abc", Model: "m"}); !d.Retrieve || !strings.Contains(d.Why, name) {
				t.Errorf("%s %s: %+v", name, how, d)
			}
		}
	}
	if err := os.Remove(filepath.Join(whole, sortedKeys(contents)[0])); err != nil {
		t.Fatal(err)
	}
	if g, err := Open(whole, letters{}); err == nil || !g.Policy.Decide(Question{}).Retrieve {
		t.Errorf("a gate without one of its files opens: %v", err)
	}
}

type otherLetters struct{ letters }

func (otherLetters) Identity() string { return "other" }

func TestAGateOfAnotherEncoderRetrieves(t *testing.T) {
	for _, test := range []struct {
		policy string
		needs  bool
	}{{"default", false}, {"never", false}, {"sn", true}, {"rqm", true}} {
		learner, err := Find(test.policy, DefaultPrice)
		if err != nil {
			t.Fatal(err)
		}
		p, err := learner.Fit(t.Context(), past260(), letters{}, 7)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if err := Save(t.Context(), dir, p, About{}); err != nil {
			t.Fatal(err)
		}
		for _, e := range []Encoder{nil, otherLetters{}} {
			g, err := Open(dir, e)
			if errors.Is(err, ErrEncoder) != test.needs {
				t.Errorf("%s with %v: %v", test.policy, e, err)
			}
			if d := g.Policy.Decide(Question{Text: "abc", Model: "m"}); test.needs && (!d.Retrieve || !strings.Contains(d.Why, "another encoder")) {
				t.Errorf("%s: %+v", test.policy, d)
			}
		}
	}
}

func TestWithoutAGateEverythingIsRetrieved(t *testing.T) {
	g, err := Open(t.TempDir(), nil)
	if !errors.Is(err, fs.ErrNotExist) || !g.Policy.Decide(Question{}).Retrieve {
		t.Errorf("%v, %+v", err, g.Policy.Decide(Question{}))
	}
}

func FuzzOpen(f *testing.F) {
	f.Add([]byte(`{"format":1,"policy":"default","state":{"kind":"fallback","parts":[{"kind":"prior","prior":{"name":"default"}}]}}`))
	f.Add([]byte(`{"format":1,"policy":"sn","encoder":{"identity":"letters","dim":8},"state":{"kind":"sn","history":{"file":"../x","sha256":""}}}`))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, content []byte) {
		if err := os.WriteFile(filepath.Join(dir, manifestName), bytes.Clone(content), 0o600); err != nil {
			t.Fatal(err)
		}
		g, err := Open(dir, letters{})
		if d := g.Policy.Decide(Question{Text: "abc"}); err != nil && !d.Retrieve {
			t.Errorf("a damaged gate does not retrieve: %v", err)
		}
	})
}

// TestAGateOfARemovedPolicyRetrieves: files of the versions that had learned parts are ignored, and the
// error says what to do.
func TestAGateOfARemovedPolicyRetrieves(t *testing.T) {
	const encoder = `"encoder": {"identity": "letters", "dim": 8}`
	for _, manifest := range []string{
		`{"format": 1, "policy": "score", "trained": {}, ` + encoder + `, "state": {"kind": "score", "prior": {"name": "score"}}}`,
		`{"format": 1, "policy": "default", "trained": {}, ` + encoder + `, "state": {"kind": "arbiter", "parts": [{"kind": "prior"}]}}`,
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, manifestName), []byte(manifest), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, e := range []Encoder{nil, letters{}} {
			g, err := Open(dir, e)
			if !errors.Is(err, ErrRemoved) {
				t.Errorf("error %v", err)
			}
			if d := g.Policy.Decide(Question{Text: "abc"}); !d.Retrieve || !strings.Contains(d.Why, "lacuna gate train") {
				t.Errorf("%+v", d)
			}
		}
	}
	if _, err := Find("score", DefaultPrice); err == nil || !strings.Contains(err.Error(), "removed") {
		t.Errorf("finding a removed policy: %v", err)
	}
}
