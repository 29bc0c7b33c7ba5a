package prompts

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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

// choiceAnnouncement matches where prose says what it chooses.
var choiceAnnouncement = regexp.MustCompile(`(?i)(?:\b(?:answer_choice|answer|option|choice)|答案|选项)[*"'”’】\]]*\s*` +
	`(?:\b(?:is|would be|should be|must be)\b(?:\s+(?:therefore|thus|then|clearly|most likely|likely|probably|indeed)\b)?\s*[:：]?|[:：=]|[为是选]\s*[:：]?|】)` +
	`\s*[*"“]*\s*` +
	`|\b(?:I(?:['’]d| would| will)?(?: go with| choose| select| pick| opt for)|that leaves(?: us with)?)\s+|(?:故|应|应该)选择?\s*`)

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
// one short line; else its end, if that is just a choice, names an option by letter and text, or concludes
// with the text of one; else its beginning, if that is an option.
func choiceInProse(text string, options []Option) (Choice, Path) {
	text = strings.TrimSpace(text)
	last := strings.LastIndexByte(text, '\n') + 1
	if said, reasoning, found := announced(text); found {
		letter := letterOf(said, options)
		if letter == "" {
			letter = newOptionReader(said, options).beginning()
		}
		if letter != "" || !strings.ContainsAny(strings.TrimRight(said, ".!?。！？ "), ".!?。！？") {
			return Choice{Letter: letter, Reasoning: tidy(reasoning, maxText)}, Lines
		}
	} else if last == 0 && len(text) <= maxChoiceLine {
		if letter := letterOf(text, options); letter != "" {
			return Choice{Letter: letter}, Bare
		}
	}
	at := sentenceStart(text, max(0, len(text)-1))
	end := text[at:]
	letter := ""
	if !enumerates(text, options) { // the line may name other options before its end, but not another letter
		letter = onlyLetter(text[last:], options)
		if letter != "" && letter != onlyLetter(text[max(last, at):], options) && !letterBefore.MatchString(text[:at]) {
			letter = ""
		}
	}
	if letter == "" {
		if letterBefore.MatchString(text[:at]) { // its full stop ends no sentence
			at = sentenceStart(text, max(0, at-2))
		}
		letter = namedLetter(text[at:], options)
	}
	if letter == "" {
		letter = newOptionReader(end, options).conclusion()
	}
	if letter == "" {
		letter = newOptionReader(text, options).opening()
	}
	return Choice{Letter: letter, Reasoning: tidy(text[:last], maxText)}, Lines
}

// condition matches the beginning of a sentence whose end holds only if its beginning does.
var condition = regexp.MustCompile(`(?i)\b(?:if|unless|assuming|provided that|whether)\b|如果|假如|若`)

// announced returns the rest of the line after the last announcement of a choice that depends on nothing,
// and the text before its sentence.
func announced(text string) (said, before string, found bool) {
	at := choiceAnnouncement.FindAllStringIndex(text, -1)
	for i := len(at) - 1; i >= 0; i-- {
		start := sentenceStart(text, at[i][0])
		if condition.MatchString(text[start:at[i][0]]) {
			continue
		}
		line, _, _ := strings.Cut(text[at[i][1]:], "\n")
		return line, text[:start], true
	}
	return "", "", false
}

// enumerates reports whether the last two lines of a text are two options: it lists them and chooses none.
func enumerates(text string, options []Option) bool {
	letter := ""
	lines := strings.Split(text, "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		if strings.TrimSpace(lines[i]) == "" {
			continue
		}
		found, decided := newOptionReader(lines[i], options).whole()
		if !decided || found == "" {
			return false
		}
		if letter != "" {
			return found != letter
		}
		letter = found
	}
	return false
}

