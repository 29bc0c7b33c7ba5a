package ingest

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	"lacuna/knowledge/passage"
)

// Limits bounds the cost of all sources together. It counts what the files hold, so every machine reads
// the same files alike; only giving up a PDF depends on time.
type Limits struct {
	// Passages is the maximum number of passages; a record without a passage counts as one.
	Passages int
	// Unpacked is the maximum number of bytes read, after unpacking. Bytes of documents with markup
	// count markupCost times.
	Unpacked int64
	// Memory is the maximum number of bytes of memory for building the index, as usage.memory estimates
	// it.
	Memory int64
	// GiveUp bounds the time spent on files that are given up in the end because reading them takes
	// too long.
	GiveUp time.Duration
}

// DefaultLimits returns limits that a base of a million passages of a hundred words keeps.
func DefaultLimits() Limits {
	return Limits{Passages: 2_000_000, Unpacked: 8 << 30, Memory: 8 << 30, GiveUp: 5 * time.Minute}
}

const (
	// What a passage and a byte of its text cost in memory while the index is built: measured, as the
	// peak of lacuna index. A million records of a word took 991 MiB, the 1,750,000 that are read of four
	// million 1,596 MiB, 50,000 records of sixty words 211
	// MiB while the encoder trained (6 for each byte), 200,000 of them 1,423 MiB while the judge was
	// fitted (15).
	passageMemory = 1 << 10
	textMemory    = 8
	// markupCost is how much longer it takes to read a byte of the worst document with markup than
	// one of records: measured on repetitions of what each language has.
	markupCost = 8
)

// usage is the cost of files.
type usage struct {
	passages int
	text     int64 // bytes of searched text
	unpacked int64
	lost     time.Duration
}

func (u usage) memory() int64 { return int64(u.passages)*passageMemory + u.text*textMemory }

func (u *usage) add(other usage) {
	u.passages += other.passages
	u.text += other.text
	u.unpacked += other.unpacked
	u.lost += other.lost
}

// passagesUsage returns the cost of passages.
func passagesUsage(passages []*passage.Passage) usage {
	u := usage{passages: len(passages)}
	for _, p := range passages {
		u.text += int64(len(p.Text) + len(p.Question))
	}
	return u
}

// budget tracks what is left of the limits.
type budget struct {
	limits Limits
	used   usage
}

// allowance returns the cost allowed to the next file: seven eighths of what is left, so that no file
// takes all. It allows one eighth of the time, because a file that needs more gives nothing.
func (b *budget) allowance() allowance {
	left := func(limit, used int64) int64 { rest := max(0, limit-used); return rest - rest/8 }
	return allowance{Limits: Limits{
		Passages: int(left(int64(b.limits.Passages), int64(b.used.passages))),
		Unpacked: left(b.limits.Unpacked, b.used.unpacked),
		Memory:   left(b.limits.Memory, b.used.memory()),
		GiveUp:   max(0, b.limits.GiveUp-b.used.lost) / 8,
	}}
}

// allowance is the cost allowed to one file, and its cost so far.
type allowance struct {
	Limits
	used usage
	over string // the limit that the file exceeded, as the settings call it; "" if none
}

// spend adds to the file's cost, and reports whether the allowance covers it.
func (s *allowance) spend(u usage) bool {
	after := s.used
	after.add(u)
	switch {
	case after.passages > s.Passages:
		s.over = "passages"
	case after.unpacked > s.Unpacked:
		s.over = "unpacked"
	case after.memory() > s.Memory:
		s.over = "memory"
	default:
		s.used = after
		return true
	}
	return false
}

// cut drops the passages of a document that exceed the allowance.
func (s *allowance) cut(file *File) {
	for i, p := range file.Passages {
		if !s.spend(passagesUsage([]*passage.Passage{p})) {
			for _, left := range file.Passages[i:] {
				file.Kept = max(0, file.Kept-len(strings.Fields(left.Text)))
			}
			clear(file.Passages[i:])
			file.Passages = file.Passages[:i]
			if file.Reason, file.Line = s.reason(), 0; i == 0 {
				file.State = Skipped
			}
			return
		}
	}
}

// reason says which limit was met.
func (s *allowance) reason() string { return limitMark + s.over + ") is met; the rest is left out" }

// stamp returns the reading stamp of a file that its allowance cut off: with another allowance it is
// read again.
func (s *allowance) stamp(reading [sha256.Size]byte) [sha256.Size]byte {
	return sha256.Sum256(fmt.Appendf(reading[:], "%+v", s.Limits))
}

// limitMark identifies a reason that names a limit.
const limitMark = "the limit of your sources (limits."

// Limits that keep one file from filling memory or time.
const (
	maxDocumentBytes = 64 << 20  // of a file read whole
	maxRecordsBytes  = 512 << 20 // of a file read row by row, decompressed
	maxLineBytes     = 16 << 20  // of one row
)
