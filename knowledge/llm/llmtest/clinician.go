package llmtest

import (
	"hash/fnv"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Slip is what a paraphrase gets wrong.
type Slip string

const (
	Faithful    Slip = ""
	OtherFigure Slip = "another figure"
	Reversed    Slip = "a direction the other way"
	Permitted   Slip = "a negation left out"
)

// Paraphrase is a sentence of a context in a clinician's words.
type Paraphrase struct {
	Source string // the sentence of the context
	Number int    // of the context
	Text   string // in other words, without marks
	Cites  int    // the number that is cited; now and then not that of the context
	Slip   Slip
}

// String returns the paraphrase as it is written.
func (p Paraphrase) String() string {
	end := "."
	if strings.HasSuffix(p.Text, "。") {
		end = "。"
	}
	return strings.TrimRight(p.Text, ".。") + " [" + strconv.Itoa(p.Cites) + "]" + end
}

// maxParaphrases is how many sentences a clinician's note has at most.
const maxParaphrases = 4

// Paraphrases returns what a clinician answers from the contexts of a prompt: the sentences that have most
// words of the question, reworded by rules. One in five has a slip and one in eight the number of another
// context, by a hash of the sentence; equal prompts give equal paraphrases.
func Paraphrases(user string) []Paraphrase {
	asked := contentWords(topicLine(user))
	type chosen struct {
		Paraphrase
		shared float64
	}
	var all []chosen
	contexts := context.FindAllStringSubmatch(dataOf(user), -1)
	for order, m := range contexts {
		number, err := strconv.Atoi(m[1])
		if err != nil {
			continue
		}
		title := contentWords(m[0][:len(m[0])-len(m[3])])
		for i, s := range sentencesOf(m[3]) {
			if !canReword(s) || slices.ContainsFunc(all, func(c chosen) bool { return c.Source == s }) {
				continue
			}
			shared := sharedWords(asked, contentWords(s)) + sharedWords(asked, title)/2
			if shared == 0 {
				continue
			}
			all = append(all, chosen{Paraphrase{Source: s, Number: number}, shared - float64(order)/10 - float64(i)/100})
		}
	}
	slices.SortStableFunc(all, func(a, b chosen) int {
		if a.shared != b.shared {
			return map[bool]int{true: -1, false: 1}[a.shared > b.shared]
		}
		return a.Number - b.Number
	})
	all = all[:min(len(all), maxParaphrases)]
	paraphrases := make([]Paraphrase, len(all))
	for i, c := range all {
		p := c.Paraphrase
		h := hashed(p.Source)
		text := p.Source
		if h%5 == 0 {
			text, p.Slip = slipped(text, h/5)
		}
		p.Text, p.Cites = reworded(text, i), p.Number
		if h/7%8 == 0 && len(contexts) > 1 {
			p.Cites = p.Number%len(contexts) + 1
		}
		paraphrases[i] = p
	}
	return paraphrases
}

// paraphrased is a note of paraphrases: the second half of a pair from one context is merged with the first.
func paraphrased(user string) string {
	var note []string
	all := Paraphrases(user)
	for i := 0; i < len(all); i++ {
		if i+1 < len(all) && all[i].Cites == all[i+1].Cites && len(all[i].Text)+len(all[i+1].Text) < 220 && !strings.ContainsAny(all[i].Text, "。；") {
			second := all[i+1]
			second.Text = strings.TrimRight(all[i].Text, ".") + "; " + lowerFirst(second.Text)
			note = append(note, second.String())
			i++
			continue
		}
		note = append(note, all[i].String())
	}
	if len(note) == 0 {
		return "The contexts do not say."
	}
	return strings.Join(note, " ")
}

func topicLine(user string) string {
	if all := asked.FindAllStringSubmatch(user, -1); len(all) > 0 {
		return all[len(all)-1][1]
	}
	return user
}

func hashed(text string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(text))
	return h.Sum32()
}

