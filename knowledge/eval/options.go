package eval

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"lacuna/prompts"
)

// parseOptions reads the answers to choose from: an object of texts by letter, or a list of texts,
// which get the letters from A on.
func parseOptions(value json.RawMessage) ([]prompts.Option, error) {
	if value = bytes.TrimSpace(value); len(value) == 0 || string(value) == "null" {
		return nil, nil
	}
	var options []prompts.Option
	var list []string
	var byLetter map[string]string
	switch {
	case json.Unmarshal(value, &list) == nil:
		for i, text := range list {
			options = append(options, prompts.Option{Letter: string(rune('A' + i)), Text: strings.TrimSpace(text)})
		}
	case json.Unmarshal(value, &byLetter) == nil:
		for _, letter := range slices.Sorted(maps.Keys(byLetter)) {
			options = append(options, prompts.Option{Letter: strings.TrimSpace(letter), Text: strings.TrimSpace(byLetter[letter])})
		}
	default:
		return nil, errors.New("options: expected a list of texts, or texts by letter")
	}
	for _, o := range options {
		if len(o.Letter) != 1 || o.Letter[0] < 'A' || o.Letter[0] > 'Z' || o.Text == "" {
			return nil, errors.New("options: expected texts under single letters from A to Z")
		}
	}
	return options, nil
}
