package ingest

import "strings"

// front is what Lacuna reads of a document's front matter.
type front struct {
	end     int // of the front matter in the document; 0 if there is none
	title   string
	private bool
}

// frontMatter reads the block between two lines of --- (YAML) or +++ (TOML) that opens a document.
// Only single-line values at the outermost level matter, so no parser of either is needed.
func frontMatter(source string) front {
	fence, rest, found := strings.Cut(source, "\n")
	fence = strings.TrimRight(fence, " \t\r")
	if !found || fence != "---" && fence != "+++" {
		return front{}
	}
	f := front{}
	at := len(source) - len(rest)
	for at < len(source) {
		line, _, _ := strings.Cut(source[at:], "\n")
		at = min(len(source), at+len(line)+1)
		line = strings.TrimRight(line, " \t\r")
		if line == fence || fence == "---" && line == "..." {
			f.end = at
			return f
		}
		key, value, _ := strings.Cut(line, map[string]string{"---": ":", "+++": "="}[fence])
		value = unquoted(strings.TrimSpace(value))
		switch strings.TrimRight(key, " \t") {
		case "title":
			f.title = value
		case "lacuna":
			f.private = strings.EqualFold(value, "private")
		}
	}
	return front{} // never closed: not front matter
}

func unquoted(value string) string {
	if len(value) >= 2 && (value[0] == '"' || value[0] == '\'') && value[len(value)-1] == value[0] {
		return value[1 : len(value)-1]
	}
	return value
}

// blanked returns source with everything before end replaced by spaces and line ends, so that
// offsets stay what they are.
func blanked(source string, end int) string {
	if end == 0 {
		return source
	}
	blank := []byte(source)
	for i := range end {
		if blank[i] != '\n' && blank[i] != '\r' {
			blank[i] = ' '
		}
	}
	return string(blank)
}
