package systems

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/support"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/passage"
	"lacuna/prompts"
)

// Constants of MIGRES, from its released code (AdelWang/MIGRES) unless a line says otherwise.
const (
	migresIterations = 5
	migresQueries    = 3  // of one iteration
	migresUses       = 2  // how often one passage may be read for one question
	minQuery         = 10 // bytes: what is not longer is no query
	minMissing       = 10 // characters: what is shorter does not say what is missing
)

// migresCalls counts the calls for a question that is never solved: extract, verify and generate six
// times, solve and ask for queries five times, and force a solution.
const migresCalls = 3*(migresIterations+1) + 2*migresIterations + 1

func migresSystems() []System {
	return ofPaper(misknowPaper, System{ID: "migres", Name: "MIGRES", Calls: migresCalls, steps: migres, Published: Published{
		Retriever: knowledge.BM25,
		Differs: []Difference{
			searchesBM25, readsFour,
			{"what is worth reading", "the best tenth by the reranker", "a logit of 3.0 or more by the reranker"},
			greedy,
		},
	}})
}

// memory holds what MIGRES knows about a question so far.
type memory struct {
	facts   []string
	sources []answer.Evidence // that the facts are from
	queries []string
	uses    map[passage.TextID]int // of a document, by its key
	missing string                 // what the last solution lacked
}

// migres is MIGRES, a baseline of the Misknow-RAG paper: it extracts facts from what it finds, verifies
// them, and asks for new queries until the facts answer the question or the iterations end. A model that
// fails ends the iterations.
func migres(ctx context.Context, r *run) error {
	m := &memory{uses: make(map[passage.TextID]int)}
	sought, err := r.searchText(ctx)
	if err != nil {
		return err
	}
	learnt, err := r.learn(ctx, m, 1, append([]string{sought}, r.question.Queries...))
	solved := ""
	for i := 0; i < migresIterations && err == nil && solved == ""; i++ {
		if learnt {
			solved, err = r.solve(ctx, m)
		}
		if err != nil || solved != "" {
			break
		}
		var queries []string
		if queries, err = r.newQueries(ctx, m); err == nil {
			learnt, err = r.learn(ctx, m, i+2, queries)
		}
	}
	if err != nil && ctx.Err() != nil || isPermanent(err) {
		return err
	}
	gaps := r.missingGap(m, solved != "")
	if solved == "" {
		if solved, err = r.forceSolution(ctx, m); err != nil {
			return err
		}
	}
	r.show(m.sources, gaps)
	r.say(solved, m.sources)
	return nil
}

// missingGap returns the gap that the last unsuccessful solution named. If the question was solved later,
// the gap counts only if the sources fill it.
func (r *run) missingGap(m *memory, solved bool) []gap.Gap {
	text := support.PlainText(m.missing)
	if text == "" {
		return nil
	}
	gaps := []gap.Gap{gap.FromModel(text, text, judgedProbability, answer.Passages(m.sources))}
	if !solved {
		return gaps
	}
	return slices.DeleteFunc(r.resolveGaps(gaps, m.sources, nil), func(g gap.Gap) bool { return g.Status != gap.Retrieved })
}

// learn retrieves for queries, extracts facts from what it finds, or from what a model knows if it finds
// nothing, and adds the verified ones to the memory. It reports whether any were new.
func (r *run) learn(ctx context.Context, m *memory, round int, queries []string) (bool, error) {
	queries = queries[:min(1+answer.MaxQueries, len(queries))]
	m.queries = append(m.queries, queries...)
	documents, err := r.filter(ctx, m, round, queries)
	if err != nil {
		return false, err
	}
	if len(documents) == 0 {
		if documents, err = r.ownKnowledge(ctx, round, queries[0]); err != nil || len(documents) == 0 {
			return false, err
		}
	}
	facts, err := r.extractFacts(ctx, round, strings.Join(queries, "; "), documents)
	if err != nil {
		return false, err
	}
	before := len(m.facts)
	for _, f := range r.verify(ctx, round, facts, documents) {
		same := func(known string) bool { return strings.EqualFold(known, f.Text) }
		if slices.ContainsFunc(m.facts, same) {
			continue
		}
		m.facts = append(m.facts, f.Text)
		for _, n := range f.Support {
			m.sources = dedup(m.sources, documents[n-1:n])
		}
	}
	r.show(m.sources, nil)
	return len(m.facts) > before, nil
}

