package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.lsp.dev/protocol"

	"lacuna/handlers/explain"
	"lacuna/handlers/lsp"
	"lacuna/handlers/messages"
	"lacuna/vecmath/regular"
)

// An offer is a text that a person asked for and that has no place in a note: it is written beside
// the index, in a folder of the user's alone, and opened.

const (
	offersFolder = "offers"
	// offersKept is how long they stay: a note's text has no business there for longer.
	offersKept = 24 * time.Hour
)

// show opens a document in the client, where that can be asked for.
func (e *editor) show(ctx context.Context, uri protocol.DocumentURI) bool {
	if !e.client.ShowDocument {
		return false
	}
	var reply protocol.ShowDocumentResult
	params := protocol.ShowDocumentParams{URI: uri, TakeFocus: true}
	if err := e.conn.Call(ctx, replyTime, protocol.MethodShowDocument, params, &reply); err != nil {
		e.log.Debug("document not shown", "err", err)
		return false
	}
	return reply.Success
}

// Offer writes the Markdown beside the index, under its title, and opens it. Where a client cannot open
// a document, the plain text is the message.
func (e *editor) Offer(ctx context.Context, title, markdown, plain string) {
	if !e.offer(ctx, ".md", "# "+strings.TrimRight(title, ".")+"\n\n"+markdown+"\n") {
		e.showMessage(messages.Message{Level: messages.Warning, Text: title + "\n\n" + plain})
	}
}

// offer reports whether the client has opened a document with exactly this content.
func (e *editor) offer(ctx context.Context, ending, content string) bool {
	base := e.newestBase()
	if base == nil {
		base = e.baseOf("")
	}
	if base == nil || !e.client.ShowDocument {
		return false
	}
	path, err := writeOffer(base.now.Load().folder, ending, content)
	if err != nil {
		e.log.Warn("offer not written", "err", err)
		return false
	}
	return e.show(ctx, lsp.URI(path))
}

// writeOffer keeps an offered text in the index's folder and drops those that are old.
func writeOffer(folder, ending, content string) (string, error) {
	if folder == "" {
		return "", os.ErrNotExist
	}
	folder = filepath.Join(folder, offersFolder)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	dropOffers(folder)
	sum := sha256.Sum256([]byte(content))
	path := filepath.Join(folder, hex.EncodeToString(sum[:8])+ending)
	return path, os.WriteFile(path, []byte(content), 0o600)
}

// explainFolder lies beside the index and holds the pages that explain diagnostics, for editors that
// open the address of an explanation.
const explainFolder = "explain"

// writePages writes the pages that explain diagnostics and returns their folder, or "" where that
// cannot be done. A page that is there already is left alone.
func (b *base) writePages(folder string) string {
	if folder == "" || !b.s.client.CodeDescription {
		return ""
	}
	folder = filepath.Join(folder, explainFolder)
	err := os.MkdirAll(folder, 0o700)
	for _, code := range explain.Codes() {
		page, _ := explain.Page(code)
		path := filepath.Join(folder, code+".md")
		if there, unread := regular.ReadFile(path); err == nil && (unread != nil || string(there) != page) {
			err = os.WriteFile(path, []byte(page), 0o600)
		}
	}
	if err != nil {
		b.s.log.Warn("explanations not written", "err", err)
		return ""
	}
	return folder
}

// ours reports whether a file is an offer or an explanation: it is no note, though it may hold
// questions. The caller holds session.mu.
func (s *session) ours(path string) bool {
	return slices.ContainsFunc(s.bases, func(b *base) bool {
		folder := b.now.Load().folder
		return folder != "" && (within(path, filepath.Join(folder, offersFolder)) || within(path, filepath.Join(folder, explainFolder)))
	})
}

// dropOffers removes the offers of earlier days. What cannot be removed stays for the next time.
func dropOffers(folder string) {
	files, _ := os.ReadDir(folder)
	for _, file := range files {
		if info, err := file.Info(); err == nil && time.Since(info.ModTime()) > offersKept {
			_ = os.Remove(filepath.Join(folder, file.Name()))
		}
	}
}
