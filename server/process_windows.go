package server

import "syscall"

// watchParent closes s.orphaned when the process is gone. A handle keeps its ID from being reused in the
// meantime. A process that cannot be opened is not watched.
func (s *session) watchParent(pid int64) {
	if pid <= 0 {
		return
	}
	handle, err := syscall.OpenProcess(syscall.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		s.log.Debug("client's process is not watched", "err", err)
		return
	}
	go func() {
		defer func() { _ = syscall.CloseHandle(handle) }()
		for s.conn.Context().Err() == nil {
			event, err := syscall.WaitForSingleObject(handle, 1000)
			if err != nil {
				return
			}
			if event == syscall.WAIT_OBJECT_0 {
				close(s.orphaned)
				return
			}
		}
	}()
}

// ignoreBrokenPipe does nothing: here a write to a closed pipe is only an error.
func ignoreBrokenPipe() {}
