package extract

import (
	"cmp"
	"slices"
	"strings"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/question"
)

// inquiry is a question as a person wrote it, and what it asks.
type inquiry struct {
	text    string // a letter whole
	gist    string // what it asks; text itself if it is no letter
	asks    string // the sentences of it that ask
	reading question.Reading
	letter  bool
}

func newInquiry(text string) inquiry {
	r := question.Read(text)
	a := inquiry{text: text, gist: r.Gist(), reading: r, letter: r.IsLetter()}
	for _, s := range r.Asking {
		a.asks += text[s.Start:s.End] + "\n"
	}
	return a
}

// told returns all that a letter tells and asks, without its courtesies.
func (a inquiry) told() string {
	var text []string
	for _, s := range slices.Concat(a.reading.Account, a.reading.Asking) {
		text = append(text, a.text[s.Start:s.End])
	}
	return strings.Join(text, "\n")
}

// storedPlace is a stored question whose answer may help.
type storedPlace struct {
	hit    knowledge.Hit
	name   string          // of its topic that the question holds whole; "" if none
	aspect question.Aspect // that it asks for
	rank   float64         // orders the places of one question
	// inGist says that the name stands in what is asked or in what it points to, fits that the question also
	// asks for the aspect, and that the pair has most of what it asks besides.
	inGist, fits bool
	alike        float64 // how far a pair without a topic asks the same, in 0..1
	agrees       bool    // it asks for the same aspect of the same subject, and the question asks for nothing else
}

// How stored questions are put in order, beside the score of the search relative to the best one.
const (
	namedWeight    = .25 // what is asked names the topic
	toldWeight     = .15 // what is told names it
	aspectWeight   = .35 // the question asks for the aspect of a topic that it names
	overviewWeight = .1  // the pair says what the topic is, whatever is asked about it
	titleWeight    = .05 // the topic has the name for its own, and not as another one
	restWeight     = .2  // the pair holds what the question asks besides
)

// agreesConfidence is the probability that a pair answers whose subject and aspect are those of the question.
const agreesConfidence = .95

// ratePairs puts stored questions that were found in order.
func ratePairs(library *knowledge.Library, asked inquiry, pairs []knowledge.Hit, collection *knowledge.Collection) []storedPlace {
	words := wordsHeld{
		asks: library.Spelled(collection, asked.asks, lexical.Analyze(asked.asks)),
		gist: library.Spelled(collection, asked.gist, lexical.Analyze(asked.gist)), base: collection,
	}
	if asked.letter {
		words.text = asked.text
		words.plain = " " + strings.Join(lexical.Words(asked.text), " ") + " "
	}
	titles := make(map[string]bool)
	for _, hit := range pairs {
		titles[strings.ToLower(hit.Passage.Title)] = true
	}
	places := make([]storedPlace, len(pairs))
	best := 0.0
	for _, hit := range pairs {
		best = max(best, hit.Score)
	}
	for i, hit := range pairs {
		if asked.letter {
			hit.Subject = nil // all that the letter mentions
		}
		p := storedPlace{hit: hit, aspect: aspectOfPair(hit.Passage)}
		if best > 0 {
			p.rank = hit.Score / best
		}
		how := told
		if p.name, how = words.longestName(hit.Passage); p.name != "" {
			p.rate(asked.reading.Without(p.name), how, collection)
			// What is another name of this topic may be the very name of another one.
			another := !strings.EqualFold(p.name, hit.Passage.Title) && titles[strings.ToLower(p.name)]
			// So may an abbreviation.
			another = another || len(p.name) <= 4 && p.name == strings.ToUpper(p.name) && p.name != hit.Passage.Title
			p.agrees = p.agrees && !another && negates(asked.asks) == negates(hit.Passage.Question)
		}
		if hit.Passage.Title == "" {
			p.alike = alike(asked, contentWords(hit.Passage.Question), collection)
			p.rank += p.alike
		}
		places[i] = p
	}
	slices.SortStableFunc(places, func(a, b storedPlace) int {
		return cmp.Or(-cmp.Compare(truth(a.agrees), truth(b.agrees)), -cmp.Compare(a.rank, b.rank))
	})
	return places
}

