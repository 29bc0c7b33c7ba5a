package editortest_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	"lacuna/handlers/settings"
	"lacuna/knowledge/engine"
	"lacuna/knowledge/remote"
	"lacuna/knowledge/share"
	"lacuna/server/workspace"
)

// published is a source that a team keeps in an engine.
type published struct {
	asked   atomic.Int64 // connections to the engine, or calls of it
	printed int64        // of these
	connect func(context.Context, settings.EngineSource) (engine.Engine, error)
}

// listened is an engine that counts its calls.
type listened struct {
	engine.Engine
	asked *atomic.Int64
}

func (l listened) Get(ctx context.Context, collection string, id engine.ID) (engine.Object, error) {
	l.asked.Add(1)
	return l.Engine.Get(ctx, collection, id)
}

func (l listened) Search(ctx context.Context, collection string, q engine.Query) ([]engine.Object, error) {
	l.asked.Add(1)
	return l.Engine.Search(ctx, collection, q)
}

func (l listened) Count(ctx context.Context, collection string) (engine.Count, error) {
	l.asked.Add(1)
	return l.Engine.Count(ctx, collection)
}

// startEngine publishes the folder that the section "engine" names, or, with "listens", has an address in its place that
// counts who connects and says nothing; and writes the user's settings for it.
func (s *scenario) startEngine(section string) {
	check := func(err error) {
		s.t.Helper()
		if err != nil {
			s.t.Fatal(err)
		}
	}
	s.published = &published{}
	key, _, err := share.OpenKey(filepath.Join(scratchFolder(s.t), "publisher.key"), "ward")
	check(err)
	address := "127.0.0.1:1"
	if words := strings.TrimSpace(section); words == "listens" {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		check(err)
		s.t.Cleanup(func() { listener.Close() })
		address = listener.Addr().String()
		go func() {
			for {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				s.published.asked.Add(1)
				conn.Close()
			}
		}()
	} else {
		memory := &engine.Memory{}
		s.publish(filepath.Join(s.folder, filepath.FromSlash(words)), memory, key)
		check(os.RemoveAll(filepath.Join(s.folder, filepath.FromSlash(words)))) // it is the publisher's
		s.published.connect = func(context.Context, settings.EngineSource) (engine.Engine, error) {
			return listened{memory, &s.published.asked}, nil
		}
	}
	config := fmt.Sprintf("[[source]]\nname = \"ward\"\nengine = \"weaviate\"\naddress = [\"http://%s\"]\ngrpc = [%q]\npublisher = %q\n", address, address, key.Public)
	folder := filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "lacuna")
	check(os.MkdirAll(folder, 0o700))
	check(os.WriteFile(filepath.Join(folder, "config.toml"), []byte(config), 0o600))
}

// publish pushes a folder, as its publisher does on another machine.
func (s *scenario) publish(folder string, into engine.Engine, key *share.Key) {
	check := func(err error) {
		s.t.Helper()
		if err != nil {
			s.t.Fatal(err)
		}
	}
	root := scratchFolder(s.t)
	check(os.CopyFS(filepath.Join(root, "pages"), os.DirFS(folder)))
	check(os.WriteFile(filepath.Join(root, ".lacuna.toml"), []byte("[[source]]\nname = \"ward\"\npath = \"pages\"\n"), 0o600))
	w, err := workspace.Open(s.t.Context(), workspace.Request{Root: root, Flags: map[string]string{"index.dir": scratchFolder(s.t)}})
	check(err)
	defer w.Close()
	check(w.Refresh(s.t.Context(), nil))
	source, err := w.Pushable(s.t.Context(), "ward", nil)
	check(err)
	defer source.Close()
	_, err = source.Push(s.t.Context(), into, remote.Options{Key: key, Now: time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC)})
	check(err)
}

// asked says whether the engine has been asked anything since the last time.
func (p *published) askedSince() string {
	now := p.asked.Load()
	before := p.printed
	p.printed = now
	if now == before {
		return "nothing was sent to the engine\n"
	}
	return "the engine was asked\n"
}

var publisherName = regexp.MustCompile(`ward\+[0-9a-f]{8}`)

// tidyPublished makes text about the source the same on every machine.
func (s *scenario) tidyPublished(text string) string {
	text = publisherName.ReplaceAllString(text, "ward+KEY")
	if w := s.gate.workspace(); w != nil {
		text = strings.ReplaceAll(text, filepath.ToSlash(w.IndexDir()), "$$INDEX")
		if within, err := filepath.Rel(s.folder, w.IndexDir()); err == nil {
			text = strings.ReplaceAll(text, filepath.ToSlash(within), "$INDEX")
		}
	}
	return text
}
