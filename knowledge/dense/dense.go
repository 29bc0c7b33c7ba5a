// Package dense is the built-in encoder: it makes a vector of a text, so that texts that say the same in
// other words are near each other. It is trained on the user's own base in seconds, from spans cut out of
// its passages. Alone it is weaker than BM25; mixed with it, it finds more.
//
// # How it works
//
//	   span of a passage                the rest of the passage
//	"pale and short of breath"      "iron deficiency makes …"
//	          │                                │
//	          ▼                                ▼
//	 Σ idf · tf/(tf+1) · v(term)     the same terms' vectors: two towers, one set of weights
//	          │  to length 1                   │  to length 1
//	          └──────────────┬─────────────────┘
//	                         ▼
//	   cosines of all 512 × 512 pairs of a batch, ÷ 0.15
//	                         │
//	                         ▼
//	  cross entropy: each span finds its own rest, each rest its own span
//	                         │
//	                         ▼
//	             Adagrad on the vectors of the terms
//
// A text is a bag of terms, and a term's vector (256 numbers) is all that is learnt. Vectors begin as sums
// of random vectors of the pieces of their words, so that related words begin near each other. Running
// text trains on spans and titles (TrainPassages); stored questions train on spans, their answers, and
// other questions about the same subject (TrainQuestions). Training has a fixed seed and one order.
//
// Three comparisons are made with the result: the cosine of two texts ([Encoder.Encode]), max-sim, which
// compares word by word ([Matcher.MaxSim]), and the cosine of a text's best window ([Matcher.BestWindow]).
// Package knowledge mixes them with BM25 and says by which weights.
//
// Begin with [TrainPassages] and [Encoder.Encode]. Numbers without a source in the comments were chosen by
// measurement on development sets of English and Chinese medical text.
package dense
