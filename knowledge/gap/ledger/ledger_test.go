package ledger

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"lacuna/knowledge"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/passage"
)

// pruning is a question about apple trees, and what a model missed in the orchard's pages.
var pruning = QuestionRef{Note: "/notes/garden.md", Question: "1f2e3d4c", Text: "How are quince trees pruned?"}

func missed(text, query string) gap.Gap {
	return gap.Gap{ID: gap.IDOf(gap.MissingKnowledge, text), Code: gap.MissingKnowledge, Text: text, Query: query, Status: gap.Open, Probability: 0.8}
}

var quince = missed("when quince trees are pruned", "quince pruning time")

func open(t *testing.T, dir string) *Ledger {
	t.Helper()
	l, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func learn(t *testing.T, l *Ledger, library *knowledge.Library, asked QuestionRef, gaps ...gap.Gap) {
	t.Helper()
	if err := l.Learn(t.Context(), library, asked, Judgement{System: "misknow/merged", Gaps: gaps}); err != nil {
		t.Fatal(err)
	}
}

func review(t *testing.T, l *Ledger, library *knowledge.Library) bool {
	t.Helper()
	changed, err := l.Review(t.Context(), library)
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

// statuses of the gaps of a question, by their text.
func statuses(l *Ledger, library *knowledge.Library, asked QuestionRef) map[string]gap.Status {
	gaps, known := l.Gaps(library, asked)
	if !known {
		return nil
	}
	all := make(map[string]gap.Status)
	for _, g := range gaps {
		all[g.Text] = g.Status
	}
	return all
}

func TestLedgerSurvivesARestart(t *testing.T) {
	dir, library := t.TempDir(), build(t, orchard()...)
	first := open(t, dir)
	pruningTime := quince
	pruningTime.Nearest = library.Passages()[:2]
	learn(t, first, library, pruning, pruningTime)
	second := open(t, dir)
	got, known := second.Gaps(library, pruning)
	if !known {
		t.Fatal("nothing is known after a restart")
	}
	if diff := cmp.Diff([]gap.Gap{pruningTime}, got); diff != "" {
		t.Errorf("after a restart (-want +got):\n%s", diff)
	}
	info, err := os.Stat(filepath.Join(dir, "gaps.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", info.Mode().Perm(), err)
	}
}

func TestNothingMissingIsAJudgementToo(t *testing.T) {
	library, l := build(t, orchard()...), open(t, "")
	if _, known := l.Gaps(library, pruning); known {
		t.Error("judged before anybody has judged")
	}
	learn(t, l, library, pruning)
	if gaps, known := l.Gaps(library, pruning); !known || len(gaps) > 0 {
		t.Errorf("judged %v with %v, want true with none", known, gaps)
	}
}

func TestGapClosesByItselfAndOpensAgain(t *testing.T) {
	pages := orchard()
	library, l := build(t, pages...), open(t, t.TempDir())
	learn(t, l, library, pruning, quince)

	unrelated := text("Plums/Storage", "Plums keep for two weeks in a cold room.")
	withPlums := build(t, append(pages, unrelated)...)
	if review(t, l, withPlums) {
		t.Error("a page about something else changes the gap")
	}

	page := text("Quinces/Pruning", "Quince pruning has its time in winter: quince trees are pruned lightly.")
	withQuinces := build(t, append(pages, page)...)
	if !review(t, l, withQuinces) {
		t.Error("the page that was missing changes nothing")
	}
	gaps, _ := l.Gaps(withQuinces, pruning)
	if gaps[0].Status != gap.Retrieved || !slices.Equal(gaps[0].Evidence, []passage.ID{page.ID}) {
		t.Errorf("with the page: %s by %v", gaps[0].Status, gaps[0].Evidence)
	}
	if len(l.OpenGaps(withQuinces)) > 0 {
		t.Error("a retrieved gap is listed as open")
	}
	if review(t, l, withQuinces) {
		t.Error("a second look at the same library changes something")
	}

	if !review(t, l, library) || statuses(l, library, pruning)[quince.Text] != gap.Open {
		t.Error("the gap stays closed although its page has gone")
	}
	if !review(t, l, withQuinces) || statuses(l, withQuinces, pruning)[quince.Text] != gap.Retrieved {
		t.Error("the gap stays open although its page is back")
	}
}

// TestWhatWasThereClosesNothing has a page that covers the words of the gap from the beginning: the
// model read it and still missed something.
func TestWhatWasThereClosesNothing(t *testing.T) {
	pages := append(orchard(), text("Quinces/Pruning", "Quince pruning time differs."))
	library, l := build(t, pages...), open(t, "")
	learn(t, l, library, pruning, quince)
	if review(t, l, build(t, append(pages, text("Plums/Storage", "Plums keep for two weeks."))...)) {
		t.Error("a page that was there before closes the gap")
	}
}

func TestAnEmptyLibraryReviewsNothing(t *testing.T) {
	pages := orchard()
	library, l := build(t, pages...), open(t, "")
	found := quince
	found.Status, found.Evidence = gap.Retrieved, []passage.ID{pages[0].ID}
	learn(t, l, library, pruning, found)
	if review(t, l, knowledge.Pending()) || review(t, l, &knowledge.Library{}) {
		t.Error("gaps are reviewed before the sources have been read")
	}
}

func TestGeneratedBackgroundLeavesAGapOpen(t *testing.T) {
	library, l := build(t, orchard()...), open(t, "")
	told := quince
	told.Status = gap.Generated
	learn(t, l, library, pruning, told)
	open := l.OpenGaps(library)
	if len(open) != 1 || open[0].Gap.Status != gap.Generated {
		t.Errorf("open: %+v", open)
	}
}

func TestDismissals(t *testing.T) {
	dir, library := t.TempDir(), build(t, orchard()...)
	l := open(t, dir)
	learn(t, l, library, pruning, quince)
	if err := l.Dismiss(t.Context(), pruning, quince.ID, true); err != nil {
		t.Fatal(err)
	}
	if !l.IsDismissed(pruning, quince.ID) || len(l.OpenGaps(library)) > 0 || statuses(l, library, pruning)[quince.Text] != gap.Dismissed {
		t.Error("a dismissed gap is open")
	}
	learn(t, l, library, pruning, quince)
	if !open(t, dir).IsDismissed(pruning, quince.ID) {
		t.Error("a dismissed gap comes back when it is named again")
	}
	if err := l.Dismiss(t.Context(), pruning, quince.ID, false); err != nil {
		t.Fatal(err)
	}
	if l.IsDismissed(pruning, quince.ID) || len(l.OpenGaps(library)) != 1 {
		t.Error("a restored gap is not open")
	}
}

func TestOfflineGapsAreKnownByDismissalOnly(t *testing.T) {
	library, l := build(t, orchard()...), open(t, t.TempDir())
	if err := l.Dismiss(t.Context(), pruning, string(gap.MissingTopic), true); err != nil {
		t.Fatal(err)
	}
	if _, known := l.Gaps(library, pruning); known || !l.IsDismissed(pruning, "missing-topic") {
		t.Error("a dismissal counts as a judgement")
	}
}

func TestEarlierVersionsDismissals(t *testing.T) {
	dir := t.TempDir()
	old := `[{"note": "/notes/garden.md", "question": "1f2e3d4c", "code": "missing-topic"}]`
	if err := os.WriteFile(filepath.Join(dir, "dismissed.json"), []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	l := open(t, dir)
	if !l.IsDismissed(pruning, string(gap.MissingTopic)) {
		t.Error("what an earlier version kept is lost")
	}
	if err := l.Dismiss(t.Context(), pruning, string(gap.MissingTopic), false); err != nil {
		t.Fatal(err)
	}
	if open(t, dir).IsDismissed(pruning, string(gap.MissingTopic)) {
		t.Error("what was taken back comes back from the file of the earlier version")
	}
}

func TestADamagedLedgerIsPutAside(t *testing.T) {
	for name, content := range map[string]string{
		"cut off": `{"version": 1, "questions": [{"note": "/no`,
		"newer":   `{"version": 99, "questions": []}`,
		"binary":  "\x00\xff\x13",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "gaps.json")
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			l, err := Open(dir)
			if err == nil || !strings.Contains(err.Error(), path+".unreadable") {
				t.Errorf("error %v, want one that says where the file is", err)
			}
			if aside, err := os.ReadFile(path + ".unreadable"); err != nil || string(aside) != content {
				t.Errorf("put aside: %q, %v", aside, err)
			}
			if err := l.Dismiss(t.Context(), pruning, "missing-topic", true); err != nil || !open(t, dir).IsDismissed(pruning, "missing-topic") {
				t.Errorf("the ledger does not work afterwards: %v", err)
			}
		})
	}
}

