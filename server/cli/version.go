package cli

import (
	"context"
	"fmt"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/pflag"

	"lacuna/vecmath"
)

// Version is the version of the source. What is built from the tag of a release has it in its build information as well.
const Version = "0.1.0"

// released matches a tag of a release, but not the versions that Go makes up for other commits.
var (
	released = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$`)
	madeUp   = regexp.MustCompile(`[0-9]{14}-[0-9a-f]{12}$`)
)

// IsRelease reports whether a version of a module, or a tag, is that of a release.
func IsRelease(version string) bool {
	return released.MatchString(version) && !madeUp.MatchString(version)
}

// packages lists the modules whose versions are printed.
var packages = []string{
	"go.lsp.dev/protocol", "go.lsp.dev/jsonrpc2", "go.lsp.dev/uri",
	"github.com/blugelabs/bluge", "github.com/viterin/vek",
}

// versionJSON is the output of version --json.
type versionJSON struct {
	Version  string            `json:"version"`
	Release  bool              `json:"release"` // built from the tag of a release
	Commit   string            `json:"commit,omitempty"`
	Time     string            `json:"time,omitempty"` // of the commit
	Modified bool              `json:"modified"`       // built from a tree with changes
	Go       string            `json:"go"`
	Platform string            `json:"platform"`
	SIMD     string            `json:"simd"`
	Packages map[string]string `json:"packages"`
}

// build describes this program. Tests replace it, so that their output does not depend on the compiler and
// the processor.
var build = readBuild

func readBuild() versionJSON {
	v := versionJSON{
		Version: Version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		SIMD: vecmath.Instructions(), Packages: map[string]string{},
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if IsRelease(info.Main.Version) {
		v.Version, v.Release = strings.TrimPrefix(info.Main.Version, "v"), true
	}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			v.Commit = setting.Value
		case "vcs.time":
			v.Time = setting.Value
		case "vcs.modified":
			v.Modified = setting.Value == "true"
		}
	}
	versions := map[string]string{}
	for _, module := range info.Deps {
		versions[module.Path] = module.Version
	}
	for _, path := range packages {
		if version, linked := versions[path]; linked {
			v.Packages[path] = version
		}
	}
	return v
}

func versionCommand() command {
	var asJSON bool
	return command{
		name:    "version",
		summary: "show the version, the build and the packages it stands on",
		details: "Prints the version, how the program was built, the versions of its main packages\nand the vector instructions in use.",
		flags:   func(f *pflag.FlagSet) { f.BoolVar(&asJSON, "json", false, "print one JSON object") },
		run: func(_ context.Context, p *program, _ []string) error {
			v := build()
			if asJSON {
				return p.printJSON(v)
			}
			kind := ""
			if !v.Release {
				kind = ", not a release"
			}
			fmt.Fprintf(p.out, "lacuna %s%s\n%s %s, vectors: %s\n", v.Version, kind, v.Go, v.Platform, v.SIMD)
			if v.Commit != "" {
				fmt.Fprintf(p.out, "commit %s of %s\n", v.Commit, v.Time)
			}
			for _, path := range packages {
				if version := v.Packages[path]; version != "" {
					fmt.Fprintf(p.out, "%s %s\n", path, version)
				}
			}
			return nil
		},
	}
}
