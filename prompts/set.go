package prompts

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"text/template"

	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/sanitise"
	"lacuna/vecmath/regular"
)

//go:embed *.tmpl
var templateFiles embed.FS

const (
	extension        = ".tmpl"
	sharedFile       = "shared" // definitions that the templates use
	maxTemplateBytes = 64 << 10 // bytes of a template of a user's own
)

// retired holds the names of earlier versions' templates. A user's folder may still have them.
var retired = map[string]bool{"eval_contexts": true, "eval_attribution": true}

// Load returns the default templates, replaced by the files in a folder that are named after a template
// with the extension .tmpl. An unknown name, a file that does not parse, or a field that the input does
// not have is an error that names the file; the set is then nil. Files with other extensions are
// ignored.
//
// Templates are obeyed like programs: load only the user's own.
func Load(folder string) (*Set, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("your own prompts: %w", err)
	}
	own := map[string]string{}
	for _, entry := range entries {
		name, isTemplate := strings.CutSuffix(entry.Name(), extension)
		if !isTemplate || entry.IsDir() {
			continue
		}
		path := filepath.Join(folder, entry.Name())
		if retired[name] {
			continue
		}
		if _, known := inputs[name]; !known {
			return nil, fmt.Errorf("%s: no prompt named %q; known: %s", path, name, strings.Join(templateNames(), ", "))
		}
		text, err := readTemplate(path)
		if err != nil {
			return nil, err
		}
		own[name] = normaliseText.Replace(text)
	}
	set, err := newSet(own)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", folder, err)
	}
	return set, nil
}

func readTemplate(path string) (string, error) {
	switch info, err := os.Stat(path); {
	case err != nil:
		return "", err
	case info.Size() > maxTemplateBytes:
		return "", fmt.Errorf("%s: larger than %d bytes", path, maxTemplateBytes)
	}
	text, err := regular.ReadFile(path)
	return string(text), err
}

// normaliseText makes the text of a file the same whatever system wrote it.
var normaliseText = strings.NewReplacer("\r\n", "\n", "\uFEFF", "")

// builtInText returns the text of a file of the program.
func builtInText(name string) (string, error) {
	text, err := templateFiles.ReadFile(name + extension)
	return normaliseText.Replace(string(text)), err
}

// newSet parses the templates, with the texts of own replacing the program's.
func newSet(own map[string]string) (*Set, error) {
	common, err := builtInText(sharedFile)
	if err != nil {
		return nil, err
	}
	base, err := template.New(sharedFile).Option("missingkey=error").Funcs(functions).Parse(common)
	if err != nil {
		return nil, err
	}
	set := &Set{prompts: map[string]prompt{}}
	for _, name := range templateNames() {
		text, replaced := own[name]
		if !replaced {
			if text, err = builtInText(name); err != nil {
				return nil, err
			}
		}
		p, err := parseTemplate(base, name+extension, text)
		if err == nil {
			err = p.try(inputs[name])
		}
		if err != nil {
			return nil, fmt.Errorf("%s%s: %w", name, extension, err)
		}
		p.version = versionOf(text, common)
		set.prompts[name] = p
	}
	return set, nil
}

// versionOf returns a short hash of texts.
func versionOf(texts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return hex.EncodeToString(sum[:6])
}

// marker begins a part of a template. The text before the first marker is for readers of the file.
var marker = regexp.MustCompile(`(?m)^---[ \t]+(.*?)[ \t]*$`)

// parseTemplate splits a template at its marker lines.
func parseTemplate(base *template.Template, name, text string) (prompt, error) {
	var p prompt
	marks := marker.FindAllStringSubmatchIndex(text, -1)
	for i, mark := range marks {
		end := len(text)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		kind, style, _ := strings.Cut(text[mark[2]:mark[3]], " ")
		// Errors count lines from the top of the file.
		body := strings.Repeat("\n", strings.Count(text[:mark[1]], "\n")) + text[mark[1]:end]
		own, err := base.Clone()
		if err != nil {
			return prompt{}, err
		}
		if own, err = own.New(name).Parse(body); err != nil {
			return prompt{}, err
		}
		switch {
		case style != "" && (kind != "style" || !slices.Contains(allStyles, Style(style))), style == "" && kind == "style":
			return prompt{}, fmt.Errorf("unknown part %q; styles are --- style short, --- style paragraph, --- style note", "--- "+text[mark[2]:mark[3]])
		case kind == "style":
			if p.styles == nil {
				p.styles = make(map[Style]string)
			}
			if p.styles[Style(style)], err = execute(own, nil); err != nil {
				return prompt{}, fmt.Errorf("the part of a style has no fields, because it is the same for all questions: %w", err)
			}
		case kind == "system":
			if p.system != "" {
				return prompt{}, errors.New("more than one part \"--- system\"")
			}
			if p.system, err = execute(own, nil); err != nil {
				return prompt{}, fmt.Errorf("the system part has no fields, because it is the same for all questions: %w", err)
			}
		case kind == "data", kind == "user":
			p.parts = append(p.parts, part{data: kind == "data", body: own})
		default:
			return prompt{}, fmt.Errorf("unknown part %q; known: --- system, --- style, --- data, --- user", "--- "+kind)
		}
	}
	if p.system == "" || len(p.parts) == 0 {
		return prompt{}, errors.New("needs a part \"--- system\" and a part \"--- user\" or \"--- data\"")
	}
	if slices.ContainsFunc(p.parts, func(p part) bool { return p.data }) {
		p.system += "\n\n" + dataRule
	}
	return p, nil
}