// TestTwoProcesses has two ledgers on one file, as two editors have: no change of either is lost,
// and each sees the other's.
func TestTwoProcesses(t *testing.T) {
	dir, library := t.TempDir(), build(t, orchard()...)
	one, two := open(t, dir), open(t, dir)
	var both sync.WaitGroup
	for i, l := range []*Ledger{one, two} {
		both.Go(func() {
			for n := range 10 {
				asked := QuestionRef{Note: "/notes/garden.md", Question: string(rune('a'+i)) + string(rune('0'+n))}
				learn(t, l, library, asked, quince)
			}
		})
	}
	both.Wait()
	for _, l := range []*Ledger{one, two} {
		if _, err := l.Reload(); err != nil {
			t.Fatal(err)
		}
		if n := len(l.OpenGaps(library)); n != 20 {
			t.Errorf("%d open gaps, want 20", n)
		}
	}
	if changed, err := one.Reload(); changed || err != nil {
		t.Errorf("reload of an unchanged file: %v, %v", changed, err)
	}
}

func TestWhatCannotBeWrittenIsRemembered(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "index")
	l := open(t, dir)
	if err := os.WriteFile(dir, nil, 0o600); err != nil { // a file where the folder should be
		t.Fatal(err)
	}
	if err := l.Dismiss(t.Context(), pruning, "missing-topic", true); err == nil {
		t.Error("no error although nothing could be written")
	}
	if !l.IsDismissed(pruning, "missing-topic") {
		t.Error("forgotten at once")
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if err := l.Dismiss(t.Context(), pruning, "missing-aspect", true); err != nil {
		t.Fatal(err)
	}
	if again := open(t, dir); !again.IsDismissed(pruning, "missing-topic") || !again.IsDismissed(pruning, "missing-aspect") {
		t.Error("what could not be written is not written later")
	}
}

