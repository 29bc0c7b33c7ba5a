package entail

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"lacuna/knowledge/lexical"
	"lacuna/knowledge/lexicon"
	"lacuna/knowledge/passage"
)

// scale is an order of words of which one says more than another, or a choice of which one excludes another.
type scale byte

const (
	howOften  scale = iota // never … always
	howMany                // none … all
	howSure                // unlikely … proven
	howBound               // must not … must
	exclusion              // only
	dayTime                // morning … bedtime: a choice
	mealTime               // before, with, after meals: a choice
	stageTime              // early, late: a choice
)

// rung is a word or a phrase on a scale.
type rung struct {
	passage.Span
	scale            scale
	rank             int  // the greater, the more it says; of a choice, which it is
	denied           bool // a negation stands before it ("not all") or behind it ("must not")
	german           bool
	whole            passage.Span // in German, with what denies it
	weak             bool         // it often says something else: "any", "can", 都
	heads            []string
	around           []string // keys of the content words of its sentence
	clause, sentence int
}

// rungLines has a scale, a rank and its phrases, English, German and Chinese; "?" before one makes it weak.
var rungLines = map[scale][]string{
	howOften: {
		"never|at no time|under no circumstances|at no point|nie|niemals|从不|从来不|绝不|决不|从未|永不|从没",
		"almost never|hardly ever|next to never|fast nie|几乎不|几乎从不",
		"rarely|seldom|infrequently|in rare cases|on rare occasions|rare|uncommon|uncommonly|selten|很少|极少|罕见|少见|不常|不常见",
		"sometimes|occasionally|at times|now and then|from time to time|once in a while|in some cases|manchmal|gelegentlich|有时|偶尔|间或|有时候|时而",
		"often|frequently|regularly|common|commonly|frequent|oft|häufig|regelmäßig|经常|常常|?常|频繁|时常|常见|定期",
		"usually|generally|normally|typically|most often|as a rule|in most cases|most of the time|mostly|meist|meistens|normalerweise|in der regel|通常|?一般|大多|往往|多半",
		"almost always|nearly always|virtually always|fast immer|几乎总是",
		"always|every time|invariably|without exception|in every case|at all times|constantly|immer|stets|jedes mal|总是|始终|每次都|永远|一律|一贯",
	},
	howMany: {
		"none|no one|nobody|neither|not any|not a single|nothing|?no|kein|keine|keiner|keinen|没有任何|无任何|没有一个|没有人|无一",
		"hardly any|scarcely any|almost no|almost none|kaum|几乎没有",
		"few|only a few|very few|a minority|a small number|wenige|nur wenige|少数|极少数|很少有|小部分",
		"some|several|certain|a few|a number of|various|part of|partly|partially|at least one|in part|either|einige|manche|mehrere|teilweise|一些|有些|某些|若干|?部分|几个|有的|少量|一部分|有部分",
		"many|a lot of|lots of|numerous|a large number|viele|zahlreiche|许多|很多|不少|大量|众多|好多",
		"most|the majority|a majority|more than half|?mainly|?largely|?predominantly|die meisten|überwiegend|大多数|大部分|绝大多数|多数|?主要",
		"nearly all|almost all|almost every|nearly every|virtually all|practically all|fast alle|几乎所有|几乎全部",
		"all|every|each|everyone|everybody|everything|?whole|?entire|both|every single|whatever|whenever|regardless|in all cases|?any|?anyone|?anybody|alle|jeder|jede|jedes|sämtliche|beide|所有|全部|一切|每个|任何|?都|?均|凡是|全都|无论|一概|每一个|每位|?各",
	},
	howSure: {
		"unlikely|improbable|doubtful|unwahrscheinlich|不太可能|不大可能",
		"unclear|unknown|uncertain|not known|not clear|not established|inconclusive|not been established|no clear evidence|unklar|unbekannt|不明|不清楚|尚不明确|未知|不确定|尚不清楚|尚无定论",
		"may|might|could|possibly|perhaps|suggests|suggest|suggested|suggesting|appears|appear|appeared|seems|seem|potentially|is thought|are thought|is believed|are believed|suspected|?can|?potential|?possible|kann|können|könnte|könnten|möglicherweise|vielleicht|可能|也许|或许|大概|似乎|疑似|据推测|有可能",
		"probably|likely|presumably|is expected|are expected|tends to|tend to|vermutlich|wahrscheinlich|很可能|多半是|应该是|极可能|极有可能",
		"will|is going to|are going to|is sure to|is bound to|reliably|?is known|wird|werden|会",
		"certainly|definitely|prove|proof|without doubt|undoubtedly|proves|proven|proved|guarantees|guaranteed|guarantee|conclusively|inevitably|surely|is certain|established|sicher|bestimmt|zweifellos|bewiesen|一定会|肯定|必然|必定|无疑|证实|证明|必将|毫无疑问|确定无疑|注定",
	},
	howBound: {
		"must never|forbidden|prohibited|contraindicated|contra - indicated|contraindication|cannot|not allowed|not permitted|banned|disallowed|verboten|禁止|严禁|不得|不能|不可|不可以|禁用|忌|切勿|不准|不允许|禁忌|千万别|不许|勿",
		"avoid|avoided|avoiding|not recommended|not advised|discouraged|is not used|are not used|vermeiden|不宜|不建议|避免|不应|不该|最好不要|不应该|不推荐|不要|少用|慎用",
		"optional|not required|not necessary|not needed|unnecessary|no need|voluntary|not mandatory|need not|nicht nötig|nicht erforderlich|freiwillig|不必|无需|不需要|不用|可选|自愿|无须|不一定要",
		"may|?can|consider|considered|allowed|permitted|free to|is fine|?could|?possible|darf|dürfen|?kann|?können|可以|?可|允许",
		"should|ought to|recommended|recommends|recommend|advised|advises|advisable|preferably|encouraged|encourages|is best|suggested|sollte|sollten|soll|sollen|empfohlen|应该|应当|?应|建议|推荐|最好|?宜",
		"must|has to|have to|had to|need to|needs to|required|requires|require|mandatory|obligatory|necessary|essential|compulsory|shall|muss|müssen|notwendig|erforderlich|必须|务必|?需要|须|一定要|?需|必需|强制",
	},
	exclusion: {"only|solely|exclusively|alone|merely|nothing but|nur|ausschließlich|allein|?只|仅|只有|仅仅|唯一|只能|单独"},
	dayTime: {
		"morning|mornings|breakfast|wake up|waking|morgens|vormittags|frühstück|早上|清晨|早晨|晨起|早餐|早饭|上午|晨间|起床",
		"noon|midday|lunch|lunchtime|mittags|mittag|中午|午餐|午饭|正午",
		"afternoon|nachmittags|nachmittag|下午|午后",
		"evening|evenings|dinner|supper|abends|晚上|晚间|傍晚|晚餐|晚饭|夜晚",
		"bedtime|night|nights|overnight|before bed|before sleep|going to bed|nachts|vor dem schlafen|schlafenszeit|睡前|临睡前|临睡|夜间|夜里|入睡前|睡觉前|半夜",
	},
	mealTime: {
		"before meals|before food|before eating|on an empty stomach|empty stomach|fasting|before a meal|before each meal|vor dem essen|nüchtern|空腹|饭前|餐前|进食前|吃饭前",
		"with meals|with food|with a meal|during meals|at mealtimes|with each meal|while eating|zum essen|zu den mahlzeiten|随餐|饭中|与食物同服|餐中|进餐时|吃饭时",
		"after meals|after food|after eating|after a meal|after each meal|nach dem essen|饭后|餐后|进食后|吃完饭|吃饭后",
		"between meals|zwischen den mahlzeiten|两餐之间|两餐间",
	},
	stageTime: {
		"early|initially|at the beginning|at the start|at first|anfangs|früh|早期|初期|一开始|起初|早先",
		"late|in the end|finally|eventually|at the end|spät|schließlich|晚期|后期|末期|最后|最终",
	},
}

