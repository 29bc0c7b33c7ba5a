package entail

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
)

// Clash is a pair of sentences of two sources that cannot both hold. Which of them is right it does not say.
type Clash struct {
	A, B passage.Span // the sentences, of [Source.Text] of each
	// Differences has the words that cannot both be true, at least one: Claimed is a span of A's text, Stated of B's.
	Differences []Difference
}

// The bars for two sentences to clash, fitted to pairs of passages of guidelines, handbooks and leaflets.
const (
	clashFrom   = .8  // the greater probability that one contradicts the other, where a figure differs
	clashBoth   = .5  // the smaller one
	clashHeld   = .45 // the share of a sentence that the other means
	clashAlike  = .6  // where each has one figure of a kind
	clashAdvice = .55 // where one advises against what the other advises
	clashOther  = .35 // the share of the other sentence then
	clashTurned = .6  // the smaller probability where a German verb is turned
	clashPairs  = 12  // of two sources that are compared, those with the most words in common: each costs a millisecond or two
)

// Conflict finds what two sources say of the same that cannot both hold: another figure, bound, time or direction,
// for and against. It returns the surest pair of sentences; false if there is none. Sentences about other people, illnesses,
// products or settings do not clash. question, which may be empty, leaves out sentences that
// have little to do with it.
func Conflict(question string, a, b Source) (Clash, bool) {
	german := isGerman(a.Text + "\n" + b.Text)
	asked := keysOf(question, german)
	one, two := sentencesIn(a, asked, german), sentencesIn(b, asked, german)
	type pair struct {
		s, t   sentence
		shared int
	}
	var pairs []pair
	for _, s := range one {
		for _, t := range two {
			if n := shared(s.keys, t.keys); s.asked && t.asked && n >= 2 && s.mayClash(t) {
				pairs = append(pairs, pair{s, t, n})
			}
		}
	}
	slices.SortStableFunc(pairs, func(p, q pair) int { return q.shared - p.shared })
	var best Clash
	surest := 0.0
	for _, p := range pairs[:min(len(pairs), clashPairs)] {
		if c, sure := clash(a, b, p.s, p.t); sure > surest {
			best, surest = c, sure
		}
	}
	return best, surest > 0
}

// sentence is one of a source.
type sentence struct {
	passage.Span
	german bool
	keys   map[string]bool // of its words and the source's title
	asked  bool            // it and the title have half of the words of the question

	dimensions     map[dimension]bool // of its figures
	contrasts      uint64             // the contrasts of which it takes a side; in German
	advice, effect int                // for or against, as of [adviceOf] and [effectOf]
}

// mayClash reports whether two sentences have what could differ. It is cheap.
func (s sentence) mayClash(t sentence) bool {
	if s.advice*t.advice < 0 || s.effect*t.effect < 0 || s.german && s.contrasts&t.contrasts != 0 {
		return true
	}
	for d := range s.dimensions {
		if t.dimensions[d] {
			return true
		}
	}
	return false
}

func sentencesIn(s Source, asked map[string]bool, german bool) []sentence {
	spans := s.Sentences
	if spans == nil {
		spans = passage.Sentences(s.Text, passage.Plain)
	}
	var all []sentence
	for _, span := range spans {
		if strings.HasPrefix(s.Text[span.Start:span.End], "|") {
			continue // a row says what it is about in its header
		}
		keys := keysOf(s.Above+"\n"+s.Text[span.Start:span.End], german)
		one := sentence{Span: span, german: german, keys: keys, asked: 4*shared(asked, keys) >= len(asked)}
		if one.asked {
			text := s.Text[span.Start:span.End]
			one.dimensions = make(map[dimension]bool)
			for _, q := range readQuantitiesIn(text, german) {
				one.dimensions[q.dimension] = true
			}
			one.advice, _ = adviceIn(text, german)
			one.effect, _ = effectOf(text)
			if german {
				one.contrasts = contrastsOf(text)
			}
		}
		all = append(all, one)
	}
	return all
}

// contrastsOf returns the contrasts of which the words of a German sentence take a side.
func contrastsOf(text string) (axes uint64) {
	for _, w := range readAs(text, true).words {
		for _, axis := range contrastAxes {
			if contrastSide[w.text]&axis != 0 {
				axes |= axis
			}
		}
	}
	return axes
}

