package peers

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// process is the program that searches with the other libraries, peer.py.
type process struct {
	versions string
	command  *exec.Cmd
	to       io.WriteCloser
	from     *bufio.Scanner
}

// start starts what the environment variable PEERS_PYTHON names, with its arguments, on a file of
// rows and queries.
func start(path string, dim, rows, queries int, peers []string) (*process, error) {
	python := strings.Fields(os.Getenv("PEERS_PYTHON"))
	arguments := append(python[1:], path, strconv.Itoa(dim), strconv.Itoa(rows), strconv.Itoa(queries), strings.Join(peers, ","))
	p := &process{command: exec.Command(python[0], arguments...)}
	p.command.Stderr = os.Stderr
	var err error
	if p.to, err = p.command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.from = bufio.NewScanner(out)
	if err := p.command.Start(); err != nil {
		return nil, err
	}
	if !p.from.Scan() {
		return nil, errors.Join(errors.New("the peers did not start"), p.command.Wait())
	}
	p.versions = p.from.Text()
	return p, nil
}

func (p *process) stop() {
	_ = p.to.Close() // it ends with its input
	_ = p.command.Wait()
}

// one searches for one query.
func (p *process) one(peer string, query int) (milliseconds float64, rows []int, err error) {
	fields, err := p.ask("one", peer, query)
	if err != nil {
		return 0, nil, err
	}
	for _, field := range fields[1:] {
		row, err := strconv.Atoi(field)
		if err != nil {
			return 0, nil, err
		}
		rows = append(rows, row)
	}
	milliseconds, err = strconv.ParseFloat(fields[0], 64)
	return milliseconds, rows, err
}

// batch searches for the first queries in one call.
func (p *process) batch(peer string, count int) (milliseconds float64, err error) {
	fields, err := p.ask("batch", peer, count)
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(fields[0], 64)
}

func (p *process) ask(kind, peer string, number int) ([]string, error) {
	if _, err := fmt.Fprintf(p.to, "%s\t%s\t%d\n", kind, peer, number); err != nil {
		return nil, err
	}
	if !p.from.Scan() {
		return nil, errors.Join(errors.New("the peers ended"), p.from.Err())
	}
	return strings.Split(p.from.Text(), "\t"), nil
}

// load returns the system's load average of the last minute, if it is known.
func load() string {
	content, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	one, _, _ := strings.Cut(string(content), " ")
	return one
}
