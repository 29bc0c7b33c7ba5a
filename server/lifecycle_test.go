package server_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.lsp.dev/jsonrpc2"

	"lacuna/handlers"
	"lacuna/server"
	"lacuna/server/editortest"
	"lacuna/server/folders"
)

func TestLifecycleCodes(t *testing.T) {
	e, code := serve(t, &fakeWorkspace{}, editortest.Options{})
	wantCode(t, e.Call("textDocument/hover", map[string]any{}, nil), jsonrpc2.ServerNotInitialized)
	wantCode(t, e.Call("shutdown", nil, nil), jsonrpc2.ServerNotInitialized)
	e.Notify("textDocument/didOpen", map[string]any{}) // dropped
	e.Start()
	wantCode(t, e.Call("initialize", map[string]any{}, nil), jsonrpc2.InvalidRequest)
	wantCode(t, e.Call("no/such", nil, nil), jsonrpc2.MethodNotFound)           // stock: "parse error", code 0
	wantCode(t, e.Call("$/no/such", nil, nil), jsonrpc2.MethodNotFound)         //
	wantCode(t, e.Call("textDocument/hover", 7, nil), jsonrpc2.InvalidParams)   // stock: code 0
	wantCode(t, e.Call("textDocument/hover", nil, nil), jsonrpc2.InvalidParams) //
	e.Notify("no/such", nil)
	e.Notify("$/no/such", map[string]any{})
	e.Notify("textDocument/didOpen", []int{1}) // cannot be decoded; logged
	e.MustCall("shutdown", nil, nil)
	e.MustCall("shutdown", map[string]any{}, nil) // editors that are stopped and then closed send two
	wantCode(t, e.Call("textDocument/hover", map[string]any{}, nil), jsonrpc2.InvalidRequest)
	e.Notify("exit", nil)
	if got := <-code; got != 0 {
		t.Errorf("exit code %d, want 0", got)
	}
}

// The stock server refuses shutdown and ignores exit when they carry parameters.
func TestShutdownAndExitTakeAnyParameters(t *testing.T) {
	for _, params := range []any{nil, map[string]any{}, []any{}, "x"} {
		e, code := serve(t, &fakeWorkspace{}, editortest.Options{})
		e.Start()
		e.MustCall("shutdown", params, nil)
		e.Notify("exit", params)
		if got := <-code; got != 0 {
			t.Errorf("with %v: exit code %d, want 0", params, got)
		}
	}
}

func TestExitCodes(t *testing.T) {
	tests := map[string]struct {
		end  func(e *editortest.Editor)
		want int
	}{
		"exit before initialize": {func(e *editortest.Editor) { e.Notify("exit", nil) }, 1},
		"exit without shutdown":  {func(e *editortest.Editor) { e.Start(); e.Notify("exit", nil) }, 1},
		"stream ends":            {func(e *editortest.Editor) { e.Start(); e.Close() }, 1},
		"stream ends after shutdown": {func(e *editortest.Editor) {
			e.Start()
			e.MustCall("shutdown", nil, nil)
			e.Close()
		}, 0},
		"exit twice": {func(e *editortest.Editor) {
			e.Start()
			e.MustCall("shutdown", nil, nil)
			e.Send(strings.Repeat(editortest.Frame(`{"jsonrpc":"2.0","method":"exit"}`), 2))
		}, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			e, code := serve(t, &fakeWorkspace{}, editortest.Options{})
			tt.end(e)
			if got := <-code; got != tt.want {
				t.Errorf("exit code %d, want %d", got, tt.want)
			}
		})
	}
}

func TestAskedToStop(t *testing.T) {
	ours, theirs := net.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	e := editortest.Connect(t, theirs, editortest.Options{})
	code := make(chan int)
	go func() { code <- server.Serve(ctx, ours, server.Options{Open: failingOpen}) }()
	e.Start()
	cancel() // what SIGTERM does
	if got := <-code; got != 1 {
		t.Errorf("exit code %d, want 1", got)
	}
	e.Close()
}

func failingOpen(context.Context, folders.OpenRequest) (folders.Workspace, error) {
	return nil, errors.New("disk on fire")
}

// A read that never ends must not keep the process: closing stdin does not unblock it.
type stuck struct{ io.ReadWriteCloser }

func (stuck) Read([]byte) (int, error) { select {} }

func TestServeEndsThoughAReadDoesNot(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := server.Serve(ctx, stuck{discard{}}, server.Options{Open: failingOpen}); got != 1 {
		t.Errorf("exit code %d, want 1", got)
	}
}

type discard struct{}

func (discard) Read([]byte) (int, error)    { return 0, io.EOF }
func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) Close() error                { return nil }

// Initialize must answer whatever the folder holds: nothing is opened before initialized.
func TestInitializeTouchesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opened := 0
		e, _ := serveOpen(t, func(context.Context, folders.OpenRequest) (folders.Workspace, error) {
			opened++
			return nil, errors.New("not here")
		}, editortest.Options{})
		e.MustCall("initialize", map[string]any{
			"processId": 1, "rootUri": "file:///does/not/exist", "rootPath": 12, "capabilities": map[string]any{"window": "odd"},
			"workspaceFolders": []any{map[string]any{"uri": "file:///nor/this", "name": "x"}},
		}, nil)
		time.Sleep(time.Hour)
		synctest.Wait()
		if opened != 0 {
			t.Fatal("the workspace was opened before initialized")
		}
		e.Notify("initialized", map[string]any{})
		synctest.Wait()
		if opened != 1 {
			t.Errorf("opened %d times after initialized", opened)
		}
	})
}

