package prompts

import (
	"regexp"

	"lacuna/knowledge/plaintext"
)

// ExploreGaps asks for titles of the missing knowledge (MedRGAG, knowledge-guided generation).
type ExploreGaps struct {
	Question  string
	Options   []Option
	Summaries []string
	Most      int
	Exactly   bool // asks for no fewer, as in the paper
}

func (ExploreGaps) template() string { return "explore_gaps" }

func (ExploreGaps) schema() schema {
	return objectOf(property{"reasoning", aText}, property{"knowledge", arrayOf(aText)})
}

// SummariseDoc asks what one document says about a question.
type SummariseDoc struct {
	Question string
	Options  []Option
	Document Context
	// QuestionLast puts the question behind the document, as in the released code.
	QuestionLast bool
}

func (SummariseDoc) template() string { return "summarise_doc" }

// GenerateDoc asks for background from the model's own knowledge.
type GenerateDoc struct {
	Question       string
	Options        []Option // shown only if set
	Point          string   // the one point to write about; empty means the question
	Demonstrations []Demonstration
	MaxWords       int
}

func (GenerateDoc) template() string { return "generate_doc" }

// Demonstration is an example of a question with a document that helps to answer it.
type Demonstration struct{ Question, Document string }

// SelectDocs asks which documents together cover what the question needs.
type SelectDocs struct {
	Question  string
	Options   []Option
	Documents []Context
	Top       int
	// QuestionFirst also puts the question before the documents, as in the released code.
	QuestionFirst bool
}

func (SelectDocs) template() string { return "select_docs" }

func (SelectDocs) schema() schema {
	return objectOf(property{"requirements", arrayOf(aText)},
		property{"mapping", arrayOf(objectOf(property{"point", aText}, property{"ids", arrayOf(anInteger)}))},
		property{"selected", arrayOf(anInteger)})
}

// Exploration is the reply to [ExploreGaps].
type Exploration struct {
	Reasoning string
	Points    []string // at most most, different, none empty or "None"
}

// ParseExploration reads at most most points. No point is a valid reply.
func ParseExploration(reply string, most int) (Exploration, Path, error) {
	fields := []field{knowledgeField, thoughtField}
	return decode(reply, fields, func(value any) (Exploration, bool) {
		if array, ok := value.([]any); ok && allTexts(array) {
			points := distinctItems(textsIn(array), most, maxItem)
			return Exploration{Points: points}, len(points) > 0
		}
		o, ok := objectIn(value, knowledgeField, field{"knowledge_1"}, field{"missing_knowledge_1"}, field{"知识1"}, field{"知识_1"})
		if !ok {
			return Exploration{}, false
		}
		e := Exploration{Reasoning: textField(o, thoughtField)}
		points, named := o.get(knowledgeField)
		if !named {
			points = numberedFields(o, knowledgeField)
		}
		e.Points = distinctItems(textsIn(points), most, maxItem)
		return e, true
	})
}

// Selection is the reply to [SelectDocs]: numbers of documents in the order chosen, within
// 1..documents, each once, at most top.
type Selection struct {
	Requirements []string
	Selected     []int
}

// ParseSelection reads a selection; one without any existing document is an error.
func ParseSelection(reply string, documents, top int) (Selection, Path, error) {
	s, path, err := decode(reply, []field{selectedField, requirementsField}, func(value any) (Selection, bool) {
		o, ok := objectIn(value, selectedField)
		if _, mapped := o["point"]; mapped || !ok { // a point with its documents, of a reply that was cut off
			return Selection{}, false
		}
		needed, _ := o.get(requirementsField)
		selected, _ := o.get(selectedField)
		s := Selection{distinctItems(textsIn(needed), 16, maxItem), selectedIDs(selected, documents, top)}
		return s, len(s.Selected) > 0
	})
	if err != errUnreadable {
		return s, path, err
	}
	// A list alone will do, but not one in prose, which cites in the same form.
	s, path, err = decode(reply, nil, func(value any) (Selection, bool) {
		array, ok := value.([]any)
		s := Selection{Selected: selectedIDs(array, documents, top)}
		return s, ok && len(s.Selected) > 0
	})
	if err == nil && path != Bare && path != Fenced {
		return Selection{}, Unparsed, errUnreadable
	}
	return s, path, err
}

func selectedIDs(value any, documents, top int) []int {
	ids := uniqueUpTo(intsIn(value), documents)
	return ids[:min(len(ids), max(top, 0))]
}

// ParseSummary reads the reply to [SummariseDoc]. useful is false for "No useful information.", in any
// case and in Chinese.
func ParseSummary(reply string) (summary string, useful bool, path Path, err error) {
	text, err := replyText(reply)
	if err != nil {
		return "", false, Unparsed, err
	}
	type said struct {
		summary string
		useful  bool
	}
	if s, way, err := decode(text, nil, func(value any) (said, bool) {
		o, ok := objectIn(value, field{"useful", "summary"})
		if !ok {
			return said{}, false
		}
		verdict, judged := o.get(field{"useful"})
		truth, _ := boolOf(verdict, yesNoWords)
		s := said{summary: textField(o, field{"summary"})}
		s.useful = s.summary != "" && (!judged || truth) && !noUsefulInformation.MatchString(s.summary)
		return s, true
	}); err == nil {
		if !s.useful {
			s.summary = ""
		}
		return s.summary, s.useful, way, nil
	}
	if noUsefulInformation.MatchString(text) {
		return "", false, Bare, nil
	}
	text = plaintext.OneLine(introduction.ReplaceAllString(trimCourtesies(anyFence.ReplaceAllString(text, "")), ""))
	if text == "" {
		return "", false, Unparsed, ErrEmpty
	}
	return text, true, Bare, nil
}

// ParseDocument reads the reply to [GenerateDoc]: background without headings and fences, cut at an
// announcement of the answer; an error if nothing is left.
func ParseDocument(reply string) (string, Path, error) {
	text, err := replyText(reply)
	if err != nil {
		return "", Unparsed, err
	}
	path := Bare
	if bare := anyFence.ReplaceAllString(text, ""); bare != text {
		text, path = bare, Fenced
	}
	if refusal.MatchString(text) {
		return "", Unparsed, errRefusal
	}
	text = headings.ReplaceAllString(introduction.ReplaceAllString(trimCourtesies(text), ""), "")
	if at := announcement.FindStringIndex(text); at != nil {
		text = text[:sentenceStart(text, at[0])]
	}
	if text = plaintext.OneLine(text); text == "" {
		return "", Unparsed, errNoContent
	}
	return text, path, nil
}

// noUsefulInformation matches how a summariser says that a document does not help.
var noUsefulInformation = regexp.MustCompile(`(?i)\bno\s+(?:useful|relevant)\s+information\b|(?:没有|无)(?:有用|相关)的?信息`)
