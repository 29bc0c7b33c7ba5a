package systems

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/extract"
	"lacuna/knowledge/answer/support"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/par"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
	"lacuna/prompts"
	"lacuna/vecmath"
)

// How long background is, in words. The paper asks for 256 and allows a reply of 256 tokens, which cuts
// off the last sentence; the product asks for what the tokens hold.
const (
	publishedWords = 256
	productWords   = 160
)

func (r *run) backgroundWords() int {
	if r.Options.AsPublished {
		return publishedWords
	}
	return productWords
}

// gapDocuments returns the requests of MedRGAG: one document on each gap, then documents on the question
// alone until there are k.
func (r *run) gapDocuments(gaps []gap.Gap, k int) []prompts.GenerateDoc {
	var documents []prompts.GenerateDoc
	for _, g := range gaps[:min(k, len(gaps))] {
		documents = append(documents, prompts.GenerateDoc{
			Question: r.question.Text, Options: r.question.Options, Point: g.Query, MaxWords: r.backgroundWords(),
		})
	}
	return append(documents, r.questionDocuments(k-len(documents))...)
}

// questionDocuments returns requests for n documents on the question alone, with its options in view.
func (r *run) questionDocuments(n int) []prompts.GenerateDoc {
	documents := make([]prompts.GenerateDoc, n)
	for i := range documents {
		documents[i] = prompts.GenerateDoc{
			Question: r.question.Text, Options: r.question.Options, MaxWords: r.backgroundWords(),
		}
	}
	return documents
}

// generate is the stage in which a model writes documents.
func (r *run) generate(ctx context.Context, documents []prompts.GenerateDoc) []answer.Evidence {
	r.begin(answer.StageGenerate)
	return r.write(ctx, documents)
}

// write has a model write all documents concurrently, from its own knowledge. What fails or comes back
// empty is left out.
func (r *run) write(ctx context.Context, documents []prompts.GenerateDoc) []answer.Evidence {
	background := par.Gather(len(documents), func(i int) (answer.Evidence, bool) {
		detail := documents[i].Point
		if detail == "" {
			detail = fmt.Sprintf("on the question, %d", i+1)
		}
		text, err := ask(ctx, r, call{
			stage: answer.StageGenerate, detail: detail, role: llm.Generator, input: documents[i], sampling: r.sampled(i),
		}, prompts.ParseDocument)
		if err != nil {
			r.degrade("left out", err)
			return answer.Evidence{}, false
		}
		return answer.Evidence{Text: text, Point: documents[i].Point}, true
	})
	r.addGenerated(background...)
	return background
}

// backgroundSystems returns the baselines of the MedRGAG paper (Table 1) that read text which a model
// wrote from its own knowledge.
func backgroundSystems() []System {
	return ofPaper(medRGAGPaper,
		System{ID: "genread", Name: "GenRead", Calls: delivered + 1, stages: 2, steps: genRead, Published: Published{Differs: slices.Concat(background, []Difference{
			{"documents of the examples", "the stored answer", "the first that BM25 finds for the stored question"},
		})}},
		System{ID: "medgenie", Name: "MedGENIE", Calls: delivered + 1, stages: 2, steps: medGENIE, Published: Published{Differs: background}},
		System{ID: "grg", Name: "GRG", Calls: grgWritten + 1, stages: 3, steps: grg, Published: Published{
			Retriever: knowledge.BM25, Differs: slices.Concat([]Difference{searchesBM25}, background),
		}},
		System{ID: "cgap", Name: "CGAP", Calls: 2 * delivered, stages: 3, steps: cgap, Published: Published{Differs: background}},
	)
}

// genRead generates one document after the examples of each cluster of stored questions, and reads all
// (wyu97/GenRead). Without enough stored questions there are no examples, and the documents differ by
// their seeds alone.
func genRead(ctx context.Context, r *run) error {
	documents := r.questionDocuments(delivered)
	sets := r.exemplars(ctx)
	for i := range documents {
		if len(sets) > 0 {
			documents[i].Demonstrations = sets[i%len(sets)]
		}
	}
	background := r.generate(ctx, documents)
	if len(sets) == 0 {
		r.lack(answer.NoExamples, answer.StageGenerate, "a sample without examples")
	}
	return r.answerFrom(ctx, background)
}

// medGENIEFocused is the number of MedGENIE's documents that are generated with the options in view. The
// others are generated without: the released code (disi-unibo-nlp/medgenie) reads five contexts, and its
// option-free script asks for two.
const medGENIEFocused = 3

// medGENIE generates documents from two views of the question and reads all. A question without options
// has one view, and the documents differ by their seeds alone.
func medGENIE(ctx context.Context, r *run) error {
	documents := r.questionDocuments(delivered)
	for i := medGENIEFocused; i < len(documents); i++ {
		documents[i].Options = nil
	}
	background := r.generate(ctx, documents)
	if len(r.question.Options) == 0 {
		r.lack(answer.NoOptions, answer.StageGenerate, "a sample of the one view")
	}
	return r.answerFrom(ctx, background)
}

