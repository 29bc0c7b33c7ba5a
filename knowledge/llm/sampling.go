package llm

import (
	"math"

	openai "github.com/sashabaranov/go-openai"
)

// defaultSeed is sent if the settings have no seed, so that a run can be repeated. It is the seed in the
// published code of From Retrieval to Generation.
const defaultSeed = 42

// thinkingTokens is added to the token limit of a model that reasons first.
const thinkingTokens = 4096

// resolvedSampling has a value for every field of [Sampling].
type resolvedSampling struct {
	Temperature float64
	TopP        float64
	MaxTokens   int
	Seed        int
	Presence    float64 `json:",omitempty"` // and so in no key of a reply that was kept before there was any
}

// roleDefaults holds the roles' sampling. The reader's and evaluator's follow the papers and their code; the
// explorer's and generator's temperature is 1.2 there, too high for a model of a few billion parameters to
// keep to JSON and to facts. The others are ours, because the papers are silent or use the generator's for
// everything.
var roleDefaults = map[Role]resolvedSampling{
	Reader:     {Temperature: 0, TopP: 1, MaxTokens: 512},
	Reasoner:   {Temperature: 0.6, TopP: 0.95, MaxTokens: 4096},
	Summariser: {Temperature: 0.2, TopP: 1, MaxTokens: 256},
	Explorer:   {Temperature: 0.7, TopP: 1, MaxTokens: 512},
	Generator:  {Temperature: 0.8, TopP: 0.9, MaxTokens: 256},
	Integrator: {Temperature: 0.2, TopP: 1, MaxTokens: 1024},
	Evaluator:  {Temperature: 0, TopP: 1, MaxTokens: 1024},
}

// thoughtTokens is the least token limit for a reply that begins with reasoning, unless the user set
// one.
const thoughtTokens = 2048

// samplingOf resolves the sampling of a request: its own, then the endpoint's, then the role's.
func samplingOf(role Role, configured Sampling, r Request) resolvedSampling {
	s := roleDefaults[role]
	s.Seed = defaultSeed
	if r.Chat.Room > 0 {
		s.MaxTokens = r.Chat.Room
	}
	if r.Chat.Thinks {
		s.MaxTokens = max(s.MaxTokens, thoughtTokens)
	}
	for _, over := range []Sampling{configured, r.Sampling} {
		if over.Temperature != nil {
			s.Temperature = *over.Temperature
		}
		if over.TopP != nil {
			s.TopP = *over.TopP
		}
		if over.MaxTokens > 0 {
			s.MaxTokens = over.MaxTokens
		}
		if over.Seed != nil {
			s.Seed = *over.Seed
		}
		if over.Presence != nil {
			s.Presence = *over.Presence
		}
	}
	return s
}

// wireTemperature returns a temperature for go-openai, which omits zero; then the endpoint's default
// applies, which is often 1. The smallest number above zero arrives as 1e-45.
func wireTemperature(t float64) float32 {
	if float32(t) <= 0 {
		return math.SmallestNonzeroFloat32
	}
	return float32(t)
}

// isReasoningModel reports whether go-openai knows that a model reasons. Such a model has another name
// for the token limit, counts its reasoning in it, and takes no sampling.
func isReasoningModel(model string) bool {
	usual := openai.ChatCompletionRequest{Model: model, TopP: 0.5}
	return openai.NewReasoningValidator().Validate(usual) != nil
}