func TestCapabilities(t *testing.T) {
	tests := []struct {
		name    string
		options editortest.Options
		want    string
	}{
		{"poorest client", editortest.Options{}, "utf-16"},
		{"rich client", editortest.Rich(), "utf-8"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, _ := serve(t, &fakeWorkspace{}, tt.options)
			got := e.Start().Capabilities
			if got.PositionEncoding != tt.want {
				t.Errorf("encoding %q, want %q", got.PositionEncoding, tt.want)
			}
			if got.ExecuteCommandProvider == nil || !slices.Equal(got.ExecuteCommandProvider.Commands, handlers.Client{}.Commands()) {
				t.Errorf("commands %v", got.ExecuteCommandProvider)
			}
		})
	}
}

// TestCommandsWithThePrefixOfTheClient runs one of those that it is offered.
func TestCommandsWithThePrefixOfTheClient(t *testing.T) {
	options := editortest.Rich()
	options.Capabilities["experimental"] = map[string]any{"lacuna": map[string]any{"commandPrefix": "lacuna-2."}}
	e, _ := serve(t, &fakeWorkspace{}, options)
	if offered := e.Start("/notes").Capabilities.ExecuteCommandProvider.Commands; !slices.Contains(offered, "lacuna-2.status") {
		t.Errorf("offered %v", offered)
	}
	for name, known := range map[string]bool{"lacuna-2.status": true, "lacuna.status": true, "lacuna-3.status": false} {
		if err := e.Call("workspace/executeCommand", map[string]any{"command": name}, nil); (err == nil) != known {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAPoorClientIsOfferedOnlyWhatItTakes reads the reply as the client does.
func TestAPoorClientIsOfferedOnlyWhatItTakes(t *testing.T) {
	optional := []string{
		"diagnosticProvider", "inlayHintProvider", "inlineCompletionProvider", "semanticTokensProvider", "completionProvider", "documentLinkProvider",
		"documentSymbolProvider", "workspaceSymbolProvider", "foldingRangeProvider",
	}
	for name, options := range map[string]editortest.Options{"poor": {}, "rich": editortest.Rich().Pulling()} {
		e, _ := serve(t, &fakeWorkspace{}, options)
		var reply struct{ Capabilities map[string]any }
		e.MustCall("initialize", map[string]any{"processId": nil, "capabilities": options.Capabilities}, &reply)
		for _, provider := range optional {
			value, there := reply.Capabilities[provider]
			if offered := there && value != false; offered != (name == "rich") {
				t.Errorf("%s client: %s offered is %v", name, provider, offered)
			}
		}
		actions := reply.Capabilities["codeActionProvider"].(map[string]any)
		files := reply.Capabilities["workspace"].(map[string]any)["fileOperations"].(map[string]any)
		if actions["resolveProvider"] == true != (name == "rich") || len(files) > 0 != (name == "rich") {
			t.Errorf("%s client: code actions %v, files %v", name, actions, files)
		}
	}
}

// The process exits with its parent, and its standard output carries the protocol and nothing
// else, whatever prints.
func TestStdio(t *testing.T) {
	if os.Getenv("LACUNA_TEST_STDIO") != "" {
		code := server.ServeStdio(context.Background(), server.Options{Open: func(context.Context, folders.OpenRequest) (folders.Workspace, error) {
			os.Stdout.WriteString("a stray print\n")
			return nil, errors.New("not here")
		}})
		os.Exit(code)
	}
	start := func(t *testing.T) (*exec.Cmd, *editortest.Editor) {
		cmd := exec.Command(os.Args[0], "-test.run=^TestStdio$")
		cmd.Env = append(os.Environ(), "LACUNA_TEST_STDIO=1", "GOCOVERDIR="+t.TempDir())
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		var stderr strings.Builder
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd, editortest.Connect(t, pipes{out, in}, editortest.Options{})
	}
	t.Run("stray prints go elsewhere", func(t *testing.T) {
		cmd, e := start(t)
		e.Start(t.TempDir())
		e.Await("the message about the workspace", func() bool { return e.Told("disk") || e.Told("not here") })
		e.MustCall("shutdown", nil, nil)
		e.Notify("exit", nil)
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
		if got := cmd.Stderr.(*strings.Builder).String(); got != "a stray print\n" {
			t.Errorf("standard error: %q", got)
		}
	})
	for _, begun := range []bool{true, false} {
		t.Run(fmt.Sprintf("ends with the client's process, begun %t", begun), func(t *testing.T) { endsWithParent(t, start, begun) })
	}
}

// endsWithParent has the client's process end once the session has begun, or between initialize and
// initialized; standard input stays open.
func endsWithParent(t *testing.T, start func(t *testing.T) (*exec.Cmd, *editortest.Editor), begun bool) {
	parent := exec.Command("sleep", "1000")
	if err := parent.Start(); err != nil {
		t.Skip("no process to watch:", err)
	}
	cmd, e := start(t)
	e.MustCall("initialize", map[string]any{"processId": parent.Process.Pid, "capabilities": map[string]any{}}, nil)
	if begun {
		e.Notify("initialized", map[string]any{})
		e.MustCall("textDocument/codeLens", map[string]any{"textDocument": map[string]any{"uri": "file:///x"}}, nil)
	}
	_ = parent.Process.Kill()
	_ = parent.Wait()
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("ended with %v, want code 1", err)
	}
}

type pipes struct {
	io.ReadCloser
	io.WriteCloser
}

func (p pipes) Close() error { return errors.Join(p.ReadCloser.Close(), p.WriteCloser.Close()) }
