package llmtest

import (
	"cmp"
	"hash/fnv"
	"math"
	"net/http"
	"slices"
	"strings"
	"unicode"
)

// dimensions of the vectors that the server makes itself.
const dimensions = 64

// embeddings makes the reply with one vector for each text. They come in reverse, as a server may.
func embeddings(call Call, r Reply) map[string]any {
	data := make([]any, 0, len(call.Input))
	for i, text := range slices.Backward(call.Input) {
		v := vector(text)
		if r.Vectors != nil {
			v = r.Vectors[i%len(r.Vectors)]
		}
		data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": v})
	}
	reply := map[string]any{"object": "list", "model": r.model(call), "data": data}
	if !r.NoUsage {
		tokens := (len(strings.Join(call.Input, "")) + 3) / 4
		reply["usage"] = map[string]any{"prompt_tokens": tokens, "total_tokens": tokens}
	}
	return reply
}

// vector counts the words of a text by their hashes and has length 1.
func vector(text string) []float32 {
	v := make([]float32, dimensions)
	for _, word := range words(text) {
		h := fnv.New32a()
		h.Write([]byte(word))
		v[h.Sum32()%dimensions]++
	}
	v[0]++ // no text has the zero vector
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

// rerank sends scores, best first, in the shape that was asked in.
func (w *writer) rerank(call Call, r Reply) {
	if call.Path == "/rerank" && !call.TEI {
		w.json(http.StatusUnprocessableEntity, map[string]any{"error": "missing field `texts`", "error_type": "Validation"})
		return
	}
	scores := r.Scores
	if scores == nil {
		for _, document := range call.Documents {
			scores = append(scores, overlap(call.Query, document))
		}
	}
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	name := "relevance_score"
	if call.TEI {
		name = "score"
	}
	results := make([]any, 0, len(scores))
	for _, i := range order {
		results = append(results, map[string]any{"index": i, name: scores[i]})
	}
	if call.TEI {
		w.json(http.StatusOK, results)
		return
	}
	w.json(http.StatusOK, map[string]any{"model": r.model(call), "results": results})
}

// overlap is the share of the query's words that a document has.
func overlap(query, document string) float64 {
	asked, has := words(query), words(document)
	if len(asked) == 0 {
		return 0
	}
	found := 0
	for _, word := range asked {
		if slices.Contains(has, word) {
			found++
		}
	}
	return float64(found) / float64(len(asked))
}

// words are the words of a text in lower case; Han characters are words of their own.
func words(text string) []string {
	var all []string
	var word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			all = append(all, word.String())
			word.Reset()
		}
	}
	for _, r := range strings.ToLower(text) {
		switch {
		case unicode.Is(unicode.Han, r):
			flush()
			all = append(all, string(r))
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			word.WriteRune(r)
		default:
			flush()
		}
	}
	flush()
	return all
}
