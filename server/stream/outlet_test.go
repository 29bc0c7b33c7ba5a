package stream

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lacuna/knowledge/sanitise"
)

func TestPresentable(t *testing.T) {
	sanitise.Secret("outlet-key-0123456789")
	for _, test := range []struct{ body, want string }{
		{`{"a":"plain <b> ü"}`, `{"a":"plain <b> ü"}`},
		{`{"params":{"message":"\u001b]0;x\u0007"}}`, `{"params":{"message":"⟨U+001B⟩]0;x⟨U+0007⟩"}}`},
		{`{"result":[{"name":"a\u202eb","range":{"line":18446744073709551615}}]}`, `{"result":[{"name":"a⟨U+202E⟩b","range":{"line":18446744073709551615}}]}`},
		{`{"uri":"file:///a\u0007","newText":"x\u0007outlet-key-0123456789","data":{"x":"\u0007"}}`, `{"data":{"x":"\u0007"},"newText":"x\u0007…","uri":"file:///a\u0007"}`},
		{`{"message":"Bearer OUTLET-KEY-0123456789"}`, `{"message":"Bearer …"}`},
		{`{"message":"two\nlines\tand \r\n more\b"}`, `{"message":"two\nlines\tand \n more⟨U+0008⟩"}`},
	} {
		var got, want any
		if err := json.Unmarshal(presentable([]byte(test.body)), &got); err != nil {
			t.Fatalf("%s: %v", test.body, err)
		}
		if err := json.Unmarshal([]byte(test.want), &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", test.body, diff)
		}
	}
}
