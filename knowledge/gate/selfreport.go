package gate

import (
	"fmt"

	"lacuna/knowledge/answer"
)

// selfReport retrieves where the model, asked before it answers, said that it is not sure enough. It
// goes by what a history or a question has recorded of that and asks nothing itself: who wants the
// model asked has the system of the same name answer, see [Deciding].
type selfReport struct {
	name    string
	enough  float64 // the confidence, in 0..1, from which the model answers alone
	doubt   float64 // what it then lacks to 1
	checked bool    // the question was put right first, and is only known where that is recorded
}

// thinkThenAct and selfDC decide as the systems of their names do. Self-DC takes questions between its
// two bounds apart and looks up those parts that the model does not know, so that they count as
// searched for.
var (
	thinkThenAct = selfReport{"think-then-act", answer.ThinkThenActEnough, 1 - answer.ThinkThenActEnough, true}
	selfDC       = selfReport{"self-dc", answer.SelfDCEnough, 1 - answer.SelfDCEnough, false}
)

// Name implements [Policy].
func (s selfReport) Name() string { return s.name }

// knows reports whether a question comes with what the policy decides by.
func (s selfReport) knows(q Question) bool {
	return q.Confidence != nil && (q.Check != "" || !s.checked)
}

// Decide implements [Policy]. A confidence that nobody recorded is none, as in the papers.
func (s selfReport) Decide(q Question) Decision {
	d := Decision{Policy: s.name, Threshold: s.doubt}
	if !s.knows(q) {
		d.Retrieve, d.Score, d.Why = true, 1, "it is not recorded how sure the model was"
		return d
	}
	sure := *q.Confidence
	d.Retrieve, d.Score, d.Signals = sure < s.enough, 1-sure, map[string]float64{"confidence": sure}
	d.Why = answer.SaidSure(sure)
	if s.checked {
		d.Why = fmt.Sprintf("the question is %s, and %s", q.Check, d.Why)
	}
	return d
}

// learner makes the policy available beside those that learn.
func (s selfReport) learner(fields string) Learner {
	l := rule(s)
	l.Knows, l.Fields = s.knows, fields
	return l
}
