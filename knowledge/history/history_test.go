package history_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/gate"
	"lacuna/knowledge/history"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
	"lacuna/prompts"
)

var today = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// shelf is a folder of sources with an index of them.
type shelf struct {
	t      *testing.T
	folder string
	index  *knowledge.Index
}

func newShelf(t *testing.T, pages map[string]string, more ...ingest.Source) *shelf {
	s := &shelf{t: t, folder: t.TempDir()}
	for name, text := range pages {
		s.write(name, text)
	}
	index, err := knowledge.Open(knowledge.Options{
		Sources: append([]ingest.Source{{Name: "kb", Kind: passage.Text, Path: s.folder}}, more...), Dir: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { index.Close() })
	s.index = index
	s.refresh()
	return s
}

func (s *shelf) write(name, text string) {
	if err := os.WriteFile(filepath.Join(s.folder, name), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shelf) refresh() {
	if err := s.index.Refresh(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

// quoting is an answer that quotes some words of the sources.
func (s *shelf) quoting(quote string) answer.Result {
	for _, p := range s.index.Library().Passages() {
		if at := strings.Index(p.Text, quote); at >= 0 {
			return answer.Result{
				System: answer.OfflineID, State: answer.Answered,
				Statements: []answer.Statement{{Text: quote, Citations: []int{1}}},
				Citations:  []answer.Citation{{N: 1, Passage: p, Span: passage.Span{Start: at, End: at + len(quote)}, Quote: quote}},
			}
		}
	}
	s.t.Fatalf("no passage says %q", quote)
	return answer.Result{}
}

func (s *shelf) accept(store *history.Store, question, quote string) history.Pair {
	p, err := history.PairOf(s.quoting(quote), question, "/notes/visit.md", today)
	if err == nil {
		err = store.Accept(s.t.Context(), p)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return p
}

const fever = "# Fever\n\nParacetamol lowers a fever within the hour.\n"

func TestOnlyWhatRestsOnSourcesIsKept(t *testing.T) {
	s := newShelf(t, map[string]string{"fever.md": fever, "diary.md": "---\nlacuna: private\n---\n# Diary\n\nI took two tablets.\n"})
	cited := s.quoting("Paracetamol lowers a fever within the hour.")
	with := func(change func(r *answer.Result)) answer.Result {
		r := cited
		r.Statements = append([]answer.Statement(nil), cited.Statements...)
		r.Citations = append([]answer.Citation(nil), cited.Citations...)
		change(&r)
		return r
	}
	for _, test := range []struct {
		name   string
		result answer.Result
		answer string
		err    error
	}{
		{"a quote", cited, "Paracetamol lowers a fever within the hour.", nil},
		{"with its lead", with(func(r *answer.Result) { r.Statements[0].Lead, r.Statements[0].Elided = "Fever is common.", true }),
			"Fever is common. … Paracetamol lowers a fever within the hour.", nil},
		{"a claim, without what the model wrote of its own", with(func(r *answer.Result) {
			r.Statements = []answer.Statement{
				{Basis: answer.Unsupported, Text: "It is cheap."},
				{Basis: answer.Claim, Text: "Paracetamol works fast.", Citations: []int{1}},
				{Basis: answer.Background, Text: "It was found long ago."},
			}
		}), "Paracetamol works fast.", nil},
		{"background alone", with(func(r *answer.Result) {
			r.Statements = []answer.Statement{{Basis: answer.Background, Text: "It was found long ago."}}
		}), "", history.ErrNoEvidence},
		{"a claim without a citation", with(func(r *answer.Result) {
			r.Statements = []answer.Statement{{Basis: answer.Claim, Text: "Paracetamol works fast."}}
		}), "", history.ErrNoEvidence},
		{"nothing said", answer.Result{State: answer.Nothing}, "", history.ErrNoEvidence},
		{"a private document", s.quoting("I took two tablets."), "", history.ErrPrivate},
		{"an accepted answer", with(func(r *answer.Result) {
			p := *r.Citations[0].Passage
			p.Source = history.SourceName
			r.Citations[0].Passage = &p
		}), "", history.ErrAccepted},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, err := history.PairOf(test.result, "What lowers a fever?", "/notes/visit.md", today)
			if err != test.err || p.Answer != test.answer {
				t.Errorf("%q, %v; want %q, %v", p.Answer, err, test.answer, test.err)
			}
		})
	}
}

// TestPairsServeWhileTheirSourcesStand changes a source and changes it back.
func TestPairsServeWhileTheirSourcesStand(t *testing.T) {
	store := history.In(t.TempDir())
	source, err := store.Source()
	if err != nil {
		t.Fatal(err)
	}
	s := newShelf(t, map[string]string{"fever.md": fever, "gout.md": "# Gout\n\nColchicine is given for gout.\n"}, source)
	s.accept(store, "What lowers a fever?", "Paracetamol lowers a fever within the hour.")
	s.accept(store, "What is given for gout?", "Colchicine is given for gout.")
	serving := func() []string {
		t.Helper()
		if _, err := store.Publish(t.Context(), s.index.Library()); err != nil {
			t.Fatal(err)
		}
		s.refresh()
		var questions []string
		for _, p := range s.index.Library().Passages() {
			if p.Source == history.SourceName {
				questions = append(questions, p.Question)
			}
		}
		return questions
	}
	check := func(when string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, serving()); diff != "" {
			t.Errorf("%s: -want +got\n%s", when, diff)
		}
	}
	check("accepted", "What lowers a fever?", "What is given for gout?")
	if changed, err := store.Publish(t.Context(), s.index.Library()); changed || err != nil {
		t.Errorf("published again without a change: %v, %v", changed, err)
	}
	s.write("fever.md", "# Fever\n\nIbuprofen lowers a fever within the hour.\n")
	check("changed on disk, not read yet", "What is given for gout?")
	check("read", "What is given for gout?")
	if checked, err := store.Check(s.index.Library()); err != nil || len(checked) != 2 || checked[0].Inactive == nil || checked[1].Inactive != nil {
		t.Errorf("checked: %+v, %v", checked, err)
	}
	s.write("fever.md", "# Fever\n\nFever has many causes.\n\n"+strings.TrimPrefix(fever, "# Fever\n\n"))
	s.refresh()
	check("changed around the sentence", "What is given for gout?")
	s.write("fever.md", fever)
	s.refresh()
	check("changed back", "What lowers a fever?", "What is given for gout?")
	if err := os.Remove(filepath.Join(s.folder, "gout.md")); err != nil {
		t.Fatal(err)
	}
	check("removed", "What lowers a fever?")
}

func TestStoreKeepsReplacesAndForgets(t *testing.T) {
	s := newShelf(t, map[string]string{"fever.md": fever})
	dir := t.TempDir()
	store := history.In(dir)
	if err := store.ForgetAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) > 0 {
		t.Errorf("forgetting nothing wrote %v", entries)
	}
	first := s.accept(store, "What lowers a fever?", "Paracetamol lowers a fever within the hour.")
	s.accept(store, "What lowers a fever?", "Paracetamol")
	s.accept(store, "How fast?", "within the hour")
	pairs, err := store.Pairs()
	if err != nil || len(pairs) != 2 || pairs[0].ID != first.ID || pairs[0].Answer != "Paracetamol" {
		t.Fatalf("pairs %+v, %v", pairs, err)
	}
	file := filepath.Join(dir, "accepted.jsonl")
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if _, err := store.Publish(t.Context(), s.index.Library()); err != nil {
		t.Fatal(err)
	}
	if found, err := store.Forget(t.Context(), first.ID); !found || err != nil {
		t.Errorf("forget: %v, %v", found, err)
	}
	if found, err := store.Forget(t.Context(), first.ID); found || err != nil {
		t.Errorf("forget twice: %v, %v", found, err)
	}
	served, err := os.ReadFile(filepath.Join(dir, "accepted", "answers.jsonl"))
	if err != nil || strings.Contains(string(served), "What lowers") || !strings.Contains(string(served), "How fast?") {
		t.Errorf("served: %s, %v", served, err)
	}
	if err := store.ForgetAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	if pairs, _ := store.Pairs(); len(pairs) > 0 {
		t.Errorf("left after forgetting all: %+v", pairs)
	}
}

func TestHistoryFollowsARenamedNote(t *testing.T) {
	s := newShelf(t, map[string]string{"fever.md": fever})
	dir := t.TempDir()
	store := history.In(dir)
	toNew := func(note string) string {
		if note == "/notes/old.md" {
			return "/notes/new.md"
		}
		return note
	}
	if err := store.Rename(t.Context(), toNew); err != nil {
		t.Fatal(err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) > 0 {
		t.Errorf("renaming what there is nothing of wrote %v", entries)
	}
	quoted := s.quoting("within the hour")
	for _, asked := range []struct{ note, question string }{
		{"/notes/old.md", "How fast?"}, {"/notes/old.md", "How well?"}, {"/notes/new.md", "How well?"}, {"/notes/other.md", "How fast?"},
	} {
		pair, err := history.PairOf(quoted, asked.question, asked.note, today)
		if err != nil {
			t.Fatal(err)
		}
		if err := store.Accept(t.Context(), pair); err != nil {
			t.Fatal(err)
		}
		label, _ := history.LabelOfPreference(answer.Result{Decision: &answer.Decision{}}, answer.Result{Decision: &answer.Decision{Retrieve: true}}, asked.question, asked.note, today)
		if err := store.Keep(t.Context(), label); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // the second time there is nothing left to rename
		if err := store.Rename(t.Context(), toNew); err != nil {
			t.Fatal(err)
		}
	}
	pairs, err := store.Pairs()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range pairs {
		if p.ID != history.PairID(p.Note, p.Question) {
			t.Errorf("pair %s of %s, %q has the identity of another", p.ID, p.Note, p.Question)
		}
		got = append(got, p.Note+" "+p.Question)
	}
	want := []string{"/notes/new.md How fast?", "/notes/new.md How well?", "/notes/other.md How fast?"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pairs (-want +got):\n%s", diff)
	}
	labels, err := store.Labels()
	if err != nil || len(labels) != 3 || labels[0].Note != "/notes/new.md" {
		t.Errorf("labels %+v, %v", labels, err)
	}
}

// TestTwoSessionsKeepTogether: everything that several processes store concurrently is stored.
func TestTwoSessionsKeepTogether(t *testing.T) {
	dir := t.TempDir()
	var running sync.WaitGroup
	for session := range 2 {
		for n := range 10 {
			running.Go(func() {
				store := history.In(dir)
				question := fmt.Sprintf("Question %d of session %d?", n, session)
				pair := history.Pair{ID: history.PairID("/notes/visit.md", question), Question: question, Answer: "a"}
				label := history.Label{ID: pair.ID, Question: question, Label: gate.Better, How: history.Accepted}
				if err := errors.Join(store.Accept(t.Context(), pair), store.Keep(t.Context(), label)); err != nil {
					t.Error(err)
				}
			})
		}
	}
	running.Wait()
	pairs, err := history.In(dir).Pairs()
	labels, err2 := history.In(dir).Labels()
	if len(pairs) != 20 || len(labels) != 20 || err != nil || err2 != nil {
		t.Errorf("%d pairs and %d labels of 20 are kept: %v, %v", len(pairs), len(labels), err, err2)
	}
}

func TestLabels(t *testing.T) {
	alone := answer.Result{System: "direct", Models: []string{"m"}, Statements: []answer.Statement{{Basis: answer.Unsupported, Text: "Aspirin."}}}
	searched := answer.Result{System: "misknow/merged", Models: []string{"m"}, Statements: []answer.Statement{{Text: "Paracetamol."}},
		Trace: []answer.Step{{Stage: answer.StageRetrieve}}}
	decided := func(r answer.Result, retrieve, kept bool) answer.Result {
		r.Decision = &answer.Decision{Retrieve: retrieve, OwnAnswer: kept}
		return r
	}
	for _, test := range []struct {
		name string
		give func() (history.Label, bool)
		want gate.Label // empty: none
	}{
		{"sources preferred", func() (history.Label, bool) { return history.LabelOfPreference(alone, searched, "q?", "n", today) }, gate.Better},
		{"model preferred", func() (history.Label, bool) { return history.LabelOfPreference(searched, alone, "q?", "n", today) }, gate.Worse},
		{"the same way twice", func() (history.Label, bool) { return history.LabelOfPreference(alone, alone, "q?", "n", today) }, ""},
		{"searched and kept", func() (history.Label, bool) {
			return history.LabelOfAction(decided(searched, true, false), history.Accepted, "q?", "n", today)
		}, gate.Better},
		{"searched and removed", func() (history.Label, bool) {
			return history.LabelOfAction(decided(searched, true, false), history.Rejected, "q?", "n", today)
		}, gate.Worse},
		{"passed over and kept", func() (history.Label, bool) {
			return history.LabelOfAction(decided(alone, false, false), history.Accepted, "q?", "n", today)
		}, gate.Worse},
		{"passed over and removed", func() (history.Label, bool) {
			return history.LabelOfAction(decided(alone, false, false), history.Rejected, "q?", "n", today)
		}, gate.Better},
		{"own answer kept by the gate, removed by the user", func() (history.Label, bool) {
			return history.LabelOfAction(decided(alone, true, true), history.Rejected, "q?", "n", today)
		}, gate.Better},
		{"edited", func() (history.Label, bool) {
			return history.LabelOfAction(decided(alone, false, false), history.Edited, "q?", "n", today)
		}, gate.Same},
		{"nothing was decided", func() (history.Label, bool) {
			return history.LabelOfAction(searched, history.Accepted, "q?", "n", today)
		}, ""},
	} {
		if got, ok := test.give(); ok != (test.want != "") || got.Label != test.want {
			t.Errorf("%s: %q, %v; want %q", test.name, got.Label, ok, test.want)
		}
	}
}

// TestLabelsAreAHistory has a gate read what was kept.
func TestLabelsAreAHistory(t *testing.T) {
	dir, sure := t.TempDir(), .4
	store := history.In(dir)
	alone := answer.Result{Models: []string{"m"}, Statements: []answer.Statement{{Basis: answer.Unsupported, Text: "Aspirin."}}}
	searched := answer.Result{Statements: []answer.Statement{{Text: "Paracetamol lowers a fever."}}}
	for _, pair := range [][2]answer.Result{{alone, searched}, {searched, alone}, {alone, searched}} {
		label, ok := history.LabelOfPreference(pair[0], pair[1], "What lowers a fever?", "/notes/visit.md", today)
		if !ok {
			t.Fatal("no label")
		}
		label.Model = "m"
		if err := store.Keep(t.Context(), label); err != nil {
			t.Fatal(err)
		}
	}
	weaker, _ := history.LabelOfAction(answer.Result{Decision: &answer.Decision{}}, history.Accepted, "What lowers a fever?", "/notes/visit.md", today)
	if err := store.Keep(t.Context(), weaker); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(dir, "gate-labels.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	items, err := gate.Read(bytes.NewReader(content), nil)
	if err != nil || len(items) != 1 {
		t.Fatalf("%+v, %v", items, err)
	}
	i := items[0]
	if i.Label() != gate.Better || i.Model != "m" || i.Closed == nil || i.Closed.Text != "Aspirin." || i.Retrieved.Text != "Paracetamol lowers a fever." {
		t.Errorf("read %+v", i)
	}
	asked, _ := history.LabelOfAction(answer.Result{Decision: &answer.Decision{Check: prompts.Incomplete, Confidence: &sure}}, history.Accepted, "Why?", "/notes/visit.md", today)
	if err := store.Keep(t.Context(), asked); err != nil {
		t.Fatal(err)
	}
	content, err = os.ReadFile(filepath.Join(dir, "gate-labels.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	items, err = gate.Read(bytes.NewReader(content), nil)
	if err != nil || len(items) != 2 || items[1].Check != prompts.Incomplete || items[1].Confidence == nil || *items[1].Confidence != sure {
		t.Errorf("what the model said of itself is lost: %+v, %v", items, err)
	}
}

// TestWhatIsKeptOfANoteIsForgottenTogether has two notes, of which one becomes private.
func TestWhatIsKeptOfANoteIsForgottenTogether(t *testing.T) {
	store := history.In(t.TempDir())
	for _, note := range []string{"/notes/diary.md", "/notes/open.md"} {
		pair := history.Pair{ID: history.PairID(note, "Why?"), Question: "Why?", Answer: "So.", Note: note}
		if err := store.Accept(t.Context(), pair); err != nil {
			t.Fatal(err)
		}
		label := history.Label{ID: "label of " + note, Question: "Why?", Label: gate.Better, How: history.Accepted, Note: note}
		if err := store.Keep(t.Context(), label); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if _, err := store.ForgetNote(t.Context(), "/notes/diary.md"); err != nil {
			t.Fatal(err)
		}
		pairs, _ := store.Pairs()
		labels, _ := store.Labels()
		if len(pairs) != 1 || pairs[0].Note != "/notes/open.md" || len(labels) != 1 || labels[0].Note != "/notes/open.md" {
			t.Errorf("pairs %v, labels %v", pairs, labels)
		}
	}
	if found, _ := store.ForgetNote(t.Context(), "/notes/diary.md"); found {
		t.Error("found again what was forgotten")
	}
}