// ownKnowledge asks what a model knows about a query. A refusal returns nothing.
func (r *run) ownKnowledge(ctx context.Context, round int, query string) ([]answer.Evidence, error) {
	r.begin(answer.StageGenerate)
	text, err := ask(ctx, r, call{
		stage: answer.StageGenerate, detail: query, role: llm.Generator,
		input: prompts.GenerateDoc{Question: query, MaxWords: 256},
	}, prompts.ParseDocument)
	if err != nil {
		return nil, r.doWithout("nothing", err)
	}
	r.addGenerated(answer.Evidence{Text: text, Point: support.PlainText(query)})
	return []answer.Evidence{{Text: text, Query: query, Point: query, Round: round}}, nil
}

// doWithout degrades a stage that the system can do without, and returns err if a model failed.
func (r *run) doWithout(instead string, err error) error {
	r.degrade(instead, err)
	var failed *llm.Error
	if errors.As(err, &failed) {
		return err
	}
	return nil
}

// extractFacts asks for the facts about a query in some documents.
func (r *run) extractFacts(ctx context.Context, round int, query string, documents []answer.Evidence) ([]prompts.Fact, error) {
	r.begin(answer.StageExtract)
	contexts := r.contexts(documents, 1)
	facts, err := ask(ctx, r, call{
		stage: answer.StageExtract, detail: roundName(round), role: llm.Summariser,
		input: prompts.MigresExtract{Query: query, Contexts: contexts},
	}, func(text string) ([]prompts.Fact, prompts.Path, error) {
		return prompts.ParseFacts(text, len(contexts))
	})
	if err != nil {
		return nil, r.doWithout("no facts", err)
	}
	return facts, nil
}

func roundName(round int) string { return fmt.Sprintf("round %d", round) }

// verify keeps the facts that a model says their documents entail; if it cannot be asked, the facts that
// these support by their words.
func (r *run) verify(ctx context.Context, round int, facts []prompts.Fact, documents []answer.Evidence) []prompts.Fact {
	if len(facts) == 0 {
		return nil
	}
	r.begin(answer.StageVerify)
	statements := make([]string, len(facts))
	for i, f := range facts {
		statements[i] = f.Text
	}
	verdicts, err := ask(ctx, r, call{
		stage: answer.StageVerify, detail: roundName(round), role: llm.Evaluator,
		input: prompts.VerifyFacts{Facts: statements, Contexts: r.contexts(documents, 1)},
	}, func(text string) ([]bool, prompts.Path, error) {
		return prompts.ParseVerdicts(text, statements)
	})
	if err != nil {
		r.degrade("the words of the documents", err)
		verdicts = r.verifyByWords(facts, documents)
	}
	var kept []prompts.Fact
	for i, f := range facts {
		if verdicts[i] {
			kept = append(kept, f)
		}
	}
	return kept
}

// verifyByWords reports for each fact whether one of its documents supports it, as it would have to
// support a sentence of an answer.
func (r *run) verifyByWords(facts []prompts.Fact, documents []answer.Evidence) []bool {
	verdicts := make([]bool, len(facts))
	for i, f := range facts {
		var from []answer.Evidence
		for _, n := range f.Support {
			from = append(from, documents[n-1])
		}
		verdicts[i] = r.checker.Supports(f.Text, from...)
	}
	return verdicts
}

// solve asks for an answer from the facts alone. "" means that they do not suffice; the memory then knows
// what is missing.
func (r *run) solve(ctx context.Context, m *memory) (string, error) {
	r.begin(answer.StageSolve)
	solution, err := ask(ctx, r, call{
		stage: answer.StageSolve, role: llm.Reader,
		input: prompts.MigresSolve{Question: r.withOptions(), Facts: m.facts},
	}, prompts.ParseSolution)
	if err != nil {
		return "", r.doWithout("unsolved", err)
	}
	if solution.Answer == "" {
		m.missing = solution.Missing
		if utf8.RuneCountInString(m.missing) < minMissing && len(solution.Explanation) > len(m.missing) {
			m.missing = solution.Explanation
		}
	}
	return solution.Answer, nil
}

