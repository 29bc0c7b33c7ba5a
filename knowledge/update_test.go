package knowledge_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
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
