package prompts

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// labelledReply is a reply with the letter that a reader takes from it, or "" for none.
type labelledReply struct {
	kind, letter, text string
	options            []Option
}

func labelledReplies(t *testing.T) []labelledReply {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "choices", "replies.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var replies []labelledReply
	var options []Option
	for _, part := range strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n=== ")[1:] {
		head, body, _ := strings.Cut(part, "\n")
		if head == "options" {
			options = nil
			for line := range strings.Lines(strings.TrimSpace(body)) {
				letter, text, _ := strings.Cut(strings.TrimSpace(line), ". ")
				options = append(options, Option{letter, text})
			}
			continue
		}
		kind, letter, _ := strings.Cut(head, " ")
		replies = append(replies, labelledReply{kind, strings.Trim(letter, "-"), strings.TrimSpace(body), options})
	}
	return replies
}

// TestChoicesOfManyModels reads replies of four kinds of models as a person reads them. A reply that is read
// as another letter, or as one where there is none, is worse than one that is not read.
func TestChoicesOfManyModels(t *testing.T) {
	replies := labelledReplies(t)
	kinds := map[string][3]int{}
	for _, r := range replies {
		c, path, _ := ParseChoice(r.text, r.options)
		count := kinds[r.kind]
		switch {
		case c.Letter == r.letter:
			count[0]++
		case c.Letter == "":
			count[2]++
			t.Errorf("%s: not read, want %s: %s", r.kind, r.letter, r.text)
		default:
			count[1]++
			t.Errorf("%s: read as %s by %s, want %q: %s", r.kind, c.Letter, path, r.letter, r.text)
		}
		kinds[r.kind] = count
	}
	var lines []string
	for kind, n := range kinds {
		lines = append(lines, fmt.Sprintf("%-8s right %2d, wrong %d, not read %d", kind, n[0], n[1], n[2]))
	}
	slices.Sort(lines)
	t.Logf("%d replies\n%s", len(replies), strings.Join(lines, "\n"))
}
