package measure

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"lacuna/handlers/note"
	"lacuna/knowledge/passage"
)

// Everything here is synthetic: substances that do not exist, with sections made by chance from a few
// patterns. It has the size and the shape of a large collection and says nothing true.

var (
	aspects = []string{
		"Dosage", "Side effects", "Interactions", "Storage", "Monitoring", "Overdose", "Missed dose", "Onset", "Contraindications", "Stopping",
	}
	groups = []string{"adults", "children", "pregnancy", "old age"}

	onsets  = []string{"b", "br", "c", "d", "dr", "f", "g", "k", "l", "m", "n", "p", "pr", "r", "s", "st", "t", "tr", "v", "z"}
	vowels  = []string{"a", "e", "i", "o", "u"}
	endings = []string{"mab", "zine", "pril", "lol", "statin", "mycin", "dipine", "xaban"}

	findings = []string{
		"was looked at in three studies, and each found something else", "is the same as in everybody else", "depends on the weight and on the kidneys",
		"is described by the makers and was never measured", "should be written down at every visit", "changed when the new tablets came",
	}
	patterns = []string{
		"{name} is given as {dose} mg {when}, and the dose is raised by {step} mg every {count} days.",
		"About {dose} of a thousand people report {trouble} within the first {count} weeks.",
		"It is checked after {count} weeks whether the {sign} has changed by more than {step} percent.",
		"Together with {other} the concentration of {name} doubles, so half the dose is enough.",
		"A record from {year} describes {trouble} that went away when {name} was stopped for {count} days.",
		"The tablets keep for {count} months below {step} degrees and must not be divided.",
		"Whoever has had {trouble} before should not take it without a look at the {sign}.",
		"If {trouble} appears, wait {count} hours before the next {dose} mg.",
	}
	times    = []string{"once a day", "twice a day", "three times a day", "every other day", "with meals", "at night"}
	troubles = []string{"dizziness", "a dry cough", "swollen ankles", "a rash", "nausea", "headaches", "tiredness", "a slow pulse", "cramps", "blurred sight"}
	signs    = []string{"blood pressure", "pulse", "weight", "creatinine", "potassium", "liver values", "blood count", "blood sugar"}
)

// substances is how many names there are.
const substances = 8 * 20 * 5 * 20 * 5 * 20 * 5

// substance is the name of the i-th substance; different numbers below substances have different names.
func substance(i int) string {
	i = i * 4999999 % substances // a prime, which keeps neighbours from looking alike
	ending := endings[i%len(endings)]
	i /= len(endings)
	var b strings.Builder
	for range 3 {
		b.WriteString(onsets[i%len(onsets)])
		i /= len(onsets)
		b.WriteString(vowels[i%len(vowels)])
		i /= len(vowels)
	}
	name := b.String() + ending
	return strings.ToUpper(name[:1]) + name[1:]
}

const sectionsPerPage = 40 // each aspect for each group