// rungs has the phrases by their first word or character, the longest first.
var rungs = rungTable(rungLines)

func rungTable(of map[scale][]string) map[string][]rungPhrase {
	table := make(map[string][]rungPhrase)
	for s, lines := range of {
		for rank, line := range lines {
			for phrase := range strings.SplitSeq(line, "|") {
				phrase, weak := strings.CutPrefix(phrase, "?")
				words := strings.Fields(phrase)
				if lexical.IsHan(words[0]) {
					words = strings.Split(words[0], "")
				}
				table[words[0]] = append(table[words[0]], rungPhrase{words, s, rank, weak})
			}
		}
	}
	for _, phrases := range table {
		slices.SortFunc(phrases, func(a, b rungPhrase) int {
			if len(a.words) != len(b.words) {
				return len(b.words) - len(a.words)
			}
			return int(a.scale) - int(b.scale)
		})
	}
	return table
}

type rungPhrase struct {
	words []string
	scale scale
	rank  int
	weak  bool
}

// scales are the words of a text that stand on scales, in order, with the content words of its sentences.
type scales struct {
	rungs     []rung
	sentences [][]string
}

// readScales returns the words of a text that stand on scales, in order. A word on two of them ("may": sure and bound)
// is there twice.
func readScales(text string) scales { return readScalesIn(text, isGerman(text)) }

