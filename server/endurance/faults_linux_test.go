package endurance

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// fault is what a file system refuses. The kernel returns its number for each of these calls.
type fault struct {
	name   string
	calls  []uint32
	number syscall.Errno
	create bool // only calls of openat that make a file
	writes bool // an index can still be written
}

// faults are what file systems are known to refuse. Here they refuse it in folders for temporary files as well, so that without
// an index there may be no answer.
var faults = []fault{
	{name: "no lock, over a network", calls: []uint32{unix.SYS_FLOCK}, number: syscall.ENOLCK},
	{name: "no lock, for want of a call", calls: []uint32{unix.SYS_FLOCK}, number: syscall.ENOSYS},
	{name: "no second name, as on exFAT", calls: []uint32{unix.SYS_LINKAT}, number: syscall.EPERM, writes: true},
	{name: "no mode, as on a share", calls: []uint32{unix.SYS_FCHMOD, unix.SYS_FCHMODAT}, number: syscall.EPERM},
	{name: "a disk that does not write", calls: []uint32{unix.SYS_FSYNC, unix.SYS_FDATASYNC}, number: syscall.EIO},
	{name: "a file system that cannot sync", calls: []uint32{unix.SYS_FSYNC, unix.SYS_FDATASYNC}, number: syscall.EINVAL},
	{name: "no renaming", calls: []uint32{unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2}, number: syscall.EACCES},
	{name: "no folder can be made", calls: []uint32{unix.SYS_MKDIRAT}, number: syscall.ENOSPC},
	{name: "no file can be made", calls: []uint32{unix.SYS_OPENAT}, number: syscall.EDQUOT, create: true},
	{name: "read-only", calls: []uint32{unix.SYS_OPENAT}, number: syscall.EROFS, create: true},
	{name: "no room at a place", calls: []uint32{unix.SYS_PWRITE64, unix.SYS_FTRUNCATE, unix.SYS_FALLOCATE}, number: syscall.ENOSPC, writes: true},
	{name: "nothing can be removed", calls: []uint32{unix.SYS_UNLINKAT}, number: syscall.EACCES},
}

// install has the kernel return the fault of that name to this process, from now on.
func install(name string) error {
	for _, f := range faults {
		if f.name == name {
			return f.install()
		}
	}
	return fmt.Errorf("no fault %q", name)
}

func (f fault) install() error {
	const number, flags = 0, 32 // where struct seccomp_data has the number of the call and the third argument
	program := []unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: number}}
	for _, call := range f.calls {
		refuse := unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: 0x00050000 | uint32(f.number)} // SECCOMP_RET_ERRNO
		body := []unix.SockFilter{refuse}
		if f.create {
			body = []unix.SockFilter{
				{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: flags},
				{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: unix.O_CREAT | unix.O_TMPFILE&^unix.O_DIRECTORY, Jf: 1},
				refuse,
				{Code: unix.BPF_RET | unix.BPF_K, K: 0x7fff0000}, // SECCOMP_RET_ALLOW
			}
		}
		program = append(program, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: call, Jf: uint8(len(body))})
		program = append(program, body...)
	}
	program = append(program, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: 0x7fff0000})

	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	filter := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	const setFilter, allThreads = 1, 1 // SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC
	if _, _, failed := unix.Syscall(unix.SYS_SECCOMP, setFilter, allThreads, uintptr(unsafe.Pointer(&filter))); failed != 0 {
		return failed
	}
	return nil
}

// TestRefusingFileSystem runs commands where the file system refuses something: none crashes, a note is never half written, a
// question is answered where there is an index or one can be written, and once the fault is over everything is as if it had not
// been. LACUNA_LONG=1 runs more commands.
func TestRefusingFileSystem(t *testing.T) {
	want := answered(t)
	commands := [][]string{{"ask", "When are iron tablets taken?"}, {"answer", "--write", "note.md"}, {"index"}}
	if os.Getenv("LACUNA_LONG") != "" {
		commands = append(commands, []string{"check", "note.md"}, []string{"sources"}, []string{"gaps"}, []string{"doctor"}, []string{"search", "iron"}, []string{"history"})
	}
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			for _, indexed := range []bool{false, true} {
				w := newFolder(t, t.TempDir())
				if err := os.Mkdir(filepath.Join(w.path, ".tmp"), 0o755); err != nil {
					t.Fatal(err)
				}
				if indexed {
					w.run(nil, "index")
					w.write("kb/zinc.md", "# Zinc\n\nZinc lozenges are sucked at night.\n") // and now it has to be read
				}
				for _, arguments := range commands {
					o := w.run([]string{withFault + "=" + f.name}, arguments...)
					t.Logf("indexed %v, %v: exit %d, %q", indexed, arguments, o.code, o.errs)
					if arguments[0] == "ask" && (indexed || f.writes) && !strings.Contains(o.out, sentence) {
						t.Errorf("indexed %v: the question is not answered: exit %d\n%s%s", indexed, o.code, o.out, o.errs)
					}
					if strings.Contains(o.errs, "level=") {
						t.Errorf("indexed %v, %v says what is for the log: %s", indexed, arguments, o.errs)
					}
					w.checkWhole(fmt.Sprintf("indexed %v, %v", indexed, arguments), want)
				}
				w.run(nil, "answer", "--write", "note.md")
				if w.note() != want {
					t.Errorf("indexed %v: after the fault the note is\n%s", indexed, w.note())
				}
				if left := w.left(); len(left) > 0 && f.name != "nothing can be removed" {
					t.Errorf("indexed %v: left in the folder: %q", indexed, left)
				}
			}
		})
	}
}
