package extract_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/extract"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
)

// Sixty pages about invented things, whose sections repeat word for word from page to page. Every name and
// every text is made up.

// thingKind is a kind of things that have pages with the same four sections.
type thingKind struct {
	sections  []thingSection
	things    []string   // names
	values    [][]string // of each, that the texts are filled with
	strangers []string   // names of things without a page, most of them like those with one
	lacking   []string   // questions about a side that no page of the kind has
}

type thingSection struct {
	heading string
	// texts are given to the things in turn; %[1]s and so on are their values. One text is that of all.
	texts []string
	key   []string // of each text, that an answer shows
	// asked are questions about %s that the rules were written with, and sealed are others that were asked
	// only when the rules stood.
	asked, sealed []string
}

var thingKinds = []thingKind{
	{
		sections: []thingSection{
			{
				"Dose", []string{"Adults take %[1]s mg %[2]s, with a glass of water."}, []string{"%[1]s mg"},
				[]string{
					"What is the dose of %s?", "%s dosage", "How many milligrams of %s do adults take?",
					"How much %s should an adult be given?", "daily dose %s", "What is the usual dose of %s for adults?",
				},
				[]string{"How is %s dosed?", "dose of %s for adults", "How many mg of %s a day?"},
			}, {
				"Kidney disease", []string{"No dose adjustment is needed.", "Half of the dose is given every second day."},
				[]string{"No dose adjustment", "every second day"},
				[]string{
					"Does the dose of %s change in kidney disease?", "%s kidney disease", "How is %s given to a patient with kidney disease?",
					"%s renal impairment", "What should be done about %s in kidney disease?", "Can somebody with kidney disease have %s?",
				},
				[]string{"%s for people with kidney disease", "Is a dose adjustment of %s needed in kidney disease?", "kidney disease and %s"},
			}, {
				"Pregnancy", []string{"It is not given before the fourth month.", "There is too little experience to say."},
				[]string{"fourth month", "too little experience"},
				[]string{
					"Can %s be taken in pregnancy?", "%s pregnancy", "Is %s allowed for pregnant women?",
					"Is %s safe in pregnancy?", "pregnant and on %s", "What about %s when a woman is pregnant?",
				},
				[]string{"May a pregnant woman have %s?", "%s during pregnancy", "Is %s given in pregnancy?"},
			}, {
				"Interactions", []string{"Not to be taken together with %[3]s, which doubles what reaches the blood."}, []string{"%[3]s"},
				[]string{
					"What are the interactions of %s?", "%s interactions", "What does %s interact with?",
					"Which medicine must not be taken together with %s?", "%s interaction", "What may %s not be combined with?",
				},
				[]string{"Does %s interact with other medicines?", "interactions %s", "What should not be taken together with %s?"},
			},
		},
		things: []string{
			"Arlovan", "Arlovan Retard", "Belmora 3", "Belmora 4", "Tarvexin", "Tarvexol", "Quentil", "Quentil-D", "Sommerol", "Vitrasept Plus",
			"Ostrelin", "Pamidex 20", "Pamidex 40", "Nolvira", "Ketrafen", "Lumigast Night", "Lumigast Day", "Corvanil", "Zephtal", "Hydrovane",
			"Mirtolan", "Dexiphor", "Ulvetic", "Fenwarin",
		},
		strangers: []string{"Belmora 5", "Arlovan Forte", "Quentil-M", "Pamidex 60", "Lumigast Noon", "Brusifen"},
		lacking:   []string{"What does %s cost?", "Who makes %s?"},
	}, {
		sections: []thingSection{
			{
				"Purpose", []string{"Turns %[1]s into %[2]s and puts them into the outbox."}, []string{"%[2]s"},
				[]string{
					"What does %s do?", "What is %s for?", "purpose of %s",
					"What is %s?", "What is %s used for?", "%s purpose",
				},
				[]string{"What does %s turn things into?", "Tell me about the purpose of %s", "What is the purpose of %s?"},
			}, {
				"Configuration", []string{"The variable %[3]s sets how many jobs run beside each other."}, []string{"%[3]s"},
				[]string{
					"How is %s configured?", "%s configuration", "Which variable sets the number of jobs of %s?",
					"How do I configure %s?", "%s settings", "Which variable does %s read?",
				},
				[]string{"configure %s", "Which variable is set to configure %s?", "How can the configuration of %s be changed?"},
			}, {
				"Failures", []string{"What failed is tried once more after an hour and then put aside.", "What failed is written to the journal, and nobody is woken."},
				[]string{"once more after an hour", "journal"},
				[]string{
					"What happens when a job fails in %s?", "%s failures", "What does %s do with what failed?",
					"What if something fails in %s?", "failure handling in %s", "How does %s deal with failures?",
				},
				[]string{"%s job failed", "What does %s do after a failure?", "How are failures handled by %s?"},
			}, {
				"Licence", []string{"Anybody may use and change it, as long as the names of its authors are kept."}, []string{"names of its authors"},
				[]string{
					"Under which licence is %s?", "%s licence", "May I change %s?",
					"What is the licence of %s?", "%s license", "What does the licence of %s say?",
				},
				[]string{"licence of %s", "Is %s licensed?", "What is said in the licence of %s?"},
			},
		},
		things:    []string{"sandgate", "sandgate-mini", "tumblelog", "node_quay", "Ferrymoor", "wicket.sync", "murrow2", "murrow5", "plaitmill", "Zedbarrow", "Kelpline", "harrowbeam"},
		strangers: []string{"murrow3", "sandgate-max", "Larchbolt", "wicket.push"},
		lacking:   []string{"Which database does %s need?", "How much memory does %s take?"},
	}, {
		sections: []thingSection{
			{
				"Scope", []string{"Applies to %[1]s between the two bridges, on feast days as well."}, []string{"%[1]s"},
				[]string{
					"What does the %s apply to?", "scope of the %s", "Where does the %s apply?",
					"What is the scope of the %s?", "%s scope", "What is covered by the scope of the %s?",
				},
				[]string{"Which scope has the %s?", "To what does the %s apply?", "Tell me the scope of the %s"},
			}, {
				"Penalty", []string{"Who offends for the first time pays %[2]s crowns to the clerk."}, []string{"%[2]s crowns"},
				[]string{
					"What is the penalty under the %s?", "%s penalty", "What does somebody who offends against the %s pay?",
					"What does the %s say on penalties?", "penalty %s", "How many crowns does one pay under the %s?",
				},
				[]string{"How much is the penalty under the %s?", "What do I pay for a first offence against the %s?", "%s fine"},
			}, {
				"Appeal", []string{"Within ten days in writing; until then nothing is collected.", "By word of mouth on the first Monday, after the sum was paid."},
				[]string{"ten days", "first Monday"},
				[]string{
					"How does one appeal under the %s?", "%s appeal", "How is an appeal made under the %s?",
					"What are the rules on an appeal under the %s?", "appeal %s", "Can one appeal under the %s?",
				},
				[]string{"Is there an appeal against the %s?", "How do I appeal under the %s?", "appeal under the %s"},
			}, {
				"Expiry", []string{"It lapses after seven years unless the council renews it."}, []string{"seven years"},
				[]string{
					"When does the %s lapse?", "%s expiry", "When does the %s expire?",
					"After how many years does the %s lapse?", "expiry of the %s", "Does the %s lapse?",
				},
				[]string{"%s lapse", "When does the %s lapse unless it is renewed?", "Until when is the %s valid?"},
			},
		},
		things: []string{
			"Hedge Bylaw", "Hedgehog Bylaw", "Lamp Bylaw", "Goose Lane Bylaw", "Rope Bylaw", "Ash Cart Bylaw", "Gong Bylaw", "Second Gong Bylaw",
			"Thatch Bylaw", "Duck Race Bylaw", "Mill Pond Bylaw", "Kite Bylaw",
		},
		strangers: []string{"Third Gong Bylaw", "Kiln Bylaw", "Goose Field Bylaw"},
		lacking:   []string{"Who proposed the %s?", "In which year was the %s passed?"},
	}, {
		sections: []thingSection{
			{
				"Purpose", []string{"Measures %[1]s from %[2]s upwards and keeps forty readings."}, []string{"%[2]s"},
				[]string{
					"What does the %s measure?", "purpose of the %s", "What is the %s for?",
					"What is measured by the %s?", "%s purpose", "What is the purpose of the %s?",
				},
				[]string{"%s measures what?", "Tell me what the %s measures", "What is the use of the %s?"},
			}, {
				"Power", []string{"Runs for %[3]s hours on two cells below the left cover."}, []string{"%[3]s hours"},
				[]string{
					"How many hours does the %s run?", "%s power", "How is the %s powered?",
					"How long does the %s run on two cells?", "%s batteries", "Where are the cells of the %s?",
				},
				[]string{"power of the %s", "For how many hours does the %s run?", "What powers the %s?"},
			}, {
				"Cleaning", []string{"Rinse the probe in rain water and dry it in the shade.", "Brush the grille once a week and keep water away."},
				[]string{"rain water", "Brush the grille"},
				[]string{
					"How is the %s cleaned?", "%s cleaning", "What do I clean the %s with?",
					"How do I clean the %s?", "cleaning the %s", "How should one clean the %s?",
				},
				[]string{"clean %s", "What is needed for cleaning the %s?", "Tell me how to clean the %s"},
			}, {
				"Guarantee", []string{"What breaks in ordinary use is replaced for six years."}, []string{"six years"},
				[]string{
					"How long is the guarantee on the %s?", "%s guarantee", "What happens when a part of the %s breaks?",
					"How many years of guarantee are there on the %s?", "%s warranty", "What does the guarantee of the %s cover?",
				},
				[]string{"guarantee of the %s", "Is there a guarantee on the %s?", "For how many years is the %s under guarantee?"},
			},
		},
		things:    []string{"Orlanta 3", "Orlanta 5", "Pellow M2", "Pellow M20", "Drossard meter", "Ambergate", "Tideglass", "KV-Spindle", "Nocturne II", "Hearthbell", "Siltworm", "Glimmer gauge"},
		strangers: []string{"Orlanta 4", "Pellow M7", "Nocturne III", "Drossard clock"},
		lacking:   []string{"How much does the %s weigh?", "In which country is the %s built?"},
	},
}

