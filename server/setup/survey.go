// Package setup proposes how Lacuna is set up in a folder: which sources, what of them is left out, and in which settings
// file that belongs. It then asks a question of the user's own documents to show that it works. It decides nothing that
// package settings or ingest decide: what a source would give, ingest lists, and how a table is written, settings knows.
//
// Begin with [Survey].
package setup

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lacuna/handlers/note"
	"lacuna/handlers/settings"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/ingest/glob"
	"lacuna/knowledge/passage"
)

// Proposal is how a folder could be set up. Nothing has been written.
type Proposal struct {
	Folder string // absolute
	What   string // it is, such as "an Obsidian vault"
	// File is the settings file that would name the sources.
	File    string
	Sources []Source
}

// Source is a proposed source with what it would give.
type Source struct {
	settings.Source
	Notes  bool // its texts are the user's notes as well
	Files  int  // that would be read
	Bytes  int64
	Of     map[string]int // files that would be read, by the ending of their names
	Unread ingest.Totals  // the files that would not be read
	Failed []ingest.FileReport
	why    map[string]string // patterns of Exclude
}

// Survey looks at a folder and proposes sources. ownFile is the user's own settings file if the sources are to serve every
// folder, and "" if they are for the notes of this one. The names of others, the sources that there are already, are taken.
// It opens no document. The error is ctx's, or the folder's.
func Survey(ctx context.Context, folder, ownFile string, others []ingest.Source) (Proposal, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return Proposal{}, err
	}
	p := Proposal{Folder: folder, File: filepath.Join(folder, settings.File)}
	if ownFile != "" {
		p.File = ownFile
	}
	skipped, err := leaveOut(ctx, folder)
	if err != nil {
		return Proposal{}, err
	}
	var sources []settings.Source
	p.What, sources = recognise(folder, names(entries))
	for _, s := range sources {
		source, err := look(ctx, folder, s, skipped)
		if err != nil {
			return Proposal{}, err
		}
		if source.Files > 0 {
			p.Sources = append(p.Sources, source)
		}
	}
	if len(p.Sources) == 0 && sources[0].Path != "." { // a folder docs without documents
		source, err := look(ctx, folder, settings.Source{Path: ".", Exclude: slices.Clone(dataOfProjects)}, skipped)
		if err != nil {
			return Proposal{}, err
		}
		p.What = strings.TrimSuffix(p.What, " with documentation")
		p.Sources = append(p.Sources, source)
	}
	pairs, err := pairFiles(ctx, folder, p.Sources, skipped)
	if err != nil {
		return Proposal{}, err
	}
	p.Sources = slices.DeleteFunc(append(p.Sources, pairs...), func(s Source) bool { return s.Files == 0 })
	if p.What == documents && len(p.Sources) == 1 && p.Sources[0].Files == p.Sources[0].Of[".pdf"] {
		p.What = "a folder of PDF files"
	}
	p.name(others)
	if ownFile != "" {
		for i := range p.Sources {
			s := &p.Sources[i]
			s.Path, s.Notes = filepath.Join(folder, filepath.FromSlash(s.Path)), false
		}
	}
	return p, nil
}

// name gives a name to each source whose file or folder is called as another source.
func (p Proposal) name(others []ingest.Source) {
	taken := map[string]bool{}
	for _, s := range others {
		taken[s.Name] = true
	}
	for i := range p.Sources {
		s := &p.Sources[i].Source
		at := filepath.Join(p.Folder, filepath.FromSlash(s.Path))
		name := filepath.Base(at)
		if taken[name] {
			name = filepath.ToSlash(filepath.Join(filepath.Base(filepath.Dir(at)), name))
			for n := 2; taken[name]; n++ {
				name = fmt.Sprintf("%s %d", filepath.Base(at), n)
			}
			s.Name = name
		}
		taken[name] = true
	}
}

