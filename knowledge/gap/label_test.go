package gap

import (
	"strings"
	"testing"
	"unicode/utf8"

	"lacuna/knowledge/lexical"
	"lacuna/knowledge/question"
)

func TestChunks(t *testing.T) {
	for _, c := range []struct{ question, want string }{
		{"Which enzyme is deficient in Wolman disease?", "enzyme|deficient|Wolman disease"},
		{"Can Diazepam be beneficial in the treatment of traumatic brain injury?", "Diazepam|traumatic brain injury"},
		{"Is Rad4/XPC a DNA damage sensing protein?", "Rad4/XPC|DNA damage sensing protein"},
		{"What is the role of the inhibition of factor XIa?", "inhibition of factor XIa"},
		{"What is the difference between gout and pseudogout?", "gout|pseudogout"},
		{"How are diabetes and hypertension treated?", "diabetes and hypertension"},
		{"What is mucopolysaccharidosis type I?", "mucopolysaccharidosis type I"},
		{"What is the function of the Polycomb Repressive Complex (PRC)?", "Polycomb Repressive Complex"},
		{"What forms part of the senescence associated secretory phenotype, or SASP?", "senescence associated secretory phenotype"},
		{"Which genes are associated with gout?", "gout"},
		{"Name 3 diseases for which lucatumumab was tested in 2018", "lucatumumab"},
		{"What are the symptoms of Down syndrome ?", "Down syndrome"},
		{"Are protamines ubiquitously expressed?", "protamines"},
		{"Which is the best treatment of Best disease?", "Best disease"},
		{"What is characteristic to Fitz-Hugh–Curtis syndrome?", "Fitz-Hugh–Curtis syndrome"},
		{"Is vitamin A deficiency common?", "vitamin A deficiency"},
		{"List symptoms of the One and a half syndrome.", "half syndrome"},
		{"痛风怎么治疗？", "痛风|治疗"},
		{"请问糖尿病患者可以吃西瓜吗", "糖尿病患者|西瓜"},
		{"What is the capital of 漢字?", "capital|漢字"},
		{"???", ""},
		{"", ""},
	} {
		var texts []string
		for _, chunk := range question.Phrases(c.question) {
			texts = append(texts, chunk.Text)
		}
		if got := strings.Join(texts, "|"); got != c.want {
			t.Errorf("%q: chunks %q, want %q", c.question, got, c.want)
		}
	}
}

// knowing is a base of words: those it holds match fully.
func knowing(text string) termScorer {
	terms := make(map[string]bool)
	for _, term := range lexical.Terms(text) {
		terms[term] = true
	}
	match := func(term string) float64 {
		if terms[term] {
			return 1
		}
		return 0
	}
	return termScorer{
		idf:   func(term string) float64 { return 2 - match(term) },
		match: match,
		unknown: func(word string) bool {
			for _, term := range lexical.Terms(word) {
				if !terms[term] {
					return true
				}
			}
			return false
		},
		class: func(word string) wordClass { return levelClass(lexical.Terms(word)[0], question.English) },
	}
}

func TestNameTopic(t *testing.T) {
	for _, c := range []struct{ question, base, label, query string }{
		{
			"Which enzyme is deficient in Wolman disease?", "enzyme deficient disease",
			"Nothing on “Wolman disease”: no passage mentions “Wolman”", "Wolman disease deficient enzyme",
		},
		{
			"Is Rad4 a DNA damage sensing protein?", "dna damage sensing protein",
			"Nothing on “Rad4”: no passage mentions it", "Rad4 DNA damage sensing protein",
		},
		{
			"What is the starting dose of tirzepatide?", "starting dose",
			"Nothing on “tirzepatide”: no passage mentions it", "tirzepatide",
		},
		{
			"Can Diazepam help in traumatic brain injury?", "diazepam traumatic brain injury",
			"Only near matches on “traumatic brain injury” and “Diazepam”; none that answers", "traumatic brain injury Diazepam",
		},
		{
			"What causes Prune belly syndrome?", "prune belly syndrome",
			"Nothing on causes of “Prune belly syndrome”", "Prune belly syndrome causes",
		},
	} {
		label, query := nameTopic(question.Read(c.question), rate(subjectPhrases(question.Read(c.question)), knowing(c.base)))
		if label != c.label || query != c.query {
			t.Errorf("%q on a base of %q:\n got %s | %s\nwant %s | %s", c.question, c.base, label, query, c.label, c.query)
		}
	}
}

// FuzzNameTopic checks what every label owes its reader, whatever is asked.
func FuzzNameTopic(f *testing.F) {
	for _, seed := range []string{
		"Which enzyme is deficient in Wolman disease?", "痛风怎么治疗？", "", "“”\"\x00\xff", strings.Repeat("long ", 60),
		strings.Repeat("x", 500), strings.Repeat("药", 300), "A I A I", "of and of the and", "WHAT IS THIS",
	} {
		f.Add(seed, "gout disease")
	}
	f.Fuzz(func(t *testing.T, asked, base string) {
		label, query := nameTopic(question.Read(asked), rate(subjectPhrases(question.Read(asked)), knowing(base)))
		if n := utf8.RuneCountInString(label); n == 0 || n > MaxText {
			t.Errorf("label of %d characters: %q", n, label)
		}
		if !utf8.ValidString(label) || !utf8.ValidString(query) {
			t.Errorf("not UTF-8: %q | %q", label, query)
		}
		if strings.ContainsAny(label+query, "\n\r\t\x00") {
			t.Errorf("not one line: %q | %q", label, query)
		}
	})
}