// fill makes up the values of every thing.
func init() {
	words := strings.Fields("barge candle saddle quarry lantern meadow copper velvet thistle harbour cellar orchard pebble anchor bramble chimney")
	for k := range thingKinds {
		kind := &thingKinds[k]
		for i, name := range kind.things {
			n := len(kind.things)
			values := []string{fmt.Sprint(10 + 15*i), []string{"once a day", "twice a day", "every evening"}[i%3], kind.things[(i+n/2)%n]}
			switch k {
			case 1:
				values = []string{words[i] + " slips", words[i+3] + " tables", strings.ToUpper(name[:4]) + "_HANDS"}
			case 2:
				values = []string{words[i] + " carts", fmt.Sprint(5 + 7*i), ""}
			case 3:
				values = []string{words[i] + " dust", fmt.Sprintf("%d grains", 3+4*i), fmt.Sprint(20 + 11*i)}
			}
			kind.values = append(kind.values, values)
		}
	}
}

// thingPage is one of the sixty.
type thingPage struct {
	name     string
	headings []string
	texts    []string
}

func thingPages() []thingPage {
	var pages []thingPage
	for _, kind := range thingKinds {
		for i, name := range kind.things {
			page := thingPage{name: name}
			for _, s := range kind.sections {
				page.headings = append(page.headings, s.heading)
				page.texts = append(page.texts, filled(s.texts[i%len(s.texts)], kind.values[i]))
			}
			pages = append(pages, page)
		}
	}
	return pages
}

