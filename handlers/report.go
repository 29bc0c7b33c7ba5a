package handlers

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
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
		e.Show(ctx, Message{Info, cmp.Or(e.Overview(ctx).nothing(), textNoGaps)})
		return Outcome{}, nil
	}
	report := GapReport(open)
	e.Offer(ctx, textGapReport, report, report)
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
		fmt.Fprintf(&b, "## %s\n\n", escapeMarkdown(clusterTitle(cluster)))
		for _, listed := range cluster.Gaps {
			reportGap(&b, listed)
		}
	}
	return b.String()
}

func reportGap(b *strings.Builder, listed ledger.Item) {
	g := shownGap(listed.Gap)
	item := func(text string) { fmt.Fprintf(b, "  - %s\n", oneLine(text)) } // names of files may hold line ends
	fmt.Fprintf(b, "- %s\n", escapeMarkdown(oneLine(gapText(g, false))))
	asked := escapeMarkdown(oneLine(listed.Ref.Text))
	if asked == "" {
		asked = reportQuestionGone
	}
	if listed.Answered {
		asked += reportAnswered
	}
	item(asked + noteLink(listed.Ref.Note))
	for _, p := range g.Nearest {
		item(escapeMarkdown(fmt.Sprintf(reportNearest, oneLine(breadcrumb(p)), label(p, p.Place.Line))))
	}
	if query := oneLine(g.Query); query != "" {
		item(escapeMarkdown(fmt.Sprintf(reportSearch, query)))
	}
	if !listed.Since.IsZero() {
		item(fmt.Sprintf(reportSince, listed.Since.Format("2 January 2006")))
	}
}

// noteLink leads to the note a question stands in, where it has a file.
func noteLink(name string) string {
	if !filepath.IsAbs(name) {
		return ""
	}
	return fmt.Sprintf(" ([%s](<%s>))", escapeMarkdown(filepath.Base(name)), lsp.URI(name))
}
