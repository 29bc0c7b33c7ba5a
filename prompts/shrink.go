package prompts

import "reflect"

// leastItemTokens is what every context keeps before any is left out.
const leastItemTokens = 120

// Shrink returns an input whose contexts take about excess tokens less. It cuts all of them alike down to a
// size that still says something, and then leaves the last ones out. It reports false if there are none to
// cut.
func Shrink(in Input, excess int) (Input, bool) {
	from := reflect.Indirect(reflect.ValueOf(in))
	to := reflect.New(from.Type()).Elem()
	to.Set(from)
	var lists [][]Context // as they were
	var fields []reflect.Value
	total := 0
	for i := range to.NumField() {
		if contexts, is := to.Field(i).Interface().([]Context); is && len(contexts) > 0 {
			lists, fields = append(lists, contexts), append(fields, to.Field(i))
			for _, c := range contexts {
				total += sizeOf(c)
			}
		}
	}
	if total == 0 || excess <= 0 {
		return in, false
	}
	wanted := max(0, total-excess)
	cut := make([][]Context, len(lists))
	for item := ItemTokens; item >= leastItemTokens; item -= 20 {
		left := wanted
		fits := true
		for i, contexts := range lists {
			cut[i] = fit(contexts, item, left)
			fits = fits && len(cut[i]) == len(contexts)
			for _, c := range cut[i] {
				left -= sizeOf(c)
			}
		}
		if fits {
			break
		}
	}
	for i, field := range fields {
		field.Set(reflect.ValueOf(cut[i]))
	}
	shrunk, is := to.Interface().(Input)
	return shrunk, is
}

// sizeOf returns how many tokens a context takes in a prompt.
func sizeOf(c Context) int {
	return Tokens(c.Title) + Tokens(c.Question) + Tokens(c.Above) + Tokens(c.Note) + Tokens(c.Text)
}
