package question

import (
	"strings"

	"lacuna/knowledge/lexical"
	"lacuna/knowledge/plaintext"
)

// The lists below decide where names begin and end in a question, and which of its words say little about
// what it needs. They are English.

// functionWords end a noun phrase: the analyser's stop words and other words of grammar.
var functionWords = plaintext.Set(`
	a an and are as at be but by for if in into is it no not of on or such that the their then there
	these they this to was will with than via upon within without during after before between among
	under over through across per against toward towards versus vs because since until while also
	both either neither each every all any only just very more most less least much many other
	others another same different various several few own so too yet still even ever never usually
	currently now today recently already up down out off etc e.g i.e regarding concerning according
	due january february march april june july august september october november december jan feb
	mar apr jun jul aug sep sept oct nov dec`)

// moreFunctionWords end a noun phrase as well, but may stem from the same root as a name.
var moreFunctionWords = plaintext.Set(`
	something someone somebody anything anyone anybody everything everyone everybody nothing nobody itself myself yourself
	himself herself themselves ourselves mine yours onto off out like whether always again often maybe perhaps afterwards
	beforehand enough away whatever whenever wherever despite except beside besides behind along around near till
	straight ok okay shouldn couldn wouldn`)

// askingWords holds the verbs and adjectives that questions ask with; they also end a noun phrase.
var askingWords = plaintext.Set(`
	cause causes caused causing inhibit inhibits inhibited inhibiting associate associated associates
	link linked effective efficacious use used uses using find finds found improve improves improved
	involve involved involves include includes including included affect affects affected affecting
	influence influences influenced increase increases increased decrease decreases decreased reduce
	reduces reduced prevent prevents prevented treat treats treated treating diagnose diagnosed
	recommend recommended recommends indicate indicated indicates contraindicated produce produces
	produced induce induces induced regulate regulates regulated target targets targeted targeting
	bind binds interact interacts interacting play plays played lead leads led result results
	resulting occur occurs occurring develop develops developed happen happens express expressed
	encode encodes encoded contain contains contained consist consists mean means define defined
	describe described know known call called name named list listed give gives given get gets
	getting got take takes taken taking make makes made become becomes need needs needed require
	requires required help helps helped work works working benefit benefits beneficial useful
	available approved aim aims aimed assess assesses assessed measure measures measured detect
	detects detected identify identified show shows shown report reported reports study studied
	studies compare compared comparing consider considered relate related characterize characterized
	mediate mediates mediated modulate modulates activate activates activated suppress suppresses
	suppressed depend depends apply applied serve serves perform performed propose proposed suggest
	suggested think want try tried start started stop stopped keep go goes going come comes
	inherited expect expected exist exists constitute comprise differ differs belong belongs
	administer administered prescribe prescribed monitor monitored last safe possible able eat eats store stored
	prolong prolongs prolonged loosen loosens sell sells sold promote promotes protect protects
	trigger triggers triggered delay delays delayed contribute contributes enhance enhances enhanced
	stimulate stimulates alter alters altered predict predicts worsen worsens raise raises raised
	respond responds confer confers exhibit exhibits underlie underlies tested thought believed said
	suspected supposed vary varies varied located receive receives
	received obtain obtains obtained basis yes
	localized localised`)

// participles may stand inside a name.
var participles = plaintext.Set(`associated related induced mediated linked derived regulated expressed activated targeted`)

// genericWords name nothing by themselves; they are cut from both ends of a noun phrase.
var genericWords = plaintext.Set(`
	role roles mechanism mechanisms function functions list lists common main major key primary
	number numbers type types kind kinds form forms example examples way ways reason reasons effect
	effects impact use uses usage purpose name names difference differences relation relationship
	association connection correlation link evidence current latest new novel recent important best
	good better first second third one two three four five six seven eight nine ten treatment
	treatments therapy therapies symptom symptoms sign signs cause causes diagnosis prognosis outlook
	prevention risk risks factor factors complication complications test tests gene genes protein
	proteins disease diseases disorder disorders syndrome syndromes condition conditions patient
	patients people person persons human humans man men woman women child children adult adults drug
	drugs medication medications medicine medicines dose dosage trial trials study studies research
	result results outcome outcomes case cases level levels method methods approach approaches
	technique techniques tool tools database databases strategy strategies characteristic
	characteristics feature features property properties definition meaning information data
	potential possible specific general normal effective therapeutic clinical mode action process
	part parts member members component components frequency prevalence incidence rate percentage
	amount long often likely time year years old day days side adverse management indication
	indications option options guideline guidelines target targets marker markers biomarker
	biomarkers cell cells pathway pathways interaction interactions activity group groups class
	classes thing things something anything problem problems question questions answer answers
	known associated related responsible usual starting initial daily proper right correct safely
	safety lot lots animal animals molecule molecules substance substances presentation extent error errors code codes
	message messages`)

