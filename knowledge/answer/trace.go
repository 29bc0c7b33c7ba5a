package answer

import (
	"time"

	"lacuna/knowledge/llm"
	"lacuna/knowledge/passage"
	"lacuna/prompts"
)

// Stage is one stage of a system, named as the papers do.
type Stage string

const (
	StageRewrite   Stage = "rewrite" // a long message into the question it asks
	StageRetrieve  Stage = "retrieve"
	StageRerank    Stage = "rerank"
	StageDraft     Stage = "draft"
	StageJudge     Stage = "judge"
	StageExplore   Stage = "explore"
	StageSummarise Stage = "summarise"
	StageExtract   Stage = "extract"
	StageVerify    Stage = "verify"
	StageSolve     Stage = "solve"
	StageAsk       Stage = "ask" // new queries, or further questions
	StageGenerate  Stage = "generate"
	StageSelect    Stage = "select"
	StageRead      Stage = "read"
	StageVote      Stage = "vote"
	StageDecide    Stage = "decide" // whether to retrieve
	StageCite      Stage = "cite"   // looks up what was written without sources
)

// Outcome says how a stage ended.
type Outcome string

const (
	OK       Outcome = "ok"
	Degraded Outcome = "degraded" // its fallback was used
	Failed   Outcome = "failed"   // and it has no fallback
)

// Step records one stage, or one call of a stage that makes several.
type Step struct {
	Stage    Stage
	Detail   string        // what tells it from its neighbours: a query, a point, a round
	Started  time.Duration // since the question was asked
	Took     time.Duration
	Inputs   string // a short hash of all that went in; equal inputs have equal hashes
	Results  int    // passages found, gaps named, documents selected
	Outcome  Outcome
	Fallback string // what was used instead, where Outcome is Degraded
	Err      error  // what failed
	// Of a stage that asks a model:
	Model    string
	Path     prompts.Path // how its reply was understood
	Attempts int
	Cached   bool // the reply came from the cache
	Usage    llm.Usage
	Thinking Thinking // of a model that was asked to think before it answers; empty for others
}

// Round is one round of looking for what is missing.
type Round struct {
	Missing []string     // what the judge named, in words
	Queries []string     // that were searched for; none if nothing was
	Found   []passage.ID // passages that no round before had found
	End     End          // why no other round follows; empty if one does
}

// End says why no other round follows.
type End string

const (
	EndComplete   End = "complete"    // nothing is missing
	EndRepeated   End = "repeated"    // everything that is missing was searched for before
	EndNothingNew End = "nothing-new" // the round found nothing that was not known
	EndLimit      End = "limit"       // as many rounds were made as the settings allow
	EndFailed     End = "failed"      // the judge or the search failed
)

// Thinking says where a model thought that was asked to think first.
type Thinking string

const (
	OwnTrace   Thinking = "trace" // in a trace of its own, next to its reply
	InText     Thinking = "text"  // in the text of its reply
	NoThinking Thinking = "none"  // nowhere: what depends on it has nothing to work with
)
