package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lacuna/knowledge/llm/llmtest"
	"lacuna/prompts"
)

// judging is a request as the systems make it, with evidence, for JSON.
func judging(t *testing.T) Request {
	t.Helper()
	chat, err := prompts.Default().Render(prompts.JudgeGaps{
		Question: "When is garlic planted?", Contexts: []prompts.Context{{N: 1, Text: "Garlic is planted in autumn."}}, Draft: "In autumn.",
	})
	if err != nil {
		t.Fatal(err)
	}
	return Request{Role: Reader, Stage: "judge", Chat: chat}
}

// TestEveryChatTemplate asks models of every family, behind every kind of server, for JSON, for a text
// in pieces, and once more after a reply that could not be read. What the template refuses is noticed by
// the first request, costs one more, and is remembered; the schema stays.
func TestEveryChatTemplate(t *testing.T) {
	for _, template := range llmtest.Templates() {
		for _, manner := range llmtest.Manners() {
			t.Run(template.Name+" behind "+manner.Name, func(t *testing.T) {
				srv := llmtest.New(t, llmtest.Strict(llmtest.Obliging(), template, manner))
				client := connect(t, srv)
				first := judging(t)
				again := first
				again.Chat = prompts.OnlyJSON(first.Chat, "Well, let me see.")
				refused := 0
				for round := range 2 {
					for _, request := range []Request{first, listening(hello(Reader)), again} {
						srv.Forget()
						reply, err := client.Chat(t.Context(), request)
						if err != nil || reply.Text == "" {
							t.Fatalf("%s: reply %+v, error %v", request.Chat.Template, reply, err)
						}
						calls := srv.Calls()
						refused += len(calls) - 1
						last := calls[len(calls)-1]
						if sentence := template.Raise(last.Messages); sentence != "" {
							t.Errorf("the last request is refused: %s", sentence)
						}
						if request.Chat.Schema != nil && last.Format != "json_schema" {
							t.Errorf("JSON is asked for as %q", last.Format)
						}
						if round > 0 && len(calls) != 1 {
							t.Errorf("the second time %s takes %d requests", request.Chat.Template, len(calls))
						}
					}
				}
				most := 0
				if template.Raise([]llmtest.Message{{Role: "system", Content: "x"}, {Role: "user", Content: "x"}}) != "" {
					most = 1
					if manner.Name == "SGLang of 2024" { // which may as well pass by itself
						most = 3
					}
				}
				if refused > most {
					t.Errorf("%d requests were refused, %d are needed to learn", refused, most)
				}
			})
		}
	}
}

func TestTurns(t *testing.T) {
	chat := func(pairs ...string) []prompts.Message {
		var all []prompts.Message
		for i := 0; i < len(pairs); i += 2 {
			all = append(all, prompts.Message{Role: pairs[i], Text: pairs[i+1]})
		}
		return all
	}
	for _, c := range []struct {
		name                  string
		noSystem, noAssistant bool
		in, want              []prompts.Message
	}{
		{"as it is", false, false, chat("system", "s", "user", "u"), chat("system", "s", "user", "u")},
		{"a role twice in a row", false, false, chat("system", "s", "user", "a", "user", "b"), chat("system", "s", "user", "a\n\nb")},
		{"an empty message", false, false, chat("system", "s", "user", "a", "assistant", "", "user", "b"), chat("system", "s", "user", "a\n\nb")},
		{"an empty system", false, false, chat("system", "", "user", "a"), chat("user", "a")},
		{"nobody asks", false, false, chat("system", "s"), chat("user", "s")},
		{"no system", true, false, chat("system", "s", "user", "u", "assistant", "a", "user", "v"), chat("user", "s\n\nu", "assistant", "a", "user", "v")},
		{"no replies", false, true, chat("system", "s", "user", "u", "assistant", "a", "user", "v"), chat("system", "s", "user", "u\n\nYour reply was:\n\na\n\nv")},
		{"the user alone", true, true, chat("system", "s", "user", "u", "assistant", "a", "user", "v"), chat("user", "s\n\nu\n\nYour reply was:\n\na\n\nv")},
	} {
		if diff := cmp.Diff(c.want, mergeTurns(c.in, c.noSystem, c.noAssistant)); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
	}
}