// rate adds what the reading of the question says about a stored one whose topic it names.
func (p *storedPlace) rate(r question.Reading, how naming, base statistics) {
	p.inGist = how >= pointed
	p.rank += toldWeight
	if p.inGist {
		p.rank += namedWeight - toldWeight
	}
	if p.name == p.hit.Passage.Title {
		p.rank += titleWeight
	}
	rest, covered := r.Rest(p.name), 1.0
	if len(rest) > 0 {
		held := lexical.Terms(p.hit.Passage.Question + "\n" + p.hit.Passage.Text[:min(maxCompared, len(p.hit.Passage.Text))])
		covered, _ = coverage(rest, held, base)
		p.rank += restWeight * covered
	}
	switch {
	case p.aspect == "":
	case r.Aspect == p.aspect || p.aspect != question.Definition && slices.Contains(r.Aspects, p.aspect):
		p.rank += aspectWeight
		p.fits = p.inGist && covered >= .5
		p.agrees = how == named && p.hit.Passage.Text != "" && len(rest) == 0 && asksOnly(r, p.aspect)
	case p.aspect == question.Definition:
		p.rank += overviewWeight
	}
}

// asksOnly reports whether a question asks for an aspect and for no other one. "What is" and "how do I" ask
// for none by themselves.
func asksOnly(r question.Reading, aspect question.Aspect) bool {
	return r.Aspect == aspect && !slices.ContainsFunc(r.Aspects, func(a question.Aspect) bool { return a != aspect && a != question.Definition && a != "steps" })
}

// maxCompared bounds the bytes of an answer that are compared with the rest of a question.
const maxCompared = 8 << 10

// naming says where a question names a topic.
type naming int

const (
	told    naming = iota // in what a letter tells
	pointed               // in what a letter tells and its question points to
	named                 // in the sentences that ask
)

// wordsHeld has the terms by which a question can name a topic.
type wordsHeld struct {
	asks, gist []string
	text       string // of a letter
	plain      string // its words in lower case, with spaces around each
	base       statistics
}

// longestName returns the longest name of a stored question's topic that the question holds, and where: best in
// the sentences that ask. A name in what a letter tells counts only as it is written there.
func (w wordsHeld) longestName(p *passage.Passage) (name string, how naming) {
	for _, candidate := range append([]string{p.Title}, p.Also...) {
		own := plaintext.Distinct(lexical.Terms(candidate))
		at := told
		switch {
		case len(own) == 0 || !slices.ContainsFunc(own, func(term string) bool { return !question.IsPlainTerm(term) }):
			continue
		case w.holds(own, w.asks) && !isShortName(candidate, w.text):
			at = named
		case w.holds(own, w.gist) && !isShortName(candidate, w.text):
			at = pointed
		case w.text == "" || isShortName(candidate, w.text) || !strings.Contains(w.plain, " "+strings.Join(lexical.Words(candidate), " ")+" "):
			continue
		}
		if name == "" || at > how || at == how && len(candidate) > len(name) {
			name, how = candidate, at
		}
	}
	return name, how
}

// isShortName reports whether a name is an abbreviation that a letter does not have as such: MG in "5 mg".
func isShortName(name, text string) bool {
	return text != "" && len(name) <= 4 && name == strings.ToUpper(name) && !slices.Contains(question.Words(text), name)
}

// holds reports whether some terms hold a name: all of its words, or nearly all of its weight without a word
// that names nothing by itself, such as "disease".
func (w wordsHeld) holds(name, terms []string) bool {
	held, _ := coverage(name, terms, w.base)
	return held > .999 || held >= nearlyWhole && !slices.ContainsFunc(name, func(term string) bool {
		return !question.IsPlainTerm(term) && !slices.Contains(terms, term)
	})
}

// nearlyWhole is the share of a name's weight from which on a word like "disease" may be left out: "Crohn's".
const nearlyWhole = .75

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// aspectOfPair returns the aspect that a stored question asks for.
func aspectOfPair(p *passage.Passage) question.Aspect {
	if aspect := question.AspectOf(p.Section); aspect != "" {
		return aspect
	}
	return question.Read(p.Question).Without(p.Title).Aspect
}

// From which score of the search on stored answers are shown as places that may help: that of the place, as a
// share of what the question could reach. Less is enough where the question names the topic. Measured on
// letters of patients and their summaries.
const (
	nearFromLetter = .08
	nearFromLine   = .12
	nearFromNamed  = .015
)

