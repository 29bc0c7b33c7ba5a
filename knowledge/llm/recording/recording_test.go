package recording

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"lacuna/knowledge/llm"
	"lacuna/knowledge/llm/llmtest"
	"lacuna/knowledge/sanitise"
	"lacuna/prompts"
)

// client returns a client of a scripted server with a tape.
func client(t *testing.T, base string, tape llm.Tape, change ...func(*llm.Config)) *llm.Client {
	t.Helper()
	e := llm.Endpoint{BaseURL: base, Model: "m", Window: 100_000}
	config := llm.Config{Roles: map[llm.Role]llm.Endpoint{llm.Reader: e, llm.Reasoner: e}, Embedding: &e, Rerank: &e, Tape: tape}
	for _, c := range change {
		c(&config)
	}
	c, err := llm.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// nowhere is an address that nothing may be sent to; where a recording stands in, nothing is.
const nowhere = "http://127.0.0.1:1/v1"

func chatOf(text string) prompts.Chat {
	return prompts.Chat{Template: "answer_direct", Version: "v1", Messages: []prompts.Message{{Role: "system", Text: "Answer."}, {Role: "user", Text: text}}}
}

func create(t *testing.T, path string) *Recorder {
	t.Helper()
	r, err := Create(path, "test")
	if err != nil {
		t.Fatal(err)
	}
	r.Begin(Run{})
	return r
}

func open(t *testing.T, path string) *Player {
	t.Helper()
	p, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// counting returns a script whose replies are all different.
func counting() llmtest.Script {
	var mu sync.Mutex
	n := 0
	return func(llmtest.Call) llmtest.Reply {
		mu.Lock()
		defer mu.Unlock()
		n++
		return llmtest.Reply{Text: fmt.Sprintf("reply %d", n), Reasoning: fmt.Sprintf("because %d", n)}
	}
}

func TestEqualPromptsGetTheirRepliesWhateverRunsConcurrently(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.jsonl")
	server := llmtest.New(t, counting())
	// Twenty questions ask the same prompt three times each.
	ask := func(c *llm.Client) map[string][]string {
		var mu sync.Mutex
		var all sync.WaitGroup
		said := map[string][]string{}
		for q := range 20 {
			all.Go(func() {
				name := fmt.Sprintf("q%d", q)
				ctx := llm.WithQuestion(t.Context(), name)
				for range 3 {
					account := llm.NewAccount(0)
					reply, err := c.Chat(ctx, llm.Request{Role: llm.Reader, Chat: chatOf("Why?"), Account: account})
					if err != nil {
						t.Error(err)
					}
					line := fmt.Sprintf("%s|%s|%s|%s|%d|%+v|%+v", reply.Text, reply.Reasoning, reply.Model, reply.Finish, reply.Seed, reply.Usage, account.Usage())
					mu.Lock()
					said[name] = append(said[name], line)
					mu.Unlock()
				}
			})
		}
		all.Wait()
		return said
	}
	recorder := create(t, path)
	before := ask(client(t, server.URL(), recorder))
	if err := recorder.Close(); err != nil || recorder.Calls() != 60 {
		t.Fatalf("%d calls, %v", recorder.Calls(), err)
	}
	server.Close()
	for _, threads := range []int{1, 2, 8} {
		old := runtime.GOMAXPROCS(threads)
		player := open(t, path)
		after := ask(client(t, nowhere, player))
		runtime.GOMAXPROCS(old)
		for name, lines := range before {
			if !slices.Equal(lines, after[name]) {
				t.Errorf("%d threads, %s:\nrecorded %q\nreplayed %q", threads, name, lines, after[name])
			}
		}
		if s := player.Summary(); s.Calls != 60 || s.Questions != 20 || len(s.Missed)+len(s.Unused) > 0 {
			t.Errorf("%+v", s)
		}
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestChangedPromptIsNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.jsonl")
	server := llmtest.New(t, counting())
	recorder := create(t, path)
	c := client(t, server.URL(), recorder)
	if _, err := c.Chat(llm.WithQuestion(t.Context(), "q3"), llm.Request{Role: llm.Reader, Chat: chatOf("<<<data ttttttttssssssss\none\nttttttttssssssss data>>>\nQuestion: q3")}); err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{"q1", "q2"} {
		if _, err := c.Chat(llm.WithQuestion(t.Context(), q), llm.Request{Role: llm.Reader, Chat: chatOf("Sources:\none\ntwo\nQuestion: " + q)}); err != nil {
			t.Fatal(err)
		}
	}
	recorder.Close()
	changed := chatOf("Sources:\none\n2\nQuestion: q1")
	reworded := changed
	reworded.Version, reworded.Messages = "v2", []prompts.Message{{Role: "system", Text: "Answer briefly."}, changed.Messages[1]}
	quoted := chatOf("<<<data bcdfghjklmnpqrst\none\nbcdfghjklmnpqrst data>>>\nQuestion: q1")
	hot := 1.5
	other := chatOf("Why?")
	other.Template = "judge_gaps"
	for _, test := range []struct {
		name    string
		request llm.Request
		want    string
	}{
		{"another passage", llm.Request{Chat: changed}, `the recording holds no such call of answer_direct: its template is as recorded, but not what stands in it (the question, sources, settings or an earlier step); first difference, in line 3 of the prompt: recorded "Sources: one two Question: q1", now "Sources: one 2 Question: q1"`},
		{"other data", llm.Request{Chat: quoted}, `the recording holds no such call of answer_direct: its template is as recorded, but not what stands in it (the question, sources, settings or an earlier step); first difference, in line 1 of the prompt: recorded "Sources: one two Question: q1", now "<<<data … one … data>>> Question: q1"`},
		{"another template", llm.Request{Chat: reworded}, `the recording holds no such call of answer_direct: its template has changed; first difference, in line 1 of the system: recorded "Answer.", now "Answer briefly."`},
		{"another temperature", llm.Request{Chat: chatOf("Sources:\none\ntwo\nQuestion: q1"), Sampling: llm.Sampling{Temperature: &hot}}, `the recording holds no such call of answer_direct; first difference, in temperature: recorded "0", now "1.5"`},
		{"a template that was not used", llm.Request{Chat: other}, `the recording holds no such call of judge_gaps; none of this name was recorded`},
	} {
		player := open(t, path)
		c := client(t, nowhere, player)
		test.request.Role = llm.Reader
		_, err := c.Chat(llm.WithQuestion(t.Context(), "q1"), test.request)
		var failed *llm.Error
		var miss *Miss
		if !errors.As(err, &failed) || failed.Fault != llm.NotRecorded || !errors.As(err, &miss) || miss.Question != "q1" {
			t.Fatalf("%s: %v", test.name, err)
		}
		if miss.Error() != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", test.name, miss, test.want)
		}
		if misses := player.Misses("q1"); len(misses) != 1 || misses[0] != miss {
			t.Errorf("%s: misses %v", test.name, misses)
		}
		s := player.Summary()
		if s.Questions != 0 || len(s.Missed) != 1 || !slices.Equal(s.Missed[0].Questions, []string{"q1"}) || s.Missed[0].Changed != miss.Changed {
			t.Errorf("%s: %+v", test.name, s)
		}
		if _, err := c.Chat(llm.WithQuestion(t.Context(), "q2"), llm.Request{Role: llm.Reader, Chat: chatOf("Sources:\none\ntwo\nQuestion: q2")}); err != nil {
			t.Errorf("%s: the other question: %v", test.name, err)
		}
	}
}

func TestFailuresAreReplayed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.jsonl")
	server := llmtest.New(t, llmtest.Always(llmtest.Reply{Status: 404, Text: "no such model"}))
	recorder := create(t, path)
	ask := func(c *llm.Client) string {
		_, err := c.Chat(t.Context(), llm.Request{Role: llm.Reader, Chat: chatOf("Why?")})
		var failed *llm.Error
		if !errors.As(err, &failed) {
			t.Fatalf("%v", err)
		}
		return fmt.Sprint(failed.Fault, failed.Role, failed.Host, failed.Status, failed.Setting, failed)
	}
	before := ask(client(t, server.URL(), recorder))
	recorder.Close()
	player := open(t, path)
	if after := ask(client(t, nowhere, player)); after != before || len(player.Misses("")) > 0 {
		t.Errorf("recorded %s\nreplayed %s", before, after)
	}
}

func TestVectorsAndScoresAreReplayed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.jsonl")
	server := llmtest.New(t, llmtest.Obliging())
	recorder := create(t, path)
	ask := func(c *llm.Client, texts ...string) string {
		vectors, err := c.Embed(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}
		scores, err := c.Rerank(t.Context(), "which", "", []string{"one", "two"})
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(vectors, scores)
	}
	before := ask(client(t, server.URL(), recorder), "a", "b", "c")
	recorder.Close()
	player := open(t, path)
	c := client(t, nowhere, player)
	if after := ask(c, "a", "b", "c"); after != before {
		t.Errorf("recorded %s\nreplayed %s", before, after)
	}
	if vectors, err := c.Embed(t.Context(), []string{"c", "a"}); err != nil || len(vectors) != 2 {
		t.Errorf("another batch: %v", err)
	}
	if _, err := c.Embed(t.Context(), []string{"a", "d"}); err == nil || !strings.Contains(err.Error(), "no such call of embedding") {
		t.Errorf("a text that was not encoded: %v", err)
	}
}

