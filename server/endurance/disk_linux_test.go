package endurance

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// onDisk answers the note on a disk of its own, on which so many pages of 4 KiB, or new files, are left; then, with room again,
// it answers the note once more. What is on the disk goes with the process that mounted it, so the note is copied out each time.
const onDisk = `
mount -t tmpfs -o size=512M none "$DISK" && cp -r "$FROM/." "$DISK" && mkdir "$DISK/.tmp" || exit 76
cd "$DISK"
export LACUNA_CACHE_DIR="$DISK/.cache" TMPDIR="$DISK/.tmp" XDG_RUNTIME_DIR=
mount -t tmpfs -o size=4k none /dev/shm || exit 76
[ "$INDEXED" = false ] || { "$PROGRAM" index && echo "# Zinc" > kb/zinc.md; } || exit 75
used=$(df -k --output=used "$DISK" | tail -1); files=$(df --output=iused "$DISK" | tail -1)
if [ "$KIND" = pages ]; then mount -o remount,size=$((used + 4 * LEFT))k "$DISK"; else mount -o remount,nr_inodes=$((files + LEFT)) "$DISK"; fi || exit 76
"$PROGRAM" answer --write note.md > "$OUT/first.out" 2> "$OUT/first.err"; echo $? > "$OUT/first.code"
cp note.md "$OUT/first.md"
mount -o remount,size=512M,nr_inodes=100000 "$DISK" || exit 76
"$PROGRAM" answer --write note.md > "$OUT/second.out" 2> "$OUT/second.err"; echo $? > "$OUT/second.code"
cp note.md "$OUT/second.md"; ls -A > "$OUT/left"
`

// TestDiskFull fills the disk of the note, the index and the temporary files so that everything from the nth page or file on cannot
// be written. The note is then as it was or answered, and answered once there is room. LACUNA_LONG=1 tries every n; otherwise some.
func TestDiskFull(t *testing.T) {
	want := answered(t)
	for _, test := range []struct {
		kind        string
		indexed     bool // before the disk was full
		most, steps int  // n goes to most, in steps where there is not much time
	}{{"pages", false, 25, 5}, {"pages", true, 25, 5}, {"files", false, 42, 10}, {"files", true, 42, 10}} {
		step := test.steps
		if os.Getenv("LACUNA_LONG") != "" {
			step = 1
		}
		t.Run(fmt.Sprintf("%s, indexed %v", test.kind, test.indexed), func(t *testing.T) {
			t.Parallel()
			from := newFolder(t, t.TempDir())
			tried, refused := 0, 0
			for left := 0; left < test.most; left += step {
				code, note := fullDisk(t, from, test.kind, test.indexed, left)
				if note != want && note != from.note() {
					t.Errorf("%d %s left: the note is neither the old nor the new one:\n%s", left, test.kind, note)
				}
				if (note == want) != (code == "0") {
					t.Errorf("%d %s left: exit %s, and the note is\n%s", left, test.kind, code, note)
				}
				tried++
				if code != "0" {
					refused++
				}
			}
			if refused == 0 || refused == tried {
				t.Errorf("%d of %d sizes were too small", refused, tried)
			}
		})
	}
}

// fullDisk returns how the command ended that met the full disk, and the note that it left. It checks what the next one did.
func fullDisk(t *testing.T, from folder, kind string, indexed bool, left int) (code, note string) {
	t.Helper()
	out := t.TempDir()
	script := exec.CommandContext(t.Context(), "sh", "-c", onDisk)
	script.Env = append(os.Environ(), asProgram+"=1", "PROGRAM="+os.Args[0], "DISK="+t.TempDir(), "FROM="+from.path, "OUT="+out, "KIND="+kind, fmt.Sprint("INDEXED=", indexed), fmt.Sprint("LEFT=", left))
	script.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	text, err := script.CombinedOutput()
	if err != nil && (script.ProcessState == nil || script.ProcessState.ExitCode() == 76) {
		t.Skipf("this user may not mount a disk of its own: %v: %s", err, text)
	}
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		return string(bytes.TrimSuffix(data, []byte("\n")))
	}
	t.Logf("%d %s left: exit %s, %q; then exit %s", left, kind, read("first.code"), read("first.err"), read("second.code"))
	for _, run := range []string{"first.err", "second.err"} {
		if errs := read(run); strings.Contains(errs, "goroutine ") || strings.Contains(errs, "panic:") {
			t.Errorf("%d %s left: it crashed:\n%s", left, kind, errs)
		}
	}
	if read("second.code") != "0" || !strings.Contains(read("second.md"), sentence) {
		t.Errorf("%d %s left: with room again, exit %s, %s\n%s", left, kind, read("second.code"), read("second.err"), read("second.md"))
	}
	if names := strings.Fields(read("left")); strings.Join(names, " ") != ".cache .tmp kb note.md" {
		t.Errorf("%d %s left: in the folder afterwards: %q", left, kind, names)
	}
	return read("first.code"), read("first.md") + "\n"
}
