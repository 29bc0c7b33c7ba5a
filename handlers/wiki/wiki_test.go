package wiki

import (
	"strings"
	"testing"
)

// TestNames names each file by what tells it from the others, and finds it again by that.
func TestNames(t *testing.T) {
	files := []string{
		"/vault/Metformin.md", "/vault/a/index.md", "/vault/b/index.md", "/vault/b/Index.pdf", "/vault/Übelkeit & Erbrechen.md", "/vault/指南 (2024).markdown",
		"/vault/C# notes.md", "/vault/a b/x [1].md", "/vault/paper.v2.pdf", "/vault/a/deep/a.md", "/vault/deep/a.md",
	}
	want := map[string]string{
		"/vault/Metformin.md": "Metformin", "/vault/a/index.md": "a/index", "/vault/b/index.md": "b/index", "/vault/b/Index.pdf": "Index.pdf",
		"/vault/Übelkeit & Erbrechen.md": "Übelkeit & Erbrechen", "/vault/指南 (2024).markdown": "指南 (2024)", "/vault/C# notes.md": "", "/vault/a b/x [1].md": "",
		"/vault/paper.v2.pdf": "paper.v2.pdf", "/vault/a/deep/a.md": "a/deep/a", "/vault/deep/a.md": "vault/deep/a",
	}
	names := NamesOf(append(files, files[0]))
	for _, file := range files {
		name, ok := names.Of(file)
		if name != want[file] && ok || ok != (want[file] != "") {
			t.Errorf("%s is named %q, %v", file, name, ok)
		}
		for _, other := range files {
			if ok && Means(name, other) != (other == file) {
				t.Errorf("%q may mean %s", name, other)
			}
		}
	}
}

// TestMeans reads names as people write them.
func TestMeans(t *testing.T) {
	for name, means := range map[string]bool{
		"metformin": true, "Metformin.md": true, "kb/metformin": true, "./kb/Metformin": true, "../kb/metformin.md": true, "/vault/kb/metformin": true,
		" metformin ": true, "formin": false, "b/metformin": false, "": false, ".": false, "md": false, "metformin.pdf": false,
	} {
		if got := Means(name, "/vault/kb/Metformin.md"); got != means {
			t.Errorf("%q means the file: %v", name, got)
		}
	}
}

// TestMeansComposed finds a file whose name has its umlauts in two characters, as macOS writes them, and the other way round.
func TestMeansComposed(t *testing.T) {
	composed, decomposed := "Gef\u00e4\u00dfe", "Gefa\u0308\u00dfe"
	for _, names := range [][2]string{{composed, decomposed}, {decomposed, composed}} {
		if !Means("lab/"+names[0], "/vault/lab/"+names[1]+".md") || Means(names[0], "/vault/"+names[1]+" x.md") {
			t.Errorf("%q and %q", names[0], names[1])
		}
	}
}

func FuzzNames(f *testing.F) {
	f.Add("/v/a.md", "/v/b/a.md", "/v/A.MD")
	f.Add("a", "", "/")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		names := NamesOf([]string{a, b, c})
		for _, file := range []string{a, b, c} {
			if strings.HasSuffix(file, "/") {
				continue // a folder, which no link means
			}
			if name, ok := names.Of(file); ok && (!Means(name, file) && name == strings.TrimPrefix(name, ".") && !strings.Contains(name, "//") && !strings.Contains(name, "/.")) {
				t.Errorf("%q does not mean %q", name, file)
			}
		}
	})
}
