package prompts

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// thoughtTags lists the tags around models' reasoning. A server that knows the model removes them; others
// pass them on.
var thoughtTags = []struct{ opens, closes string }{
	{"<think>", "</think>"},
	{"<thinking>", "</thinking>"},
	{"<thought>", "</thought>"},
	{"<reasoning>", "</reasoning>"},
	{"<seed:think>", "</seed:think>"},
	{"[think]", "[/think]"}, // of Mistral
	{"◁think▷", "◁/think▷"},
	{"<|begin_of_thought|>", "<|end_of_thought|>"},
	{"<|channel|>analysis<|message|>", "<|channel|>final<|message|>"}, // of gpt-oss
}

// turnTokens may stand between the two channels.
var turnTokens = regexp.MustCompile(`(?:<\|end\|>)?(?:<\|start\|>(?:assistant)?)?$`)

var thinkOpens, thinkCloses = func() (opens, closes *regexp.Regexp) {
	var opening, closing []string
	for _, t := range thoughtTags {
		opening, closing = append(opening, regexp.QuoteMeta(t.opens)), append(closing, regexp.QuoteMeta(t.closes))
	}
	return regexp.MustCompile(`(?i)^\s*(?:` + strings.Join(opening, "|") + `)`), regexp.MustCompile(`(?i)` + strings.Join(closing, "|"))
}()

// SplitReasoning separates a leading <think>…</think>, or another model's tags, from a reply. closed is
// false if the block does not end: the tokens ran out during the reasoning, and there is no reply.
//
// Some servers put the opening tag into the prompt, so a reply may begin with the reasoning itself;
// text before a lone closing tag is reasoning too.
func SplitReasoning(text string) (reasoning, reply string, closed bool) {
	opening := thinkOpens.FindStringIndex(text)
	closing := thinkCloses.FindStringIndex(text)
	switch {
	case opening == nil && closing == nil:
		return "", text, true
	case closing == nil:
		return strings.TrimSpace(text[opening[1]:]), "", false
	}
	start := 0
	if opening != nil {
		start = opening[1]
	}
	return strings.TrimSpace(turnTokens.ReplaceAllString(text[start:closing[0]], "")), strings.TrimSpace(text[closing[1]:]), true
}

// MayThink reports whether a reply with this beginning begins with reasoning, or still may.
func MayThink(beginning string) bool {
	beginning = strings.TrimLeftFunc(beginning, unicode.IsSpace)
	return slices.ContainsFunc(thoughtTags, func(t struct{ opens, closes string }) bool {
		head := beginning[:min(len(beginning), len(t.opens))]
		return strings.EqualFold(head, t.opens[:len(head)])
	})
}

// ReasoningEnd returns the offset in a reply where its reasoning has ended, in bytes; 0 if it has not.
func ReasoningEnd(text string) int {
	if at := thinkCloses.FindStringIndex(text); at != nil {
		return at[1]
	}
	return 0
}

var (
	// objectComes matches a line that only announces JSON.
	objectComes = regexp.MustCompile(`(?i)^[^\p{L}\p{N}]*(?:\d{1,2}[^\p{L}\p{N}]*)?(?:dict|json|output|verdict|result|answer|判断|结论|输出)?[^\p{L}\p{N}]*$|\bjson\b|[:：][^\p{L}\p{N}]*$`)
	// thinkingLabel matches a label above reasoning.
	thinkingLabel = regexp.MustCompile(`(?i)^[^\p{L}\p{N}]*(?:thinking|thoughts?|reasoning|analysis|思考|推理|分析)[ \t*_]*(?:[:：][ \t*_]*|\n)`)
)

// Shorter text is not reasoning.
const (
	minThoughtWords = 4  // words
	hanPerWord      = 2  // characters
	maxAnnouncement = 90 // characters
)

// thinkingText returns the reasoning in the text around an object, without the line that announces the
// object, fences, and headings; "" if it is only a courtesy or a refusal.
func thinkingText(text string) string {
	text = strings.TrimSpace(anyFence.ReplaceAllString(text, ""))
	for text != "" {
		cut := strings.LastIndexByte(text, '\n') + 1
		line := strings.TrimSpace(text[cut:])
		if len([]rune(line)) > maxAnnouncement || !objectComes.MatchString(line) {
			break
		}
		text = strings.TrimSpace(text[:cut])
	}
	text = stripCourtesies(strings.TrimSpace(thinkingLabel.ReplaceAllString(text, "")))
	han := 0
	for _, r := range text {
		if unicode.Is(unicode.Han, r) {
			han++
		}
	}
	words := len(strings.Fields(text)) + han/hanPerWord
	if words < minThoughtWords || refusal.MatchString(text) {
		return ""
	}
	return text
}

