package systems

import (
	"lacuna/knowledge"
	"lacuna/knowledge/llm"
	"lacuna/prompts"
)

// Published says how a paper runs one of its systems where the product decides otherwise. The zero value is a system
// that differs in nothing but its calls' parameters.
type Published struct {
	// Retriever finds the documents of a system that searches in one way; empty where it searches in its own, or
	// not at all.
	Retriever knowledge.Retriever
	// Passages is how many the reader gets; 0 means the number of [readerPassages].
	Passages int
	// Differs has what differs, for people.
	Differs []Difference
}

// Difference is one thing that the product does otherwise than the paper.
type Difference struct{ What, Product, Published string }

// How systems differ, shared by those of a paper.
var (
	everywhere = []Difference{
		{"parameters of the calls", "`model.roles`", "temperature, token limit and seed of the paper, whatever the settings say"},
		{"long message", "`answer.rewrite`", "searched for as it stands"},
		{"what words leave unchecked", "`claims.second_opinion`", "stays unchecked"},
	}
	searchesDense = Difference{"search", "`answer.retriever`, `[rerank]`", "dense: exact Euclidean distance of the vectors"}
	searchesBM25  = Difference{"search", "`answer.retriever`, `[rerank]`", "BM25 (0.9, 0.4)"}
	readsFour     = Difference{"passages for the reader", "`answer.passages`", "4"}
	greedy        = Difference{"temperatures", "those of the roles", "0"}
	background    = []Difference{
		{"temperature of the generator", "0.8", "1.2, with a presence penalty of 1"},
		{"length of background", "160 words", "256 words in 256 tokens"},
		{"background in prompts", "marked as background", "not marked"},
	}
)

// denseFour is how the Misknow-RAG paper runs its systems that search.
var denseFour = Published{Retriever: knowledge.Dense, Differs: []Difference{searchesDense, readsFour}}

// Differences returns how the published system differs from the product's, for people. The offline system has none.
func (s System) Differences() []Difference {
	if !s.Models {
		return nil
	}
	return append(s.Published.Differs[:len(s.Published.Differs):len(s.Published.Differs)], everywhere...)
}

// asPublished returns the options with which the paper of a system runs it: what users set gives way to what the paper
// fixes. K stays, which a comparison varies.
func (o Options) asPublished(s System) Options {
	if !o.AsPublished {
		return o
	}
	o.Retriever, o.Reranked, o.Rewrite = s.Published.Retriever, 0, false
	o.Points, o.Rounds, o.Opinion = 0, 1, NoOpinion
	if o.K == 0 {
		o.K = s.Published.Passages
	}
	return o
}

// publishedSampling has what the MedRGAG paper, or else its code, gives the roles. The other papers, as far as they say
// anything, decode greedily, except for the trace of the judge.
var publishedSampling = map[llm.Role]sampling{
	llm.Reader:     {0, 1, 0, 512},
	llm.Reasoner:   {.6, .95, 0, 0},
	llm.Summariser: {.2, 1, 0, 0},
	llm.Explorer:   {publishedTemperature, 1, 0, 512},
	llm.Generator:  {publishedTemperature, .9, 1, 256},
	llm.Integrator: {.2, 1, 0, 512},
	llm.Evaluator:  {0, 1, 0, 0},
}

// publishedTemperature is the MedRGAG paper's for the explorer and the generator. The product uses the roles' own,
// which are lower, so that a question has the same gaps tomorrow and background keeps to facts.
const publishedTemperature = 1.2

// sampling are the parameters of one role's calls.
type sampling struct {
	temperature, topP, presence float64
	tokens                      int // 0 means as many as the prompt needs
}

// published returns the parameters of a call as published.
func (s System) published(c call) sampling {
	fixed := publishedSampling[c.role]
	_, asksOn := c.input.(prompts.FollowupAsk) // i-MedRAG's own tool is greedy
	if s.Paper != medRGAGPaper && c.role != llm.Reasoner || asksOn {
		fixed.temperature, fixed.topP, fixed.presence = 0, 1, 0
	}
	return fixed
}

// How long answers may be in the papers, in tokens, where not as long as a reader's other replies.
const (
	publishedShort     = 128
	publishedManualCoT = 256
)

// publishedSeed is the seed in the released code of MedRGAG.
const publishedSeed = 42

// parameters returns the sampling of a call: as published where the options say so, with the seed of the run.
func (r *run) parameters(c call) llm.Sampling {
	own := c.sampling
	if own.Seed == nil && (r.Options.AsPublished || r.Options.Seed != 0) {
		seed := publishedSeed + r.Options.Seed
		own.Seed = &seed
	}
	if !r.Options.AsPublished {
		return own
	}
	fixed := r.system.published(c)
	if own.Temperature == nil {
		own.Temperature = &fixed.temperature
	}
	if own.TopP == nil {
		own.TopP = &fixed.topP
	}
	if fixed.presence != 0 {
		own.Presence = &fixed.presence
	}
	if own.MaxTokens == 0 {
		own.MaxTokens = fixed.tokens
		switch c.input.(type) {
		case prompts.AnswerManualCoT:
			own.MaxTokens = publishedManualCoT
		case prompts.AnswerDirect, prompts.AnswerContext, prompts.Combine:
			if r.style() == prompts.Short {
				own.MaxTokens = publishedShort
			}
		}
	}
	return own
}
