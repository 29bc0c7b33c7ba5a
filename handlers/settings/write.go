package settings

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// AppendSources adds tables of sources to the end of a settings file, which need not exist, and changes nothing else in
// it; of a source it writes the path, the name and the kind if it has one, and the patterns. A link in the file's place is another
// file and is left alone. A new file has the permissions that mode gives.
func AppendSources(file string, sources []Source, mode os.FileMode) error {
	if len(sources) == 0 {
		return nil
	}
	var text strings.Builder
	switch info, err := os.Lstat(file); {
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%s is no plain file", file)
	case err == nil:
		text.WriteString("\n")
	}
	tables, err := Tables(sources)
	if err != nil {
		return fmt.Errorf("%w into %s", err, file)
	}
	text.WriteString(tables)
	out, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = out.WriteString(text.String())
	return errors.Join(err, out.Close())
}

// Tables returns sources as a settings file has them. The error names a path or a pattern that cannot be written.
func Tables(sources []Source) (string, error) {
	var text strings.Builder
	for _, s := range sources {
		for _, name := range slices.Concat([]string{s.Path, s.Name}, s.Include, s.Exclude) {
			if strings.ContainsFunc(name, unicode.IsControl) || !utf8.ValidString(name) {
				return "", fmt.Errorf("the name %q cannot be written", name)
			}
		}
		fmt.Fprintf(&text, "[[source]]\npath = %s\n", quoted(s.Path))
		if s.Name != "" {
			fmt.Fprintf(&text, "name = %s\n", quoted(s.Name))
		}
		if s.Kind != "" {
			fmt.Fprintf(&text, "kind = %s\n", quoted(s.Kind))
		}
		for _, list := range []struct {
			key      string
			patterns []string
		}{{"include", s.Include}, {"exclude", s.Exclude}} {
			quotes := make([]string, len(list.patterns))
			for i, p := range list.patterns {
				quotes[i] = quoted(p)
			}
			switch line := strings.Join(quotes, ", "); {
			case len(quotes) == 0:
			case len(line) <= widest:
				fmt.Fprintf(&text, "%s = [%s]\n", list.key, line)
			default:
				fmt.Fprintf(&text, "%s = [\n  %s,\n]\n", list.key, strings.Join(quotes, ",\n  "))
			}
		}
	}
	return text.String(), nil
}

// widest is the number of bytes up to which a list stands on one line.
const widest = 60

// quoted returns a text without control characters as a string of TOML.
func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}