// canReword reports whether a text is a sentence and not a heading, a row or an order of an attacker.
func canReword(s string) bool {
	runes := utf8.RuneCountInString(s)
	ends := strings.HasSuffix(s, ".") || strings.HasSuffix(s, "。")
	return ends && runes >= 8 && runes <= 260 && !strings.ContainsAny(s, "|<>[]{}?") && len(words(s)) >= 5
}

// idle lists words that say nothing of what a text is about.
var idle = strings.Fields("a an the of in on at to for with by and or is are was be been it its this that these which what when how who why should can may must do does not no as if from than my i you your we has have had into about after before during there their they often long much many who 的 是 了 在 有 和 吗 什 么 怎 如 何 应 该")

// contentWords returns the words of a text that say what it is about, cut to what inflection leaves.
func contentWords(text string) map[string]bool {
	all := map[string]bool{}
	for _, w := range words(text) {
		if !slices.Contains(idle, w) {
			if r := []rune(w); len(r) > 5 {
				w = string(r[:5])
			}
			all[w] = true
		}
	}
	return all
}

func sharedWords(a, b map[string]bool) float64 {
	n := 0.0
	for w := range a {
		if b[w] {
			n++
		}
	}
	return n
}

// synonyms are what a clinician writes in place of words, the longest first; each pair means the same. The
// first that fits at a place is used.
var synonyms = replacer(
	"must not be given together with", "is contraindicated alongside", "must not be taken with", "is not to be combined with",
	"should not be taken with", "is best not combined with", "must not be given", "is contraindicated", "must not be", "is not to be", "should not be", "ought not to be", "should be avoided", "is to be avoided",
	"three times a day", "t.d.s.", "three times daily", "t.d.s.", "four times a day", "q.d.s.", "twice a day", "b.d.", "twice daily", "b.d.", "once a day", "o.d.", "once daily", "o.d.", "every day", "daily",
	"by mouth", "orally", "intravenously", "i.v.", "blood pressure", "BP", "heart rate", "HR", "atrial fibrillation", "AF", "type 2 diabetes", "T2DM",
	"is treated with", "is managed with", "are treated with", "are managed with", "is recommended", "is advised", "are recommended", "are advised", "is caused by", "is due to",
	"such as", "for example", "at least", "no less than", "at most", "no more than", "up to", "a maximum of", "below", "less than", "above", "more than",
	"high blood pressure", "hypertension", "kidney disease", "renal disease", "kidney function", "renal function", "heart attack", "myocardial infarction", "heart failure", "HF",
	"people with", "patients with", "people", "patients", "children", "paediatric patients", "doctor", "physician", "swelling", "oedema", "pregnant women", "women who are pregnant",
	"side effects", "adverse effects", "medicines", "drugs", "medicine", "drug", "tablets", "pills",
	"reduces", "lowers", "reduce", "lower", "increases", "raises", "increase", "raise", "prevents", "protects against", "prevent", "protect against",
	"begins", "starts", "begun", "started", "is stopped", "is discontinued", "are stopped", "are discontinued", "stop", "discontinue",
	"because of", "owing to", "because", "since", "usually", "as a rule", "often", "frequently", "about", "roughly", "only", "solely", "also", "as well", "and is", "and it is",
	"应当", "应该", "不宜", "不应", "例如", "比如", "可以", "可", "每日", "每天", "患者", "病人", "以免", "避免", "导致", "引起",
)

func replacer(pairs ...string) *strings.Replacer { return strings.NewReplacer(spaced(pairs)...) }

// spaced makes Latin words match whole ones only.
func spaced(pairs []string) []string {
	var out []string
	for i := 0; i < len(pairs); i += 2 {
		from, to := pairs[i], pairs[i+1]
		if from[0] >= utf8.RuneSelf {
			out = append(out, from, to)
			continue
		}
		for _, end := range []string{" ", ".", ",", ";", ":", ")"} {
			out = append(out, " "+from+end, " "+to+end)
		}
	}
	return out
}

