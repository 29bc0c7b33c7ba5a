package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"lacuna/handlers/messages"
	"lacuna/knowledge/llm"
)

// somewhere is a request to a host.
func somewhere(host string) llm.Outbound { return llm.Outbound{Host: host, Body: []byte("{}")} }

func asking(dir string, ask func(context.Context, llm.Outbound) (bool, error)) *consent {
	return newConsent(dir, dir, ask, discard)
}

func TestAHostIsAskedAboutOnceThoughFiveWait(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		c := asking(dir, func(context.Context, llm.Outbound) (bool, error) {
			asked.Add(1)
			time.Sleep(time.Minute) // a person thinks
			return true, nil
		})
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				if err := c.permit(t.Context(), somewhere("a.example:443")); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if n := asked.Load(); n != 1 {
			t.Errorf("asked %d times", n)
		}
	})
	info, err := os.Stat(filepath.Join(dir, consentFile))
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}

	silent := asking(dir, nil) // another process, without a user to ask
	if err := silent.permit(t.Context(), somewhere("a.example:443")); err != nil {
		t.Errorf("a yes was not remembered: %v", err)
	}
	if err := silent.permit(t.Context(), somewhere("a.example:8443")); !errors.Is(err, messages.ErrNotAllowed) {
		t.Errorf("another port: %v", err)
	}
}

func TestANoIsNotRemembered(t *testing.T) {
	dir := t.TempDir()
	asked := 0
	c := asking(dir, func(context.Context, llm.Outbound) (bool, error) { asked++; return false, nil })
	for range 3 {
		if err := c.permit(t.Context(), somewhere("a.example:443")); !errors.Is(err, messages.ErrNotAllowed) {
			t.Errorf("permit after a no: %v", err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, consentFile)); err == nil || asked != 3 {
		t.Errorf("asked %d times of 3; a no was written: %v", asked, err == nil)
	}
}

func TestAnErrorOfTheAskerIsNoAnswer(t *testing.T) {
	broken := errors.New("the editor went away")
	answers := []error{broken, nil}
	c := asking(t.TempDir(), func(context.Context, llm.Outbound) (bool, error) {
		err := answers[0]
		answers = answers[1:]
		return err == nil, err
	})
	if err := c.permit(t.Context(), somewhere("a.example:443")); !errors.Is(err, broken) {
		t.Errorf("permit: %v", err)
	}
	if err := c.permit(t.Context(), somewhere("a.example:443")); err != nil {
		t.Errorf("not asked again: %v", err)
	}
}

func TestWhoeverWaitsForAnAnswerCanGiveUp(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		c := asking(dir, func(context.Context, llm.Outbound) (bool, error) { <-release; return false, nil })
		first := make(chan error)
		go func() { first <- c.permit(t.Context(), somewhere("a.example:443")) }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := c.permit(ctx, somewhere("a.example:443")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("permit: %v", err)
		}
		close(release)
		<-first
	})
}

func TestForgettingOneHostLeavesTheOthers(t *testing.T) {
	dir := t.TempDir()
	c := asking(dir, func(context.Context, llm.Outbound) (bool, error) { return true, nil })
	for _, host := range []string{"a.example:443", "b.example:443"} {
		if err := c.permit(t.Context(), somewhere(host)); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.forget(t.Context(), "a.example:443"); err != nil {
		t.Fatal(err)
	}
	if c.has("a.example:443") || !c.has("b.example:443") {
		t.Errorf("left: %v", c.read())
	}
}

func TestABrokenConsentFileAllowsNothing(t *testing.T) {
	for _, content := range []string{"", "null", "[]", `{"a.example:443"`, `{"a.example:443":"yes"}`, "\x00"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, consentFile), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		c := asking(dir, nil)
		if err := c.permit(t.Context(), somewhere("a.example:443")); !errors.Is(err, messages.ErrNotAllowed) {
			t.Errorf("%q: %v", content, err)
		}
		if err := c.allow(t.Context(), "b.example:443"); err != nil || !c.has("b.example:443") {
			t.Errorf("%q is not replaced: %v", content, err)
		}
	}
}
