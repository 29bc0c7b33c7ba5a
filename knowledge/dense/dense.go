// Package dense is the embedded encoder: a bag-of-terms Siamese network trained on the user's own
// base in seconds, from spans cut out of its own passages. Alone it is weaker than BM25; mixed
// with it, it finds more.
//
// Begin with [Train] and [Encoder.Encode]. Numbers without a source in the comments were chosen by
// measurement on development sets of English and Chinese medical text.
package dense
