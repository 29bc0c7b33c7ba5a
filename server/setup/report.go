package setup

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"lacuna/handlers/messages"
	"lacuna/handlers/settings"
	"lacuna/knowledge/sanitise"
)

const (
	mostKinds  = 6 // endings that one line names
	mostFailed = 5 // files that are named because they cannot be read
)

// String describes the proposal for the user: what would be read, what is left out and why, what cannot be read, and what
// would be written where. Names of files are made harmless.
func (p Proposal) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s is %s.\n", sanitise.Line(p.Folder), sanitise.Line(p.What))
	if len(p.Sources) == 0 {
		return b.String()
	}
	fmt.Fprint(&b, "\nIt would read:\n")
	for _, s := range p.Sources {
		name := s.Path
		if name == "." {
			name = "the folder itself"
		}
		fmt.Fprintf(&b, "  %s: %s, %s%s\n", sanitise.Line(name), messages.Count(s.Files, "file"), size(s.Bytes), kinds(s.Of))
		switch {
		case s.Kind == kindPairs:
			fmt.Fprint(&b, "    stored questions with their answers\n")
		case s.Notes:
			fmt.Fprint(&b, "    your notes among them: each is answered from all the others\n")
		}
	}
	fmt.Fprint(&b, "\nIt would not answer from:\n")
	for _, s := range p.Sources {
		for _, pattern := range s.Exclude {
			n := s.Unread.Excluded[pattern]
			if why := s.why[pattern]; why != "" {
				fmt.Fprintf(&b, "  %s: %s, %s\n", sanitise.Line(shown(s, pattern)), messages.Count(n, "file"), why)
			} else if n > 0 {
				fmt.Fprintf(&b, "  %s: %s\n", sanitise.Line(shown(s, pattern)), messages.Count(n, "file"))
			}
		}
	}
	fmt.Fprint(&b, "  hidden folders such as .git, and node_modules: always\n")
	if lines := p.unreadable(); len(lines) > 0 {
		fmt.Fprintf(&b, "\nIt cannot read:\n  %s\n", strings.Join(lines, "\n  "))
	}
	fmt.Fprintf(&b, "\nFor that it would add to %s:\n", sanitise.Line(p.File))
	tables, err := settings.Tables(p.tables())
	if err != nil {
		tables = err.Error()
	}
	for line := range strings.Lines(tables) {
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		fmt.Fprintf(&b, "  %s%s\n", indent, sanitise.Line(line))
	}
	fmt.Fprint(&b, "\nNone of your documents is changed, and nothing is sent anywhere.\nThe index goes into your cache folder; \"lacuna forget\" removes it.\n")
	return b.String()
}

// shown returns a pattern with the folder of its source.
func shown(s Source, pattern string) string {
	if s.Path == "." || filepath.IsAbs(s.Path) {
		return pattern
	}
	return s.Path + "/" + pattern
}

// unreadable returns lines about the files that cannot be read.
func (p Proposal) unreadable() []string {
	var lines []string
	for _, s := range p.Sources {
		totals := s.Unread
		totals.Excluded = nil
		lines = append(lines, messages.OtherFiles(&totals)...)
	}
	named := 0
	for _, s := range p.Sources {
		for _, f := range s.Failed {
			if named++; named <= mostFailed {
				name := f.File
				if relative, err := filepath.Rel(p.Folder, f.File); err == nil {
					name = filepath.ToSlash(relative)
				}
				lines = append(lines, fmt.Sprintf("%s: %s", sanitise.Line(name), sanitise.Line(f.Reason)))
			}
		}
	}
	if more := named - mostFailed; more > 0 {
		lines = append(lines, "and "+messages.Count(more, "more file"))
	}
	return lines
}

// kinds counts files by the ending of their names, the most frequent first.
func kinds(of map[string]int) string {
	order := slices.SortedFunc(maps.Keys(of), func(a, b string) int {
		return cmp.Or(cmp.Compare(of[b], of[a]), strings.Compare(a, b))
	})
	var parts []string
	for _, ending := range order[:min(len(order), mostKinds)] {
		parts = append(parts, fmt.Sprintf("%s %s", messages.Number(of[ending]), ending))
	}
	if len(order) > mostKinds {
		parts = append(parts, "others")
	}
	return ": " + strings.Join(parts, ", ")
}

// size returns a number of bytes as people read it.
func size(bytes int64) string {
	for _, unit := range []struct {
		bytes int64
		name  string
	}{{1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}} {
		if bytes >= unit.bytes {
			return fmt.Sprintf("%.1f %s", float64(bytes)/float64(unit.bytes), unit.name)
		}
	}
	return messages.Count(int(bytes), "byte")
}
