package measure

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"
	"time"

	"go.lsp.dev/protocol"

	"lacuna/handlers/lsp"
	"lacuna/handlers/position"
	"lacuna/server/editortest"
)

// patience is how long the server may take for anything at all.
const patience = 2 * time.Minute

// client has one note open at a server and notes when things come. Its methods are called from one
// goroutine; what the server sends is handled concurrently.
type client struct {
	out io.Writer
	uri protocol.DocumentURI

	writing sync.Mutex // held for one message
	typing  sync.Mutex // held from a change of the text to its notification, to keep their order

	mu        sync.Mutex // guards the fields below
	changed   *sync.Cond
	last      int // number of the last request
	replies   map[int]reply
	text      string
	version   int32
	published lsp.PublishDiagnosticsParams // newest of the note
	at        time.Time                    // when it came
	ended     error
}

type reply struct {
	message editortest.Message
	at      time.Time
}

func newClient(in io.Reader, out io.Writer) *client {
	c := &client{out: out, replies: make(map[int]reply)}
	c.changed = sync.NewCond(&c.mu)
	go c.read(bufio.NewReaderSize(in, 1<<20))
	return c
}

func (c *client) read(in *bufio.Reader) {
	for {
		m, err := editortest.ReadMessage(in)
		now := time.Now()
		if err == nil && m.Method != "" {
			err = c.hear(m, now)
		}
		c.mu.Lock()
		if err != nil {
			c.ended = err
		} else if m.Method == "" {
			if id, notNumber := strconv.Atoi(string(m.ID)); notNumber == nil {
				c.replies[id] = reply{m, now}
			}
		}
		c.changed.Broadcast()
		c.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// hear handles what the server says of its own.
func (c *client) hear(m editortest.Message, now time.Time) error {
	var result any
	switch m.Method {
	case "textDocument/publishDiagnostics":
		var p lsp.PublishDiagnosticsParams
		if err := json.Unmarshal(m.Params, &p); err != nil {
			return err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if p.URI == c.uri {
			c.published, c.at = p, now
		}
		return nil
	case "workspace/configuration":
		result = []any{nil}
	case "workspace/applyEdit":
		if err := c.apply(m.Params); err != nil {
			return err
		}
		result = map[string]any{"applied": true}
	}
	if m.ID == nil {
		return nil
	}
	return c.send(map[string]any{"id": m.ID, "result": result})
}

func (c *client) send(m map[string]any) error {
	m["jsonrpc"] = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err = io.WriteString(c.out, editortest.Frame(string(body)))
	return err
}

func (c *client) notify(method string, params any) error {
	return c.send(map[string]any{"method": method, "params": params})
}

// await waits until a condition holds, which runs with the lock held.
func (c *client) await(what string, holds func() bool) error {
	late := false
	timer := time.AfterFunc(patience, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		late = true
		c.changed.Broadcast()
	})
	defer timer.Stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	for !holds() {
		if c.ended != nil {
			return fmt.Errorf("waiting for %s: %w", what, c.ended)
		}
		if late {
			return fmt.Errorf("%s did not come within %s", what, patience)
		}
		c.changed.Wait()
	}
	return nil
}

// call sends a request and returns the time until its reply had been read.
func (c *client) call(method string, params, result any) (time.Duration, error) {
	c.mu.Lock()
	c.last++
	id := c.last
	c.mu.Unlock()
	begun := time.Now()
	if err := c.send(map[string]any{"id": id, "method": method, "params": params}); err != nil {
		return 0, err
	}
	var got reply
	err := c.await(method, func() bool {
		var there bool
		got, there = c.replies[id]
		delete(c.replies, id)
		return there
	})
	if err != nil {
		return 0, err
	}
	if got.message.Error != nil {
		return 0, fmt.Errorf("%s: %w", method, got.message.Error)
	}
	if result != nil {
		err = json.Unmarshal(got.message.Result, result)
	}
	return got.at.Sub(begun), err
}

// start shakes hands.
func (c *client) start(folder string) error {
	_, err := c.call("initialize", map[string]any{
		"processId":        nil,
		"rootUri":          nil,
		"workspaceFolders": []any{map[string]any{"uri": lsp.URI(folder), "name": "synthetic"}},
		"capabilities": map[string]any{
			"general":   map[string]any{"positionEncodings": []string{"utf-16"}},
			"workspace": map[string]any{"applyEdit": true, "workspaceEdit": map[string]any{"documentChanges": true}},
			"textDocument": map[string]any{
				"hover": map[string]any{"contentFormat": []string{"markdown"}},
				"codeAction": map[string]any{
					"codeActionLiteralSupport": map[string]any{"codeActionKind": map[string]any{"valueSet": []string{"quickfix"}}},
					"isPreferredSupport":       true, "disabledSupport": true, "dataSupport": true,
				},
				"publishDiagnostics": map[string]any{"versionSupport": true, "relatedInformation": true, "dataSupport": true, "codeDescriptionSupport": true},
			},
		},
	}, nil)
	if err != nil {
		return err
	}
	return c.notify("initialized", map[string]any{})
}

func (c *client) open(uri protocol.DocumentURI, text string) error {
	c.mu.Lock()
	c.uri, c.text, c.version = uri, text, 1
	c.mu.Unlock()
	return c.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": uri, "languageId": "markdown", "version": 1, "text": text,
	}})
}

