// Package support checks whether sources say what a model claims, and finds the quote for each claim. It
// uses no model: it compares words, so it can be wrong in both directions, and how often is measured.
//
// # How a claim is checked
//
// A model answers with text and citation marks. [Checker.Check] turns that into statements:
//
//	"Take 1.2 mg first, then 0.6 mg after one hour [2]. It must not be taken with clarithromycin [1]."
//	    │ marks.go: sentences, without their marks, with the marks' numbers
//	    ▼
//	claim                                          source (one for each document of the evidence)
//	  terms, weighed by idf      terms.go            terms of the passage, its title and headings
//	  names: terms that a source
//	    cannot lack              entities.go         the same, and its initials
//	  quantities with units      quantities.go       the same
//	  words in quotation marks                       its folded text
//	  clauses                    contradiction.go    spans: one or two sentences that may be quoted
//	    │                                              │
//	    └──────────────────────┬───────────────────────┘
//	                           ▼ support.go: best
//	    the span with the largest share of the claim's weight, among those that hold its quantities
//	                           │
//	    1. says the opposite, or the same of another thing?           → no support
//	    2. another sentence is nearer, with another figure?           → no support
//	    3. share of the span ≥ .6, or ≥ .4 and of the passage ≥ .6?   otherwise no support
//	    4. every quantity, name and quotation stands in the source?   otherwise no support
//	    5. do the quoted bytes still stand on disk?                   otherwise dropped and counted
//	                           │
//	                           ▼ check.go
//	    Claim with citations │ Background: only generated text supports it │ Unsupported
//
// The sources that the model cites come first, each by itself and then several together; a citation whose
// source does not support the sentence is refused and counted. If none is left, all evidence is searched. A
// page about another thing than the question names supports nothing. A sentence that only says that nothing
// is known is left out.
//
// Why so strict: a text that shares nearly all its words with a claim may say the opposite, or the same of
// another medicine. Steps 1, 2 and 4 look at what word overlap cannot see: negations, directions (increase or
// decrease, before or after, daily or weekly), figures, and names. They cost paraphrases: of 1,824 sentences
// that experts wrote from their sources, .776 are supported by a passage that they marked, and .0011 by a
// passage that was marked for another question. The constants stand next to their measurements.
//
// What it does not see: a conclusion that follows from two sources in other words, arithmetic, and
// contradictions without a negation, a figure, a direction or a name.
//
// Begin with [NewChecker]. Check is for answers that were written from evidence, [Checker.Locate] for answers
// that were written without, and [Checker.Supports] for a single sentence.
package support