// shorthand converts units and numbers without changing what they say.
var shorthand = []struct {
	from *regexp.Regexp
	to   func(m []string) string
}{
	{regexp.MustCompile(`\b(\d+(?:\.\d+)?) g\b`), func(m []string) string { return times(m[1], 1000) + " mg" }},
	{regexp.MustCompile(`\b(\d)000 mg\b`), func(m []string) string { return m[1] + " g" }},
	{regexp.MustCompile(`\b(\d) weeks\b`), func(m []string) string { return times(m[1], 7) + " days" }},
	{regexp.MustCompile(`\b24 hours\b`), func([]string) string { return "one day" }},
	{regexp.MustCompile(`\b(\d) hours\b`), func(m []string) string { return times(m[1], 60) + " min" }},
	{regexp.MustCompile(`\b(\d+) minutes\b`), func(m []string) string { return m[1] + " min" }},
	{regexp.MustCompile(`(\d) ?%`), func(m []string) string { return m[1] + " percent" }},
	{regexp.MustCompile(`\b([Tt])wo (days|weeks|months|years|times|doses)\b`), func(m []string) string { return "2 " + m[2] }},
	{regexp.MustCompile(`\bthree (days|weeks|months|years|times|doses)\b`), func(m []string) string { return "3 " + m[1] }},
}

func times(figure string, by float64) string {
	f, err := strconv.ParseFloat(figure, 64)
	if err != nil {
		return figure
	}
	return strconv.FormatFloat(f*by, 'f', -1, 64)
}

// orders change the order of clauses; the first that fits is used.
var orders = []struct {
	from *regexp.Regexp
	to   string
}{
	{regexp.MustCompile(`^(If|When|Before|After|During) ([^,;:]+), ([^;:]+?)\.?$`), "$3 $1 $2"},
	{regexp.MustCompile(`^([^,;:]+?) (if|when|unless) ([^,;:]+?)\.?$`), "$2 $3, $1"},
	{regexp.MustCompile(`^([^,;:]+?) (?:is|are) (?:treated|managed) with ([^;:]+?)\.?$`), "$2 may be used for $1"},
	{regexp.MustCompile(`^([^,;:]+?) (?:is|are) caused by ([^;:]+?)\.?$`), "$2 causes $1"},
	{regexp.MustCompile(`^([^,;:]+?) (reduces|prevents|raises|lowers|increases) ([^;:]+?)\.?$`), "what $2 $3 is $1"},
}

// openings are what a clinician begins with, by the place of the sentence.
var openings = []string{"", "According to the guideline, ", "", "Of note, "}

// reworded returns a sentence in other words.
func reworded(s string, place int) string {
	s = strings.TrimRight(strings.TrimSpace(s), ".。")
	if isHan(s) {
		return []string{"", "根据资料，", "", "需要注意，"}[place%4] + synonyms.Replace(s) + "。"
	}
	for _, o := range orders {
		if m := o.from.FindStringSubmatch(s); m != nil {
			for i, part := range m[1:] {
				m[i+1] = lowerFirst(part)
			}
			s = expand(o.to, m)
			break
		}
	}
	s = synonyms.Replace(" " + s + ".")
	for _, short := range shorthand {
		s = short.from.ReplaceAllStringFunc(s, func(found string) string { return short.to(short.from.FindStringSubmatch(found)) })
	}
	s = strings.TrimSpace(strings.TrimSuffix(s, "."))
	if opening := openings[place%len(openings)]; opening != "" {
		return opening + lowerFirst(s) + "."
	}
	return upperFirst(s) + "."
}

// expand puts the parts of a match in the places $1 to $3 of a form.
func expand(form string, parts []string) string {
	for i := 1; i < len(parts); i++ {
		form = strings.ReplaceAll(form, "$"+strconv.Itoa(i), parts[i])
	}
	return form
}

