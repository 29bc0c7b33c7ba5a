package systems

import (
	"context"
	"errors"
	"slices"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/support"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/llm"
	"lacuna/prompts"
)

// minLetterWords is the number of content words from which on a model must read a message first. Of the
// 39 letters of LiveQA's development set, subject lines included, 30 are that long. If the query is the
// question that a human annotator made of the letter, nDCG@10 is .585 (28 judged letters); with
// letters of 12 words and more it is .510, with all .598, with none .486. The letter and its question
// together find less than the question (.577 and .598).
const minLetterWords = 8

// minShared is the share of the words of a rewritten question that must stand in the message. The
// questions that people made of those 30 letters all share .38 or more.
const minShared = .25

// contentLength counts content words. In scripts without spaces two pairs of neighbours make a word, as
// most words of Chinese have two characters.
func contentLength(text string) int {
	pairs := 0
	tokens := lexical.Content(text)
	for _, token := range tokens {
		if _, _, is := support.HanPair(token.Term); is {
			pairs++
		}
	}
	return len(tokens) - pairs/2
}

// searchText returns what the systems search for: the question with its options or, if
// [Environment.Rewrites] says so, the question that a model found in it. The model is asked once. An error
// means that it is not worth asking the model for the answer either.
func (r *run) searchText(ctx context.Context) (string, error) {
	if !r.Rewrites(r.question) {
		return r.withOptions(), nil
	}
	r.rewriting.Do(func() { r.rewritten, r.rewriteErr = r.rewrite(ctx) })
	return r.rewritten, r.rewriteErr
}

// rewrite has the reader rewrite the question. The message itself serves if the reply cannot be parsed,
// asks something else, or is no shorter.
func (r *run) rewrite(ctx context.Context) (string, error) {
	r.begin(answer.StageRewrite)
	message := r.question.Text
	question, step, err := askStep(ctx, r, call{stage: answer.StageRewrite, role: llm.Reader, input: prompts.Rewrite{Question: message}},
		func(reply llm.Reply) (string, prompts.Path, error) {
			question, path, err := prompts.ParseRewrite(reply.Text)
			if err == nil && !isQuestionOf(question, message) {
				return "", prompts.Unparsed, errOtherQuestion
			}
			return question, path, err
		})
	if err != nil {
		if isPermanent(err) {
			return "", err
		}
		r.degrade("the message as it stands", err)
		return message, nil
	}
	r.trace.amend(step, func(s *answer.Step) { s.Detail = question })
	return question, nil
}

var errOtherQuestion = errors.New("the reply is not the question of the message")

// isQuestionOf reports whether a question may be the question of a message: it is shorter, and the message
// has enough of its words.
func isQuestionOf(question, message string) bool {
	written := lexical.Content(message)
	words := lexical.Content(question)
	shared := 0
	for _, word := range words {
		if slices.ContainsFunc(written, func(w lexical.Token) bool { return w.Term == word.Term }) {
			shared++
		}
	}
	return len(words) < len(written) && shared > 0 && float64(shared) >= minShared*float64(len(words))
}

// Rewrites reports whether the systems that search for a question have a model rewrite it first: it is a
// question in a long message, and the options say so. Questions with options are searched for as they are,
// however long: every detail of a case may decide.
func (b *Environment) Rewrites(question answer.Question) bool {
	return b.Options.Rewrite && len(question.Options) == 0 &&
		knowledge.IsLetter(question.Text) && contentLength(question.Text) >= minLetterWords
}
