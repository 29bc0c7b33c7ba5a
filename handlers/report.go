package handlers

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
	"lacuna/knowledge/gap/ledger"
)

// showGaps shows the open gaps of a workspace in a document of their own.
func showGaps(ctx context.Context, e Editor, uri protocol.DocumentURI) (any, error) {
	open, err := e.OpenGaps(ctx, uri)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, lsp.Failed("%v", err)
	case len(open) == 0:
		e.Show(ctx, messages.Message{Level: messages.Info, Text: cmp.Or(e.Overview(ctx).nothing(), messages.NoGaps)})
		return Outcome{}, nil
	}
	report := GapReport(open)
	e.Offer(ctx, messages.GapReportHead, report, report)
	return Outcome{Done: true}, nil
}

// GapReport is a page of Markdown about what the notes of a workspace ask and its sources do not
// know: the gaps that ask for nearly the same together, each with its question, its note, what comes
// nearest and what to search for. What is a stranger's in it can do nothing but be read.
func GapReport(clusters []ledger.Cluster) string {
	var b strings.Builder
	for i, cluster := range clusters {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "## %s\n\n", escapeMarkdown(messages.ClusterTitle(cluster)))
		for _, listed := range cluster.Gaps {
			reportGap(&b, listed)
		}
	}
	return b.String()
}

func reportGap(b *strings.Builder, listed ledger.Item) {
	g := messages.ShownGap(listed.Gap)
	item := func(text string) { fmt.Fprintf(b, "  - %s\n", messages.OneLine(text)) } // names of files may hold line ends
	fmt.Fprintf(b, "- %s\n", escapeMarkdown(messages.OneLine(messages.GapLine(g, false))))
	asked := escapeMarkdown(messages.OneLine(listed.Ref.Text))
	if asked == "" {
		asked = messages.ReportQuestionGone
	}
	if listed.Answered {
		asked += messages.ReportAnswered
	}
	item(asked + noteLink(listed.Ref.Note))
	for _, p := range g.Nearest {
		item(escapeMarkdown(fmt.Sprintf(messages.ReportNearest, messages.OneLine(messages.Breadcrumb(p)), label(p, p.Place.Line))))
	}
	if query := messages.OneLine(g.Query); query != "" {
		item(escapeMarkdown(fmt.Sprintf(messages.ReportSearch, query)))
	}
	if !listed.Since.IsZero() {
		item(fmt.Sprintf(messages.ReportSince, listed.Since.Format("2 January 2006")))
	}
}

// noteLink leads to the note a question stands in, where it has a file.
func noteLink(name string) string {
	if !filepath.IsAbs(name) {
		return ""
	}
	return fmt.Sprintf(" ([%s](<%s>))", escapeMarkdown(filepath.Base(name)), lsp.URI(name))
}