// TestRefusalsOfRoles reads refusals of templates, of servers and of hosted endpoints, and what sounds
// like them.
func TestRefusalsOfRoles(t *testing.T) {
	for _, said := range []string{
		"System role not supported",
		"Conversation roles must alternate user/assistant/user/assistant/...",
		"After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results.",
		"Only user, assistant and tool roles are supported, got system.",
		"Only user and assistant roles are supported!",
		"Developer instruction is not enabled for models/gemma-3-27b-it",
		"Unsupported value: 'messages[0].role' does not support 'system' with this model.",
		"deepseek-reasoner does not support successive user or assistant messages (messages[1] and messages[2] in your input).",
		"A conversation must alternate between user and assistant roles.",
		"This model doesn't support system messages. Try again without a system message.",
		"the role of message with even index in the messages must be user or function",
		"invalid params, invalid role: system",
		"Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",
		"After the (optional) system message(s), user and assistant roles should be alternating.",
		"messages: roles must alternate between \"user\" and \"assistant\", but found multiple \"user\" roles in a row",
		"Please ensure that multiturn requests alternate between user and model.",
		"Please use a valid role: user, model.",
		"body.messages.0.role: Input should be 'user' or 'assistant'",
		"Error rendering prompt with jinja template: \"Unknown\".",
		"Template error: template error: undefined value",
		"unknown role \"system\"",
		"messages must begin with a user turn; start with user",
		"System message must be at the beginning.",
		"this model has no system prompt",
		"该模型不支持system角色", "系统消息不支持", "角色必须交替出现",
	} {
		if !aboutRoles(said) {
			t.Errorf("not taken for a refusal of roles: %s", said)
		}
	}
	for _, said := range []string{
		"", "Internal Server Error", "Bad Request", "CUDA out of memory", "The system is overloaded, try an alternative later.",
		"response_format.type must be json_object", "failed to parse grammar", "Unsupported parameter: 'max_tokens'.",
		"three consecutive health checks failed", "model not found", "invalid api key", "upstream timed out",
		"The server had an error while processing your request.", "temperature must be at most 1",
	} {
		if aboutRoles(said) {
			t.Errorf("taken for a refusal of roles: %s", said)
		}
	}
}

// TestRefusalThatNamesNothing guesses at what an endpoint refuses that does not say it, once.
func TestRefusalThatNamesNothing(t *testing.T) {
	opaque := func(status int, refused func(llmtest.Call) bool) llmtest.Script {
		return func(c llmtest.Call) llmtest.Reply {
			if refused(c) {
				return llmtest.Reply{Status: status, Body: `{"error":{"message":"invalid request"}}`}
			}
			return llmtest.Reply{Text: "{}"}
		}
	}
	system := func(c llmtest.Call) bool { return c.Messages[0].Role == "system" }
	json := func(c llmtest.Call) bool { return c.Format != "" }
	always := func(llmtest.Call) bool { return true }
	for _, c := range []struct {
		name          string
		status        int
		refused       func(llmtest.Call) bool
		request       Request
		first, second int // requests of a call, the first time and the second
		format        string
		role          string // of the first message in the end
	}{
		{"no system", 400, system, hello(Reader), 2, 1, "", "user"},
		{"no system, and JSON is asked for", 400, system, structured(Reader), 4, 1, "json_schema", "user"},
		{"no JSON", 422, json, structured(Reader), 3, 1, "", "system"},
		{"neither", 400, func(c llmtest.Call) bool { return system(c) || json(c) }, structured(Reader), 6, 1, "", "user"},
		{"everything", 400, always, structured(Reader), 6, 1, "", "user"},
		{"no system, by a fault of the server", 500, system, hello(Reader), 4, 1, "", "user"},
	} {
		t.Run(c.name, func(t *testing.T) {
			srv := llmtest.New(t, opaque(c.status, c.refused))
			client := connect(t, srv)
			for _, want := range []int{c.first, c.second} {
				srv.Forget()
				_, err := client.Chat(t.Context(), c.request)
				if fails := c.name == "everything"; fails != (err != nil) {
					t.Errorf("error %v", err)
				}
				if calls := srv.Calls(); len(calls) != want {
					t.Errorf("%d requests, want %d", len(calls), want)
				}
			}
			calls := srv.Calls()
			if last := calls[len(calls)-1]; c.name != "everything" && (last.Format != c.format || last.Messages[0].Role != c.role) {
				t.Errorf("in the end it asks as %s, for %q", last.Messages[0].Role, last.Format)
			}
		})
	}
}

