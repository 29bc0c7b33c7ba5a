package cli

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"lacuna/knowledge/llm/llmtest"
)

// Keys of the environment, of headers, and of addresses, in which they are refused, are in nothing that
// a command prints or keeps, though the endpoint repeats them.
func TestKeysAreInNoOutput(t *testing.T) {
	const key, header, password = "sk-Environment0123456789", "tok-Header0123456789", "pw-Address0123456789"
	for name, reply := range map[string]llmtest.Reply{
		"a reply":    {Text: `{"answer": "On an empty stomach, ` + key + ` ` + header + `."}`, Model: key},
		"an error":   {Status: http.StatusBadRequest, Body: `{"error":"no ` + key + ` and ` + header + `"}`},
		"a redirect": {Status: http.StatusFound, Header: http.Header{"Location": {"https://other.test/Bearer%20" + key + "/" + header}}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := workspaceOf(t, txtar.Parse([]byte(shelfOfIron)))
			server := llmtest.New(t, llmtest.Always(reply))
			user := filepath.Join(dir, "user.toml")
			text := "privacy.audit_bodies = true\n[model]\nbase_url = \"" + server.URL() + "\"\nmodel = \"m\"\napi_key_env = \"LACUNA_TEST_KEY\"\n[model.headers]\nX-Api-Token = \"" + header + "\"\n" +
				"[embedding]\nbase_url = \"http://me:" + password + "@127.0.0.1:1/v1\"\nmodel = \"e\"\n[rerank]\nbase_url = \"http://127.0.0.1:1/v1?api_key=" + password + "\"\nproxy = \"http://me:" + password + "@127.0.0.1:1\"\n"
			if err := os.WriteFile(user, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			t.Setenv("LACUNA_TEST_KEY", key)
			log := filepath.Join(dir, "log")
			for _, command := range [][]string{
				{"config"}, {"config", "--json"}, {"doctor"}, {"doctor", "--json"}, {"ask", "When are iron tablets taken?"},
				{"ask", "--json", "--trace", "--system", "direct", "When are iron tablets taken?"}, {"answer", "--write", "note.md"}, {"check", "note.md"}, {"audit"}, {"audit", "--json"}, {"gaps"},
			} {
				for _, config := range []string{text, text[:strings.Index(text, "[embedding]")]} { // with what is refused, and without
					if err := os.WriteFile(user, []byte(config), 0o600); err != nil {
						t.Fatal(err)
					}
					out, errs, _ := run(t, strings.NewReader(""), append([]string{"--config", user, "--log-level", "debug", "--log-file", log}, command...)...)
					for _, secret := range []string{key, header, password} {
						if strings.Contains(strings.ToLower(out+errs), strings.ToLower(secret)) {
							t.Errorf("%v prints %s:\n%s\n%s", command, secret, out, errs)
						}
					}
				}
			}
			if len(server.Calls()) == 0 || server.Calls()[0].Header.Get("Authorization") != "Bearer "+key {
				t.Errorf("%d requests", len(server.Calls()))
			}
			err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
				if err != nil || entry.IsDir() || path == user {
					return err
				}
				content, err := os.ReadFile(path)
				for _, secret := range []string{key, header, password} {
					if strings.Contains(strings.ToLower(string(content)), strings.ToLower(secret)) {
						t.Errorf("%s holds %s", path, secret)
					}
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}
