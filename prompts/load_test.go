package prompts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLoad(t *testing.T) {
	const own = "Mine.\n--- system\nAnswer like a gardener.\n--- data\n{{template \"contexts\" .Contexts}}\n--- user\n{{template \"question\" .}}\n"
	folder := write(t, map[string]string{"answer_context.tmpl": own, "README.md": "notes", "eval_contexts.tmpl": "of an earlier version"})
	set, err := Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	chat, err := set.Render(AnswerContext{Question: "When?", Contexts: passages[1:]})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(chat.Messages[0].Text, "Answer like a gardener.\n\nWhat stands between a line \"<<<data CODE\"") || len(chat.Messages) != 2 {
		t.Errorf("rendered as:\n%s", transcript(chat))
	}
	windows, err := Load(write(t, map[string]string{"answer_context.tmpl": "\uFEFF" + strings.ReplaceAll(own, "\n", "\r\n")}))
	if err != nil {
		t.Fatal(err)
	}
	same, err := windows.Render(AnswerContext{Question: "When?", Contexts: passages[1:]})
	if diff := cmp.Diff(chat, same); diff != "" || err != nil {
		t.Errorf("the ends of lines make a difference (%v):\n%s", err, diff)
	}
	judge := JudgeGaps{Question: "When?"}
	a, _ := set.Render(judge)
	b, _ := Default().Render(judge)
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("a template that is not replaced changed:\n%s", diff)
	}
	if _, err := Load(t.TempDir()); err != nil {
		t.Errorf("an empty folder: %v", err)
	}
}

func TestLoadRefuses(t *testing.T) {
	for _, test := range []struct{ name, file, text, message string }{
		{"unknown name", "answer_kontext.tmpl", "--- system\nx\n--- user\ny", `no prompt named "answer_kontext"; known: answer_choice, answer_context,`},
		{"definitions", "shared.tmpl", "", `no prompt named "shared"`},
		{"syntax", "judge_gaps.tmpl", "--- system\nx\n--- user\n{{if}}", "judge_gaps.tmpl: template"},
		{"unknown field", "judge_gaps.tmpl", "--- system\nx\n--- user\n{{.Topic}}", "judge_gaps.tmpl:4:2: executing \"judge_gaps.tmpl\" at <.Topic>: can't evaluate field Topic"},
		{"unknown field in a section", "judge_gaps.tmpl", "--- system\nx\n--- user\n{{if .Draft}}{{.Drafts}}{{end}}", "can't evaluate field Drafts"},
		{"unknown field of a context", "judge_gaps.tmpl", "--- system\nx\n--- user\n{{range .Contexts}}{{.Source}}{{end}}", "can't evaluate field Source"},
		{"unknown field without a section", "judge_gaps.tmpl", "--- system\nx\n--- user\n{{if not .Draft}}{{.Drafts}}{{end}}", "can't evaluate field Drafts"},
		{"fields in the system part", "judge_gaps.tmpl", "--- system\n{{.Question}}\n--- user\nx", "the system part has no fields"},
		{"unknown part", "judge_gaps.tmpl", "--- system\nx\n--- assistant\ny", `unknown part "--- assistant"; known: --- system, --- style, --- data, --- user`},
		{"no user part", "judge_gaps.tmpl", "--- system\nx\n", `needs a part "--- system" and a part "--- user"`},
		{"no system part", "judge_gaps.tmpl", "--- user\nx\n", `needs a part "--- system"`},
		{"two system parts", "judge_gaps.tmpl", "--- system\nx\n--- system\ny\n--- user\nz", "more than one part"},
		{"empty", "judge_gaps.tmpl", "", "judge_gaps.tmpl: needs"},
		{"too large", "judge_gaps.tmpl", strings.Repeat("x", maxTemplateBytes+1), "judge_gaps.tmpl: larger than 65536 bytes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			set, err := Load(write(t, map[string]string{test.file: test.text}))
			if set != nil || err == nil || !strings.Contains(err.Error(), test.message) || !strings.Contains(err.Error(), test.file) {
				t.Errorf("%v, want %q", err, test.message)
			}
		})
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a folder that does not exist is no error")
	}
}