// TestKnownRolesAreNotGivenUp: an endpoint that took a system message once refuses something else.
func TestKnownRolesAreNotGivenUp(t *testing.T) {
	srv := llmtest.New(t, saying("x"))
	client := connect(t, srv)
	if _, err := client.Chat(t.Context(), hello(Reader)); err != nil {
		t.Fatal(err)
	}
	srv.Script(llmtest.Always(llmtest.Reply{Status: http.StatusBadRequest, Body: "content policy"}))
	srv.Forget()
	_, err := client.Chat(t.Context(), hello(Reader))
	failedWith(t, err, Refused, "model.model")
	if n := len(srv.Calls()); n != 1 {
		t.Errorf("%d requests", n)
	}
}

// TestRepliesThatTheTemplateRefuses: the request that repeats a reply goes out in one message.
func TestRepliesThatTheTemplateRefuses(t *testing.T) {
	srv := llmtest.New(t, func(c llmtest.Call) llmtest.Reply {
		if bytes.Contains(c.Body, []byte(`"role":"assistant"`)) {
			return llmtest.Reply{Status: http.StatusBadRequest, Body: `{"error":"only user roles are allowed"}`}
		}
		return llmtest.Reply{Text: "{}"}
	})
	client := connect(t, srv)
	request := judging(t)
	if _, err := client.Chat(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	request.Chat = prompts.OnlyJSON(request.Chat, "Well.")
	if _, err := client.Chat(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	last := srv.Calls()[2]
	if len(last.Messages) != 2 || last.Messages[0].Role != "system" || !strings.Contains(last.Messages[1].Content, "Your reply was:\n\nWell.") {
		t.Errorf("asked %+v", last.Messages)
	}
}

// TestWhatWasSentIsNoRefusal: servers that check with pydantic repeat the request in the refusal.
func TestWhatWasSentIsNoRefusal(t *testing.T) {
	srv := llmtest.New(t, func(c llmtest.Call) llmtest.Reply {
		if !bytes.Contains(c.Body, []byte(`"seed"`)) {
			return llmtest.Reply{Text: "x"}
		}
		body, _ := json.Marshal(map[string]any{"detail": []any{map[string]any{
			"type": "extra_forbidden", "loc": []any{"body", "seed"}, "msg": "Extra inputs are not permitted",
			"input": "The temperature is too long; the system role must alternate.",
		}}})
		return llmtest.Reply{Status: http.StatusUnprocessableEntity, Body: string(body)}
	})
	client := connect(t, srv)
	if _, err := client.Chat(t.Context(), hello(Reader)); err != nil {
		t.Fatal(err)
	}
	last := srv.Calls()[len(srv.Calls())-1]
	if len(srv.Calls()) != 2 || last.Messages[0].Role != "system" || !bytes.Contains(last.Body, []byte("temperature")) {
		t.Errorf("%d requests, the last %s", len(srv.Calls()), last.Body)
	}
}

// TestHabitsAreOfOneModel: another model behind the same address keeps its system message, and so does
// the same model elsewhere.
func TestHabitsAreOfOneModel(t *testing.T) {
	strict := llmtest.Strict(llmtest.Obliging(), llmtest.Templates()[5], llmtest.Manners()[0])
	srv := llmtest.New(t, llmtest.When(llmtest.Obliging(), func(c llmtest.Call) bool { return c.Model == "gemma" }, strict))
	client := connect(t, srv, ofRole(Generator, func(e *Endpoint) { e.Model = "gemma" }), ofRole(Summariser, func(e *Endpoint) { e.Model = "gemma" }))
	for _, c := range []struct {
		role  Role
		calls int
		begin string
	}{{Generator, 2, "user"}, {Reader, 1, "system"}, {Summariser, 1, "user"}} {
		srv.Forget()
		if _, err := client.Chat(t.Context(), hello(c.role)); err != nil {
			t.Fatal(err)
		}
		calls := srv.Calls()
		if last := calls[len(calls)-1]; len(calls) != c.calls || last.Messages[0].Role != c.begin {
			t.Errorf("%s: %d requests, the last begins with %s", c.role, len(calls), last.Messages[0].Role)
		}
	}
}

// TestReplyThatDoesNotFit: a server refuses a prompt that fits because the reply that it allows would not.
func TestReplyThatDoesNotFit(t *testing.T) {
	for name, said := range map[string]string{
		"vLLM":                      "'max_tokens' or 'max_completion_tokens' is too large: %d. This model's maximum context length is 4096 tokens and your request has 3000 input tokens (%d > 4096 - 3000).",
		"vLLM before":               "This model's maximum context length is 4096 tokens. However, you requested %d tokens (3000 in the messages, %d in the completion). Please reduce the length of the messages or completion.",
		"text-generation-inference": "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 3000 `inputs` tokens and %d `max_new_tokens` (%d)",
	} {
		t.Run(name, func(t *testing.T) {
			srv := llmtest.New(t, func(c llmtest.Call) llmtest.Reply {
				var asked struct {
					MaxTokens int `json:"max_tokens"`
				}
				if err := json.Unmarshal(c.Body, &asked); err != nil || asked.MaxTokens > 1096 {
					body, _ := json.Marshal(map[string]any{"error": map[string]any{"message": fmt.Sprintf(said, asked.MaxTokens, asked.MaxTokens)}})
					return llmtest.Reply{Status: http.StatusBadRequest, Body: string(body)}
				}
				return llmtest.Reply{Text: "{}"}
			})
			client := connect(t, srv)
			if _, err := client.Chat(t.Context(), structured(Reasoner)); err != nil {
				t.Fatal(err)
			}
			calls := srv.Calls()
			if last := calls[len(calls)-1]; len(calls) != 2 || last.Format != "json_schema" || !bytes.Contains(last.Body, []byte(`"max_tokens":1024`)) {
				t.Errorf("%d requests, the last %s", len(calls), last.Body)
			}
			// A shorter prompt has all the room.
			srv.Script(saying("{}"))
			srv.Forget()
			if _, err := client.Chat(t.Context(), structured(Reasoner)); err != nil || !bytes.Contains(srv.Calls()[0].Body, []byte(`"max_tokens":4096`)) {
				t.Errorf("error %v, asked %s", err, srv.Calls()[0].Body)
			}
		})
	}
}

// TestFollow: a client that follows another one puts its first request as the other would.
func TestFollow(t *testing.T) {
	srv := llmtest.New(t, llmtest.Strict(llmtest.Obliging(), llmtest.Templates()[5], llmtest.Manners()[0]))
	first := connect(t, srv)
	if _, err := first.Chat(t.Context(), judging(t)); err != nil {
		t.Fatal(err)
	}
	second := connect(t, srv)
	second.AdoptCapabilities(first.Client)
	srv.Forget()
	if _, err := second.Chat(t.Context(), judging(t)); err != nil || len(srv.Calls()) != 1 {
		t.Errorf("%d requests, error %v", len(srv.Calls()), err)
	}
}

func TestMessageOfErrors(t *testing.T) {
	for body, want := range map[string]string{
		`[{"error":{"code":400,"message":"Developer instruction is not enabled"}}]`:                                "Developer instruction is not enabled",
		`{"error":{"message":"\n-----\nWhile executing …\nError: Jinja Exception: Roles.","type":"server_error"}}`: "Jinja Exception: Roles.",
		`{"detail":[{"loc":["body","messages",0,"role"],"msg":"Input should be 'user'","input":"secret"}]}`:        "body.messages.0.role: Input should be 'user'",
		`{"detail":"Not Found"}`:     "Not Found",
		`{"message":"no such role"}`: "no such role",
		`[]`:                         `[]`,
		`<html>`:                     "a web page",
	} {
		if got := messageOf([]byte(body)); got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}
