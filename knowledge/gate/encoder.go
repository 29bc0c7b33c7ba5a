package gate

import (
	"crypto/sha256"
	"encoding/hex"
	"sync"

	"lacuna/knowledge"
	"lacuna/knowledge/dense"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
)

// Encoder turns texts into vectors of unit length, and a text without a known word into zeros. It is safe
// for concurrent use.
type Encoder interface {
	Dim() int
	Encode(text string) []float32
	// Identity names the encoder. What was trained with one encoder works only with an equal one.
	Identity() string
}

// LibraryEncoder returns the encoder trained on a library's passages, or else the one trained on its stored
// questions, or nil.
func LibraryEncoder(l *knowledge.Library) Encoder {
	for _, kind := range []passage.Kind{passage.Text, passage.QA} {
		if c := l.Collection(kind); c != nil && c.Encoder() != nil {
			return libraryEncoder{c.Encoder(), sync.OnceValue(func() string { return digestOf(c.Encoder()) })}
		}
	}
	return nil
}

type libraryEncoder struct {
	encoder  *dense.Encoder
	identity func() string
}

func (e libraryEncoder) Dim() int { return e.encoder.Dim() }

func (e libraryEncoder) Encode(text string) []float32 {
	if v, known := e.encoder.Encode(lexical.Terms(text)); known {
		return v
	}
	return make([]float32, e.encoder.Dim())
}

func (e libraryEncoder) Identity() string { return e.identity() }

func digestOf(e *dense.Encoder) string {
	hash := sha256.New()
	_, _ = e.WriteTo(hash) // a hash takes whatever it gets
	return hex.EncodeToString(hash.Sum(nil))[:32]
}

// CacheEncodings wraps an encoder so that it encodes each text once.
func CacheEncodings(e Encoder) Encoder { return &cachingEncoder{Encoder: e} }

type cachingEncoder struct {
	Encoder
	known sync.Map // text to []float32
}

func (r *cachingEncoder) Encode(text string) []float32 {
	if v, ok := r.known.Load(text); ok {
		return v.([]float32)
	}
	v := r.Encoder.Encode(text)
	r.known.Store(text, v)
	return v
}
