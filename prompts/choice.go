package prompts

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Choice is the reply to [AnswerChoice]. Letter is empty when none or several were named: that is
// no answer, never the first option.
type Choice struct {
	Letter    string
	Reasoning string
}

var (
	choiceField    = field{"answer_choice", "answer", "choice", "option", "final_answer", "correct_answer", "correct_option", "答案", "选项", "选择", "正确答案", "最终答案"}
	reasoningField = field{"reasoning", "step_by_step_thinking", "explanation", "thought", "analysis", "推理", "理由", "分析", "解释", "思考"}
)

// announced is where a text in prose says what it chooses.
var announced = regexp.MustCompile(`(?i)(?:\b(?:final|correct|best|right)\s+(?:answer|option|choice)|\bthe\s+answer|\banswer[_ ]choice|\banswer|正确答案|最终答案|答案|正确选项)\**\s*(?:is|are|为|是|选)?\s*\**\s*[:：]?\s*`)

// ParseChoice reads a choice; a reply that names no single option is an error.
func ParseChoice(reply string, options []Option) (Choice, Path, error) {
	// The JSON decides where there is some, also when what it chooses is not one option.
	c, path, err := decode(reply, nil, func(value any) (Choice, bool) {
		o, ok := objectIn(value, choiceField)
		if !ok {
			return Choice{}, false
		}
		value, _ = o.get(choiceField)
		return Choice{Letter: letterOf(choiceText(value), options), Reasoning: prose(o, reasoningField)}, true
	})
	if err == errNoSense {
		text, _ := spoken(reply)
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

// choiceText reads the value of a choice. Several values are as many choices.
func choiceText(value any) string {
	if list, ok := value.([]any); ok {
		return strings.Join(listOf(list), " / ")
	}
	return textOf(value)
}

// choiceInProse reads what the last announcement of a text chooses, or else the text itself if it
// is one line.
func choiceInProse(text string, options []Option) (Choice, Path) {
	if !strings.Contains(text, "\n") {
		if letter := letterOf(text, options); letter != "" {
			return Choice{Letter: letter}, Bare
		}
	}
	at := announced.FindAllStringIndex(text, -1)
	if len(at) == 0 {
		return Choice{}, Unparsed
	}
	last := at[len(at)-1]
	line, _, _ := strings.Cut(text[last[1]:], "\n")
	return Choice{Letter: letterOf(line, options), Reasoning: tidy(text[:last[0]], longestText)}, Lines
}

var (
	afterOption = regexp.MustCompile(`(?i)(?:\boptions?|\bchoices?|选项|选)\s*[:：]?\s*[(（\[]?([A-Z])(?:[^A-Za-z]|$)`)
	marked      = regexp.MustCompile(`[(（\[]\s*([A-Za-z])\s*[)）\]]|(?:^|[^A-Za-z0-9])([A-Z])[.．。:：)）]`)
	alone       = regexp.MustCompile(`^[(（\[]?\s*([A-Za-z])\s*[)）\]]?\s*[.．。:：,，;；!]?$`)
	leading     = regexp.MustCompile(`^[(（\[]?\s*([A-Za-z])(?:\s*[)）\]]|\s*[.．:：、,，;；/／|&+-]|\s|$)`)
	another     = regexp.MustCompile(`^\s*(?:[/／|&+,，、;；-]|(?:(?i:and/or|and|or)\b)|和|或|与|及)\s*(?:(?i:or|and)\s+)?[(（\[]?([A-Z])(?:[^A-Za-z]|$)`)
)

// letterOf reads the letter of one option out of a text that chooses: alone, with the text of its
// option, at the beginning, after the word "option", or as the only one in brackets or before a full
// stop; or the text of one option. Where two letters compete, there is none.
func letterOf(text string, options []Option) string {
	text = strings.Trim(oneLine(strings.Map(narrow, text)), "\"'`*“”‘’「」 ")
	known := func(letter string) string {
		letter = strings.ToUpper(letter)
		if len(options) == 0 && "A" <= letter && letter <= "E" ||
			slices.ContainsFunc(options, func(o Option) bool { return strings.EqualFold(o.Letter, letter) }) {
			return letter
		}
		return ""
	}
	if m := alone.FindStringSubmatch(text); m != nil {
		return known(m[1])
	}
	if letter := optionSaying(text, options); letter != "" {
		return letter
	}
	if m := leading.FindStringSubmatchIndex(text); m != nil {
		letter, rest := text[m[2]:m[3]], text[m[3]:]
		said := strings.TrimLeft(rest, " .．:：、,，;；)）]-")
		switch {
		case known(letter) == "":
		case optionSaying(said, options) == known(letter): // also where its text names other letters
			return known(letter)
		case followed(rest, known), slices.ContainsFunc(matches(marked, rest, known), func(l string) bool { return l != known(letter) }):
			return ""
		case !article(letter, rest):
			return known(letter)
		}
	}
	for _, pattern := range []*regexp.Regexp{afterOption, marked} {
		switch letters := matches(pattern, text, known); {
		case len(letters) == 1 && !competing(pattern, text, known):
			return letters[0]
		case len(letters) > 0:
			return ""
		}
	}
	return ""
}

// competing reports whether another letter follows directly on one that a pattern finds.
func competing(pattern *regexp.Regexp, text string, known func(string) string) bool {
	for _, m := range pattern.FindAllStringSubmatchIndex(text, -1) {
		for group := 2; group < len(m); group += 2 {
			if m[group+1] >= 0 && followed(text[m[group+1]:], known) {
				return true
			}
		}
	}
	return false
}

// followed reports whether a text goes on with the letter of another option.
func followed(rest string, known func(string) string) bool {
	m := another.FindStringSubmatch(rest)
	return m != nil && known(m[1]) != ""
}

// matches are the different letters of options that a pattern finds.
func matches(pattern *regexp.Regexp, text string, known func(string) string) []string {
	var letters []string
	for _, m := range pattern.FindAllStringSubmatch(text, -1) {
		for _, group := range m[1:] {
			if letter := known(group); group != "" && letter != "" && !slices.Contains(letters, letter) {
				letters = append(letters, letter)
			}
		}
	}
	return letters
}

// article reports whether a letter at the beginning is the word "a", or the word "I", rather than
// the letter of an option.
func article(letter, rest string) bool {
	if letter != "A" && letter != "a" && letter != "I" {
		return unicode.IsLower([]rune(letter)[0]) && strings.HasPrefix(rest, " ")
	}
	after := []rune(strings.TrimLeft(rest, " "))
	return strings.HasPrefix(rest, " ") && len(after) > 0 && unicode.IsLower(after[0])
}

// optionSaying is the letter of the only option that has this text.
func optionSaying(text string, options []Option) string {
	text = strings.TrimRight(text, " .。!")
	letter := ""
	for _, o := range options {
		if said := strings.TrimRight(oneLine(o.Text), " .。!"); said != "" && strings.EqualFold(said, text) {
			if letter != "" {
				return ""
			}
			letter = strings.ToUpper(o.Letter)
		}
	}
	return letter
}

// narrow makes full-width letters and digits plain.
func narrow(r rune) rune {
	if 'Ａ' <= r && r <= 'Ｚ' || 'ａ' <= r && r <= 'ｚ' || '０' <= r && r <= '９' {
		return r - 'Ａ' + 'A'
	}
	return r
}
