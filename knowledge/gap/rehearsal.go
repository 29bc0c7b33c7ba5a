package gap

import (
	"context"
	"math/rand/v2"
	"slices"

	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
	"lacuna/vecmath"
)

// How the rehearsal is held. The numbers were measured: hiding whole clusters while leaving the
// covered side untouched is what makes a base rehearsed on artificial questions behave on real
// ones, and noise in the questions is what calibrates it.
const (
	rehearsalSeed    = 20261121
	maxRehearsal     = 40_000 // passages rehearsed on at most; larger shelves are sampled by document
	maxDrawn         = 500    // documents drawn as missing at most
	maxHiddenShare   = 0.2    // of the documents
	questionsPerDoc  = 2
	enoughStored     = 100 // stored questions from which nothing artificial is asked
	replacedShare    = 0.1
	noiseShare       = 0.2
	runningWordShare = 0.005 // of the passages: the words noise is made of
	storedPull       = 0.02  // towards the shipped weights, with stored questions
	artificialPull   = 0.2
)

// example is one question of the rehearsal.
type example struct {
	features features
	missing  bool
}

// rehearsal hides a part of one shelf and asks about it.
type rehearsal struct {
	*masked
	random    *rand.Rand
	isAspect  func(string) bool
	documents []rehearsed
	running   []string // words common enough to stand in any question
	vectors   *vecmath.Rows
	vocabulary
}

// rehearsed is one document of the shelf.
type rehearsed struct {
	ordinals []int
	vector   []float32
}

// vocabulary finds the words nearest to a word.
type vocabulary struct {
	terms []string
	rows  *vecmath.Rows
}

// rehearse learns the topic model of a shelf with an encoder, or returns nil where there is nothing
// to ask. It is deterministic.
func rehearse(ctx context.Context, shelf shelf, passages []*passage.Passage, kind passage.Kind, isAspect func(string) bool) (*model, error) {
	r, err := newRehearsal(shelf, passages, kind, isAspect)
	if err != nil {
		return nil, err
	}
	missing, covered, err := r.draw()
	if err != nil {
		return nil, err
	}
	examples, pull, err := r.ask(ctx, missing, covered, kind)
	if err != nil || len(examples) == 0 {
		return nil, err
	}
	m := fitTopic(examples, pull)
	return &m, nil
}

func newRehearsal(shelf shelf, passages []*passage.Passage, kind passage.Kind, isAspect func(string) bool) (*rehearsal, error) {
	random := rand.New(rand.NewPCG(rehearsalSeed, uint64(len(passages))))
	documents, members := sample(passages, kind, random)
	r := &rehearsal{
		masked:   newMasked(shelf, passages, members, fusionWeight(kind)),
		random:   random,
		isAspect: isAspect,
		vectors:  vecmath.NewRows(shelf.Encoder().Dim()),
	}
	for _, ordinals := range documents {
		vector := r.documentVector(ordinals)
		if err := r.vectors.Append(vector); err != nil {
			return nil, err
		}
		r.documents = append(r.documents, rehearsed{ordinals, vector})
	}
	return r, r.learnWords()
}

// sample draws documents of a kind up to maxRehearsal passages, in random order; members are their
// passages in ascending order.
func sample(passages []*passage.Passage, kind passage.Kind, random *rand.Rand) (documents [][]int, members []int) {
	documents = groupByDocument(passages, kind)
	random.Shuffle(len(documents), func(i, j int) { documents[i], documents[j] = documents[j], documents[i] })
	for i, doc := range documents {
		if len(members)+len(doc) > maxRehearsal && i > 0 {
			documents = documents[:i]
			break
		}
		members = append(members, doc...)
	}
	slices.Sort(members)
	return documents, members
}

// fusionWeight is the weight of the cosine in the library's hybrid score.
func fusionWeight(kind passage.Kind) float64 {
	if kind == passage.QA {
		return 0.3
	}
	return 0.6
}

// groupByDocument returns the ordinals of a kind's passages, document by document, in the order of
// the first of each.
func groupByDocument(passages []*passage.Passage, kind passage.Kind) [][]int {
	var groups [][]int
	at := make(map[[2]string]int)
	for ordinal, p := range passages {
		if p.Kind != kind {
			continue
		}
		key := [2]string{p.Source, p.Document}
		i, known := at[key]
		if !known {
			i = len(groups)
			at[key] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], ordinal)
	}
	return groups
}

