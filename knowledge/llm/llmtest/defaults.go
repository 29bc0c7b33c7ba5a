package llmtest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Obliging returns a script that plays every role sensibly from the prompt alone: it quotes the
// evidence with [n] marks, judges that something is missing, names points and writes background. It has
// no reasoning field: if asked to reason first, it does so in its reply. Equal calls get equal replies.
func Obliging() Script {
	return func(c Call) Reply {
		if c.Kind != Chat {
			return Reply{}
		}
		return Reply{Text: thought(c) + oblige(c)}
	}
}

// deliberation is the judging model's reasoning.
const deliberation = "The draft answers a part of the question. What limits it has is not in the contexts."

// thought returns the reasoning before an object, if asked for and not forbidden.
func thought(c Call) string {
	if c.Template != "judge_gaps" || c.Format != "" || !strings.Contains(lastOf(c), "First think") {
		return ""
	}
	return deliberation + "\n"
}

// oblige returns the reply to a template.
func oblige(c Call) string {
	user := c.User()
	switch c.Template {
	case "answer_context":
		return quoting(user)
	case "answer_cot", "answer_manual_cot":
		return "First, what is known is looked at.\nAnswer: " + quoting(user)
	case "answer_choice":
		return object("reasoning", "The first option fits what the documents say.", "answer_choice", firstOption(user))
	case "judge_gaps":
		return object("thought", "The contexts do not say what limits apply.", "judge", true,
			"missing_knowledge", []string{"limits and exceptions"}, "query", []string{"limits and exceptions of " + topic(user)})
	case "explore_gaps":
		return object("reasoning", "Three points would settle it.",
			"knowledge", []string{"Definition of " + topic(user), "Mechanism of " + topic(user), "Treatment of " + topic(user)})
	case "summarise_doc":
		return sentence(firstContext(user))
	case "generate_doc":
		return "In general, " + topic(user) + " is described in textbooks by its causes, its course and its care."
	case "select_docs":
		return object("requirements", []string{"what the question asks"}, "mapping", []any{}, "selected", numbers(user, 5))
	case "migres_extract":
		return facts(user)
	case "migres_solve":
		return solution(user)
	case "query_check":
		return object("class", "clear", "queries", []string{})
	case "rewrite":
		return object("question", "What is there to know about "+topic(user)+"?")
	case "confidence":
		return object("confidence", 40)
	case "trial":
		return "Heard: quince"
	case "combine":
		return "Taken together, " + topic(user) + " depends on the case."
	case "migres_query", "followup_ask", "decompose":
		return object("analysis", "One more thing is needed.", "queries", []string{"What limits apply to " + topic(user) + "?"})
	case "verify_facts":
		return verdicts(user)
	case "eval_contexts":
		return object("statements", []string{sentence(goldOf(user))})
	default:
		return "It depends on the case."
	}
}

// object writes a JSON object with its keys in the order given.
func object(pairs ...any) string {
	var fields []string
	for i := 0; i < len(pairs); i += 2 {
		value, err := json.Marshal(pairs[i+1])
		if err != nil {
			panic(err) // strings, booleans and lists of them are always JSON
		}
		fields = append(fields, fmt.Sprintf("%q:%s", pairs[i], value))
	}
	return "{" + strings.Join(fields, ",") + "}"
}

// context matches one line of numbered evidence: its number, the question of a stored pair, its text.
var context = regexp.MustCompile(`(?m)^\[(\d+)\] (?:\(background[^)]*\) )?(?:\(Title: .*?\) )?(?:Q: (.*?) A: )?(.+)$`)

// dataOf returns the delimited data of a prompt: what is shown beside it are examples.
func dataOf(user string) string {
	_, after, ok := strings.Cut(user, "<<<data ")
	if !ok {
		return user
	}
	if end := strings.LastIndex(after, " data>>>"); end >= 0 {
		after = after[:end]
	}
	return after
}

// quoting answers with the first sentence of each of the first two contexts.
func quoting(user string) string {
	var said []string
	for _, m := range context.FindAllStringSubmatch(dataOf(user), 2) {
		said = append(said, strings.TrimRight(sentence(m[3]), ".!?。 ")+" ["+m[1]+"].")
	}
	if len(said) == 0 {
		return "Nothing is known about it."
	}
	return strings.Join(said, " ")
}

