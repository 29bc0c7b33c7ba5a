package knowledge

import "time"

// How long a step of training waits for questions to be answered, at most.
const (
	givenWay  = 100 * time.Millisecond
	busyCheck = 2 * time.Millisecond
)

// giveWay waits while somebody searches, so that the two do not share the processor and its caches.
// It waits for a moment only: training must end, however many ask.
func (x *Index) giveWay() {
	for waited := time.Duration(0); waited < givenWay && x.searching.Load() > 0; waited += busyCheck {
		time.Sleep(busyCheck)
	}
}
