package ingest

import (
	"maps"
	"slices"
	"time"
)

// Progress says how far [Read] has come, and what is expected of the rest.
type Progress struct {
	Files, TotalFiles int // that a reader takes
	Passages          int // of the files done
	// Expected is how many passages there will be, as far as can be told; New of them are in files that
	// have to be read.
	Expected, New int
	File          string // the file being read, from its source's root
	// Left is the expected time for the rest, of which Current is for File.
	Left, Current time.Duration

	done []File
}

// Done returns the files that are done, in order, with their passages. The caller must not change them.
func (p Progress) Done() []File { return slices.Clip(p.done) }

// The cost of reading files as measured on 350 PDFs and 700 other files, and the size of their passages.
// They are where [pace] begins; the files themselves correct them.
const (
	timePerByte     = 120 * time.Nanosecond
	timePerFile     = 300 * time.Microsecond
	timePerChild    = 15 * time.Millisecond // to start the process that reads a PDF
	bytesPerPassage = 1500
	// trust is how much work of an ending must be done until its own rate counts as much as the rate of
	// all endings together.
	trustTime     = time.Second
	trustPassages = 20
)

// amount is work that is expected or was done: time and passages.
type amount struct {
	time     time.Duration
	passages float64
}

func (a *amount) add(b amount, sign int) {
	a.time += time.Duration(sign) * b.time
	a.passages += float64(sign) * b.passages
}

// pace predicts the work that is left from the work that was done. It learns how much longer files of each
// ending take than expected, and how many more passages they hold.
type pace struct {
	progress Progress
	left     map[string]amount // expected of the files that are not read yet, by ending
	expected map[string]amount // of the files that were read
	actual   map[string]amount // work for those files
	known    int               // passages of the unchanged files that are left
}

// newPace returns the pace of reading found, of which same holds the unchanged files.
func newPace(found []candidate, same []*File) *pace {
	p := &pace{left: map[string]amount{}, expected: map[string]amount{}, actual: map[string]amount{}}
	for i := range found {
		c := &found[i]
		if c.reason != "" {
			continue
		}
		p.progress.TotalFiles++
		if same[i] != nil {
			p.known += len(same[i].Passages)
			continue
		}
		ending := extension(c.record)
		left := p.left[ending]
		left.add(c.expected(), 1)
		p.left[ending] = left
	}
	return p
}

// expected returns the work of reading the file, before anything is known about it except its size.
func (c *candidate) expected() amount {
	a := amount{time: timePerFile + time.Duration(c.size)*timePerByte, passages: float64(c.size) / bytesPerPassage}
	if format := formatOf(c.record); format != nil && format.slow {
		a.time += timePerChild
	}
	return a
}

// begin returns the progress when the file is about to be read, after the files done. unchanged says that it
// will not be.
func (p *pace) begin(c *candidate, unchanged bool, done []File) Progress {
	now := p.progress
	now.File, now.done = c.record, done
	expected, actual := p.sums()
	future := 0.0
	for ending, left := range p.left {
		rate := p.rate(ending, expected, actual)
		now.Left += time.Duration(float64(left.time) * rate.time)
		future += left.passages * rate.passages
	}
	if c.reason == "" && !unchanged {
		now.Current = time.Duration(float64(c.expected().time) * p.rate(extension(c.record), expected, actual).time)
	}
	now.New += int(future)
	now.Expected = now.Passages + p.known + int(future)
	return now
}

// end counts a file that is done.
func (p *pace) end(c *candidate, unchanged bool, took time.Duration, passages int) {
	if c.reason != "" {
		return
	}
	p.progress.Files++
	p.progress.Passages += passages
	if unchanged {
		p.known -= passages
		return
	}
	p.progress.New += passages
	ending, expected := extension(c.record), c.expected()
	for _, change := range []struct {
		in   map[string]amount
		by   amount
		sign int
	}{{p.left, expected, -1}, {p.expected, expected, 1}, {p.actual, amount{took, float64(passages)}, 1}} {
		sum := change.in[ending]
		sum.add(change.by, change.sign)
		change.in[ending] = sum
	}
}

// ratio is how many times the expected time and passages files have.
type ratio struct{ time, passages float64 }

// sums returns the sums of expected and actual work over all endings.
func (p *pace) sums() (expected, actual amount) {
	for a := range maps.Values(p.expected) {
		expected.add(a, 1)
	}
	for a := range maps.Values(p.actual) {
		actual.add(a, 1)
	}
	return expected, actual
}

// rate returns the ratio for an ending: of its own files, and of all files while few of its own are known.
func (p *pace) rate(ending string, expected, actual amount) ratio {
	all := ratio{
		time:     (actual.time + trustTime).Seconds() / (expected.time + trustTime).Seconds(),
		passages: (actual.passages + trustPassages) / (expected.passages + trustPassages),
	}
	e, a := p.expected[ending], p.actual[ending]
	return ratio{
		time:     (a.time.Seconds() + all.time*trustTime.Seconds()) / (e.time + trustTime).Seconds(),
		passages: (a.passages + all.passages*trustPassages) / (e.passages + trustPassages),
	}
}

// finished returns the progress when all files are done.
func (p *pace) finished(done []File) Progress {
	now := p.progress
	now.done = done
	now.Expected = now.Passages
	return now
}
