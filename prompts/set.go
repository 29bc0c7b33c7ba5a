package prompts

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"text/template"

	"lacuna/knowledge/sanitise"
)

// Set is the templates in force. It is immutable and safe for concurrent use.
type Set struct {
	prompts map[string]prompt
}

// prompt is one template, read.
type prompt struct {
	system string // the same for all inputs
	parts  []part
}

// part is a part of the user's message of a prompt.
type part struct {
	data bool // what it says is fenced
	body *template.Template
}

var builtIn = sync.OnceValue(func() *Set {
	set, err := newSet(nil)
	if err != nil {
		panic(err) // the files are part of the program and tested
	}
	return set
})

// Default returns the templates that come with the program.
func Default() *Set { return builtIn() }

// blankLines are left where optional sections are left out.
var blankLines = regexp.MustCompile(`\n{3,}`)

func execute(body *template.Template, data any) (string, error) {
	var b strings.Builder
	if err := body.Execute(&b, data); err != nil {
		return "", err
	}
	return blankLines.ReplaceAllString(strings.TrimSpace(b.String()), "\n\n"), nil
}

// Names lists the templates in alphabetical order.
func (s *Set) Names() []string { return slices.Sorted(maps.Keys(s.prompts)) }

// System is the system part of a template, which is the same for all inputs; "" where there is no such
// template.
func (s *Set) System(name string) string { return s.prompts[name].system }

// Render makes the prompt of an input. Equal inputs make equal prompts, byte for byte.
func (s *Set) Render(in Input) (Chat, error) {
	if v := reflect.ValueOf(in); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return Chat{}, errors.New("prompts: no input")
	}
	name := in.template()
	messages, err := s.prompts[name].render(cleaned(in))
	if err != nil {
		return Chat{}, fmt.Errorf("prompt %s: %w", name, err)
	}
	return Chat{Template: name, Messages: messages, Schema: schemaOf(in), Thinks: thinksFirst(in)}, nil
}

// render makes the two messages of a cleaned input. All parts but the system's make one message,
// because the chat templates of many models refuse two messages in a row of one role; a part that
// says nothing is left out.
func (p prompt) render(in reflect.Value) ([]Message, error) {
	question := ""
	if f := in.FieldByName("Question"); f.IsValid() {
		question = f.String()
	}
	var texts, shown []string
	for _, part := range p.parts {
		text, err := execute(part.body, in.Interface())
		if err != nil {
			return nil, err
		}
		if text == "" {
			continue
		}
		if texts = append(texts, text); part.data {
			text = fenced(text, fence(question, texts))
		}
		shown = append(shown, text)
	}
	messages := []Message{{Role: "system", Text: p.system}}
	if len(shown) > 0 {
		messages = append(messages, Message{Role: "user", Text: strings.Join(shown, "\n\n")})
	}
	return messages, nil
}

// longestReply is how much of a reply that could not be read is shown to its model again, in tokens.
const longestReply = 1000

// OnlyJSON continues a chat whose reply could not be read with the request for the JSON object and
// nothing else. It names the fields once more: a small model has lost sight of them, and some chat
// templates leave out the system part without a word.
func OnlyJSON(c Chat, reply string) Chat {
	request := "That could not be read. Reply now with the one JSON object in the form described above, and with nothing before or after it."
	if fields := namedFields(c.Schema); fields != "" {
		request += " Its fields are " + fields + "."
	}
	c.Thinks = false
	c.Messages = slices.Clone(c.Messages)
	said := end(sanitise.Prompt(reply), longestReply)
	switch last := len(c.Messages) - 1; {
	case said != "":
		c.Messages = append(c.Messages, Message{Role: "assistant", Text: said}, Message{Role: "user", Text: request})
	case last >= 0 && c.Messages[last].Role == "user":
		c.Messages[last].Text += "\n\n" + strings.Replace(request, "That could not be read. Reply now", "Reply", 1)
	default:
		c.Messages = append(c.Messages, Message{Role: "user", Text: request})
	}
	return c
}

// end is the end of a text of at most so many tokens; that is where thinking comes to something.
func end(text string, tokens int) string {
	if Tokens(text) <= tokens {
		return text
	}
	runes := []rune(text)
	from := len(runes)
	for quarters := 4 * (tokens - 1); from > 0; from-- {
		if quarters -= quartersOf(runes[from-1]); quarters < 0 {
			break
		}
	}
	return "… " + strings.TrimSpace(string(runes[from:]))
}