// try renders a prompt with every field set and with none, to find fields that do not exist.
func (p prompt) try(in reflect.Type) error {
	for _, style := range allStyles {
		if _, err := p.render(fillValue(in, style)); err != nil {
			return err
		}
	}
	_, err := p.render(reflect.Zero(in))
	return err
}

var allStyles = []Style{Short, Paragraph, Note}

// fillValue returns a value of a type with every field set.
func fillValue(of reflect.Type, style Style) reflect.Value {
	v := reflect.New(of).Elem()
	switch of.Kind() {
	case reflect.String:
		v.SetString("x")
		if of == reflect.TypeFor[Style]() {
			v.SetString(string(style))
		}
	case reflect.Int:
		v.SetInt(1)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Slice:
		v.Set(reflect.Append(v, fillValue(of.Elem(), style)))
	case reflect.Struct:
		for i := range of.NumField() {
			v.Field(i).Set(fillValue(of.Field(i).Type, style))
		}
	}
	return v
}

// Set is a set of templates. It is immutable and safe for concurrent use.
type Set struct {
	prompts map[string]prompt
}

// prompt is one parsed template.
type prompt struct {
	version string           // a hash of its text and of the shared texts
	system  string           // the same for all inputs
	styles  map[Style]string // what follows it for answers in a style
	parts   []part
}

// part is a part of the user's message.
type part struct {
	data bool // its text is delimited
	body *template.Template
}

var builtIn = sync.OnceValue(func() *Set {
	set, err := newSet(nil)
	if err != nil {
		panic(err) // the files are part of the program and tested
	}
	return set
})

// Default returns the program's templates.
func Default() *Set { return builtIn() }

// blankLines remain where optional sections are left out.
var blankLines = regexp.MustCompile(`\n{3,}`)

func execute(body *template.Template, data any) (string, error) {
	var b strings.Builder
	if err := body.Execute(&b, data); err != nil {
		return "", err
	}
	return blankLines.ReplaceAllString(strings.TrimSpace(b.String()), "\n\n"), nil
}

// Names returns the templates in alphabetical order.
func (s *Set) Names() []string { return slices.Sorted(maps.Keys(s.prompts)) }

// System returns the system part of a template, which is the same for all inputs and begins their system
// message; "" if there is no such template.
func (s *Set) System(name string) string { return s.prompts[name].system }

// Version returns a hash of the text of a template and of what it shares with others; "" if there is no such
// template.
func (s *Set) Version(name string) string { return s.prompts[name].version }

// Render returns the prompt of an input. Equal inputs give equal prompts, byte for byte.
func (s *Set) Render(in Input) (Chat, error) {
	if v := reflect.ValueOf(in); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return Chat{}, errors.New("prompts: no input")
	}
	name := in.template()
	messages, err := s.prompts[name].render(sanitiseInput(in))
	if err != nil {
		return Chat{}, fmt.Errorf("prompt %s: %w", name, err)
	}
	thinker, is := in.(interface{ thinks() bool })
	chat := Chat{
		Template: name, Version: s.prompts[name].version, Messages: messages, Schema: schemaOf(in),
		Thinks: is && thinker.thinks(), Origins: originsOf(reflect.Indirect(reflect.ValueOf(in))),
	}
	if sized, is := in.(interface{ room() int }); is {
		chat.Room = sized.room()
	}
	return chat, nil
}