func filled(text string, values []string) string {
	for i, v := range values {
		text = strings.ReplaceAll(text, fmt.Sprintf("%%[%d]s", i+1), v)
	}
	return text
}

// thingShapes holds ways to keep the pages: names of files and their contents. The name of a file tells
// nothing unless its shape says so.
var thingShapes = []struct {
	name  string
	files func(pages []thingPage) map[string]string
}{
	{"a file a page", func(pages []thingPage) map[string]string {
		return eachPage(pages, "md", func(p thingPage) string { return "# " + p.name + "\n\n" + p.markdown("##") })
	}},
	{"one long file", func(pages []thingPage) map[string]string {
		var b strings.Builder
		b.WriteString("# Handbook of everything\n\n")
		for _, p := range pages {
			b.WriteString("## " + p.name + "\n\n" + p.markdown("###"))
		}
		return map[string]string{"handbook.md": b.String()}
	}},
	{"title in the front matter", func(pages []thingPage) map[string]string {
		return eachPage(pages, "md", func(p thingPage) string { return "---\ntitle: " + p.name + "\n---\n\n" + p.markdown("##") })
	}},
	{"HTML", func(pages []thingPage) map[string]string {
		return eachPage(pages, "html", func(p thingPage) string {
			text := "<html><head><title>" + p.name + "</title></head><body>\n"
			for i := range p.headings {
				text += "<h2>" + p.headings[i] + "</h2>\n<p>" + p.texts[i] + "</p>\n"
			}
			return text + "</body></html>\n"
		})
	}},
	{"rows with a title", func(pages []thingPage) map[string]string {
		var b strings.Builder
		for n, p := range pages {
			for i := range p.headings {
				row, _ := json.Marshal(map[string]string{"id": fmt.Sprint(n, "-", i), "title": p.name, "section": p.headings[i], "text": p.texts[i]})
				b.Write(append(row, '\n'))
			}
		}
		return map[string]string{"rows.jsonl": b.String()}
	}},
	{"name of the file", func(pages []thingPage) map[string]string {
		files := make(map[string]string)
		for _, p := range pages {
			files[p.name+".md"] = p.markdown("##")
		}
		return files
	}},
}

