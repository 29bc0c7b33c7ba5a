package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"lacuna/knowledge/llm"
)

// consentAsker returns what asks the person at the terminal before text leaves the machine, or nil
// where nobody sits there. A no holds until the command ends.
func (p *program) consentAsker() func(ctx context.Context, out llm.Outbound) (bool, error) {
	if !isTerminal(p.In) || !isTerminal(p.console) {
		return nil
	}
	turn := make(chan struct{}, 1) // one question at a time; it guards what follows
	lines := bufio.NewScanner(p.In)
	refused := map[string]bool{} // hosts
	return func(ctx context.Context, out llm.Outbound) (bool, error) {
		select {
		case turn <- struct{}{}:
		case <-ctx.Done():
			return false, ctx.Err()
		}
		defer func() { <-turn }()
		if refused[out.Host] {
			return false, nil
		}
		send, err := p.askConsent(ctx, out, lines)
		refused[out.Host] = err == nil && !send
		return send, err
	}
}

// askConsent asks until it gets an answer. No line at all is a no.
func (p *program) askConsent(ctx context.Context, out llm.Outbound, lines *bufio.Scanner) (bool, error) {
	if isTerminal(p.console) {
		fmt.Fprint(p.console, "\r\x1b[K")
	}
	fmt.Fprintf(p.Err, "To answer, text of your notes and sources would be sent to %s (%s, as %s).\n",
		printable(out.Host), printable(out.Model), out.Role)
	if out.Details != "" {
		fmt.Fprintf(p.Err, "Replaced before: %s.\n", printable(out.Details))
	}
	if out.Unencrypted {
		fmt.Fprintln(p.Err, "The connection is not encrypted: whoever is on the way can read it.")
	}
	for {
		fmt.Fprint(p.Err, "Send it, now and from now on for this workspace? [yes, no, show] ")
		read := make(chan bool, 1)
		go func() { read <- lines.Scan() }()
		select {
		case more := <-read:
			if !more {
				fmt.Fprintln(p.Err)
				return false, nil
			}
		case <-ctx.Done():
			return false, ctx.Err()
		}
		switch strings.ToLower(strings.TrimSpace(lines.Text())) {
		case "y", "yes":
			return true, nil
		case "n", "no", "":
			return false, nil
		case "s", "show":
			fmt.Fprintln(p.Err, readableBody(out.Body))
		}
	}
}

// readableBody is the body of a request, indented. Nothing in it can reach beyond its lines on a
// terminal.
func readableBody(body []byte) string {
	var indented bytes.Buffer
	if json.Indent(&indented, body, "", "  ") != nil {
		return printable(string(body))
	}
	var b strings.Builder
	for line := range strings.Lines(indented.String()) {
		text := strings.TrimLeft(line, " ")
		fmt.Fprintf(&b, "%s%s\n", line[:len(line)-len(text)], printable(text))
	}
	return b.String()
}
