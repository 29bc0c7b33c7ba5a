package par

import "syscall"

// lowerPriority makes the thread nice; on Linux that is a matter of threads, not of processes. A
// refusal changes nothing but the speed of others.
func lowerPriority() { _ = syscall.Setpriority(syscall.PRIO_PROCESS, syscall.Gettid(), 10) }