// closers holds generic words that belong to the name they end.
var closers = plaintext.Set(`
	days disease diseases gene genes syndrome syndromes trial trials disorder disorders protein proteins
	test tests cell cells pathway factor factors therapy`)

// counted holds words after which a lone capital is a number or a type.
var counted = plaintext.Set(`type class phase grade stage group level vitamin hepatitis factor bipolar angiotensin collagen complex`)

// relationWords show that a question asks how two things relate.
var relationWords = plaintext.Set(`
	between difference differences differ compare compared comparison association associated
	relation relationship versus vs link linked correlation correlate interact interaction
	interactions`)

// everydayWords holds common verbs, adjectives and adverbs that a small base may lack.
var everydayWords = plaintext.Set(`
	keep kept go went gone come came see saw seen say said tell told think thought feel felt look put
	bring brought hold held turn leave left move live lived write wrote written sit sat stand stood
	lose lost pay paid meet met set learn change changed understand understood watch follow speak
	spoke read allow allowed add added spend spent grow grew grown open walk win won offer remember
	wait send sent build built stay stayed fall fell fallen cut reach remain begin began begun buy
	bought choose chose chosen draw drawn drive driven eaten ate drank drunk made mean meant took
	gave gotten became began shown seen let like seem ask asked call ensure avoid avoided handle
	worry worried mind care look happen
	big small large little good bad better worse new old young early late easy hard sure right wrong
	far near apart quick quickly soon once twice again together away back instead enough especially
	probably really simply actually properly regularly immediately first next whole full empty ready
	free exact exactly real true false important necessary suitable typical typically routine
	routinely week weeks month months hour hours minute minutes morning evening night today tomorrow
	home place point side end start beginning middle top bottom number name word line page
	`)

var (
	functionTerms = termsOf(functionWords)
	askingTerms   = termsOf(functionWords, askingWords, everydayWords)
	plainTerms    = termsOf(functionWords, askingWords, everydayWords, genericWords)
)

// IsFunctionTerm reports whether an analysed term is a word of grammar: "than", "within", a month.
func IsFunctionTerm(term string) bool { return functionTerms[term] }

// IsAskingTerm reports whether an analysed term is a word of grammar, of asking or of everyday speech: "cause",
// "recommend", "week".
func IsAskingTerm(term string) bool { return askingTerms[term] }

// IsPlainTerm reports whether an analysed term is one of [IsAskingTerm] or names nothing by itself: "role",
// "patient", "result".
func IsPlainTerm(term string) bool { return plainTerms[term] }

func termsOf(sets ...map[string]bool) map[string]bool {
	terms := make(map[string]bool)
	for _, set := range sets {
		for w := range set {
			for _, term := range lexical.Terms(w) {
				terms[term] = true
			}
		}
	}
	return terms
}

// isGrammar reports whether a word in lower case is one of grammar or of asking.
func isGrammar(lower string) bool {
	return functionWords[lower] || moreFunctionWords[lower] || lexical.IsAskingWord(lower) || askingWords[lower]
}

// isContraction reports whether a word in lower case is a pronoun, a question word or an auxiliary with what is
// drawn into it: "I'm", "won't", "what's".
func isContraction(lower string) bool {
	before, after, ok := strings.Cut(strings.ReplaceAll(lower, "’", "'"), "'")
	if !ok {
		return false
	}
	switch after {
	case "t", "m", "ve", "re", "ll", "d":
		return true
	}
	return after == "s" && isGrammar(before)
}