func keysOf(text string, german bool) map[string]bool {
	keys := make(map[string]bool)
	tokens := lexical.Analyze(text)
	if german {
		tokens = germanTokens(text, tokens)
	}
	for _, t := range tokens {
		keys[t.Term] = true
	}
	return keys
}

func shared(a, b map[string]bool) int {
	n := 0
	for k := range a {
		if b[k] {
			n++
		}
	}
	return n
}

// clash compares two sentences both ways and returns how sure it is that they cannot both hold, 0 if it is not.
func clash(a, b Source, s, t sentence) (Clash, float64) {
	said, stated := a.Text[s.Start:s.End], b.Text[t.Start:t.End]
	x := compare(readClaim(said, ""), []Source{{Above: b.Above, Text: stated}}, 0, 1).decide()
	y := compare(readClaim(stated, ""), []Source{{Above: a.Above, Text: said}}, 0, 1).decide()
	high, low := max(x.contradicts, y.contradicts), min(x.contradicts, y.contradicts)
	held, both := max(x.value("held"), y.value("held")), min(x.value("held"), y.value("held"))
	c := Clash{A: s.Span, B: t.Span}
	german := s.german
	if otherThings(a, b, said, stated, german) {
		return c, 0
	}
	same, other := people(a.Above+"\n"+said, b.Above+"\n"+stated)
	if held < clashHeld || other || exemplifies.MatchString(said) || exemplifies.MatchString(stated) {
		return c, 0
	}
	if !same && (x.otherGroup() || y.otherGroup()) {
		return c, 0
	}
	adjusted := adjusts.MatchString(said) != adjusts.MatchString(stated)
	figures := x.excluded()
	for _, d := range y.excluded() {
		if d = turn(d); !slices.ContainsFunc(figures, func(e Difference) bool { return e.Claimed == d.Claimed || e.Stated == d.Stated }) {
			figures = append(figures, d)
		}
	}
	switch {
	case adjusted: // from what the other says
	case len(figures) > 0 && high >= clashFrom && low >= clashBoth:
		c.Differences = figures
	case held >= clashAlike && both >= clashHeld:
		c.Differences = singles(said, stated, german)
	}
	if len(c.Differences) == 0 && held >= clashAdvice && both >= clashOther && x.telling() >= 2 {
		c.Differences = opposite(said, stated, func(text string) (int, passage.Span) { return adviceIn(text, german) })
		if len(c.Differences) == 0 {
			c.Differences = opposite(said, stated, effectOf)
		}
	}
	if len(c.Differences) == 0 && german && low >= clashTurned && both >= clashAlike {
		c.Differences = x.turnedVerbs()
	}
	if len(c.Differences) == 0 {
		return c, 0
	}
	if d := c.Differences[0]; d.Kind == Modality && (unknownSubject(said, d.Claimed, b.Above+"\n"+stated, german) || unknownSubject(stated, d.Stated.Span, a.Above+"\n"+said, german)) {
		return c, 0
	}
	for i, d := range c.Differences {
		c.Differences[i] = Difference{
			Kind: d.Kind, Claimed: passage.Span{Start: d.Claimed.Start + s.Start, End: d.Claimed.End + s.Start},
			Stated: Quote{Span: passage.Span{Start: d.Stated.Start + t.Start, End: d.Stated.End + t.Start}},
		}
	}
	return c, 1 + high + held
}

// turnedVerbs returns the verbs and adjectives of a German claim of which the source has the contrary in their place: it is
// not other things that differ.
func (x *comparison) turnedVerbs() []Difference {
	return slices.DeleteFunc(x.differences(), func(d Difference) bool {
		j := slices.IndexFunc(x.source.words, func(w word) bool { return x.quote(w.Span, w.sentence) == d.Stated })
		return d.Kind != Direction && d.Kind != Name || j < 0 || isCapital(x.claim.text, d.Claimed.Start-x.claim.offset) || isCapital(x.source.text, x.source.words[j].Start)
	})
}

