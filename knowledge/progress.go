package knowledge

import (
	"math"
	"sync"
	"time"

	"lacuna/knowledge/ingest"
)

// Event reports progress of an index, or a warning.
type Event struct {
	Stage   Stage
	Percent int    // 0..100 within the stage
	Overall int    // 0..100 of the refresh, by time; it never falls
	Note    string // of a warning
	// Files, of TotalFiles that can be read, are done; they gave Passages, so far. They stay during later
	// stages.
	Files, TotalFiles, Passages int
	File                        string        // while it is read for longer than a moment: its path in its source
	Left                        time.Duration // about how long the refresh still takes; 0 as long as that is not known
}

// Stage is a refresh stage or a warning.
type Stage string

const (
	Reading    Stage = "reading"
	Indexing   Stage = "indexing"
	Training   Stage = "training"
	Writing    Stage = "writing" // what was trained
	Fitting    Stage = "fitting"
	Embedding  Stage = "embedding" // an endpoint encodes the passages
	Ready      Stage = "ready"
	Limited    Stage = "limited"    // the sources cost more than they may; what was read serves
	Damaged    Stage = "damaged"    // the index on disk was unusable and is being rebuilt
	SearchOnly Stage = "searchonly" // another process writes this index
	Unembedded Stage = "unembedded" // the endpoint has failed, and the built-in encoder serves
	// Unwritten means that changes of the sources could not be written; the existing index serves on as it
	// was.
	Unwritten Stage = "unwritten"
	// Provisional means that there was no index and none could be written where it belongs; one in a
	// temporary folder serves until this process ends.
	Provisional Stage = "provisional"
)

// What stages cost, as measured on 13,600 passages on one core of a busy machine. The refresh itself
// corrects them.
const (
	timeToIndex = 150 * time.Microsecond // a passage
	timeToTrain = 70 * time.Microsecond  // a pair of texts
	timeToWrite = 50 * time.Microsecond  // the vector of a passage
	timeToFit   = 200 * time.Microsecond // a passage
	// Of a training run: pairs for each passage, and at most.
	pairsPerPassage = 70
	mostPairs       = 1_000_000
)

const (
	// reportEvery is the minimum interval between events of one stage, tickEvery the maximum while a stage
	// is under way.
	reportEvery = 100 * time.Millisecond
	tickEvery   = time.Second
	// estimateAfter is how long a refresh runs before it says how long it takes: what it learns in the
	// first moments is chance.
	estimateAfter = 2 * time.Second
	// steadiness is how long it takes until most of a change in the estimate is shown, if it grows; good news
	// takes gladness.
	steadiness = 6 * time.Second
	gladness   = 2 * time.Second
	// longFile is how long a file is read until it is named.
	longFile = 2 * time.Second
)

// meter reports the progress of one refresh: what stages say, with the share that is done and the time that
// is left. Between what they say it reports that time passes. Calls of report do not overlap.
type meter struct {
	report func(Event)
	now    func() time.Time
	began  time.Time
	done   chan struct{} // closed by end
	ended  sync.WaitGroup

	mu         sync.Mutex // guards the rest
	event      Event      // reported last, or to be reported with the next tick
	sent       time.Time
	share      float64 // of the stage that is done
	stageBegan time.Time
	before     float64 // how many times as long as expected the stages before took
	factor     float64 // the same, with the stage under way
	reading    ingest.Progress
	readAt     time.Time // when reading was heard of
	plan       plan
	left       float64   // shown, in seconds; NaN before there is an estimate
	leftAt     time.Time // when left was computed
}

// plan holds what a refresh is expected to do after reading, in passages; 0 for nothing.
type plan struct{ index, train, write, fit int }

// newMeter begins to report the progress of a refresh. The caller must call end.
func newMeter(report func(Event)) *meter {
	m := &meter{report: report, now: time.Now, began: time.Now(), done: make(chan struct{}), left: math.NaN(), before: 1, factor: 1}
	m.ended.Go(func() {
		ticker := time.NewTicker(tickEvery)
		defer ticker.Stop()
		for {
			select {
			case <-m.done:
				return
			case <-ticker.C:
				m.tick()
			}
		}
	})
	return m
}

// end ends the ticks and returns when the last report has returned.
func (m *meter) end() {
	close(m.done)
	m.ended.Wait()
}

// tick reports how time passes during a stage. A report that panics ends the ticks; that of the next stage
// raises the panic where it can be handled.
func (m *meter) tick() {
	defer func() { _ = recover() }()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.event.Stage != "" && m.now().Sub(m.sent) >= tickEvery*9/10 {
		m.send()
	}
}