// How much GRG generates, and what it keeps of that and of the sources. The paper says 10 and 3; 2 makes
// five.
const (
	grgWritten   = 10
	grgKept      = 3
	grgRetrieved = 2
)

// grg generates and retrieves concurrently, and reads the best of both.
func grg(ctx context.Context, r *run) error {
	var written, retrieved []answer.Evidence
	var err error
	r.begin(answer.StageGenerate)
	par.Do(
		func() { written = r.write(ctx, r.questionDocuments(grgWritten)) },
		func() { retrieved, err = r.retrieveFor(ctx, grgRetrieved) },
	)
	if err != nil {
		return err
	}
	r.show(retrieved, nil)
	return r.answerFrom(ctx, slices.Concat(r.rerank(ctx, r.withOptions(), written, grgKept, ""), retrieved))
}

// cgap reads each generated document by itself and lets the readings vote.
func cgap(ctx context.Context, r *run) error {
	background := r.generate(ctx, r.questionDocuments(delivered))
	if len(background) == 0 {
		return r.answerFrom(ctx, nil)
	}
	r.begin(answer.StageRead)
	if len(r.question.Options) == 0 {
		return r.voteByWords(ctx, background)
	}
	ballots := par.Gather(len(background), func(i int) (ballot, bool) {
		choice, err := r.askChoice(ctx, i, prompts.AnswerChoice{Contexts: r.contexts(background[i:i+1], 1)})
		if err != nil {
			r.degrade("no vote", err)
		}
		return ballot{choice, background[i : i+1]}, err == nil
	})
	r.begin(answer.StageVote)
	letters := make([]string, len(ballots))
	for i, b := range ballots {
		letters[i] = b.Letter
	}
	winner := vote(letters)
	if winner < 0 {
		return fmt.Errorf("%s: no reading names one option", answer.StageVote)
	}
	r.sayChoice(ballots[winner].Choice, ballots[winner].read)
	return nil
}

// ballot is a choice and what it was read from.
type ballot struct {
	prompts.Choice
	read []answer.Evidence
}

// vote returns the index of the first vote for the letter with the most votes; between such letters the
// first vote of all decides. Without votes it is -1.
func vote(letters []string) int {
	count := make(map[string]int)
	for _, letter := range letters {
		count[letter]++
	}
	winner := -1
	for i, letter := range letters {
		if winner < 0 || count[letter] > count[letters[winner]] {
			winner = i
		}
	}
	return winner
}

// voteByWords reads each document by itself for a question without options. There is no vote over
// sentences: the answer that shares most words with the others wins.
func (r *run) voteByWords(ctx context.Context, background []answer.Evidence) error {
	type told struct {
		text string
		from []answer.Evidence
	}
	readings := par.Gather(len(background), func(i int) (told, bool) {
		from := background[i : i+1]
		text, err := r.readFor(ctx, answer.StageRead, nth(i), r.sampled(i), r.withStyle(prompts.AnswerContext{Contexts: r.contexts(from, 1)}))
		if err != nil {
			r.degrade("no vote", err)
		}
		return told{text, from}, err == nil
	})
	if len(readings) == 0 {
		return fmt.Errorf("%s: no reading succeeded", answer.StageVote)
	}
	r.begin(answer.StageVote)
	texts := make([]string, len(readings))
	for i, read := range readings {
		texts[i] = read.text
	}
	central := readings[extract.Central(texts)]
	r.say(central.text, central.from)
	return nil
}

// How GenRead shows what to write: five examples from each of five clusters of stored questions (the
// released code has 20 clusters, the MedRGAG paper compares with 5).
const (
	clusters             = 5
	exemplarsPerCluster  = 5
	exemplarBytes        = 1200 // bytes of an example's document
	clusteredQuestions   = 512  // at most, spread over the base, so that a question waits for milliseconds
	clusteringIterations = 20
)

// exemplars returns one set of examples for each cluster of answered stored questions, clusters in the
// order of their first question, or none if there are too few. Questions are clustered by the encoder, or
// else by their words. The sets are the same for every question, except that a question is no example for
// itself.
func (r *run) exemplars(ctx context.Context) [][]prompts.Demonstration {
	vectors, pairs := r.storedPairs()
	if len(pairs) < clusters {
		return nil
	}
	random := rand.New(rand.NewPCG(1, clusters))
	var sets [][]prompts.Demonstration
	for _, members := range cluster(vectors, clusters, random) {
		random.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
		var set []prompts.Demonstration
		for _, member := range members[:min(exemplarsPerCluster, len(members))] {
			set = append(set, prompts.Demonstration{
				Question: pairs[member].Question, Document: plaintext.ClipBytes(r.exemplarDocument(ctx, pairs[member]), exemplarBytes),
			})
		}
		sets = append(sets, set)
	}
	return sets
}

