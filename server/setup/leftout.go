package setup

import (
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"lacuna/knowledge/ingest/glob"
	"lacuna/vecmath/regular"
)

// leftOut is a folder that a source should leave out.
type leftOut struct {
	folder string // relative to the surveyed folder, with forward slashes; or a pattern
	why    string
	// anywhere says that folder is a pattern which holds at any depth.
	anywhere bool
}

// below returns the pattern for a source at a path of the surveyed folder.
func (l leftOut) below(source string) (pattern string, inside bool) {
	if l.anywhere {
		return l.folder, true
	}
	if source != "." {
		rest, found := strings.CutPrefix(l.folder, source+"/")
		if !found {
			return "", false
		}
		return glob.Quote(rest) + "/**", true
	}
	return glob.Quote(l.folder) + "/**", true
}

// mostAlike bounds the folders of one name that are left out one by one.
const mostAlike = 8

// collapse replaces folders of the same name by one pattern if there are many.
func collapse(all []leftOut) []leftOut {
	alike := map[string]int{}
	for _, l := range all {
		alike[path.Base(l.folder)]++
	}
	var few []leftOut
	for _, l := range all {
		if name := path.Base(l.folder); alike[name] > mostAlike {
			l = leftOut{"**/" + glob.Quote(name) + "/**", l.why, true}
		}
		if !slices.ContainsFunc(few, func(other leftOut) bool { return other.folder == l.folder }) {
			few = append(few, l)
		}
	}
	return few
}

// Reasons for which a folder is left out.
const (
	built      = "made by a program"
	installed  = "code of others"
	archived   = "an archive, by its name"
	privateOne = "private, by its name"
	templates  = "templates of notes"
	ignored    = "left out in Obsidian too"
	backups    = "Logseq's own files"
)

// byName are names of folders, in lower case, that say by themselves why to leave the folder out.
var byName = map[string]string{
	"archive": archived, "archives": archived, "archived": archived, "attic": archived, "trash": archived,
	"private": privateOne, "diary": privateOne, "diaries": privateOne,
	"__pycache__": built, "bower_components": installed, "site-packages": installed,
}

// byNeighbour are names of folders, in lower case, that mean something beside a file of these names.
var byNeighbour = []struct {
	folders, files []string
	why            string
}{
	{[]string{"vendor"}, []string{"go.mod", "composer.json", "Gemfile"}, installed},
	{[]string{"target"}, []string{"Cargo.toml", "pom.xml", "build.sbt"}, built},
	{[]string{"build", "dist", "out", "coverage", "htmlcov", "bin", "obj"}, projectFiles, built},
	{[]string{"_build", "build"}, []string{"conf.py", "dune-project", "mix.exs"}, built},
	{[]string{"site"}, []string{"mkdocs.yml"}, built},
	{[]string{"public", "resources"}, []string{"hugo.toml", "hugo.yaml"}, built},
	{[]string{"_site"}, []string{"_config.yml"}, built},
	{[]string{"book"}, []string{"book.toml"}, built},
	{[]string{"logseq"}, []string{"pages/", "journals/"}, backups},
}

// deepest is how many folders below the surveyed one are looked at for folders to leave out.
const deepest = 8

// leaveOut finds the folders that sources in a folder should leave out. It does not enter hidden ones and node_modules, which
// no source reads.
func leaveOut(ctx context.Context, folder string) ([]leftOut, error) {
	all := obsidian(folder)
	err := filepath.WalkDir(folder, func(at string, entry fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && entry != nil && entry.IsDir():
			return fs.SkipDir
		case err != nil || !entry.IsDir() || at == folder:
			return nil
		case strings.HasPrefix(entry.Name(), "."), entry.Name() == "node_modules":
			return fs.SkipDir
		}
		relative, err := filepath.Rel(folder, at)
		if err != nil {
			return err
		}
		relative = filepath.ToSlash(relative)
		if slices.ContainsFunc(all, func(l leftOut) bool { return l.folder == relative }) {
			return fs.SkipDir
		}
		if why := whyLeftOut(at, entry.Name()); why != "" {
			all = append(all, leftOut{folder: relative, why: why})
			return fs.SkipDir
		}
		if strings.Count(relative, "/") >= deepest {
			return fs.SkipDir
		}
		return nil
	})
	return all, err
}

// whyLeftOut says why to leave a folder out; empty if there is no reason.
func whyLeftOut(at, name string) string {
	lower := strings.ToLower(name)
	numbered := strings.TrimLeft(lower, "0123456789.-_ ") // "4 Archive", as many order their folders
	if why := byName[numbered]; why != "" {
		return why
	}
	for _, mark := range []string{"CACHEDIR.TAG", "pyvenv.cfg"} {
		if _, err := os.Lstat(filepath.Join(at, mark)); err == nil {
			return built
		}
	}
	if strings.HasSuffix(lower, ".egg-info") {
		return built
	}
	for _, rule := range byNeighbour {
		if !slices.Contains(rule.folders, lower) {
			continue
		}
		for _, file := range rule.files {
			info, err := os.Lstat(filepath.Join(filepath.Dir(at), filepath.FromSlash(strings.TrimSuffix(file, "/"))))
			if err == nil && info.IsDir() == strings.HasSuffix(file, "/") {
				return rule.why
			}
		}
	}
	return ""
}

// obsidian returns the folders that the settings of a vault leave out or use for templates. What the files say is a
// stranger's: it can only leave folders of the vault out.
func obsidian(vault string) []leftOut {
	var app struct {
		Filters []string `json:"userIgnoreFilters"`
	}
	var core struct {
		Folder string `json:"folder"`
	}
	var templater struct {
		Folder string `json:"templates_folder"`
	}
	at := filepath.Join(vault, ".obsidian")
	readJSON(filepath.Join(at, "app.json"), &app)
	readJSON(filepath.Join(at, "templates.json"), &core)
	readJSON(filepath.Join(at, "plugins", "templater-obsidian", "data.json"), &templater)
	var all []leftOut
	add := func(name, why string) {
		name = strings.Trim(name, "/ ")
		if info, err := os.Lstat(filepath.Join(vault, filepath.FromSlash(name))); name != "" && filepath.IsLocal(name) && err == nil && info.IsDir() {
			all = append(all, leftOut{folder: path.Clean(name), why: why})
		}
	}
	for _, filter := range app.Filters {
		if !strings.HasPrefix(filter, "/") { // which begins a regular expression
			add(filter, ignored)
		}
	}
	add(core.Folder, templates)
	add(templater.Folder, templates)
	return all
}

// mostJSON bounds a settings file of another program.
const mostJSON = 1 << 20

// readJSON reads a file into value, which stays as it is where that fails.
func readJSON(name string, value any) {
	file, err := regular.Open(name)
	if err != nil {
		return
	}
	defer file.Close()
	if text, err := io.ReadAll(io.LimitReader(file, mostJSON)); err == nil {
		_ = json.Unmarshal(text, value) // a broken file says nothing
	}
}
