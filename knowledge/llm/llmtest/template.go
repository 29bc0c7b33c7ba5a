package llmtest

import (
	"fmt"
	"net/http"
	"strings"
)

// Template is the chat template of a family of models. The rules follow the published templates;
// the sentences are theirs too, because clients recognise them.
type Template struct {
	Name string
	// Raise returns the sentence with which the template refuses messages; "" if it accepts them.
	Raise func(messages []Message) string
	// Show returns what the model reads of accepted messages.
	Show func(messages []Message) []Message
}

// The sentences of the templates.
const (
	mustAlternate    = "Conversation roles must alternate user/assistant/user/assistant/..."
	afterSystem      = "After the optional system message, conversation roles must alternate user/assistant/user/assistant/..."
	exceptTools      = "After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results."
	noSystem         = "System role not supported"
	onlyTwo          = "Only user and assistant roles are supported!"
	onlyThree        = "Only user, assistant and tool roles are supported, got %s."
	emptyReply       = "Assistant message must have a string or a list of chunks in content or a list of tool calls."
	onlyTwoAndSystem = "Only user and assistant roles are supported, with the exception of an initial optional system message!"
)

// Templates returns the families that differ in what they refuse.
func Templates() []Template {
	return []Template{
		{Name: "Llama 3", Raise: never, Show: whole},
		{Name: "Qwen 2.5", Raise: never, Show: whole},
		{Name: "Mistral 7B v0.2", Raise: func(m []Message) string { return orElse(alternate(m, mustAlternate), roles(m, onlyTwo)) }, Show: whole},
		{Name: "Mistral 7B v0.3", Raise: func(m []Message) string {
			_, rest := split(m)
			return orElse(alternate(rest, afterSystem), roles(rest, onlyTwoAndSystem))
		}, Show: systemLast},
		{Name: "Ministral", Raise: ministral, Show: whole},
		{Name: "Gemma 2", Raise: func(m []Message) string {
			if system, _ := split(m); system != nil {
				return noSystem
			}
			return alternate(m, mustAlternate)
		}, Show: whole},
		{Name: "Gemma 3", Raise: func(m []Message) string {
			_, rest := split(m)
			return alternate(rest, mustAlternate)
		}, Show: systemFirst},
		{Name: "Phi-3", Raise: never, Show: withoutSystem},
	}
}

func never([]Message) string { return "" }

func whole(m []Message) []Message { return m }

