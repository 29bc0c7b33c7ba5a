package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"lacuna/server/cli"
)

// released are stand-ins for the files of a release of all platforms.
func released() map[string][]byte {
	files := map[string][]byte{}
	for _, platform := range platforms {
		files[archiveName(platform)] = []byte("archive for " + platform)
	}
	for _, platform := range bundlePlatforms {
		files[bundleName(platform)] = []byte("bundle for " + platform)
	}
	return files
}

// recipes are those of such a release, by the names of their templates.
func recipes(t *testing.T) map[string]string {
	t.Helper()
	files := released()
	left, err := addRecipes(files, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	if err != nil || len(left) > 0 {
		t.Fatalf("left out %q, %v", left, err)
	}
	made := map[string]string{}
	for name, place := range recipePlaces {
		if files[place] == nil {
			t.Fatalf("%s was not made", place)
		}
		made[name] = string(files[place])
	}
	return made
}

// TestRecipesHaveTheFacts holds that every address in a recipe is that of a file of this release, of the publisher or of a schema, that each
// archive stands beside its own checksum, and which platforms each recipe is for.
func TestRecipesHaveTheFacts(t *testing.T) {
	want := map[string]string{
		"lacuna.rb":             "darwin/amd64 darwin/arm64 linux/amd64 linux/arm64",
		"scoop.json":            "windows/amd64 windows/arm64",
		"winget.installer.yaml": "windows/amd64 windows/arm64",
		"package.nix":           "darwin/amd64 darwin/arm64 linux/amd64 linux/arm64 linux/riscv64",
		"PKGBUILD":              "linux/amd64 linux/arm64 linux/riscv64",
		"SRCINFO":               "linux/amd64 linux/arm64 linux/riscv64",
		"mason.yaml":            "darwin/amd64 darwin/arm64 linux/amd64 linux/arm64 windows/amd64 windows/arm64",
		"server.json":           "darwin/amd64 darwin/arm64 linux/amd64 linux/arm64 windows/amd64 windows/arm64",
	}
	schemas := []string{"https://aka.ms/winget-manifest.", "https://static.modelcontextprotocol.io/schemas/"}
	addresses := regexp.MustCompile(`https?://[^\s"',]+`)
	files := released()
	for name, text := range recipes(t) {
		var found []string
		for _, place := range addresses.FindAllStringIndex(text, -1) {
			link := text[place[0]:place[1]]
			if link == address || slices.ContainsFunc(schemas, func(s string) bool { return strings.HasPrefix(link, s) }) {
				continue
			}
			file, ours := strings.CutPrefix(link, download(""))
			if !ours || files[file] == nil {
				t.Errorf("%s: %s is no file of the release", name, link)
				continue
			}
			platform := ""
			for _, p := range platforms {
				if strings.HasPrefix(file, folderName(p)+".") {
					platform = p
				}
			}
			found = append(found, platform)
			sum := sha256.Sum256(files[file])
			forms := []string{hex.EncodeToString(sum[:]), strings.ToUpper(hex.EncodeToString(sum[:])), base64.StdEncoding.EncodeToString(sum[:])}
			if name == "mason.yaml" { // it has no checksums
				continue
			}
			if !slices.ContainsFunc(forms, func(form string) bool { return strings.Contains(text[place[1]:], form) }) {
				t.Errorf("%s: the checksum of %s is missing below it", name, file)
			}
		}
		slices.Sort(found)
		if got := strings.Join(slices.Compact(found), " "); got != want[name] {
			t.Errorf("%s is for %q, want %q", name, got, want[name])
		}
		if strings.Contains(text, "<no value>") || !strings.Contains(text, cli.Version) {
			t.Errorf("%s lacks a fact:\n%s", name, text)
		}
	}
}

// TestRecipesNeedTheirArchives holds that a recipe is left out when one of its platforms was not built.
func TestRecipesNeedTheirArchives(t *testing.T) {
	files := released()
	delete(files, archiveName("linux/riscv64"))
	delete(files, bundleName("darwin/arm64"))
	left, err := addRecipes(files, time.Unix(0, 0))
	slices.Sort(left)
	if got, want := strings.Join(left, " "), "PKGBUILD SRCINFO package.nix server.json"; got != want || err != nil {
		t.Errorf("left out %q, want %q, %v", got, want, err)
	}
	if files[recipePlaces["package.nix"]] != nil || files[recipePlaces["lacuna.rb"]] == nil {
		t.Error("what was left out was made, or the other way round")
	}
}

// strict reads JSON that may have no other fields than value has.
func strict(t *testing.T, text string, value any) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(value); err != nil {
		t.Errorf("%v:\n%s", err, text)
	}
}

