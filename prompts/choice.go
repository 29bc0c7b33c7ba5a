package prompts

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"lacuna/knowledge/plaintext"
)

// AnswerChoice asks for one option.
type AnswerChoice struct {
	Question   string
	Options    []Option
	Contexts   []Context
	SubAnswers []SubAnswer
	// What a judge said of the first contexts, and what was found for it, as in AnswerContext.
	Gaps        []string
	Thought     string
	Reasoning   string
	GapContexts []Context
}

func (AnswerChoice) template() string { return "answer_choice" }

// schema allows the letters of the options and nothing else.
func (c AnswerChoice) schema() schema {
	letter := aText
	if len(c.Options) > 0 {
		letters := make([]string, len(c.Options))
		for i, o := range c.Options {
			letters[i] = quoted(o.Letter)
		}
		letter = schema(`{"type":"string","enum":[` + strings.Join(letters, ",") + `]}`)
	}
	return objectOf(property{"reasoning", aText}, property{"answer_choice", letter})
}

// Choice is the reply to [AnswerChoice]. Letter is empty if none or several were named: that is no
// answer, never the first option.
type Choice struct {
	Letter    string
	Reasoning string
}

var (
	choiceField    = field{"answer_choice", "answer", "choice", "option", "final_answer", "correct_answer", "correct_option", "答案", "选项", "选择", "正确答案", "最终答案"}
	reasoningField = field{"reasoning", "step_by_step_thinking", "explanation", "thought", "analysis", "推理", "理由", "分析", "解释", "思考"}
)

var (
	// choiceAnnouncement matches where prose says what it chooses.
	choiceAnnouncement = regexp.MustCompile(`(?i)(?:\b(?:answer|option|choice)|答案|选项)\**\s*(?:\b(?:is|would be)\b\s*[:：]?|[:：]|[为是选]\s*[:：]?)\s*\**\s*`)
)

// ParseChoice reads a choice; a reply that does not name exactly one option is an error.
func ParseChoice(reply string, options []Option) (Choice, Path, error) {
	// The JSON decides where there is some, also when what it chooses is not one option.
	c, path, err := decode(reply, nil, func(value any) (Choice, bool) {
		o, ok := objectIn(value, choiceField)
		if !ok {
			return Choice{}, false
		}
		value, _ = o.get(choiceField)
		return Choice{Letter: letterOf(choiceText(value), options), Reasoning: textField(o, reasoningField)}, true
	})
	if err == errUnreadable {
		text, _ := replyText(reply)
		text = boxed.ReplaceAllString(text, "$1$2")
		// What stands in braces was to be the object; it has been read as far as it can be.
		if brace := strings.LastIndexAny(text, "{}"); brace >= 0 {
			text = strings.TrimPrefix(text[brace:], "}")
		}
		if c, path = choiceInProse(text, options); c.Letter != "" {
			err = nil
		}
	}
	if err == nil && c.Letter == "" {
		err = errNoChoice
	}
	if err != nil {
		return Choice{Reasoning: c.Reasoning}, Unparsed, err
	}
	return c, path, nil
}

// choiceText reads the value of a choice. Several values are several choices.
func choiceText(value any) string {
	if list, ok := value.([]any); ok {
		return strings.Join(textsIn(list), " / ")
	}
	return textIn(value)
}

// maxChoiceLine is the longest line, in bytes, that is taken for a choice rather than an argument.
const maxChoiceLine = 160

// choiceInProse reads the choice after the last announcement in a text; else the text itself if it is
// one short line; else its end, if that is just a choice or names an option by letter and text.
func choiceInProse(text string, options []Option) (Choice, Path) {
	text = strings.TrimSpace(text)
	last := strings.LastIndexByte(text, '\n') + 1
	if at := choiceAnnouncement.FindAllStringIndex(text, -1); len(at) > 0 {
		end := at[len(at)-1]
		line, _, _ := strings.Cut(text[end[1]:], "\n")
		return Choice{Letter: letterOf(line, options), Reasoning: tidy(text[:sentenceStart(text, end[0])], maxText)}, Lines
	}
	if last == 0 && len(text) <= maxChoiceLine {
		if letter := letterOf(text, options); letter != "" {
			return Choice{Letter: letter}, Bare
		}
	}
	letter := onlyLetter(text[last:], options)
	if letter == "" { // the full stop after a letter begins a sentence of its own
		end := sentenceStart(text, max(0, len(text)-1))
		letter = namedLetter(text[sentenceStart(text, max(0, end-2)):], options)
	}
	return Choice{Letter: letter, Reasoning: tidy(text[:last], maxText)}, Lines
}

