package web

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"lacuna/knowledge/share"
)

func TestAddresses(t *testing.T) {
	for address, good := range map[string]bool{
		"https://share.example.org/kb": true, "https://share.example.org": true, "http://localhost:8000/kb": true, "http://127.0.0.1/kb/": true,
		"http://[::1]:80": true, "http://share.example.org/kb": false, "http://localhost.example.org": false, "https://user:pw@share.example.org": false,
		"https://share.example.org/?q=1": false, "ftp://share.example.org": false, "https://": false, "": false, "http://192.168.0.1/kb": false,
	} {
		if _, err := New(address, ""); (err == nil) != good {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func TestServers(t *testing.T) {
	pause = 0
	var other atomic.Int32
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { other.Add(1) }))
	defer elsewhere.Close()
	tries := make(map[string]int)
	server := httptest.NewServer(http.HandlerFunc(func(reply http.ResponseWriter, r *http.Request) {
		tries[r.URL.Path]++
		switch name := strings.TrimPrefix(r.URL.Path, "/kb/"); name {
		case "head":
			if r.Header.Get("Authorization") != "Bearer x" {
				reply.WriteHeader(http.StatusUnauthorized)
			}
			_, _ = reply.Write([]byte("head"))
		case "later":
			if tries[r.URL.Path] < 3 {
				reply.WriteHeader(http.StatusServiceUnavailable)
			}
		case "away":
			http.Redirect(reply, r, elsewhere.URL+"/kb/head", http.StatusFound)
		case "moved":
			http.Redirect(reply, r, "/kb/head", http.StatusFound)
		case "down":
			reply.WriteHeader(http.StatusBadGateway)
		case "forbidden":
			reply.WriteHeader(http.StatusForbidden)
		case "readonly":
			reply.WriteHeader(http.StatusMethodNotAllowed)
		case "cut":
			reply.Header().Set("Content-Length", "100")
		default:
			http.NotFound(reply, r)
		}
	}))
	defer server.Close()
	place, err := New(server.URL+"/kb/", "Bearer x")
	if err != nil {
		t.Fatal(err)
	}
	defer place.Close()
	ctx := context.Background()
	for name, want := range map[string]struct {
		says  string // of the error; "" for none
		tries int
	}{
		"head": {"", 1}, "later": {"", 3}, "moved": {"", 1}, "away": {"another host", 1}, "down": {"502", attempts}, "forbidden": {"403", 1},
		"absent": {fs.ErrNotExist.Error(), 1}, "cut": {"EOF", attempts},
	} {
		_, err := place.Get(ctx, name, 10)
		if err == nil != (want.says == "") || err != nil && !strings.Contains(err.Error(), want.says) || tries["/kb/"+name] != want.tries && name != "head" {
			t.Errorf("%s: %v after %d tries", name, err, tries["/kb/"+name])
		}
	}
	if other.Load() > 0 {
		t.Error("another host was asked")
	}
	if _, err := place.Get(ctx, "head", 3); !errors.Is(err, share.ErrAltered) {
		t.Error(err)
	}
	if has, err := place.Has(ctx, "absent"); has || err != nil {
		t.Error(has, err)
	}
	if err := place.Put(ctx, "readonly", nil); err == nil || !strings.Contains(err.Error(), "publish into a folder") {
		t.Error(err)
	}
	server.Close()
	if _, err := place.Get(ctx, "head", 10); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