// render returns the two messages of a sanitised input. All parts except the system's form one message,
// because many chat templates refuse two messages of one role in a row. Empty parts are left out.
func (p prompt) render(in reflect.Value) ([]Message, error) {
	question := ""
	if f := in.FieldByName("Question"); f.IsValid() {
		question = f.String()
	}
	var texts, shown []string
	for _, part := range p.parts {
		text, err := execute(part.body, in.Interface())
		if err != nil {
			return nil, err
		}
		if text == "" {
			continue
		}
		if texts = append(texts, text); part.data {
			text = delimit(text, delimiter(question, texts))
		}
		shown = append(shown, text)
	}
	system := p.system
	if style, has := in.Type().FieldByName("Style"); has && p.styles != nil {
		if own := p.styles[cmp.Or(Style(in.FieldByIndex(style.Index).String()), Note)]; own != "" {
			system += "\n\n" + own
		}
	}
	messages := []Message{{Role: "system", Text: system}}
	if len(shown) > 0 {
		messages = append(messages, Message{Role: "user", Text: strings.Join(shown, "\n\n")})
	}
	return messages, nil
}

// maxShownReply limits how much of an unreadable reply its model is shown again, in tokens.
const maxShownReply = 1000

// OnlyJSON continues a chat whose reply was unreadable by asking for the JSON object alone. It names
// the fields again: a small model has lost sight of them, and some chat templates silently drop the
// system part.
func OnlyJSON(c Chat, reply string) Chat {
	request := "That could not be read. Reply now with the one JSON object in the form described above, and with nothing before or after it."
	if fields := namedFields(c.Schema); fields != "" {
		request += " Its fields are " + fields + "."
	}
	c.Thinks = false
	c.Messages = slices.Clone(c.Messages)
	said := lastTokens(sanitise.Prompt(reply), maxShownReply)
	switch last := len(c.Messages) - 1; {
	case said != "":
		c.Messages = append(c.Messages, Message{Role: "assistant", Text: said}, Message{Role: "user", Text: request})
	case last >= 0 && c.Messages[last].Role == "user":
		c.Messages[last].Text += "\n\n" + strings.Replace(request, "That could not be read. Reply now", "Reply", 1)
	default:
		c.Messages = append(c.Messages, Message{Role: "user", Text: request})
	}
	return c
}

// sanitiseInput copies an input with every string sanitised. Only the user's question keeps its lines:
// everything else is put on one line, so that no passage can begin a line that looks like ours.
func sanitiseInput(in Input) reflect.Value {
	from := reflect.Indirect(reflect.ValueOf(in))
	to := reflect.New(from.Type()).Elem()
	for i := range from.NumField() {
		field := from.Field(i)
		if from.Type().Field(i).Name == "Question" {
			to.Field(i).SetString(sanitise.Prompt(field.String()))
			continue
		}
		to.Field(i).Set(sanitiseValue(field))
	}
	return to
}

// originsOf returns the origins of all contexts of an input.
func originsOf(in reflect.Value) []string {
	var all []string
	for i := range in.NumField() {
		switch v := in.Field(i).Interface().(type) {
		case Context:
			all = append(all, v.Origin)
		case []Context:
			for _, c := range v {
				all = append(all, c.Origin)
			}
		}
	}
	return slices.DeleteFunc(all, func(text string) bool { return text == "" })
}

func sanitiseValue(from reflect.Value) reflect.Value {
	to := reflect.New(from.Type()).Elem()
	switch from.Kind() {
	case reflect.String:
		to.SetString(plaintext.OneLine(sanitise.PromptData(from.String())))
	case reflect.Slice:
		if from.Len() > 0 {
			to.Set(reflect.MakeSlice(from.Type(), from.Len(), from.Len()))
		}
		for i := range from.Len() {
			to.Index(i).Set(sanitiseValue(from.Index(i)))
		}
	case reflect.Struct:
		for i := range from.NumField() {
			if from.Type().Field(i).Name == "Origin" {
				continue // it is not shown
			}
			to.Field(i).Set(sanitiseValue(from.Field(i)))
		}
	default:
		to.Set(from)
	}
	return to
}

// functions holds the functions that templates may call in addition to Go's.
var functions = template.FuncMap{
	"next":     func(i int) int { return i + 1 },
	"join":     strings.Join,
	"language": languageOf,
}

// inputs maps the names of templates to the types of their inputs.
var inputs = func() map[string]reflect.Type {
	types := map[string]reflect.Type{}
	for _, in := range []Input{
		AnswerDirect{}, AnswerCoT{}, AnswerManualCoT{}, AnswerContext{}, AnswerChoice{}, JudgeGaps{}, ExploreGaps{}, SummariseDoc{},
		GenerateDoc{}, SelectDocs{}, MigresExtract{}, MigresSolve{}, MigresQuery{}, VerifyFacts{}, EvalContexts{}, FollowupAsk{},
		QueryCheck{}, Rewrite{}, Confidence{}, Decompose{}, Combine{},
	} {
		types[in.template()] = reflect.TypeOf(in)
	}
	return types
}()

func templateNames() []string { return slices.Sorted(maps.Keys(inputs)) }