func orElse(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// split separates the system message from the beginning; nil if there is none.
func split(m []Message) (system *Message, rest []Message) {
	if len(m) > 0 && m[0].Role == "system" {
		return &m[0], m[1:]
	}
	return nil, m
}

// alternate refuses messages unless the user's are every second one, from the first on.
func alternate(m []Message, sentence string) string {
	for i := range m {
		if (m[i].Role == "user") != (i%2 == 0) {
			return sentence
		}
	}
	return ""
}

// roles refuses any other role.
func roles(m []Message, sentence string) string {
	for _, one := range m {
		if one.Role != "user" && one.Role != "assistant" {
			return sentence
		}
	}
	return ""
}

func ministral(m []Message) string {
	_, rest := split(m)
	spoken := 0 // other roles are looked at later
	for _, one := range rest {
		if one.Role != "user" && one.Role != "assistant" {
			continue
		}
		if (one.Role == "user") != (spoken%2 == 0) {
			return exceptTools
		}
		spoken++
	}
	for _, one := range rest {
		switch {
		case one.Role != "user" && one.Role != "assistant":
			return fmt.Sprintf(onlyThree, one.Role)
		case one.Role == "assistant" && one.Content == "":
			return emptyReply
		}
	}
	return ""
}

// systemFirst puts the system message at the beginning of the user's first message.
func systemFirst(m []Message) []Message {
	system, rest := split(m)
	if system == nil || len(rest) == 0 {
		return rest
	}
	rest = append([]Message{}, rest...)
	rest[0].Content = system.Content + "\n\n" + rest[0].Content
	return rest
}

// systemLast puts the system message at the beginning of the last message if that is the user's, and
// else drops it.
func systemLast(m []Message) []Message {
	system, rest := split(m)
	if last := len(rest) - 1; system != nil && last >= 0 && rest[last].Role == "user" {
		rest = append([]Message{}, rest...)
		rest[last].Content = system.Content + "\n\n" + rest[last].Content
	}
	return rest
}

// withoutSystem silently drops the system message.
func withoutSystem(m []Message) []Message {
	var rest []Message
	for _, one := range m {
		if one.Role == "user" || one.Role == "assistant" {
			rest = append(rest, one)
		}
	}
	return rest
}

// Manner describes how a server reports that its model's template refused the messages.
type Manner struct {
	Name string
	Says func(c Call, sentence string) Reply
}

// Manners returns the reports of servers in use. The template's sentence is somewhere in the body,
// except in the last, which says nothing.
func Manners() []Manner {
	body := func(status int, value any) Reply { return Reply{Status: status, Body: jsonOf(value)} }
	return []Manner{
		{"vLLM", func(_ Call, s string) Reply {
			return body(http.StatusBadRequest, map[string]any{"error": map[string]any{"message": s + " " + s, "type": "BadRequestError", "param": nil, "code": 400}})
		}},
		{"llama.cpp", func(_ Call, s string) Reply {
			source := "\n------------\nWhile executing CallExpression at line 47, column 32 in source:\n...== 0) %}↵            {{- raise_exception('" + s[:min(37, len(s))] + "...\n" +
				strings.Repeat(" ", 43) + "^\nError: Jinja Exception: " + s
			return body(http.StatusInternalServerError, map[string]any{"error": map[string]any{"code": 500, "message": source, "type": "server_error"}})
		}},
		{"vLLM before 0.10", func(_ Call, s string) Reply {
			return body(http.StatusBadRequest, map[string]any{"object": "error", "message": s, "type": "BadRequestError", "param": nil, "code": 400})
		}},
		{"llama.cpp of 2025", func(_ Call, s string) Reply {
			lines := s + " at row 19, column 27:\n    {%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) -%}\n        {{ raise_exception(\"" + s + "\") }}\n" + strings.Repeat(" ", 26) + "^\n    {%- endif -%}\n"
			return body(http.StatusInternalServerError, map[string]any{"error": map[string]any{"code": 500, "message": strings.Repeat(lines, 6), "type": "server_error"}})
		}},
		{"llama-cpp-python", func(_ Call, s string) Reply {
			return body(http.StatusInternalServerError, map[string]any{"error": map[string]any{"message": s, "type": "internal_server_error", "param": nil, "code": nil}})
		}},
		{"text-generation-inference", func(_ Call, s string) Reply {
			return body(http.StatusUnprocessableEntity, map[string]any{"error": "Template error: syntax error: " + s + " (in <string>:1)", "error_type": "template_error"})
		}},
		{"LM Studio", func(c Call, s string) Reply {
			said := "Error rendering prompt with jinja template: \"" + s + "\".\n\nThis is usually an issue with the model's prompt template."
			if c.Stream {
				return Reply{Body: "event: error\ndata: " + jsonOf(map[string]any{"error": map[string]any{"message": said}}) + "\n\n", ContentType: "text/event-stream"}
			}
			return body(http.StatusBadRequest, map[string]any{"error": said})
		}},
		{"FastChat", func(_ Call, s string) Reply {
			return Reply{Body: jsonOf(map[string]any{"object": "error", "message": "**NETWORK ERROR** " + s, "code": 50001})}
		}},
		{"mlx-lm", func(_ Call, s string) Reply { return body(http.StatusNotFound, map[string]any{"error": s}) }},
		{"a gateway", func(_ Call, s string) Reply {
			return body(http.StatusBadRequest, []any{map[string]any{"error": map[string]any{"message": "litellm.BadRequestError: OpenAIException - " + s, "code": "400"}}})
		}},
		{"SGLang of 2024", func(Call, string) Reply {
			return Reply{Status: http.StatusInternalServerError, Body: "Internal Server Error", ContentType: "text/plain; charset=utf-8"}
		}},
	}
}

// Strict returns a script that acts as a server with a model's chat template: it reports what the
// template refuses in the server's manner, and shows base what the model would read.
func Strict(base Script, t Template, m Manner) Script {
	return func(c Call) Reply {
		if c.Kind != Chat {
			return base(c)
		}
		if sentence := t.Raise(c.Messages); sentence != "" {
			return m.Says(c, sentence)
		}
		c.Messages = t.Show(c.Messages)
		if c.SchemaName == "" {
			c.Template = recognise(c.System())
		}
		return base(c)
	}
}
