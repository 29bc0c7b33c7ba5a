package entail

import (
	"embed"
	"strings"
	"sync"

	"lacuna/knowledge/lexicon"
	"lacuna/knowledge/plaintext"
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
	byFirst map[string][]int // phrases by their first key; German ones behind germanMark
	keys    [][]string       // of each phrase
	past    [][]bool         // the word is a participle there: what is raised is high, and what raises is not
	ids     map[string]int
	same    []map[int]bool // of each phrase
	implies []map[int]bool
	exclude []map[int]bool
	frame   []bool
	german  bool             // the list being read is German
	byRoot  map[string][]int // German phrases of one word by its root: what holds of a verb holds of its noun
	turned  map[string][]int // German phrases of several words by their last key: a verb may stand first
}

var lists = sync.OnceValue(func() *paraphrases {
	p := &paraphrases{byFirst: map[string][]int{}, turned: map[string][]int{}, byRoot: map[string][]int{}, ids: map[string]int{}}
	for _, name := range []string{"phrases.en.txt", "phrases.med.txt", "phrases.zh.txt", "phrases.de.txt"} {
		p.german = name == "phrases.de.txt"
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
		w := (&reading{german: p.german}).newWord(text[part.Start:part.End], part.Han)
		if !isArticle(w) {
			keys, past = append(keys, w.key), append(past, !p.german && strings.HasSuffix(w.text, "ed"))
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
	first := keys[0]
	if p.german {
		key, first = germanMark+key, germanMark+first
	}
	if id, ok := p.ids[key]; ok {
		return id, true
	}
	id := len(p.keys)
	p.ids[key] = id
	p.keys, p.past = append(p.keys, keys), append(p.past, past)
	p.byFirst[first] = append(p.byFirst[first], id)
	if p.german && len(keys) == 1 {
		root := lexicon.GermanRoot(keys[0])
		p.byRoot[root] = append(p.byRoot[root], id)
	} else if p.german {
		p.turned[keys[len(keys)-1]] = append(p.turned[keys[len(keys)-1]], id)
	}
	p.same, p.implies, p.exclude, p.frame = append(p.same, map[int]bool{}), append(p.implies, map[int]bool{}), append(p.exclude, map[int]bool{}), append(p.frame, false)
	return id, true
}

var articles = map[string]bool{"a": true, "an": true, "the": true}

var germanArticles = plaintext.Set(`-der -die -das -den -dem -des -ein -eine -einen -einem -einer -eines`)

func isArticle(w word) bool { return articles[w.key] || germanArticles[w.key] }

// findPhrases finds the phrases of the lists in a text.
func (r *reading) findPhrases() {
	p := lists()
	mark := ""
	if r.german {
		mark = germanMark
	}
	for i := range r.words {
		for _, id := range p.byFirst[mark+r.words[i].key] {
			if to, ok := r.holds(p.keys[id], p.past[id], i); ok {
				r.phrases = append(r.phrases, phrase{i, to, id})
			}
		}
		if !r.german {
			continue
		}
		for _, id := range p.byRoot[lexicon.GermanRoot(r.words[i].key)] {
			if p.keys[id][0] != r.words[i].key && r.words[i].weight > 0 {
				r.phrases = append(r.phrases, phrase{i, i + 1, id})
			}
		}
		for _, id := range p.turned[r.words[i].key] { // "senkt die Dosis" for "die Dosis senken"
			last := len(p.keys[id]) - 1
			for j := i + 1; j < len(r.words) && r.words[j].clause == r.words[i].clause; j++ { // "kommt hier infrage" for "infrage kommen"
				if to, ok := r.holds(p.keys[id][:last], p.past[id], j); ok {
					r.phrases = append(r.phrases, phrase{i, i + 1, id}, phrase{j, to, id})
					break
				}
			}
		}
	}
}

// holds reports whether words from i on have some keys in a row, but for articles, and where they end.
func (r *reading) holds(keys []string, past []bool, i int) (to int, ok bool) {
	for k, key := range keys {
		for i < len(r.words) && (articles[r.words[i].text] || germanArticles[r.words[i].key]) && key != r.words[i].key {
			i++
		}
		if i >= len(r.words) || r.words[i].key != key || past[k] && !r.words[i].past && !strings.HasSuffix(r.words[i].text, "ed") {
			return 0, false
		}
		i++
	}
	return i, true
}
