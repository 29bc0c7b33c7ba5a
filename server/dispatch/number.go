package dispatch

import (
	"context"
	"fmt"
	"strconv"

	"go.lsp.dev/jsonrpc2"
)

// firstID is the first id of our own requests. The protocol has one space of ids for each
// direction, but some clients have one for both: Vim's channels take a request of ours that has the id
// of a request of theirs for the reply to it. Clients count from 0 or 1, so none gets here.
//
// The ids stay numbers, and below 1<<31, because that is what every client reads: Kate turns a string
// into a number, which is 0 for words, and Zed's and Kate's ids have 32 bits; others take none below 0.
const firstID = 1 << 30

// numbered is a stream on which the requests of the connection, which counts them from 1, have the ids
// that the client is to see.
type numbered struct{ jsonrpc2.Stream }

// Write implements jsonrpc2.Stream.
func (s numbered) Write(ctx context.Context, message jsonrpc2.Message) (int64, error) {
	if call, ours := message.(*jsonrpc2.Call); ours {
		renamed, err := jsonrpc2.NewCall(clientID(call.ID()), call.Method(), call.Params())
		if err != nil {
			return 0, err
		}
		message = renamed
	}
	return s.Stream.Write(ctx, message)
}

// Read implements jsonrpc2.Stream. A client may give back a number as a string.
func (s numbered) Read(ctx context.Context) (jsonrpc2.Message, int64, error) {
	message, n, err := s.Stream.Read(ctx)
	response, ok := message.(*jsonrpc2.Response)
	if err != nil || !ok {
		return message, n, err
	}
	number, err := strconv.Atoi(fmt.Sprint(response.ID()))
	if err != nil {
		return message, n, nil // to no call of ours
	}
	renamed, err := jsonrpc2.NewResponse(jsonrpc2.NewNumberID(int32(number-firstID)), response.Result(), response.Err())
	if err != nil {
		return nil, n, err
	}
	return renamed, n, nil
}

// clientID is the id under which the client knows a call of the connection.
func clientID(id jsonrpc2.ID) jsonrpc2.ID {
	number, _ := strconv.Atoi(fmt.Sprint(id)) // the connection numbers all of them
	return jsonrpc2.NewNumberID(int32(firstID + number))
}