// newQueries asks for queries for what is missing; without any, the question itself serves.
func (r *run) newQueries(ctx context.Context, m *memory) ([]string, error) {
	r.begin(answer.StageAsk)
	queries, err := ask(ctx, r, call{
		stage: answer.StageAsk, role: llm.Reader,
		input: prompts.MigresQuery{
			Question: r.withOptions(), Asked: m.queries, Facts: m.facts, Missing: m.missing, Most: migresQueries,
		},
	}, func(text string) ([]string, prompts.Path, error) {
		_, queries, path, err := prompts.ParseQueries(text, migresQueries)
		return queries, path, err
	})
	if err != nil {
		if err := r.doWithout("the question itself", err); err != nil {
			return nil, err
		}
	}
	queries = slices.DeleteFunc(queries, func(query string) bool {
		again := func(asked string) bool { return strings.EqualFold(asked, query) }
		return len(query) <= minQuery || slices.ContainsFunc(m.queries, again)
	})
	if len(queries) == 0 {
		sought, err := r.searchText(ctx)
		return []string{sought}, err
	}
	return queries, nil
}

// forceSolution asks for an answer from the facts, or else from what the model knows.
func (r *run) forceSolution(ctx context.Context, m *memory) (string, error) {
	r.begin(answer.StageRead)
	return ask(ctx, r, call{
		stage: answer.StageRead, role: llm.Reader,
		input: prompts.MigresSolve{Question: r.withOptions(), Facts: m.facts, Forced: true},
	}, func(text string) (string, prompts.Path, error) {
		if solution, path, err := prompts.ParseSolution(text); err == nil && solution.Answer != "" {
			return solution.Answer, path, nil
		}
		text, path, err := prompts.ParseAnswer(text, prompts.Paragraph)
		if sentence := support.FirstSentence(text); err == nil && sentence != "" {
			return sentence, path, nil
		}
		return "", path, cmp.Or(err, errNoSentence)
	})
}

var errNoSentence = errors.New("the reply holds no sentence")

// What MIGRES lets through to the reader. Its release searches 50 candidates and keeps those to which a
// cross-encoder gives a logit of 3 or more, at most five; here at most four, as in all systems of the
// Misknow-RAG paper. Other rerankers have other scales and our own has none: with a configured reranker
// its best tenth is kept, and without one every passage that holds at least filterFloor of the idf weight
// of a query.
const (
	filterDepth = 50
	filterShare = .1
	filterFloor = .4
	minWords    = 5 // words: a shorter passage says nothing
)

// filter searches for queries and keeps the best of what is worth reading. A document that was read twice
// is not read again.
func (r *run) filter(ctx context.Context, m *memory, round int, queries []string) ([]answer.Evidence, error) {
	lists, err := r.searchAll(ctx, round, merged, filterDepth, r.search, queries)
	if err != nil {
		return nil, err
	}
	var kept []answer.Evidence
	for i, query := range queries {
		worth := slices.DeleteFunc(lists[i], func(e answer.Evidence) bool {
			return m.uses[e.Key()] == migresUses || len(lexical.Words(e.Hit.Passage.Question+" "+e.Hit.Passage.Text)) < minWords
		})
		most := len(worth)
		if r.Options.AsPublished && r.Model.CanRerank() {
			kept = append(kept, r.passing(ctx, query, worth)...)
			continue
		}
		if r.Model.CanRerank() {
			most = int(filterShare*float64(most)) + 1
		} else {
			worth = slices.DeleteFunc(worth, func(e answer.Evidence) bool { return gap.Coverage(r.library, query, e.Hit.Ordinal) < filterFloor })
		}
		if len(worth) == 0 {
			continue
		}
		kept = append(kept, r.rerank(ctx, query, worth, min(most, readerPassages), "")...)
	}
	slices.SortStableFunc(kept, func(a, b answer.Evidence) int { return cmp.Compare(b.Score, a.Score) })
	kept = dedup(kept)
	kept = kept[:min(r.passageCount(), len(kept))]
	for _, e := range kept {
		m.uses[e.Key()]++
	}
	return kept, nil
}

// filterLogit is what the release of MIGRES asks of a cross-encoder's score.
const filterLogit = 3.0

// passing returns the documents that the configured reranker scores as the release of MIGRES asks, best first. Servers
// give logits or probabilities; scores that all lie in 0..1 are read as these.
func (r *run) passing(ctx context.Context, query string, documents []answer.Evidence) []answer.Evidence {
	r.begin(answer.StageRerank)
	scores := r.scores(ctx, query, documents, "")
	least := filterLogit
	if !slices.ContainsFunc(scores, func(s float64) bool { return s < 0 || s > 1 }) {
		least = 1 / (1 + math.Exp(-filterLogit))
	}
	ranked := byScore(documents, scores)
	ranked = slices.DeleteFunc(ranked, func(e answer.Evidence) bool { return e.Score < least })
	return ranked[:min(readerPassages, len(ranked))]
}
