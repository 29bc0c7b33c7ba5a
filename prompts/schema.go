package prompts

import (
	"encoding/json"
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
