package setup

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"lacuna/examples"
	"lacuna/handlers/settings"
	"lacuna/knowledge/ingest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestProposals holds what is proposed for folders as people have them: the archives of testdata, with the proposal in the
// file "proposal". A file whose name ends in a slash is a folder.
func TestProposals(t *testing.T) {
	archives, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(archives) == 0 {
		t.Fatal(err, len(archives))
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			last := &archive.Files[len(archive.Files)-1]
			dir := unpack(t, archive.Files[:len(archive.Files)-1])
			own := ""
			if strings.Contains(string(archive.Comment), "own settings") {
				own = filepath.Join(dir, "own.toml")
			}
			p, err := Survey(t.Context(), filepath.Join(dir, "it"), own, nil)
			if err != nil {
				t.Fatal(err)
			}
			got := strings.ReplaceAll(filepath.ToSlash(p.String()), filepath.ToSlash(dir), "$DIR")
			if *update {
				last.Data = []byte(got)
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if diff := cmp.Diff(string(last.Data), got); diff != "" {
				t.Errorf("proposal (-want +got):\n%s", diff)
			}
			if len(p.Sources) == 0 {
				return
			}
			if err := p.Write(); err != nil {
				t.Fatal(err)
			}
			loaded := settings.Load(settings.Request{Root: filepath.Join(dir, "it"), UserFile: filepath.Join(dir, "own.toml"), LookupEnv: func(string) (string, bool) { return "", false }})
			if len(loaded.Problems) > 0 || len(loaded.Settings.Sources) != len(p.Sources) {
				t.Errorf("what was written is read as %d sources, want %d; problems %v", len(loaded.Settings.Sources), len(p.Sources), loaded.Problems)
			}
			read := 0
			for _, s := range loaded.Settings.Sources {
				files, err := ingest.List(t.Context(), s)
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range files {
					if f.State == "" {
						read++
					}
				}
			}
			promised := 0
			for _, s := range p.Sources {
				promised += s.Files
			}
			if read != promised {
				t.Errorf("%d files would be read, %d were shown", read, promised)
			}
		})
	}
}

func unpack(t *testing.T, files []txtar.File) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, file := range files {
		at := filepath.Join(dir, "it", filepath.FromSlash(file.Name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file.Name, "/") {
			if err := os.MkdirAll(at, 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.WriteFile(at, file.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestWholeDisksAndHomesAreRefused(t *testing.T) {
	home := filepath.Join(t.TempDir(), "homes", "me")
	if err := os.MkdirAll(filepath.Join(home, "notes"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	link := filepath.Join(t.TempDir(), "link")
	linked := os.Symlink(home, link) == nil
	for _, c := range []struct {
		folder  string
		refused bool
	}{
		{home, true}, {filepath.Dir(home), true}, {filepath.VolumeName(home) + string(filepath.Separator), true}, {link, linked},
		{filepath.Join(home, "notes"), false}, {t.TempDir(), false},
	} {
		if why := Refuse(c.folder); (why != "") != c.refused {
			t.Errorf("%s: %q, want refused %v", c.folder, why, c.refused)
		}
	}
}

// TestWriteKeepsWhatIsThere appends to a settings file and leaves alone what is not one.
func TestWriteKeepsWhatIsThere(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, settings.File)
	p := Proposal{Folder: folder, File: file, Sources: []Source{{Source: settings.Source{Path: "odd [x] \"y\".csv", Kind: "qa"}}}}
	if err := os.WriteFile(file, []byte("[answer]\nsentences = \"lead\""), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := p.Write(); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(file)
	if want := "[answer]\nsentences = \"lead\"\n[[source]]\npath = \"odd [x] \\\"y\\\".csv\"\nkind = \"qa\"\n"; string(text) != want {
		t.Errorf("%s", cmp.Diff(want, string(text)))
	}
	p.File = filepath.Join(folder, "folder")
	if err := os.Mkdir(p.File, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := p.Write(); err == nil {
		t.Error("wrote a folder")
	}
	p.Sources[0].Path, p.File = "line\nbreak", file
	if err := p.Write(); err == nil {
		t.Error("wrote a name with a line break")
	}
}

// TestNamesAreUnique gives sources of the same name others.
func TestNamesAreUnique(t *testing.T) {
	p := Proposal{Folder: filepath.FromSlash("/a/it")}
	for _, path := range []string{".", "docs", "x/docs", "y/docs"} {
		p.Sources = append(p.Sources, Source{Source: settings.Source{Path: path}})
	}
	p.name([]ingest.Source{{Name: "it"}, {Name: "x/docs"}})
	var got []string
	for _, s := range p.Sources {
		got = append(got, s.Name)
	}
	if diff := cmp.Diff([]string{"a/it", "", "docs 2", "y/docs"}, got); diff != "" {
		t.Error(diff)
	}
}

// FuzzObsidian reads the settings of a vault, which may be anybody's. What they leave out lies in the vault.
func FuzzObsidian(f *testing.F) {
	f.Add([]byte(`{"userIgnoreFilters":["Old/","../x","/re/","",".."],"folder":"Old","templates_folder":5}`))
	f.Add([]byte(`{"userIgnoreFilters":7}`))
	f.Add([]byte(`[`))
	f.Fuzz(func(t *testing.T, text []byte) {
		vault := t.TempDir()
		for _, at := range []string{".obsidian", "Old", filepath.Join(".obsidian", "plugins", "templater-obsidian")} {
			if err := os.MkdirAll(filepath.Join(vault, at), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{"app.json", "templates.json", filepath.Join("plugins", "templater-obsidian", "data.json")} {
			if err := os.WriteFile(filepath.Join(vault, ".obsidian", name), text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		for _, l := range obsidian(vault) {
			if !filepath.IsLocal(l.folder) {
				t.Errorf("leaves out %q", l.folder)
			}
		}
		if _, err := Survey(context.Background(), vault, "", nil); err != nil {
			t.Error(err)
		}
	})
}

// TestExamplesAreWhole copies each example and compares it with the folder that it is from.
func TestExamplesAreWhole(t *testing.T) {
	for _, e := range examples.All() {
		parent := t.TempDir()
		folder := FreeFolder(parent)
		if err := CopyExample(e, folder); err != nil {
			t.Fatal(err)
		}
		if err := CopyExample(e, folder); !errors.Is(err, fs.ErrExist) {
			t.Errorf("a second copy: %v", err)
		}
		if next := FreeFolder(parent); next == folder {
			t.Errorf("%s is free again", next)
		}
		if _, err := os.Stat(filepath.Join(folder, e.Note)); err != nil {
			t.Error(err)
		}
		files := 0
		from := filepath.Join("..", "..", "examples", e.Name)
		err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			files++
			relative, err := filepath.Rel(from, path)
			if err != nil {
				return err
			}
			want, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if got, err := os.ReadFile(filepath.Join(folder, relative)); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: %v, %d bytes, want %d", relative, err, len(got), len(want))
			}
			return nil
		})
		if err != nil || files < 10 {
			t.Error(err, files)
		}
	}
}