func eachPage(pages []thingPage, extension string, text func(thingPage) string) map[string]string {
	files := make(map[string]string)
	for i, p := range pages {
		files[fmt.Sprintf("leaf-%d.%s", 4100+7*i, extension)] = text(p)
	}
	return files
}

func (p thingPage) markdown(level string) string {
	text := ""
	for i := range p.headings {
		text += level + " " + p.headings[i] + "\n\n" + p.texts[i] + "\n\n"
	}
	return text
}

// thingQuestion is a question about a thing. It has an answer if it has a key.
type thingQuestion struct {
	form, text, name, key string
}

// coveredQuestions asks four questions about each thing, by wordings that are asked, or sealed.
func coveredQuestions(form string) []thingQuestion {
	var all []thingQuestion
	for _, kind := range thingKinds {
		for i, name := range kind.things {
			for j, s := range kind.sections {
				wordings := s.asked
				if form == "sealed" {
					wordings = s.sealed
				}
				key := filled(s.key[i%len(s.key)], kind.values[i])
				all = append(all, thingQuestion{form, fmt.Sprintf(wordings[(i+j)%len(wordings)], name), name, key})
			}
		}
	}
	return all
}

// missingQuestions asks about sides and things that no page has.
func missingQuestions() []thingQuestion {
	var all []thingQuestion
	for _, kind := range thingKinds {
		for i, name := range kind.things {
			all = append(all, thingQuestion{"no such side", fmt.Sprintf(kind.lacking[i%2], name), name, ""})
		}
		for i, name := range kind.strangers {
			for j, s := range kind.sections {
				all = append(all, thingQuestion{"no such thing", fmt.Sprintf(s.asked[(i+j)%len(s.asked)], name), name, ""})
			}
		}
	}
	return all
}

func thingQuestions() []thingQuestion {
	return slices.Concat(coveredQuestions("asked"), coveredQuestions("sealed"), missingQuestions())
}

// thingCount holds what became of the questions of one form.
type thingCount struct{ n, right, wrong, missing, outright, shown int }

