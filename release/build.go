package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"lacuna/server/cli"
	"lacuna/server/cli/usage"
)

// enclosed are the texts that go into every archive, from the folder of the repository.
var enclosed = []string{"README.md", "CHANGELOG.md", "LICENSE", "NOTICE", programNotices, "knowledge/lexicon/LGPL-2.1.txt"}

// companions returns the files that accompany the program: texts, completions for shells, and pages of the manual as of a time.
func companions(folder string, as time.Time) ([]entry, error) {
	var files []entry
	for _, path := range enclosed {
		data, err := os.ReadFile(filepath.Join(folder, path))
		if err != nil {
			return nil, err
		}
		files = append(files, entry{filepath.Base(path), data, 0o644})
	}
	for _, shell := range usage.Shells {
		script, err := usage.Script(shell)
		if err != nil {
			return nil, err
		}
		files = append(files, entry{"completions/" + completionFile[shell], script, 0o644})
	}
	pages := cli.Usage().Pages(as)
	for _, name := range sortedKeys(pages) {
		files = append(files, entry{"man/" + name, pages[name], 0o644})
	}
	return files, nil
}

// completionFile has the names by which shells look for a script.
var completionFile = map[string]string{"bash": "lacuna.bash", "zsh": "_lacuna", "fish": "lacuna.fish", "powershell": "lacuna.ps1"}

// makeAll builds the repository in folder for the chosen platforms, writes archives, bills of materials and SHA256SUMS to out, and
// returns the checksums.
func makeAll(folder, out string, chosen, environment []string) (string, error) {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return "", err
	}
	seconds, err := output(folder, "git", "log", "-1", "--format=%ct")
	if err != nil {
		return "", err
	}
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return "", err
	}
	tag, err := tagOf(folder)
	if err != nil {
		return "", err
	}
	commit := time.Unix(unix, 0).UTC()
	others, err := companions(folder, commit)
	if err != nil {
		return "", err
	}
	files := map[string][]byte{}
	for _, platform := range chosen {
		if err := build(folder, platform, tag, commit, others, environment, files); err != nil {
			return "", fmt.Errorf("%s: %w", platform, err)
		}
		fmt.Println("built for", platform)
	}
	extension, err := extensionBill(folder)
	if err != nil {
		return "", err
	}
	files[fmt.Sprintf("lacuna-vscode-%s.cdx.json", extension.Metadata.Component.Version)] = extension.bytes()

	left, err := addRecipes(files, commit)
	if err != nil {
		return "", err
	}
	if len(left) > 0 {
		fmt.Println("left out, since not all platforms were built:", strings.Join(left, ", "))
	}

	var sums strings.Builder
	for _, name := range sortedKeys(files) {
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(files[name]), name)
		path := filepath.Join(out, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(path, files[name], 0o644); err != nil {
			return "", err
		}
	}
	return sums.String(), os.WriteFile(filepath.Join(out, "SHA256SUMS"), []byte(sums.String()), 0o644)
}

// tagOf returns the tag of the commit in folder that names a version, or nothing. It fails if that is not the version of the source.
func tagOf(folder string) (string, error) {
	listed, err := output(folder, "git", "tag", "--points-at", "HEAD")
	if err != nil {
		return "", err
	}
	for tag := range strings.SplitSeq(listed, "\n") {
		if tag == "v"+cli.Version {
			return tag, nil
		}
		if cli.IsRelease(tag) {
			return "", fmt.Errorf("the commit has the tag %s, and its source the version %s; correct server/cli/version.go, or the tag", tag, cli.Version)
		}
	}
	return "", nil
}

// build adds what there is for a platform to files: the archive with others beside the program, the bill of materials, and a package for Debian.
// A program that was built from a tag has to say so.
func build(folder, platform, tag string, commit time.Time, others []entry, environment []string, files map[string][]byte) error {
	system, processor, ok := strings.Cut(platform, "/")
	if !ok {
		return fmt.Errorf("not a platform; write it as %s", platforms[0])
	}
	temporary, err := os.MkdirTemp("", "lacuna")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	program := filepath.Join(temporary, "lacuna")
	if system == "windows" {
		program += ".exe"
	}
	environment = slices.Concat(os.Environ(), settings, []string{"GOOS=" + system, "GOARCH=" + processor}, environment)
	command := exec.Command("go", "build", "-buildvcs=true", "-ldflags=-s -w", "-o", program, ".")
	command.Dir, command.Env = folder, environment
	if _, err := finish(command); err != nil {
		return err
	}
	if err := saysTag(program, tag); err != nil {
		return err
	}
	bill, err := programBill(folder, program, platform, commit)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	name := folderName(platform)
	inside := slices.Concat([]entry{{filepath.Base(program), data, 0o755}}, others)
	files[name+".cdx.json"] = bill.bytes()
	if slices.Contains(bundlePlatforms, platform) {
		if files[bundleName(platform)], err = bundle(platform, inside, commit); err != nil {
			return err
		}
	}
	switch system {
	case "windows":
		files[archiveName(platform)], err = zipped(name+"/", inside, commit)
		return err
	case "linux":
		if files[debianName(cli.Version, processor)], err = debianPackage(cli.Version, processor, inside, commit); err != nil {
			return err
		}
	}
	files[archiveName(platform)], err = tarred(name+"/", inside, commit)
	return err
}

// saysTag fails unless a program that was built from a tag has its version in its build information.
func saysTag(program, tag string) error {
	built, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	if tag != "" && built.Main.Version != tag {
		return fmt.Errorf("built from the tag %s, the program says that it is %s", tag, built.Main.Version)
	}
	return nil
}
