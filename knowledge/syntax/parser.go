package syntax

import "strings"

// The parser is arc-hybrid (Kuhlmann, Gómez-Rodríguez and Satta 2011) with the root behind the last word: a word is
// moved to the stack, or the top of the stack gets its head, which is the next word (left) or the word below (right).
// So each word is moved once and attached once. The features are those of Zhang and Nivre (2011).

// move is a kind of step.
type move uint8

const (
	shift move = iota
	left
	right
)

// action is a step, with the relation of the arc it makes.
type action struct {
	move     move
	relation Relation
	label    uint32 // hash of the relation
}

func actionsOf(names []string) []action {
	actions := make([]action, len(names))
	for i, name := range names {
		kind, relation, _ := strings.Cut(name, " ")
		actions[i] = action{relation: Relation(relation), label: hashString(relation)}
		switch kind {
		case "left":
			actions[i].move = left
		case "right":
			actions[i].move = right
		}
	}
	return actions
}

// state is a half-made parse.
type state struct {
	word, tag, fine []uint32 // hashes, by word; the root is the last
	stack           []int
	next            int // first word of the buffer
	head            []int
	label           []uint32 // hash of the relation; 0 as long as a word has no head
	relation        []Relation
	leftmost        []int // -1 if none
	leftmost2       []int
	rightmost       []int
	rightmost2      []int
	lefts, rights   []uint32 // number of children
	leftSet         []uint32 // bits of the relations of children
	rightSet        []uint32
}

func newState(shapes []shape, tags []uint8, classes []tagClass) *state {
	n := len(shapes) + 1
	s := &state{}
	hashes := make([]uint32, 8*n)
	take := func() (part []uint32) { part, hashes = hashes[:n:n], hashes[n:]; return part }
	s.word, s.tag, s.fine, s.label, s.lefts, s.rights, s.leftSet, s.rightSet = take(), take(), take(), take(), take(), take(), take(), take()
	ints := make([]int, 6*n)
	takeInts := func() (part []int) { part, ints = ints[:n:n], ints[n:]; return part }
	s.head, s.leftmost, s.leftmost2, s.rightmost, s.rightmost2 = takeInts(), takeInts(), takeInts(), takeInts(), takeInts()
	s.stack = takeInts()[:0]
	s.relation = make([]Relation, n)
	for i := range n {
		s.head[i], s.leftmost[i], s.leftmost2[i], s.rightmost[i], s.rightmost2[i] = -1, -1, -1, -1, -1
		if i < n-1 {
			c := classes[tags[i]]
			s.word[i], s.tag[i], s.fine[i] = shapes[i].lower, c.part, c.all
		}
	}
	s.word[n-1], s.tag[n-1], s.fine[n-1] = 1, 2, 3
	return s
}

func (s *state) root() int { return len(s.head) - 1 }

func (s *state) done() bool { return len(s.stack) == 0 && s.next == s.root() }

// may reports which moves are allowed. One word alone gets the root as its head.
func (s *state) may(m move) bool {
	switch m {
	case shift:
		return s.next < s.root()
	case left:
		return len(s.stack) > 0 && (s.next < s.root() || len(s.stack) == 1)
	default:
		return len(s.stack) > 1
	}
}

func (s *state) allowed(a action) bool {
	if !s.may(a.move) {
		return false
	}
	return a.move == shift || (a.relation == "root") == (a.move == left && s.next == s.root())
}

func (s *state) do(a action) {
	if a.move == shift {
		s.stack = append(s.stack, s.next)
		s.next++
		return
	}
	top := s.stack[len(s.stack)-1]
	s.stack = s.stack[:len(s.stack)-1]
	s.label[top], s.relation[top] = a.label, a.relation
	bit := uint32(1) << (a.label % 32)
	if a.move == left {
		h := s.next
		s.head[top] = h
		s.leftmost2[h], s.leftmost[h] = s.leftmost[h], top
		s.lefts[h]++
		s.leftSet[h] |= bit
		return
	}
	h := s.stack[len(s.stack)-1]
	s.head[top] = h
	s.rightmost2[h], s.rightmost[h] = s.rightmost[h], top
	s.rights[h]++
	s.rightSet[h] |= bit
}

