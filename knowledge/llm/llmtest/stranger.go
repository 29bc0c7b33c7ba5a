package llmtest

import (
	"regexp"
	"strings"
)

// Stranger is a kind of model that people have, unkinder than [Obliging].
type Stranger struct {
	Name string
	// Play has such a model say what base says.
	Play func(base Script) Script
}

// Strangers returns the kinds of models that every system must cope with. Their replies are invented, after
// replies of models of a few billion parameters.
func Strangers() []Stranger {
	return []Stranger{
		{"instruct", func(base Script) Script { return base }},
		{"reasoning", Traced},
		{"terse", Unthinking},
		{"verbose", verbose},
		{"clinician", Clinician},
		{"wrong", wrong},
		{"heedless", heedless},
		{"undecided", undecided},
		{"open tag", openTag},
		{"short of breath", breathless},
		{"escaping", escaping},
		{"running on", runningOn},
	}
}

// said changes what base says to chats.
func said(base Script, change func(c Call, r Reply) Reply) Script {
	return func(c Call) Reply {
		r := base(c)
		if c.Kind != Chat || r.Text == "" || r.Status != 0 || r.Body != "" {
			return r
		}
		return change(c, r)
	}
}

// apart takes the object at the end of a reply off what stands before it; none where there is no object.
func apart(text string) (thinking, object string) {
	if at := strings.IndexByte(text, '{'); at >= 0 && strings.HasSuffix(strings.TrimSpace(text), "}") {
		return strings.TrimSpace(text[:at]), text[at:]
	}
	return text, ""
}

// Traced thinks in a field of its own, as models do that were trained to reason.
func Traced(base Script) Script {
	return said(base, func(c Call, r Reply) Reply {
		if thinking, object := apart(r.Text); object != "" && c.Template == "judge_gaps" {
			r.Text, r.Reasoning = object, thinking
			if thinking == "" {
				r.Reasoning = deliberation
			}
		}
		return r
	})
}

// Unthinking replies with the object alone, whatever else was asked for.
func Unthinking(base Script) Script {
	return said(base, func(_ Call, r Reply) Reply {
		if _, object := apart(r.Text); object != "" {
			r.Text = object
		}
		return r
	})
}

// verbose keeps an object company, fences it and comments on it.
func verbose(base Script) Script {
	return said(base, func(_ Call, r Reply) Reply {
		thinking, object := apart(r.Text)
		if object == "" {
			r.Text = "Certainly! Here is what I found in the passages {as far as I can tell}:\n\n" + r.Text + "\n\nI hope this helps. Let me know if you have other questions!"
			return r
		}
		object = strings.Replace(object, "{", "{ // the object\n", 1)
		r.Text = "Sure! " + thinking + "\n\nHere is the JSON object you asked for:\n\n```json\n" + object + "\n```\n\n**Note:** [1] and {2} are what I relied on. Please consult a specialist."
		return r
	})
}

var figure = regexp.MustCompile(`\d+`)

// wrong contradicts the evidence, changes its figures, cites what there is not, and mistakes the types
// of fields.
func wrong(base Script) Script {
	types := strings.NewReplacer(`:true`, `:"maybe"`, `:[`, `:{"1":[`, `],"`, `]},"`, `]}`, `]}}`)
	return said(base, func(_ Call, r Reply) Reply {
		if thinking, object := apart(r.Text); object != "" {
			r.Text = thinking + "\n" + types.Replace(object)
			return r
		}
		text := strings.ReplaceAll(r.Text, " is ", " is never ")
		r.Text = figure.ReplaceAllStringFunc(text, func(n string) string { return "9" + n }) + " [0] [97]"
		return r
	})
}

// heedless answers in prose whatever the form is to be.
func heedless(base Script) Script {
	return said(base, func(_ Call, r Reply) Reply {
		if _, object := apart(r.Text); object != "" {
			r.Text = "It depends. One would have to look at the whole picture, and the contexts only tell a part of it."
		}
		return r
	})
}

// undecided writes an object, thinks again, and writes another one.
func undecided(base Script) Script {
	return said(base, func(_ Call, r Reply) Reply {
		if thinking, object := apart(r.Text); object != "" {
			r.Text = thinking + "\nMy first version is:\n{\"thought\": \"a draft\", \"judge\": false}\nOn second thought, that leaves something out.\n" + object
		}
		return r
	})
}

// openTag thinks between tags and forgets to close them.
func openTag(base Script) Script {
	return said(base, func(_ Call, r Reply) Reply {
		if thinking, object := apart(r.Text); object != "" {
			r.Text = "<think>\n" + strings.TrimSpace(thinking+" "+deliberation) + "\n" + object
		}
		return r
	})
}

// breathless thinks until its tokens are spent, where it is not asked for the object alone.
func breathless(base Script) Script {
	return said(base, func(c Call, r Reply) Reply {
		if _, object := apart(r.Text); object != "" && !strings.Contains(lastOf(c), "and with nothing before or after it") {
			r.Text, r.Finish = deliberation+" First, the question has several parts, and each of them", "length"
		}
		return r
	})
}

// escaping writes the underscores of names as for Markdown and explains its object, as the first Mistral
// models do.
func escaping(base Script) Script {
	return said(base, func(_ Call, r Reply) Reply {
		if thinking, object := apart(r.Text); object != "" {
			r.Text = " " + thinking + "\n" + strings.ReplaceAll(object, "_", `\_`) + "\n\nThis object holds what was asked for."
			return r
		}
		r.Text = " " + r.Text
		return r
	})
}

// runningOn does not stop at the end of its turn, as small models of the Phi family do behind a server that
// does not know their tokens.
func runningOn(base Script) Script {
	return said(base, func(_ Call, r Reply) Reply {
		r.Text += "<|end|>"
		return r
	})
}
