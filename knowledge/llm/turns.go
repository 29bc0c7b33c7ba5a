package llm

import (
	"regexp"
	"slices"
	"strings"

	"lacuna/knowledge/plaintext"
	"lacuna/prompts"
)

// turns puts the messages of a chat as an endpoint takes them: no role twice in a row, and without the
// roles that it refuses. What the system says then begins the message of the user; what a model said
// before is told to it in words.
func turns(messages []prompts.Message, noSystem, noAssistant bool) []prompts.Message {
	var out []prompts.Message
	add := func(role, text string) {
		if last := len(out) - 1; last >= 0 && out[last].Role == role {
			out[last].Text += "\n\n" + text
			return
		}
		out = append(out, prompts.Message{Role: role, Text: text})
	}
	asks := has(messages, "user")
	for _, m := range messages {
		switch {
		case m.Text == "":
		case m.Role == "system" && (noSystem || !asks):
			add("user", m.Text)
		case m.Role == "assistant" && noAssistant:
			add("user", "Your reply was:\n\n"+m.Text)
		default:
			add(m.Role, m.Text)
		}
	}
	return out
}

// has reports whether a role speaks in a chat.
func has(messages []prompts.Message, role string) bool {
	return slices.ContainsFunc(messages, func(m prompts.Message) bool { return m.Role == role && m.Text != "" })
}

// How servers say that the roles of the messages are not as the chat template of the model wants them:
// by the templates' own sentences, which most servers pass on, and by words of their own. In all of them
// something about roles is denied, or demanded.
var (
	rolesRefused = []*regexp.Regexp{
		regexp.MustCompile(`\b(?:system|developer)\b['"’”` + "`" + `]?\s*(?:role|message|prompt|instruction|content)s?\b.{0,80}` + denied),
		regexp.MustCompile(denied + `.{0,60}\b(?:system|developer)\b['"’”` + "`" + `]?\s*(?:role|message|prompt|instruction)s?\b`),
		regexp.MustCompile(`\broles?\b.{0,60}` + denied),
		regexp.MustCompile(denied + `.{0,60}\broles?\b`),
		regexp.MustCompile(`\bvalid roles?\b|messages?(?:\[\d+\]|\.\d+)\.role`),
		regexp.MustCompile(`\b(?:first|last|second|next) (?:message|turn)\b.{0,60}` + denied),
		regexp.MustCompile(`\b(?:start|begin|end)s? with (?:an? |the )?['"` + "`" + `]?(?:user|assistant|system)\b`),
		regexp.MustCompile(`\bonly\b.{0,40}\b(?:user|assistant)\b`),
		regexp.MustCompile(`\bjinja|raise_exception|chat[ _-]?template|template[ _]?error`),
		regexp.MustCompile(`(?:角色|系统(?:消息|提示|指令)|system|role).{0,30}(?:不支持|不能|不允许|必须|交替|无效|非法|错误)|(?:不支持|无效|非法).{0,20}(?:角色|系统(?:消息|提示|指令)|system|role)`),
	}
	takesTurns = regexp.MustCompile(`\b(?:alternat(?:e[sd]?|ing|ion)|interleav\w*|successive|consecutive|in a row|back[- ]to[- ]back)\b`)
	speakers   = regexp.MustCompile(`\b(?:role|message|turn|user|assistant|conversation)s?\b`)
)

// denied is how a refusal or a demand is worded.
const denied = `(?:\b(?:not|never|no|without|cannot|must|should|has to|needs to|only|expected|invalid|illegal|wrong|unsupported|unknown|unexpected|unrecogni[sz]ed|unavailable)\b|n['’]t\b)`

// aboutRoles reports whether a refusal is about the roles of the messages.
func aboutRoles(said string) bool {
	said = strings.ToLower(plaintext.OneLine(said))
	return takesTurns.MatchString(said) && speakers.MatchString(said) ||
		slices.ContainsFunc(rolesRefused, func(r *regexp.Regexp) bool { return r.MatchString(said) })
}
