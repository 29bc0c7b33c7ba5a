package gap

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"strings"

	"lacuna/knowledge"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
	"lacuna/vecmath"
)

// How the self-calibration asks. The numbers were measured: only if whole clusters are hidden, and the
// covered documents stay untouched, does a base calibrated on artificial questions behave on real ones, and
// only noise in the questions calibrates it.
const (
	selfCalibrationSeed = 20261121
	maxDrawn            = 500 // documents drawn as missing at most
	maxHiddenShare      = 0.2 // of the documents
	enoughDrawn         = 100 // documents drawn as missing from which there is no other round
	maxRounds           = 16
	questionsPerDoc     = 2
	enoughStored        = 100 // stored questions from which nothing artificial is asked
	replacedShare       = 0.1
	noiseShare          = 0.2
	frequentWordShare   = 0.005 // of the passages; words in more of them are noise
	storedPull          = 0.02  // towards the shipped weights, with stored questions
	artificialPull      = 0.2

	maxVocabulary        = 40_000 // searched for near words, the most frequent first
	passagesPerNeighbour = 16     // searched for each neighbour of a missing document
)

// selfCalibration asks one collection of a library about documents, some of which are left out.
type selfCalibration struct {
	library    *knowledge.Library // with all documents
	fewer      *knowledge.Library // without those that are missing
	kind       passage.Kind
	collection *knowledge.Collection // of library
	random     *rand.Rand
	isAspect   func(string) bool
	documents  [][]int  // ordinals
	frequent   []string // words common enough to stand in any question
	words      nearWords
}

// nearWords finds the words nearest to a word.
type nearWords struct {
	terms []string
	rows  *vecmath.Rows
}

// selfCalibrate learns the topic model of a collection with an encoder, or returns nil if there is nothing
// to ask. It is deterministic.
func selfCalibrate(ctx context.Context, library *knowledge.Library, kind passage.Kind, isAspect func(string) bool) (*model, error) {
	r, err := newSelfCalibration(library, kind, isAspect)
	if err != nil {
		return nil, err
	}
	examples, pull, err := r.askInRounds(ctx)
	if err != nil || len(examples) == 0 {
		return nil, err
	}
	m := fitTopic(examples, pull)
	return &m, nil
}

func newSelfCalibration(library *knowledge.Library, kind passage.Kind, isAspect func(string) bool) (*selfCalibration, error) {
	r := &selfCalibration{
		library: library, kind: kind, collection: library.Collection(kind),
		random:    rand.New(rand.NewPCG(selfCalibrationSeed, uint64(len(library.Passages())))),
		isAspect:  isAspect,
		documents: groupByDocument(library.Passages(), kind),
	}
	return r, r.learnWords()
}

// askInRounds asks about documents until enough were drawn. Stored questions need one round only.
func (r *selfCalibration) askInRounds(ctx context.Context) ([]example, float64, error) {
	missing, covered := r.draw()
	examples, pull, err := r.ask(ctx, missing, covered)
	if err != nil {
		return nil, 0, err
	}
	for round, drawn := 1, len(missing); pull == artificialPull && round < maxRounds && drawn < enoughDrawn; round++ {
		missing, covered = r.draw()
		more, err := r.each(ctx, missing, covered, r.askArtificial)
		if err != nil {
			return nil, 0, err
		}
		examples, drawn = append(examples, more...), drawn+len(missing)
	}
	return examples, pull, nil
}

// groupByDocument returns the ordinals of a kind's passages, document by document, in order of the first
// passage of each.
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

// documentVector returns the mean direction of the passages of a document.
func (r *selfCalibration) documentVector(ordinals []int) []float32 {
	mean := make([]float32, r.collection.Encoder().Dim())
	for _, ordinal := range ordinals {
		if vector := r.collection.Vector(ordinal); vector != nil {
			vecmath.AddScaled(mean, vector, 1)
		}
	}
	if length := vecmath.Norm(mean); length > 0 {
		vecmath.Scale(mean, 1/length)
	}
	return mean
}

// learnWords collects the words used as noise and the vectors of the most frequent words.
func (r *selfCalibration) learnWords() error {
	encoder := r.collection.Encoder()
	all := slices.Clone(r.collection.Vocabulary())
	slices.SortFunc(all, func(a, b string) int {
		return cmp.Or(cmp.Compare(r.collection.DocFreq(b), r.collection.DocFreq(a)), cmp.Compare(a, b))
	})
	r.words.rows = vecmath.NewRows(encoder.Dim())
	for _, term := range all {
		if float64(r.collection.DocFreq(term)) >= frequentWordShare*float64(r.collection.N()) {
			r.frequent = append(r.frequent, term)
		}
		if len(r.words.terms) == maxVocabulary {
			break
		}
		if vector, ok := encoder.WordVector(term); ok {
			if err := r.words.rows.Append(vector); err != nil {
				return err
			}
			r.words.terms = append(r.words.terms, term)
		}
	}
	return nil
}

