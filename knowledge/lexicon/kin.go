package lexicon

// Kinship says why a word of a base is kin to a word of a question.
type Kinship string

const (
	Inflection Kinship = "inflection" // another form: „Zelle“ and „Zellen“
	Derivation Kinship = "derivation" // made of the same word: pay and payment, rehab and rehabilitation
	Compound   Kinship = "compound"   // a German compound and its part
	Meaning    Kinship = "meaning"    // a synonym of the lexicon
	Name       Kinship = "name"       // the base itself says so: an abbreviation, an alias
	Spelling   Kinship = "spelling"   // a slip of the keyboard
)

// Kin is another way in which a collection says a word of a question.
type Kin struct {
	// Terms are the collection's; a text says the word if it has all of them.
	Terms []string
	// Weight is how much of the word's own weight a text earns by them, in 0..1.
	Weight float64
	Why    Kinship
}

// Base is what must be known about a collection.
type Base interface {
	N() int
	DocFreq(term string) int
	IDF(term string) float64
}

// maxKin bounds the kin of one word.
const maxKin = 12
