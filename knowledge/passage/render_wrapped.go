package passage

import (
	"path"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// wrapped reads the inline markup of a block of Org or reStructuredText: it decides for each byte whether
// it is shown. What the two languages share, or what only one would write, it reads in both; the rest only
// where the file's name says which of them it is.
type wrapped struct {
	text     string
	hide     []bool
	org, rst bool // known from the name of the file; neither for a lead by itself
}

const (
	maxInline  = 1000 // bytes of one look ahead
	maxRole    = 80   // bytes of the name of a role
	maxOptions = 20   // lines of options below a directive
)

var (
	orgKeyword   = regexp.MustCompile(`(?i)^[ \t]*#\+(?:begin|end)_\w+`)
	rstDirective = regexp.MustCompile(`^[ \t]*\.\. +(?:code-block|code|sourcecode|parsed-literal|prompt|literalinclude)::`)
	rstOption    = regexp.MustCompile(`^[ \t]+:[a-z][a-z-]*:(?:[ \t]|$)`)
	rstRole      = regexp.MustCompile("^:[A-Za-z][\\w.+-]*(?::[A-Za-z][\\w.+-]*)*:`")
	rstTarget    = regexp.MustCompile(`^([^<>]*\S)?\s*<([^<>]+)>$`)
	rstName      = regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9]|[-._][A-Za-z0-9])*__?`)
	noteMark     = regexp.MustCompile(`^(?:\[fn:[\w-]+\]|\[(?:[0-9]+|#[\w-]*|\*)\]_)`)
	orgMacro     = regexp.MustCompile(`^\{\{\{[A-Za-z][\w-]*\(([^(){}]*)\)\}\}\}`)
	orgLink      = regexp.MustCompile(`^\[\[([^\[\]\n]+)\](?:\[([^\[\]]+)\])?\]`)
	noteLabel    = regexp.MustCompile(`^[ \t]*(?:\.\.[ \t]+\[([^\]\s]{1,80})\]|\[fn:([\w-]{1,80})\])[ \t]*`)
	adornment    = regexp.MustCompile("^[ \t]*(?:={2,}|-{2,}|~{2,}|\\^{2,}|\\*{2,}|#{2,}|\"{2,}|\\+{2,}|`{2,})[ \t]*$")
	orgStars     = regexp.MustCompile(`^\*+[ \t]+`)
	lineBar      = regexp.MustCompile(`^[ \t]*\|[ \t]`)
)

// isCodeMark reports whether line i of a block of code in Org or reStructuredText begins or ends it or is
// an option of it.
func isCodeMark(all []Span, i int, text string) bool {
	line := text[all[i].Start:all[i].End]
	switch {
	case i == 0:
		return orgKeyword.MatchString(line) || rstDirective.MatchString(line)
	case i == len(all)-1 && orgKeyword.MatchString(line):
		return true
	case i > maxOptions || !rstDirective.MatchString(text[all[0].Start:all[0].End]):
		return false
	}
	for _, l := range all[1 : i+1] {
		if !rstOption.MatchString(text[l.Start:l.End]) {
			return false
		}
	}
	return true
}

// readWrapped reads a block of text in Org or reStructuredText from a file of this name, which may be empty.
func readWrapped(text string, kind BlockKind, file string) wrapped {
	w := wrapped{text: text, hide: make([]bool, len(text))}
	extension := strings.ToLower(path.Ext(file))
	w.org, w.rst = extension == ".org", extension == ".rst" || extension == ".rest"
	w.marks(kind)
	w.scan()
	return w
}

func (w *wrapped) drop(from, to int) {
	for i := from; i < to; i++ {
		w.hide[i] = true
	}
}

// marks hides what makes a block what it is.
func (w *wrapped) marks(kind BlockKind) {
	body := w.text[:len(strings.TrimRight(w.text, " \t\r\n"))]
	switch kind {
	case Heading:
		w.drop(0, len(orgStars.FindString(w.text)))
		for _, l := range lines(w.text) {
			if adornment.MatchString(w.text[l.Start:l.End]) {
				w.drop(l.Start, l.End)
			}
		}
	case Footnote:
		if m := noteLabel.FindStringSubmatchIndex(w.text); m != nil {
			w.drop(0, m[1])
		}
	case Paragraph, Item:
		if strings.HasSuffix(body, "::") && !w.org { // a block of code follows
			end := len(body) - 1
			w.drop(end, len(body))
			if end == 1 || end > 1 && isSpaceByte(body[end-2]) {
				w.drop(end-1, end)
			}
		}
	}
	if w.rst && (kind == Paragraph || kind == Item) {
		for i, l := range lines(w.text) {
			start := l.Start
			if i == 0 && kind == Item {
				start += bulletLen(w.text[l.Start:l.End])
			}
			if m := lineBar.FindString(w.text[start:l.End]); m != "" {
				w.drop(start, start+len(m))
			}
		}
	}
	if kind == Item {
		start := len(w.text) - len(strings.TrimLeft(w.text, " \t\r\n"))
		w.drop(0, start+bulletLen(w.text[start:]))
	}
}

func (w *wrapped) scan() {
	for i := 0; i < len(w.text); {
		if w.hide[i] {
			i++
			continue
		}
		next := i + 1
		rest := w.text[i:min(len(w.text), i+maxInline)]
		switch rest[0] {
		case '`':
			next = w.backquote(i, i, rest)
		case ':':
			if !w.opens(i) {
				break
			}
			if role := rstRole.FindString(rest[:min(len(rest), maxRole)]); role != "" {
				next = w.backquote(i, i+len(role)-1, rest[len(role)-1:])
			}
		case '[':
			next = w.bracket(i, rest)
		case '{':
			if m := orgMacro.FindStringSubmatchIndex(rest); m != nil {
				w.drop(i, i+m[2])
				w.drop(i+m[3], i+m[1])
				next = i + m[1]
			}
		case '*', '=', '~', '_', '/':
			next = w.emphasis(i, rest)
		case '\\':
			if len(rest) > 1 && strings.IndexByte("*`_|", rest[1]) >= 0 && !w.org {
				w.drop(i, i+1)
				next = i + 2
			}
		default:
			if w.rst && isWordByte(rest[0]) && (i == 0 || !isWordByte(w.text[i-1]) && w.opens(i)) {
				if name := rstName.FindString(rest); name != "" && w.closes(i+len(name)) {
					w.drop(i+len(strings.TrimRight(name, "_")), i+len(name))
					next = i + len(name)
				}
			}
		}
		i = next
	}
}

// opens reports whether markup may begin at an offset, by the character before.
func (w *wrapped) opens(i int) bool {
	before, _ := utf8.DecodeLastRuneInString(w.text[:i])
	return i == 0 || unicode.IsSpace(before) || strings.ContainsRune(`'"([{<-/:|`, before) || unicode.Is(unicode.Ps, before) || unicode.Is(unicode.Pi, before) || strings.ContainsRune("，。、；：", before)
}

// closes reports whether markup may end before an offset.
func (w *wrapped) closes(i int) bool {
	if i >= len(w.text) {
		return true
	}
	after, _ := utf8.DecodeRuneInString(w.text[i:])
	return unicode.IsSpace(after) || strings.ContainsRune(`'")]}>-/:.,;!?\|`, after) || unicode.IsPunct(after) && after >= utf8.RuneSelf
}

// backquote reads a literal, a role that begins at start, or a link, whose first backquote is at i.
func (w *wrapped) backquote(start, i int, rest string) int {
	if strings.HasPrefix(rest, "``") {
		end := strings.Index(rest[2:], "``")
		if end <= 0 || !w.opens(i) {
			return i + 2
		}
		for strings.HasPrefix(rest[2+end:], "```") { // a backquote of the literal itself
			end++
		}
		w.drop(i, i+2)
		w.drop(i+2+end, i+4+end)
		return i + end + 4
	}
	end := strings.IndexByte(rest[1:], '`')
	if end <= 0 || !w.opens(start) || isSpaceByte(rest[1]) || isSpaceByte(rest[end]) {
		return i + 1
	}
	inside, after := rest[1:1+end], i+end+2
	for after < len(w.text) && w.text[after] == '_' && after < i+end+4 {
		after++
	}
	if !w.closes(after) {
		return i + 1
	}
	w.drop(start, i+1)
	w.drop(i+1+end, after)
	m := rstTarget.FindStringSubmatchIndex(inside)
	switch {
	case m != nil && (start < i || after > i+end+2):
		shown := [2]int{m[4], m[5]} // the target, if there are no words
		if m[2] >= 0 {
			shown = [2]int{m[2], m[3]}
		}
		w.drop(i+1, i+1+shown[0])
		w.drop(i+1+shown[1], i+1+end)
	case start < i && inside[0] == '~':
		w.drop(i+1, i+2+strings.LastIndexByte(inside[1:], '.')+1)
	case start < i && inside[0] == '!':
		w.drop(i+1, i+2)
	}
	return after
}

// bracket reads a link of Org, or the mark of a footnote.
func (w *wrapped) bracket(i int, rest string) int {
	if m := orgLink.FindStringSubmatchIndex(rest); m != nil {
		shown := [2]int{m[2], m[3]}
		if m[4] >= 0 {
			shown = [2]int{m[4], m[5]}
		}
		w.drop(i, i+shown[0])
		w.drop(i+shown[1], i+m[1])
		return i + m[1]
	}
	if m := noteMark.FindString(rest); m != "" {
		w.drop(i, i+len(m))
		return i + len(m)
	}
	return i + 1
}

// emphasis reads words between marks. Those between = and ~ are shown as they stand.
func (w *wrapped) emphasis(i int, rest string) int {
	mark := rest[:1]
	switch {
	case mark == "*" && strings.HasPrefix(rest, "**") && !w.org:
		mark = "**"
	case mark == "*":
	case w.rst || !w.org && (mark == "_" || mark == "/"):
		return i + 1
	}
	n := len(mark)
	if !w.opens(i) || len(rest) <= n || isSpaceByte(rest[n]) || rest[n] == mark[0] {
		return i + n
	}
	for at := n; at < len(rest); {
		found := strings.Index(rest[at:], mark)
		if found < 0 {
			break
		}
		at += found
		end := i + at + n
		if isSpaceByte(rest[at-1]) || rest[at-1] == mark[0] || !w.closes(end) {
			at += n
			continue
		}
		inside := rest[n:at]
		if mark == "/" && (!strings.Contains(inside, " ") || strings.Contains(inside, "/")) || strings.Contains(inside, "\n\n") {
			break // a path
		}
		w.drop(i, i+n)
		w.drop(i+at, end)
		if mark == "=" || mark == "~" {
			return end
		}
		return i + n
	}
	return i + n
}

func isSpaceByte(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func isWordByte(c byte) bool {
	return c >= utf8.RuneSelf || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
