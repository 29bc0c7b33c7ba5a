package entail

import (
	"embed"
	"strings"
	"sync"
)

//go:embed phrases.*.txt
var phraseLists embed.FS

// phrase is a phrase of the lists that stands in a text.
type phrase struct {
	from, to int // words
	id       int
}

// paraphrases is what the lists say: which phrases mean the same, which imply another, which exclude one another.
type paraphrases struct {
	byFirst map[string][]int // phrases by their first key
	keys    [][]string       // of each phrase
	past    [][]bool         // the word is a participle there: what is raised is high, and what raises is not
	ids     map[string]int
	same    []map[int]bool // of each phrase
	implies []map[int]bool
	exclude []map[int]bool
	frame   []bool
}

var lists = sync.OnceValue(func() *paraphrases {
	p := &paraphrases{byFirst: map[string][]int{}, ids: map[string]int{}}
	for _, name := range []string{"phrases.en.txt", "phrases.med.txt", "phrases.zh.txt"} {
		text, err := phraseLists.ReadFile(name)
		if err != nil {
			panic("entail: " + err.Error())
		}
		for line := range strings.Lines(string(text)) {
			p.add(strings.TrimSpace(line))
		}
	}
	return p
})

func (p *paraphrases) add(line string) {
	if line == "" || line[0] == '#' {
		return
	}
	if rest, ok := strings.CutPrefix(line, "~"); ok {
		if id, ok := p.id(rest); ok {
			p.frame[id] = true
		}
		return
	}
	for _, relation := range []string{" = ", " > ", " ! "} {
		parts := strings.Split(line, relation)
		if len(parts) < 2 {
			continue
		}
		var ids []int
		for _, text := range parts {
			if id, ok := p.id(text); ok {
				ids = append(ids, id)
			}
		}
		for i, a := range ids {
			for j, b := range ids {
				if i == j || a == b {
					continue
				}
				switch relation {
				case " = ":
					p.same[a][b] = true
				case " > ":
					if i < j {
						p.implies[a][b] = true
					}
				case " ! ":
					p.exclude[a][b] = true
				}
			}
		}
		return
	}
}

// id returns the number of a phrase, which it adds if it is new.
func (p *paraphrases) id(text string) (int, bool) {
	var keys []string
	var past []bool
	for _, part := range cut(text) {
		w := newWord(text[part.Start:part.End], part.Han)
		if !articles[w.key] {
			keys, past = append(keys, w.key), append(past, strings.HasSuffix(w.text, "ed"))
		}
	}
	if len(keys) == 0 {
		return 0, false
	}
	key := strings.Join(keys, " ")
	for _, is := range past {
		if is {
			key += " +" // another phrase than that of the verb
		} else {
			key += " -"
		}
	}
	if id, ok := p.ids[key]; ok {
		return id, true
	}
	id := len(p.keys)
	p.ids[key] = id
	p.keys, p.past = append(p.keys, keys), append(p.past, past)
	p.byFirst[keys[0]] = append(p.byFirst[keys[0]], id)
	p.same, p.implies, p.exclude, p.frame = append(p.same, map[int]bool{}), append(p.implies, map[int]bool{}), append(p.exclude, map[int]bool{}), append(p.frame, false)
	return id, true
}

var articles = map[string]bool{"a": true, "an": true, "the": true}

// findPhrases finds the phrases of the lists in a text.
func (r *reading) findPhrases() {
	p := lists()
	for i := range r.words {
		for _, id := range p.byFirst[r.words[i].key] {
			if to, ok := r.holds(p.keys[id], p.past[id], i); ok {
				r.phrases = append(r.phrases, phrase{i, to, id})
			}
		}
	}
}

// holds reports whether words from i on have some keys in a row, but for articles, and where they end.
func (r *reading) holds(keys []string, past []bool, i int) (to int, ok bool) {
	for k, key := range keys {
		for i < len(r.words) && articles[r.words[i].text] && key != r.words[i].key {
			i++
		}
		if i >= len(r.words) || r.words[i].key != key || past[k] && !r.words[i].past && !strings.HasSuffix(r.words[i].text, "ed") {
			return 0, false
		}
		i++
	}
	return i, true
}