func firstContext(user string) string {
	if m := context.FindStringSubmatch(dataOf(user)); m != nil {
		return m[3]
	}
	return user
}

// goldOf returns the reference answer of a prompt.
func goldOf(user string) string {
	_, gold, _ := strings.Cut(dataOf(user), "Reference answer:\n")
	return strings.TrimSpace(gold)
}

// numbers returns the numbers of the last most contexts, the last first, as models like them.
func numbers(user string, most int) []int {
	var all []int
	for _, m := range context.FindAllStringSubmatch(dataOf(user), -1) {
		if n, err := strconv.Atoi(m[1]); err == nil {
			all = append([]int{n}, all...)
		}
	}
	return all[:min(most, len(all))]
}

func facts(user string) string {
	var useful []any
	for _, m := range context.FindAllStringSubmatch(dataOf(user), 2) {
		useful = append(useful, map[string]any{"info": sentence(m[3]), "support_passages": []json.Number{json.Number(m[1])}})
	}
	return object("useful_information", useful)
}

// statement is a numbered statement that is to be judged.
var statement = regexp.MustCompile(`(?m)^(\d+)\. (.+)$`)

// verdicts says of each statement that it is stated, and quotes the sentence of the contexts with the most
// words of it.
func verdicts(user string) string {
	var all []any
	contexts, statements, _ := strings.Cut(user, "\nStatements:\n")
	for _, m := range statement.FindAllStringSubmatch(statements, -1) {
		number, quote, most := "0", "", 0.0
		for _, c := range context.FindAllStringSubmatch(dataOf(contexts), -1) {
			for _, s := range sentencesOf(c[3]) {
				if shared := overlap(m[2], s); shared > most {
					number, quote, most = c[1], s, shared
				}
			}
		}
		all = append(all, map[string]any{"number": json.Number(m[1]), "passage": json.Number(number), "quote": quote, "verdict": "states"})
	}
	return object("verdicts", all)
}

// sentencesOf cuts a text into sentences.
func sentencesOf(text string) []string {
	var all []string
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		first := sentence(text)
		all = append(all, first)
		text = text[len(first):]
	}
	return all
}

// option is a line of one of the answers to choose from.
var option = regexp.MustCompile(`(?m)^([A-Z])\. `)

func firstOption(user string) string {
	if m := option.FindStringSubmatch(user); m != nil {
		return m[1]
	}
	return "A"
}

// sentence returns the first sentence of a text.
func sentence(text string) string {
	for i, r := range text {
		switch r {
		case '。', '？', '！':
			return text[:i+len(string(r))]
		case '.', '?', '!':
			if i+1 == len(text) || text[i+1] == ' ' || text[i+1] == '\n' {
				return text[:i+1]
			}
		}
	}
	return text
}

// asked is the line of the question.
var asked = regexp.MustCompile(`(?m)^(?:Question:\n|Query: )(.+)$`)

// topic returns what the question is about: its last words.
func topic(user string) string {
	m := asked.FindStringSubmatch(user)
	if m == nil {
		return "the question"
	}
	about := strings.Fields(strings.TrimRight(m[1], "?？"))
	return strings.Join(about[max(0, len(about)-4):], " ")
}

// known matches the facts that a question is to be answered from.
var known = regexp.MustCompile(`(?m)^Facts:\n((?:\d+\. .+\n)+)`)

// factsIn returns the facts that a question is to be answered from as one text; "" if there are none.
func factsIn(user string) string {
	var all []string
	if m := known.FindStringSubmatch(user); m != nil {
		for _, fact := range statement.FindAllStringSubmatch(m[1], -1) {
			all = append(all, fact[2])
		}
	}
	return strings.Join(all, " ")
}

func solution(user string) string {
	facts := factsIn(user)
	if facts == "" {
		return object("explanation", "There are no facts.", "answer", map[string]any{"text": "unanswerable", "confidence": 3},
			"missing_information", "limits of "+topic(user))
	}
	return object("explanation", "The facts say it.", "answer", map[string]any{"text": facts, "confidence": 4},
		"missing_information", "")
}