// features appends the features of a state.
func (s *state) features(to []uint32) []uint32 {
	s0, s1, s2 := s.below(0), s.below(1), s.below(2)
	b0, b1, b2 := s.ahead(0), s.ahead(1), s.ahead(2)
	s0w, s0p, s0f := s.at(s0)
	s1w, s1p, s1f := s.at(s1)
	s2w, s2p, _ := s.at(s2)
	b0w, b0p, b0f := s.at(b0)
	b1w, b1p, b1f := s.at(b1)
	b2w, b2p, _ := s.at(b2)
	s0l, s0r, s1l, s1r, b0l := child(s.leftmost, s0), child(s.rightmost, s0), child(s.leftmost, s1), child(s.rightmost, s1), child(s.leftmost, b0)
	s0l2, s0r2, s1r2, b0l2 := child(s.leftmost2, s0), child(s.rightmost2, s0), child(s.rightmost2, s1), child(s.leftmost2, b0)
	s0lw, s0lp, s0lf := s.at(s0l)
	s0rw, s0rp, _ := s.at(s0r)
	s1lw, s1lp, s1lf := s.at(s1l)
	s1rw, s1rp, _ := s.at(s1r)
	b0lw, b0lp, b0lf := s.at(b0l)
	_, s0l2p, _ := s.at(s0l2)
	_, s0r2p, _ := s.at(s0r2)
	_, s1r2p, _ := s.at(s1r2)
	_, b0l2p, _ := s.at(b0l2)
	s0ll, s0rl, s1ll, s1rl, b0ll := s.labelOf(s0l), s.labelOf(s0r), s.labelOf(s1l), s.labelOf(s1r), s.labelOf(b0l)
	s0L, s0R, s1R, b0L := pick(s.lefts, s0), pick(s.rights, s0), pick(s.rights, s1), pick(s.lefts, b0)
	s0ls, s0rs, s1ls, s1rs, b0ls := pick(s.leftSet, s0), pick(s.rightSet, s0), pick(s.leftSet, s1), pick(s.rightSet, s1), pick(s.leftSet, b0)
	near, below := distance(s0, b0), distance(s1, s0)
	return append(to,
		mix(101, s0w, 0, 0), mix(102, s0p, 0, 0), mix(103, s0w, s0f, 0), mix(104, s0f, 0, 0),
		mix(105, s1w, 0, 0), mix(106, s1p, 0, 0), mix(107, s1w, s1f, 0), mix(108, s1f, 0, 0),
		mix(109, s2w, 0, 0), mix(110, s2p, 0, 0),
		mix(111, b0w, 0, 0), mix(112, b0p, 0, 0), mix(113, b0w, b0f, 0), mix(114, b0f, 0, 0),
		mix(115, b1w, 0, 0), mix(116, b1p, 0, 0), mix(117, b1w, b1f, 0), mix(118, b1f, 0, 0),
		mix(119, b2w, 0, 0), mix(120, b2p, 0, 0),
		mix(121, s0w, b0w, 0), mix(122, s0w, b0f, 0), mix(123, s0f, b0w, 0), mix(124, s0f, b0f, 0), mix(125, s0p, b0p, 0),
		mix(126, s1w, s0w, 0), mix(127, s1w, s0f, 0), mix(128, s1f, s0w, 0), mix(129, s1f, s0f, 0), mix(130, s1p, s0p, 0),
		mix(131, b0f, b1f, 0), mix(132, b0w, b1f, 0), mix(133, b0f, b1w, 0), mix(134, s1w, b0p, 0), mix(135, s1p, b0w, 0), mix(136, s1f, b0f, 0),
		mix(137, s0p, b0p, b1p), mix(138, b0p, b1p, b2p), mix(139, s1p, s0p, b0p), mix(140, s2p, s1p, s0p),
		mix(141, s1w, s0p, b0p), mix(142, s1p, s0w, b0p), mix(143, s1p, s0p, b0w), mix(144, s0f, b0f, b1f), mix(145, s1f, s0f, b0f),
		mix(146, s0p, s0lp, b0p), mix(147, s0p, s0rp, b0p), mix(148, s0p, b0p, b0lp), mix(149, s1p, s1lp, s0p), mix(150, s1p, s1rp, s0p), mix(151, s1p, s0p, s0lp), mix(152, s1p, s0p, s0rp),
		mix(153, near, s0w, 0), mix(154, near, s0p, 0), mix(155, near, b0w, 0), mix(156, near, b0p, 0), mix(157, near, s0f, b0f),
		mix(158, below, s1w, 0), mix(159, below, s1p, 0), mix(160, below, s0w, 0), mix(161, below, s1f, s0f),
		mix(162, s0w, s0L, 1), mix(163, s0p, s0L, 1), mix(164, s0w, s0R, 2), mix(165, s0p, s0R, 2), mix(166, s1w, s1R, 0), mix(167, s1p, s1R, 0), mix(168, b0w, b0L, 0), mix(169, b0p, b0L, 0),
		mix(170, s0lw, 0, 0), mix(171, s0lf, s0ll, 0), mix(172, s0rw, 0, 0), mix(173, s0rp, s0rl, 0), mix(174, s1lw, 0, 0), mix(175, s1lf, s1ll, 0), mix(176, s1rw, 0, 0), mix(177, s1rp, s1rl, 0), mix(178, b0lw, 0, 0), mix(179, b0lf, b0ll, 0),
		mix(180, s0ll, s0p, 0), mix(181, s0rl, s0p, 0), mix(182, b0ll, b0p, 0), mix(183, s1rl, s1p, s0p),
		mix(184, s0w, s0ls, 1), mix(185, s0p, s0ls, 1), mix(186, s0w, s0rs, 2), mix(187, s0p, s0rs, 2), mix(188, s1w, s1rs, 2), mix(189, s1p, s1rs, s0p), mix(190, b0w, b0ls, 1), mix(191, b0p, b0ls, s0p), mix(192, s1p, s1ls, s0p),
		mix(193, s0p, s0lp, s0l2p), mix(194, s0p, s0rp, s0r2p), mix(195, s1p, s1rp, s1r2p), mix(196, b0p, b0lp, b0l2p),
		mix(197, s0lw, s0w, s1w), mix(198, s1w, s0lw, s0p), mix(199, s1w, s0lw, 0), mix(200, s0f, b0f, s0ls), mix(201, s1f, s0f, s0lw), mix(202, s0w, b0w, b1p),
		mix(203, s0ls, s0rs, s0p), mix(204, s1p, s0p, mix(0, b0p, b1p, 0)), mix(205, s0f, s0lf, b0f),
	)
}

