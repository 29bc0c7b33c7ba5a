package history_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"lacuna/knowledge/gap/ledger"
	"lacuna/knowledge/gate"
	"lacuna/knowledge/history"
)

// keepingIn is the folder in which the test binary, as a child, keeps things until it is killed.
const keepingIn = "LACUNA_TEST_KEEPING_IN"

func TestChildThatKeeps(t *testing.T) {
	dir := os.Getenv(keepingIn)
	if dir == "" {
		t.Skip("run by TestNothingKeptIsLostByKilling")
	}
	store := history.In(dir)
	stored, err := ledger.Open(dir)
	for turn := 0; err == nil; turn++ {
		id := fmt.Sprintf("p%dx%d", os.Getpid(), turn)
		err = errors.Join(
			stored.Dismiss(t.Context(), ledger.QuestionRef{Note: "n.md", Question: id}, "gap", true),
			store.Accept(t.Context(), history.Pair{ID: id, Question: "q", Answer: "a"}),
			store.Keep(t.Context(), history.Label{ID: id, Question: "q", Label: gate.Better, How: history.Accepted}))
		if err == nil {
			fmt.Println("kept", id)
		}
	}
	t.Fatal(err)
}

// Of two processes that keep gaps, accepted answers and labels in one folder each is killed at some
// moment; what either said to be kept is there.
func TestNothingKeptIsLostByKilling(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	dir := t.TempDir()
	var kept []string
	for round := range 3 {
		var lines [2]*bufio.Scanner
		var processes [2]*exec.Cmd
		for i := range processes {
			processes[i] = exec.Command(os.Args[0], "-test.run=^TestChildThatKeeps$")
			processes[i].Env = append(os.Environ(), keepingIn+"="+dir)
			output, err := processes[i].StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := processes[i].Start(); err != nil {
				t.Fatal(err)
			}
			lines[i] = bufio.NewScanner(output)
		}
		for i, process := range processes {
			for range 3*round + i + 1 {
				if !lines[i].Scan() {
					t.Fatal("a child died by itself")
				}
				kept = append(kept, lines[i].Text())
			}
			if err := process.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			for lines[i].Scan() {
				kept = append(kept, lines[i].Text())
			}
			_ = process.Wait()
		}
	}
	store := history.In(dir)
	pairs, pairsErr := store.Pairs()
	labels, labelsErr := store.Labels()
	stored, ledgerErr := ledger.Open(dir)
	if err := errors.Join(pairsErr, labelsErr, ledgerErr); err != nil {
		t.Fatal(err)
	}
	for _, line := range kept {
		id := strings.TrimPrefix(line, "kept ")
		if !slices.ContainsFunc(pairs, func(p history.Pair) bool { return p.ID == id }) ||
			!slices.ContainsFunc(labels, func(l history.Label) bool { return l.ID == id }) ||
			!stored.IsDismissed(ledger.QuestionRef{Note: "n.md", Question: id}, "gap") {
			t.Errorf("%s was kept and is lost", id)
		}
	}
	if len(kept) < 27 {
		t.Errorf("only %d things were kept", len(kept))
	}
}