func readScalesIn(text string, german bool) scales {
	f := figuresIn(text, german)
	table := rungs
	if german {
		table = germanRungs()
	}
	var all []rung
	for i := 0; i < len(f.marks); {
		next := i + 1
		longest := 0
		for _, p := range table[f.text(i)] {
			if len(p.words) < longest || !f.hasWords(i, p.words) || f.isOtherwise(i, p) {
				continue
			}
			longest = len(p.words)
			end := i + len(p.words)
			all = append(all, rung{
				german: german,
				Span:   passage.Span{Start: f.marks[i].Start, End: f.marks[end-1].End},
				scale:  p.scale, rank: p.rank, weak: p.weak, denied: f.deniesRung(i, end, p.scale == howSure || p.scale == howBound), heads: f.headsAt(end), clause: f.clauses[i], sentence: f.sentences[i],
			})
			next = end
		}
		i = next
	}
	if german {
		all = f.addDuties(all)
	}
	for i := range all {
		all[i].whole = all[i].Span
		if german && all[i].denied {
			all[i].whole = f.wholeDenied(all[i])
		}
	}
	all = slices.DeleteFunc(all, func(r rung) bool { return r.scale == howBound && r.rank >= 3 && governs(all, r) })
	return scales{all, f.surround(all, table)}
}

// governs reports whether a word that obliges or allows stands close before one that forbids, which then says it all:
// "should be avoided".
func governs(all []rung, r rung) bool {
	return slices.ContainsFunc(all, func(s rung) bool {
		return s.scale == howBound && s.rank <= 2 && s.clause == r.clause && s.Start >= r.End && s.Start-r.End <= 12
	})
}

// hasWords reports whether words stand at a mark.
func (f *figures) hasWords(i int, words []string) bool {
	for j, word := range words {
		if f.text(i+j) != word {
			return false
		}
	}
	return true
}

// isOtherwise tells uses of a word that are on no scale: "each day" is how often, "each other" whom, "at least some"
// a bound, a month is no "may", 一般 in 一般状况 no "usually".
func (f *figures) isOtherwise(i int, p rungPhrase) bool {
	next := f.text(i + len(p.words))
	if f.german {
		return f.isOtherwiseInGerman(i, p)
	}
	switch p.words[0] {
	case "every", "each", "alle", "jede", "jeder", "jedes":
		_, _, often := f.everyAt(i)
		return often || next == "other"
	case "may":
		return i > 0 && f.source[f.marks[i].Start] == 'M' && !f.marks[i].opens && !f.isEnd(i-1)
	case "no":
		before := f.text(i - 1)
		return i == 0 || before == "yes" || f.isEnd(i-1) && next == "," || next == "longer" || next == "more" || next == "less" || next == "fewer" || next == "later" || next == "need" && p.scale == howMany || next == "one"
	case "certain":
		return f.text(i-1) == "is" || f.text(i-1) == "a" || f.text(i-1) == "are" || f.text(i-1) == "be"
	case "most":
		return next == "likely" || f.text(i-1) == "at" || f.text(i-1) == "other"
	case "few":
		return f.text(i-1) == "a" || f.text(i-1) == "first" || f.text(i-1) == "next" || barePeriods[next] != 0
	case "some", "several":
		return barePeriods[next] != 0
	case "a":
		return len(p.words) > 1 && p.words[1] == "few" && barePeriods[next] != 0
	case "alone":
		return f.text(i-1) == "live" || f.text(i-1) == "living" || f.text(i-1) == "lives"
	case "early", "late":
		return next == "as"
	case "only":
		return f.text(i-1) == "not" || f.text(i-1) == "if"
	case "不":
		return len(p.words) == 2 && p.words[1] == "可" && (f.text(i-2) == "非" || f.text(i-3) == "非" || f.text(i-4) == "非")
	}
	return false
}

