package cli

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"lacuna/knowledge"
	"lacuna/server/workspace"
)

// TestACommandWaitsForTheFirstIndex asks while another process has begun to write the first index
// and has nothing to search yet.
func TestACommandWaitsForTheFirstIndex(t *testing.T) {
	t.Setenv("LACUNA_CACHE_DIR", t.TempDir())
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "kb"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "kb", "pine.md"), []byte("# Pine\n\nPines grow in sand.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	other, err := workspace.Open(t.Context(), workspace.Request{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()

	begun, goOn := make(chan struct{}), make(chan struct{})
	var first sync.Once
	var writer sync.WaitGroup
	writer.Go(func() {
		err := other.Refresh(t.Context(), func(knowledge.Event) {
			first.Do(func() { close(begun); <-goOn })
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-begun
	waits := waitingFor{"another Lacuna process", goOn, new(sync.Once)}
	var out strings.Builder
	code := Run(t.Context(), []string{"search", "--workspace", root, "pines"}, Streams{In: strings.NewReader(""), Out: &out, Err: waits})
	writer.Wait()
	if code != 0 || !strings.Contains(out.String(), "Pines grow in sand.") {
		t.Errorf("exit %d, %s", code, out.String())
	}
}

// waitingFor closes a channel when a text is written.
type waitingFor struct {
	text string
	then chan struct{}
	once *sync.Once
}

func (w waitingFor) Write(b []byte) (int, error) {
	if strings.Contains(string(b), w.text) {
		w.once.Do(func() { close(w.then) })
	}
	return len(b), nil
}
