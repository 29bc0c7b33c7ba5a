package systems

import (
	"context"
	"fmt"
	"slices"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/extract"
	"lacuna/knowledge/par"
	"lacuna/prompts"
)

// backgroundBaselines are the systems that the MedRGAG paper compares with and that read what a
// model writes of its own knowledge.
func backgroundBaselines() []System {
	return []System{
		{ID: "genread", Name: "GenRead", Paper: medRGAGPaper, Models: true, Calls: delivered + 1, stages: 2, steps: genRead},
		{ID: "medgenie", Name: "MedGENIE", Paper: medRGAGPaper, Models: true, Calls: delivered + 1, stages: 2, steps: medGENIE},
		{ID: "grg", Name: "GRG", Paper: medRGAGPaper, Models: true, Calls: grgWritten + 1, stages: 3, steps: grg},
		{ID: "cgap", Name: "CGAP", Paper: medRGAGPaper, Models: true, Calls: 2 * delivered, stages: 3, steps: cgap},
	}
}

// genRead has one document written after the example of each cluster of past questions, and reads
// all. Without enough past questions there are no examples, and the documents differ by chance alone.
func genRead(ctx context.Context, r *run) error {
	documents := r.onQuestion(delivered)
	sets := r.demonstrations()
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

// medGENIEFocused is how many documents of MedGENIE are written with the options in view; the others
// are written without. The split is that of its release.
const medGENIEFocused = 3

// medGENIE has documents written from two views of the question and reads all. A question without
// options has one view, and the documents differ by chance alone.
func medGENIE(ctx context.Context, r *run) error {
	documents := r.onQuestion(delivered)
	for i := medGENIEFocused; i < len(documents); i++ {
		documents[i].Options = nil
	}
	background := r.generate(ctx, documents)
	if len(r.question.Options) == 0 {
		r.lack(answer.NoOptions, answer.StageGenerate, "a sample of the one view")
	}
	return r.answerFrom(ctx, background)
}

// How much GRG writes, and what it keeps of it and of the sources.
const (
	grgWritten   = 10
	grgKept      = 3
	grgRetrieved = 2
)

// grg writes and retrieves at once, and reads the best of both.
func grg(ctx context.Context, r *run) error {
	var written, retrieved []answer.Evidence
	var err error
	r.begin(answer.StageGenerate)
	par.Do(
		func() { written = r.write(ctx, r.onQuestion(grgWritten)) },
		func() { retrieved, err = r.retrieveFor(ctx, grgRetrieved) },
	)
	if err != nil {
		return err
	}
	r.show(retrieved, nil)
	return r.answerFrom(ctx, slices.Concat(r.rerank(ctx, r.asked(), written, grgKept, ""), retrieved))
}

// retrieveFor finds k documents for the question.
func (r *run) retrieveFor(ctx context.Context, k int) ([]answer.Evidence, error) {
	sought, err := r.sought(ctx)
	if err != nil {
		return nil, err
	}
	return r.ranked(ctx, knowledge.Query{Text: sought, K: k, Retriever: r.retriever()}, 1)
}

// cgap reads every one of the documents that a model wrote by itself, and lets the readings vote.
func cgap(ctx context.Context, r *run) error {
	background := r.generate(ctx, r.onQuestion(delivered))
	if len(background) == 0 {
		return r.answerFrom(ctx, nil)
	}
	r.begin(answer.StageRead)
	if len(r.question.Options) == 0 {
		return r.agree(ctx, background)
	}
	ballots := par.Gather(len(background), func(i int) (ballot, bool) {
		choice, err := r.choice(ctx, i, prompts.AnswerChoice{Contexts: r.contexts(background[i:i+1], 1)})
		if err != nil {
			r.degrade(answer.StageRead, "no vote", err)
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
	r.chosen(ballots[winner].Choice, ballots[winner].read)
	return nil
}

// ballot is a choice and what it was read from.
type ballot struct {
	prompts.Choice
	read []answer.Evidence
}

// nth tells the readings of one stage apart.
func nth(i int) string {
	if i == 0 {
		return ""
	}
	return fmt.Sprintf("reading %d", i+1)
}

// vote returns the first vote for the letter with the most votes; of several such letters, the
// first vote of all decides. It is -1 when nobody voted.
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

// agree reads every document by itself for a question without options. There is no vote over
// sentences; the answer that shares most words with the others speaks for all.
func (r *run) agree(ctx context.Context, background []answer.Evidence) error {
	type told struct {
		text string
		from []answer.Evidence
	}
	readings := par.Gather(len(background), func(i int) (told, bool) {
		from := background[i : i+1]
		text, err := r.readAside(ctx, answer.StageRead, nth(i), r.sampled(i), r.styled(prompts.AnswerContext{Contexts: r.contexts(from, 1)}))
		if err != nil {
			r.degrade(answer.StageRead, "no vote", err)
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