// deniesRung reports whether a negation stands before a phrase, or behind it as in "must not".
func (f *figures) deniesRung(i, end int, modal bool) bool {
	if f.german && modal {
		return f.deniesClause(i)
	}
	if modal && (f.denies(end) || f.text(end) == "against" || f.text(end) == "never" || (f.text(end) == "'" || f.text(end) == "’") && f.text(end+1) == "t") {
		return true
	}
	for j := i - 1; j >= 0 && j >= i-3 && !f.isEnd(j); j-- {
		switch f.text(j) {
		case "not", "t", "nicht", "不", "未", "非", "没", "cannot":
			return f.text(j+1) != "只" && f.text(j+1) != "仅"
		}
		if !deniedFillers[f.text(j)] || f.kind(j) == hanMark {
			return false
		}
	}
	return false
}

// surround gives rungs the content words of their sentences, and returns those of all sentences.
func (f *figures) surround(all []rung, table map[string][]rungPhrase) [][]string {
	if len(f.marks) == 0 {
		return nil
	}
	bySentence := make([][]string, f.sentences[len(f.marks)-1]+1)
	at := 0
	for _, t := range f.analyse(f.source) {
		for at+1 < len(f.marks) && f.marks[at+1].Start <= t.Start {
			at++
		}
		if !lexical.IsAskingWord(strings.ToLower(f.source[t.Start:t.End])) && len(table[f.text(at)]) == 0 {
			bySentence[f.sentences[at]] = append(bySentence[f.sentences[at]], t.Term)
		}
	}
	at = 0
	for i, r := range all {
		for at+1 < len(f.marks) && f.marks[at+1].Start <= r.Start {
			at++
		}
		all[i].around = bySentence[f.sentences[at]]
	}
	return bySentence
}

// standing says how a rung of a claim stands to a source.
type standing byte

const (
	added       standing = iota // the source has none of its scale among like words
	opposed                     // both cannot be true
	overstated                  // the claim says more: all for some, must for should, causes for may cause
	understated                 // it says less, and follows
	equalRung
)

// rungMatch is what a source's rungs hold of one of a claim, or of one of the source that the claim has no like of.
type rungMatch struct {
	claim    int // index, or -1 for one of the source that the claim leaves out: it then says more, if the source says less than "is"
	source   int // index, or -1
	standing standing
	kind     Kind
	shared   int // content words of both sentences
}

// alike is the share of the content words of a claim's sentence that one of the source must have to be of the same.
const alike = .3

// compareScales compares each rung of a claim with the one of the source's of its scale that stands among the most
// like words.
func compareScales(claim, source scales) []rungMatch {
	var all []rungMatch
	for i, c := range claim.rungs {
		best := rungMatch{claim: i, source: -1, standing: added, kind: kindOf(c.scale)}
		for j, s := range source.rungs {
			if s.scale != c.scale {
				continue
			}
			shared := sharedWords(c.around, s.around)
			if shared < min(2, len(c.around)) && (c.scale < dayTime || shared == 0) || float64(shared) < alike*float64(len(c.around)) {
				continue
			}
			shared += 2 * sharedWords(c.heads, s.heads)
			x := compareRungs(c, s)
			if s.weak && x < understated {
				continue
			}
			if best.source < 0 || x >= understated && best.standing < understated && shared+1 >= best.shared || (x >= understated) == (best.standing >= understated) && shared > best.shared || x < understated && shared > best.shared+1 {
				best.source, best.shared, best.standing = j, shared, x
			}
		}
		all = append(all, best)
	}
	for i := range claim.sentences {
		if m, ok := overstates(claim, source, i); ok && !slices.ContainsFunc(all, func(x rungMatch) bool { return x.source == m.source && x.claim >= 0 }) {
			all = append(all, m)
		}
	}
	return all
}