// Refuse says why a folder is not set up as a whole: it is the user's home or holds it. It is empty for all others.
func Refuse(folder string) string {
	at := resolved(folder)
	if at == filepath.Dir(at) {
		return "it is the root of the whole disk"
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	relative, err := filepath.Rel(at, resolved(home))
	switch {
	case err != nil || !filepath.IsLocal(relative):
		return ""
	case relative == ".":
		return "it is your home folder, with much that is no document of yours"
	}
	return "your home folder lies in it"
}

// Named says which sources a folder has already: those that its workspace names or, with own, those of the user's own
// settings that read it. It is empty for a folder that has none.
func Named(sources []ingest.Source, folder string, own bool) string {
	var all []string
	for _, s := range sources {
		relative, err := filepath.Rel(s.Path, folder)
		if !own && s.Confined || own && !s.Confined && err == nil && filepath.IsLocal(relative) {
			all = append(all, s.Path)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return "it is answered from " + strings.Join(all, ", ")
}

func resolved(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	return filepath.Clean(path)
}

// look lists what a source would give.
func look(ctx context.Context, folder string, s settings.Source, skipped []leftOut) (Source, error) {
	at := filepath.Join(folder, filepath.FromSlash(s.Path))
	source := Source{Source: s, Of: map[string]int{}, why: map[string]string{}}
	if info, err := os.Stat(at); err == nil && info.IsDir() {
		for _, l := range collapse(skipped) {
			if pattern, inside := l.below(s.Path); inside && glob.FewEnough(append(source.Exclude, pattern)) {
				source.Exclude = append(source.Exclude, pattern)
				source.why[pattern] = l.why
			}
		}
	}
	kind := passage.Text
	if s.Kind == kindPairs {
		kind = passage.QA
	}
	files, err := ingest.List(ctx, ingest.Source{Name: s.Path, Kind: kind, Path: at, Include: s.Include, Exclude: source.Exclude, Confined: true})
	if err != nil {
		return source, err
	}
	for _, f := range files {
		_, unread := f.Unread()
		_, excluded := f.Excluded()
		switch {
		case f.State == "":
			source.Files++
			source.Bytes += f.Size
			source.Of[f.Ending]++
			source.Notes = source.Notes || s.Path == "." && note.Known("", f.File)
		case unread || excluded:
			source.Unread.Add(&f.FileReport)
		default:
			source.Failed = append(source.Failed, f.FileReport)
		}
	}
	return source, nil
}

const kindPairs = "qa"

// mostPairs bounds the files of stored questions that get a source each; somebody with more names their folder.
const mostPairs = 12

// pairFiles makes sources of the files with stored questions that lie in sources of running text, and takes them out of
// those.
func pairFiles(ctx context.Context, folder string, sources []Source, skipped []leftOut) ([]Source, error) {
	var pairs []Source
	for i := range sources {
		s := &sources[i]
		if s.Of[".jsonl"]+s.Of[".jsonl.gz"]+s.Of[".csv"] == 0 {
			continue
		}
		files, err := ingest.List(ctx, ingest.Source{Path: filepath.Join(folder, filepath.FromSlash(s.Path)), Include: s.Include, Exclude: s.Exclude, Confined: true})
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			if f.State != "" || len(pairs) == mostPairs || !settings.HoldsPairs(f.File) {
				continue
			}
			relative, err := filepath.Rel(folder, f.File)
			if err != nil {
				return nil, err
			}
			own, err := look(ctx, folder, settings.Source{Path: filepath.ToSlash(relative), Kind: kindPairs}, nil)
			if err != nil {
				return nil, err
			}
			pairs = append(pairs, own)
			below, err := filepath.Rel(filepath.Join(folder, filepath.FromSlash(s.Path)), f.File)
			if err != nil {
				return nil, err
			}
			s.Exclude = append(s.Exclude, glob.Quote(filepath.ToSlash(below)))
		}
		if len(pairs) > 0 {
			again, err := look(ctx, folder, s.Source, nil)
			if err != nil {
				return nil, err
			}
			again.Notes, again.why = s.Notes, s.why
			for _, p := range pairs {
				again.why[glob.Quote(p.Path)] = "stored questions, a source of their own"
			}
			*s = again
		}
	}
	return pairs, nil
}

// Write appends the sources to the settings file. A file of the user's own is made readable by the user alone.
func (p Proposal) Write() error {
	mode := os.FileMode(0o644)
	if filepath.Dir(p.File) != p.Folder {
		if err := os.MkdirAll(filepath.Dir(p.File), 0o700); err != nil {
			return err
		}
		mode = 0o600
	}
	return settings.AppendSources(p.File, p.tables(), mode)
}

func (p Proposal) tables() []settings.Source {
	var tables []settings.Source
	for _, s := range p.Sources {
		tables = append(tables, s.Source)
	}
	return tables
}

// names returns the names of entries, folders with a slash behind.
func names(entries []fs.DirEntry) map[string]bool {
	all := map[string]bool{}
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() {
			name += "/"
		}
		all[name] = true
	}
	return all
}

// recognise says what a folder is, by the names in it, and which sources fit.
func recognise(folder string, has map[string]bool) (what string, sources []settings.Source) {
	whole := []settings.Source{{Path: "."}}
	switch {
	case has[".obsidian/"]:
		whole[0].Exclude = []string{"**/*.excalidraw.md"} // drawings, packed as text
		return "an Obsidian vault", whole
	case has["logseq/"] && (has["pages/"] || has["journals/"]):
		return "a Logseq graph", whole
	case has[".zk/"]:
		return "a zk notebook", whole
	case has[".foam/"], has[".dendron.yml"], has["dendron.yml"]:
		return "a folder of linked notes", whole
	case has["zotero.sqlite"] && has["storage/"]:
		return "a library of Zotero", []settings.Source{{Path: "storage", Include: []string{"**/*.pdf", "**/*.epub", "**/*.html", "**/*.bib"}}}
	}
	if marker := markerOf(folder, has); marker != "" {
		what = fmt.Sprintf("a project (%s)", marker)
		for _, name := range sorted(has) {
			bare := strings.TrimSuffix(name, "/")
			switch {
			case bare != name && slices.Contains(docFolders, strings.ToLower(bare)):
				sources = append(sources, settings.Source{Path: bare, Exclude: slices.Clone(dataOfProjects)})
			case strings.HasPrefix(strings.ToLower(bare), "readme.") && bare == name:
				sources = append(sources, settings.Source{Path: bare})
			}
		}
		if !slices.ContainsFunc(sources, func(s settings.Source) bool { return len(s.Exclude) > 0 }) {
			return what, []settings.Source{{Path: ".", Exclude: slices.Clone(dataOfProjects)}}
		}
		return what + " with documentation", sources
	}
	return documents, whole
}

// documents is what a folder is called that nothing else is known of.
const documents = "a folder of documents"

// docFolders are the names, in lower case, of folders in which projects keep their documentation.
var docFolders = []string{"docs", "doc", "documentation", "manual", "manuals", "guide", "guides", "handbook", "wiki", "content", "book", "adr", "rfcs"}

// dataOfProjects matches files that next to code are data or configuration and not documentation.
var dataOfProjects = []string{"**/*.json", "**/*.xml", "**/*.csv", "**/*.jsonl"}

// projectFiles are the names of files that only a project of code, or of a site that is built, has.
var projectFiles = []string{
	"go.mod", "package.json", "Cargo.toml", "pyproject.toml", "setup.py", "requirements.txt", "pom.xml", "build.gradle", "build.gradle.kts",
	"CMakeLists.txt", "meson.build", "composer.json", "Gemfile", "mix.exs", "Package.swift", "build.sbt", "stack.yaml", "dune-project",
	"mkdocs.yml", "hugo.toml", "_config.yml", "antora.yml", "flake.nix", "configure.ac", "BUILD.bazel",
}

// markerOf returns the name by which a folder is a project, or "".
func markerOf(folder string, has map[string]bool) string {
	for _, name := range projectFiles {
		if has[name] {
			return name
		}
	}
	for _, name := range sorted(has) {
		switch filepath.Ext(name) {
		case ".sln", ".csproj", ".cabal", ".gemspec", ".xcodeproj/":
			return strings.TrimSuffix(name, "/")
		}
	}
	return ""
}

func sorted(has map[string]bool) []string {
	all := make([]string, 0, len(has))
	for name := range has {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}