// nearPairs returns the stored questions with an answer that may help, at most maxPlaces, or none.
func nearPairs(asked inquiry, places []storedPlace) []storedPlace {
	from := nearFromLine
	if asked.letter {
		from = nearFromLetter
	}
	var near []storedPlace
	for _, p := range places {
		least := from
		if p.inGist || len(strings.Fields(p.name)) > 1 || p.alike >= nearHeading {
			least = nearFromNamed
		} else if p.name != "" {
			least /= 2
		}
		if p.hit.Score >= least && strings.TrimSpace(p.hit.Passage.Text) != "" && len(near) < maxPlaces {
			near = append(near, p)
		}
	}
	return near
}

// sayingPairs returns the stored questions with an answer that say what is asked about;
// see [says].
func sayingPairs(a storedMatch, base *knowledge.Collection) []storedPlace {
	if len(a.others) == 0 {
		return nil
	}
	about := a.asked.gist
	if a.asked.letter {
		about = a.asked.told()
	}
	words := base.Wording(SubjectWords(about))
	var saying []storedPlace
	for _, p := range a.others {
		held := set(lexical.Terms(p.hit.Passage.Indexed()), lexical.Terms(p.hit.Passage.Text[:min(maxCompared, len(p.hit.Passage.Text))]))
		if strings.TrimSpace(p.hit.Passage.Text) != "" && says(words, has(held)) && len(saying) < maxPlaces {
			saying = append(saying, p)
		}
	}
	return saying
}

// unsure is the probability of something missing where a stored answer treats what is asked.
const unsure = .5

// maxStoredWords bounds what is shown of a stored answer that may help.
const maxStoredWords = 60

// showStored adds the stored answers that may help to the nearest places of a result: before the passages if
// they treat the asked aspect of what the question names, else behind them. If nothing else is shown, those are
// that say what is asked about.
func (o *Offline) showStored(library *knowledge.Library, result *answer.Result, a storedMatch) {
	base := library.Collection(passage.QA)
	if len(a.near) == 0 && len(result.Nearest) == 0 {
		a.near = sayingPairs(a, base)
	}
	if len(a.near) == 0 {
		return
	}
	var stored []answer.Statement
	for _, p := range a.near {
		r := read(a.asked.gist, statistics(base), []knowledge.Hit{p.hit})
		best := r.choose(r.scores(), LeadOnly)
		if len(best) == 0 || covered(result.Nearest, r.sentences[best[0]].plain) {
			continue
		}
		stored = append(stored, o.statements(library, result, r, []quotation{r.goingOn(r.quotation(best[0]))})...)
	}
	if len(stored) == 0 {
		return
	}
	texts := result.Nearest
	switch first := a.near[0]; {
	case len(texts) == 0:
		result.Nearest = stored
	case first.fits:
		result.Nearest = slices.Concat(stored[:1], texts, stored[1:])
	case first.inGist:
		result.Nearest = slices.Concat(texts[:min(maxPlaces-1, len(texts))], stored)
	default:
		result.Nearest = slices.Concat(texts, stored)
	}
	if a.near[0].fits {
		result.Gaps, result.MissingProbability = nil, min(result.MissingProbability, unsure)
	}
	result.Nearest = result.Nearest[:min(maxPlaces, len(result.Nearest))]
	citeOnlyShown(result)
	result.State = answer.Nearest
}

// citeOnlyShown drops the citations of places that are not shown, and numbers the others again.
func citeOnlyShown(result *answer.Result) {
	var cited []answer.Citation
	for i, s := range result.Nearest {
		numbers := make([]int, len(s.Citations))
		for j, n := range s.Citations {
			c := result.Citations[n-1]
			c.N = len(cited) + 1
			cited, numbers[j] = append(cited, c), c.N
		}
		result.Nearest[i].Citations = numbers
	}
	result.Citations = cited
}

// goingOn widens a quotation by the sentences behind it that fit.
func (r *reading) goingOn(q quotation) quotation {
	from := &r.pages[q.page]
	for q.last+1 < len(from.spans) {
		next := from.spans[q.last+1]
		span := passage.Span{Start: q.span.Start, End: next.End}
		if !Adjoin(from.shown, from.spans[q.last], next) || countWords(from.shown.Span(span)) > maxStoredWords {
			break
		}
		q.last, q.span = q.last+1, span
	}
	return q
}
