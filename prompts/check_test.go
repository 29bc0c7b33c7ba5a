package prompts

import (
	"math"
	"slices"
	"testing"
)

func TestParseCheck(t *testing.T) {
	for reply, want := range map[string]Check{
		`{"class": "clear", "queries": ["not wanted"]}`:                                {Class: Clear},
		`{"class": "Incomplete", "queries": ["How deep is garlic planted?", "other"]}`: {Incomplete, []string{"How deep is garlic planted?"}},
		`{"label": "ambiguous.", "queries": "1. a\n2. b\n3. c\n4. d"}`:                 {Ambiguous, []string{"a", "b", "c"}},
		`{"class": "ambiguous"}`:                      {Class: Ambiguous},
		`{"类别": "有歧义", "查询": ["a", "b"]}`:             {Ambiguous, []string{"a", "b"}},
		`{"类别": "不完整", "查询": ["a"]}`:                  {Incomplete, []string{"a"}},
		"Class: incomplete (no year)\nQueries:\n- a":  {Incomplete, []string{"a"}},
		"{'class': 'unambiguous', 'queries': []}":     {Class: Clear},
		"```json\n{\"class\": \"clear\"}\n```\nDone.": {Class: Clear},
	} {
		c, path, err := ParseCheck(reply)
		if err != nil || c.Class != want.Class || !slices.Equal(c.Queries, want.Queries) {
			t.Errorf("%s: %+v by %s (%v), want %+v", reply, c, path, err, want)
		}
	}
	for _, reply := range []string{"", "clear, I think, but incomplete", `{"class": "hard"}`, `{"class": ""}`, `{"queries": ["a"]}`, zeros} {
		if c, path, err := ParseCheck(reply); err == nil || path != Unparsed {
			t.Errorf("%.40s: %+v by %s, want an error", reply, c, path)
		}
	}
}

func TestParseConfidence(t *testing.T) {
	for reply, want := range map[string]float64{
		`{"confidence": 85}`: .85, `{"confidence": 0}`: 0, `{"confidence": 100}`: 1, `{"confidence": 1}`: .01, `{"confidence": 1.0}`: 1,
		`{"confidence": 0.85}`: .85, `{"confidence": "0.85"}`: .85, `{"confidence": "85%"}`: .85, `{"confidence": "85 ％"}`: .85,
		`{"confidence": "0.5%"}`: .005, `{"confidence": 99.5}`: .995, `{"confidence": "8/10"}`: .8, `{"confidence": "8 out of 10"}`: .8,
		`{"confidence": [70]}`: .7, `{"result": {"Confidence": 70}}`: .7, "Confidence: 70 %": .7, "置信度：70": .7, "70": .7, "70%": .7, "~70": .7,
		"<think>About 20.</think>70": .7, "Dict{\"confidence\": 70}": .7, `{"confidence": 70`: .7,
	} {
		c, path, err := ParseConfidence(reply)
		if err != nil || math.Abs(c-want) > 1e-9 || path == Unparsed {
			t.Errorf("%s: %g by %s (%v), want %g", reply, c, path, err, want)
		}
	}
	for _, reply := range []string{"", "high", `{"confidence": "high"}`, `{"confidence": 170}`, `{"confidence": -5}`, `{"confidence": null}`, zeros, "11/10", "{}"} {
		if c, path, err := ParseConfidence(reply); err == nil || path != Unparsed {
			t.Errorf("%.40s: %g by %s, want an error", reply, c, path)
		}
	}
}
