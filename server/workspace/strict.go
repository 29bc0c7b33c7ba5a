package workspace

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"lacuna/knowledge"
	"lacuna/knowledge/redact"
	"lacuna/prompts"
)

// tellTale lists the classes of identifiers whose presence alone forbids sending in strict mode.
var tellTale = []redact.Class{redact.Name, redact.Record, redact.SSN}

// mostNamed bounds the words that a refusal names.
const mostNamed = 12

// strictly returns why a redacted request must not leave in strict mode: it held what identifies a person, or it still
// holds words or numbers that no list has, no prompt of own, and the user did not allow.
func (w *Workspace) strictly(found redact.Result, own *prompts.Set) error {
	for _, class := range tellTale {
		if found.Counts[class] > 0 {
			return fmt.Errorf("it holds what identifies a person (%s), and privacy.redact is strict", found.Details())
		}
	}
	allowed := make(map[string]bool)
	for _, word := range w.loaded.Settings.Privacy.Allowed {
		allowed[strings.ToLower(strings.TrimSpace(word))] = true
	}
	for _, name := range own.Names() {
		for word := range strings.FieldsFuncSeq(own.System(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '\'' }) {
			allowed[strings.ToLower(word)] = true
		}
	}
	base := w.words.of(w.Library())
	var named []string
	more := 0
	for _, text := range found.Messages {
		for _, word := range redact.Unknown(text, func(word string) bool { return allowed[word] || base.Has(word) || prompts.IsDelimiter(word) }) {
			if allowed[strings.ToLower(word)] = true; len(named) == mostNamed {
				more++
				continue
			}
			named = append(named, strconv.Quote(word))
		}
	}
	if len(named) == 0 {
		return nil
	}
	list := strings.Join(named, ", ")
	if more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return errors.New("it holds what no list of words has, and privacy.redact is strict; to send it, add to privacy.allowed in your own settings what names nobody: " + list)
}

// sourceWords caches the vocabulary of the library that was seen last. It is safe for concurrent use.
type sourceWords struct {
	mu      sync.Mutex
	library *knowledge.Library
	words   *redact.Vocabulary
}

// of returns the words that two passages of the library write in small letters. Reading a large library takes seconds,
// once, and in strict mode only.
func (s *sourceWords) of(library *knowledge.Library) *redact.Vocabulary {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.words == nil || s.library != library {
		s.library, s.words = library, new(redact.Vocabulary)
		for _, p := range library.Passages() {
			s.words.Add(p.Text)
		}
	}
	return s.words
}