func TestScoop(t *testing.T) {
	type architecture struct {
		URL, Hash  string
		ExtractDir string `json:"extract_dir"`
	}
	var m struct {
		Version, Description, Homepage, License, Bin string
		Architecture                                 map[string]architecture
	}
	strict(t, recipes(t)["scoop.json"], &m)
	for name, platform := range map[string]string{"64bit": "windows/amd64", "arm64": "windows/arm64"} {
		a := m.Architecture[name]
		if a.URL != download(archiveName(platform)) || len(a.Hash) != 64 || a.ExtractDir != folderName(platform) {
			t.Errorf("%s: %+v", name, a)
		}
	}
	if m.Version != cli.Version || m.Bin != "lacuna.exe" || m.License != "Apache-2.0" || len(m.Architecture) != 2 {
		t.Errorf("%+v", m)
	}
}

// TestServerEntry holds what the schema of 2025-12-11 demands of an entry in the registry of the Model Context Protocol.
func TestServerEntry(t *testing.T) {
	var entry struct {
		Schema      string `json:"$schema"`
		Name        string
		Title       string
		Description string
		Version     string
		WebsiteURL  string `json:"websiteUrl"`
		Packages    []struct {
			RegistryType, Identifier, Version string
			FileSHA256                        string `json:"fileSha256"`
			Transport                         struct{ Type string }
		}
	}
	strict(t, recipes(t)["server.json"], &entry)
	if !regexp.MustCompile(`^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`).MatchString(entry.Name) || len(entry.Name) > 200 || len(entry.Title) > 100 {
		t.Errorf("name %q, title %q", entry.Name, entry.Title)
	}
	if n := len(entry.Description); n == 0 || n > 100 {
		t.Errorf("the description has %d characters, of 100", n)
	}
	if entry.Version != cli.Version || entry.Schema != "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json" || len(entry.Packages) != len(bundlePlatforms) {
		t.Errorf("%+v", entry)
	}
	for _, p := range entry.Packages {
		if p.RegistryType != "mcpb" || p.Transport.Type != "stdio" || !strings.HasSuffix(p.Identifier, ".mcpb") || !regexp.MustCompile(`^[a-f0-9]{64}$`).MatchString(p.FileSHA256) {
			t.Errorf("%+v", p)
		}
	}
}

func TestNamespace(t *testing.T) {
	for address, want := range map[string]string{
		"https://lacuna.example/lacuna":   "example.lacuna/lacuna",
		"https://code.example.org:8443/l": "org.example.code/lacuna",
		"https://github.com/someone/l":    "io.github.someone/lacuna",
		"https://github.com":              "com.github/lacuna",
		"lacuna.example":                  "",
		"://":                             "",
	} {
		if got, err := namespaceOf(address); got != want || (err != nil) != (want == "") {
			t.Errorf("%s: %q, %v, want %q", address, got, err, want)
		}
	}
}

// TestBundle reads a bundle back: an agent is to start the program that is in it.
func TestBundle(t *testing.T) {
	inside := packed(t)
	inside[0].name = "lacuna.exe"
	data, err := bundle("windows/arm64", inside, time.Unix(1e9, 0).UTC())
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, line := range unpack(t, data) {
		name, rest, _ := strings.Cut(line, " ")
		mode, rest, _ := strings.Cut(rest, " ")
		_, files[name], _ = strings.Cut(rest, " ")
		if (mode == "-rwxr-xr-x") != (name == "server/lacuna.exe") {
			t.Errorf("%s is %s", name, mode)
		}
	}
	var manifest struct {
		Version       string
		Compatibility struct{ Platforms []string }
		Server        struct {
			Type       string
			EntryPoint string `json:"entry_point"`
			MCPConfig  struct {
				Command string
				Args    []string
			} `json:"mcp_config"`
		}
		UserConfig map[string]struct {
			Type     string
			Required bool
		} `json:"user_config"`
	}
	if err := json.Unmarshal([]byte(files["manifest.json"]), &manifest); err != nil {
		t.Fatal(err)
	}
	s := manifest.Server
	if files[s.EntryPoint] != program || s.MCPConfig.Command != "${__dirname}/"+s.EntryPoint || s.Type != "binary" || manifest.Version != cli.Version {
		t.Errorf("%+v", manifest)
	}
	if !slices.Equal(manifest.Compatibility.Platforms, []string{"win32"}) {
		t.Errorf("for %q", manifest.Compatibility.Platforms)
	}
	if folder := manifest.UserConfig["folder"]; folder.Type != "directory" || !folder.Required || !slices.Equal(s.MCPConfig.Args, []string{"mcp", "--workspace", "${user_config.folder}"}) {
		t.Errorf("%+v", manifest)
	}
	for _, name := range []string{"LICENSE", "NOTICE", "ThirdPartyNotices.txt", "LGPL-2.1.txt"} {
		if files[name] == "" {
			t.Errorf("%s is missing", name)
		}
	}
	if len(files) != 6 {
		t.Errorf("%d files", len(files))
	}
}