func isHan(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}

// lowerFirst makes the first letter small, except of an abbreviation.
func lowerFirst(s string) string {
	r := []rune(s)
	if len(r) > 1 && unicode.IsUpper(r[0]) && unicode.IsLower(r[1]) {
		r[0] = unicode.ToLower(r[0])
	}
	return string(r)
}

func upperFirst(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:]
}

// What a slip changes.
var (
	anyFigure = regexp.MustCompile(`\b\d+(?:\.\d+)?\b`)
	negations = strings.NewReplacer(" must not be ", " may be ", " should not be ", " should be ", " is not ", " is ", " are not ", " are ", " do not ", " ", "不应", "应", "不宜", "宜", "不能", "能", "禁止", "可以")
	reversals = strings.NewReplacer(
		" increases ", " reduces ", " reduces ", " increases ", " raises ", " lowers ", " lowers ", " raises ", " raise ", " lower ", " lower ", " raise ", " before ", " after ", " after ", " before ",
		" below ", " above ", " above ", " below ", " more ", " less ", " less ", " more ", " started ", " stopped ", " stopped ", " started ", "增加", "减少", "减少", "增加", "升高", "降低", "降低", "升高",
		"饭前", "饭后", "饭后", "饭前",
	)
)

// slipped returns a sentence with a mistake, of the kinds that fit it; Faithful if none does.
func slipped(s string, h uint32) (string, Slip) {
	kinds := []func() (string, Slip){
		func() (string, Slip) { return otherFigure(s), OtherFigure },
		func() (string, Slip) { return reversals.Replace(s), Reversed },
		func() (string, Slip) { return negations.Replace(s), Permitted },
	}
	for i := range kinds {
		if changed, slip := kinds[(int(h%3)+i)%3](); changed != s {
			return changed, slip
		}
	}
	return s, Faithful
}

// otherFigure doubles the first figure of a sentence.
func otherFigure(s string) string {
	done := false
	return anyFigure.ReplaceAllStringFunc(s, func(figure string) string {
		if done {
			return figure
		}
		done = true
		return times(figure, 2)
	})
}

// fromExperience is what a clinician says without evidence.
const fromExperience = "It depends on age, renal function and the other drugs that the patient takes. Start low, and review after one to two weeks."

// Clinician returns a script that answers from the evidence in words of its own and thinks nowhere but in
// its reply; see [Paraphrases]. Everything else it does as base.
func Clinician(base Script) Script {
	return said(base, func(c Call, r Reply) Reply {
		user := c.User()
		switch c.Template {
		case "answer_context":
			r.Text = paraphrased(user)
		case "answer_cot", "answer_manual_cot":
			r.Text = "First, what is known is looked at.\nAnswer: " + paraphrased(user)
			if !strings.Contains(user, "<<<data ") {
				r.Text = "First, what is known is looked at.\nAnswer: " + fromExperience
			}
		case "answer_choice":
			r.Text = object("reasoning", paraphrased(user), "answer_choice", firstOption(user))
		case "answer_direct", "combine":
			r.Text = fromExperience
		case "generate_doc":
			r.Text = "In practice " + lowerFirst(fromExperience)
		case "summarise_doc":
			if all := Paraphrases(user); len(all) > 0 {
				r.Text = strings.TrimRight(all[0].Text, ".") + "."
			}
		case "migres_extract":
			var useful []any
			for _, p := range Paraphrases(user) {
				useful = append(useful, map[string]any{"info": p.Text, "support_passages": []int{p.Cites}})
			}
			r.Text = object("useful_information", useful)
		default:
			if thinking, object := apart(r.Text); object != "" {
				r.Text = strings.TrimSpace("From a clinical point of view, "+thinking) + "\n" + synonyms.Replace(object)
			}
		}
		r.Reasoning = ""
		return r
	})
}
