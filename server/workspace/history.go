package workspace

import (
	"context"
	"fmt"

	"lacuna/knowledge/history"
)

// History is what the user made of answers. Pairs serve only where the settings have answers
// harvested.
func (w *Workspace) History() *history.Store { return w.history }

// openHistory makes the accepted answers a source, where they are harvested. Its folder is ours, so a
// workspace cannot name it.
func (w *Workspace) openHistory() {
	set := w.loaded.Settings
	w.history, w.sources = history.In(w.indexDir), set.Sources
	if !set.History.Harvest {
		return
	}
	accepted, err := w.history.Source()
	if err != nil {
		w.problem("index.dir", fmt.Errorf("accepted answers cannot be kept, and none serves: %w", err))
		return
	}
	w.sources = append(w.sources[:len(w.sources):len(w.sources)], accepted)
}

// refresh brings the index up to date and lets only those accepted answers serve whose citations
// stand. They are checked before as well, so that none serves on what has just been taken away.
func (w *Workspace) refresh(ctx context.Context) error {
	if !w.loaded.Settings.History.Harvest {
		return w.index.Refresh(ctx)
	}
	if w.Library().Generation() != "" {
		w.publish(ctx)
	}
	if err := w.index.Refresh(ctx); err != nil {
		return err
	}
	if w.publish(ctx) {
		return w.index.Refresh(ctx)
	}
	return nil
}

// publish checks the accepted answers and reports whether others serve than before. The index does not
// wait for a history that cannot be read.
func (w *Workspace) publish(ctx context.Context) (changed bool) {
	changed, err := w.history.Publish(ctx, w.Library())
	if err != nil && ctx.Err() == nil {
		w.request.Log.Warn("accepted answers not checked", "err", err)
	}
	return changed
}
