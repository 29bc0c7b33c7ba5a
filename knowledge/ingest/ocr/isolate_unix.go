//go:build unix

package ocr

import (
	"os/exec"
	"syscall"
)

// isolate gives the command a process group, which is ended as a whole when its time is over.
func isolate(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
}