// warn reports an event that is no stage.
func (m *meter) warn(e Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e.Stage == Ready {
		m.event.Overall, m.event.Stage = 100, ""
	}
	e.Overall = m.event.Overall
	m.report(e)
}

// read reports how far reading has come; next is what is expected to follow.
func (m *meter) read(p ingest.Progress, next plan) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.enter(Reading)
	m.reading, m.readAt, m.plan = p, m.now(), next
	m.event.Files, m.event.TotalFiles, m.event.Passages = p.Files, p.TotalFiles, p.Passages
	m.advance(float64(p.Files) / float64(max(1, p.TotalFiles)))
}

// at reports which share of a stage is done, from 0 to 1.
func (m *meter) at(stage Stage, share float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.enter(stage)
	m.advance(share)
}

// enter begins a stage, unless it is under way. The caller must hold mu.
func (m *meter) enter(stage Stage) {
	if m.event.Stage == stage {
		return
	}
	m.event.Stage, m.event.Percent, m.share, m.stageBegan, m.sent = stage, 0, 0, m.now(), time.Time{}
	m.before = min(max(m.factor, 0.1), 10)
	switch stage { // what comes before it is done, or is not done this time
	case Indexing:
		m.plan.index = max(m.plan.index, m.event.Passages)
	case Training:
		m.plan.index = 0
	case Writing:
		m.plan.index, m.plan.train = 0, 0
	case Fitting:
		m.plan.index, m.plan.train, m.plan.write = 0, 0, 0
	case Embedding:
		m.plan = plan{}
	}
}

// advance notes how much of the stage is done and reports it if the last report is old enough. The caller
// must hold mu.
func (m *meter) advance(share float64) {
	m.share = max(m.share, min(1, share))
	m.event.Percent = int(100 * m.share)
	if now := m.now(); m.sent.IsZero() || now.Sub(m.sent) >= reportEvery {
		m.send()
	}
}

// send reports the event. The caller must hold mu.
func (m *meter) send() {
	now := m.now()
	raw := m.rest(now)
	switch {
	case math.IsNaN(m.left):
		m.left = raw
	default:
		passed := now.Sub(m.leftAt).Seconds()
		m.left = max(0, m.left-passed)
		inertia := gladness
		if raw > m.left {
			inertia = steadiness
		}
		m.left += (raw - m.left) * (1 - math.Exp(-passed/inertia.Seconds()))
	}
	m.leftAt, m.sent = now, now
	elapsed := now.Sub(m.began).Seconds()
	if total := elapsed + m.left; total > 0 {
		m.event.Overall = max(m.event.Overall, min(99, int(100*elapsed/total)))
	}
	m.event.File, m.event.Left = "", 0
	if m.event.Stage == Reading && now.Sub(m.readAt) >= longFile {
		m.event.File = m.reading.File
	}
	if now.Sub(m.began) >= estimateAfter {
		m.event.Left = time.Duration(max(m.left, 0.1) * float64(time.Second))
	}
	m.report(m.event)
}

// rest estimates how long the refresh still takes, in seconds, and sets the factor. The caller must hold mu.
func (m *meter) rest(now time.Time) float64 {
	rest := 0.0
	m.factor = m.before
	stage := func(of Stage, passages int, each time.Duration) {
		expected, share := float64(passages)*each.Seconds(), 0.0
		if of == m.event.Stage {
			share = m.share
			if share > 0 && expected > 0 { // the more of the stage is done, the more its own pace counts
				own := now.Sub(m.stageBegan).Seconds() / share / expected
				m.factor += (own - m.factor) * min(1, 8*share)
			}
		}
		rest += expected * m.factor * (1 - share)
	}
	if m.event.Stage == Reading {
		spent := now.Sub(m.readAt)
		rest += (m.reading.Left - min(spent, m.reading.Current)).Seconds()
		// A file that takes longer than expected is likely to take a good while longer.
		rest += max(0, spent-m.reading.Current).Seconds() / 2
	}
	stage(Indexing, m.plan.index, timeToIndex)
	stage(Training, min(m.plan.train, mostPairs/pairsPerPassage)*pairsPerPassage, timeToTrain)
	stage(Writing, m.plan.write, timeToWrite)
	stage(Fitting, m.plan.fit, timeToFit)
	if m.event.Stage == Embedding {
		stage(Embedding, m.event.Passages, timeToIndex)
	}
	return max(0, rest)
}
