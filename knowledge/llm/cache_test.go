package llm

import (
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"lacuna/knowledge/llm/llmtest"
)

func TestKeptReplies(t *testing.T) {
	srv := llmtest.New(t, llmtest.Always(llmtest.Reply{Text: "<think>Cold.</think>In autumn."}))
	folder := filepath.Join(t.TempDir(), "replies")
	client := connect(t, srv, func(c *Config) { c.Cache = NewDiskCache(folder, 1<<20) })
	first, err := client.Chat(t.Context(), hello(Reader))
	if err != nil || !first.CachedAt.IsZero() {
		t.Fatalf("reply %+v, error %v", first, err)
	}
	// Another client, as after a restart.
	client = connect(t, srv, func(c *Config) { c.Cache = NewDiskCache(folder, 1<<20) })
	request := hello(Reader)
	request.Account = NewAccount(0)
	var told []string
	request.Delta = func(text string) { told = append(told, text) }
	kept, err := client.Chat(t.Context(), request)
	if err != nil || kept.Text != first.Text || kept.Reasoning != first.Reasoning || kept.Seed != first.Seed ||
		kept.CachedAt.IsZero() || kept.Attempts != 0 || kept.Usage != (Usage{}) || request.Account.Usage() != (Usage{}) {
		t.Errorf("kept %+v, error %v", kept, err)
	}
	if len(told) != 1 || told[0] != kept.Text || len(srv.Calls()) != 1 || len(client.sent) != 0 {
		t.Errorf("told %q, %d calls", told, len(srv.Calls()))
	}
	request.Fresh = true
	if fresh, err := client.Chat(t.Context(), request); err != nil || !fresh.CachedAt.IsZero() || len(srv.Calls()) != 2 {
		t.Errorf("fresh %+v, error %v", fresh, err)
	}
}

func TestKeptRepliesAreForTheUserAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	folder := filepath.Join(t.TempDir(), "replies")
	NewDiskCache(folder, 1<<20).Put(strings.Repeat("a", 64), Reply{Text: "x"})
	files := 0
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if entry.Type().IsRegular() {
			files++
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %s", path, info.Mode())
		}
		return nil
	})
	if err != nil || files != 1 {
		t.Errorf("%d files, error %v", files, err)
	}
}

func TestRequestsThatDifferAreKeptApart(t *testing.T) {
	half, seven := 0.5, 7
	base := hello(Reader)
	newEndpoint := func() *endpoint {
		return &endpoint{role: Reader, base: "http://127.0.0.1:1/v1", Endpoint: Endpoint{Model: "m"}}
	}
	keys := map[string]string{}
	for name, change := range map[string]func(*Request, *endpoint){
		"same":        func(*Request, *endpoint) {},
		"message":     func(r *Request, _ *endpoint) { r.Chat.Messages = r.Chat.Messages[1:] },
		"schema":      func(r *Request, _ *endpoint) { r.Chat.Schema = []byte("{}") },
		"temperature": func(r *Request, _ *endpoint) { r.Temperature = &half },
		"seed":        func(r *Request, _ *endpoint) { r.Seed = &seven },
		"length":      func(r *Request, _ *endpoint) { r.MaxTokens = 1 },
		"model":       func(_ *Request, e *endpoint) { e.Model = "n" },
		"address":     func(_ *Request, e *endpoint) { e.base = "http://127.0.0.1:2/v1" },
	} {
		request, to := base, newEndpoint()
		change(&request, to)
		key := replyKey(to, request, samplingOf(to.role, to.Sampling, request))
		if other, taken := keys[key]; taken || key == "" {
			t.Errorf("%s has the key of %s", name, other)
		}
		keys[key] = name
	}
	same, to := base, newEndpoint()
	same.Stage, same.Fresh = "read", true
	if key := replyKey(to, same, samplingOf(to.role, to.Sampling, same)); keys[key] != "same" {
		t.Error("what does not decide a reply changes its key")
	}
}

