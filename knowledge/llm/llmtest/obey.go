package llmtest

import (
	"encoding/json"
	"regexp"
	"strings"
)

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