func TestNothingButWhatWasSentIsRecorded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.jsonl")
	server := llmtest.New(t, func(c llmtest.Call) llmtest.Reply { return llmtest.Reply{Text: "[NAME-1] is well."} })
	const key = "sk-abcdefghijklmnopqrstuvwxyz0123456789"
	redacted := func(c *llm.Config) {
		e := c.Roles[llm.Reader]
		e.Key = func(context.Context) (string, error) { return key, nil }
		c.Roles = map[llm.Role]llm.Endpoint{llm.Reader: e}
		c.Embedding, c.Rerank = nil, nil
	}
	sanitise.Secret(key)
	recorder := create(t, path)
	c := client(t, server.URL(), recorder, redacted)
	if _, err := c.Chat(t.Context(), llm.Request{Role: llm.Reader, Chat: chatOf("My key is " + key + ", why?")}); err != nil {
		t.Fatal(err)
	}
	recorder.Remark("q1", map[string]int{"took": 1})
	recorder.Close()
	text, err := os.ReadFile(path)
	if err != nil || bytes.Contains(text, []byte(key)) {
		t.Errorf("%v\n%s", err, text)
	}
	if player := open(t, path); string(player.Remark("q1")) != `{"took":1}` || player.Runs()[0].Program != "test" {
		t.Errorf("remark %s, runs %+v", player.Remark("q1"), player.Runs())
	}
}