func (c *thingCount) add(o thingCount) {
	c.n, c.right, c.wrong = c.n+o.n, c.right+o.right, c.wrong+o.wrong
	c.missing, c.outright, c.shown = c.missing+o.missing, c.outright+o.outright, c.shown+o.shown
}

// askThings asks and says what was wrong.
func askThings(t *testing.T, library *knowledge.Library, questions []thingQuestion) map[string]*thingCount {
	t.Helper()
	strategy := &extract.Offline{Judge: gap.NewJudge()}
	counts := make(map[string]*thingCount)
	for _, q := range questions {
		result, err := strategy.Answer(t.Context(), library, answer.Question{Text: q.text})
		if err != nil {
			t.Fatal(err)
		}
		c := counts[q.form]
		if c == nil {
			c = new(thingCount)
			counts[q.form] = c
		}
		c.n++
		shown, wrong := "", false
		for _, s := range result.Shown() {
			shown += s.Lead + " " + s.Text + "\n"
		}
		for _, cited := range result.Citations {
			wrong = wrong || !isPageOf(cited.Passage, q.name)
		}
		right := result.State == answer.Answered && !wrong && q.key != "" && strings.Contains(shown, q.key)
		add := func(n *int, is bool) {
			if is {
				*n++
			}
		}
		add(&c.right, right)
		add(&c.wrong, wrong && (q.form != "no such thing" || result.State == answer.Answered)) // its neighbours may be near
		add(&c.missing, gap.Missing(result.MissingProbability))
		add(&c.outright, result.State == answer.Answered)
		add(&c.shown, len(result.Shown()) > 0)
		if wrong || q.key != "" && !right || q.key == "" && result.State == answer.Answered {
			t.Logf("%s: %s (missing %.2f) %s", q.form, q.text, result.MissingProbability, strings.ReplaceAll(covered(result), "\n", " "))
		}
	}
	return counts
}

// isPageOf reports whether a passage stands on the page of a thing.
func isPageOf(p *passage.Passage, name string) bool {
	return p.Title == name || slices.Contains(p.Headings, name)
}

// check holds the promise: nearly all questions are answered from the right page, and none from another.
func checkThings(t *testing.T, where string, counts map[string]*thingCount) {
	t.Helper()
	for _, form := range []string{"asked", "sealed", "no such side", "no such thing"} {
		c := counts[form]
		if c == nil {
			continue
		}
		t.Logf("%s, %s: n %d, right %d, from another page %d, marked missing %d, outright %d, shown %d", where, form, c.n, c.right, c.wrong, c.missing, c.outright, c.shown)
		if c.wrong > 0 {
			t.Errorf("%s, %s: %d of %d cite the page of something else", where, form, c.wrong, c.n)
		}
		covered := form == "asked" || form == "sealed"
		if covered && (float64(c.right) < .98*float64(c.n) || float64(c.missing) > .02*float64(c.n)) {
			t.Errorf("%s, %s: %d of %d answered from the right page, %d marked missing; want .98 and .02", where, form, c.right, c.n, c.missing)
		}
		if !covered && float64(c.outright) > .02*float64(c.n) {
			t.Errorf("%s, %s: %d of %d answered outright", where, form, c.outright, c.n)
		}
	}
}

// TestRightPage asks about sixty pages whose sections repeat word for word, each shape by itself. The shapes share the
// questions and count together; with LACUNA_LONG=1 each has all of them and counts alone.
func TestRightPage(t *testing.T) {
	together := make(map[string]*thingCount)
	for at, shape := range thingShapes {
		t.Run(shape.name, func(t *testing.T) {
			folder := t.TempDir()
			write(t, folder, shape.files(thingPages()))
			library := landed(t, open(t, folder))
			if os.Getenv("LACUNA_LONG") != "" {
				checkThings(t, shape.name, askThings(t, library, thingQuestions()))
				return
			}
			var some []thingQuestion
			for i, q := range thingQuestions() {
				if i%len(thingShapes) == at {
					some = append(some, q)
				}
			}
			for form, c := range askThings(t, library, some) {
				if together[form] == nil {
					together[form] = new(thingCount)
				}
				together[form].add(*c)
			}
		})
	}
	checkThings(t, "all shapes", together)
}

