package extract

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lacuna/knowledge"
	"lacuna/knowledge/dense"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/lexicon"
	"lacuna/knowledge/passage"
)

// collection is a base of so many texts in which every term it names occurs so often, and every other
// term once.
type collection struct {
	n     int
	often map[string]int
}

func (s collection) N() int                            { return s.n }
func (s collection) Encoder() *dense.Encoder           { return nil }
func (s collection) Wording([]string) *lexicon.Wording { return new(lexicon.Wording) }
func (s collection) DocFreq(term string) int {
	if df, ok := s.often[term]; ok {
		return df
	}
	return 1
}

func (s collection) IDF(term string) float64 {
	df := float64(s.DocFreq(term))
	return math.Log(1 + (float64(s.n)-df+.5)/(df+.5))
}

// even weighs all terms alike.
var even = collection{n: 10}

// list makes hits of passages, best first; the first has the BM25 score 1 and each further one
// 0.1 less.
func list(passages ...*passage.Passage) []knowledge.Hit {
	hits := make([]knowledge.Hit, len(passages))
	for i, p := range passages {
		hits[i] = knowledge.Hit{
			Passage: p, Ordinal: i, Rank: i + 1, BM25: 1 - .1*float64(i), Retriever: knowledge.BM25,
		}
	}
	return hits
}

// plain makes one passage of plain text of each text, every one a document.
func plain(texts ...string) []*passage.Passage {
	passages := make([]*passage.Passage, len(texts))
	for i, text := range texts {
		passages[i] = &passage.Passage{
			ID: passage.IDOf(text), Source: "notes", Document: string(rune('a' + i)),
			Kind: passage.Text, Format: passage.Plain, Text: text,
		}
	}
	return passages
}