// writeBase writes the settings of a workspace and a folder kb of that many passages, a section each.
func writeBase(folder string, passages int, seed uint64) error {
	if err := os.MkdirAll(filepath.Join(folder, "kb"), 0o755); err != nil {
		return err
	}
	settings := "[[source]]\nname = \"synthetic\"\nkind = \"passages\"\npath = \"kb\"\n"
	if err := os.WriteFile(filepath.Join(folder, ".lacuna.toml"), []byte(settings), 0o644); err != nil {
		return err
	}
	for first := 0; first < passages; first += sectionsPerPage {
		number := first / sectionsPerPage
		if err := os.WriteFile(pagePath(folder, number), []byte(page(number, min(sectionsPerPage, passages-first), seed)), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func pagePath(folder string, number int) string {
	return filepath.Join(folder, "kb", fmt.Sprintf("page-%05d.md", number))
}

// page is the text of one page, the same for the same number and seed.
func page(number, sections int, seed uint64) string {
	chance := rand.New(rand.NewPCG(seed, uint64(number)))
	name := substance(number)
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", name)
	for i := range sections {
		aspect, group := aspectOf(i), groupOf(i)
		fmt.Fprintf(&b, "\n## %s of %s in %s\n\nThe %s of %s in %s %s.", aspect, name, group, strings.ToLower(aspect), name, group, pick(chance, findings))
		for range 3 {
			b.WriteByte(' ')
			b.WriteString(sentence(chance, name))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func aspectOf(section int) string { return aspects[section%len(aspects)] }
func groupOf(section int) string  { return groups[section/len(aspects)%len(groups)] }

// sentence makes one of a pattern.
func sentence(chance *rand.Rand, name string) string {
	number := func(least, most int) string { return strconv.Itoa(least + chance.IntN(most-least+1)) }
	return strings.NewReplacer(
		"{name}", name, "{other}", substance(chance.IntN(1000)), "{when}", pick(chance, times), "{trouble}", pick(chance, troubles),
		"{sign}", pick(chance, signs), "{dose}", number(5, 500), "{step}", number(1, 30), "{count}", number(2, 21), "{year}", number(1970, 2019),
	).Replace(pick(chance, patterns))
}

func pick(chance *rand.Rand, from []string) string { return from[chance.IntN(len(from))] }

// questionEvery is the distance in lines between two questions of the note.
const questionEvery = 50

// longNote is a note of that many lines, beside those of answers under that many of its questions.
// Every fifth question is about a substance no page has.
func longNote(lines, answers int, o options) string {
	chance := rand.New(rand.NewPCG(o.seed, 1<<32))
	pages := max(1, o.passages/sectionsPerPage)
	answerEvery := max(1, lines/questionEvery/max(1, answers))
	citedEvery := lines
	if o.cited > 0 {
		citedEvery = max(2, lines/o.cited/2*2)
	}
	var b strings.Builder
	for line := range lines {
		switch {
		case line%500 == 0:
			fmt.Fprintf(&b, "## Part %d\n", line/500)
		case line%questionEvery == questionEvery/2:
			asked, number, section := line/questionEvery, chance.IntN(pages), chance.IntN(sectionsPerPage)
			unknown := asked%5 == 4
			if unknown {
				number += pages
			}
			question := fmt.Sprintf("- What is the %s of %s in %s?\n", strings.ToLower(aspectOf(section)), substance(number), groupOf(section))
			if asked%answerEvery == 0 && asked/answerEvery < answers && !unknown {
				question = answered(question, number, section, o.seed)
			}
			b.WriteString(question)
		case line%citedEvery == 2 && o.cited > 0:
			b.WriteString(citing(chance, chance.IntN(pages), chance.IntN(sectionsPerPage), o.seed))
		case line%2 == 1:
			b.WriteString("\n")
		default:
			fmt.Fprintf(&b, "She takes %s %s, and her *%s* is still above target; see [the letter](letter.md).\n",
				substance(chance.IntN(pages)), pick(chance, times), pick(chance, signs))
		}
	}
	return b.String()
}

// citing makes a sentence that cites a section: in every second one a word differs from it.
func citing(chance *rand.Rand, number, section int, seed uint64) string {
	line := 5 + 4*section
	text := strings.Split(page(number, sectionsPerPage, seed), "\n")[line-1]
	said, _, _ := strings.Cut(text, ". ")
	if chance.IntN(2) == 0 {
		said = strings.Replace(said, "each found something else", "none found anything", 1)
	}
	file := filepath.ToSlash(pagePath("", number))
	return fmt.Sprintf("As is known, t%s. [%s:%d](%s#L%d)\n", said[1:], file, line, file, line)
}

// answered writes an answer below a question, which quotes the first sentence of a section.
func answered(question string, number, section int, seed uint64) string {
	line := 5 + 4*section
	text := strings.Split(page(number, sectionsPerPage, seed), "\n")[line-1]
	quote, _, _ := strings.Cut(text, ". ")
	file := filepath.ToSlash(pagePath("", number))
	n := note.Parse(question, note.Markdown)
	edit := n.Write(n.Questions[0], note.Block{
		Status:  "Answered from 1 source",
		Bullets: []note.Bullet{{Text: quote + ".", Citations: []int{1}}},
		Sources: []note.BlockSource{{N: 1, Passage: passage.IDOf(text), Label: fmt.Sprintf("%s:%d", file, line), Path: file, Line: line}},
	})
	return question[:edit.Span.Start] + edit.NewText + question[edit.Span.End:]
}
