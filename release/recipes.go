package main

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"
	"text/template"
	"time"

	"lacuna/server/cli"
)

// recipeTemplates are how package managers are told of a release, with the places of what differs from release to release.
//
//go:embed recipes
var recipeTemplates embed.FS

// recipePlaces has the files of recipes by those of their templates: where each manager looks for it.
var recipePlaces = map[string]string{
	"lacuna.rb":                "recipes/homebrew/Formula/lacuna.rb",
	"scoop.json":               "recipes/scoop/bucket/lacuna.json",
	"winget.yaml":              "recipes/winget/Lacuna.Lacuna.yaml",
	"winget.installer.yaml":    "recipes/winget/Lacuna.Lacuna.installer.yaml",
	"winget.locale.en-US.yaml": "recipes/winget/Lacuna.Lacuna.locale.en-US.yaml",
	"package.nix":              "recipes/nixpkgs/pkgs/by-name/la/lacuna/package.nix",
	"PKGBUILD":                 "recipes/aur/PKGBUILD",
	"SRCINFO":                  "recipes/aur/.SRCINFO",
	"mason.yaml":               "recipes/mason/packages/lacuna/package.yaml",
	"server.json":              "recipes/mcp/server.json",
}

// facts are what recipes are made from.
type facts struct {
	Version, Address, Maintainer, Publisher, Summary, Date string
	Namespace                                              string   // of the server in the registry of the Model Context Protocol
	Bundles                                                []string // the platforms that have one
}

// errNotBuilt is why a recipe is left out.
var errNotBuilt = errors.New("not built")

// addRecipes adds to files the recipes for what is in files, as of a time. It returns the names of those that it leaves out, because
// what they need was not built.
func addRecipes(files map[string][]byte, as time.Time) (left []string, err error) {
	sum := func(name string) ([]byte, error) {
		data, built := files[name]
		if !built {
			return nil, fmt.Errorf("%s: %w", name, errNotBuilt)
		}
		s := sha256.Sum256(data)
		return s[:], nil
	}
	hexadecimal := func(name func(string) string) func(string) (string, error) {
		return func(platform string) (string, error) {
			s, err := sum(name(platform))
			return hex.EncodeToString(s), err
		}
	}
	functions := template.FuncMap{
		"json": func(text string) (string, error) {
			encoded, err := json.Marshal(text)
			return string(encoded), err
		},
		"upper":        strings.ToUpper,
		"folder":       folderName,
		"url":          func(platform string) string { return download(archiveName(platform)) },
		"sha256":       hexadecimal(archiveName),
		"bundleURL":    func(platform string) string { return download(bundleName(platform)) },
		"bundleSHA256": hexadecimal(bundleName),
		"sri": func(platform string) (string, error) {
			s, err := sum(archiveName(platform))
			return "sha256-" + base64.StdEncoding.EncodeToString(s), err
		},
	}
	namespace, err := namespaceOf(address)
	if err != nil {
		return nil, err
	}
	publisher, _, _ := strings.Cut(maintainer, " <")
	known := facts{cli.Version, address, maintainer, publisher, summary, as.Format(time.DateOnly), namespace, bundlePlatforms}
	entries, err := fs.ReadDir(recipeTemplates, "recipes")
	if err != nil {
		return nil, err
	}
	made := map[string][]byte{}
	for _, e := range entries {
		t, err := template.New(e.Name()).Funcs(functions).ParseFS(recipeTemplates, path.Join("recipes", e.Name()))
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		switch err := t.Execute(&b, known); {
		case errors.Is(err, errNotBuilt):
			left = append(left, e.Name())
		case err != nil:
			return nil, err
		default:
			made[recipePlaces[e.Name()]] = b.Bytes()
		}
	}
	maps.Copy(files, made)
	return left, nil
}

// namespaceOf returns the name of the server in the registry of the Model Context Protocol, which allows names below a domain, turned around,
// to those who have it. Those whose repository is on GitHub have a name there.
func namespaceOf(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "", fmt.Errorf("the address %q of the publisher is none: %v", address, err)
	}
	labels := strings.Split(u.Hostname(), ".")
	slices.Reverse(labels)
	if owner, _, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/"); u.Hostname() == "github.com" && owner != "" {
		labels = []string{"io", "github", owner}
	}
	return strings.Join(labels, ".") + "/lacuna", nil
}
