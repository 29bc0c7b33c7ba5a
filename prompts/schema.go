package prompts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// schema is a JSON schema, or a part of one.
type schema string

// property is a property of an object with its schema.
type property struct {
	name string
	of   schema
}

const (
	aText     schema = `{"type":"string"}`
	anInteger schema = `{"type":"integer"}`
	aBoolean  schema = `{"type":"boolean"}`
)

// structured is implemented by inputs whose reply is JSON. Schemas meet the strictest endpoints: an
// object at the top, every property required and no others. Parsers accept much more, because most
// endpoints enforce nothing. Models write properties in order, so reasons come before what follows from
// them.
type structured interface{ schema() schema }

// schemaOf returns the schema of the reply to an input; nil where the reply is text.
func schemaOf(in Input) json.RawMessage {
	if in, is := in.(structured); is {
		return json.RawMessage(in.schema())
	}
	return nil
}

// namedFields lists the fields of the object that a schema describes, with their types, for a model.
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

// kind names the type that a schema allows, for a model.
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

// ordered holds properties in their order.
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