// draw chooses the documents to ask about, and hides the missing ones with their neighbours. Each round
// chooses anew.
func (r *selfCalibration) draw() (missing, covered [][]int) {
	owner := make(map[int]int) // of the passages, by ordinal
	for i, ordinals := range r.documents {
		for _, ordinal := range ordinals {
			owner[ordinal] = i
		}
	}
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
		gone[i] = true
		company := 1 << r.random.IntN(4)
		near := map[int]bool{i: true}
		for _, n := range r.collection.Nearest(r.documentVector(r.documents[i]), company*passagesPerNeighbour) {
			if len(near) == company {
				break
			}
			near[owner[n.Ordinal]], gone[owner[n.Ordinal]] = true, true
		}
		missing = append(missing, r.documents[i])
	}
	var without []int
	for i := range gone {
		without = append(without, r.documents[i]...)
	}
	r.fewer = r.library.Without(without)
	for _, i := range order {
		if len(covered) == len(missing) {
			break
		}
		if !gone[i] {
			covered = append(covered, r.documents[i])
		}
	}
	return missing, covered
}

// ask asks the questions of the self-calibration and returns their features, with the pull towards the
// shipped weights that the kind of question deserves.
func (r *selfCalibration) ask(ctx context.Context, missing, covered [][]int) ([]example, float64, error) {
	if r.kind == passage.QA {
		examples, err := r.each(ctx, missing, covered, r.askStored)
		if err != nil || len(examples) >= enoughStored {
			return examples, storedPull, err
		}
	}
	examples, err := r.each(ctx, missing, covered, r.askArtificial)
	return examples, artificialPull, err
}

func (r *selfCalibration) each(ctx context.Context, missing, covered [][]int, ask func(context.Context, []int) ([]features, error)) ([]example, error) {
	var examples []example
	put := func(documents [][]int, i int, gone bool) error {
		if i >= len(documents) {
			return nil
		}
		asked, err := ask(ctx, documents[i])
		for _, f := range asked {
			examples = append(examples, example{f, gone})
		}
		return err
	}
	for i := range max(len(missing), len(covered)) {
		if err := cmp.Or(put(missing, i, true), put(covered, i, false)); err != nil {
			return nil, err
		}
	}
	return examples, nil
}

// measure asks a library a question, as the judge does.
func (r *selfCalibration) measure(ctx context.Context, library *knowledge.Library, q inquiry) (features, error) {
	e, err := lookUp(ctx, library, r.kind, q, nil)
	if err != nil || e == nil {
		return features{}, err
	}
	return measure(q, e.known(false)), nil
}

// askStored asks the stored questions of a document. Each is left out while it is asked, so that the search
// finds the others on its subject: a user's question is not worded as the stored one is.
func (r *selfCalibration) askStored(ctx context.Context, document []int) ([]features, error) {
	if len(document) < 2 {
		return nil, nil
	}
	var asked []features
	for _, ordinal := range document[:min(len(document), 4)] {
		q := parseQuestion(r.library.Passages()[ordinal].Question, r.isAspect)
		f, err := r.measure(ctx, r.fewer.Without([]int{ordinal}), q)
		if err != nil {
			return nil, err
		}
		asked = append(asked, f)
	}
	return asked, nil
}

// askArtificial asks artificial questions about a document: for an aspect of what its title names if its
// passages are labelled, else by key words.
func (r *selfCalibration) askArtificial(ctx context.Context, document []int) ([]features, error) {
	var asked []features
	for range questionsPerDoc {
		ordinal := document[r.random.IntN(len(document))]
		var q inquiry
		if p := r.library.Passages()[ordinal]; p.Title != "" && aspectClass(p) != "" {
			q = parseQuestion(aspectQuestion(p, aspectClass(p)), r.isAspect)
		} else {
			q = inquiry{content: r.keywords(ordinal)}.withTopic(r.isAspect)
		}
		if len(q.content) == 0 {
			continue
		}
		f, err := r.measure(ctx, r.fewer, q)
		if err != nil {
			return nil, err
		}
		asked = append(asked, f)
	}
	return asked, nil
}

// keywords makes an artificial question of key words of one sentence of a passage, some of them replaced by
// near or by common words.
func (r *selfCalibration) keywords(ordinal int) []string {
	sentence := r.sentence(ordinal)
	if len(sentence) == 0 {
		return nil
	}
	chosen := r.drawTerms(sentence, 3+r.random.IntN(6), r.neighbourTerms(ordinal))
	for i, term := range chosen {
		switch x := r.random.Float64(); {
		case x < replacedShare:
			chosen[i] = r.nearWord(term)
		case x < replacedShare+noiseShare && len(r.frequent) > 0:
			chosen[i] = r.frequent[r.random.IntN(len(r.frequent))]
		}
	}
	return plaintext.Distinct(chosen)
}

// sentence returns the content terms of a random sentence that has 5 to 80 of them, or nil.
func (r *selfCalibration) sentence(ordinal int) []string {
	p := r.library.Passages()[ordinal]
	spans := p.Sentences()
	r.random.Shuffle(len(spans), func(i, j int) { spans[i], spans[j] = spans[j], spans[i] })
	for _, s := range spans {
		q := parseQuestion(p.Text[s.Start:s.End], r.isAspect)
		if n := len(q.content); n >= 5 && n <= 80 {
			return q.content
		}
	}
	return nil
}

