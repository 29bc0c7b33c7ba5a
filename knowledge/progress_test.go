package knowledge

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"lacuna/knowledge/ingest"
)

// TestProgressOfALongRefresh holds what someone who waits sees of a refresh whose stages take other times
// than expected: something moves every second or two, the bar never falls, and the time left is steady.
func TestProgressOfALongRefresh(t *testing.T) {
	for _, tt := range []struct {
		name   string
		factor float64 // how much longer everything takes than expected
	}{{"as expected", 1}, {"a slow machine", 4}, {"a fast machine", 0.3}} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { longRefresh(t, tt.factor) })
		})
	}
}

func longRefresh(t *testing.T, factor float64) {
	type report struct {
		Event
		at time.Time
	}
	var reports []report
	m := newMeter(func(e Event) { reports = append(reports, report{e, time.Now()}) })
	sleep := func(d time.Duration) { time.Sleep(time.Duration(factor * float64(d))) }

	const files, passages = 1480, 40_000
	each := 100 * time.Millisecond
	for i := range files {
		p := ingest.Progress{Files: i, TotalFiles: files, Passages: i * passages / files, Expected: passages, New: passages,
			File: "manual.pdf", Left: time.Duration(files-i) * each, Current: each}
		if i > 100 { // it has learnt its pace
			p.Left = time.Duration(factor * float64(p.Left))
		}
		m.read(p, plan{index: passages, train: passages, write: passages, fit: passages})
		sleep(each)
		if i == files/2 {
			sleep(30 * time.Second) // one long file
		}
	}
	for _, stage := range []struct {
		Stage
		takes time.Duration
	}{
		{Indexing, passages * timeToIndex}, {Training, mostPairs * timeToTrain}, {Writing, passages * timeToWrite}, {Fitting, passages * timeToFit},
	} {
		m.at(stage.Stage, 0)
		for i := range 50 {
			sleep(stage.takes / 50)
			m.at(stage.Stage, float64(i+1)/50)
		}
	}
	m.warn(Event{Stage: Ready, Percent: 100})
	m.end()
	ended := time.Now()

	var stages []Stage
	named := false
	for i, r := range reports {
		if !slices.Contains(stages, r.Stage) {
			stages = append(stages, r.Stage)
		}
		named = named || r.File != ""
		if i == 0 {
			continue
		}
		last := reports[i-1]
		if gap := r.at.Sub(last.at); gap > 2*tickEvery {
			t.Errorf("nothing for %v in %s", gap, r.Stage)
		}
		if r.Overall < last.Overall {
			t.Errorf("the bar falls from %d to %d in %s", last.Overall, r.Overall, r.Stage)
		}
		if last.Left > 0 && r.Left > last.Left+max(time.Second, last.Left/5) {
			t.Errorf("from %v left to %v in %s", last.Left, r.Left, r.Stage)
		}
	}
	if want := []Stage{Reading, Indexing, Training, Writing, Fitting, Ready}; !slices.Equal(stages, want) {
		t.Errorf("stages %v", stages)
	}
	if !named {
		t.Error("the long file is not named")
	}
	if last := reports[len(reports)-1]; last.Overall != 100 {
		t.Errorf("the bar ends at %d", last.Overall)
	}
	// Halfway through training, which is most of the rest, the estimate is good.
	for _, r := range reports {
		if r.Stage == Training && r.Percent == 50 {
			if left := ended.Sub(r.at); r.Left < left*2/3 || r.Left > left*3/2 {
				t.Errorf("%v left halfway through training, and it took %v", r.Left, left)
			}
			break
		}
	}
}

// TestMeterWaitsForItsReport holds that nothing is reported after a refresh has ended.
func TestMeterWaitsForItsReport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		m := newMeter(func(Event) { n++ })
		m.at(Training, 0)
		time.Sleep(10 * time.Second)
		m.end()
		before := n
		time.Sleep(10 * time.Second)
		if before < 10 || n != before {
			t.Errorf("%d reports in ten seconds, %d after the end", before, n-before)
		}
	})
}

// TestAnInterruptedFirstReadingGoesOn holds that what a long first reading has read is searched before its
// end, outlives the process, and gives the same index in the end.
func TestAnInterruptedFirstReadingGoesOn(t *testing.T) {
	d := newDesk(t)
	x := d.open()
	x.firstCheckpoint = 1
	ctx, cancel := context.WithCancel(t.Context())
	x.Subscribe(func(l *Library) {
		if l.Generation() != "" {
			cancel() // as the user may, once something is there
		}
	})
	if err := x.Refresh(ctx); err != context.Canceled {
		t.Fatalf("the refresh ends with %v", err)
	}
	if n := len(x.Library().Passages()); n == 0 || n == 3 {
		t.Fatalf("%d of 3 passages are searched after a checkpoint", n)
	}
	if s := x.Library().Status(); !s.Partial || s.Read == 0 || s.Read >= s.Found {
		t.Error("after a checkpoint the library does not say that more is to come")
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	again := d.open()
	if n := len(again.Library().Passages()); n == 0 {
		t.Fatal("nothing is left of the first reading")
	}
	if !again.Library().Status().Partial {
		t.Error("the next process does not know that more is to come")
	}
	d.refresh()
	if n := len(again.Library().Passages()); n != 3 || again.Library().Status().Partial {
		t.Errorf("%d passages in the end", n)
	}

	fresh := newDesk(t)
	fresh.options.Sources = d.options.Sources
	fresh.open()
	fresh.refresh()
	if a, b := again.Library().Generation(), fresh.index.Library().Generation(); a != b {
		t.Errorf("generation %s after an interruption, %s without", a, b)
	}
}
