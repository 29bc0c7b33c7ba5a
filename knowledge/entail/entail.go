// Package entail judges whether a text says what a sentence claims: natural language inference for one sentence and
// the passages that it cites, without a model. A claim is a sentence that a model or a person wrote; it may use other
// words than its source, but not say other things. The package knows nothing of bases or editors.
//
// # How a claim is judged
//
//	claim, sources
//	   │ words.go: words, clauses, sentences; numbers with units; what a negation denies; German words by the stems
//	   │      of lexicon.GermanStem
//	   │ paraphrase.go: phrases of the lists (phrases.*.txt), which mean the same, imply or exclude one another
//	   ▼
//	align.go: for each word of the claim the source word that means it, by form, list, synonym or initials; the
//	   │      sentences that hold most of the claim are the evidence
//	   ▼ describe.go, role.go, relation.go, qualifier.go: some seventy features of the alignment: what is held, denied,
//	   │      opposed, exchanged, bounded, put in another's place
//	model.go: three sets of trees, fitted by TestClaims: how probable it is that the claim is stated, contradicted, absent
//	   ▼
//	judge.go: the verdict. A word that certainly differs (difference.go) or a name that the source lacks forbids States,
//	   whatever the trees say; a sentence of the source that was only shortened is States without them. It also finds
//	   claims of which a part is stated.
//
// conflict.go compares sentences of two sources both ways by the same means.
//
// What it cannot see: what follows only by knowledge of the world or arithmetic, and most exchanges of roles within
// one sentence. Most paraphrases therefore stay Unchecked; docs/quality.md has the figures.
//
// Begin with [Judge].
package entail

import "lacuna/knowledge/passage"

// Verdict says what sources hold of a claim.
type Verdict string

const (
	States      Verdict = "states"      // they say it, perhaps in other words
	Partly      Verdict = "partly"      // they say a part of it; see [Judgement.Unstated]
	Contradicts Verdict = "contradicts" // they say something that excludes it; see [Judgement.Differences]
	Absent      Verdict = "absent"      // they do not speak of it
	Unchecked   Verdict = "unchecked"   // words cannot tell
)

// Source is a text that a claim may rest on, as people read it, without markup.
type Source struct {
	Above string // title, headings and stored question, a line each: they say what Text is about
	Text  string
	// Sentences has the sentences of Text that may be evidence, in order; nil means all of them.
	Sentences []passage.Span
}

// Judgement is what sources hold of a claim. Spans are bytes, of the claim or of [Source.Text].
type Judgement struct {
	Verdict Verdict
	// Confidence is the estimated probability that the sources state the claim, from 0 to 1.
	Confidence float64
	// Sure says that no probability was needed: a sentence of the sources is the claim (States), or means all of it
	// but the words of Differences (Contradicts).
	Sure bool
	// Evidence has the sentences that the claim was compared with, the most telling first; empty when Absent.
	Evidence []Quote
	// Unstated has the parts of the claim that the sources do not state, in order; of Partly only.
	Unstated []passage.Span
	// Differences has the words of the claim that differ from those of the sources; of Contradicts at least one.
	Differences []Difference
}

// Quote is a span of a source.
type Quote struct {
	Source int // index
	passage.Span
}

// Difference is a pair of words that cannot both be true. Claimed or Stated is empty where the words of the
// other have no counterpart, as a negation has none.
type Difference struct {
	Kind    Kind
	Claimed passage.Span // of the claim
	Stated  Quote
}

// Kind says in what a claim differs from its source.
type Kind string

const (
	Number     Kind = "number"     // another figure, unit or count
	Bound      Kind = "bound"      // above for below, at least for at most
	Negation   Kind = "negation"   // one of both denies
	Direction  Kind = "direction"  // more for less, before for after, start for stop
	Role       Kind = "role"       // who does what to whom is exchanged
	Name       Kind = "name"       // another thing in its place
	Time       Kind = "time"       // another time, duration or frequency
	Scope      Kind = "scope"      // all for some, always for sometimes
	Modality   Kind = "modality"   // must for may, does for may do
	Population Kind = "population" // other people, or a condition left out or added
	Cause      Kind = "cause"      // a cause that is not stated as one
)