func TestSinceIsTheFirstTime(t *testing.T) {
	library := build(t, orchard()...)
	synctest.Test(t, func(t *testing.T) {
		l := open(t, "")
		learn(t, l, library, pruning, quince)
		first := time.Now().Truncate(time.Second)
		time.Sleep(48 * time.Hour)
		learn(t, l, library, pruning, quince, missed("which quince sets fruit alone", "self-fertile quince"))
		for _, open := range l.OpenGaps(library) {
			if open.Gap.ID == quince.ID && !open.Since.Equal(first) {
				t.Errorf("named first on %v, want %v", open.Since, first)
			}
			if open.Gap.ID != quince.ID && !open.Since.After(first) {
				t.Errorf("a new gap is named on %v", open.Since)
			}
		}
	})
}

func TestRetain(t *testing.T) {
	dir, library := t.TempDir(), build(t, orchard()...)
	l := open(t, dir)
	other := QuestionRef{Note: "/notes/other.md", Question: "9", Text: "Which pear is best?"}
	learn(t, l, library, pruning, quince)
	learn(t, l, library, other, missed("taste of pears", "pear taste"))
	if err := l.Retain(t.Context(), func(a QuestionRef) bool { return a.Note != other.Note }); err != nil {
		t.Fatal(err)
	}
	open := open(t, dir).OpenGaps(library)
	if len(open) != 1 || open[0].Ref != pruning {
		t.Errorf("open: %+v", open)
	}
}

