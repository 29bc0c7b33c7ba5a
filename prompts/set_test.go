package prompts

import (
	stdcmp "cmp"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestRender compares every prompt with the one that was reviewed.
func TestRender(t *testing.T) {
	rendered := map[string]bool{}
	for _, e := range examples {
		name := e.in.template() + "." + e.name
		t.Run(name, func(t *testing.T) {
			chat, err := Default().Render(e.in)
			if err != nil {
				t.Fatal(err)
			}
			again, err := Default().Render(e.in)
			if err != nil || !cmp.Equal(chat, again) {
				t.Errorf("equal inputs made different prompts (%v)", err)
			}
			golden(t, name, transcript(chat))
		})
		rendered[e.in.template()] = true
	}
	for _, name := range Default().Names() {
		if !rendered[name] {
			t.Errorf("no example renders %s", name)
		}
	}
}

// transcript writes a chat as people read it.
func transcript(c Chat) string {
	var b strings.Builder
	for _, m := range c.Messages {
		fmt.Fprintf(&b, "=== %s\n%s\n", m.Role, m.Text)
	}
	switch {
	case c.Thinks:
		fmt.Fprintf(&b, "=== after thinking\n%s\n", c.Schema)
	case c.Schema != nil:
		fmt.Fprintf(&b, "=== schema\n%s\n", c.Schema)
	}
	return b.String()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "render", name+".txt")
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// leftover matches what a template leaves when something in it was not replaced.
var leftover = regexp.MustCompile(`\{\{|\}\}|<no value>|<nil>|%!|\[\]string|\[\d+\] $`)

func TestNothingIsLeftToFillIn(t *testing.T) {
	for _, e := range examples {
		chat, err := Default().Render(e.in)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range chat.Messages {
			if found := leftover.FindString(m.Text); found != "" {
				t.Errorf("%s.%s: %q is left in:\n%s", chat.Template, e.name, found, m.Text)
			}
			if strings.Contains(m.Text, "\n\n\n") || m.Text != strings.TrimSpace(m.Text) || m.Text == "" {
				t.Errorf("%s.%s: blank lines or space are left in %q", chat.Template, e.name, m.Text)
			}
		}
		if chat.Schema != nil && !json.Valid(chat.Schema) {
			t.Errorf("%s: the schema is not JSON: %s", chat.Template, chat.Schema)
		}
	}
}

// TestOneMessageOfTheUser holds that no prompt has two messages of one role in a row, and none that is
// empty: the chat templates of many models refuse both.
func TestOneMessageOfTheUser(t *testing.T) {
	for _, e := range examples {
		chat := mustRender(t, e.in)
		for _, c := range []Chat{chat, OnlyJSON(chat, "Well."), OnlyJSON(chat, "")} {
			for i, m := range c.Messages {
				want := "user"
				if i%2 == 0 {
					want = "assistant"
				}
				if i == 0 {
					want = "system"
				}
				if m.Role != want || m.Text == "" {
					t.Errorf("%s.%s: message %d is of the role %s and says %q", chat.Template, e.name, i, m.Role, m.Text)
				}
			}
			if last := c.Messages[len(c.Messages)-1]; last.Role != "user" {
				t.Errorf("%s.%s ends with the role %s", chat.Template, e.name, last.Role)
			}
		}
	}
}

// TestSharedBeginnings holds what prefix caches need: the system part is the same for all calls of a
// template in one style, and of the calls that fan out only the end differs.
func TestSharedBeginnings(t *testing.T) {
	systems := map[string]string{}
	for _, e := range examples {
		chat, err := Default().Render(e.in)
		if err != nil {
			t.Fatal(err)
		}
		first := chat.Messages[0]
		name := chat.Template
		if style := reflect.ValueOf(e.in).FieldByName("Style"); style.IsValid() {
			name += stdcmp.Or(style.String(), string(Note))
		}
		if before, seen := systems[name]; first.Role != "system" || seen && before != first.Text {
			t.Errorf("%s.%s begins with another system part", chat.Template, e.name)
		}
		systems[name] = first.Text
		if !strings.HasPrefix(first.Text, Default().System(chat.Template)) {
			t.Errorf("%s.%s does not begin with its system part", chat.Template, e.name)
		}
	}
	demonstrations := []Demonstration{{"When are roses pruned?", "Roses flower on new wood."}}
	for _, fan := range []struct {
		a, b   Input
		shared string // the end of what both begin with
	}{
		{SummariseDoc{Question: asked, Options: letters, Document: passages[0]}, SummariseDoc{Question: asked, Options: letters, Document: passages[1]}, "C. In autumn\n\n<<<data "},
		{GenerateDoc{asked, letters, "wood", demonstrations, 256}, GenerateDoc{asked, letters, "", demonstrations, 256}, "C. In autumn\n\n"},
	} {
		a, b := mustRender(t, fan.a), mustRender(t, fan.b)
		if begin := sharedBeginning(a.Messages[1].Text, b.Messages[1].Text); a.Messages[0] != b.Messages[0] || !strings.HasSuffix(begin, fan.shared) {
			t.Errorf("%s: calls that differ in their last part alone share only\n%s", a.Template, begin)
		}
	}
}

func sharedBeginning(a, b string) string {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return a[:n]
}
