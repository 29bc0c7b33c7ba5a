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

// part is a message of a prompt.
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
	return Chat{Template: name, Messages: messages, Schema: schemaOf(in)}, nil
}

// render makes the messages of a cleaned input; a part that says nothing is left out.
func (p prompt) render(in reflect.Value) ([]Message, error) {
	question := ""
	if f := in.FieldByName("Question"); f.IsValid() {
		question = f.String()
	}
	messages := []Message{{Role: "system", Text: p.system}}
	var texts []string
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
		messages = append(messages, Message{Role: "user", Text: text})
	}
	return messages, nil
}

// longestReply is how much of a reply that could not be read is shown to its model again, in tokens.
const longestReply = 1000

// OnlyJSON continues a chat whose reply could not be read with the request for the JSON object and
// nothing else.
func OnlyJSON(c Chat, reply string) Chat {
	c.Messages = slices.Clone(c.Messages)
	if said := Cut(harmless(reply), longestReply); said != "" {
		c.Messages = append(c.Messages, Message{Role: "assistant", Text: said})
	}
	c.Messages = append(c.Messages, Message{Role: "user", Text: "That could not be read. Reply again with the JSON object in the form described above, and with nothing before or after it."})
	return c
}
