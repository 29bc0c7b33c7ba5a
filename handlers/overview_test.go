package handlers

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/gap/ledger"
	"lacuna/knowledge/ingest"
)

func TestSourceView(t *testing.T) {
	root := filepath.FromSlash("/kb")
	at := func(name string) string { return filepath.Join(root, name) }
	files := []ingest.FileReport{
		{Source: "kb", File: at("z.md"), State: ingest.Indexed, Passages: 3},
		{Source: "kb", File: at("a.md"), State: ingest.Indexed, Passages: 2, Reason: "line 3 is broken"},
		{Source: "kb", File: at("sub/b.bin"), State: ingest.Skipped, Reason: "no reader \u202e"},
		{Source: "kb", File: at("c.md"), State: ingest.Failed, Reason: "cannot be read"},
	}
	view := sourceView(ingest.Source{Name: "kb", Path: root}, files)
	var got []string
	for _, f := range view.Files {
		got = append(got, fmt.Sprintf("%s %s %q", f.Path, f.State, f.Reason))
	}
	want := `c.md failed "cannot be read"; sub/b.bin skipped "no reader ⟨U+202E⟩"; a.md indexed "line 3 is broken"; z.md indexed ""`
	if strings.Join(got, "; ") != want {
		t.Errorf("files %s\nwant %s", strings.Join(got, "; "), want)
	}
	if view.Indexed != 2 || view.Skipped != 1 || view.Failed != 1 || view.Passages != 5 || view.Left != 0 {
		t.Errorf("counts %+v", view)
	}
}

func TestSourceViewListsNoEndOfFiles(t *testing.T) {
	files := make([]ingest.FileReport, mostFiles+7)
	for i := range files {
		files[i] = ingest.FileReport{Source: "kb", File: fmt.Sprintf("/kb/%06d.md", i), State: ingest.Indexed}
	}
	files[len(files)-1].State = ingest.Failed
	view := sourceView(ingest.Source{Name: "kb", Path: "/kb"}, files)
	if len(view.Files) != mostFiles || view.Left != 7 || view.Indexed != mostFiles+6 || view.Files[0].State != ingest.Failed {
		t.Errorf("%d files, %d left, %d indexed, first %s", len(view.Files), view.Left, view.Indexed, view.Files[0].State)
	}
}

// TestViewsAreJSONLists has nothing open: clients read lists, never null.
func TestViewsAreJSONLists(t *testing.T) {
	empty := Overview{Folders: []Folder{{Library: &knowledge.Library{}}}}
	for _, view := range []any{ViewStatus(Overview{}), ListGaps(empty), ListSources(Overview{}), ListSources(empty), ListTopics(Overview{}), ListTopics(empty)} {
		text, err := json.Marshal(view)
		if err != nil || strings.Contains(string(text), "null") || !strings.HasPrefix(string(text), `{"version":1,`) {
			t.Errorf("%s, %v", text, err)
		}
	}
}

func TestGapsOfNotesThatAreNotOpen(t *testing.T) {
	o := Overview{Folders: []Folder{{Library: &knowledge.Library{}, Gaps: []ledger.Item{
		{Ref: ledger.QuestionRef{Note: "untitled:x", Question: "1", Text: "Why \u202ethis?"}, Gap: gap.Gap{ID: "missing-topic", Code: gap.MissingTopic, Text: "Nothing on x"}},
		{Ref: ledger.QuestionRef{Note: "untitled:x", Question: "2"}, Gap: gap.Gap{ID: "empty"}},
	}}}}
	gaps := ListGaps(o).Gaps
	if len(gaps) != 1 || gaps[0].URI != "untitled:x" || gaps[0].Range != nil || gaps[0].Question != "Why ⟨U+202E⟩this?" || gaps[0].Status != gap.Open {
		t.Errorf("%+v", gaps)
	}
}

func TestTopics(t *testing.T) {
	ref := func(id, text string) ledger.QuestionRef {
		return ledger.QuestionRef{Note: "untitled:x", Question: id, Text: text}
	}
	o := Overview{Folders: []Folder{{Library: &knowledge.Library{}, Gaps: []ledger.Item{{Ref: ref("2", "Does metformin cause nausea?")}}, Asked: func() []Asked {
		return []Asked{
			{ref("1", "What is gout?"), 1, answer.Nearest}, {ref("2", "Does metformin cause nausea?"), 2, answer.Answered},
			{ref("3", "What is the dose of Metformin?"), 3, answer.Answered}, {ref("4", "Is metformin \u202esafe?"), 4, ""}, {ref("5", "What is asthma?"), 5, answer.Nothing},
		}
	}}}}
	var got []string
	for _, topic := range ListTopics(o).Topics {
		for _, q := range topic.Questions {
			got = append(got, fmt.Sprintf("%s: %d %s %s", strings.ToLower(topic.Subject), q.Line, q.Question, q.Coverage))
		}
	}
	want := []string{
		"metformin: 2 Does metformin cause nausea? missing", "metformin: 3 What is the dose of Metformin? answered", "metformin: 4 Is metformin ⟨U+202E⟩safe? unknown",
		"asthma: 5 What is asthma? missing", "gout: 1 What is gout? nearest",
	}
	if !slices.Equal(got, want) {
		t.Errorf("topics:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