func (r *rehearsal) documentVector(ordinals []int) []float32 {
	mean := make([]float32, r.shelf.Encoder().Dim())
	for _, ordinal := range ordinals {
		if vector := r.shelf.Vector(ordinal); vector != nil {
			vecmath.AddScaled(mean, vector, 1)
		}
	}
	return unit(mean)
}

// learnWords collects the words that noise is made of and the vectors of all words.
func (r *rehearsal) learnWords() error {
	encoder := r.shelf.Encoder()
	r.rows = vecmath.NewRows(encoder.Dim())
	all := make([]string, 0, len(r.postings))
	for term := range r.postings {
		all = append(all, term)
	}
	slices.Sort(all)
	for _, term := range all {
		if float64(len(r.postings[term])) >= runningWordShare*float64(len(r.members)) {
			r.running = append(r.running, term)
		}
		if vector, ok := encoder.WordVector(term); ok {
			if err := r.rows.Append(vector); err != nil {
				return err
			}
			r.vocabulary.terms = append(r.vocabulary.terms, term)
		}
	}
	return nil
}

// draw chooses the documents asked about and hides those drawn as missing with their neighbours.
func (r *rehearsal) draw() (missing, covered []rehearsed, err error) {
	gone := make(map[int]bool)
	most := int(maxHiddenShare * float64(len(r.documents)))
	order := r.random.Perm(len(r.documents))
	for _, i := range order {
		if len(missing) == maxDrawn || len(gone) >= most {
			break
		}
		if gone[i] {
			continue
		}
		near, err := r.vectors.NearestL2(r.documents[i].vector, 1<<r.random.IntN(4))
		if err != nil {
			return nil, nil, err
		}
		gone[i] = true
		for _, n := range near {
			gone[n.Row] = true
		}
		missing = append(missing, r.documents[i])
	}
	for i := range gone {
		for _, ordinal := range r.documents[i].ordinals {
			r.hide(ordinal)
		}
	}
	for _, i := range order {
		if len(covered) == len(missing) {
			break
		}
		if !gone[i] {
			covered = append(covered, r.documents[i])
		}
	}
	return missing, covered, nil
}

// ask puts the questions of the rehearsal and returns them measured, with the pull towards the
// shipped weights that their kind deserves.
func (r *rehearsal) ask(ctx context.Context, missing, covered []rehearsed, kind passage.Kind) ([]example, float64, error) {
	if kind == passage.QA {
		examples, err := r.each(ctx, missing, covered, r.askStored)
		if err != nil || len(examples) >= enoughStored {
			return examples, storedPull, err
		}
	}
	examples, err := r.each(ctx, missing, covered, r.askArtificial)
	return examples, artificialPull, err
}

func (r *rehearsal) each(ctx context.Context, missing, covered []rehearsed, ask func(rehearsed) []features) ([]example, error) {
	var examples []example
	for i := range max(len(missing), len(covered)) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if i < len(missing) {
			for _, f := range ask(missing[i]) {
				examples = append(examples, example{f, true})
			}
		}
		if i < len(covered) {
			for _, f := range ask(covered[i]) {
				examples = append(examples, example{f, false})
			}
		}
	}
	return examples, nil
}

// askStored asks the stored questions of a document. A pair is hidden while its own question is
// asked, so that what is found are the others on its subject: a person's question will not be
// worded as the stored one is.
func (r *rehearsal) askStored(doc rehearsed) []features {
	if len(doc.ordinals) < 2 {
		return nil
	}
	var asked []features
	for _, ordinal := range doc.ordinals[:min(len(doc.ordinals), 4)] {
		visible := !r.hidden[ordinal]
		if visible {
			r.hide(ordinal)
		}
		q := parseQuestion(r.passages[ordinal].Question, r.isAspect)
		asked = append(asked, measure(q, r.search(q)))
		if visible {
			r.show(ordinal)
		}
	}
	return asked
}

// askArtificial asks artificial questions about a document. Where its passages bear labels people
// ask for a side of what its title names, else by key words.
func (r *rehearsal) askArtificial(doc rehearsed) []features {
	var asked []features
	for range questionsPerDoc {
		ordinal := doc.ordinals[r.random.IntN(len(doc.ordinals))]
		var q question
		if p := r.passages[ordinal]; p.Title != "" && aspectClass(p) != "" {
			q = parseQuestion(aspectQuestion(p, aspectClass(p)), r.isAspect)
		} else {
			q = question{content: r.keywords(ordinal)}.withTopic(r.isAspect)
		}
		if len(q.content) > 0 {
			asked = append(asked, measure(q, r.search(q)))
		}
	}
	return asked
}

