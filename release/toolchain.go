package main

import (
	"fmt"
	"os/exec"
	"strings"
)

// platforms are those that a release has.
var platforms = []string{
	"linux/amd64", "linux/arm64", "linux/riscv64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64", "freebsd/amd64",
}

// settings are the variables that change what the compiler makes. Those of the person who builds do not count, and GOFLAGS is
// not empty, since what "go env -w" wrote would count then.
var settings = []string{
	"CGO_ENABLED=0", "GOFLAGS=-trimpath", "GOEXPERIMENT=", "GOAMD64=v1", "GOARM64=v8.0", "GORISCV64=rva20u64", "GOWORK=off",
}

// output runs a command in a folder and returns what it prints, without the last line break.
func output(folder string, name string, arguments ...string) (string, error) {
	command := exec.Command(name, arguments...)
	command.Dir = folder
	return finish(command)
}

// finish is output for a command that is ready to run.
func finish(command *exec.Cmd) (string, error) {
	var complaint strings.Builder
	command.Stderr = &complaint
	text, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", strings.Join(command.Args, " "), err, complaint.String())
	}
	return strings.TrimRight(string(text), "\n"), nil
}
