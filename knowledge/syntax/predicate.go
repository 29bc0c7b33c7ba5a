package syntax

import (
	"slices"
	"strings"

	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
)

// Predicate is a word that says something of others: a verb, what follows "is", or a noun for an act ("inhibition of X by
// Y"). Whether a clause is active or passive, relative, or shares its subject with another makes no difference to who does
// what: "raised by X", "which X raises" and "X tends to raise" all have X as the subject. Words are indices in [Sentence.Words].
type Predicate struct {
	Word       int
	Subject    []int     // who does it, or of whom it is said
	Object     []int     // to whom or what it is done
	Recipient  []int     // to whom it is given
	Others     []Oblique // what stands behind a preposition
	Passive    bool      // the form, not the sense
	Negated    bool      // by "not", "never", "without", or "no" before subject or object
	Modal      string    // "may", "should", "darf"; empty if none
	Conditions []int     // predicates of the clauses with "if", "unless", "when", "wenn"
}

// Oblique is a noun behind a preposition ("with food"); Preposition is in lower case, and empty if there is none.
type Oblique struct {
	Preposition string
	Word        int
}

var (
	negators     = plaintext.Set("not n't n’t never no neither nor nobody nothing none nicht nie niemals kein keine keinen keinem keiner keines nichts niemand weder without ohne hardly kaum")
	beForms      = plaintext.Set("be is are was were been being 's ’s get gets got getting am 're ’re")
	becomeForms  = plaintext.Set("werden wird wurde wurden worden werde würde würden")
	relatives    = plaintext.Set("who whom which that whose der die das den dem deren dessen denen welche welcher welches welchen welchem")
	conditionals = plaintext.Set("if unless when whenever provided providing once wenn falls sofern sobald solange")
	modals       = plaintext.Set("may might can could should must shall would will ca wo ought darf dürfen dürfte kann können könnte könnten soll sollen sollte sollten muss müssen müsste will wollen mag")
	raising      = plaintext.Set("seem seems seemed appear appears appeared tend tends tended scheint scheinen schien schienen")
	orWords      = plaintext.Set("or nor oder noch")
	orders       = plaintext.Set("ask asks asked tell tells told advise advises advised allow allows allowed instruct instructs instructed require requires required urge urged order ordered warn warned remind reminded teach taught enable enables enabled")
	agentWords   = plaintext.Set("by von vom durch")
	actEndings   = []string{"tion", "sion", "ment", "ung", "sis", "ction"}
)

// Predicates returns the predicates of a sentence in the order of their words.
func (s Sentence) Predicates() []Predicate {
	var all []Predicate
	for i := range s.Words {
		if s.predicates(i) {
			all = append(all, s.Arguments(i))
		}
	}
	return all
}

func (s Sentence) predicates(i int) bool {
	w := s.Words[i]
	switch w.Relation {
	case "aux", "aux:pass", "cop", "case", "amod", "compound", "compound:prt", "fixed", "flat", "mark", "punct", "det":
		return false
	}
	if w.Tag == "VERB" || s.has(i, "cop") || s.has(i, "nsubj") || s.has(i, "nsubj:pass") {
		return true
	}
	return s.act(i)
}

// act reports whether a noun names an act and who did it.
func (s Sentence) act(i int) bool {
	if s.Words[i].Tag != "NOUN" || !slices.ContainsFunc(actEndings, func(e string) bool { return strings.HasSuffix(s.lower(i), e) }) {
		return false
	}
	for k, w := range s.Words {
		if w.Head == i && (w.Relation == "nmod" || w.Relation == "obl") && (s.preposition(k) == "by" || s.preposition(k) == "durch") {
			return true
		}
	}
	return false
}

// Arguments returns what a word says of which others. The cost is linear in the length of the sentence for each verb whose subject it shares.
func (s Sentence) Arguments(i int) Predicate { return s.arguments(i, len(s.Words)) }

