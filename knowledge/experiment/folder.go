package experiment

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/gofrs/flock"

	"lacuna/knowledge/passage"
	"lacuna/vecmath/regular"
)

// Answered is what a system made of one question: one line of a folder's answers.
type Answered struct {
	Cell string `json:"cell"` // [Cell.ID]
	QID  string `json:"qid"`
	// Reply is the answer as its reader sees it, without citation marks; empty where the system said nothing.
	Reply  string `json:"reply"`
	Letter string `json:"letter,omitempty"` // the option chosen, of a question with options; empty if none could be read
	State  string `json:"state"`
	Sure   bool   `json:"sure"` // given as the answer, not as the nearest places
	// Records are those of the passages that were read, each once, in their order; null if the sources were not searched.
	Records []string `json:"records"`
	// Read has the passages that were read, Chosen how many texts went to the reader and ChosenWritten how many of
	// them a model had written.
	Read          []string `json:"read,omitempty"`
	Chosen        int      `json:"chosen,omitempty"`
	ChosenWritten int      `json:"chosen_written,omitempty"`
	Retrieved     *bool    `json:"retrieved,omitempty"` // whether a gate had the sources searched
	Citations     int      `json:"citations"`
	Resolved      int      `json:"resolved"` // citations whose quote stands on disk where they say
	// Cited counts the citations of all sentences, and Precise those whose source alone says what their sentence does.
	Cited   int `json:"cited,omitempty"`
	Precise int `json:"precise,omitempty"`
	// Support counts the sentences of a model by what a check against the sources found.
	Support  map[string]int `json:"support,omitempty"`
	Gaps     []string       `json:"gaps,omitempty"`
	Missing  float64        `json:"missing_probability"`
	Recall   *Found         `json:"context_recall,omitempty"`
	Degraded bool           `json:"degraded,omitempty"`
	Lacks    []string       `json:"lacks,omitempty"` // what the system did without; see answer.Lack
	Models   []string       `json:"models,omitempty"`
	// Calls, Prompt and Written count the replies from the cache, too, with what they cost when they were given.
	Calls   int     `json:"calls"`
	Prompt  int     `json:"prompt_tokens"`
	Written int     `json:"completion_tokens"`
	TookMS  float64 `json:"took_ms"`
	Cached  bool    `json:"cached,omitempty"` // a reply came from the cache, so TookMS says nothing
	// Failed says why there is no answer; the question is left out of all figures.
	Failed string `json:"failed,omitempty"`
	// Gone says that it failed as all questions fail whose endpoint is gone, and not for what was asked.
	Gone bool `json:"-"`
	// StageFailed says why a stage failed without which the answer was given; it counts.
	StageFailed string `json:"stage_failed,omitempty"`
}

// incomplete reports whether something failed that another attempt may bring.
func (a Answered) incomplete() bool {
	return a.Failed != "" || a.StageFailed != "" || a.Recall != nil && a.Recall.Failed != ""
}

// Found counts the statements of a reference answer and those that the passages read for an answer hold.
type Found struct {
	ByWords    bool `json:"by_words,omitempty"` // and not by a model
	Statements int  `json:"statements"`
	Found      int  `json:"found"`              // held by at least one passage or stored pair
	InTexts    int  `json:"in_texts,omitempty"` // held by a passage
	InPairs    int  `json:"in_pairs,omitempty"` // held by a stored pair
	Covered    int  `json:"covered,omitempty"`  // by the share of words, without entailment; of ByWords only
	Passages   int  `json:"passages"`           // that hold at least one statement
	Unjudged   int  `json:"unjudged,omitempty"` // statements without a verdict, which count as not found
	// Texts and Pairs say what was read.
	Texts bool `json:"texts,omitempty"`
	Pairs bool `json:"pairs,omitempty"`
	// Failed says why nothing could be counted; the answer counts in the other measures.
	Failed string `json:"failed,omitempty"`
}

// Add counts a statement that sources of some kinds hold.
func (f *Found) Add(in map[passage.Kind]bool) {
	if len(in) > 0 {
		f.Found++
	}
	if in[passage.Text] {
		f.InTexts++
	}
	if in[passage.QA] {
		f.InPairs++
	}
}

// Folder is where a run keeps its plan and its answers. One process at a time writes to it.
type Folder struct {
	dir  string
	lock *flock.Flock // held while the folder is open; a killed process holds none

	mu       sync.Mutex
	answers  *os.File
	size     int64            // of what was written whole
	answered map[key]Answered // the last line of each question
	torn     int
}

type key struct{ cell, qid string }