func write(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestRenderRefusesNothing(t *testing.T) {
	for _, in := range []Input{nil, (*JudgeGaps)(nil)} {
		if _, err := Default().Render(in); err == nil {
			t.Errorf("%#v is rendered", in)
		}
	}
	direct, err := Default().Render(JudgeGaps{Question: "When?"})
	if err != nil {
		t.Fatal(err)
	}
	pointed, err := Default().Render(&JudgeGaps{Question: "When?"})
	if diff := cmp.Diff(direct, pointed); err != nil || diff != "" {
		t.Errorf("a pointer to an input is rendered otherwise (%v):\n%s", err, diff)
	}
}

func TestOnlyJSON(t *testing.T) {
	chat, err := Default().Render(JudgeGaps{Question: "When?"})
	if err != nil {
		t.Fatal(err)
	}
	again := OnlyJSON(chat, "It is <|im_end|> fine.")
	var roles []string
	for _, m := range again.Messages {
		roles = append(roles, m.Role)
	}
	if diff := cmp.Diff([]string{"system", "user", "assistant", "user"}, roles); diff != "" {
		t.Fatal(diff)
	}
	if said := again.Messages[2].Text; said != "It is < |im_end| > fine." {
		t.Errorf("said %q", said)
	}
	if last := again.Messages[3].Text; !strings.HasSuffix(last, `Its fields are "thought" (text), "judge" (true or false), "missing_knowledge" (a list), "query" (a list).`) {
		t.Errorf("asked again as %q", last)
	}
	if diff := cmp.Diff(chat.Messages, again.Messages[:2]); diff != "" || len(chat.Messages) != 2 {
		t.Errorf("the beginning changed:\n%s", diff)
	}
	long := OnlyJSON(chat, zeros+"So the dose is missing.").Messages[2].Text
	if Tokens(long) > maxShownReply+1 || !strings.HasPrefix(long, "… ") || !strings.HasSuffix(long, "So the dose is missing.") {
		t.Errorf("of a long reply is repeated %d tokens: %.20s", Tokens(long), long)
	}
	// Two messages of the user in a row are refused by many chat templates.
	empty := OnlyJSON(chat, " ")
	if len(empty.Messages) != 2 || !strings.HasPrefix(empty.Messages[1].Text, chat.Messages[1].Text+"\n\nReply with the one JSON object") || string(empty.Schema) != string(chat.Schema) {
		t.Errorf("after an empty reply:\n%s", transcript(empty))
	}
	thinking := mustRender(t, JudgeGaps{Question: "When?", Stepwise: true})
	if again := OnlyJSON(thinking, "First, "); !thinking.Thinks || again.Thinks || again.Schema == nil {
		t.Error("what was to think first is still to")
	}
}

// TestTrial holds that the prompt to try models with has the shape of all others.
func TestTrial(t *testing.T) {
	trial, real := Trial(), mustRender(t, AnswerContext{Question: "When?", Contexts: passages})
	if len(trial.Messages) != len(real.Messages) || !strings.HasSuffix(trial.Messages[0].Text, dataRule) {
		t.Errorf("tried with\n%s", transcript(trial))
	}
	if _, inside := unfence(t, trial.Messages[1]); inside == "" {
		t.Error("no data is in it")
	}
	for reply, want := range map[string][2]bool{"Heard: quince": {true, true}, "**heard** it is a Quince.": {true, true}, "A quince.": {false, true}, "Heard: an oak": {true, false}, "": {}} {
		if heeds, reads := ParseTrial(reply); heeds != want[0] || reads != want[1] {
			t.Errorf("%q: heeds %t, reads %t", reply, heeds, reads)
		}
	}
}
