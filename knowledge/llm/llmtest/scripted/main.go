// Scripted is a model server to try Lacuna with where there is no model: it plays every role from a
// script and says nothing of its own. It prints its address and serves until it is interrupted.
//
//	go run ./knowledge/llm/llmtest/scripted -listen 127.0.0.1:8191 -pace 20ms
package main

import (
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"slices"
	"time"

	"lacuna/knowledge/llm/llmtest"
)

func main() {
	address := flag.String("listen", "127.0.0.1:0", "`address` to listen at")
	wait := flag.Duration("wait", 200*time.Millisecond, "time before a reply")
	pace := flag.Duration("pace", 20*time.Millisecond, "time between the pieces of a reply")
	obedient := flag.Bool("obedient", false, "obey instructions found in the evidence")
	template := flag.String("template", "", "`name` of the chat template of the model")
	manner := flag.String("manner", "vLLM", "`name` of the server, which says what the template refuses")
	stranger := flag.String("stranger", "", "`name` of the kind of model")
	fault := flag.String("fault", "", "`name` of a fault that every reply has")
	flag.Parse()

	script := llmtest.Obliging()
	if *obedient {
		script = llmtest.Obedient(script)
	}
	if *fault != "" {
		script = llmtest.Break(script, llmtest.Named(*fault))
	}
	if *stranger != "" {
		at := slices.IndexFunc(llmtest.Strangers(), func(s llmtest.Stranger) bool { return s.Name == *stranger })
		require(at, "kind of model", *stranger)
		script = llmtest.Strangers()[at].Play(script)
	}
	if *template != "" {
		at := slices.IndexFunc(llmtest.Templates(), func(t llmtest.Template) bool { return t.Name == *template })
		require(at, "chat template", *template)
		by := slices.IndexFunc(llmtest.Manners(), func(m llmtest.Manner) bool { return m.Name == *manner })
		require(by, "server", *manner)
		script = llmtest.Strict(script, llmtest.Templates()[at], llmtest.Manners()[by])
	}
	listener, err := net.Listen("tcp", *address)
	if err != nil {
		fmt.Fprintln(os.Stderr, "scripted:", err)
		os.Exit(1)
	}
	server := llmtest.Start(listener, func(c llmtest.Call) llmtest.Reply {
		fmt.Fprintln(os.Stderr, c.Kind, c.Model, c.Template)
		reply := script(c)
		reply.Wait, reply.Pace = max(reply.Wait, *wait), max(reply.Pace, *pace)
		return reply
	})
	defer server.Close()
	fmt.Fprintln(os.Stdout, server.URL())

	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	<-interrupted
}

// require ends the program where nothing has the name that was asked for.
func require(at int, what, name string) {
	if at < 0 {
		fmt.Fprintf(os.Stderr, "scripted: no %s is called %q\n", what, name)
		os.Exit(2)
	}
}