// otherThings reports whether a sentence is about what its title names, a thing of which the other sentence and its title
// know nothing, or each is about such a thing beside what both titles name, as the dose.
func otherThings(a, b Source, said, stated string, german bool) bool {
	ours, theirs := keysOf(a.Above, german), keysOf(b.Above, german)
	about := func(title, other map[string]bool, own, known string) (all, beside bool) {
		words, others, n := keysOf(own, german), keysOf(known, german), 0
		all, beside = true, true
		special := 0
		for k := range title {
			if !words[k] {
				continue
			}
			n++
			all = all && !others[k] && !other[k]
			if !other[k] {
				special++
				beside = beside && !others[k]
			}
		}
		return all && n > 0, beside && special > 0
	}
	one, oneBeside := about(ours, theirs, said, stated)
	two, twoBeside := about(theirs, ours, stated, said)
	return one || two || oneBeside && twoBeside
}

// unknownSubject reports whether the words of a sentence before those that advise or affirm are all unknown to the other
// source: it is then said of another thing.
func unknownSubject(text string, cue passage.Span, other string, german bool) bool {
	before := text[:cue.Start]
	if at := strings.LastIndexAny(before, ",;:"); at >= 0 {
		before = before[at+1:]
	}
	own := keysOf(before, german)
	return len(own) > 0 && shared(own, keysOf(other, german)) == 0
}

// exemplifies matches sentences whose figures are examples.
var exemplifies = regexp.MustCompile(`(?i)\b(?:for example|for instance|e\.g\.|such as|example|zum Beispiel|z\. ?B\.)|例如|比如`)

// adjusts matches sentences that tell to what a dose or another figure changes under a condition.
var adjusts = regexp.MustCompile(`(?i)\b(?:lower(?:ed|ing)?|reduc(?:ed?|ing)|halv(?:ed?|ing)|decreas(?:ed?|ing)|increas(?:ed?|ing)|rais(?:ed?|ing)|adjust(?:ed|ing)?|doubl(?:ed?|ing)|taper(?:ed|ing)?|cut)\b[^.;]{0,40}\bto\b|` +
	`\bauf\b[^.;]{0,60}\b(?:gesenkt|reduzier(?:t|en)|verringer[tn]|halbier(?:t|en)|erhöh(?:t|en)|gesteigert|angepasst|senken|steigern)\b|(?:减|降|增|加|调整|调)(?:量|低|少|加)?(?:至|到|为)`)

// turn exchanges the two sides of a difference.
func turn(d Difference) Difference {
	return Difference{Kind: d.Kind, Claimed: d.Stated.Span, Stated: Quote{Span: d.Claimed}}
}

// singles returns the figures of two sentences of which each has one of their kind, if they cannot both be true.
func singles(said, stated string, german bool) []Difference {
	alone := func(all []quantity, q quantity) bool {
		n := 0
		for _, other := range all {
			n += int(bit(other.dimension == q.dimension && other.role == q.role && !other.weak))
		}
		return n == 1
	}
	one, two := readQuantitiesIn(said, german), readQuantitiesIn(stated, german)
	var all []Difference
	for _, c := range one {
		for _, s := range two {
			if c.dimension == s.dimension && c.role == s.role && c.dimension != counted && !c.weak && !s.weak && !c.vague && !s.vague && !isGroup(c) &&
				alone(one, c) && alone(two, s) && !compatible(c, s) {
				all = append(all, Difference{Kind: Number, Claimed: c.Number, Stated: Quote{Span: s.Number}})
			}
		}
	}
	return all
}

