package prompts

import (
	"maps"
	"strings"
	"testing"
)

func TestSplitReasoning(t *testing.T) {
	for _, test := range []struct {
		text, reasoning, reply string
		closed                 bool
	}{
		{"Garlic.", "", "Garlic.", true},
		{"<think>Is it?</think>\n\nGarlic.", "Is it?", "Garlic.", true},
		{"\n <THINK>\nIs it?\n</THINK>Garlic.", "Is it?", "Garlic.", true},
		{"<thinking>Is it?</thinking>Garlic.", "Is it?", "Garlic.", true},
		{"Is it?</think>Garlic.", "Is it?", "Garlic.", true},
		{"<think>Is it", "Is it", "", false},
		{"<think></think>", "", "", true},
		{"Write <think> to begin.", "", "Write <think> to begin.", true},
		{"", "", "", true},
	} {
		reasoning, reply, closed := SplitReasoning(test.text)
		if reasoning != test.reasoning || reply != test.reply || closed != test.closed {
			t.Errorf("%q: %q, %q, %t", test.text, reasoning, reply, closed)
		}
	}
}

func TestParseAnswer(t *testing.T) {
	for _, test := range []struct {
		name, reply string
		style       Style
		want        string
		path        Path
	}{
		{"plain", "Carbon dioxide", Short, "Carbon dioxide", Bare},
		{"first line", "\n\nCarbon dioxide\nPlants take it up.", Short, "Carbon dioxide", Bare},
		{"label", "Answer: Carbon dioxide", Short, "Carbon dioxide", Bare},
		{"label on its own line", "**Answer:**\nCarbon dioxide", Short, "Carbon dioxide", Bare},
		{"Chinese label", "答案：二氧化碳", Short, "二氧化碳", Bare},
		{"paragraph keeps its lines", "Answer: One.\nTwo.", Paragraph, "One.\nTwo.", Bare},
		{"note", "Garlic is planted in autumn [1].\n\nIt needs cold [2].", Note, "Garlic is planted in autumn [1].\n\nIt needs cold [2].", Bare},
		{"fence", "```\nGarlic is planted in autumn [1].\n```", Note, "Garlic is planted in autumn [1].", Fenced},
		{"code inside", "Run this [1]:\n```\nls\n```\nIt lists files [1].", Note, "Run this [1]:\n```\nls\n```\nIt lists files [1].", Bare},
		{"code at both ends", "```\nls\n```\nor\n```\ndir\n```", Note, "```\nls\n```\nor\n```\ndir\n```", Bare},
		{"fence cut off", "```text\nGarlic is planted in autumn.", Note, "Garlic is planted in autumn.", Fenced},
		{"token at the end", "In autumn.<|im_end|>\n</s>", Note, "In autumn.", Bare},
		{"object", `{"answer": "Garlic is planted in autumn [1].", "citations": [1]}`, Note, "Garlic is planted in autumn [1].", Bare},
		{"fenced object", "```json\n{\"answer\": \"In autumn\"}\n```", Short, "In autumn", Fenced},
		{"thinking", "<think>Hm.</think>Answer: in autumn", Short, "in autumn", Bare},
		{"still thinking", "<think>Hm.", Note, "", Unparsed},
		{"empty", "  ", Note, "", Unparsed},
		{"a label alone", "Answer:", Note, "", Unparsed},
		{"an empty fence", "```\n```", Note, "", Unparsed},
		{"zeros", "1" + zeros, Note, "", Unparsed},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, path, err := ParseAnswer(test.reply, test.style)
			if got != test.want || path != test.path || (err != nil) != (path == Unparsed) {
				t.Errorf("%q by %s (%v), want %q by %s", got, path, err, test.want, test.path)
			}
		})
	}
}

func TestParseLastAnswer(t *testing.T) {
	for _, test := range []struct {
		name, reply, thinking, answer string
		path                          Path
	}{
		{"label", "Eight weeks before May is March.\nAnswer: March", "Eight weeks before May is March.", "March", Bare},
		{"the last one", "Answer: May? No.\n**Answer:** March", "Answer: May? No.", "March", Bare},
		{"in prose", "Eight weeks before. So the answer is March.", "Eight weeks before.", "March.", Bare},
		{"boxed", "Eight weeks before.\nAnswer: \\boxed{March}", "Eight weeks before.", "March", Bare},
		{"several lines", "Think.\nAnswer: In March.\nOr in April.", "Think.", "In March.\nOr in April.", Bare},
		{"Chinese", "五月前八周是三月。\n答案：三月", "五月前八周是三月。", "三月", Bare},
		{"no label", "Eight weeks before May. That is March.", "Eight weeks before May.", "That is March.", Lines},
		{"no label in Chinese", "五月前八周。是三月。", "五月前八周。", "是三月。", Lines},
		{"label without an answer", "It is March.\nAnswer:", "", "It is March.", Lines},
		{"one sentence", "March", "", "March", Lines},
		{"empty", "", "", "", Unparsed},
		{"a label alone", "Answer:", "", "", Unparsed},
		{"still thinking", "<think>Answer: March", "", "", Unparsed},
	} {
		t.Run(test.name, func(t *testing.T) {
			thinking, answer, path, err := ParseLastAnswer(test.reply)
			if thinking != test.thinking || answer != test.answer || path != test.path || (err != nil) != (path == Unparsed) {
				t.Errorf("%q, %q by %s (%v)", thinking, answer, path, err)
			}
		})
	}
}