func write(t testing.TB, folder string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// open opens an index of a folder as the program does.
func open(t testing.TB, folder string) *knowledge.Index {
	t.Helper()
	index, err := knowledge.Open(knowledge.Options{
		Dir:        t.TempDir(),
		Sources:    []ingest.Source{{Name: "kb", Kind: passage.Text, Path: folder}},
		Companions: []knowledge.Companion{gap.Companion(), extract.QuestionTypes{}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { index.Close() })
	return index
}

// landed reads what is new in the folder.
func landed(t testing.TB, index *knowledge.Index) *knowledge.Library {
	t.Helper()
	if err := index.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	return index.Library()
}

// TestRightPageInALargeBase lets the sixty pages come into a base of 20,000 untitled passages that has been
// trained without them. With LACUNA_LONG=1 these are made up, and there are also those of
// kb/passages-pubmed below LACUNA_DATA; without it there is nothing to do, since training takes a minute.
func TestRightPageInALargeBase(t *testing.T) {
	if os.Getenv("LACUNA_LONG") == "" {
		t.Skip("LACUNA_LONG is not set; this takes minutes")
	}
	for _, base := range []struct {
		name string
		fill func(t *testing.T, folder string)
	}{
		{"invented", func(t *testing.T, folder string) { write(t, folder, map[string]string{"base.jsonl": madeUp(20_000)}) }},
		{"pubmed", func(t *testing.T, folder string) {
			data := os.Getenv("LACUNA_DATA")
			if data == "" {
				t.Skip("LACUNA_DATA names no folder with the data to measure on")
			}
			packed, err := os.ReadFile(filepath.Join(data, "kb", "passages-pubmed.jsonl.gz"))
			if err != nil {
				t.Fatal(err)
			}
			write(t, folder, map[string]string{"base.jsonl.gz": string(packed)})
		}},
	} {
		t.Run(base.name, func(t *testing.T) {
			folder := t.TempDir()
			base.fill(t, folder)
			index := open(t, folder)
			landed(t, index)
			for _, shape := range thingShapes {
				files := shape.files(thingPages())
				write(t, folder, files)
				library := landed(t, index)
				where := shape.name + " among " + base.name
				checkThings(t, where, askThings(t, library, thingQuestions()))
				for name := range files {
					if err := os.Remove(filepath.Join(folder, name)); err != nil {
						t.Fatal(err)
					}
				}
			}
		})
	}
}

// madeUp is a base of n untitled passages, as rows: sentences of invented words and of those that the
// questions are asked with, the former by how often words of a language come up.
func madeUp(n int) string {
	random := rand.New(rand.NewPCG(1, 2))
	syllables := strings.Fields("ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo zy bran clo drei flu gris")
	invented := make([]string, 6000)
	for i := range invented {
		for range 2 + random.IntN(3) {
			invented[i] += syllables[random.IntN(len(syllables))]
		}
	}
	common := strings.Fields(`dose adults kidney disease pregnancy interactions purpose jobs variable failures licence scope penalty appeal
		expiry hours cells cleaning guarantee water years crowns clerk measures runs given taken patient effect blood month day week first second use
		change council part readings written number the of and in to is was with for by on that from after before between`)
	var b strings.Builder
	for i := range n {
		var text []string
		for range 2 + random.IntN(3) {
			var words []string
			for range 8 + random.IntN(12) {
				word := invented[int(float64(len(invented))*random.Float64()*random.Float64()*random.Float64())]
				if random.IntN(3) == 0 {
					word = common[random.IntN(len(common))]
				}
				words = append(words, word)
			}
			sentence := strings.Join(words, " ")
			text = append(text, strings.ToUpper(sentence[:1])+sentence[1:]+".")
		}
		row, _ := json.Marshal(map[string]string{"id": fmt.Sprint("made-", i), "text": strings.Join(text, " ")})
		b.Write(append(row, '\n'))
	}
	return b.String()
}
