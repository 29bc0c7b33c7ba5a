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
//	        │ lookUp: one search for each kind of source        features.go
//	   ┌────┴─────────────┐
//	running text    stored questions
//	   └────┬─────────────┘
//	        │ measure: six features in 0..1, more is better covered
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
// The six features are the best BM25 score over its largest possible value, the share of the question's
// idf mass that one document covers (with near words in part, and with exact words only), the largest
// cosine of the question with a passage, the overlap of its topic with the best title, and how many of its
// words the base has never seen. The weights are at most 0, so that better coverage never raises the
// probability.
//
// # Why it is calibrated on the user's own base
//
// The same score means "there" in a base of leaflets and "missing" in a base of abstracts, and users have
// no labels for their notes. So the index hides documents and asks about them (selfcalibration.go): it draws up
// to 500 documents, hides each with its 0, 1, 3 or 7 nearest neighbours, asks two questions about each hidden
// document and about as many that stay, and fits the six weights, drawn towards shipped ones. With enough
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
// A collection with fewer than 2,000 passages or no encoder is judged by exact words alone, with a model
// fitted to 200 simulated bases: AUC .956, .941, .932 with 350, 800 and 1,600 passages, where its own
// vectors and self-calibration reach .755, .901, .909.
//
// # How good it is
//
// AUC with 95 % interval, and the share of missing answers caught when one covered question in ten is
// marked wrongly (docs/quality.md has the rest):
//
//	BioASQ, 948 questions, half with their evidence taken out of the base    .886 [.863, .908]   .71
//	PubMedQA, 400, half with their own abstract taken out                    .932 [.907, .956]   .72
//	MedQuAD, sections under headings: an illness taken out, or one aspect    .962, .951          .91, .94
//	SciFact, 652 claims, their abstracts taken out                           .744 [.702, .785]   .32
//
// SciFact is the limit: the judge sees subjects and aspects, it does not read. One fact missing from a
// well covered subject is beyond it; that is what models are asked about (package answer). In Chinese,
// whose terms are pairs of characters, it is at most unsure.
//
// # Where to begin
//
// [Judge] is the judge and [Companion] calibrates it. [Gap.Fills] decides whether a passage closes a gap
// that a model named, and [FacetCoverage] how far a passage treats what is asked of its subject. Package
// ledger stores gaps beyond a session.
package gap
