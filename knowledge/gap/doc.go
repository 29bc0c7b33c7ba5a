// Package gap judges, without a model, what the sources lack for a question: how probable it is that
// they do not hold the answer, what exactly is missing, and what to search for instead.
//
// # How the judge judges
//
// A question that the sources answer and one that they do not answer look alike to a search: both get
// twenty passages. The judge asks how well what was found covers what was asked.
//
//	"Is metformin safe during breastfeeding?"
//	        │ parseQuestion: drop the words of asking           inquiry.go, package question
//	        ▼
//	content: metformin, breastfeed       topic: metformin       (breastfeed names an aspect)
//	words: metformin (a name), breastfeed (plain)               words.go, package vocabulary
//	        │ lookUp: one search for each kind of source        features.go
//	   ┌────┴─────────────┐
//	running text    stored questions
//	   └────┬─────────────┘
//	        │ measure: features in 0..1, more is better covered
//	        ▼
//	P(topic missing) = 1/(1+e^-(b + Σ w·f)), every w ≤ 0        topicmodel.go
//	        │ the smaller of both kinds: what either covers is not missing
//	        ├──────────────────────────────┐
//	        │                              ▼
//	        │     which aspect is asked for, do the passages      aspectmodel.go
//	        │     on the topic treat it, do the headings of       aspects.go
//	        │     the page named have it?  ──►  P(aspect missing)
//	        ▼                              │
//	Verdict{Topic .02, Aspect .85} ◄───────┘                    judge.go
//	        ▼
//	"Nothing on pregnancy and breastfeeding of “Metformin”; you have: dosage, side effects…"   label.go
//
// A collection of fewer than 10,000 passages, unless it is one of abstracts, and every Chinese question, is judged by
// words and their kin ([knowledge.Collection.Wording]): how much of the whole question the best passage earns by BM25;
// how much of its words one sentence says together with the headings above it, and whether that sentence shows an answer
// of the kind expected; how many names and technical terms the collection has in no form; whether a year that is asked
// about is there, and a heading for the aspect that is; and whether a price is asked, which few sources state. Everyday
// words that no passage says count for the sources: a person tells of a boss, a holiday and Spain besides, and the
// base need not have them. A word weighs less the more common it is in its language. Larger collections have the best
// BM25 score over its largest possible value, the cosines of their encoder and the overlap of the topic with the best
// title. The weights are at most 0, so that more of what is measured never raises the probability.
//
// # Why a large base is calibrated on itself
//
// The same score means "there" in a base of leaflets and "missing" in a base of abstracts, and users have
// no labels for their notes. So the index hides documents and asks about them (selfcalibration.go): it draws up
// to 500 documents, hides each with its 0, 1, 3 or 7 nearest neighbours, asks two questions about each hidden
// document and about as many that stay, and fits the weights, drawn towards shipped ones. With enough
// stored questions it asks those; otherwise it makes questions of key words, of which .1 are replaced by
// near words and .2 by common ones, because only noise calibrates it for real questions. Hiding whole
// clusters matters for the same reason: one hidden document among near copies is not missing. A base of few
// documents is asked in up to 16 rounds, each with others hidden: of 80 documents one round hides 16, most of
// them as neighbours, and with so few questions chance decides what counts as missing.
//
// Questions are searched exactly as later ones will be ([lookUp] is the only way to the sources), so the
// weights are fitted to the library's own ranking. Measured when the ranking changed: area under the ROC
// curve and error stay within chance of those fitted to a simpler ranking.
//
// That holds for questions of experts. Strangers describe what they mean: on seven real bases of 2,000 to 6,000
// passages the self-calibrated judge marked .05 to .95 of their answerable questions. So below 10,000 passages the
// weights are fixed ([shippedWords], and [shippedFew] below 400), learnt from strangers' questions on 26 real bases
// in three languages, and from simulated ones. A base in which nearly every passage is a document of its own, as
// abstracts are, is calibrated on itself from 1,000 passages on: experts ask it.
//
// # How good it is
//
// AUC with 95 % interval, and the share of missing answers caught when one covered question in ten is
// marked wrongly (docs/quality.md has the rest):
//
//	BioASQ, 948 questions, half with their evidence taken out of the base    .886 [.863, .908]   .71
//	PubMedQA, 400, half with their own abstract taken out                    .932 [.907, .956]   .72
//	MedQuAD, sections under headings: an illness taken out, or one aspect    .962, .951          .91, .94
//	SciFact, 652 claims, their abstracts taken out                           .742 [.700, .781]   .31
//
// Those are experts' questions to large bases. Strangers' questions to 26 real bases, 818 in English, German and
// Chinese, 247 of them not covered, each base left out of the fit: AUC .756 (English .76, German .83, Chinese .69),
// calibration error .06; .05 of the covered are marked and .33 of the missing: .39 of missing subjects, .31 of
// missing sides of a subject, .27 of near cases of something covered.
//
// SciFact shows the other limit: the judge sees subjects and aspects, it does not read. One fact missing from a
// well covered subject is beyond it; that is what models are asked about (package answer).
//
// # Where to begin
//
// [Judge] is the judge and [Companion] calibrates it. [Gap.Fills] decides whether a passage closes a gap
// that a model named, and [Facet.Coverage] how far a passage treats what is asked of its subject. Package
// ledger stores gaps beyond a session.
package gap
