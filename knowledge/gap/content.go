package gap

// ContentTerms returns the analysed terms of a question that say what it is about, each once and in
// order: without the words that only make a sentence a question, English or Chinese. A question of
// nothing else keeps all its terms.
func ContentTerms(question string) []string {
	return parseQuestion(question, func(string) bool { return false }).content
}