// overstates compares how openly a sentence of a claim and the one of the source that is most like it speak: "always",
// "all" and "will" say more than "may", "some" and "often", and so does a sentence that leaves them out.
func overstates(claim, source scales, sentence int) (rungMatch, bool) {
	words := claim.sentences[sentence]
	best, shared := -1, 1
	for j, other := range source.sentences {
		if n := sharedWords(words, other); n > shared {
			best, shared = j, n
		}
	}
	if best < 0 || float64(shared) < alike*float64(len(words)) {
		return rungMatch{}, false
	}
	strong, open := -1, -1
	for i, r := range claim.rungs {
		if r.sentence != sentence || r.denied {
			continue
		}
		if r.opens() {
			return rungMatch{}, false
		}
		if r.closes() && strong < 0 {
			strong = i
		}
	}
	for j, r := range source.rungs {
		if r.sentence != best || r.denied {
			continue
		}
		if r.closes() {
			return rungMatch{}, false
		}
		if r.opens() && open < 0 && (strong >= 0 || r.scale == howSure && !r.weak) {
			open = j
		}
	}
	if open < 0 || strong < 0 && (float64(shared) < alikeWhole*float64(len(words)) || sharedWords(words, source.rungs[open].heads) == 0) {
		return rungMatch{}, false
	}
	return rungMatch{claim: strong, source: open, standing: overstated, kind: Modality, shared: shared}, true
}

// opens reports whether a rung leaves open that something is so, or is so for all.
func (r rung) opens() bool {
	switch r.scale {
	case howSure:
		return r.rank <= 3
	case howOften:
		return r.rank >= 1 && r.rank <= 5
	case howMany:
		return r.rank >= 2 && r.rank <= 5
	}
	return r.scale == howBound && r.rank == 3
}

// closes reports whether a rung says that something is so without exception.
func (r rung) closes() bool {
	switch r.scale {
	case howSure:
		return r.rank >= 4 && !r.weak
	case howOften, howMany:
		return r.rank == 7 && !r.weak
	}
	return false
}

// alikeWhole is the share of a sentence of a claim that the source must have in one for what the claim leaves out.
const alikeWhole = .5

// kindOf says in what a claim differs that stands elsewhere on a scale.
func kindOf(s scale) Kind {
	switch s {
	case howMany, exclusion:
		return Scope
	case howSure, howBound:
		return Modality
	}
	return Time
}

// affirmed is the rank from which a rung says that something is so, or is done.
var affirmed = map[scale]int{howOften: 3, howMany: 3, howSure: 2, howBound: 3}

// compareRungs compares two rungs of one scale.
func compareRungs(c, s rung) standing {
	switch c.scale {
	case exclusion:
		return equalRung
	case dayTime, mealTime, stageTime:
		if c.rank == s.rank || c.scale == dayTime && c.rank+s.rank == 7 && min(c.rank, s.rank) == 3 {
			return equalRung
		}
		return opposed
	}
	x, y := c.effective(), s.effective()
	bar := affirmed[c.scale]
	switch {
	case x == y:
		return equalRung
	case (x < bar) != (y < bar):
		if c.scale == howSure || c.scale == howBound && (x == 2 || y == 2) { // "optional" and "may"
			if abs(x-y) <= 1 {
				return understated
			}
		}
		return opposed
	case c.scale == howBound && (min(x, y) >= 4 || max(x, y) <= 1): // what one should do, people write as what one must
		return understated
	case x >= bar && x > y, x < bar && x < y:
		return overstated
	}
	return understated
}

func abs(n int) int { return max(n, -n) }

