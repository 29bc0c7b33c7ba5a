package prompts

// Set is the templates in force. It is immutable and safe for concurrent use.
type Set struct{}

// Default returns the templates that come with the program.
func Default() *Set { panic("not built yet") }

// Load returns the default templates with those replaced that a folder holds files for, named as
// the template with the extension .tmpl. An unknown name, a file that does not parse or one that
// uses a field that its input does not have is an error that names the file; the set is then nil.
func Load(folder string) (*Set, error) { panic("not built yet") }

// Names lists the templates in alphabetical order.
func (s *Set) Names() []string { panic("not built yet") }

// Digest identifies the texts of the templates: equal digests render equal prompts.
func (s *Set) Digest() string { panic("not built yet") }

// Render makes the prompt of an input. Equal inputs make equal prompts, byte for byte.
func (s *Set) Render(in Input) (Chat, error) { panic("not built yet") }

// OnlyJSON continues a chat whose reply could not be read with the request for the JSON object and
// nothing else.
func OnlyJSON(c Chat, reply string) Chat { panic("not built yet") }
