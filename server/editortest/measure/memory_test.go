package measure

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// traced has the runtime of the program print a line for each collection, whose third size is what was alive after
// it, and every ten seconds the list of its goroutines.
const traced = "GODEBUG=gctrace=1,schedtrace=10000,scheddetail=1"

// memory follows what a process holds, by what its runtime prints.
type memory struct {
	pid int

	mu         sync.Mutex
	live       float64 // MB after the last collection; guarded by mu, as are all below
	leastLive  float64 // since the last call of least; -1 without a collection
	goroutines float64 // by the last list
	leastGo    float64 // -1 without a list
	counting   float64 // in the list that is being read; -1 outside
}

var (
	collection = regexp.MustCompile(`^gc \d+ .* (\d+)->(\d+)->(\d+) MB,`)
	listed     = regexp.MustCompile(`^  G\d+: status=(\d+)\(`)
	beside     = regexp.MustCompile(`^  [PM]\d+: `)
)

// dead are the states, in a list, of goroutines that are no more.
var dead = map[string]bool{"0": true, "6": true, "11": true}

func newMemory(pid int) *memory {
	return &memory{pid: pid, leastLive: -1, leastGo: -1, counting: -1}
}

// follow reads the standard error of the process; what its runtime has not printed goes to rest.
func (m *memory) follow(in io.Reader, rest io.Writer) {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		if !m.read(lines.Text()) {
			fmt.Fprintln(rest, lines.Text())
		}
	}
}

// read takes in a line, and reports whether the runtime printed it.
func (m *memory) read(line string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if found := collection.FindStringSubmatch(line); found != nil {
		m.live, _ = strconv.ParseFloat(found[3], 64) // the pattern has only digits there
		m.leastLive = lower(m.leastLive, m.live)
		return true
	}
	if found := listed.FindStringSubmatch(line); found != nil {
		if !dead[found[1]] {
			m.counting++
		}
		return true
	}
	if strings.HasPrefix(line, "SCHED ") {
		if m.counting > 0 { // the last list has ended
			m.goroutines = m.counting
			m.leastGo = lower(m.leastGo, m.counting)
		}
		m.counting = 0
		return true
	}
	return beside.MatchString(line)
}

func lower(least, value float64) float64 {
	if least < 0 {
		return value
	}
	return min(least, value)
}

// alive returns the heap that was alive after the last collection, in MB.
func (m *memory) alive() float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.live
}

// sample returns what the process holds: of its heap and its goroutines the least since the last call, because what a
// request needs goes with it.
func (m *memory) sample() sample {
	var s sample
	s[resident], _, _ = m.resident()
	s[openFiles], s[mappedFiles], s[deletedFiles] = m.files()
	m.mu.Lock()
	defer m.mu.Unlock()
	s[liveHeap], s[goroutines] = m.leastLive, m.leastGo
	if s[liveHeap] < 0 {
		s[liveHeap] = m.live
	}
	if s[goroutines] < 0 {
		s[goroutines] = m.goroutines
	}
	m.leastLive, m.leastGo = -1, -1
	return s
}

// files returns how many files the process has open and mapped, and how many of the mapped ones have been deleted; 0
// where the system does not say.
func (m *memory) files() (open, mapped, deleted float64) {
	if descriptors, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", m.pid)); err == nil {
		open = float64(len(descriptors))
	}
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", m.pid))
	if err != nil {
		return open, 0, 0
	}
	for line := range strings.Lines(string(maps)) {
		if _, path, ok := strings.Cut(line, "/"); ok {
			mapped++
			if strings.HasSuffix(strings.TrimSpace(path), "(deleted)") {
				deleted++
			}
		}
	}
	return open, mapped, deleted
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