// effective is the rank of a rung with its negation: "not all" is some, "not always" sometimes, "may not" and "should not"
// advise against, "not unlikely" is likely.
func (r rung) effective() int {
	if !r.denied {
		return r.rank
	}
	switch r.scale {
	case howOften:
		if r.rank >= 5 {
			return 3
		}
		if r.rank <= 2 {
			return 4
		}
		return 2
	case howMany:
		if r.rank >= 5 {
			return 3
		}
		if r.rank <= 2 {
			return 3
		}
		return 0
	case howSure:
		if r.rank >= 3 {
			return 0
		}
		if r.rank == 0 {
			return 3
		}
		return r.rank
	case howBound:
		switch {
		case r.rank == 5 && r.german: // "muss nicht"
			return 2
		case r.rank == 5:
			return 0
		case r.rank == 4:
			return 1
		case r.rank == 3:
			return 0
		}
		return 3
	}
	return r.rank
}

// germanRungs is the table of German words on scales; what is a form of grammar stands in its forms.
var germanRungs = sync.OnceValue(func() map[string][]rungPhrase { return rungTable(germanRungLines) })

var germanRungLines = map[scale][]string{
	howOften: {
		"nie|niemals|zu keiner zeit|unter keinen umständen",
		"fast nie|so gut wie nie|kaum jemals|äußerst selten",
		"selten|sehr selten|seltene|seltenen|seltener|in seltenen fällen|vereinzelt|nur vereinzelt|ausnahmsweise",
		"manchmal|gelegentlich|gelegentliche|gelegentlichen|hin und wieder|ab und zu|mitunter|bisweilen|zeitweise|zuweilen|in einigen fällen|in manchen fällen|in einzelfällen|von zeit zu zeit",
		"oft|häufig|häufige|häufigen|sehr häufig|regelmäßig|regelmäßige|regelmäßigen|oftmals|vielfach|des öfteren|öfter|öfters|immer wieder|in vielen fällen",
		"meist|meistens|normalerweise|in der regel|üblicherweise|gewöhnlich|für gewöhnlich|typischerweise|in den meisten fällen|zumeist|im allgemeinen|überwiegend|mehrheitlich",
		"fast immer|nahezu immer|beinahe immer|so gut wie immer",
		"immer|stets|jedes mal|jedesmal|jederzeit|ausnahmslos|ohne ausnahme|in jedem fall|in jedem falle|auf jeden fall|in allen fällen|ständig|durchgehend",
	},
	howMany: {
		"?kein|?keine|?keiner|?keinen|?keinem|?keines|niemand|niemandem|niemanden|kein einziger|keine einzige|kein einziges|?nichts|weder",
		"kaum ein|kaum eine|kaum jemand|fast kein|fast keine|fast keinen|fast niemand",
		"wenige|wenigen|nur wenige|die wenigsten|eine minderheit|ein kleiner teil",
		"einige|einigen|einiger|manche|manchen|mancher|mehrere|mehreren|teilweise|zum teil|ein teil|einzelne|einzelnen|verschiedene|teils|?bestimmte|?bestimmten",
		"viele|vielen|vieler|zahlreiche|zahlreichen|eine vielzahl|etliche|ein großer teil",
		"die meisten|der meisten|den meisten|meisten|die mehrheit|der großteil|mehr als die hälfte|größtenteils|?hauptsächlich|?vor allem",
		"fast alle|fast allen|nahezu alle|beinahe alle|fast jeder|fast jede|fast jedes|fast sämtliche|so gut wie alle",
		"alle|allen|aller|jeder|jede|jedes|jedem|jeden|sämtliche|sämtlichen|sämtlicher|beide|beiden|jegliche|jeglichen|jeglicher|ausnahmslos alle|?gesamte|?gesamten|?ganze|?ganzen|unabhängig von",
	},
	howSure: {
		"unwahrscheinlich|unwahrscheinlichen|fraglich|zweifelhaft",
		"unklar|unbekannt|ungeklärt|ungewiss|umstritten|unsicher",
		"könnte|könnten|möglicherweise|vielleicht|eventuell|unter umständen|womöglich|mutmaßlich|anscheinend|scheint|scheinen|gegebenenfalls|ggf|evtl|?kann|?können|deutet darauf hin|deuten darauf hin",
		"vermutlich|wahrscheinlich|voraussichtlich|höchstwahrscheinlich|?wohl",
		"zuverlässig|bekanntlich",
		"sicherlich|mit sicherheit|zweifellos|ohne zweifel|bewiesen|erwiesen|erwiesenermaßen|nachgewiesen|nachweislich|garantiert|zwangsläufig|definitiv|gewiss|unweigerlich|eindeutig|?belegt|beweist|beweisen",
	},
	howBound: {
		"verboten|untersagt|unzulässig|kontraindiziert|kontraindiziertes|kontraindikation|gegenanzeige|gegenanzeigen|tabu|nicht möglich|unmöglich|ausgeschlossen",
		"vermeiden|vermieden|zu vermeiden|meiden|gemieden|abgeraten|rät ab|verzichten|verzichtet|verzicht|ungeeignet|unterlassen|unterbleiben|abzuraten",
		"freiwillig|freiwillige|optional|unnötig|überflüssig|entbehrlich|wahlweise|entfällt",
		"darf|dürfen|darfst|kann|können|kannst|erlaubt|gestattet|zulässig|?möglich|lässt sich|lassen sich|erwägen|erwogen",
		"sollte|sollten|soll|sollen|solltest|solltet|empfohlen|empfiehlt|empfehlen|ratsam|empfehlenswert|angeraten|?angezeigt|raten|geraten|bevorzugt|vorzuziehen|?möglichst|am besten|idealerweise",
		"muss|müssen|musst|müsst|notwendig|erforderlich|nötig|verpflichtend|verpflichtet|pflicht|vorgeschrieben|obligatorisch|zwingend|unbedingt|unerlässlich|bedarf|bedürfen|?benötigt|?benötigen|unabdingbar",
	},
	exclusion: {"nur|ausschließlich|allein|lediglich|bloß|einzig"},
	dayTime: {
		"morgens|am morgen|vormittags|vormittag|frühstück|frühmorgens|in der früh|nach dem aufstehen|beim aufstehen",
		"mittags|mittag|am mittag|mittagessen",
		"nachmittags|nachmittag|am nachmittag",
		"abends|am abend|abend|abendessen|abendbrot",
		"nachts|nacht|in der nacht|zur nacht|vor dem schlafen|vor dem schlafengehen|schlafengehen|zubettgehen|vor dem zubettgehen|schlafenszeit|vor dem einschlafen|über nacht",
	},
	mealTime: {
		"vor dem essen|vor den mahlzeiten|vor der mahlzeit|vor einer mahlzeit|vor mahlzeiten|nüchtern|nüchternen magen|auf nüchternen magen|vor dem frühstück",
		"zum essen|zu den mahlzeiten|zu einer mahlzeit|zur mahlzeit|zu mahlzeiten|mit dem essen|mit einer mahlzeit|mit den mahlzeiten|mit der mahlzeit|mit mahlzeiten|während des essens|während der mahlzeit|während der mahlzeiten|beim essen|mit nahrung|zum frühstück",
		"nach dem essen|nach den mahlzeiten|nach der mahlzeit|nach einer mahlzeit|nach mahlzeiten",
		"zwischen den mahlzeiten|zwischen mahlzeiten",
	},
	stageTime: {"anfangs|zu beginn|am anfang|im frühstadium|frühstadium", "schließlich|am ende|spätstadium|im spätstadium"},
}

