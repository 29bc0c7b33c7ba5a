package agents

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestResources(t *testing.T) {
	w := allowed(t)
	var book strings.Builder
	for i := range 105 {
		fmt.Fprintf(&book, "## Recipe %d\n\n%s\n\n", i, strings.Repeat(fmt.Sprintf("The glaze no. %d is made of ash and clay. ", i), 8))
	}
	for name, text := range map[string]string{"kb/recipes.md": book.String(), "kb/asked.jsonl": `{"id": "1", "question": "How long does clay rest?", "answer": "Clay rests for three weeks."}` + "\n"} {
		if err := os.WriteFile(filepath.Join(w.Root(), name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := connectWith(t, Options{Version: "test", Workspace: w, Offline: true, Now: time.Now, Log: quiet, Gaps: someGaps}, "reader")
	if l, err := s.ListResources(t.Context(), nil); err != nil || len(l.Resources) > 0 {
		t.Fatalf("before consent: %d resources, %v", len(l.Resources), err)
	}
	if _, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "lacuna://file/kb/kiln.md"}); err == nil || !strings.Contains(err.Error(), "lacuna consent allow agent:reader") {
		t.Fatalf("before consent: %v", err)
	}
	if _, err := w.Allow(t.Context(), "agent:reader"); err != nil {
		t.Fatal(err)
	}
	uris, pages := map[string]string{}, 0
	for cursor := "-"; cursor != ""; pages++ {
		l, err := s.ListResources(t.Context(), &mcp.ListResourcesParams{Cursor: strings.TrimPrefix(cursor, "-")})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range l.Resources {
			if uris[r.Name] != "" {
				t.Errorf("%s is listed twice", r.Name)
			}
			uris[r.Name] = r.URI
		}
		cursor = l.NextCursor
	}
	if len(uris) != 5+120 || pages != 2 || uris["kb/kiln.md"] == "" || uris["kb/secret.md"] != "" {
		t.Errorf("%d resources in %d pages", len(uris), pages)
	}
	read := func(uri string) string {
		t.Helper()
		r, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil {
			return err.Error()
		}
		if r.Contents[0].Meta["lacuna/data"] != true {
			t.Errorf("%s is not marked as data", uri)
		}
		return r.Contents[0].Text
	}
	for _, c := range []struct {
		uri       string
		want, not []string
	}{
		{uris["kb/kiln.md"], []string{"fired at 980 degrees", `"data":"Texts of a document of the user: data`, `"line":3`}, nil},
		{uris["kb/letter.md"], []string{"apixaban 5 mg"}, []string{"Berg", "44-3871"}},
		{uris["kb/asked.jsonl"], []string{`"question":"How long does clay rest?"`, "three weeks"}, nil},
		{"lacuna://file/kb/kiln.md", []string{"fired at 980 degrees"}, nil},
		{"lacuna://file/kb%2Fk%69ln.md", []string{"fired at 980 degrees"}, nil},
		{"lacuna://file/kb/kiln.m%", []string{"not found"}, nil},
		{"lacuna://file/kb/secret.md", []string{"not found"}, []string{"iron"}},
		{"lacuna://file/../kb/kiln.md", []string{"not found"}, nil},
		{"lacuna://document/000000000000000000000000", []string{"not found"}, nil},
		{uris["kb/kiln.md"] + "/99", []string{"not found"}, nil},
		{uris["kb/kiln.md"] + "/-1", []string{"not found"}, nil},
		{uris["Nothing on porcelain no. 7"], []string{`"text":"Nothing on porcelain no. 7"`, `"search":"price of porcelain"`, `"note":`}, nil},
		{"lacuna://gap/000000000000000000000000", []string{"not found"}, nil},
	} {
		got := read(c.uri)
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s lacks %s: %.600s", c.uri, want, got)
			}
		}
		for _, not := range c.not {
			if strings.Contains(got, not) {
				t.Errorf("%s has %s: %.600s", c.uri, not, got)
			}
		}
	}
	var recipes []string
	parts := 0
	for next := uris["kb/recipes.md"]; next != ""; parts++ {
		var part documentOutput
		if err := json.Unmarshal([]byte(read(next)), &part); err != nil {
			t.Fatal(err)
		}
		for _, p := range part.Passages {
			recipes = append(recipes, p.Heading)
		}
		next = part.Next
	}
	if all := slices.Compact(recipes); len(all) != 105 || parts < 2 {
		t.Errorf("%d recipes in %d parts", len(all), parts)
	}
}

func TestGapsOfAllNotes(t *testing.T) {
	s := connectWith(t, Options{Version: "test", Workspace: allowed(t, "reader"), Offline: true, Now: time.Now, Log: quiet, Gaps: someGaps}, "reader")
	var all []string
	for cursor := "-"; cursor != ""; {
		reply, failed := call(t, s, "gaps", map[string]any{"cursor": strings.TrimPrefix(cursor, "-"), "most": 70})
		if failed {
			t.Fatal(reply)
		}
		var page gapsOutput
		if err := json.Unmarshal([]byte(reply), &page); err != nil || page.Total != 120 {
			t.Fatalf("%v: %s", err, reply)
		}
		for _, g := range page.Gaps {
			all = append(all, g.Question)
		}
		cursor = page.Next
	}
	if len(all) != 120 || all[119] != "What is the price of porcelain no. 119?" {
		t.Errorf("%d gaps", len(all))
	}
	if reply, failed := call(t, s, "gaps", map[string]any{"cursor": "00000000-70"}); !failed || !strings.Contains(reply, "begin again") {
		t.Error(reply)
	}
}
