package llm

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"lacuna/knowledge/llm/llmtest"
)

// The endpoint repeats the key in every way it can, and none of what is said, kept or recorded holds it.
func TestKeyIsInNothingThatIsSaid(t *testing.T) {
	const key = "sk-Repeat/Me+0123456789abcdef"
	forms := map[string]string{
		"as it is": key, "a header": "Authorization: Bearer " + key, "capitals": strings.ToUpper(key),
		"an address": url.QueryEscape(key), "a path": url.PathEscape("Bearer " + key),
		"Basic": base64.StdEncoding.EncodeToString([]byte("lacuna:" + key)),
	}
	held := func(text string) string {
		lower := strings.ToLower(text)
		for name, form := range forms {
			if strings.Contains(lower, strings.ToLower(form)) {
				return name
			}
		}
		if strings.Contains(lower, "0123456789abcdef") {
			return "a part"
		}
		return ""
	}
	for name, form := range forms {
		for way, reply := range map[string]llmtest.Reply{
			"a reply":           {Text: "The key is " + form + ", yes.", Reasoning: "It was " + form, Model: form},
			"the end":           {Text: "The key is " + form},
			"an error":          {Status: http.StatusBadRequest, Body: `{"error":{"message":"wrong: ` + form + `"}}`},
			"an error of text":  {Status: http.StatusForbidden, Body: "no " + form},
			"a long error":      {Status: http.StatusForbidden, Body: strings.Repeat("x ", 110) + form},
			"a redirect":        {Status: http.StatusFound, Header: http.Header{"Location": {"https://other.test/" + url.PathEscape(form)}}},
			"a redirect's host": {Status: http.StatusFound, Header: http.Header{"Location": {"https://user:" + url.QueryEscape(form) + "@other.test/"}}},
		} {
			t.Run(way+", "+name, func(t *testing.T) {
				srv := llmtest.New(t, llmtest.Always(reply))
				kept := &remembered{}
				client := connect(t, srv, ofRole(Reader, func(e *Endpoint) {
					e.Key = func(context.Context) (string, error) { return key, nil }
				}), func(c *Config) { c.Cache = kept })
				var streamed strings.Builder
				request := hello(Reader)
				request.Delta = func(piece string) { streamed.WriteString(piece) }
				got, err := client.Chat(t.Context(), request)
				said := got.Text + "\n" + got.Reasoning + "\n" + got.Model + "\n" + kept.all
				if err != nil {
					said += "\n" + err.Error()
				}
				for _, sent := range client.sent {
					record, _ := json.Marshal(sent.Outbound)
					said += "\n" + string(record)
					if sent.Err != nil {
						said += sent.Err.Error()
					}
				}
				for what, text := range map[string]string{"said": said, "streamed": streamed.String()} {
					if form := held(text); form != "" {
						t.Errorf("the key (%s) is in what is %s:\n%s", form, what, text)
					}
				}
				if reply.Status == 0 && (!strings.HasPrefix(got.Text, "The key is ") || !strings.Contains(got.Text, "…")) {
					t.Errorf("the reply became %q", got.Text)
				}
			})
		}
	}
}

// remembered holds replies that were put.
type remembered struct{ all string }

func (*remembered) Get(string) (Reply, bool) { return Reply{}, false }

func (r *remembered) Put(_ string, reply Reply) {
	text, _ := json.Marshal(reply)
	r.all += string(text)
}
