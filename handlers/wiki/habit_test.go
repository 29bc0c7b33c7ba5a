package wiki

import (
	"os"
	"path/filepath"
	"testing"
)

// TestHabit learns from the notes of a folder how they link.
func TestHabit(t *testing.T) {
	tests := []struct {
		name  string
		files map[string]string
		want  bool
	}{
		{"nothing", nil, false},
		{"links of Markdown", map[string]string{"a.md": "[b](b.md) and [c](c.md), [[d]]"}, false},
		{"links of wikis", map[string]string{"a.md": "[[b]]", "sub/b.md": "see [[a|the a]] and ![[x.png]]", "c.md": "[b](b.md)"}, true},
		{"addresses are no links to files", map[string]string{"a.md": "[[b]] [x](https://example.org) [y](https://example.org/y)"}, true},
		{"code", map[string]string{"a.md": "```\n[[b]]\n```\n"}, false},
		{"answers do not count", map[string]string{"a.md": "What is b?\n\n<!-- lacuna 00000000 -->\n- \"B.\" [[b]]\n- \"C.\" [[b]]\n\n[x](x.md)\n"}, false},
		{"Obsidian", map[string]string{".obsidian/app.json": "{}", "a.md": "[b](b.md)"}, true},
		{"Obsidian without its settings", map[string]string{".obsidian/workspace": ""}, true},
		{"Obsidian, told otherwise", map[string]string{".obsidian/app.json": `{"useMarkdownLinks": true}`, "a.md": "[[b]]"}, false},
		{"Obsidian with broken settings", map[string]string{".obsidian/app.json": `{`}, true},
		{"hidden folders", map[string]string{".trash/a.md": "[[b]]"}, false},
	}
	for _, test := range tests {
		root := t.TempDir()
		for name, text := range test.files {
			path := filepath.Join(root, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := Habit(root); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
	if Habit("") || Habit(filepath.Join(t.TempDir(), "none")) {
		t.Error("no folder has a habit")
	}
}