func TestParseSummary(t *testing.T) {
	for _, test := range []struct {
		reply, summary string
		useful         bool
		path           Path
	}{
		{"No useful information.", "", false, Bare},
		{"NO USEFUL INFORMATION", "", false, Bare},
		{"The document is about roses: no useful information.", "", false, Bare},
		{"没有有用的信息。", "", false, Bare},
		{`{"useful": false}`, "", false, Bare},
		{`{"useful": true, "summary": "Old wood bears the flowers."}`, "Old wood bears the flowers.", true, Bare},
		{"Summary: Old wood\nbears the flowers.", "Old wood bears the flowers.", true, Bare},
		{"```\nOld wood bears the flowers.\n```", "Old wood bears the flowers.", true, Bare},
		{"<think>none?</think>Old wood bears the flowers.", "Old wood bears the flowers.", true, Bare},
		{"", "", false, Unparsed},
		{"<think>", "", false, Unparsed},
		{zeros, "", false, Unparsed},
	} {
		summary, useful, path, err := ParseSummary(test.reply)
		if summary != test.summary || useful != test.useful || path != test.path || (err != nil) != (path == Unparsed) {
			t.Errorf("%.60q: %q, %t by %s (%v)", test.reply, summary, useful, path, err)
		}
	}
}

func TestParseDocument(t *testing.T) {
	const document = "Scurvy is a lack of vitamin C. Collagen needs it."
	for _, test := range []struct{ name, reply, want string }{
		{"plain", document, document},
		{"heading", "# Background Document\n\n" + document, document},
		{"bold heading", "**Background Document:** " + document, document},
		{"label", "Background: " + document, document},
		{"heading within", "Scurvy is a lack of vitamin C.\n## Collagen\nCollagen needs it.", document},
		{"fence", "```markdown\n" + document + "\n```", document},
		{"lines", "Scurvy is a lack of vitamin C.\n\nCollagen needs it.", document},
		{"answer", document + " Therefore, the correct answer is B.", document},
		{"answer in a line", document + "\nAnswer: B", document},
		{"correct option", document + " The correct option would be vitamin C. More.", document},
		{"answer in Chinese", "坏血病是缺乏维生素C。因此正确答案是B。", "坏血病是缺乏维生素C。"},
		{"thinking", "<think>The answer is B.</think>" + document, document},
		{"the word answer", "The answer of the body to a lack of vitamin C is slow. Collagen needs it.", "The answer of the body to a lack of vitamin C is slow. Collagen needs it."},
		{"only an answer", "The answer is B.", ""},
		{"refusal", "I'm sorry, but I cannot help with that.", ""},
		{"refusal in Chinese", "抱歉，我无法提供。", ""},
		{"zeros", zeros, ""},
		{"empty", "", ""},
		{"only a heading", "# Background Document\n", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, path, err := ParseDocument(test.reply)
			if got != test.want || (err != nil) != (test.want == "") || (path == Unparsed) != (err != nil) {
				t.Errorf("%q by %s (%v), want %q", got, path, err, test.want)
			}
		})
	}
}

// TestLongReplies holds that no reply costs more than time in proportion to its length: a parser that
// looks ahead from every quote or bracket would not come to an end here.
func TestLongReplies(t *testing.T) {
	for _, piece := range []string{
		"{", "[", `{"a":`, `"`, `"a",`, `{"a":"`, "'", "”", "\\", `\u`, "```", "#", "//", "/*", "a: ", "\n- a", "答案：", "(A) or ", "1. ",
		"<think>", " ", "Answer: ", `["`, `"` + " \n",
	} {
		for name, read := range everyReader() {
			reply := "x" + strings.Repeat(piece, 1<<13/len(piece))
			if name == "selection" { // which reads everything twice
				reply = "x" + strings.Repeat(piece, 1<<17/len(piece))
			}
			if path, err := read(reply); (path == Unparsed) != (err != nil) {
				t.Errorf("%s: %q: %s, %v", name, piece, path, err)
			}
		}
	}
}

// everyReader has all parsers.
func everyReader() map[string]func(reply string) (Path, error) {
	all := maps.Clone(plainReaders)
	for _, r := range readers {
		all[r.name] = func(reply string) (Path, error) { _, path, err := r.read(reply); return path, err }
	}
	return all
}

// plainReaders holds the parsers of replies that are text.
var plainReaders = map[string]func(reply string) (Path, error){
	"answer":   func(r string) (Path, error) { _, path, err := ParseAnswer(r, Note); return path, err },
	"short":    func(r string) (Path, error) { _, path, err := ParseAnswer(r, Short); return path, err },
	"last":     func(r string) (Path, error) { _, _, path, err := ParseLastAnswer(r); return path, err },
	"summary":  func(r string) (Path, error) { _, _, path, err := ParseSummary(r); return path, err },
	"document": func(r string) (Path, error) { _, path, err := ParseDocument(r); return path, err },
}
