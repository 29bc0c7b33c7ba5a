package knowledge_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"lacuna/knowledge"
)

func TestUpdateFileLosesNoUpdate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "folder", "count")
	increment := func(old []byte) ([]byte, error) {
		n, _ := strconv.Atoi(string(old)) // empty before the first
		return []byte(strconv.Itoa(n + 1)), nil
	}
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if err := knowledge.UpdateFile(t.Context(), path, increment); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	content, err := os.ReadFile(path)
	if err != nil || string(content) != "20" {
		t.Errorf("after twenty updates at once the file holds %q, %v", content, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", info.Mode().Perm(), err)
	}
}

func TestUpdateFileKeepsTheOldContent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	refused := errors.New("refused")
	err := knowledge.UpdateFile(t.Context(), path, func([]byte) ([]byte, error) { return nil, refused })
	if !errors.Is(err, refused) {
		t.Errorf("error %v, want that of the change", err)
	}
	if content, err := os.ReadFile(path); err != nil || string(content) != "old" {
		t.Errorf("the file holds %q, %v", content, err)
	}
}

func TestUpdateFileWaitsNoLongerThanItsContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	inside, release := make(chan struct{}), make(chan struct{})
	var other sync.WaitGroup
	other.Go(func() {
		_ = knowledge.UpdateFile(t.Context(), path, func([]byte) ([]byte, error) {
			close(inside)
			<-release
			return nil, nil
		})
	})
	<-inside
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	err := knowledge.UpdateFile(ctx, path, func([]byte) ([]byte, error) { return []byte("new"), nil })
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v while another holds the file, want the context's", err)
	}
	close(release)
	other.Wait()
}

func TestAppendLineSeesTheLastLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "folder", "log")
	long := strings.Repeat("x", 100<<10)
	for i, line := range []string{"first", "", "third", long, "last"} {
		err := knowledge.AppendLine(t.Context(), path, func(last []byte) ([]byte, error) {
			if (last == nil) != (i == 0) || i > 0 && string(last) != []string{"first", "", "third", long}[i-1] {
				t.Errorf("before line %d stands %.20q", i, last)
			}
			return []byte(line), nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	content, err := os.ReadFile(path)
	if err != nil || string(content) != "first\n\nthird\n"+long+"\nlast\n" {
		t.Errorf("%d bytes, %v", len(content), err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", info.Mode().Perm(), err)
	}
}

func TestAppendLineLosesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			err := knowledge.AppendLine(t.Context(), path, func(last []byte) ([]byte, error) {
				n, _ := strconv.Atoi(string(last)) // empty before the first
				return []byte(strconv.Itoa(n + 1)), nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if content, err := os.ReadFile(path); err != nil || !strings.HasSuffix(string(content), "\n19\n20\n") {
		t.Errorf("%q, %v", content, err)
	}
}

func TestAppendLineEndsWhatACrashLeft(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, []byte("whole\nha"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := knowledge.AppendLine(t.Context(), path, func(last []byte) ([]byte, error) { return append(last, '!'), nil })
	if content, _ := os.ReadFile(path); err != nil || string(content) != "whole\nha\nha!\n" {
		t.Errorf("%q, %v", content, err)
	}
}

func TestAppendLineAddsNothingOnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	refused := errors.New("refused")
	if err := knowledge.AppendLine(t.Context(), path, func([]byte) ([]byte, error) { return nil, refused }); !errors.Is(err, refused) {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	inside := make(chan struct{})
	go knowledge.AppendLine(t.Context(), path, func([]byte) ([]byte, error) {
		close(inside)
		<-t.Context().Done()
		return nil, refused
	})
	<-inside
	if err := knowledge.AppendLine(ctx, path, func([]byte) ([]byte, error) { return nil, nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if content, _ := os.ReadFile(path); len(content) > 0 {
		t.Errorf("%q was written", content)
	}
}
