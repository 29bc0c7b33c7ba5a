package peers

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"lacuna/knowledge"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
	"lacuna/vecmath/synthetic"
)

// testCase is vectors to compare on.
type testCase struct {
	name    string
	dim     int
	peers   []string
	batch   bool
	vectors func() (data []float32, queries int, err error) // the queries last

	// times is how many times faster than faiss flat a search was when that was measured last with
	// nothing else running (docs/speed.md), and batched the same for batches; 0 where there are none.
	times, batched float64
}

const asked = 40 // queries

var (
	everyone  = []string{"faiss flat", "faiss Panorama", "numpy"}
	flatAlone = []string{"faiss flat"} // for what is too large to keep three times
)

var cases = []testCase{
	{"mix 10k x 768", 768, everyone, false, mix(10_000, asked), 4.2, 0},
	{"mix 100k x 768", 768, everyone, true, mix(100_000, batchSize), 31.5, 2.3},
	{"mix 500k x 768", 768, flatAlone, false, mix(500_000, asked), 34, 0},
	{"iid 100k x 768", 768, everyone, true, gaussian(100_000, batchSize), 6.6, 1.2},
	{"MedQuAD sentences x 256", 256, everyone, true, sentences, 11.1, 1.5},
}

func mix(rows, queries int) func() ([]float32, int, error) {
	return func() ([]float32, int, error) { return synthetic.Mix(rows, queries, 768, 1), queries, nil }
}

func gaussian(rows, queries int) func() ([]float32, int, error) {
	return func() ([]float32, int, error) { return synthetic.Gaussian(rows+queries, 768, 1), queries, nil }
}

// sentences returns the embedded encoder's vectors of the sentences of MedQuAD's answers, on a quarter of
// which it is trained, and of questions as queries; none without LACUNA_DATA.
func sentences() ([]float32, int, error) {
	folder := os.Getenv("LACUNA_DATA")
	if folder == "" {
		fmt.Fprintln(os.Stderr, "LACUNA_DATA names no folder with MedQuAD: no real vectors are compared")
		return nil, 0, nil
	}
	questions, answers, err := medquad(filepath.Join(folder, "kb", "medquad.jsonl.gz"))
	if err != nil {
		return nil, 0, err
	}
	dir, err := os.MkdirTemp("", "peers")
	if err != nil {
		return nil, 0, err
	}
	defer os.RemoveAll(dir)
	library, err := knowledge.Build(context.Background(), answers[:len(answers)/4], dir)
	if err != nil {
		return nil, 0, err
	}
	encoder := library.Collection(passage.Text).Encoder()
	var data []float32
	seen := map[string]bool{}
	for _, answer := range answers {
		for sentence := range strings.SplitSeq(answer.Text, ". ") {
			if vector, known := encoder.Encode(lexical.Terms(sentence)); known && !seen[sentence] {
				data = append(data, vector...)
			}
			seen[sentence] = true
		}
	}
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(questions), func(i, j int) { questions[i], questions[j] = questions[j], questions[i] })
	queries := 0
	for _, question := range questions {
		if vector, known := encoder.Encode(lexical.Terms(question)); known && queries < batchSize {
			data = append(data, vector...)
			queries++
		}
	}
	if queries < batchSize {
		return nil, 0, errors.New("too few questions")
	}
	return data, queries, nil
}

// medquad reads the distinct questions, and the distinct answers as passages.
func medquad(path string) (questions []string, answers []*passage.Passage, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return nil, nil, err
	}
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 1<<24)
	seen := map[string]bool{}
	for lines.Scan() {
		var pair struct{ ID, Question, Answer string }
		if err := json.Unmarshal(lines.Bytes(), &pair); err != nil {
			return nil, nil, err
		}
		if pair.Answer != "" && !seen[pair.Answer] {
			answers = append(answers, &passage.Passage{
				ID: passage.IDOf(pair.Answer), Record: pair.ID, Document: pair.ID, Kind: passage.Text, Text: pair.Answer,
			})
			seen[pair.Answer] = true
		}
		if !seen[pair.Question] {
			questions = append(questions, pair.Question)
			seen[pair.Question] = true
		}
	}
	return questions, answers, lines.Err()
}
