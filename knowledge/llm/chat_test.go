package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"lacuna/knowledge/llm/llmtest"
	"lacuna/prompts"
)

// asked decodes the body of a call.
func asked(t *testing.T, call llmtest.Call) map[string]any {
	t.Helper()
	var body map[string]any
	if err := json.Unmarshal(call.Body, &body); err != nil {
		t.Fatal(err)
	}
	return body
}

func TestTemperatureZeroReachesTheWire(t *testing.T) {
	srv := llmtest.New(t, saying("x"))
	client := connect(t, srv)
	if _, err := client.Chat(t.Context(), hello(Reader)); err != nil {
		t.Fatal(err)
	}
	if body := srv.Calls()[0].Body; !bytes.Contains(body, []byte(`"temperature":1e-45`)) {
		t.Errorf("the body is %s", body)
	}
}

func TestSampling(t *testing.T) {
	hot, narrow, seven := 1.1, 0.5, 7
	for _, c := range []struct {
		name     string
		role     Role
		endpoint Sampling
		request  Sampling
		want     string
	}{
		{"reasoner", Reasoner, Sampling{}, Sampling{}, `"max_tokens":4096,"temperature":0.6,"top_p":0.95`},
		{"summariser", Summariser, Sampling{}, Sampling{}, `"max_tokens":256,"temperature":0.2,"top_p":1`},
		{"explorer", Explorer, Sampling{}, Sampling{}, `"max_tokens":512,"temperature":0.7,"top_p":1`},
		{"generator", Generator, Sampling{}, Sampling{}, `"max_tokens":256,"temperature":0.8,"top_p":0.9`},
		{"endpoint", Reader, Sampling{Temperature: &hot, Seed: &seven}, Sampling{}, `"max_tokens":512,"temperature":1.1,"top_p":1`},
		{"request", Reader, Sampling{Temperature: &hot, MaxTokens: 9}, Sampling{Temperature: &narrow, TopP: &narrow}, `"max_tokens":9,"temperature":0.5,"top_p":0.5`},
	} {
		t.Run(c.name, func(t *testing.T) {
			srv := llmtest.New(t, saying("x"))
			client := connect(t, srv, ofRole(c.role, func(e *Endpoint) { e.Sampling = c.endpoint }))
			request := hello(c.role)
			request.Sampling = c.request
			reply, err := client.Chat(t.Context(), request)
			if err != nil {
				t.Fatal(err)
			}
			body := srv.Calls()[0].Body
			if !bytes.Contains(body, []byte(c.want)) {
				t.Errorf("the body is %s", body)
			}
			if want := asked(t, srv.Calls()[0])["seed"]; want != float64(reply.Seed) {
				t.Errorf("seed %v on the wire, %d in the reply", want, reply.Seed)
			}
		})
	}
}

func TestOnlyWhatIsHeardOrLongIsStreamed(t *testing.T) {
	srv := llmtest.New(t, saying("{}"))
	client := connect(t, srv)
	for _, c := range []struct {
		request Request
		want    bool
	}{{hello(Reader), false}, {listening(hello(Reader)), true}, {structured(Reasoner), true}, {structured(Integrator), false}} {
		srv.Forget()
		if _, err := client.Chat(t.Context(), c.request); err != nil {
			t.Fatal(err)
		}
		call := srv.Calls()[0]
		if call.Stream != c.want || bytes.Contains(call.Body, []byte("stream_options")) != c.want {
			t.Errorf("%s: %s", c.request.Role, call.Body)
		}
	}
}

func TestReasoningModelsAreAskedAsTheyWant(t *testing.T) {
	srv := llmtest.New(t, saying("x"))
	client := connect(t, srv, ofRole(Reader, func(e *Endpoint) { e.Model = "o3-mini" }))
	if _, err := client.Chat(t.Context(), hello(Reader)); err != nil {
		t.Fatal(err)
	}
	body := asked(t, srv.Calls()[0])
	for _, field := range []string{"temperature", "top_p", "max_tokens"} {
		if body[field] != nil {
			t.Errorf("%s is %v", field, body[field])
		}
	}
	if body["max_completion_tokens"] != float64(512+thinkingTokens) {
		t.Errorf("limit %v", body["max_completion_tokens"])
	}
}