// The files of a folder. The last two are its user's to write.
const (
	planFile       = "plan.json"
	lockFile       = "running"
	AnswersFile    = "answers.jsonl"
	ProvenanceFile = "provenance.json"
	ResultsFile    = "results.json"
)

// ErrOtherPlan says that a folder was begun with another plan.
var ErrOtherPlan = errors.New("the folder was begun with another plan")

// ErrRunning says that another process writes to a folder.
var ErrRunning = errors.New("another run writes to the folder")

// Open makes a folder or opens one that was begun with an equal plan, or in which nothing was answered. What it holds may
// be cut off in its last line, as a process leaves it that was killed. Close it.
func Open(dir string, plan Plan) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	f := &Folder{dir: dir, lock: flock.New(filepath.Join(dir, lockFile), flock.SetPermissions(0o600)), answered: map[key]Answered{}}
	if taken, err := f.lock.TryLock(); err != nil {
		return nil, err
	} else if !taken {
		return nil, fmt.Errorf("%w %s", ErrRunning, dir)
	}
	if err := f.begin(plan); err != nil {
		return nil, errors.Join(err, f.lock.Close())
	}
	return f, nil
}

func (f *Folder) begin(plan Plan) error {
	text, err := json.MarshalIndent(plan, "", "  ")
	if err != nil {
		return err
	}
	if err := f.load(); err != nil {
		return err
	}
	path := filepath.Join(f.dir, planFile)
	before, err := regular.ReadFile(path)
	switch {
	case err == nil && bytes.Equal(before, text):
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case err == nil && len(f.answered) > 0:
		return fmt.Errorf("%w: %s; name another folder, or set the plan back", ErrOtherPlan, differences(before, text))
	default:
		if err := f.write(planFile, text); err != nil {
			return err
		}
	}
	f.answers, err = os.OpenFile(filepath.Join(f.dir, AnswersFile), os.O_APPEND|os.O_CREATE|os.O_WRONLY|regular.NonBlocking, 0o600)
	return err
}

// load reads the answers, and cuts off a last line that was not written whole. Other lines that cannot be read are left
// out, so that their questions are asked again.
func (f *Folder) load() error {
	path := filepath.Join(f.dir, AnswersFile)
	file, err := regular.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	for r := bufio.NewReader(file); ; {
		text, err := r.ReadBytes('\n')
		if err == io.EOF {
			break // without a line's end it is not whole
		}
		if err != nil {
			return err
		}
		var a Answered
		if json.Unmarshal(text, &a) != nil || a.Cell == "" {
			f.torn++
		} else {
			f.answered[key{a.Cell, a.QID}] = a
		}
		f.size += int64(len(text))
	}
	if info, err := file.Stat(); err != nil || info.Size() == f.size {
		return err
	}
	return os.Truncate(path, f.size)
}

// Empty reports whether nothing has been answered.
func (f *Folder) Empty() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.answered) == 0
}

// Torn counts the lines that could not be read when the folder was opened.
func (f *Folder) Torn() int { return f.torn }

// Done returns the answer to a question, if it was asked in this folder.
func (f *Folder) Done(c Cell, qid string) (Answered, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	a, ok := f.answered[key{c.ID(), qid}]
	return a, ok
}

// Failure is a reason why questions have no answer.
type Failure struct {
	What      string // failed: one of the words below
	Text      string
	Questions int
}

// What failed. Only of the first is the question left out of all figures.
const (
	WholeFailed  = "failed"
	StageFailed  = "answered without a stage"
	RecallFailed = "without context recall"
)

// Failures returns what failed of the questions of a plan and why, the most frequent first.
func (f *Folder) Failures(plan Plan, sets []Set) []Failure {
	count := map[Failure]int{}
	for _, cell := range plan.Cells(sets) {
		for _, q := range setOf(sets, cell).Questions {
			switch a, done := f.Done(cell, q.ID); {
			case done && a.Failed != "":
				count[Failure{What: WholeFailed, Text: a.Failed}]++
			case done && a.StageFailed != "":
				count[Failure{What: StageFailed, Text: a.StageFailed}]++
			case done && a.Recall != nil && a.Recall.Failed != "":
				count[Failure{What: RecallFailed, Text: a.Recall.Failed}]++
			}
		}
	}
	var all []Failure
	for failure, n := range count {
		failure.Questions = n
		all = append(all, failure)
	}
	slices.SortFunc(all, func(a, b Failure) int {
		return cmp.Or(b.Questions-a.Questions, strings.Compare(a.What, b.What), strings.Compare(a.Text, b.Text))
	})
	return all
}

