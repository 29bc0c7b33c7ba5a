package note

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"lacuna/knowledge/passage"
)

// markup is how an answer block looks in one language. Everything else about blocks is shared.
type markup struct {
	open   string // format of the first line, with the question's identity
	close  string // the last line
	opened *regexp.Regexp
	status string // format of the status line
	source func(BlockSource) string
	listed *regexp.Regexp // number, path or label, line, identity
	escape func(string) string
	plain  func(string) string // undoes escape
}

var markdown = markup{
	open:   "<!-- lacuna:answer %s -->",
	close:  "<!-- lacuna:end -->",
	opened: regexp.MustCompile(`^<!-- lacuna:answer ([0-9a-f]+(?:-[0-9]+)?) -->$`),
	status: "**%s**",
	source: func(s BlockSource) string {
		return fmt.Sprintf("%d. [%s](%s) <!-- lacuna:cite %s -->",
			s.N, labelEscaper.Replace(oneLine(s.Label)), linkTarget(s), s.Passage)
	},
	listed: regexp.MustCompile(`^(\d{1,6})\. \[.*\]\(<?([^>]*?)(?:#L(\d{1,9}))?>?\) <!-- lacuna:cite ([0-9a-f]{32}) -->$`),
	escape: func(s string) string { return insertBackslash(activeLink, insertBackslash(activeTag, s)) },
	plain:  func(s string) string { return removeBackslash(escapedTag, removeBackslash(escapedLink, s)) },
}

var plaintext = markup{
	open:   "--- lacuna answer %s ---",
	close:  "--- end of lacuna answer ---",
	opened: regexp.MustCompile(`^--- lacuna answer ([0-9a-f]+(?:-[0-9]+)?) ---$`),
	status: "%s",
	source: func(s BlockSource) string {
		return fmt.Sprintf("%d. %s:%d (lacuna %s)", s.N, oneLine(s.Path), s.Line, s.Passage)
	},
	listed: regexp.MustCompile(`^(\d{1,6})\. (.*):(\d{1,9}) \(lacuna ([0-9a-f]{32})\)$`),
	escape: func(s string) string { return s },
	plain:  func(s string) string { return s },
}

func (l Language) markup() *markup {
	if l == Markdown {
		return &markdown
	}
	return &plaintext
}

// opens reports whether a line, without the white space around it, begins a block, and gives the
// identity it was written for.
func (m *markup) opens(line string) (identity string, ok bool) {
	if !strings.HasPrefix(line, m.open[:strings.IndexByte(m.open, '%')]) {
		return "", false
	}
	found := m.opened.FindStringSubmatch(line)
	if found == nil {
		return "", false
	}
	return found[1], true
}

// What could begin HTML, an image or a link gets a backslash, which Markdown does not show. One
// backslash more than there were is exactly undone by taking one away. "eGFR < 30" stays as it is.
var (
	activeTag   = regexp.MustCompile(`\\*(<)[A-Za-z/!?]`)
	escapedTag  = regexp.MustCompile(`\\*(\\<)[A-Za-z/!?]`)
	activeLink  = regexp.MustCompile(`!\\*(\[)|\]\\*(\()`)
	escapedLink = regexp.MustCompile(`!\\*(\\\[)|\]\\*(\\\()`)
)

// insertBackslash puts a backslash before what the pattern's group matches.
func insertBackslash(pattern *regexp.Regexp, s string) string {
	var out strings.Builder
	last := 0
	for _, at := range pattern.FindAllStringSubmatchIndex(s, -1) {
		group := max(at[2], at[len(at)-2]) // the group that took part
		out.WriteString(s[last:group])
		out.WriteByte('\\')
		last = group
	}
	return out.String() + s[last:]
}

// removeBackslash takes away the backslash with which the pattern's group begins.
func removeBackslash(pattern *regexp.Regexp, s string) string {
	var out strings.Builder
	last := 0
	for _, at := range pattern.FindAllStringSubmatchIndex(s, -1) {
		group := max(at[2], at[len(at)-2])
		out.WriteString(s[last:group])
		last = group + 1
	}
	return out.String() + s[last:]
}

var labelEscaper = strings.NewReplacer(`\`, `\\`, `[`, `\[`, `]`, `\]`, `<`, `\<`, "`", "\\`")

// linkTarget stands in angle brackets where a path has spaces or parentheses, which then need no
// escape.
func linkTarget(s BlockSource) string {
	path := strings.NewReplacer("<", "%3C", ">", "%3E", "%", "%25", "#", "%23").Replace(oneLine(s.Path))
	if s.Line > 0 {
		path += "#L" + strconv.Itoa(s.Line)
	}
	if strings.ContainsAny(path, ` ()\`) {
		return "<" + path + ">"
	}
	return path
}

var pathUnescaper = strings.NewReplacer("%3C", "<", "%3E", ">", "%25", "%", "%23", "#")

// readSource reads a line that lists a source, already without indentation.
func (m *markup) readSource(line string) (Citation, bool) {
	found := m.listed.FindStringSubmatch(line)
	if found == nil {
		return Citation{}, false
	}
	id, err := passage.ParseID(found[4])
	if err != nil {
		return Citation{}, false
	}
	number, _ := strconv.Atoi(found[1])
	at, _ := strconv.Atoi(found[3])
	path := found[2]
	if m == &markdown {
		path = pathUnescaper.Replace(path)
	}
	return Citation{N: number, Passage: id, Path: path, Line: at}, true
}

// oneLine folds white space, so that nothing of a passage can begin a line of its own.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