// change replaces a span of the note's text, tells the server, and returns the new version and when
// it was told.
func (c *client) change(start, end int, text string) (int32, time.Time, error) {
	c.typing.Lock()
	defer c.typing.Unlock()
	c.mu.Lock()
	lines := position.NewLines(c.text)
	at := protocol.Range{Start: wirePosition(lines, start), End: wirePosition(lines, end)}
	c.text = c.text[:start] + text + c.text[end:]
	c.version++
	version := c.version
	c.mu.Unlock()
	begun := time.Now()
	return version, begun, c.notify("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": c.uri, "version": version},
		"contentChanges": []any{map[string]any{"range": at, "text": text}},
	})
}

// judged waits for the diagnostics of a version and returns when they came.
func (c *client) judged(version int32) (at time.Time, err error) {
	err = c.await("the diagnostics", func() bool {
		at = c.at
		return c.published.Version != nil && *c.published.Version >= version
	})
	return at, err
}

// calm is how long no diagnostics come when every question has been judged: until then the server
// publishes at least every second.
const calm = 3 * time.Second

// settled waits for diagnostics, and then until no more come.
func (c *client) settled() error {
	err := c.await("the first gap", func() bool { return len(c.published.Diagnostics) > 0 })
	for err == nil {
		c.mu.Lock()
		left := calm - time.Since(c.at)
		c.mu.Unlock()
		if left <= 0 {
			break
		}
		time.Sleep(left)
	}
	return err
}

// keystroke changes the note and returns the time until the diagnostics of that version came.
func (c *client) keystroke(start, end int, text string) (time.Duration, error) {
	version, begun, err := c.change(start, end, text)
	if err != nil {
		return 0, err
	}
	at, err := c.judged(version)
	return at.Sub(begun), err
}

// place is the parameter of a request about a place in the note.
func (c *client) place(offset int) map[string]any {
	return map[string]any{"textDocument": map[string]any{"uri": c.uri}, "position": wirePosition(position.NewLines(c.note()), offset)}
}

// note is the text of the note.
func (c *client) note() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text
}

func (c *client) hover(offset int) (time.Duration, error) {
	var found *protocol.Hover
	took, err := c.call("textDocument/hover", c.place(offset), &found)
	if err == nil && found == nil {
		err = errors.New("nothing to hover over")
	}
	return took, err
}

// codeActions asks as an editor does: with the diagnostics under the cursor.
func (c *client) codeActions(offset int) ([]lsp.CodeAction, time.Duration, error) {
	params := c.place(offset)
	at := params["position"].(protocol.Position)
	delete(params, "position")
	here := []protocol.Diagnostic{}
	c.mu.Lock()
	for _, d := range c.published.Diagnostics {
		if d.Range.Start.Line <= at.Line && at.Line <= d.Range.End.Line {
			here = append(here, d)
		}
	}
	c.mu.Unlock()
	params["range"], params["context"] = protocol.Range{Start: at, End: at}, map[string]any{"diagnostics": here}
	var actions []lsp.CodeAction
	took, err := c.call("textDocument/codeAction", params, &actions)
	if err == nil && len(actions) == 0 {
		err = errors.New("no code actions")
	}
	return actions, took, err
}

// run runs the command of the first code action whose command has that name.
func (c *client) run(actions []lsp.CodeAction, command string) error {
	i := slices.IndexFunc(actions, func(a lsp.CodeAction) bool { return a.Command != nil && a.Command.Command == command })
	if i < 0 {
		return fmt.Errorf("no code action runs %s", command)
	}
	_, err := c.call("workspace/executeCommand", map[string]any{"command": command, "arguments": actions[i].Command.Arguments}, nil)
	return err
}

// apply makes an edit of the server's, the last place first, so that the others stay where they are.
func (c *client) apply(raw json.RawMessage) error {
	var p struct {
		Edit struct {
			DocumentChanges []struct {
				Edits []protocol.TextEdit
			}
		}
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return err
	}
	for _, document := range p.Edit.DocumentChanges {
		slices.SortFunc(document.Edits, func(a, b protocol.TextEdit) int {
			return int(b.Range.Start.Line) - int(a.Range.Start.Line)
		})
		for _, edit := range document.Edits {
			lines := position.NewLines(c.note())
			if _, _, err := c.change(offsetOf(lines, edit.Range.Start), offsetOf(lines, edit.Range.End), edit.NewText); err != nil {
				return err
			}
		}
	}
	return nil
}

func wirePosition(lines *position.Lines, offset int) protocol.Position {
	p := lines.Position(offset, position.UTF16)
	return protocol.Position{Line: p.Line, Character: p.Column}
}

func offsetOf(lines *position.Lines, p protocol.Position) int {
	return lines.Offset(position.Position{Line: p.Line, Column: p.Character}, position.UTF16)
}