// add appends an answer. What was appended before a crash is there afterwards, at least up to the last whole line; what
// could be written in part, as on a full disk, is taken back.
func (f *Folder) add(a Answered) error {
	text, err := json.Marshal(a)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, err := f.answers.Write(append(text, '\n')); err != nil {
		return errors.Join(err, f.answers.Truncate(f.size))
	}
	f.size += int64(len(text)) + 1
	f.answered[key{a.Cell, a.QID}] = a
	return nil
}

// Sort puts the answers of a run that has ended into the order of its plan, each question once, so that two runs with
// equal answers leave equal files. Answers to questions that are not in the plan come last.
func (f *Folder) Sort(plan Plan, sets []Set) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var order []key
	planned := map[key]bool{}
	for _, cell := range plan.Cells(sets) {
		for _, q := range setOf(sets, cell).Questions {
			k := key{cell.ID(), q.ID}
			if _, done := f.answered[k]; done && !planned[k] {
				planned[k], order = true, append(order, k)
			}
		}
	}
	others := slices.DeleteFunc(slices.Collect(maps.Keys(f.answered)), func(k key) bool { return planned[k] })
	slices.SortFunc(others, func(a, b key) int { return cmp.Or(strings.Compare(a.cell, b.cell), strings.Compare(a.qid, b.qid)) })
	var text []byte
	for _, k := range append(order, others...) {
		line, err := json.Marshal(f.answered[k])
		if err != nil {
			return err
		}
		text = append(append(text, line...), '\n')
	}
	path := filepath.Join(f.dir, AnswersFile)
	if before, err := regular.ReadFile(path); err == nil && bytes.Equal(before, text) {
		return nil
	}
	if err := os.WriteFile(path+".new", text, 0o600); err != nil {
		return errors.Join(err, os.Remove(path+".new"))
	}
	err := errors.Join(f.answers.Close(), regular.Rename(path+".new", path)) // some systems do not replace an open file
	opened, failed := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY|regular.NonBlocking, 0o600)
	if failed == nil {
		f.answers, f.size = opened, int64(len(text))
	}
	return errors.Join(err, failed)
}

// WriteJSON writes one of the run's results as indented JSON, whole or not at all.
func (f *Folder) WriteJSON(name string, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return f.write(name, append(text, '\n'))
}

// write replaces a file of the folder, or leaves it as it was.
func (f *Folder) write(name string, text []byte) error {
	path := filepath.Join(f.dir, name)
	err := os.WriteFile(path+".new", text, 0o600)
	if err == nil {
		err = regular.Rename(path+".new", path)
	}
	if err != nil {
		_ = os.Remove(path + ".new")
	}
	return err
}

// Path returns the path of a file of the folder.
func (f *Folder) Path(name string) string { return filepath.Join(f.dir, name) }

// Close ends writing and lets others write.
func (f *Folder) Close() error {
	return errors.Join(f.answers.Sync(), f.answers.Close(), f.lock.Close())
}

// differences names the first keys in which two plans differ.
func differences(before, now []byte) string {
	var a, b map[string]json.RawMessage
	if json.Unmarshal(before, &a) != nil || json.Unmarshal(now, &b) != nil {
		return "its plan cannot be read"
	}
	if text := differentSets(a["datasets"], b["datasets"]); text != "" {
		return text
	}
	for _, k := range []string{"systems", "models", "roles", "seeds", "questions", "seed", "as_published", "passages", "context_recall", "baseline", "datasets", "name", "decision"} {
		if !bytes.Equal(a[k], b[k]) {
			return fmt.Sprintf("%s was %s and is %s", k, orNothing(a[k]), orNothing(b[k]))
		}
	}
	return "they differ"
}

// differentSets names the first difference between the data sets of two plans that have equally many.
func differentSets(before, now json.RawMessage) string {
	var a, b []map[string]json.RawMessage
	if json.Unmarshal(before, &a) != nil || json.Unmarshal(now, &b) != nil || len(a) != len(b) {
		return ""
	}
	for i := range a {
		for _, k := range []string{"name", "file", "form", "part", "kind", "style", "sources", "questions"} {
			if !bytes.Equal(a[i][k], b[i][k]) {
				return fmt.Sprintf("%s of data set %d was %s and is %s", k, i+1, orNothing(a[i][k]), orNothing(b[i][k]))
			}
		}
	}
	return ""
}

func orNothing(text json.RawMessage) string {
	if len(text) == 0 {
		return "not set"
	}
	var compact bytes.Buffer
	if json.Compact(&compact, text) != nil {
		return string(text)
	}
	return compact.String()
}
