// Package question reads what a question asks for: its subject, the aspect of it, the kind of answer that is
// expected, the conditions it names, and its language. Search, reader, judge, prompts and hover share this
// one reading, so that a rule about questions stands in one place.
//
// It knows no source: what a base has to say on the subject is the business of those that search it. The
// exception are its words for aspects, which name headings as well as questions ([AspectsOf]), and for
// expected answers, which show in a text ([Expected.Fit]).
//
// Begin with [Read].
package question