// TestRecipesParse has those who read recipes read them, as far as they are here.
func TestRecipesParse(t *testing.T) {
	made := recipes(t)
	python := func(program string) []string { return []string{"python3", "-c", program} }
	yaml := "import sys\ntry: import yaml\nexcept ImportError: sys.exit(77)\n" +
		"document = yaml.safe_load(sys.stdin)\nassert isinstance(document, dict), document\n"
	for _, test := range []struct {
		recipe string
		reader []string
	}{
		{"lacuna.rb", []string{"ruby", "-c"}},
		{"PKGBUILD", []string{"bash", "-n"}},
		{"package.nix", []string{"nix-instantiate", "--parse", "-"}},
		{"winget.yaml", python(yaml + "assert document['ManifestType'] == 'version'")},
		{"winget.installer.yaml", python(yaml + "assert [i['Architecture'] for i in document['Installers']] == ['x64', 'arm64'], document\n" +
			"assert all(len(i['InstallerSha256']) == 64 and i['NestedInstallerFiles'][0]['RelativeFilePath'].endswith('\\\\lacuna.exe') for i in document['Installers']), document")},
		{"winget.locale.en-US.yaml", python(yaml + "assert document['PackageLocale'] == 'en-US' and len(document['ShortDescription']) <= 256")},
		{"mason.yaml", python(yaml + "assert document['name'] == 'lacuna' and len(document['source']['download']) == 6, document\n" +
			"assert document['bin'] == {'lacuna': '{{source.download.bin}}'}, document")},
	} {
		t.Run(test.recipe, func(t *testing.T) {
			if _, err := exec.LookPath(test.reader[0]); err != nil {
				t.Skip(err)
			}
			command := exec.Command(test.reader[0], test.reader[1:]...)
			command.Stdin = strings.NewReader(made[test.recipe])
			text, err := command.CombinedOutput()
			if command.ProcessState.ExitCode() == 77 {
				t.Skip("python3 has no yaml")
			}
			if err != nil {
				t.Errorf("%v: %s\n%s", err, text, made[test.recipe])
			}
		})
	}
}

// TestPKGBUILD runs what makepkg runs to fill a package, on the files of an archive.
func TestPKGBUILD(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil || runtime.GOOS != "linux" {
		t.Skip("makepkg runs on Linux, by bash")
	}
	folder := t.TempDir()
	source := filepath.Join(folder, "src", folderName("linux/amd64"))
	for _, file := range packed(t) {
		path := filepath.Join(source, filepath.FromSlash(file.name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, file.data, file.mode); err != nil {
			t.Fatal(err)
		}
	}
	script := recipes(t)["PKGBUILD"] + "\nset -eu\nsrcdir=" + folder + "/src pkgdir=" + folder + "/pkg\npackage\n" +
		"echo $pkgname $pkgver ${#source_x86_64[@]} ${#sha256sums_riscv64[0]}\n"
	command := exec.Command("bash", "-c", script)
	text, err := command.CombinedOutput()
	if err != nil || string(text) != fmt.Sprintf("lacuna-bin %s 1 64\n", cli.Version) {
		t.Fatalf("%v: %s", err, text)
	}
	for _, name := range []string{
		"usr/bin/lacuna", "usr/share/man/man1/lacuna.1", "usr/share/bash-completion/completions/lacuna", "usr/share/zsh/site-functions/_lacuna",
		"usr/share/fish/vendor_completions.d/lacuna.fish", "usr/share/licenses/lacuna-bin/NOTICE",
	} {
		if data, err := os.ReadFile(filepath.Join(folder, "pkg", name)); err != nil || len(bytes.TrimSpace(data)) == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