// arguments goes to other predicates at most depth times.
func (s Sentence) arguments(i, depth int) Predicate {
	p := Predicate{Word: i, Passive: s.passive(i)}
	var surface, direct, agents []int
	act := s.act(i)
	for k, w := range s.Words {
		if w.Head != i {
			continue
		}
		switch w.Relation {
		case "nsubj", "nsubj:pass", "csubj", "csubj:pass":
			surface = append(surface, s.together(s.referent(k, i))...)
		case "obj":
			direct = append(direct, s.together(s.referent(k, i))...)
		case "iobj":
			p.Recipient = append(p.Recipient, s.together(s.referent(k, i))...)
		case "obl", "obl:agent", "nmod":
			preposition := s.preposition(k)
			words := s.together(s.referent(k, i))
			switch {
			case p.Passive && agentWords[preposition] && (preposition == "by" && !s.timed(k) || w.Relation == "obl:agent" || s.language == "de"), act && (preposition == "by" || preposition == "durch"):
				agents = append(agents, words...)
			case act && (preposition == "of" || preposition == "von" || preposition == "" && s.language == "de"):
				direct = append(direct, words...)
			default:
				for _, word := range words {
					p.Others = append(p.Others, Oblique{preposition, word})
				}
			}
		case "advcl":
			if s.condition(k) {
				p.Conditions = append(p.Conditions, k)
			}
		case "aux":
			if modals[s.lower(k)] && p.Modal == "" {
				p.Modal = s.lower(k)
			}
		}
		if negators[s.lower(k)] && (w.Relation == "advmod" || w.Relation == "det" && s.Words[i].Tag != "VERB" || w.Relation == "mark" || w.Relation == "cc" || w.Relation == "case") {
			p.Negated = true
		}
	}
	if len(direct) == 0 && !p.Passive {
		surface, direct = s.apart(i, surface)
	}
	for _, k := range slices.Concat(surface, direct) {
		if s.none(k) {
			p.Negated = true
		}
	}
	if depth > 0 && !act {
		surface, direct = s.borrow(i, depth, &p, surface, direct)
	}
	switch {
	case p.Passive && len(direct) > 0:
		p.Recipient, p.Object = append(p.Recipient, surface...), direct
	case p.Passive:
		p.Object = surface
	default:
		p.Subject, p.Object = surface, direct
	}
	p.Subject = append(p.Subject, agents...)
	p.Subject, p.Object, p.Recipient = unique(p.Subject), unique(p.Object), unique(p.Recipient)
	return p
}

// apart returns as object what the parser took for a second subject behind the verb.
func (s Sentence) apart(i int, surface []int) (subject, object []int) {
	second := slices.IndexFunc(surface, func(k int) bool { return k > i && s.Words[k].Head == i && s.Words[k].Relation == "nsubj" })
	if second <= 0 || surface[0] > i {
		return surface, nil
	}
	return surface[:second:second], surface[second:]
}

// borrow finds what a predicate leaves out since another clause has it.
func (s Sentence) borrow(i, depth int, p *Predicate, surface, direct []int) (subject, object []int) {
	w := s.Words[i]
	head := w.Head
	if head < 0 {
		return surface, s.shared(i, direct, p)
	}
	switch w.Relation {
	case "acl", "acl:relcl":
		noun := s.together(head)
		gap := slices.Contains(surface, head) || slices.Contains(direct, head) || slices.ContainsFunc(p.Others, func(o Oblique) bool { return o.Word == head })
		infinitive := w.Relation == "acl" && s.marked(i, "to", "zu")
		switch {
		case infinitive && len(surface) == 0 && s.Words[head].Head >= 0 && orders[s.lower(s.Words[head].Head)]:
			surface = noun
		case gap || infinitive:
		case s.marked(i, "that", "dass"):
			p.Negated = p.Negated || s.none(head)
		case len(surface) == 0:
			surface = noun
		case w.Relation == "acl:relcl" && len(direct) == 0 && !p.Passive && w.Tag == "VERB":
			direct = noun
		}
	case "xcomp", "advcl":
		if len(surface) > 0 {
			break
		}
		above := s.arguments(head, depth-1)
		surface = above.Subject
		if above.Passive {
			surface = slices.Concat(above.Recipient, above.Object)
			if len(above.Recipient) > 0 {
				surface = above.Recipient
			}
		} else if w.Relation == "xcomp" && len(above.Object) > 0 {
			surface = above.Object
		} else if w.Relation == "xcomp" && len(above.Recipient) > 0 {
			surface = above.Recipient
		}
		if w.Relation == "xcomp" && above.Negated && raising[s.lower(head)] {
			p.Negated = true
		}
		if w.Relation == "xcomp" && p.Modal == "" && (raising[s.lower(head)] || modals[s.lower(head)]) {
			p.Modal = above.Modal
			if modals[s.lower(head)] {
				p.Modal = s.lower(head)
				p.Negated = p.Negated || above.Negated
			}
		}
		if w.Relation == "xcomp" && len(p.Conditions) == 0 {
			p.Conditions = above.Conditions
		}
	case "conj":
		if s.Words[head].Tag != "VERB" && w.Tag == "VERB" && !s.predicates(head) {
			break
		}
		above := s.arguments(head, depth-1)
		if len(surface) == 0 {
			surface = above.Subject
			if above.Passive {
				surface = slices.Concat(above.Recipient, above.Object)
			}
			if p.Modal == "" && !s.has(i, "aux") {
				p.Modal = above.Modal
			}
			if above.Negated && !s.has(i, "aux") && s.joined(i, orWords) {
				p.Negated = true
			}
			if len(p.Conditions) == 0 {
				p.Conditions = above.Conditions
			}
		}
	}
	return surface, s.shared(i, direct, p)
}

// shared returns the objects of a verb, which may stand behind the next verb that is joined to it: "inhibits and reverses X".
func (s Sentence) shared(i int, direct []int, p *Predicate) []int {
	if len(direct) > 0 || p.Passive || len(p.Others) > 0 || s.Words[i].Tag != "VERB" {
		return direct
	}
	for k, w := range s.Words {
		if w.Head != i || w.Relation != "conj" || w.Tag != "VERB" || k < i || k > i+4 || s.has(k, "nsubj") || s.has(k, "nsubj:pass") || s.passive(k) {
			continue
		}
		between := slices.ContainsFunc(s.Words[i+1:k], func(w Word) bool {
			return w.Relation != "cc" && w.Relation != "advmod" && w.Relation != "punct" && w.Relation != "aux"
		})
		if between {
			continue
		}
		for o, w := range s.Words {
			if w.Head == k && w.Relation == "obj" {
				direct = append(direct, s.together(o)...)
			}
		}
	}
	return direct
}