// markdown returns the passage that is read from a Markdown file.
func markdown(t testing.TB, text string) *passage.Passage {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "note.md"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	read, err := ingest.Read(t.Context(), ingest.DefaultLimits(), []ingest.Source{{Name: "notes", Kind: passage.Text, Path: folder}}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	passages := ingest.Passages(read)
	if len(passages) != 1 {
		t.Fatalf("%d passages of %q", len(passages), text)
	}
	return passages[0]
}

// shown renders what an answer would show, one bullet a line.
func shown(r *reading, amount Amount) []string {
	var bullets []string
	for _, q := range r.quotations(r.choose(r.scores(), amount)) {
		bullet := r.pages[q.page].shown.Span(q.span)
		switch lead := q.shownLead(r.pages[q.page].shown); {
		case lead == "":
		case q.elided():
			bullet = "(" + lead + " …) " + bullet
		default:
			bullet = "(" + lead + ") " + bullet
		}
		bullets = append(bullets, bullet)
	}
	return bullets
}

func TestTheSentenceADoctorShouldRead(t *testing.T) {
	for _, c := range []struct {
		name     string
		question string
		passages []*passage.Passage
		want     string
	}{
		{
			"what the passages agree on",
			"What is the risk after splenectomy?",
			plain(
				"Splenectomy is done for trauma. The risk of overwhelming infection stays raised for life.",
				"After splenectomy the risk of overwhelming infection stays raised for life.",
				"Platelets rise in the weeks after splenectomy.",
			),
			"After splenectomy the risk of overwhelming infection stays raised for life.",
		},
		{
			"what it is before what is done about it",
			"What is gout?",
			plain(
				"Allopurinol is started between attacks of gout. Gout is an arthritis caused by crystals of urate in the joints.",
				"Colchicine is given early. Gout is an arthritis with crystals of urate.",
				"Urate is measured between attacks.",
			),
			"Gout is an arthritis caused by crystals of urate in the joints.",
		},
		{
			"Chinese",
			"阿司匹林有什么不良反应？",
			plain(
				"阿司匹林的不良反应包括胃肠道出血。服药期间应避免饮酒。",
				"阿司匹林的不良反应包括胃肠道出血。",
				"布洛芬用于退热。",
			),
			"阿司匹林的不良反应包括胃肠道出血。",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := shown(read(c.question, even, list(c.passages...)), LeadOnly)
			if diff := cmp.Diff([]string{c.want}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestBulletsBringWhatTheyCannotDoWithout(t *testing.T) {
	for _, c := range []struct {
		name     string
		question string
		text     *passage.Passage
		want     []string
	}{
		{
			"a pronoun its predecessor",
			"How often are platelets checked with linezolid?",
			plain("Linezolid can lower the platelets. This is why platelets are checked weekly with linezolid. Tyramine is avoided.")[0],
			[]string{"(Linezolid can lower the platelets.) This is why platelets are checked weekly with linezolid."},
		},
		{
			"an item the head of its list",
			"What dose of amoxicillin for otitis?",
			markdown(t, "Doses of common drugs:\n\n- ibuprofen 10 mg/kg for fever\n- amoxicillin 40 mg/kg for otitis\n- paracetamol 15 mg/kg\n"),
			[]string{"(Doses of common drugs: …) amoxicillin 40 mg/kg for otitis"},
		},
		{
			"a nested item the item above it",
			"What dose of amoxicillin for otitis?",
			markdown(t, "Drugs:\n\n- Children\n  - amoxicillin 40 mg/kg for otitis\n- Adults\n  - none\n"),
			[]string{"(Drugs: Children) amoxicillin 40 mg/kg for otitis"},
		},
		{
			"a row the names of its columns",
			"What dose of amoxicillin?",
			markdown(t, "| drug | dose |\n|---|---|\n| ibuprofen | 10 mg/kg |\n| amoxicillin | 40 mg/kg |\n"),
			[]string{"drug: amoxicillin; dose: 40 mg/kg"},
		},
		{
			"code what stands before it",
			"How do I restart the pump server?",
			markdown(t, "The pump server logs to a file.\n\nTo restart the pump server, run:\n\n```sh\nsystemctl stop pumpd\n  systemctl start pumpd\n```\n\nIt takes a minute.\n"),
			[]string{"(To restart the pump server, run:) systemctl stop pumpd ⏎   systemctl start pumpd"},
		},
		{
			"the head of a list its items",
			"Who must not take examplin?",
			markdown(t, "Tablets are white.\n\nDo not give examplin to people who must not take it:\n\n- with **asthma**\n- [in pregnancy](x.md)\n\nStore it cold.\n"),
			[]string{"(Do not give examplin to people who must not take it:) with asthma; in pregnancy"},
		},
		{
			"a definition its term",
			"What is the half-life of examplin?",
			markdown(t, "Half-life\n: Of examplin it is six hours.\n\nTaste\n: Bitter.\n"),
			[]string{"(Half-life) Of examplin it is six hours."},
		},
		{
			"a warning its title",
			"May examplin be crushed?",
			markdown(t, "Swallow it.\n\n!!! warning \"Examplin retard\"\n    It may not be crushed, says examplin's label.\n"),
			[]string{"(Examplin retard) It may not be crushed, says examplin's label."},
		},
		{
			"a question the answer after it",
			"Is metformin safe in pregnancy?",
			plain("Weigh her. Is metformin safe in pregnancy? Yes.")[0],
			[]string{"Is metformin safe in pregnancy? Yes."},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := shown(read(c.question, even, list(c.text)), LeadOnly)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSomeSentencesAreNeverShown(t *testing.T) {
	for _, text := range []string{
		"Warfarin <b>bold</b> interacts with ciprofloxacin.",
		"Warfarin ![chart](http://example.org/x.png) interacts with ciprofloxacin.",
		"Warfarin <!-- note --> interacts with ciprofloxacin.",
		"Warfarin [interacts](command:run) with ciprofloxacin.",
		"Warfarin interacts\u202e with ciprofloxacin.",
		"Warfarin interacts with:",
		"Does warfarin interact with ciprofloxacin?",
		"Does warfarin interact with ciprofloxacin? See <b>here</b>.",
	} {
		r := read("Does warfarin interact with ciprofloxacin?", even, list(plain(text)...))
		if got := shown(r, Three); len(got) > 0 {
			t.Errorf("shown: %q", got)
		}
	}
	for _, text := range []string{
		"The difference was significant (p <0.05) for warfarin with ciprofloxacin.",
		"Warfarin interacts with ciprofloxacin in <branch>.",
	} {
		r := read("Does warfarin interact with ciprofloxacin?", even, list(plain(text)...))
		if got := shown(r, LeadOnly); len(got) != 1 || got[0] != text {
			t.Errorf("%q: shown %q", text, got)
		}
	}
}

func TestHeadingsAndTableHeadersAreNotShown(t *testing.T) {
	r := read("Warfarin and ciprofloxacin?", even, list(
		markdown(t, "## Warfarin and ciprofloxacin\n\nCheck the INR.\n\n| warfarin | ciprofloxacin |\n|---|---|\n| more | less |\n"),
	))
	for _, bullet := range shown(r, Three) {
		if strings.HasPrefix(bullet, "Warfarin and") || bullet == "warfarin; ciprofloxacin" {
			t.Errorf("shown: %q", bullet)
		}
	}
}

func TestCopiesAreOneCandidate(t *testing.T) {
	r := read("What is gout?", even, list(plain(
		"Gout is an arthritis.", "GOUT is an arthritis! Urate causes it.", "Gout, is an arthritis.",
	)...))
	if len(r.sentences) != 2 || r.sentences[0].copies != 3 || r.sentences[0].page != 0 {
		t.Errorf("sentences: %+v", r.sentences)
	}
}

func TestFurtherListsKeepTheirOwnOrder(t *testing.T) {
	first := list(plain("One.", "Two.")...)
	second := list(plain("Three.", "Four.")...)
	for i := range second {
		second[i].BM25 *= 7 // another query's scores are on another scale
	}
	r := read("three?", even, first, second)
	for i, want := range []float64{0, -.1, 0, -.1} {
		if got := r.pages[i].behind; math.Abs(got-want) > 1e-9 {
			t.Errorf("page %d is %v behind, want %v", i, got, want)
		}
	}
}

// BenchmarkReading reads ten passages of ten sentences, which is much for notes and little for
// abstracts.
func BenchmarkReading(b *testing.B) {
	var texts []string
	for i := range 10 {
		var text strings.Builder
		for j := range 10 {
			fmt.Fprintf(&text, "Gout attack number %d was treated with %d mg of colchicine within %d hours of the first pain in the joint. ", 10*i+j, 5*j, i+j)
		}
		texts = append(texts, text.String())
	}
	hits := list(plain(texts...)...)
	for b.Loop() {
		r := read("How is an attack of gout treated?", even, hits)
		r.quotations(r.choose(r.scores(), UpToThree))
	}
}
