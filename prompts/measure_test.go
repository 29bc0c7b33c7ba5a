package prompts

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestChoicesInReleasedReplies reads the choices out of the prose of the replies that MIRAGE released,
// whose choices are known beside it. A reply need not say its choice in prose; where one is read, it
// should be the one that the model made.
func TestChoicesInReleasedReplies(t *testing.T) {
	folder := os.Getenv("LACUNA_DATA")
	if folder == "" {
		t.Skip("LACUNA_DATA is not set")
	}
	options := map[string][]Option{}
	eachRow(t, filepath.Join(folder, "decision", "mirage-questions.dev.jsonl.gz"), func(row []byte) error {
		var q struct {
			ID      string
			Options map[string]string
		}
		err := json.Unmarshal(row, &q)
		for letter, text := range q.Options {
			options[q.ID] = append(options[q.ID], Option{letter, text})
		}
		slices.SortFunc(options[q.ID], func(a, b Option) int { return strings.Compare(a.Letter, b.Letter) })
		return err
	})
	announcing, read, wrong := 0, 0, 0
	eachRow(t, filepath.Join(folder, "decision", "mirage-responses.dev.jsonl.gz"), func(row []byte) error {
		var r struct {
			ID  string
			Cot string `json:"cot_response"`
			CC  string `json:"cot_choice"`
			IR  string `json:"ir_response"`
			IC  string `json:"ir_choice"`
		}
		if err := json.Unmarshal(row, &r); err != nil {
			return err
		}
		for _, reply := range [][2]string{{r.Cot, r.CC}, {r.IR, r.IC}} {
			if choiceAnnouncement.MatchString(reply[0]) {
				announcing++
			}
			c, _, err := ParseChoice(reply[0], options[r.ID])
			if err != nil {
				continue
			}
			read++
			if c.Letter != reply[1] {
				wrong++
			}
		}
		return nil
	})
	// Measured: 3,135 choices read, 3 of them not the one made; in these three, the letter beside the reply is
	// not the one that its prose chooses.
	t.Logf("%d replies announce a choice; %d choices were read, %d of them not the one made (%.1f %%)", announcing, read, wrong, 100*float64(wrong)/float64(read))
	if read < 3100 || wrong > 5 {
		t.Errorf("too few are read, or too many wrongly")
	}
}

func eachRow(t *testing.T, file string, do func(row []byte) error) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	rows := bufio.NewScanner(z)
	rows.Buffer(nil, 1<<24)
	for rows.Scan() {
		if err := do(rows.Bytes()); err != nil {
			t.Fatal(err)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
}