// isOtherwiseInGerman tells uses of a German word that are on no scale: "alle drei Monate", "nicht nur", "immer noch".
func (f *figures) isOtherwiseInGerman(i int, p rungPhrase) bool {
	before, next := f.text(i-1), f.text(i+len(p.words))
	switch p.words[0] {
	case "alle", "jede", "jeder", "jedes", "jeden", "jedem":
		_, _, often := f.everyAt(i)
		return often
	case "immer":
		return next == "noch" || next == "mehr" || next == "weniger" || next == "wenn" || strings.HasSuffix(next, "er") && len(next) > 4 && len(p.words) == 1
	case "viele", "vielen", "vieler":
		return before == "wie" || before == "so" || before == "zu"
	case "nur":
		return before == "nicht" || next == "wenn"
	case "einige", "einigen", "mehrere", "mehreren", "wenige", "wenigen":
		return periods[next] != 0
	case "abend", "nacht", "mittag", "nachmittag", "vormittag":
		_, _, often := f.everyAt(i - 1)
		return often
	case "bedarf":
		return before == "bei" || before == "nach"
	case "allein":
		return strings.HasPrefix(next, "leb")
	case "weder":
		return false
	case "kann", "können": // "kann zu Schwindel führen" is how sure; "kann verwendet werden" what is possible
		if p.scale == howSure {
			return !f.mayHappen(i)
		}
		return f.mayHappen(i)
	}
	return false
}

