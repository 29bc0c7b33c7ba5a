package redact

import (
	"math"
	"strconv"
	"sync"
)

// A word that no list has still looks like a name or like a word of medicine, as Nkemelu and Brukinsa do. What looks like
// what is learnt from the lists: from how frequent three letters in a row are in names and in words of medicine.

// letters counts three letters in a row, by a hash, in the words of some lists.
type letters struct {
	count [1 << 15]float32
	total float32
}

// threes calls a function with the hash of each three letters in a row of a word, with its beginning and its end.
func threes(word string, each func(hash int)) {
	a, b := uint32('^'), uint32('^')
	for i := 0; i <= len(word); i++ {
		c := uint32('$')
		if i < len(word) {
			c = uint32(word[i])
		}
		each(int((a*31*31 + b*31 + c) * 2654435761 >> 17))
		a, b = b, c
	}
}

func (l *letters) learn(lists ...map[string]bool) {
	for _, list := range lists {
		for word := range list {
			if word[0] < 'a' || word[0] > 'z' {
				continue
			}
			threes(word, func(hash int) {
				l.count[hash]++
				l.total++
			})
		}
	}
}

// writing holds the letters of names and of words of medicine.
type writing struct{ names, medicine letters }

var written = sync.OnceValue(func() *writing {
	w, lists := new(writing), known()
	w.names.learn(lists.given, lists.surname, lists.worldGiven, lists.worldSurname)
	w.medicine.learn(lists.clinical, lists.brand)
	return w
})

// looksLike says how much more a word without accents, in lower case, is written like a name than like a word of
// medicine, from -3 to 3; "" if it is too short to say. That a list has the word counts for nothing.
func looksLike(word string) string {
	if len(word) < 4 {
		return ""
	}
	w, lists := written(), known()
	inNames := float32(0)
	for _, list := range []map[string]bool{lists.given, lists.surname, lists.worldGiven, lists.worldSurname} {
		if list[word] {
			inNames++
		}
	}
	inMedicine := float32(0)
	for _, list := range []map[string]bool{lists.clinical, lists.brand} {
		if list[word] {
			inMedicine++
		}
	}
	odds, n := 0.0, 0
	threes(word, func(hash int) {
		names := max(0, w.names.count[hash]-inNames)
		medicine := max(0, w.medicine.count[hash]-inMedicine)
		odds += math.Log(float64((names+0.5)/w.names.total)) - math.Log(float64((medicine+0.5)/w.medicine.total))
		n++
	})
	return strconv.Itoa(int(math.Round(max(-3, min(3, 2*odds/math.Sqrt(float64(n)))))))
}