func TestRepliesThatAreNotKept(t *testing.T) {
	for name, reply := range map[string]llmtest.Reply{
		"cut by length": {Text: "In", Finish: "length"},
		"filtered":      {Text: "In", Finish: "content_filter"},
		"empty":         {},
		"an error":      {Status: http.StatusBadRequest},
		"a broken one":  {Text: "In autumn, some weeks", Cut: 1},
	} {
		srv := llmtest.New(t, llmtest.Always(reply))
		folder := t.TempDir()
		client := connect(t, srv, func(c *Config) { c.Cache = NewDiskCache(folder, 1<<20) })
		_, _ = client.Chat(t.Context(), hello(Reader)) // some of these are errors
		if entries, err := os.ReadDir(folder); err != nil || len(entries) > 0 {
			t.Errorf("%s: kept %v, error %v", name, entries, err)
		}
	}
}

func TestDamagedRepliesCountAsNone(t *testing.T) {
	folder := t.TempDir()
	key := strings.Repeat("ab", 32)
	replies := NewDiskCache(folder, 1<<20)
	replies.Put(key, Reply{Text: "In autumn.", CachedAt: time.Now()})
	path := filepath.Join(folder, "ab", key+extension)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, has := replies.Get(key); !has {
		t.Fatal("nothing was kept")
	}
	for name, text := range map[string]string{
		"empty": "", "cut": string(whole[:len(whole)-2]), "changed": strings.Replace(string(whole), "autumn", "spring", 1),
		"no sum": "{}", "zeros": strings.Repeat("\x00", 80),
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if reply, has := replies.Get(key); has {
			t.Errorf("%s: got %+v", name, reply)
		}
	}
	if _, has := replies.Get(""); has {
		t.Error("something is kept under no key")
	}
}

func TestOldRepliesAreDropped(t *testing.T) {
	folder := t.TempDir()
	other := filepath.Join(folder, "notes.txt")
	if err := os.WriteFile(other, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	replies := NewDiskCache(folder, 5000)
	old := time.Now().Add(-time.Hour)
	key := func(i int) string { return fmt.Sprintf("%02d%060d", i, i) }
	for i := range 20 {
		replies.Put(key(i), Reply{Text: strings.Repeat("x", 400), CachedAt: old})
		at := old.Add(time.Duration(i) * time.Minute)
		path := filepath.Join(folder, key(i)[:2], key(i)+extension)
		if err := os.Chtimes(path, at, at); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	if _, has := replies.Get(key(0)); has {
		t.Error("the oldest is still there")
	}
	if _, has := replies.Get(key(19)); !has {
		t.Error("the newest is gone")
	}
	var size int64
	for _, f := range replies.(*diskCache).files() {
		size += f.size
	}
	if size > 5000 {
		t.Errorf("%d bytes are kept", size)
	}
	if _, err := os.Stat(other); err != nil {
		t.Error("a file of somebody else was dropped")
	}
}

// TestRepliesOfAClockThatWasAheadGoFirst has replies from a day when the clock was years ahead. They do not push out
// those that are given after it was set right.
func TestRepliesOfAClockThatWasAheadGoFirst(t *testing.T) {
	folder := t.TempDir()
	replies := NewDiskCache(folder, 5000)
	key := func(i int) string { return fmt.Sprintf("%02d%060d", i, i) }
	for i := range 20 {
		replies.Put(key(i), Reply{Text: strings.Repeat("x", 400), CachedAt: time.Now()})
		if i < 8 {
			at := time.Now().AddDate(9, 0, i)
			if err := os.Chtimes(filepath.Join(folder, key(i)[:2], key(i)+extension), at, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, has := replies.Get(key(7)); has {
		t.Error("a reply of the future is still there")
	}
	if _, has := replies.Get(key(19)); !has {
		t.Error("the newest is gone")
	}
}

func TestRepliesThatCannotBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	srv := llmtest.New(t, saying("In autumn."))
	client := connect(t, srv, func(c *Config) { c.Cache = NewDiskCache(file, 1<<20) })
	if reply, err := client.Chat(t.Context(), hello(Reader)); err != nil || reply.Text != "In autumn." {
		t.Errorf("reply %+v, error %v", reply, err)
	}
}