func TestReasoningIsLeftOutWhileStreaming(t *testing.T) {
	for _, c := range []struct {
		name, text, reasoning string
		field                 string
		wantText, wantThought string
	}{
		{"field", "In autumn.", "Cold helps.", "", "In autumn.", "Cold helps."},
		{"other field", "In autumn.", "Cold helps.", "reasoning", "In autumn.", "Cold helps."},
		{"tag", "<think>\nCold > heat.\n</think>\n\nIn autumn, > 3 °C.", "", "", "In autumn, > 3 °C.", "Cold > heat."},
		{"other tag", " <Thinking>Cold helps.</Thinking> In autumn.", "", "", "In autumn.", "Cold helps."},
		{"no tag", "<thing> is not reasoning.", "", "", "<thing> is not reasoning.", ""},
		{"no end", "<think>Cold helps and", "", "", "", "Cold helps and"},
	} {
		for _, runes := range []int{1, 3, 100} {
			srv := llmtest.New(t, llmtest.Always(llmtest.Reply{Text: c.text, Reasoning: c.reasoning, ReasoningField: c.field, Runes: runes}))
			client := connect(t, srv)
			request := hello(Reader)
			var told strings.Builder
			request.Delta = func(text string) { told.WriteString(text) }
			reply, err := client.Chat(t.Context(), request)
			if err != nil || reply.Text != c.wantText || reply.Reasoning != c.wantThought || strings.TrimSpace(told.String()) != c.wantText {
				t.Errorf("%s, %d runes: told %q, reply %+v, error %v", c.name, runes, told.String(), reply, err)
			}
		}
	}
}

func TestEndpointThatDoesNotStream(t *testing.T) {
	srv := llmtest.New(t, llmtest.Always(llmtest.Reply{Text: "In autumn.", Reasoning: "Cold helps.", Whole: true}))
	client := connect(t, srv)
	request := hello(Reader)
	var told []string
	request.Delta = func(text string) { told = append(told, text) }
	reply, err := client.Chat(t.Context(), request)
	if err != nil || reply.Text != "In autumn." || reply.Reasoning != "Cold helps." || reply.Usage.Estimated || !slices.Equal(told, []string{"In autumn."}) {
		t.Errorf("told %q, reply %+v, error %v", told, reply, err)
	}
}

func TestRepliesOfOtherServers(t *testing.T) {
	for _, c := range []struct{ name, body, text, reasoning string }{
		{"parts", `{"choices":[{"message":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm."}]},{"type":"text","text":"Yes."}]},"finish_reason":"stop"}]}`, "Yes.", "Hm."},
		{"null content", `{"choices":[{"message":{"content":null,"reasoning_content":"Hm."},"finish_reason":"stop"}]}`, "", "Hm."},
		{"reasoning as a part", `{"choices":[{"message":{"content":[{"type":"reasoning","reasoning":"Hm."},{"type":"text","text":"Yes."}]},"finish_reason":"stop"}]}`, "Yes.", "Hm."},
		{"reasoning as an object", `{"choices":[{"message":{"content":"Yes.","reasoning":{"text":"Hm.","effort":2}},"finish_reason":"stop"}]}`, "Yes.", "Hm."},
		{"reasoning of no known form", `{"choices":[{"message":{"content":"Yes.","reasoning_content":17},"finish_reason":"stop"}]}`, "Yes.", ""},
		{"thinking", `{"choices":[{"message":{"content":"Yes.","thinking":"Hm."},"finish_reason":"stop"}]}`, "Yes.", "Hm."},
		{"pretty printed", "\n{\n  \"choices\": [\n {\"message\": {\"content\": \"Yes.\"}, \"finish_reason\": \"stop\"}\n]\n}\n", "Yes.", ""},
		{"events without a type", "data:{\"choices\":[{\"delta\":{\"content\":\"Yes.\"},\"finish_reason\":\"stop\"}]}\n\ndata:[DONE]\n\n", "Yes.", ""},
		{"carriage returns", "data: {\"choices\":[{\"delta\":{\"content\":\"Yes.\"},\"finish_reason\":\"stop\"}]}\r\n\r\ndata: [DONE]\r\n\r\n", "Yes.", ""},
	} {
		srv := llmtest.New(t, llmtest.Always(llmtest.Reply{Body: c.body, ContentType: "text/plain"}))
		reply, err := connect(t, srv).Chat(t.Context(), listening(hello(Reader)))
		if err != nil || reply.Text != c.text || reply.Reasoning != c.reasoning {
			t.Errorf("%s: %+v, %v", c.name, reply, err)
		}
	}
}

func TestKeepAliveComments(t *testing.T) {
	srv := llmtest.New(t, llmtest.Always(llmtest.Reply{Text: "In autumn.", Chatty: 400}))
	if reply, err := connect(t, srv).Chat(t.Context(), listening(hello(Reader))); err != nil || reply.Text != "In autumn." {
		t.Errorf("reply %+v, error %v", reply, err)
	}
}

