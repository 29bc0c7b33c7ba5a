package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"lacuna/handlers/explain"
)

func explainCommand() command {
	return command{
		name:      "explain",
		arguments: "[CODE…]",
		summary:   "say what the marks in notes mean",
		details: `
Prints the page about the mark with that CODE, such as missing-topic: what it
means, why it appears, what to do and how to silence it. Without a CODE it lists
the marks. "lacuna check" prints the codes; so do editors.`,
		flags: func(*pflag.FlagSet) {},
		run: func(_ context.Context, p *program, args []string) error {
			return p.explain(args)
		},
	}
}

func (p *program) explain(codes []string) error {
	if len(codes) == 0 {
		for _, code := range explain.Codes() {
			fmt.Fprintf(p.out, "%-22s %s\n", code, explain.Summary(code))
		}
		return nil
	}
	for i, code := range codes {
		page, ok := explain.Page(code)
		if !ok {
			return usagef("there is no mark %q; known: %s", code, strings.Join(explain.Codes(), ", "))
		}
		if i > 0 {
			fmt.Fprintln(p.out)
		}
		fmt.Fprint(p.out, page)
	}
	return nil
}
