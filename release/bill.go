package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lacuna/server/cli"
)

// bill is a bill of materials in CycloneDX 1.6.
type bill struct {
	Format       string       `json:"bomFormat"`
	Spec         string       `json:"specVersion"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Timestamp string    `json:"timestamp,omitempty"` // of the commit: a bill of the same commit is the same
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	URL        string     `json:"purl"`
	Hashes     []hash     `json:"hashes,omitempty"`
	Licences   []licence  `json:"licenses,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type licence struct {
	License struct {
		ID string `json:"id"`
	} `json:"license"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type dependency struct {
	Ref string   `json:"ref"`
	On  []string `json:"dependsOn"`
}

func (b bill) bytes() []byte {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(b); err != nil {
		panic(err) // strings and numbers alone
	}
	return text.Bytes()
}

// newBill returns a bill of a thing and what it contains.
func newBill(of component, parts []component, timestamp string) bill {
	on := make([]string, len(parts))
	for i, part := range parts {
		on[i] = part.Ref
	}
	return bill{"CycloneDX", "1.6", 1, metadata{timestamp, of}, parts, []dependency{{of.Ref, on}}}
}

func newComponent(kind, name, version, url string, terms []string) component {
	c := component{Type: kind, Ref: url, Name: name, Version: version, URL: url}
	for _, term := range terms {
		if !strings.HasPrefix(term, "LicenseRef-") {
			var l licence
			l.License.ID = term
			c.Licences = append(c.Licences, l)
		}
	}
	return c
}

// programBill reads the modules in a program that was built for platform. The build information says which they are, their
// folders under which terms they come.
func programBill(folder, program, platform string, commit time.Time) (bill, error) {
	built, err := buildinfo.ReadFile(program)
	if err != nil {
		return bill{}, err
	}
	parts, err := programParts(folder, []string{platform})
	if err != nil {
		return bill{}, err
	}
	terms := map[string][]string{}
	for _, p := range parts {
		if terms[p.name], err = p.licences(); err != nil {
			return bill{}, err
		}
	}
	version := strings.TrimPrefix(built.GoVersion, "go")
	components := []component{newComponent("library", "stdlib", version, "pkg:golang/stdlib@"+version, terms[standardLibrary])}
	for _, m := range built.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		c := newComponent("library", m.Path, m.Version, "pkg:golang/"+strings.ToLower(m.Path)+"@"+strings.ReplaceAll(m.Version, "+", "%2B"), terms[m.Path])
		c.Properties = []property{{"go.sum", m.Sum}}
		components = append(components, c)
	}
	data, err := os.ReadFile(program)
	if err != nil {
		return bill{}, err
	}
	of := newComponent("application", "lacuna", cli.Version, "pkg:generic/lacuna@"+cli.Version, []string{"Apache-2.0"})
	of.Hashes = []hash{{"SHA-256", fmt.Sprintf("%x", sha256.Sum256(data))}}
	for _, setting := range built.Settings {
		if slices.Contains([]string{"GOOS", "GOARCH", "CGO_ENABLED", "-trimpath", "vcs.revision", "vcs.modified"}, setting.Key) {
			of.Properties = append(of.Properties, property{setting.Key, setting.Value})
		}
	}
	return newBill(of, components, commit.Format(time.RFC3339)), nil
}

// extensionBill reads the packages that the extension contains from its package-lock.json. Their terms are those in the notices.
func extensionBill(folder string) (bill, error) {
	packages, err := bundled(folder)
	if err != nil {
		return bill{}, err
	}
	var manifest struct{ Version string }
	data, err := os.ReadFile(filepath.Join(folder, extensionFolder, "package.json"))
	if err != nil {
		return bill{}, err
	}
	if err := json.Unmarshal(data, &manifest); err != nil {
		return bill{}, err
	}
	written, err := os.ReadFile(filepath.Join(folder, extensionNotices))
	if err != nil {
		return bill{}, err
	}
	var components []component
	for _, path := range sortedKeys(packages) {
		p, name := packages[path], packageName(path)
		_, terms, found := strings.Cut(string(written), "\n"+name+" "+p.Version+": ")
		if !found {
			return bill{}, fmt.Errorf("%s has no %s %s; run npm ci there, and go test ./release -update", extensionNotices, name, p.Version)
		}
		terms, _, _ = strings.Cut(terms, "\n")
		c := newComponent("library", name, p.Version, "pkg:npm/"+strings.Replace(name, "@", "%40", 1)+"@"+p.Version, strings.Split(terms, ", "))
		kind, sum, _ := strings.Cut(p.Integrity, "-")
		decoded, err := base64.StdEncoding.DecodeString(sum)
		if err != nil || kind != "sha512" {
			return bill{}, fmt.Errorf("package-lock.json: %s has no SHA-512: %q", name, p.Integrity)
		}
		c.Hashes = []hash{{"SHA-512", hex.EncodeToString(decoded)}}
		components = append(components, c)
	}
	of := newComponent("application", "lacuna-vscode", manifest.Version, "pkg:generic/lacuna-vscode@"+manifest.Version, []string{"Apache-2.0"})
	return newBill(of, components, ""), nil
}