// exemplarDocument returns the document that an example shows for a stored question: its answer or, as published, the
// first passage that BM25 finds for it.
func (r *run) exemplarDocument(ctx context.Context, pair *passage.Passage) string {
	if !r.Options.AsPublished {
		return pair.Text
	}
	found, err := searchPublic(ctx, r.library, knowledge.Query{
		Text: pair.Question, K: 1, Kind: passage.Text, Retriever: knowledge.BM25, Sources: r.question.Sources,
	})
	if err != nil || len(found) == 0 {
		return pair.Text
	}
	return found[0].Passage.Text
}

// storedPairs returns the stored questions with an answer that a model may see, and their vectors.
func (r *run) storedPairs() ([][]float32, []*passage.Passage) {
	collection := r.library.Collection(passage.QA)
	if collection == nil {
		return nil, nil
	}
	var vectors [][]float32
	var pairs []*passage.Passage
	own := passage.IDOf(r.question.Text)
	passages := r.library.Passages()
	stride := max(1, collection.N()/clusteredQuestions)
	seen := 0
	for ordinal, p := range passages {
		if p.Kind != passage.QA {
			continue
		}
		if seen++; (seen-1)%stride != 0 || len(pairs) == clusteredQuestions {
			continue
		}
		var vector []float32
		if collection.Encoder() != nil {
			vector = collection.Vector(ordinal)
		} else {
			vector = wordVector(collection, p.Question+"\n"+p.Text)
		}
		if vector == nil || p.Text == "" || p.Private || passage.IDOf(p.Question) == own || !r.mayUse(p.Source) {
			continue
		}
		vectors, pairs = append(vectors, vector), append(pairs, p)
	}
	return vectors, pairs
}

// wordVectorDim is the length of the vectors that stand in for an encoder's.
const wordVectorDim = 256

// wordVector returns a unit vector of the idf weights of a text's terms, each at the place of its hash;
// nil if it has no terms.
func wordVector(collection *knowledge.Collection, text string) []float32 {
	vector := make([]float32, wordVectorDim)
	for _, term := range support.Terms(text) {
		h := fnv.New32a()
		h.Write([]byte(term))
		vector[h.Sum32()%wordVectorDim] += float32(collection.IDF(term))
	}
	length := vecmath.Norm(vector)
	if length == 0 {
		return nil
	}
	vecmath.Scale(vector, 1/length)
	return vector
}

// mayUse reports whether the question may use a source.
func (r *run) mayUse(source string) bool {
	return len(r.question.Sources) == 0 || slices.Contains(r.question.Sources, source)
}

// cluster groups unit vectors by spherical k-means (Lloyd's algorithm), starting from k vectors that lie
// far apart. The members of a group ascend, groups are ordered by their first member, and none is empty.
func cluster(vectors [][]float32, k int, random *rand.Rand) [][]int {
	centres := spread(vectors, k, random)
	group := make([]int, len(vectors))
	for range clusteringIterations {
		moved := false
		for i, vector := range vectors {
			if nearest := nearest(vector, centres); nearest != group[i] {
				group[i], moved = nearest, true
			}
		}
		if !moved {
			break
		}
		for c := range centres {
			centre := make([]float32, len(centres[c]))
			for i, vector := range vectors {
				if group[i] == c {
					vecmath.AddScaled(centre, vector, 1)
				}
			}
			if length := vecmath.Norm(centre); length > 0 {
				vecmath.Scale(centre, 1/length)
				centres[c] = centre
			}
		}
	}
	var groups [][]int
	at := make(map[int]int)
	for i, c := range group {
		if _, met := at[c]; !met {
			at[c] = len(groups)
			groups = append(groups, nil)
		}
		groups[at[c]] = append(groups[at[c]], i)
	}
	return groups
}

// spread chooses a first centre at random, and each further one as the vector farthest from those chosen
// (Gonzalez 1985).
func spread(vectors [][]float32, k int, random *rand.Rand) [][]float32 {
	centres := [][]float32{vectors[random.IntN(len(vectors))]}
	closest := make([]float32, len(vectors)) // cosine with the nearest centre
	for i := range closest {
		closest[i] = -2
	}
	for len(centres) < k {
		farthest := 0
		for i, vector := range vectors {
			closest[i] = max(closest[i], vecmath.Dot(vector, centres[len(centres)-1]))
			if closest[i] < closest[farthest] {
				farthest = i
			}
		}
		centres = append(centres, vectors[farthest])
	}
	return centres
}

// nearest returns the index of the centre with the largest cosine; of equal ones the first.
func nearest(vector []float32, centres [][]float32) int {
	best, most := 0, float32(-2)
	for c, centre := range centres {
		if cosine := vecmath.Dot(vector, centre); cosine > most {
			best, most = c, cosine
		}
	}
	return best
}