func TestFilesOfRecordings(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "run.jsonl")
	server := llmtest.New(t, counting())
	record := func() {
		t.Helper()
		recorder := create(t, path)
		if _, err := client(t, server.URL(), recorder).Chat(t.Context(), llm.Request{Role: llm.Reader, Chat: chatOf("Why?")}); err != nil {
			t.Fatal(err)
		}
		if err := recorder.Close(); err != nil {
			t.Fatal(err)
		}
	}
	replay := func(path string) string {
		t.Helper()
		reply, err := client(t, nowhere, open(t, path)).Chat(t.Context(), llm.Request{Role: llm.Reader, Chat: chatOf("Why?")})
		if err != nil {
			t.Fatal(err)
		}
		return reply.Text
	}
	record()
	if said := replay(path); said != "reply 1" {
		t.Errorf("replayed %q", said)
	}
	// A program that was killed left half a line; the next one appends after it, and what it records counts.
	text, _ := os.ReadFile(path)
	if err := os.WriteFile(path, append(text, `{"question":"q9","role":"rea`...), 0o600); err != nil {
		t.Fatal(err)
	}
	if player := open(t, path); player.Torn() != 1 {
		t.Errorf("torn %d", player.Torn())
	}
	record()
	if said := replay(path); said != "reply 2" {
		t.Errorf("replayed %q after a second run", said)
	}
	// Compressed, also when cut off.
	text, _ = os.ReadFile(path)
	var zipped bytes.Buffer
	zip := gzip.NewWriter(&zipped)
	zip.Write(text)
	zip.Close()
	packed := filepath.Join(folder, "run.jsonl.gz")
	os.WriteFile(packed, zipped.Bytes(), 0o600)
	if said := replay(packed); said != "reply 2" {
		t.Errorf("replayed %q of gzip", said)
	}
	if _, err := Create(packed, "test"); err == nil || !strings.Contains(err.Error(), "compress it afterwards") {
		t.Errorf("appending to gzip: %v", err)
	}
	notes := filepath.Join(folder, "notes.md")
	os.WriteFile(notes, []byte("# Notes\n"), 0o600)
	if _, err := Create(notes, "test"); err == nil || !strings.Contains(err.Error(), "something else") {
		t.Errorf("recording into notes: %v", err)
	}
	if _, err := Open(notes); err == nil || !strings.Contains(err.Error(), "not a recording") {
		t.Errorf("replaying notes: %v", err)
	}
	if _, err := Read(strings.NewReader(`{"recording":2}`)); err == nil {
		t.Error("a newer form was read")
	}
}

func TestWindowIsReplayed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.jsonl")
	recorder := create(t, path)
	small := func(c *llm.Config) { e := c.Roles[llm.Reader]; e.Window = 600; c.Roles[llm.Reader] = e }
	chat := chatOf(strings.Repeat("a long prompt ", 300))
	before := client(t, nowhere, recorder, small).Excess(t.Context(), llm.Reader, chat)
	recorder.Close()
	if after := client(t, nowhere, open(t, path)).Excess(t.Context(), llm.Reader, chat); after != before || before == 0 {
		t.Errorf("recorded %d, replayed %d", before, after)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"recording":1,"time":"2026-01-01T00:00:00Z","templates":{}}` + "\n" + `{"role":"reader","prompt":"Why?","reply":"So."}`))
	f.Add([]byte(`{"recording":1}` + "\n" + `{"texts":["a"],"vectors":["AAAA"],"labels":[[1,2]]}` + "\n{"))
	f.Add([]byte{0x1f, 0x8b, 0})
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		x := &llm.Exchange{Role: llm.Reader, Messages: chatOf("Why?").Messages}
		if !p.Before(x) {
			t.Error("a call was to be sent")
		}
	})
}