// neighbourTerms returns the terms of the three passages nearest to one: the words that usually go with its
// subject.
func (r *selfCalibration) neighbourTerms(ordinal int) map[string]bool {
	terms := make(map[string]bool)
	vector := r.collection.Vector(ordinal)
	if vector == nil {
		return terms
	}
	for _, n := range r.collection.Nearest(vector, 4) {
		if n.Ordinal != ordinal {
			for _, term := range r.collection.Terms(n.Ordinal) {
				terms[term] = true
			}
		}
	}
	return terms
}

// drawTerms draws n of the terms without replacement, by idf and by whether neighbours use them.
func (r *selfCalibration) drawTerms(terms []string, n int, topical map[string]bool) []string {
	terms = slices.Clone(terms)
	weights := make([]float64, len(terms))
	for i, term := range terms {
		weights[i] = idf(r.collection, term)
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

// drawIndex returns the index whose share of the weights holds x, in 0..1.
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

// nearWord returns one of the five words nearest to term, or term itself if it has no vector.
func (r *selfCalibration) nearWord(term string) string {
	vector, ok := r.collection.Encoder().WordVector(term)
	if !ok {
		return term
	}
	near, err := r.words.rows.NearestL2(vector, 6)
	if err != nil {
		return term
	}
	near = slices.DeleteFunc(near, func(n vecmath.Neighbor) bool { return r.words.terms[n.Row] == term })
	if len(near) == 0 {
		return term
	}
	return r.words.terms[near[r.random.IntN(len(near))].Row]
}

const (
	maxAspectQuestions = 400
	minAspectQuestions = 30 // with fewer the shipped stage stays
)

// subject holds the passages of one title, by aspect.
type subject struct {
	aspects map[string][]int // ordinals of the passages of a class
	order   []string         // classes in order of appearance
}

// selfCalibrate learns the aspect stage from the collections of a base: it asks for an aspect of a subject
// once with its passages in place and once with them hidden. If the base is too small for that, the stage
// stays as it was.
func (m *aspectModel) selfCalibrate(ctx context.Context, library *knowledge.Library, isAspect func(string) bool) error {
	var examples []aspectExample
	for _, kind := range []passage.Kind{passage.Text, passage.QA} {
		if library.Collection(kind) == nil {
			continue
		}
		more, err := m.examples(ctx, library, kind, isAspect)
		if err != nil {
			return err
		}
		examples = append(examples, more...)
	}
	if len(examples) >= 2*minAspectQuestions {
		m.Stage = fitAspect(examples)
	}
	return nil
}

// examples asks about the subjects of one collection.
func (m *aspectModel) examples(ctx context.Context, library *knowledge.Library, kind passage.Kind, isAspect func(string) bool) ([]aspectExample, error) {
	passages := library.Passages()
	random := rand.New(rand.NewPCG(selfCalibrationSeed, uint64(len(passages))))
	subjects := m.subjects(passages, kind)
	random.Shuffle(len(subjects), func(i, j int) { subjects[i], subjects[j] = subjects[j], subjects[i] })
	var examples []aspectExample
	for _, s := range subjects[:min(len(subjects), maxAspectQuestions)] {
		name := s.order[random.IntN(len(s.order))]
		treating := s.aspects[name]
		q := parseQuestion(aspectQuestion(passages[treating[0]], name), isAspect)
		for _, missing := range []bool{false, true} {
			asked := library
			if missing {
				asked = library.Without(treating)
			}
			e, err := lookUp(ctx, asked, kind, q, nil)
			if err != nil {
				return nil, err
			}
			if e == nil {
				continue
			}
			hits, _, _ := onTopic(q, []assessment{{evidence: *e}})
			examples = append(examples, aspectExample{m.measure(name, hits), missing})
		}
	}
	return examples, nil
}

// aspectQuestion asks for an aspect of what a passage is about.
func aspectQuestion(p *passage.Passage, name string) string {
	if p.Kind == passage.QA {
		return p.Question
	}
	return name + " of " + p.Title
}

// subjects returns the titles whose passages treat two known aspects or more, in order of first appearance.
func (m *aspectModel) subjects(passages []*passage.Passage, kind passage.Kind) []subject {
	var titles []string
	found := make(map[string]*subject)
	for ordinal, p := range passages {
		if p.Kind != kind || p.Title == "" {
			continue
		}
		name := aspectClass(p)
		if _, known := slices.BinarySearch(m.Classes, name); !known {
			continue
		}
		title := strings.ToLower(p.Title)
		s := found[title]
		if s == nil {
			s = &subject{aspects: make(map[string][]int)}
			found[title] = s
			titles = append(titles, title)
		}
		if s.aspects[name] == nil {
			s.order = append(s.order, name)
		}
		s.aspects[name] = append(s.aspects[name], ordinal)
	}
	var subjects []subject
	for _, title := range titles {
		if len(found[title].order) >= 2 {
			subjects = append(subjects, *found[title])
		}
	}
	return subjects
}