var (
	letterAlone       = regexp.MustCompile(`^[(（\[]?\s*([A-Za-z])\s*[)）\]]?\s*[.．。:：,，;；!]?$`)
	letterFirst       = regexp.MustCompile(`^[(（\[]?\s*([A-Za-z])(?:\s*[)）\](（]|\s*[.．:：、,，;；。/／|&+"”-]|\s|$)`)
	letterAfterOption = regexp.MustCompile(`(?:(?i:\boptions?|\bchoices?)|选项|选)\s*[:：]?\s*[(（\[]?([A-Z])(?:[^A-Za-z]|$)`)
	letterMarked      = regexp.MustCompile(`[(（\[]\s*([A-Za-z])\s*[)）\]]|(?:^|[^A-Za-z0-9])([A-Z])[.．。:：)）]`)
	letterWithText    = regexp.MustCompile(`(?:\b(?:is|be)\b|[:：是为])\s*(?:(?i:most|likely|option|choice)\s+)*[(（]?([A-Z])[.:：)）．、]\s*`)
	letterStanding    = regexp.MustCompile(`(?:^|[^A-Za-z0-9])([B-Z])(?:$|[^A-Za-z0-9])`) // without the article
	negation          = regexp.MustCompile(`(?i)^(?:not|neither|none)\b|^(?:不是|并非)`)
	letterBefore      = regexp.MustCompile(`(?:^|[^A-Za-z0-9])[A-Z]\.\s*$`)
	// rejection ends with what is said against the option that follows.
	rejection   = regexp.MustCompile(`(?i)(?:\b(?:rul(?:es?|ed|ing) out|eliminat\w*|exclud\w*|reject\w*|not|unlike|than|against|except|contrary to|modification of|incorrect|wrong)\b|n['’]t\b|排除|不选|不是|并非|除了)[^.,;:。，；：!?]*$`)
	otherLetter = regexp.MustCompile(`^\s*(?:[/／|&+,，、;；-]|(?:(?i:and/or|and|or)\b)|和|或|与|及)\s*(?:(?i:or|and)\s+)?[(（\[]?([A-Z])(?:[^A-Za-z]|$)`)
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
	return optionReader{strings.Trim(plaintext.OneLine(strings.Map(plainRune, text)), "\"'“”‘’「」$ "), options}
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
	if said, _ := c.prefix(c.text); said != "" && said != letter && len(c.textOf(said)) > 1 {
		return "", false // the text of another option, such as "B cell"
	}
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
	for _, m := range pattern.FindAllStringSubmatchIndex(text, -1) {
		for group := 2; group < len(m); group += 2 {
			if m[group] < 0 {
				continue
			}
			letter := c.known(text[m[group]:m[group+1]])
			if letter != "" && !slices.Contains(found, letter) && !(pattern != letterStanding && rejection.MatchString(text[:m[group]])) {
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

// filler matches what may stand between "is" and the text of an option.
var filler = regexp.MustCompile(`^(?i:(?:the|a|an|to|that|likely|most likely|probably|best|therefore|definitely)\s+)*`)

// prefix returns the letter of the option with whose text a text begins, the longest if several fit, and
// what follows it.
func (c optionReader) prefix(text string) (letter, rest string) {
	text = text[len(filler.FindString(text)):]
	longest := 0
	for _, o := range c.options {
		said := c.textOf(o.Letter)
		after, ok := cutPrefixFold(text, said)
		if !ok || len(said) <= longest {
			continue
		}
		if isASCIIWord(said) {
			if after = strings.TrimPrefix(after, "s"); wordGoesOn.MatchString(after) {
				continue
			}
		}
		letter, rest, longest = strings.ToUpper(o.Letter), after, len(said)
	}
	return letter, rest
}

// wordGoesOn matches the rest of a word that has only begun.
var wordGoesOn = regexp.MustCompile(`^-?[\p{L}\p{N}]`)

// isASCIIWord reports whether a text ends in a letter or digit of a script that puts spaces between words.
func isASCIIWord(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(text)
	return last < utf8.RuneSelf && (unicode.IsLetter(last) || unicode.IsDigit(last))
}

// joint matches what joins another option to one.
var joint = regexp.MustCompile(`^(?i:\s*(?:,|/|、|，|\band\b|\bor\b|和|或|与|及)\s*(?:\b(?:and|or)\b\s*)?)`)

// beginning returns the option with whose text a text begins, unless another one is joined to it.
func (c optionReader) beginning() string {
	letter, rest := c.prefix(c.text)
	if letter == "" {
		return ""
	}
	if at := joint.FindString(rest); at != "" {
		if other, _ := c.prefix(rest[len(at):]); other != "" && other != letter {
			return ""
		}
	}
	return letter
}

var (
	// concluding matches a sentence that draws a conclusion.
	concluding = regexp.MustCompile(`(?i)^(?:therefore|thus|hence|so|in conclusion|in summary|overall|consequently|accordingly|based on (?:this|the|these)|given (?:this|the|these))\b|\b(?:most (?:likely|appropriate|probable)|best|correct)\b|因此|所以|综上|最`)
	// unsure matches a sentence that denies something, or names what is least so.
	unsure = regexp.MustCompile(`(?i)\b(?:not|no|nor|neither|never|none|without|least|less|except|incorrect|false|unlikely|both|either|may|might|could)\b|n['’]t\b|不|非|都`)
	// copula matches where a sentence names what something is.
	copula = regexp.MustCompile(`(?i)\b(?:is|are|would be|was|be)\s+|[是为选]\s*`)
	// itIs matches a sentence that is only a conclusion about a letter.
	itIs = regexp.MustCompile(`^(?:(?i:(?:therefore|thus|hence|so),?\s+)?(?i:it is|it['’]s|it must be)|(?i:therefore|thus|hence|so),?)\s+(?i:option\s+)?([A-Z])[.!]?$`)
)

// conclusion reads a sentence that concludes with a letter or with the text of one option.
func (c optionReader) conclusion() string {
	if m := itIs.FindStringSubmatch(c.text); m != nil {
		return c.known(m[1])
	}
	if !concluding.MatchString(c.text) || unsure.MatchString(c.text) {
		return ""
	}
	for _, at := range copula.FindAllStringIndex(c.text, -1) {
		if letter, rest := c.prefix(c.text[at[1]:]); letter != "" && strings.Trim(rest, " .!。！") == "" {
			return letter
		}
	}
	return ""
}

// opening reads a text that begins with an option and then explains it.
func (c optionReader) opening() string {
	letter, rest := c.prefix(c.text)
	if letter == "" || !strings.HasPrefix(rest, ".") && !strings.HasPrefix(rest, "。") && !(isAnswerWord(c.textOf(letter)) && strings.ContainsAny(firstRune(rest), ",:;，：；")) {
		return ""
	}
	if other, _ := c.prefix(strings.TrimLeft(rest, " .。,，")); other != "" {
		return ""
	}
	return letter
}

// isAnswerWord reports whether an option answers a question by itself.
func isAnswerWord(text string) bool {
	switch strings.ToLower(text) {
	case "yes", "no", "maybe", "true", "false", "是", "否":
		return true
	}
	return false
}

func firstRune(text string) string {
	_, n := utf8.DecodeRuneInString(text)
	return text[:n]
}

// reason matches what follows a letter that is explained, and seldom an article.
var reason = regexp.MustCompile(`^(?:here|because|since|due|based|given)\b`)

// article reports whether a letter at the beginning is the word "a" or "I" rather than an option's
// letter.
func article(letter, rest string) bool {
	if letter != "A" && letter != "a" && letter != "I" {
		return unicode.IsLower([]rune(letter)[0]) && strings.HasPrefix(rest, " ")
	}
	after := []rune(strings.TrimLeft(rest, " "))
	return strings.HasPrefix(rest, " ") && len(after) > 0 && unicode.IsLower(after[0]) && !reason.MatchString(string(after))
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