// passive reports whether a verb has the form of a passive, with an auxiliary or as a participle behind a noun.
func (s Sentence) passive(i int) bool {
	last := -1
	for k, w := range s.Words {
		if w.Head != i {
			continue
		}
		switch w.Relation {
		case "nsubj:pass", "aux:pass", "csubj:pass":
			return true
		case "aux", "cop":
			last = k
		}
	}
	w := s.Words[i]
	switch {
	case w.Tag != "VERB" && w.form != "VBN":
		return false
	case last >= 0 && s.language == "de":
		return becomeForms[s.lower(last)] && strings.Contains(w.form, "Part")
	case last >= 0:
		return w.form == "VBN" && beForms[s.lower(last)]
	}
	return w.form == "VBN" && (w.Relation == "acl" || w.Relation == "advcl" || w.Relation == "conj" && s.Words[w.Head].Tag == "VERB" && s.Words[w.Head].form == "VBN" && !s.has(i, "nsubj") && s.passive(w.Head))
}

// referent returns the noun that a relative pronoun of a clause stands for, or the word itself.
func (s Sentence) referent(k, clause int) int {
	if !relatives[s.lower(k)] || s.Words[k].Tag != "PRON" && s.Words[k].Tag != "DET" {
		return k
	}
	for range s.Words {
		w := s.Words[clause]
		if w.Head < 0 {
			return k
		}
		switch w.Relation {
		case "acl", "acl:relcl":
			return w.Head
		case "conj", "xcomp":
			clause = w.Head
		default:
			return k
		}
	}
	return k
}

// together returns a word and those joined to it by "and" or "or", without "but not X".
func (s Sentence) together(i int) []int {
	all := []int{i}
	for k, w := range s.Words {
		if w.Head == i && w.Relation == "conj" && k != i && !s.predicates(k) && !s.negation(k) {
			all = append(all, k)
		}
	}
	return all
}

func (s Sentence) negation(i int) bool {
	for k, w := range s.Words {
		if w.Head == i && negators[s.lower(k)] && s.lower(k) != "no" && s.lower(k) != "nor" {
			return true
		}
	}
	return false
}

// none reports whether a noun is denied: "no effect", "keine Wirkung", "nobody".
func (s Sentence) none(i int) bool {
	if s.Words[i].Tag == "PRON" && negators[s.lower(i)] {
		return true
	}
	for k, w := range s.Words {
		if w.Head == i && (w.Relation == "det" || w.Relation == "advmod") && negators[s.lower(k)] {
			return true
		}
	}
	return false
}

// condition reports whether a clause begins with "if" or its like.
func (s Sentence) condition(i int) bool {
	for k, w := range s.Words {
		if w.Head == i && k < i && (w.Relation == "mark" || w.Relation == "advmod") && conditionals[s.lower(k)] {
			return true
		}
	}
	return false
}

// preposition returns the preposition of a noun, in lower case.
func (s Sentence) preposition(i int) string {
	for k, w := range s.Words {
		if w.Head == i && w.Relation == "case" {
			return s.lower(k)
		}
	}
	return ""
}

// timed reports whether a noun is a figure or a time, which does nothing: "by 20 %", "by Monday".
func (s Sentence) timed(i int) bool {
	return s.Words[i].Tag == "NUM" || s.Words[i].Tag == "SYM" || s.has(i, "nummod")
}

func (s Sentence) marked(i int, words ...string) bool {
	for k, w := range s.Words {
		if w.Head == i && w.Relation == "mark" && slices.Contains(words, s.lower(k)) {
			return true
		}
	}
	return false
}

func (s Sentence) joined(i int, by map[string]bool) bool {
	for k, w := range s.Words {
		if w.Head == i && w.Relation == "cc" && by[s.lower(k)] {
			return true
		}
	}
	return false
}

func (s Sentence) has(i int, relation Relation) bool {
	for _, w := range s.Words {
		if w.Head == i && w.Relation == relation {
			return true
		}
	}
	return false
}

func (s Sentence) lower(i int) string { return strings.ToLower(s.Words[i].Text) }

// Phrase returns the bytes from the first to the last word that hangs on a word, itself included.
func (s Sentence) Phrase(i int) passage.Span {
	span := s.Words[i].Span
	for k := range s.Words {
		for at, steps := k, 0; at >= 0 && steps <= len(s.Words); at, steps = s.Words[at].Head, steps+1 {
			if at == i {
				span.Start, span.End = min(span.Start, s.Words[k].Start), max(span.End, s.Words[k].End)
				break
			}
		}
	}
	return span
}

func unique(words []int) []int {
	slices.Sort(words)
	return slices.Compact(words)
}
