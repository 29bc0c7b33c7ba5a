package measure

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
)

// memory follows what a process holds. Its runtime tells the heap: with GODEBUG=gctrace=1 it prints
// a line for each collection, whose third size is what was alive after it.
type memory struct {
	pid  int
	live atomic.Int64 // MB
}

var collection = regexp.MustCompile(`^gc \d+ .* (\d+)->(\d+)->(\d+) MB,`)

// follow reads the standard error of the process; what is no collection goes to rest.
func (m *memory) follow(in io.Reader, rest io.Writer) {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		if found := collection.FindStringSubmatch(lines.Text()); found != nil {
			live, _ := strconv.ParseInt(found[3], 10, 64) // the pattern has only digits there
			m.live.Store(live)
		} else {
			fmt.Fprintln(rest, lines.Text())
		}
	}
}

// resident is the physical memory of the process in MB, and mapped how much of it are files that the
// system takes back when it wants to; ok is false where the system does not say.
func (m *memory) resident() (mb, mapped float64, ok bool) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", m.pid))
	if err != nil {
		return 0, 0, false
	}
	size := func(name string) (mb float64, ok bool) {
		for line := range strings.Lines(string(status)) {
			if fields := strings.Fields(line); len(fields) == 3 && fields[0] == name {
				kb, err := strconv.ParseFloat(fields[1], 64)
				return kb / 1024, err == nil
			}
		}
		return 0, false
	}
	mb, known := size("VmRSS:")
	mapped, told := size("RssFile:")
	return mb, mapped, known && told
}
