package gate

import (
	"lacuna/knowledge"
	"lacuna/knowledge/dense"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
)

// LibraryEncoder is the encoder trained on a library: that of its passages, or where there is none
// that of its stored questions. Without either it is nil.
func LibraryEncoder(l *knowledge.Library) Encoder {
	for _, kind := range []passage.Kind{passage.Text, passage.QA} {
		if shelf := l.Shelf(kind); shelf != nil && shelf.Encoder() != nil {
			return embedded{shelf.Encoder()}
		}
	}
	return nil
}

type embedded struct{ encoder *dense.Encoder }

func (e embedded) Dim() int { return e.encoder.Dim() }

func (e embedded) Encode(text string) []float32 {
	if v, known := e.encoder.Encode(lexical.Terms(text)); known {
		return v
	}
	return make([]float32, e.encoder.Dim())
}