var (
	letterAlone       = regexp.MustCompile(`^[(（\[]?\s*([A-Za-z])\s*[)）\]]?\s*[.．。:：,，;；!]?$`)
	letterFirst       = regexp.MustCompile(`^[(（\[]?\s*([A-Za-z])(?:\s*[)）\]]|\s*[.．:：、,，;；/／|&+-]|\s|$)`)
	letterAfterOption = regexp.MustCompile(`(?:(?i:\boptions?|\bchoices?)|选项|选)\s*[:：]?\s*[(（\[]?([A-Z])(?:[^A-Za-z]|$)`)
	letterMarked      = regexp.MustCompile(`[(（\[]\s*([A-Za-z])\s*[)）\]]|(?:^|[^A-Za-z0-9])([A-Z])[.．。:：)）]`)
	letterWithText    = regexp.MustCompile(`(?:\b(?:is|be)\b|[:：是为])\s*(?:(?i:most|likely|option|choice)\s+)*[(（]?([A-Z])[.:：)）．、]\s*`)
	letterStanding    = regexp.MustCompile(`(?:^|[^A-Za-z0-9])([B-Z])(?:$|[^A-Za-z0-9])`) // without the article
	negation          = regexp.MustCompile(`(?i)^(?:not|neither|none)\b|^(?:不是|并非)`)
	otherLetter       = regexp.MustCompile(`^\s*(?:[/／|&+,，、;；-]|(?:(?i:and/or|and|or)\b)|和|或|与|及)\s*(?:(?i:or|and)\s+)?[(（\[]?([A-Z])(?:[^A-Za-z]|$)`)
)

// letterOf returns the letter of one option from a text that chooses: alone, with the text of its
// option, at the beginning, after the word "option", or as the only one in brackets or before a full
// stop; or by the text of one option. It returns "" if two letters compete.
func letterOf(text string, options []Option) string {
	c := newOptionReader(text, options)
	if letter, decided := c.whole(); decided || negation.MatchString(c.text) {
		return letter
	}
	if letter, decided := c.first(); decided {
		return letter
	}
	for _, pattern := range []*regexp.Regexp{letterAfterOption, letterMarked} {
		if letter, decided := c.only(pattern); decided {
			return letter
		}
	}
	return ""
}

// onlyLetter returns a letter from a text that may say other things too: only if it is the whole text,
// or stands after the word "option".
func onlyLetter(text string, options []Option) string {
	c := newOptionReader(text, options)
	letter, decided := c.whole()
	if !decided {
		letter, _ = c.only(letterAfterOption)
	}
	return letter
}

// namedLetter returns the only letter that a text names as the choice together with the text of its
// option.
func namedLetter(text string, options []Option) string {
	c := newOptionReader(text, options)
	letter := ""
	for _, m := range letterWithText.FindAllStringSubmatchIndex(c.text, -1) {
		found := c.known(c.text[m[2]:m[3]])
		rest, said := cutPrefixFold(c.text[m[1]:], c.textOf(found))
		switch {
		case found == "" || !said:
		case c.followed(rest), letter != "" && letter != found:
			return ""
		default:
			letter = found
		}
	}
	return letter
}