// below returns the k-th word of the stack from the top, or -1.
func (s *state) below(k int) int {
	if len(s.stack) <= k {
		return -1
	}
	return s.stack[len(s.stack)-1-k]
}

// ahead returns the k-th word of the buffer, or -1.
func (s *state) ahead(k int) int {
	if s.next+k > s.root() {
		return -1
	}
	return s.next + k
}

func (s *state) at(i int) (word, tag, fine uint32) {
	if i < 0 {
		return outside, outside, outside
	}
	return s.word[i], s.tag[i], s.fine[i]
}

func (s *state) labelOf(i int) uint32 { return pick(s.label, i) }

func child(of []int, i int) int {
	if i < 0 {
		return -1
	}
	return of[i]
}

func pick(of []uint32, i int) uint32 {
	if i < 0 {
		return outside
	}
	return of[i]
}

// distance tells short distances apart and puts long ones together.
func distance(from, to int) uint32 {
	if from < 0 || to < 0 {
		return outside
	}
	switch d := to - from; {
	case d < 6:
		return uint32(d)
	case d < 11:
		return 6
	default:
		return 7
	}
}

// step returns the best allowed action.
func (s *state) step(scores []int32, actions []action) int {
	top := -1
	for i, a := range actions {
		if (top < 0 || scores[i] > scores[top]) && s.allowed(a) {
			top = i
		}
	}
	return top
}
