package llm

import (
	"context"
	"strings"
	"testing"
)

// TestKeysOverPlainHTTP: everybody on the way can read a key that is sent over http://.
func TestKeysOverPlainHTTP(t *testing.T) {
	key := func(context.Context) (string, error) { return "sk-1", nil }
	for name, test := range map[string]struct {
		endpoint Endpoint
		refused  bool
	}{
		"a key":                        {Endpoint{BaseURL: "http://models.example/v1", Key: key}, true},
		"a header with a key":          {Endpoint{BaseURL: "http://10.0.0.7:8000/v1", Headers: map[string]string{"Authorization": "Bearer x"}}, true},
		"a key, and the host is named": {Endpoint{BaseURL: "http://models.example/v1", Key: key, PlainKey: true}, false},
		"a key over TLS":               {Endpoint{BaseURL: "https://models.example/v1", Key: key}, false},
		"a key on this machine":        {Endpoint{BaseURL: "http://127.0.0.1:11434/v1", Key: key}, false},
		"no key":                       {Endpoint{BaseURL: "http://models.example/v1", Headers: map[string]string{"X-Team": "ward"}}, false},
	} {
		test.endpoint.Model = "m"
		_, err := New(Config{Roles: map[Role]Endpoint{Reader: test.endpoint}})
		if refused := err != nil; refused != test.refused || refused && !strings.Contains(err.Error(), "privacy.plain_http") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