// Patterns of what models say to the user around the reply. In a note it would stand among the answer's
// sentences.
var (
	// greeting matches a first sentence outside the answer: an exclamation, or an announcement that
	// ends in a colon.
	greeting = regexp.MustCompile(`(?i)^[\s*]*(?:` +
		`(?:sure|certainly|of course|absolutely|great question|good question|happy to help|gladly|gerne|natürlich|bien sûr|claro|por supuesto|¡claro|当然可以|当然|好的|没问题)(?:[,，]? (?:thing|i can help(?: with that)?))?\s*[!.！。]` +
		`|(?:(?:sure|certainly|of course|okay|ok|gerne|好的|当然)[,，.!。！]?\s*)?(?:here(?:['’]s| is| are)|below (?:is|are)|hier (?:ist|sind)|voici|aquí (?:está|tiene)|以下是|下面是)[^.!?。！？\n]{0,120}[:：]` +
		`|(?:based on|according to|from) the (?:provided |given |above )?(?:contexts?|passages?|documents?|information)(?: provided| given)?[,:]?\s*(?:here(?:['’]s| is| are)[^.!?\n]{0,80})?:` +
		`)[\s*]*`)
	// farewell matches a last sentence addressed to the user.
	farewell = regexp.MustCompile(`(?i)(?:^|[.!?。！？)\]*]\s*|\n\s*)(?:[*_>-]*\s*)(?:` +
		`i (?:hope|trust) (?:this|that|it|these)\b[^.!?\n]{0,60}(?:help|useful|clear|answers|clarif|understand)[^.!?\n]{0,60}` +
		`|hope (?:this|that|it) helps[^.!?\n]{0,40}` +
		`|(?:please )?(?:let me know|feel free)\b[^.!?\n]{0,160}` +
		`|(?:please )?(?:do not|don['’]?t) hesitate\b[^.!?\n]{0,160}` +
		`|if you (?:have|need|want|would like)\b[^.!?\n]{0,120}(?:ask|let me know|feel free|question|help|assist)[^.!?\n]{0,80}` +
		`|(?:is there|do you have|would you like|do you want)\b[^.!?\n]{0,160}\?` +
		`|(?:ich hoffe, das hilft|j['’]espère que|espero que)[^.!?\n]{0,80}` +
		`|(?:希望(?:这|以上|对您|能)|如(?:果您)?(?:有|还有)[^。！？\n]{0,12}(?:问题|疑问))[^。！？\n]{0,60}` +
		`)[.!?。！？…]*[\s*_]*$`)
)

// maxCourtesies limits the sentences removed at each end.
const maxCourtesies = 4

// farewellWindow bounds the distance of a farewell from the end of a text, in bytes.
const farewellWindow = 600

// trimCourtesies removes what is addressed to the user before and after a text. A text that is nothing
// else stays.
func trimCourtesies(text string) string {
	text = strings.TrimSpace(text)
	if bare := stripCourtesies(text); bare != "" {
		return bare
	}
	return text
}

// stripCourtesies returns the text between the courtesies.
func stripCourtesies(bare string) string {
	for range maxCourtesies {
		at := greeting.FindStringIndex(bare)
		if at == nil {
			break
		}
		bare = bare[at[1]:]
	}
	for range maxCourtesies {
		tail := max(0, len(bare)-farewellWindow)
		at := farewell.FindStringIndex(bare[tail:])
		if at == nil {
			break
		}
		end := tail + at[0]
		if end > 0 || strings.ContainsAny(bare[:min(len(bare), 1)], ".!?)]*") { // the mark before belongs to the text
			end += sizeOfMark(bare[end:])
		}
		bare = strings.TrimRight(bare[:end], " \t\r\n>-_")
	}
	return strings.TrimSpace(bare)
}

// sizeOfMark returns the length of the punctuation mark at the beginning of a text, in bytes.
func sizeOfMark(text string) int {
	for _, r := range text {
		if strings.ContainsRune(".!?。！？)]*", r) {
			return len(string(r))
		}
		break
	}
	return 0
}

var (
	answerLabel = regexp.MustCompile(`(?i)^\s*[*#\s]*(?:final answer|answer|答案|回答)\**\s*[:：]\s*\**\s*`)
	// lastAnswer matches the announcement of the final answer.
	lastAnswer = regexp.MustCompile(`(?i)(?:\bfinal\s+answer\**\s*[:：]|\banswer\**\s*[:：]|\bthe\s+(?:final\s+|correct\s+)?answer\s+is\b\s*[:：]?|答案\**\s*[:：]|答案(?:是|为)\s*[:：]?)\s*\**\s*`)
	sentence   = regexp.MustCompile(`[.!?]["”')\]]*\s+|[。！？]["”』」）]*\s*|\n+`)
	anyFence   = regexp.MustCompile("(?m)^[ \t]*(?:```|~~~)[a-zA-Z]*[ \t]*\n?")
)

var (
	// introduction matches a heading or label before a text that was to have none.
	introduction = regexp.MustCompile(`(?i)^(?:\s*(?:#+[^\n]*\n|\**(?:background(?:\s+(?:document|information|knowledge|text))?|document|context|passage|summary|背景(?:文档|知识|信息|资料)?|摘要)\**\s*(?:\d+\s*)?(?:[:：]\**|\n)))+\s*`)
	headings     = regexp.MustCompile(`(?m)^\s*(?:#+\s[^\n]*|\*\*[^*\n]+\*\*:?\s*)$`)
	// announcement matches where a text that was not to answer begins to.
	announcement = regexp.MustCompile(`(?i)\b(?:the\s+(?:(?:most\s+likely|correct|best|right|final)\s+)*(?:answer|option|choice)\s+(?:is|would be|to (?:the|this) question)|correct\s+(?:answer|option|choice)|(?:final\s+)?answer\s*:)|(?:正确)?答案\s*(?:是|为|：|:)|正确(?:选项|答案)`)
	refusal      = regexp.MustCompile(`(?i)^\s*(?:i['’]?m\s+(?:sorry|unable)|i\s+am\s+(?:sorry|unable)|sorry\b|i\s+(?:cannot|can['’]?t|could\s+not|do\s+not\s+have|don['’]?t\s+have)|as\s+an\s+ai\b|抱歉|对不起|很抱歉|我无法|我不能)`)
)

// boxed matches answers marked by models that were trained on arithmetic or on tags.
var boxed = regexp.MustCompile(`\\boxed\{(?:\\text\{)?([^{}]*)\}+|<answer>([^<>]*)</answer>`)
