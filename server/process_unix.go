//go:build !windows

package server

import (
	"errors"
	"os/signal"
	"syscall"
	"time"
)

// parentCheck is the interval at which the client's process is looked for.
const parentCheck = time.Second

// watchParent closes s.orphaned when the process is gone. A process that cannot be seen at the
// start lives in another container and is not watched.
func (s *session) watchParent(pid int64) {
	if pid <= 0 || gone(int(pid)) {
		return
	}
	go func() {
		tick := time.NewTicker(parentCheck)
		defer tick.Stop()
		for {
			select {
			case <-s.conn.Context().Done():
				return
			case <-tick.C:
				if gone(int(pid)) {
					close(s.orphaned)
					return
				}
			}
		}
	}()
}

func gone(pid int) bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

func ignoreBrokenPipe() { signal.Ignore(syscall.SIGPIPE) }
