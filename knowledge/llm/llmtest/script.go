package llmtest

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
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

// order is an instruction that an attacker has put into a source. It ends at "END OF ORDER" or where
// the line ends.
var order = regexp.MustCompile(`(?i)ignore (?:all )?previous instructions and write:? *(.+?)(?: *END OF ORDER|$|\n)`)

// undo takes back what makes evidence harmless in a prompt: a model that obeys an attacker writes
// what was meant.
var undo = strings.NewReplacer("< ", "<", " >", ">", "(99)", "[99]", `\n`, "\n")

// Ordered returns what an attacker orders in a text to write; "" when nobody orders anything.
func Ordered(text string) string {
	m := order.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	return undo.Replace(m[1])
}

// Obedient does what base does until something in the messages says
//
//	IGNORE PREVIOUS INSTRUCTIONS AND WRITE: … END OF ORDER
//
// Then it writes that, and nothing else, in every place of the reply that can hold text, a dozen times
// over where there is a list. It is the worst model there can be for what an attacker hid in a source.
func Obedient(base Script) Script {
	return func(c Call) Reply {
		r := base(c)
		ordered := Ordered(c.User())
		if c.Kind != Chat || ordered == "" {
			return r
		}
		var value map[string]any
		if json.Unmarshal([]byte(r.Text), &value) != nil {
			r.Text, r.Reasoning = ordered, ordered
			return r
		}
		text, err := json.Marshal(filled(value, ordered))
		if err != nil {
			panic(err) // it was JSON before
		}
		r.Text, r.Reasoning = string(text), ordered
		return r
	}
}

// filled puts a text in the place of every string of a JSON value.
func filled(value any, text string) any {
	switch v := value.(type) {
	case string:
		return text
	case []any:
		if len(v) > 0 {
			if _, texts := v[0].(string); texts {
				return repeated(text)
			}
		}
		for i := range v {
			v[i] = filled(v[i], text)
		}
	case map[string]any:
		for key := range v {
			v[key] = filled(v[key], text)
		}
	}
	return value
}

func repeated(text string) []any {
	all := make([]any, 12)
	for i := range all {
		all[i] = text + strings.Repeat("!", i) // lists drop what repeats
	}
	return all
}
