package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/history"
	"lacuna/knowledge/llm/llmtest"
)

// harvested accepts the offline answer to a question.
func harvested(t *testing.T, w *Workspace, question string) {
	t.Helper()
	pair, err := history.PairOf(ask(t, w, answer.Request{System: answer.OfflineID}, question), question, "visit.md", time.Now())
	if err == nil {
		err = w.History().Accept(t.Context(), pair)
	}
	if err == nil {
		err = w.Refresh(t.Context(), nil)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func serves(w *Workspace) bool { return slices.Contains(w.Library().Sources(), history.SourceName) }

// TestAcceptedAnswersServeOnlyWhereTheyAreHarvested opens a workspace again without the setting.
func TestAcceptedAnswersServeOnlyWhereTheyAreHarvested(t *testing.T) {
	const question = "What lowers a fever?"
	on := opened(t, "history.harvest = true\n", nil)
	harvested(t, on, question)
	if r := ask(t, on, answer.Request{}, question); r.Stored == nil || r.Stored.Passage.Source != history.SourceName {
		t.Errorf("answered by %+v, not by the accepted answer", r.Statements)
	}
	if err := on.Close(); err != nil {
		t.Fatal(err)
	}
	off, err := Open(t.Context(), Request{Root: on.Root(), UserFile: on.request.UserFile, Flags: map[string]string{
		"index.dir": filepath.Dir(on.IndexDir()), "history.harvest": "false",
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer off.Close()
	if err := off.Refresh(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if serves(off) || len(off.Sources()) != 1 {
		t.Error("an accepted answer serves though answers are not harvested")
	}
}

// TestHistoryThatCannotBeReadCostsNothingElse puts a folder where the file of the answers should be.
func TestHistoryThatCannotBeReadCostsNothingElse(t *testing.T) {
	w := opened(t, "history.harvest = true\n", nil)
	if err := os.Mkdir(filepath.Join(w.IndexDir(), "accepted.jsonl"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := w.Refresh(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if r := ask(t, w, answer.Request{}, "What lowers a fever?"); r.State != answer.Answered {
		t.Errorf("answered %q", r.State)
	}
}

// TestAcceptedAnswersAreReadByTheModel has a model answer from an accepted answer like from any other
// stored one, and no longer once its source has changed.
func TestAcceptedAnswersAreReadByTheModel(t *testing.T) {
	const question = "What lowers a fever?"
	server := llmtest.New(t, llmtest.Obliging())
	w := opened(t, "history.harvest = true\nprivacy.keep_replies = 0\n[model]\nbase_url = \""+server.URL()+"\"\nmodel = \"m\"\n", nil)
	harvested(t, w, question)
	read := func() bool {
		return slices.ContainsFunc(ask(t, w, answer.Request{System: "std-rag/qa"}, question).Citations, func(c answer.Citation) bool {
			return c.Passage.Source == history.SourceName
		})
	}
	if !read() {
		t.Error("the model did not read the accepted answer")
	}
	if err := os.WriteFile(filepath.Join(w.Root(), "kb", "fever.md"), []byte("# Fever\n\nIbuprofen lowers a fever.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := w.Refresh(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if serves(w) || read() {
		t.Error("an accepted answer serves though its source has changed")
	}
}
