// Package support checks whether sources say what a model claims, and finds the quote for each claim. It uses no
// model: package entail compares words and structure, and how often it is wrong is measured there.
//
// # How a claim is checked
//
// A model answers with text and citation marks. [Checker.Check] turns that into statements:
//
//	"Take 1.2 mg first, then 0.6 mg after one hour [2]. It must not be taken with clarithromycin [1]."
//	    │ marks.go: sentences, without their marks, with the marks' numbers
//	    ▼
//	entail.Judge, with the passages that the sentence cites, alone and together; if they do not state it, with each
//	other passage of the evidence
//	    │ states, partly    → Claim, citing the sentences that state it
//	    │ unchecked         → Unchecked, citing the sentences to compare it with
//	    │ contradicts       → Unsupported, citing what it contradicts, with the words that differ
//	    ▼ absent            → Background if only generated text states it, or else Unsupported, without citations
//	do the quoted bytes still stand on disk? otherwise the quote is dropped and counted
//
// A citation whose source does not state the sentence is counted as refused. A page about another thing than the
// question names supports nothing. A sentence that only says that nothing is known is left out.
//
// Begin with [NewChecker]. Check is for answers that were written from evidence, [Checker.Locate] for answers
// that were written without, and [Checker.Supports] for a single sentence.
package support
