package llmtest

import (
	"slices"
	"sync"
)

// Script decides what the server says to a call. It is called concurrently.
type Script func(call Call) Reply

// Always says the same to every call.
func Always(r Reply) Script { return func(Call) Reply { return r } }

// InTurn says one reply after the other, by the order of arrival, and then the last again and again.
func InTurn(replies ...Reply) Script {
	var mu sync.Mutex
	next := 0
	return func(Call) Reply {
		mu.Lock()
		defer mu.Unlock()
		r := replies[min(next, len(replies)-1)]
		next++
		return r
	}
}

// On says something of its own where a template of package prompts is asked, and what base says
// everywhere else.
func On(base Script, template string, then Script) Script {
	return When(base, func(c Call) bool { return c.Kind == Chat && c.Template == template }, then)
}

// When does as [On] for the calls that are chosen.
func When(base Script, chosen func(Call) bool, then Script) Script {
	return func(c Call) Reply {
		if chosen(c) {
			return then(c)
		}
		return base(c)
	}
}

// Break says what base says, broken by a fault where one of the templates is asked; without
// templates, everywhere.
func Break(base Script, f Fault, templates ...string) Script {
	return func(c Call) Reply {
		r := base(c)
		if len(templates) == 0 || c.Kind == Chat && slices.Contains(templates, c.Template) {
			return f.Break(r)
		}
		return r
	}
}

// First breaks what base says to the first calls, so many of them.
func First(base Script, calls int, f Fault) Script {
	var mu sync.Mutex
	seen := 0
	return func(c Call) Reply {
		mu.Lock()
		seen++
		broken := seen <= calls
		mu.Unlock()
		if broken {
			return f.Break(base(c))
		}
		return base(c)
	}
}