// against and favour match how a sentence advises against a thing and for it.
var (
	against = regexp.MustCompile(`(?i)\b(?:avoid(?:ed|s|ing)?|contra-?indicated|(?:not|never|no longer)(?: be| been| routinely| usually| generally| normally)* (?:use|used|give|given|take|taken|recommend|recommended|advise|advised|start|started|need|needed|necessary|required|treated|eat|eaten|indicated|suitable|safe|appropriate|offered|prescribed|performed)|` +
		`(?:stop|stops|stopped|discontinue[sd]?|withhold|withheld|omit|omitted|leave out|left out)\b|needs? no|no need|another [^.,;]{1,40} (?:is|are|should be) (?:usually )?(?:chosen|used|given|preferred)|` +
		`vermeiden|vermieden|kontraindiziert|nicht (?:empfohlen|angewendet|gegeben|eingenommen|nötig|erforderlich)|darf nicht|dürfen nicht|sollte nicht|abgesetzt|absetzen|abzusetzen|ausgesetzt|pausiert)|避免|禁用|禁止|不宜|不要|不能|不可|不应|不建议|不推荐|不需要|无需|不必|停用|停药`)
	favour = regexp.MustCompile(`(?i)\b(?:(?:can|may|should|must|could)(?: still| safely| also| usually| always)*(?: be)? (?:use|used|give|given|take|taken|continue|continued|start|started|eat|eaten|drink|treated|offered|prescribed|performed)|` +
		`(?:is|are)(?: usually| still| also| now| often| always)? (?:recommended|advised|preferred|indicated|given|used|treated|needed|continued|started|taken|offered|safe|suitable|the preferred|the first)|continues?|everyone|` +
		`(?:not|never)(?: be| been)? (?:stop|stopped|withheld|discontinued|omitted)|empfohlen|angewendet|gegeben|kann|soll|sollte)\b|^(?:give|take|use|start|continue|offer|treat)\b|可以|应该|应当|建议|推荐|需要|必须|继续`)
	alone    = regexp.MustCompile(`(?i)\b(?:alone|on (?:its|their) own|by (?:itself|themselves)|allein|als Monotherapie|as monotherapy)\b|单独|单用|单一`)
	prevents = regexp.MustCompile(`(?i)^stops?\b[^.,;]{1,40}\bfrom\b`)
	keeps    = regexp.MustCompile(`(?i)\b(?:not|never)(?: be| been)? (?:stop|stopped|withheld|discontinued|omitted|avoided)\b|\bnicht (?:\w+ )?(?:abgesetzt|absetzen|abzusetzen|pausiert)\b|不要停|不能停|不可停`)
)

// adviceIn is [adviceOf] in German or another language: in German a word that obliges, allows or forbids and what denies
// it stand far apart.
func adviceIn(text string, german bool) (sign int, words passage.Span) {
	sign, words = adviceOf(text)
	if !german || alone.MatchString(text) {
		return sign, words
	}
	for _, r := range readScalesIn(text, true).rungs {
		if r.scale != howBound {
			continue
		}
		switch rank := r.effective(); {
		case rank <= 1:
			return -1, r.whole
		case rank >= 3 && sign == 0:
			sign, words = 1, r.Span
		case r.denied && sign > 0:
			sign, words = 0, passage.Span{} // "muss nicht"
		}
	}
	return sign, words
}

// adviceOf returns 1 and the words by which a sentence advises for a thing, or -1 and those against it.
func adviceOf(text string) (sign int, words passage.Span) {
	if at := keeps.FindStringIndex(text); at != nil {
		return 1, passage.Span{Start: at[0], End: at[1]}
	}
	if at := against.FindStringIndex(text); at != nil && alone.MatchString(text) {
		return 0, passage.Span{} // with another it may be right
	} else if at != nil && !prevents.MatchString(text[at[0]:]) {
		return -1, passage.Span{Start: at[0], End: at[1]}
	}
	if at := favour.FindStringIndex(text); at != nil {
		return 1, passage.Span{Start: at[0], End: at[1]}
	}
	return 0, passage.Span{}
}

// ineffective and effective match how a sentence denies an effect and affirms it.
var (
	ineffective = regexp.MustCompile(`(?i)\b(?:(?:no|not|never|without|fail(?:s|ed)? to|lack of|nor)\b[^.;]{0,40}?\b(?:benefits?|effects?|effective|efficacy|improve[sd]?|reduce[sd]?|influence|delay(?:s|ed)?|slow(?:s|ed)?|prevent(?:s|ed)?|protect(?:s|ed)?)|ineffective|consistently negative)\b|无效|没有效果`)
	effective   = regexp.MustCompile(`(?i)\b(?:effective|improve[sd]?|reduce[sd]?|delay(?:s|ed)|slow(?:s|ed)|prevent(?:s|ed)|protect(?:s|ed)|beneficial|superior|longer)\b|有效`)
)

