//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/tools/txtar"

	"lacuna/knowledge/llm/llmtest"
)

// hostileName is the text that a stranger puts into every name and text that can hold it: it clears a screen,
// sets a title, turns the direction of writing and begins lines of its own.
const hostileName = "a\x1b]0;x\x07\x1b[2J\u202e\u009b1m\rz\nforged: b"

// TestNothingOfAStrangerReachesTheTerminal has hostile names of folders, files, sources, keys and values of
// settings, titles, headings, sections, records, and replies of a model, and runs every command.
func TestNothingOfAStrangerReachesTheTerminal(t *testing.T) {
	dir := workspaceOf(t, txtar.Parse([]byte("-- kb/iron.md --\n# Iron\n")))
	root := filepath.Join(dir, hostileName)
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	said := strings.NewReplacer("\r", "", "\n", " ").Replace(hostileName)
	quoted := strings.NewReplacer("\x1b", `\u001b`, "\x07", `\u0007`, "\u202e", `\u202e`, "\u009b", `\u009b`, "\r", `\r`, "\n", `\n`).Replace(hostileName)
	server := llmtest.New(t, llmtest.On(llmtest.Obliging(), "answer_direct", llmtest.Always(llmtest.Reply{Text: "Iron " + hostileName, Model: hostileName})))
	write(".lacuna.toml", `"`+quoted+`" = 1
diagnostics.max = "`+quoted+`"
answer.system = "`+quoted+`"
[[source]]
name = "`+quoted+`"
path = "kb`+quoted+`"
[[source]]
name = "iron `+quoted+`"
path = "kb"
["table`+quoted+`"]
x = "`+quoted+`"
`)
	write("kb/iron "+hostileName+".md", "---\ntitle: Iron "+said+"\n---\n# Iron tablets "+said+"\n\n## When "+said+"\n\nIron tablets are taken on an empty stomach "+said+" every day.\n")
	write("kb/pairs.jsonl", `{"id":"`+quoted+`","question":"When are iron tablets taken `+quoted+`?","answer":"On an empty stomach `+quoted+`."}`+"\n{\""+quoted+"\"\n")
	write("kb/broken"+hostileName+".docx", "no archive "+hostileName)
	write("note"+hostileName+".md", "# "+said+"\n\n- When are iron tablets taken "+said+"?\n\nWhat is zzyzx "+said+"?\n")
	user := filepath.Join(dir, "user"+hostileName+".toml")
	t.Chdir(root)
	note := filepath.Join(root, "note"+hostileName+".md")
	commands := [][]string{
		{"index"}, {"sources"}, {"sources", "--files"}, {"search", "iron " + said}, {"search", "--format", "json", "iron " + said}, {"ask", "When are iron tablets taken " + said + "?"},
		{"ask", "--json", "When are iron tablets taken?"}, {"answer", note}, {"answer", "--write", note}, {"check", note}, {"check", "--json", note},
		{"gaps"}, {"gaps", "--json"}, {"config"}, {"config", "--json"}, {"doctor"}, {"doctor", "--json"}, {"history"}, {"consent"}, {"audit"}, {"audit", "--verify"},
		{"ask", "--system", "direct", "When are iron tablets taken?"}, {"ask", "--trace", "--system", said, "x?"}, {"explain", said}, {said}, {"ask", "--" + said, "x?"},
		{"consent", "allow", said}, {"history", "forget", said}, {"ask", "--source", said, "x?"}, {"check", hostileName}, {"--workspace", hostileName, "ask", "x?"},
		{"--config", hostileName, "ask", "x?"}, {"gate", "report"}, {"eval", "search", "--queries", hostileName}, {"prompts"}, {"version"},
	}
	for _, model := range []string{"", "privacy.keep_replies = 0\n[model]\nbase_url = \"" + server.URL() + "\"\nmodel = \"" + quoted + "\"\n"} {
		if err := os.WriteFile(user, []byte("\""+quoted+"\" = 2\n"+model), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, command := range commands {
			if !slices.Contains(command, "--config") {
				command = append([]string{"--config", user}, command...)
			}
			out, errs, code := run(t, strings.NewReader(""), command...)
			document := command[2] == "answer" && !slices.Contains(command, "--write") // the user's own note, which goes into a file
			for stream, text := range map[string]string{"standard output": out, "standard error": errs} {
				if at := strings.IndexFunc(text, acts); at >= 0 && !(document && stream == "standard output") {
					t.Errorf("%q, exit %d: %q on %s:\n%q", command, code, text[at:min(len(text), at+10)], stream, text)
				}
			}
			if !document && (strings.Contains("\n"+out, "\nforged") || strings.Contains("\n"+errs, "\nforged")) {
				t.Errorf("%q begins a line of its own:\n%s\n%s", command, out, errs)
			}
			if strings.Contains(errs, "panic") {
				t.Errorf("%q: %s", command, errs)
			}
		}
	}
}

// acts reports whether a terminal would act on a character, or it hides something.
func acts(r rune) bool {
	return r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
}
