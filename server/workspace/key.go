package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
	"unicode"

	"lacuna/handlers/settings"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/sanitise"
	"lacuna/vecmath/regular"
)

const (
	keyCommandTime = 20 * time.Second
	maxKeyBytes    = 16 << 10
)

// RememberSecrets makes sure that no output holds what the settings have of keys, also where it stands
// in an address, in which it is refused.
func RememberSecrets(set settings.Settings) {
	endpoints := []settings.Endpoint{set.Embedding.Endpoint, set.Rerank.Endpoint, set.Entailment.Endpoint}
	for _, role := range llm.Roles() {
		endpoints = append(endpoints, set.Model.Role(string(role)).Endpoint)
	}
	for _, e := range endpoints {
		sanitise.Secret(string(e.APIKey))
		for name, value := range e.Headers {
			sanitise.SecretHeader(name, string(value))
		}
		for _, address := range []string{e.BaseURL, e.Proxy} {
			for _, secret := range secretsIn(address) {
				sanitise.Secret(secret)
			}
		}
	}
}

// secretsIn returns an address's password, or the user name if there is no password, and the values of its
// query.
func secretsIn(address string) []string {
	_, rest, found := strings.Cut(address, "://")
	if !found {
		return nil
	}
	rest, query, _ := strings.Cut(rest, "?")
	var secrets []string
	if at := strings.LastIndexByte(rest, '@'); at >= 0 { // also where the address is none otherwise
		name, password, both := strings.Cut(rest[:at], ":")
		if !both {
			password = name
		}
		secrets = append(secrets, password)
		if plain, err := url.PathUnescape(password); err == nil {
			secrets = append(secrets, plain)
		}
	}
	query, _, _ = strings.Cut(query, "#")
	for _, field := range strings.Split(query, "&") {
		_, value, _ := strings.Cut(field, "=")
		secrets = append(secrets, value)
		if plain, err := url.QueryUnescape(value); err == nil {
			secrets = append(secrets, plain)
		}
	}
	return secrets
}

// keyOf returns what fetches the key of an endpoint, or nil where none is set. A key in the
// environment comes first, then the variable that is named, the command and the file.
func keyOf(e settings.Endpoint) func(ctx context.Context) (string, error) {
	switch {
	case e.APIKey != "":
		return func(context.Context) (string, error) { return string(e.APIKey), nil }
	case e.APIKeyEnv != "":
		return func(context.Context) (string, error) { return keyFromEnvironment(e.APIKeyEnv) }
	case e.APIKeyCommand != "":
		return func(ctx context.Context) (string, error) { return keyFromCommand(ctx, string(e.APIKeyCommand)) }
	case e.APIKeyFile != "":
		return func(context.Context) (string, error) { return keyFromFile(e.APIKeyFile) }
	}
	return nil
}

func keyFromEnvironment(name string) (string, error) {
	key := strings.TrimSpace(os.Getenv(name))
	if key == "" {
		return "", fmt.Errorf("the environment variable %s is not set", name)
	}
	return key, nil
}

// keyFromFile reads a key from a file that no other user can read.
func keyFromFile(path string) (string, error) {
	file, err := regular.Open(path)
	if err != nil {
		return "", fmt.Errorf("the key's file: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return "", fmt.Errorf("the key's file: %w", err)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return "", fmt.Errorf("the key's file %s can be read by others (mode %04o); chmod 600 it", path, info.Mode().Perm())
	}
	text, err := io.ReadAll(io.LimitReader(file, maxKeyBytes))
	if err != nil {
		return "", fmt.Errorf("the key's file: %w", err)
	}
	return firstLine(text, "the key's file "+path)
}

// keyFromCommand runs a command without a shell. What it prints is no part of an error, because it
// may be the key.
func keyFromCommand(ctx context.Context, line string) (string, error) {
	words, err := split(line)
	if err != nil {
		return "", fmt.Errorf("the key's command: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, keyCommandTime)
	defer cancel()
	command := exec.CommandContext(ctx, words[0], words[1:]...)
	command.WaitDelay = time.Second // for what it started and left behind with its output open
	text, err := command.Output()
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("the key's command %s: %w", words[0], ctx.Err())
	case err != nil:
		return "", fmt.Errorf("the key's command %s: %w", words[0], err)
	}
	return firstLine(text, "the key's command "+words[0])
}

func firstLine(text []byte, from string) (string, error) {
	line, _, _ := bytes.Cut(bytes.TrimSpace(text), []byte("\n"))
	key := string(bytes.TrimSpace(line))
	if key == "" || strings.ContainsFunc(key, unicode.IsControl) {
		return "", fmt.Errorf("%s gave no key", from)
	}
	return key, nil
}

// split cuts a command into words at spaces. Single and double quotes hold a word together; nothing
// else has a meaning.
func split(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	var quote rune
	inWord := false
	end := func() {
		if inWord {
			words = append(words, word.String())
		}
		word.Reset()
		inWord = false
	}
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote, inWord = r, true
		case quote == 0 && unicode.IsSpace(r):
			end()
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	end()
	switch {
	case quote != 0:
		return nil, fmt.Errorf("the quote %c is not closed", quote)
	case len(words) == 0 || words[0] == "":
		return nil, errors.New("it is empty")
	}
	return words, nil
}