// mayHappen reports whether a clause tells what may happen, not what one may do.
func (f *figures) mayHappen(i int) bool {
	for j := i - 12; j < i+25; j++ {
		if j >= 0 && j < len(f.marks) && f.clauses[j] == f.clauses[i] && happens[lexicon.GermanStem(f.text(j))] {
			return true
		}
	}
	return false
}

var happens = func() map[string]bool {
	set := make(map[string]bool)
	for verb := range strings.FieldsSeq("führen auftreten verursachen auslösen kommen beeinträchtigen erhöhen steigern verstärken vorkommen schädigen abschwächen senken verschlechtern bewirken hervorrufen entstehen steigen sinken dauern wirken verlängern verkürzen sterben erkranken beitragen mindern bedeuten passieren geschehen") {
		set[lexicon.GermanStem(verb)] = true
	}
	return set
}()

// deniesClause reports whether the clause around a German word is denied: "darf bei Kindern nicht angewendet werden".
func (f *figures) deniesClause(i int) bool {
	denied := false
	for j := i - 1; j >= 0 && f.clauses[j] == f.clauses[i] && !f.isEnd(j); j-- {
		denied = denied != f.deniesAt(j)
	}
	for j := i + 1; j < len(f.marks) && f.clauses[j] == f.clauses[i] && !f.isEnd(j); j++ {
		denied = denied != f.deniesAt(j)
	}
	return denied
}

// wholeDenied returns the span from a word on a scale to what denies it, whichever stands first.
func (f *figures) wholeDenied(r rung) passage.Span {
	span := r.Span
	for j, m := range f.marks {
		if f.clauses[j] == r.clause && f.deniesAt(j) {
			span.Start, span.End = min(span.Start, m.Start), max(span.End, m.End)
		}
	}
	return span
}

// deniesAt reports whether a German negation stands at a mark that is no part of a bound.
func (f *figures) deniesAt(j int) bool {
	switch text := f.text(j); germanNegators[text] {
	case "nicht", "kein", "nie", "niemand", "nichts", "weder":
		next := f.text(j + 1)
		return next != "nur" && f.text(j+2) != "als" && boundPhrases[text+" "+next] == exactly && endPhrases[text+" "+next] == exactly
	}
	return false
}

// addDuties adds what is to be done: "ist abzusetzen", "sind zu prüfen".
func (f *figures) addDuties(all []rung) []rung {
	for i := range f.marks {
		switch f.text(i) {
		case "ist", "sind", "sei", "seien", "war", "waren":
		default:
			continue
		}
		end := i + 1
		for end < len(f.marks) && f.clauses[end] == f.clauses[i] && !f.isEnd(end) {
			end++
		}
		verb := f.text(end - 1)
		if !isInfinitive(verb) || f.text(end-2) != "zu" && !isInfinitiveWithZu(verb) || f.text(end-2) == "zu" && unicode.IsUpper(rune(f.source[f.marks[end-1].Start])) {
			continue
		}
		all = append(all, rung{
			Span: f.marks[end-1].Span, scale: howBound, rank: 5, denied: f.deniesClause(i), clause: f.clauses[i], sentence: f.sentences[i],
		})
	}
	slices.SortStableFunc(all, func(a, b rung) int { return a.Start - b.Start })
	return all
}

func isInfinitive(verb string) bool {
	return strings.HasSuffix(verb, "en") || strings.HasSuffix(verb, "ern") || strings.HasSuffix(verb, "eln")
}

// isInfinitiveWithZu reports whether a verb has its "zu" behind its particle: "abzusetzen".
func isInfinitiveWithZu(verb string) bool {
	particle, rest, ok := strings.Cut(verb, "zu")
	return ok && len(rest) >= 4 && lexicon.IsGermanParticle(particle)
}
