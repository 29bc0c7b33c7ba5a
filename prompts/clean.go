package prompts

import (
	"reflect"

	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/sanitise"
)

// cleaned copies an input with every string in it made harmless. Only the question that a person
// wrote keeps its lines: everything else stands on one line, so that no passage can begin a line of
// its own that looks like ours.
func cleaned(in Input) reflect.Value {
	from := reflect.Indirect(reflect.ValueOf(in))
	to := reflect.New(from.Type()).Elem()
	for i := range from.NumField() {
		field := from.Field(i)
		if from.Type().Field(i).Name == "Question" {
			to.Field(i).SetString(sanitise.Prompt(field.String()))
			continue
		}
		to.Field(i).Set(cleanedValue(field))
	}
	return to
}

func cleanedValue(from reflect.Value) reflect.Value {
	to := reflect.New(from.Type()).Elem()
	switch from.Kind() {
	case reflect.String:
		to.SetString(plaintext.OneLine(sanitise.PromptData(from.String())))
	case reflect.Slice:
		if from.Len() > 0 {
			to.Set(reflect.MakeSlice(from.Type(), from.Len(), from.Len()))
		}
		for i := range from.Len() {
			to.Index(i).Set(cleanedValue(from.Index(i)))
		}
	case reflect.Struct:
		for i := range from.NumField() {
			to.Field(i).Set(cleanedValue(from.Field(i)))
		}
	default:
		to.Set(from)
	}
	return to
}
