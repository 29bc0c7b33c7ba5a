package prompts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// schema is a JSON schema, or a part of one.
type schema string

// property is a property of an object and its schema.
type property struct {
	name string
	of   schema
}

const (
	aText     schema = `{"type":"string"}`
	anInteger schema = `{"type":"integer"}`
	aBoolean  schema = `{"type":"boolean"}`
)

// schemas are what an endpoint may hold a model to, by template; those that are missing ask for text.
// They are as the strictest endpoints want them: an object at the top, every property required and
// no others. What the parsers accept is much wider, because most endpoints hold a model to nothing.
// Models write in the order of the properties, so reasons stand before what they are reasons for.
var schemas = map[string]schema{
	"judge_gaps": objectOf(property{"thought", aText}, property{"judge", aBoolean},
		property{"missing_knowledge", arrayOf(aText)}, property{"query", arrayOf(aText)}),
	"explore_gaps": objectOf(property{"reasoning", aText}, property{"knowledge", arrayOf(aText)}),
	"select_docs": objectOf(property{"requirements", arrayOf(aText)},
		property{"mapping", arrayOf(objectOf(property{"point", aText}, property{"ids", arrayOf(anInteger)}))},
		property{"selected", arrayOf(anInteger)}),
	"migres_extract": objectOf(property{"useful_information",
		arrayOf(objectOf(property{"info", aText}, property{"support_passages", arrayOf(anInteger)}))}),
	"migres_solve": objectOf(property{"explanation", aText},
		property{"answer", objectOf(property{"text", aText}, property{"confidence", anInteger})},
		property{"missing_information", aText}),
	"migres_query": queriesSchema,
	"followup_ask": queriesSchema,
	"decompose":    queriesSchema,
	"query_check": objectOf(property{"class", `{"type":"string","enum":["clear","incomplete","ambiguous"]}`},
		property{"queries", arrayOf(aText)}),
	"rewrite":          objectOf(property{"question", aText}),
	"confidence":       objectOf(property{"confidence", anInteger}),
	"verify_facts":     verdictsSchema,
	"eval_attribution": verdictsSchema,
	"eval_contexts":    objectOf(property{"contexts", arrayOf(objectOf(property{"context", aText}))}),
}

var (
	queriesSchema  = objectOf(property{"analysis", aText}, property{"queries", arrayOf(aText)})
	verdictsSchema = objectOf(property{"verdicts", arrayOf(objectOf(property{"number", anInteger},
		property{"reason", aText}, property{"attributed", aBoolean}))})
)

// schemaOf returns the schema of the reply to an input; nil where the reply is text.
func schemaOf(in Input) json.RawMessage {
	if in.template() == "answer_choice" {
		return json.RawMessage(choiceSchema(in))
	}
	s, structured := schemas[in.template()]
	if !structured {
		return nil
	}
	return json.RawMessage(s)
}

// thinksFirst reports whether the reply to an input begins with the model's thinking. A schema would
// forbid it.
func thinksFirst(in Input) bool {
	judge, is := in.(JudgeGaps)
	if pointed, ok := in.(*JudgeGaps); ok {
		judge, is = *pointed, true
	}
	return is && judge.Stepwise
}

// namedFields names the fields of the object that a schema describes, with what they hold, for a model.
func namedFields(object json.RawMessage) string {
	var s struct{ Properties ordered }
	if json.Unmarshal(object, &s) != nil {
		return ""
	}
	var fields []string
	for _, p := range s.Properties {
		fields = append(fields, quoted(p.name)+" ("+p.of.kind()+")")
	}
	return strings.Join(fields, ", ")
}

// kind says what a schema allows, for a model.
func (s schema) kind() string {
	var of struct{ Type string }
	if json.Unmarshal([]byte(s), &of) != nil {
		return "text"
	}
	switch of.Type {
	case "boolean":
		return "true or false"
	case "integer":
		return "a whole number"
	case "array":
		return "a list"
	case "object":
		return "an object"
	}
	return "text"
}

// ordered are properties in the order in which they stand.
type ordered []property

// UnmarshalJSON implements [json.Unmarshaler].
func (o *ordered) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil { // the brace
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var of json.RawMessage
		if err := d.Decode(&of); err != nil {
			return err
		}
		*o = append(*o, property{fmt.Sprint(name), schema(of)})
	}
	return nil
}

// choiceSchema allows the letters of the options and nothing else.
func choiceSchema(in Input) schema {
	letter := aText
	if choice, ok := in.(AnswerChoice); ok && len(choice.Options) > 0 {
		letters := make([]string, len(choice.Options))
		for i, o := range choice.Options {
			letters[i] = quoted(o.Letter)
		}
		letter = schema(`{"type":"string","enum":[` + strings.Join(letters, ",") + `]}`)
	}
	return objectOf(property{"reasoning", aText}, property{"answer_choice", letter})
}

func arrayOf(items schema) schema { return `{"type":"array","items":` + items + `}` }

func objectOf(properties ...property) schema {
	var types, names []string
	for _, p := range properties {
		types = append(types, quoted(p.name)+":"+string(p.of))
		names = append(names, quoted(p.name))
	}
	return schema(`{"type":"object","properties":{` + strings.Join(types, ",") + `},"required":[` +
		strings.Join(names, ",") + `],"additionalProperties":false}`)
}

func quoted(s string) string {
	b, _ := json.Marshal(s) // a string has a JSON form
	return string(b)
}