// effectOf returns 1 and the words by which a sentence affirms an effect, or -1 and those that deny it.
func effectOf(text string) (sign int, words passage.Span) {
	if at := ineffective.FindStringIndex(text); at != nil {
		return -1, passage.Span{Start: at[0], End: at[1]}
	}
	if at := effective.FindStringIndex(text); at != nil {
		return 1, passage.Span{Start: at[0], End: at[1]}
	}
	return 0, passage.Span{}
}

// opposite returns the words of two sentences of which one affirms and the other denies.
func opposite(said, stated string, of func(text string) (sign int, words passage.Span)) []Difference {
	one, words := of(said)
	two, others := of(stated)
	if one*two >= 0 {
		return nil
	}
	return []Difference{{Kind: Modality, Claimed: words, Stated: Quote{Span: others}}}
}

// telling counts the words of the claim that say what it is about and that the source means.
func (x *comparison) telling() int {
	keys := make(map[string]bool)
	for i, w := range x.claim.words {
		if w.weight >= tellingWeight && !w.digits && !w.verb && x.score[i] >= stands {
			keys[w.key] = true
		}
	}
	return len(keys)
}

// tellingWeight is the weight from which on a word may say what a sentence is about.
const tellingWeight = .45

// excluded returns the figures of the claim of which the sentence has others of the like, and none that may be the same:
// spans of both sentences.
func (x *comparison) excluded() []Difference {
	stated := readQuantitiesIn(x.source.text, x.source.german)
	var all []Difference
	for i, d := range x.figures {
		c := x.figurePairs[i][0]
		if !slices.ContainsFunc(stated, func(s quantity) bool { return compatible(c, s) }) && !isGroup(c) && !isGroup(x.figurePairs[i][1]) &&
			(c.dimension != counted || c.low != math.Trunc(c.low) || len(c.heads) > 0 && len(x.figurePairs[i][1].heads) > 0) {
			all = append(all, d)
		}
	}
	return all
}

// compatible reports whether two figures may both be true of one thing: their ranges meet.
func compatible(c, s quantity) bool {
	return c.dimension == s.dimension && c.low <= s.high*1.001 && s.low <= c.high*1.001
}

// isGroup reports whether a figure says who it is, or when it was said, rather than what holds.
func isGroup(q quantity) bool {
	return q.role == aged || q.role == listed || q.dimension == calendar || q.dimension == label || q.dimension == edition
}

const groupCount = 7

// groups are people of whom a sentence may hold, each by its words.
var groups = func() map[string]int {
	table := make(map[string]int)
	for i, words := range [groupCount]string{
		"child children infant infants baby babies neonate neonates newborn newborns toddler toddlers adolescent adolescents teenager teenagers pupil pupils paediatric paediatrics pediatric pediatrics paed paeds ped peds kind kinder kindern säugling säuglinge jugendliche pädiatrie pädiatrisch neugeborene neugeborenen frühgeborene frühgeborenen kleinkind kleinkinder 儿童 早产儿 幼儿 儿科 小儿 孩子 婴儿 新生儿 小孩 宝宝",
		"adult adults erwachsene erwachsenen 成人 成年人 大人",
		"elderly older ältere älteren 老人 老年 老年人",
		"pregnancy pregnant antenatal schwangere schwangeren schwangerschaft 孕妇 孕期 妊娠 怀孕",
		"breastfeeding lactation stillzeit 哺乳 哺乳期",
		"contractor contractors freelancer freelancers", "intern interns trainee trainees",
	} {
		for word := range strings.FieldsSeq(words) {
			table[word] = i + 1
		}
	}
	return table
}()

// groupOpeners begin the words of a sentence that say in which illness, setting or use it holds; frontOpeners do so at
// its beginning.
var (
	groupOpeners = plaintext.Set(`for in with among under für bei mit unter`)
	frontOpeners = plaintext.Set(`after during following nach während`)
	anybody      = plaintext.Set(`people person persons patient patients someone anyone everybody those who individuals menschen patienten personen dose doses tablet tablets course day days week weeks month months year years hour hours time times`)
)

