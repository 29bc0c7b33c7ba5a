package knowledge

import "lacuna/knowledge/passage"

// recognise finds the passages of a shelf of the next state, given by their ordinals, on this shelf of
// the last one: it returns the place each has here, or -1, and no place twice. So nothing is analysed
// or encoded a second time. A passage of a file that did not change is the same object from state to
// state; one of a file that was moved, or changed elsewhere, has another with an equal text.
func (s *Collection) recognise(last, next []*passage.Passage, ordinals []int) []int {
	places := make(map[*passage.Passage]int, s.N())
	for place, ordinal := range s.ordinals {
		places[last[ordinal]] = place
	}
	found := make([]int, len(ordinals))
	var strangers []int
	taken := make([]bool, s.N())
	for i, ordinal := range ordinals {
		place, known := places[next[ordinal]]
		if found[i] = place; !known {
			found[i] = -1
			strangers = append(strangers, i)
			continue
		}
		taken[place] = true
	}
	if len(strangers) > 0 {
		s.recogniseTexts(last, next, ordinals, strangers, taken, found)
	}
	return found
}

// recogniseTexts finds strangers on places of the shelf that are not taken, by what they are searched
// by. Any number of passages may be the same, of which each is looked at once.
func (s *Collection) recogniseTexts(last, next []*passage.Passage, ordinals, strangers []int, taken []bool, found []int) {
	at := func(place int) *passage.Passage { return last[s.ordinals[place]] }
	stranger := func(n int) *passage.Passage { return next[ordinals[strangers[n]]] }
	known := passage.NewPlaces(s.N(), func(place int) passage.ID { return at(place).ID })
	for place := range s.N() {
		if !taken[place] {
			known.Add(place)
		}
	}
	alike := passage.NewPlaces(len(strangers), func(n int) passage.ID { return stranger(n).ID })
	for n := range strangers {
		alike.Add(n)
	}
	for n := range strangers {
		id := stranger(n).ID
		if first, _ := alike.First(id); first != n {
			continue // found with the first
		}
		free := make(map[string][]int) // places by what they are searched by
		for place := range known.Of(id) {
			indexed := at(place).Indexed()
			free[indexed] = append(free[indexed], place)
		}
		for n := range alike.Of(id) {
			indexed := stranger(n).Indexed()
			if places := free[indexed]; len(places) > 0 {
				found[strangers[n]], free[indexed] = places[0], places[1:]
			}
		}
	}
}