// cutPrefixFold is strings.CutPrefix ignoring case.
func cutPrefixFold(s, prefix string) (after string, found bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

// optionReader reads a choice from a text.
type optionReader struct {
	text    string
	options []Option
}

func newOptionReader(text string, options []Option) optionReader {
	text = boxed.ReplaceAllString(text, "$1$2")
	return optionReader{strings.Trim(plaintext.OneLine(strings.Map(plainRune, text)), "\"'“”‘’「」 "), options}
}

// known returns a letter in upper case if an option has it; without options, if it is one of A to E.
func (c optionReader) known(letter string) string {
	letter = strings.ToUpper(letter)
	named := func(o Option) bool { return strings.EqualFold(o.Letter, letter) }
	if slices.ContainsFunc(c.options, named) || len(c.options) == 0 && "A" <= letter && letter <= "E" {
		return letter
	}
	return ""
}

// whole reads a text that is a letter, the text of an option, or both.
func (c optionReader) whole() (letter string, decided bool) {
	if m := letterAlone.FindStringSubmatch(c.text); m != nil {
		return c.known(m[1]), true
	}
	if letter := c.saying(c.text); letter != "" {
		return letter, true
	}
	if m := letterFirst.FindStringSubmatchIndex(c.text); m != nil {
		letter = c.known(c.text[m[2]:m[3]])
		said := strings.TrimLeft(c.text[m[3]:], " .．:：、,，;；)）]-")
		if letter != "" && c.saying(said) == letter { // also where the text names other letters
			return letter, true
		}
	}
	return "", false
}

// first reads a text that begins with a letter.
func (c optionReader) first() (letter string, decided bool) {
	m := letterFirst.FindStringSubmatchIndex(c.text)
	if m == nil {
		return "", false
	}
	begin, rest := c.text[m[2]:m[3]], c.text[m[3]:]
	letter = c.known(begin)
	competes := func(other string) bool { return other != letter }
	switch {
	case letter == "":
		return "", false
	case c.followed(rest), slices.ContainsFunc(c.matches(letterMarked, rest), competes):
		return "", true
	}
	return letter, !article(begin, rest)
}

// only returns the letter if a pattern finds exactly one.
func (c optionReader) only(pattern *regexp.Regexp) (letter string, decided bool) {
	switch found := c.matches(pattern, c.text); {
	case len(found) == 0:
		return "", false
	case len(found) > 1 || c.competing(pattern):
		return "", true
	case slices.ContainsFunc(c.matches(letterStanding, c.text), func(other string) bool { return other != found[0] }):
		return "", true
	default:
		return found[0], true
	}
}

// competing reports whether another letter directly follows one that a pattern finds.
func (c optionReader) competing(pattern *regexp.Regexp) bool {
	for _, m := range pattern.FindAllStringSubmatchIndex(c.text, -1) {
		for group := 2; group < len(m); group += 2 {
			if m[group+1] >= 0 && c.followed(c.text[m[group+1]:]) {
				return true
			}
		}
	}
	return false
}

// followed reports whether a text continues with the letter of another option.
func (c optionReader) followed(rest string) bool {
	m := otherLetter.FindStringSubmatch(rest)
	return m != nil && c.known(m[1]) != ""
}

// matches returns the different letters of options that a pattern finds.
func (c optionReader) matches(pattern *regexp.Regexp, text string) []string {
	var found []string
	for _, m := range pattern.FindAllStringSubmatch(text, -1) {
		for _, group := range m[1:] {
			if letter := c.known(group); group != "" && letter != "" && !slices.Contains(found, letter) {
				found = append(found, letter)
			}
		}
	}
	return found
}

// textOf returns the text of an option.
func (c optionReader) textOf(letter string) string {
	for _, o := range c.options {
		if strings.EqualFold(o.Letter, letter) {
			return strings.TrimRight(plaintext.OneLine(o.Text), " .。")
		}
	}
	return ""
}

// saying returns the letter of the only option with this text.
func (c optionReader) saying(text string) string {
	text = strings.TrimRight(text, " .。!")
	letter := ""
	for _, o := range c.options {
		if said := strings.TrimRight(plaintext.OneLine(o.Text), " .。!"); said != "" && strings.EqualFold(said, text) {
			if letter != "" {
				return ""
			}
			letter = strings.ToUpper(o.Letter)
		}
	}
	return letter
}

// article reports whether a letter at the beginning is the word "a" or "I" rather than an option's
// letter.
func article(letter, rest string) bool {
	if letter != "A" && letter != "a" && letter != "I" {
		return unicode.IsLower([]rune(letter)[0]) && strings.HasPrefix(rest, " ")
	}
	after := []rune(strings.TrimLeft(rest, " "))
	return strings.HasPrefix(rest, " ") && len(after) > 0 && unicode.IsLower(after[0])
}

// plainRune makes full-width letters and digits plain, and drops markup.
func plainRune(r rune) rune {
	if r == '*' || r == '`' {
		return -1
	}
	if 'Ａ' <= r && r <= 'Ｚ' || 'ａ' <= r && r <= 'ｚ' || '０' <= r && r <= '９' {
		return r - 'Ａ' + 'A'
	}
	return r
}