func TestSecondAttemptThatSaysSomethingElse(t *testing.T) {
	first := llmtest.Named("cut stream").Break(llmtest.Reply{Text: "In autumn, some weeks before"})
	srv := llmtest.New(t, llmtest.InTurn(first, llmtest.Reply{Text: "Before winter."}))
	request := hello(Reader)
	var told strings.Builder
	request.Delta = func(text string) { told.WriteString(text) }
	reply, err := connect(t, srv).Chat(t.Context(), request)
	if err != nil || reply.Text != "Before winter." || told.String() != "In autumn, some " {
		t.Errorf("told %q, reply %+v, error %v", told.String(), reply, err)
	}
}

// picky refuses bodies that hold a word.
func picky(status int, message string, words ...string) llmtest.Script {
	return func(c llmtest.Call) llmtest.Reply {
		for _, w := range words {
			if bytes.Contains(c.Body, []byte(w)) {
				body, _ := json.Marshal(map[string]any{"error": map[string]any{"message": message}})
				return llmtest.Reply{Status: status, Body: string(body)}
			}
		}
		return llmtest.Reply{Text: "x"}
	}
}

func TestWhatAnEndpointRefusesIsLeftOutAndRemembered(t *testing.T) {
	for _, c := range []struct {
		name   string
		script llmtest.Script
		calls  int
		lacks  string
		has    string
	}{
		{"schema", picky(400, "response_format.type must be json_object", "json_schema"), 2, "json_schema", "json_object"},
		{"json", picky(422, "Extra inputs are not permitted", "response_format"), 3, "response_format", "temperature"},
		{"grammar", picky(500, "failed to parse grammar", "json_schema"), 2, "json_schema", "json_object"},
		{"usage", picky(422, "unknown field stream_options", "stream_options"), 2, "stream_options", "json_schema"},
		{"limit", picky(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", `"max_tokens"`), 2, `"max_tokens"`, "max_completion_tokens"},
		{"temperature", picky(400, "Unsupported value: 'temperature' does not support 0.6", "temperature"), 2, "temperature", "json_schema"},
		{"seed", picky(400, "seed: not supported", "seed"), 2, "seed", "temperature"},
	} {
		t.Run(c.name, func(t *testing.T) {
			srv := llmtest.New(t, c.script)
			client := connect(t, srv)
			for want := c.calls; want <= c.calls+1; want++ {
				if _, err := client.Chat(t.Context(), structured(Reasoner)); err != nil {
					t.Fatal(err)
				}
				calls := srv.Calls()
				last := calls[len(calls)-1].Body
				if len(calls) != want || bytes.Contains(last, []byte(c.lacks)) || !bytes.Contains(last, []byte(c.has)) {
					t.Errorf("%d calls, the last %s", len(calls), last)
				}
			}
		})
	}
}

func TestModelThatIsNoneForChats(t *testing.T) {
	srv := llmtest.New(t, saying("x"))
	client := connect(t, srv, ofRole(Reader, func(e *Endpoint) { e.Model = "text-davinci-003" }))
	_, err := client.Chat(t.Context(), listening(hello(Reader)))
	failedWith(t, err, Refused, "model.model")
}

func TestLearntMannersStayWhenAnOlderCallEnds(t *testing.T) {
	m := newCapabilityMemory(Endpoint{})
	older := m.get()
	m.learn(capabilities{json: JSONNone, noSeed: true}, rolesTaken{})
	m.learn(older, rolesTaken{})
	if got := m.get(); got.json != JSONNone || !got.noSeed {
		t.Errorf("learnt %+v", got)
	}
}

func TestRefusalOfALongPromptIsNotTakenForOneOfJSON(t *testing.T) {
	srv := llmtest.New(t, picky(400, "This model's maximum context length is 4096 tokens", "messages"))
	_, err := connect(t, srv).Chat(t.Context(), structured(Reasoner))
	failed := failedWith(t, err, Refused, "model.model")
	if len(srv.Calls()) != 1 || !strings.Contains(failed.Error(), "maximum context length") {
		t.Errorf("%d calls, error %v", len(srv.Calls()), failed)
	}
}

func TestJSONModeThatTheUserChose(t *testing.T) {
	for mode, want := range map[JSONMode]string{JSONSchema: `"json_schema"`, JSONObject: `"json_object"`, JSONNone: ``} {
		srv := llmtest.New(t, saying("{}"))
		client := connect(t, srv, ofRole(Reasoner, func(e *Endpoint) { e.JSON = mode }))
		if _, err := client.Chat(t.Context(), structured(Reasoner)); err != nil {
			t.Fatal(err)
		}
		body := srv.Calls()[0].Body
		if want != "" && !bytes.Contains(body, []byte(want)) || want == "" && bytes.Contains(body, []byte("response_format")) {
			t.Errorf("%q: %s", mode, body)
		}
	}
	srv := llmtest.New(t, picky(400, "no response_format here", "json_schema"))
	client := connect(t, srv, ofRole(Reasoner, func(e *Endpoint) { e.JSON = JSONSchema }))
	_, err := client.Chat(t.Context(), structured(Reasoner))
	failedWith(t, err, Refused, "model.model")
}

func TestModelThatThinksGetsRoom(t *testing.T) {
	srv := llmtest.New(t, func(c llmtest.Call) llmtest.Reply {
		if bytes.Contains(c.Body, []byte(`"max_tokens":128`)) {
			return llmtest.Reply{Text: "<think>Let me think about", Finish: "length"}
		}
		return llmtest.Reply{Text: "<think>Let me think about it.</think>In autumn."}
	})
	client := connect(t, srv)
	request := hello(Reader)
	request.MaxTokens = 128
	for range 2 {
		reply, err := client.Chat(t.Context(), request)
		if err != nil || reply.Text != "In autumn." {
			t.Fatalf("reply %+v, error %v", reply, err)
		}
	}
	if n := len(srv.Calls()); n != 3 {
		t.Errorf("%d calls, want 3: the room is remembered", n)
	}
}

func TestUnknownModelAndWrongAddress(t *testing.T) {
	for _, c := range []struct {
		status  int
		message string
		setting string
	}{
		{404, `{"error":{"message":"The model 'm' does not exist"}}`, "model.model"},
		{404, `{"error":"model \"m\" not found, try pulling it first"}`, "model.model"},
		{400, `{"error":{"message":"invalid model ID"}}`, "model.model"},
		{404, `404 page not found`, "model.base_url"},
		{404, `{"detail":"Not Found"}`, "model.base_url"},
		{405, ``, "model.base_url"},
	} {
		body := c.message
		srv := llmtest.New(t, llmtest.Always(llmtest.Reply{Status: c.status, Body: body}))
		_, err := connect(t, srv).Chat(t.Context(), hello(Reader))
		failedWith(t, err, NotFound, c.setting)
	}
}

func TestErrorsFromStrangersAreOneLineWithoutTheKey(t *testing.T) {
	srv := llmtest.New(t, llmtest.Always(llmtest.Reply{Status: 401, Body: `{"error":{"message":"Bad key sk-12345.\n<b>\u202eLook</b> ` + strings.Repeat("long ", 200) + `"}}`}))
	client := connect(t, srv, ofRole(Reader, func(e *Endpoint) {
		e.Key = func(context.Context) (string, error) { return "sk-12345\n", nil }
	}))
	_, err := client.Chat(t.Context(), hello(Reader))
	text := failedWith(t, err, Unauthorised, "model.api_key").Error()
	if strings.ContainsAny(text, "\n\u202e") || strings.Contains(text, "12345") || len([]rune(text)) > 320 {
		t.Errorf("error %q", text)
	}
}

func TestUsageIsEstimatedWhereNobodyCounts(t *testing.T) {
	srv := llmtest.New(t, llmtest.Always(llmtest.Reply{Text: "秋天 autumn", NoUsage: true}))
	account := NewAccount(0)
	request := hello(Reader)
	request.Account = account
	var during Usage
	request.Delta = func(string) { during = account.Usage() }
	reply, err := connect(t, srv).Chat(t.Context(), request)
	want := Usage{Calls: 1, Prompt: 8, Completion: 4, Estimated: true}
	if err != nil || reply.Usage != want || account.Usage() != want {
		t.Errorf("usage %+v, account %+v, error %v", reply.Usage, account.Usage(), err)
	}
	if during.Calls != 1 || during.Prompt != 8 || during.Completion == 0 {
		t.Errorf("while streaming %+v", during)
	}
}

func TestBudget(t *testing.T) {
	srv := llmtest.New(t, saying("In autumn."))
	client := connect(t, srv)
	request := hello(Reader)
	request.Account = NewAccount(11)
	for want := range 2 {
		_, err := client.Chat(t.Context(), request)
		if want == 0 && err != nil {
			t.Fatal(err)
		}
		if want == 1 {
			failedWith(t, err, OverBudget, "")
		}
	}
	if len(srv.Calls()) != 1 {
		t.Errorf("%d calls", len(srv.Calls()))
	}
}

func TestAccountCountsAttemptsThatBroke(t *testing.T) {
	srv := llmtest.New(t, llmtest.Break(saying("In autumn, some weeks before"), llmtest.Named("cut stream")))
	request := listening(hello(Reader))
	request.Account = NewAccount(0)
	if _, err := connect(t, srv).Chat(t.Context(), request); err == nil {
		t.Fatal("a reply came")
	}
	if got := request.Account.Usage(); got.Calls != 1 || got.Prompt != 16 || got.Completion != 8 || !got.Estimated {
		t.Errorf("usage %+v", got)
	}
}

func TestDeadlineRunsOnlyAtTheEndpoint(t *testing.T) {
	srv := llmtest.New(t, llmtest.Always(llmtest.Reply{Text: "x", Wait: 60 * time.Millisecond}))
	client := connect(t, srv, every(func(e *Endpoint) { e.Parallel, e.Timeout = 1, 5*time.Second }))
	var most atomic.Int32
	done := make(chan error)
	for range 4 {
		go func() {
			_, err := client.Chat(t.Context(), hello(Reader))
			most.Store(max(most.Load(), int32(srv.InFlight())))
			done <- err
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	for _, c := range srv.Calls() {
		if c.InFlight > 1 {
			t.Errorf("%d calls at once", c.InFlight)
		}
	}
}

func TestFanOutHonoursParallel(t *testing.T) {
	arrived := make(chan struct{}, 16)
	release := make(chan struct{})
	srv := llmtest.New(t, func(llmtest.Call) llmtest.Reply {
		arrived <- struct{}{}
		<-release
		return llmtest.Reply{Text: "x"}
	})
	// The smallest of the settings of one host counts for all its roles.
	client := connect(t, srv, ofRole(Generator, func(e *Endpoint) { e.Parallel = 3 }), ofRole(Reader, func(e *Endpoint) { e.Parallel = 5 }))
	done := make(chan error)
	for i := range 10 {
		go func() {
			_, err := client.Chat(t.Context(), hello(Roles()[i%len(Roles())]))
			done <- err
		}()
	}
	for range 3 {
		<-arrived
	}
	close(release)
	for range 10 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	most := 0
	for _, c := range srv.Calls() {
		most = max(most, c.InFlight)
	}
	if most != 3 {
		t.Errorf("%d calls at once, want 3", most)
	}
	if open, _ := srv.Conns(); open > 3 {
		t.Errorf("%d connections for 3 places", open)
	}
}

func TestConnectionsAreReused(t *testing.T) {
	srv := llmtest.New(t, saying("x"))
	client := connect(t, srv)
	for range 3 {
		for _, request := range []Request{hello(Reader), listening(hello(Reader))} {
			if _, err := client.Chat(t.Context(), request); err != nil {
				t.Fatal(err)
			}
		}
	}
	if open, _ := srv.Conns(); open != 1 {
		t.Errorf("%d connections", open)
	}
}

func TestStreamThatIsHeldOpenAfterItsEnd(t *testing.T) {
	srv := llmtest.New(t, llmtest.Always(llmtest.Reply{Text: "In autumn.", Linger: true}))
	client := connect(t, srv)
	if reply, err := client.Chat(t.Context(), listening(hello(Reader))); err != nil || reply.Text != "In autumn." {
		t.Errorf("reply %+v, error %v", reply, err)
	}
	settled(t, srv, client)
}

func TestEmptyMessagesAreNotSent(t *testing.T) {
	srv := llmtest.New(t, saying("x"))
	request := hello(Reader)
	request.Chat.Messages = append(request.Chat.Messages, prompts.Message{Role: "user"})
	if _, err := connect(t, srv).Chat(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	if n := len(srv.Calls()[0].Messages); n != 2 {
		t.Errorf("%d messages", n)
	}
}

func TestTry(t *testing.T) {
	srv := llmtest.New(t, llmtest.Obliging())
	client := connect(t, srv)
	tried, err := client.Try(t.Context(), Reasoner)
	if err != nil || tried.Duration <= 0 || tried.SystemMerged || !tried.ObeysSystem || !tried.ReadsData {
		t.Errorf("tried %+v, error %v", tried, err)
	}
	if _, length, err := client.TryEmbedding(t.Context()); err != nil || length == 0 {
		t.Errorf("length %d, error %v", length, err)
	}
	if _, err := client.TryRerank(t.Context()); err != nil {
		t.Error(err)
	}
	srv.Script(llmtest.Break(llmtest.Obliging(), llmtest.Status(http.StatusServiceUnavailable)))
	srv.Forget()
	_, err = client.Try(t.Context(), Reader)
	failedWith(t, err, ServerFault, "model.base_url")
	if len(srv.Calls()) != 1 {
		t.Errorf("%d calls: trying does not retry", len(srv.Calls()))
	}
}