// keywords makes an artificial question: key words of one sentence of a passage, some of them
// replaced by near or by common ones.
func (r *rehearsal) keywords(ordinal int) []string {
	sentence := r.sentence(ordinal)
	if len(sentence) == 0 {
		return nil
	}
	chosen := r.drawTerms(sentence, 3+r.random.IntN(6), r.neighbourTerms(ordinal))
	for i, term := range chosen {
		switch x := r.random.Float64(); {
		case x < replacedShare:
			chosen[i] = r.nearWord(term)
		case x < replacedShare+noiseShare && len(r.running) > 0:
			chosen[i] = r.running[r.random.IntN(len(r.running))]
		}
	}
	return distinct(chosen)
}

// sentence returns the content terms of a random sentence of a passage that has enough of them.
func (r *rehearsal) sentence(ordinal int) []string {
	p := r.passages[ordinal]
	spans := passage.Sentences(p.Text, p.Format)
	r.random.Shuffle(len(spans), func(i, j int) { spans[i], spans[j] = spans[j], spans[i] })
	for _, s := range spans {
		q := parseQuestion(p.Text[s.Start:s.End], r.isAspect)
		if n := len(q.content); n >= 5 && n <= 80 {
			return q.content
		}
	}
	return nil
}

// neighbourTerms are the terms of the three passages nearest to one: what the subject is usually
// spoken of with.
func (r *rehearsal) neighbourTerms(ordinal int) map[string]bool {
	terms := make(map[string]bool)
	vector := r.shelf.Vector(ordinal)
	if vector == nil {
		return terms
	}
	for _, n := range r.shelf.Nearest(vector, 4) {
		if n.Ordinal != ordinal {
			for _, term := range r.shelf.Terms(n.Ordinal) {
				terms[term] = true
			}
		}
	}
	return terms
}

// drawTerms draws n of the terms without replacement, by idf and by whether neighbours use them.
func (r *rehearsal) drawTerms(terms []string, n int, topical map[string]bool) []string {
	terms = slices.Clone(terms)
	weights := make([]float64, len(terms))
	for i, term := range terms {
		weights[i] = idf(r.shelf, term)
		if topical[term] {
			weights[i] *= 4
		}
	}
	var drawn []string
	for len(drawn) < n && len(terms) > 0 {
		i := drawIndex(weights, r.random.Float64())
		drawn = append(drawn, terms[i])
		terms = slices.Delete(terms, i, i+1)
		weights = slices.Delete(weights, i, i+1)
	}
	return drawn
}

// drawIndex is the index whose share of the weights holds x of 0..1.
func drawIndex(weights []float64, x float64) int {
	total := 0.0
	for _, w := range weights {
		total += w
	}
	x *= total
	for i, w := range weights {
		if x -= w; x < 0 {
			return i
		}
	}
	return len(weights) - 1
}

// nearWord is one of the five words nearest to term, or term itself where it has no vector.
func (r *rehearsal) nearWord(term string) string {
	vector, ok := r.shelf.Encoder().WordVector(term)
	if !ok {
		return term
	}
	near, err := r.rows.NearestL2(vector, 6)
	if err != nil {
		return term
	}
	near = slices.DeleteFunc(near, func(n vecmath.Neighbor) bool { return r.vocabulary.terms[n.Row] == term })
	if len(near) == 0 {
		return term
	}
	return r.vocabulary.terms[near[r.random.IntN(len(near))].Row]
}

// distinct keeps the first of equal strings.
func distinct(all []string) []string {
	seen := make(map[string]bool, len(all))
	kept := make([]string, 0, len(all))
	for _, s := range all {
		if !seen[s] {
			seen[s] = true
			kept = append(kept, s)
		}
	}
	return kept
}

// evidenceTerms are the terms a passage is judged by: those it is found by, and for a stored pair
// those of its answer as well.
func evidenceTerms(shelf shelf, p *passage.Passage, ordinal int) []string {
	terms := shelf.Terms(ordinal)
	if p.Kind != passage.QA {
		return terms
	}
	return append(slices.Clone(terms), lexical.Terms(p.Text)...)
}
