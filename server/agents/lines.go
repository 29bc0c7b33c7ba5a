package agents

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"lacuna/handlers/messages"
)

// longestLine bounds a message of an agent.
const longestLine = 8 << 20

// output writes messages of two writers, each whole.
type output struct {
	mu sync.Mutex
	io.WriteCloser
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.WriteCloser.Write(p)
}

// messagesOf returns what in has, without the lines that are no messages: these are answered here, because the protocol's library
// would end the session. Messages that come together, as before revision 2025-06-18, are passed on one by one.
func messagesOf(in io.Reader, out io.Writer) io.ReadCloser {
	read, write := io.Pipe()
	go func() {
		lines := bufio.NewReaderSize(in, 64<<10)
		for {
			line, tooLong, err := nextLine(lines)
			if tooLong {
				refuse(out, jsonrpc.CodeInvalidRequest, fmt.Sprintf(messages.AgentLongLine, longestLine>>20))
			}
			for _, message := range parts(line) {
				code, problem := check(message)
				if problem != "" {
					refuse(out, code, problem)
					continue
				}
				if _, gone := write.Write(append(message, '\n')); gone != nil {
					return
				}
			}
			if err != nil {
				write.CloseWithError(err)
				return
			}
		}
	}()
	return read
}

// nextLine returns the next line in memory of its own; of one that is too long nothing.
func nextLine(r *bufio.Reader) (line []byte, tooLong bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > longestLine; tooLong {
			line = nil
		} else {
			line = append(line, part...)
		}
		if err != bufio.ErrBufferFull {
			return bytes.TrimSpace(line), tooLong, err
		}
	}
}

// parts returns the messages of a line: one, several of a batch, or none.
func parts(line []byte) [][]byte {
	if len(line) == 0 {
		return nil
	}
	var batch []json.RawMessage
	if line[0] != '[' || json.Unmarshal(line, &batch) != nil || len(batch) == 0 {
		return [][]byte{line}
	}
	all := make([][]byte, len(batch))
	for i, message := range batch {
		var flat bytes.Buffer // the parts of a line have no line feeds; their slices share its memory
		flat.Write(message)
		all[i] = flat.Bytes()
	}
	return all
}

// check returns what is wrong with a message, or nothing.
func check(message []byte) (code int64, problem string) {
	if !json.Valid(message) {
		return jsonrpc.CodeParseError, messages.AgentNoJSON
	}
	if _, err := jsonrpc.DecodeMessage(message); err != nil {
		return jsonrpc.CodeInvalidRequest, messages.AgentNoMessage
	}
	return 0, ""
}

// refuse answers a message whose number is not known.
func refuse(out io.Writer, code int64, problem string) {
	reply, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code, "message": problem}})
	if err == nil {
		out.Write(append(reply, '\n'))
	}
}