// people reports whether two sentences, with their titles, name the same people, and whether they are about others.
func people(one, two string) (same, other bool) {
	named := func(text string) (found [groupCount + 1]bool) {
		r := read(text)
		for _, w := range r.words {
			found[groups[w.text]] = true
			found[groups[strings.ToLower(r.text[w.Start:w.End])]] = true // the text of a German word may be its stem
		}
		return found
	}
	ours, theirs := named(one), named(two)
	const child, adult = 1, 2
	for g := 1; g <= groupCount; g++ {
		same = same || ours[g] && theirs[g]
		other = other || g != adult && ours[g] != theirs[g]
	}
	other = other || ours[adult] != theirs[adult] && ours[child] != theirs[child]
	return same, other || elsewhere(one, two)
}

// regions match the parts of the world of whose people figures are given, the whole of it first.
var regions = [...]*regexp.Regexp{
	regexp.MustCompile(`(?i)\b(?:worldwide|world-wide|global|globally|around the world|weltweit)\b|全球|全世界`),
	regexp.MustCompile(`\b(?:United States|USA|US|Americans?|Vereinigten? Staaten|Amerikaner)\b|\bU\.S\.|美国`),
	regexp.MustCompile(`\b(?:Europe|European|Europeans|EU|Europa|Europäisch\w*)\b|欧洲|欧盟`),
	regexp.MustCompile(`\b(?:United Kingdom|UK|Britain|British|England|English|Scotland|Wales|Großbritannien)\b|英国`),
	regexp.MustCompile(`\b(?:Germany|Germans?|Deutschland|Deutsche\w*)\b|德国`),
	regexp.MustCompile(`\b(?:China|Chinese|Chinesen?)\b|中国|我国`),
	regexp.MustCompile(`\b(?:Japan|Japanese|Japaner)\b|日本`),
	regexp.MustCompile(`\b(?:India|Indians?|Indien)\b|印度`),
	regexp.MustCompile(`\b(?:Canada|Canadians?|Kanada)\b|加拿大`),
	regexp.MustCompile(`\b(?:Australia|Australians?|Australien)\b|澳大利亚`),
	regexp.MustCompile(`\b(?:Africa|Africans?|Afrika)\b|非洲`),
}

// elsewhere reports whether two texts both name parts of the world, and none that is the same.
func elsewhere(one, two string) bool {
	ours, theirs := false, false
	for _, region := range regions {
		a, b := region.MatchString(one), region.MatchString(two)
		if a && b {
			return false
		}
		ours, theirs = ours || a, theirs || b
	}
	return ours && theirs
}

// otherGroup reports whether the claim names illnesses, settings or uses of which the sentence and its title know
// nothing. Of several it has to know one.
func (x *comparison) otherGroup() bool {
	count, met := map[int]int{}, map[int]int{} // words by the word that opens their phrase
	for i, w := range x.claim.words {
		at, ok := x.claim.group(i)
		if !ok || w.weight == 0 || w.digits || w.verb || anybody[w.text] {
			continue
		}
		count[at]++
		if slices.ContainsFunc(x.like[i], func(like float64) bool { return like >= stands }) {
			met[at]++
		}
	}
	for at, n := range count {
		if 2*met[at] >= n {
			return false
		}
	}
	return len(count) > 0
}

// group returns the word that opens a group before a word, in the same clause and before the verb.
func (r *reading) group(i int) (at int, ok bool) {
	for k := i - 1; k >= 0 && r.words[k].clause == r.words[i].clause && i-k <= 6; k-- {
		w := r.words[k]
		text := strings.TrimSuffix(w.text, germanMark)
		if r.german && w.weight > 0 && isCapital(r.text, w.Start) && !slices.ContainsFunc(r.words[k:i], func(v word) bool { return v.key == "-und" || v.key == "-oder" }) {
			return 0, false // the group ends with its noun
		}
		if groupOpeners[text] || frontOpeners[text] && (k == 0 || r.words[k-1].sentence != w.sentence) {
			return k, true
		}
		if w.verb && w.weight > 0 || w.digits {
			return 0, false
		}
	}
	return 0, false
}
