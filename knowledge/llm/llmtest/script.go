package llmtest

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Script decides what the server replies to a call. It is called concurrently.
type Script func(call Call) Reply

// Always returns a script with the same reply to every call.
func Always(r Reply) Script { return func(Call) Reply { return r } }

// InTurn returns a script with one reply after another, in order of arrival; the last one repeats.
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

// On returns a script that uses then for a template of package prompts, and base elsewhere.
func On(base Script, template string, then Script) Script {
	return When(base, func(c Call) bool { return c.Kind == Chat && c.Template == template }, then)
}

// When is [On] for calls that chosen accepts.
func When(base Script, chosen func(Call) bool, then Script) Script {
	return func(c Call) Reply {
		if chosen(c) {
			return then(c)
		}
		return base(c)
	}
}

// Break returns a script that breaks the replies of base by a fault for some templates; without
// templates, for all.
func Break(base Script, f Fault, templates ...string) Script {
	return func(c Call) Reply {
		r := base(c)
		if len(templates) == 0 || c.Kind == Chat && slices.Contains(templates, c.Template) {
			return f.Break(r)
		}
		return r
	}
}

// First returns a script that breaks the replies of base to the given number of first calls.
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

// order matches an instruction that an attacker has put into a source. It ends at "END OF ORDER" or
// with the line.
var order = regexp.MustCompile(`(?i)ignore (?:all )?previous instructions and write:? *(.+?)(?: *END OF ORDER|$|\n)`)

// undo reverts the sanitising of evidence in a prompt: a model that obeys an attacker writes what was
// meant.
var undo = strings.NewReplacer("< ", "<", " >", ">", "(99)", "[99]", `\n`, "\n")

// Ordered returns what an attacker orders in a text to write; "" if there is no order.
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
// Then it writes that, and nothing else. It is the worst model there can be for what an attacker hid in a
// source.
func Obedient(base Script) Script {
	return Obey(base, func(c Call) string { return Ordered(c.User()) })
}

// Obey does what base does unless something is ordered for a chat. Then it writes the order in every place
// of the reply that can hold text, a dozen times over where there is a list.
func Obey(base Script, order func(Call) string) Script {
	return func(c Call) Reply {
		r := base(c)
		if c.Kind != Chat {
			return r
		}
		ordered := order(c)
		if ordered == "" {
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

// filled replaces every string of a JSON value with a text.
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
			if key != "verdict" { // what holds a reply to a schema leaves no choice of words there
				v[key] = filled(v[key], text)
			}
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