func TestRename(t *testing.T) {
	dir, library := t.TempDir(), build(t, orchard()...)
	l := open(t, dir)
	there := QuestionRef{Note: "/notes/new.md", Question: "2", Text: "Which pear is best?"}
	old := there
	old.Note = pruning.Note
	learn(t, l, library, pruning, quince)
	learn(t, l, library, old, missed("an older judgement", "pears"))
	learn(t, l, library, there, missed("taste of pears", "pear taste"))
	if err := l.Dismiss(t.Context(), pruning, "missing-topic", true); err != nil {
		t.Fatal(err)
	}
	err := l.Rename(t.Context(), func(note string) string {
		return strings.Replace(note, pruning.Note, there.Note, 1)
	})
	if err != nil {
		t.Fatal(err)
	}
	moved := pruning
	moved.Note = there.Note
	again := open(t, dir)
	if statuses(again, library, moved)[quince.Text] != gap.Open || !again.IsDismissed(moved, "missing-topic") {
		t.Error("what was remembered has not followed its note")
	}
	if _, known := again.Gaps(library, pruning); known || again.IsDismissed(pruning, "missing-topic") {
		t.Error("the old name still has what was remembered")
	}
	if statuses(again, library, there)["taste of pears"] != gap.Open {
		t.Error("a newer judgement under the new name was overwritten")
	}
	if err := l.Rename(t.Context(), func(note string) string { return note }); err != nil {
		t.Error(err)
	}
}

func TestTwoNotesSwapTheirNames(t *testing.T) {
	library, l := build(t, orchard()...), open(t, t.TempDir())
	other := pruning
	other.Note = "/notes/other.md"
	learn(t, l, library, pruning, quince)
	learn(t, l, library, other, missed("taste of pears", "pear taste"))
	swapped := map[string]string{pruning.Note: other.Note, other.Note: pruning.Note}
	if err := l.Rename(t.Context(), func(note string) string { return swapped[note] }); err != nil {
		t.Fatal(err)
	}
	if statuses(l, library, other)[quince.Text] != gap.Open || statuses(l, library, pruning)["taste of pears"] != gap.Open {
		t.Error("what was remembered of a note was lost, or has not followed it")
	}
}

func TestLearnEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := open(t, "").Learn(ctx, build(t, orchard()...), pruning, Judgement{System: "misknow/merged", Gaps: []gap.Gap{quince}})
	if err == nil {
		t.Error("no error although the context has ended")
	}
}

// FuzzLedgerFile opens whatever may lie in the index folder.
func FuzzLedgerFile(f *testing.F) {
	f.Add([]byte(`{"version": 1, "questions": [{"note": "/n.md", "question": "1", "system": "misknow/merged", "gaps": [{"id": "missing-knowledge/1", "text": "x", "status": "open"}]}]}`))
	f.Add([]byte(`{"version": 1, "questions": [{"seen": ["zz"], "gaps": null}]}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, content []byte) {
		b, err := readSnapshot(content)
		if err != nil {
			return
		}
		again, err := b.encode()
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		if _, err := readSnapshot(again); err != nil {
			t.Fatalf("what was written cannot be read: %v\n%s", err, again)
		}
	})
}

// text makes a passage of running text; path is "document/section".
func text(path, words string) *passage.Passage {
	title, section, _ := strings.Cut(path, "/")
	return &passage.Passage{
		ID: passage.IDOf(path + words), Source: "notes", Record: path, Document: title, Kind: passage.Text,
		Format: passage.Plain, Title: title, Section: section, Headings: []string{section}, Text: words,
	}
}

func build(t testing.TB, passages ...*passage.Passage) *knowledge.Library {
	t.Helper()
	library, err := knowledge.Build(context.Background(), passages, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return library
}

// orchard is a small base on growing fruit.
func orchard() []*passage.Passage {
	return []*passage.Passage{
		text("Apples/Pruning", "Apple trees are pruned in winter while they are dormant. Remove crossing branches first."),
		text("Apples/Pests", "Codling moth caterpillars tunnel into apples in summer. Pheromone traps catch the males."),
		text("Pears/Pruning", "Pear trees are pruned like apple trees, in winter, leaving the fruiting spurs."),
		text("Plums/Pruning", "Plum trees are pruned in summer, because silver leaf disease enters winter wounds."),
		text("Plums/Picking", "Plums ripen over several weeks in late summer and are picked when they come away easily."),
		text("Cherries/Birds", "Birds strip ripening cherries. A net over the tree keeps blackbirds and pigeons away."),
		text("Soil/Feeding", "Fruit trees on poor soil are fed with well rotted compost every spring."),
	}
}
