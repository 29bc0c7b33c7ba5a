package usage

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/pflag"
)

// Pages returns a page of section 1 of the manual for the program and for each command, by the name of its file, as of a
// day. They are written in the macros of man(7), which groff and mandoc read.
func (p Program) Pages(as time.Time) map[string][]byte {
	pages := map[string][]byte{}
	var list, others strings.Builder
	for i, c := range p.Commands {
		name := p.Name + "-" + strings.ReplaceAll(c.Name, " ", "-")
		paragraph(&list, ".B "+roff(p.Name+" "+c.Name), roff(c.Summary))
		comma := ","
		if i == len(p.Commands)-1 {
			comma = ""
		}
		fmt.Fprintf(&others, ".BR %s (1)%s\n", roff(name), comma)

		var b strings.Builder
		p.head(&b, name, c.Summary, as)
		synopsis := ".B " + roff(p.Name+" "+c.Name) + "\n"
		if len(visible(c.Flags)) > 0 {
			synopsis += "[flags]\n"
		}
		if c.Arguments != "" {
			synopsis += roff(c.Arguments) + "\n"
		}
		section(&b, "SYNOPSIS", synopsis)
		section(&b, "DESCRIPTION", prose(c.Details))
		section(&b, "FLAGS", flags(c.Flags))
		section(&b, "FLAGS OF EVERY COMMAND", flags(p.Flags))
		section(&b, "EXIT STATUS", exitStatus)
		section(&b, "SEE ALSO", ".BR "+roff(p.Name)+" (1)\n")
		pages[name+".1"] = []byte(b.String())
	}
	var b strings.Builder
	p.head(&b, p.Name, p.Summary, as)
	section(&b, "SYNOPSIS", ".B "+roff(p.Name)+"\n[flags]\n.br\n.B "+roff(p.Name)+"\nCOMMAND [flags] ...\n")
	section(&b, "DESCRIPTION", "Without a command, it runs as a language server, as editors start it.\n")
	section(&b, "COMMANDS", list.String())
	section(&b, "FLAGS OF EVERY COMMAND", flags(p.Flags))
	section(&b, "EXIT STATUS", exitStatus)
	section(&b, "SEE ALSO", others.String())
	pages[p.Name+".1"] = []byte(b.String())
	return pages
}

const exitStatus = `0 done; 1 done, and the answer is \(dqno\(dq; 2 wrong usage or configuration; 3 failed.
`

func (p Program) head(b *strings.Builder, name, summary string, as time.Time) {
	fmt.Fprintf(b, ".TH %s 1 %s \"%s %s\" \"User Commands\"\n.nh\n", roff(strings.ToUpper(name)), as.UTC().Format(time.DateOnly), roff(p.Name), roff(p.Version))
	section(b, "NAME", fmt.Sprintf("%s \\- %s\n", roff(name), roff(strings.TrimSuffix(summary, "."))))
}

// section writes a section of a page, unless it would be empty.
func section(b *strings.Builder, title, body string) {
	if body != "" {
		fmt.Fprintf(b, ".SH %s\n%s", title, body)
	}
}

// paragraph writes a paragraph that hangs on a tag; both are roff.
func paragraph(b *strings.Builder, tag, body string) { fmt.Fprintf(b, ".TP\n%s\n%s\n", tag, body) }

func flags(f *pflag.FlagSet) string {
	var b strings.Builder
	for _, flag := range visible(f) {
		kind, about := pflag.UnquoteUsage(flag)
		tag := ".B " + roff("--"+flag.Name)
		if takesValue(flag) {
			tag = ".BI " + roff("--"+flag.Name) + ` "\ ` + roff(kind) + `"`
			if value := flag.DefValue; value != "" && value != "0" && value != "[]" && !strings.Contains(about, "default:") {
				about += " (default " + value + ")"
			}
		}
		paragraph(&b, tag, roff(about))
	}
	return b.String()
}

// prose writes the details of a command's help: paragraphs are filled, and those with lines that are indented stay as they are.
func prose(details string) string {
	var b strings.Builder
	for i, paragraph := range strings.Split(strings.TrimSpace(details), "\n\n") {
		if i > 0 {
			b.WriteString(".PP\n")
		}
		lines := strings.Split(strings.Trim(paragraph, "\n"), "\n")
		kept := strings.Contains("\n"+paragraph, "\n ")
		if kept {
			b.WriteString(".nf\n")
		}
		for _, line := range lines {
			b.WriteString(roff(line) + "\n")
		}
		if kept {
			b.WriteString(".fi\n")
		}
	}
	return b.String()
}

// roff escapes a text, also within an argument in quotation marks. What is not ASCII is written by its number, since
// readers of pages guess encodings.
func roff(text string) string {
	var b strings.Builder
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		b.WriteString(`\&`)
	}
	for _, r := range text {
		switch {
		case r == '\\':
			b.WriteString(`\e`)
		case r == '-':
			b.WriteString(`\-`)
		case r == '"':
			b.WriteString(`\(dq`)
		case r == '\'':
			b.WriteString(`\(aq`)
		case r == '`':
			b.WriteString(`\(ga`)
		case r == '^':
			b.WriteString(`\(ha`)
		case r == '~':
			b.WriteString(`\(ti`)
		case r >= utf8.RuneSelf:
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
